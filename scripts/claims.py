"""What the PACT'19 paper concludes about its algorithms, held against measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import geometric_mean

from library_table import algorithms
from results import Points

PERSISTENT_MODES = ("naive", "gp", "ip")
ALGORITHMS = algorithms()
OTHERS_THAN_NOREC = tuple(algorithm for algorithm in ALGORITHMS if algorithm != "norec")
LAZY_AND_EAGER = (("orec_lazy", "orec_eager"), ("lock_lazy", "lock_eager"))


@dataclass(frozen=True)
class Verdict:
    claim: str
    finding: str
    is_measured: bool


def speedups(points: Points, pairs: Iterable[tuple[str, str]]) -> list[float]:
    """Of the first library of each pair over the second, at every point where both were measured."""
    found = []
    for first, second in pairs:
        for (panel, threads, library), summary in points.items():
            base = points.get((panel, threads, second))
            if library == first and base is not None:
                found.append(summary.ratio_to(base, "throughput"))
    return found


def _tell(speedups: list[float], what: str) -> str:
    if not speedups:
        return ""
    return (f"{what}: {geometric_mean(speedups):.2f} times as fast (geometric mean of {len(speedups)} points, "
            f"{min(speedups):.2f} to {max(speedups):.2f})")


def in_modes(first: str, second: str) -> list[tuple[str, str]]:
    return [(f"{first}_{mode}", f"{second}_{mode}") for mode in PERSISTENT_MODES]


def lazy_over_eager(points: Points) -> str:
    parts = []
    for lazy, eager in LAZY_AND_EAGER:
        parts.append(_tell(speedups(points, in_modes(lazy, eager)), f"{lazy} to {eager}"))
    return "; ".join(filter(None, parts))


@dataclass(frozen=True)
class Rank:
    threads: int
    place: int  # from 1
    of: int


def ranks(points: Points, mode: str, algorithm: str) -> list[Rank]:
    """The place of the algorithm among those of its mode, at every point where at least three were measured."""
    found = []
    for panel, threads in dict.fromkeys(key[:2] for key in points):
        libraries = [f"{each}_{mode}" for each in ALGORITHMS if (panel, threads, f"{each}_{mode}") in points]
        if f"{algorithm}_{mode}" not in libraries or len(libraries) < 3:
            continue
        libraries.sort(key=lambda library: points[panel, threads, library].median("throughput"), reverse=True)
        found.append(Rank(threads, 1 + libraries.index(f"{algorithm}_{mode}"), len(libraries)))
    return found


def _tell_ranks(found: list[Rank]) -> str:
    if not found:
        return ""
    return (f"fastest of its mode at {sum(rank.place == 1 for rank in found)} of {len(found)} points, among the first "
            f"three at {sum(rank.place <= 3 for rank in found)}")


def orec_lazy_best_in_ip(points: Points) -> str:
    return _tell_ranks(ranks(points, "ip", "orec_lazy"))


def tlrw_strong_in_gp(points: Points) -> str:
    return _tell_ranks(ranks(points, "gp", "tlrw"))


def coarse_to_fine(*algorithms: str) -> list[tuple[str, str]]:
    """The ideal model logs in chunks, the general one each word."""
    return [(f"{algorithm}_ip", f"{algorithm}_gp") for algorithm in algorithms]


def norec_hurt_by_coarse_logging(points: Points) -> str:
    norec = _tell(speedups(points, coarse_to_fine("norec")), "ip to gp of norec")
    rest = _tell(speedups(points, coarse_to_fine(*OTHERS_THAN_NOREC)), "of the others")
    return f"{norec}; {rest}" if norec and rest else ""


CLAIMS: tuple[tuple[str, Callable[[Points], str]], ...] = (
    ("Lazy algorithms are better for persistence than eager ones (V)", lazy_over_eager),
    ("orec-lazy is the best in the ideal model (VII)", orec_lazy_best_in_ip),
    ("TLRW is among the best in the general model (VI)", tlrw_strong_in_gp),
    ("Coarse logging does not help NOrec, whose read log grows with it (VI)", norec_hurt_by_coarse_logging),
)


def verdicts(points: Points) -> list[Verdict]:
    findings = [(claim, judge(points)) for claim, judge in CLAIMS]
    return [Verdict(claim, finding or "not in this campaign", bool(finding)) for claim, finding in findings]
