"""The sets of Krauter et al., ICFP'21, section 5: Figures 6 and 8."""

from __future__ import annotations

from contenders import FINE_GRAINED
from panel import Campaign, Panel


def _shares_of_look_ups(structure: str, title: str) -> tuple[Panel, ...]:
    """From updates only to look-ups only, with as many threads as the machine has; two shares of look-ups with fewer
    threads and more."""
    return tuple(
        Panel(f"icfp21-{structure}-{look_ups}", f"{title}, {look_ups} % look-ups", "sets", "icfp21",
              ("--structure", structure, "--updates", str(100 - look_ups)),
              threads=(1, 2, 4) if look_ups in (50, 90) else (2,))
        for look_ups in (0, 20, 50, 80, 90, 100))


FIGURE_6 = _shares_of_look_ups("tree", "Red-black tree") + _shares_of_look_ups("hash", "Hash table")
FIGURE_8 = _shares_of_look_ups("treap", "Treap") + _shares_of_look_ups("hamt", "Hash array mapped trie")


def _campaign(result: str, description: str, panels: tuple[Panel, ...], libraries: tuple[str, ...]) -> Campaign:
    return Campaign(f"ICFP'21, {description}", result, panels, libraries, trials=5, seconds=1, warmup=0.2)


ICFP21 = {
    "icfp21": _campaign(
        "icfp21", "Figures 6 and 8: red-black tree, hash table, treap and hash array mapped trie beside libpmemobj and "
        "a mutex, from updates to look-ups only; an hour (ratios: scripts/ratios.py)",
        FIGURE_6 + FIGURE_8,
        ("floor", "pmemobj", FINE_GRAINED, "mutex", "orec_lazy_stm", "orec_lazy_ip", "orec_lazy_fast")),
    "icfp21-fig6": _campaign(
        "icfp21-fig6", "Figure 6: persistent sets beside another library's", FIGURE_6,
        ("floor", "pmemobj", FINE_GRAINED, "orec_lazy_ip", "orec_lazy_fast")),
    "icfp21-fig8": _campaign(
        "icfp21-fig8", "Figure 8: persistent sets beside volatile ones", FIGURE_8,
        ("mutex", "orec_lazy_stm", "orec_lazy_ip", "orec_lazy_fast")),
}
