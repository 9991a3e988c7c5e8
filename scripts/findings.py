"""What is seen in a panel, in words and numbers: a paragraph for the page of all results, however many libraries there
are."""

from __future__ import annotations

from statistics import geometric_mean

import claims
from contenders import PEERS
from library_table import MODES, split
from results import Points, Summary

NOTEWORTHY_SPREAD = 0.15  # half the distance between best and worst trial
YARDSTICKS = ("floor", "lock_stm", *PEERS)


def paragraph(points: Points, panel: str) -> list[str]:
    """Its sentences."""
    own = {key: summary for key, summary in points.items() if key[0] == panel}
    counts = sorted({threads for _, threads, _ in own})
    # Where each thread has a core: what is beyond tells more of the scheduler than of the libraries.
    most = max((count for _, count, library in own if not own[panel, count, library].is_oversubscribed()),
               default=counts[0])
    sentences = [*(leader(own, panel, count) for count in counts), best_of_each_mode(own, panel, most),
                 scaling(own, panel, most), lazy_over_eager(own), places(own), coarse_logging(own), noise(own)]
    return [sentence for sentence in sentences if sentence]


def with_threads(count: int) -> str:
    return "one thread" if count == 1 else f"{count} threads"


def ranking(points: Points, panel: str, threads: int) -> list[tuple[str, Summary]]:
    """The durable libraries, the fastest first. (`floor` is not safe in a crash, and peers are no libraries.)"""
    found = [(library, summary) for (_, count, library), summary in points.items()
             if count == threads and summary.rows[0]["durable"] == "true" and library not in YARDSTICKS]
    return sorted(found, key=lambda item: -item[1].median("throughput"))


def leader(points: Points, panel: str, threads: int) -> str:
    """Who leads the durable libraries, and by how much."""
    found = ranking(points, panel, threads)
    if not found:
        return ""
    (library, summary), *others = found
    compared = [*others[:1], *((name, points[panel, threads, name]) for name in YARDSTICKS
                               if (panel, threads, name) in points)]
    shares = ", ".join(f"{summary.ratio_to(other, 'throughput'):.2f} × {name}" for name, other in compared)
    text = (f"With {with_threads(threads)} {library} leads the durable libraries: "
            f"{summary.median('throughput'):,.0f} transactions a second")
    return f"{text} ({shares})." if shares else f"{text}."


def best_of_each_mode(points: Points, panel: str, threads: int) -> str:
    """Where a mode has several libraries."""
    found: dict[str, dict[str, float]] = {}
    for (_, count, library), summary in points.items():
        algorithm, mode = split(library)
        if count == threads and mode:
            found.setdefault(mode, {})[algorithm] = summary.median("throughput")
    if all(len(set(algorithms) - {"lock"}) < 2 for algorithms in found.values()):
        return ""
    best = {mode: max(found[mode], key=found[mode].__getitem__) for mode in MODES if mode in found}
    named = ", ".join(f"{mode} {algorithm} ({found[mode][algorithm]:,.0f})" for mode, algorithm in best.items())
    return f"The best of each mode with {with_threads(threads)}: {named}."


def scaling(points: Points, panel: str, threads: int) -> str:
    """Of those who lead, and of the lock."""
    leaders = [ranking(points, panel, count)[:1] for count in (1, threads)]
    names = dict.fromkeys([*(library for found in leaders for library, _ in found), "lock_stm"])
    ratios = [f"{name} {points[panel, threads, name].ratio_to(points[panel, 1, name], 'throughput'):.2f}"
              for name in names if {(panel, 1, name), (panel, threads, name)} <= set(points)]
    return f"{with_threads(threads).capitalize()} over one: {', '.join(ratios)}." if ratios and threads > 1 else ""


def lazy_over_eager(points: Points) -> str:
    found = {f"{lazy} over {eager}": claims.speedups(points, claims.in_modes(lazy, eager))
             for lazy, eager in claims.LAZY_AND_EAGER}
    told = [f"{pair} {geometric_mean(ratios):.2f}" for pair, ratios in found.items() if ratios]
    return f"Lazy over eager, geometric means over threads and modes: {', '.join(told)}." if told else ""


def places(points: Points) -> str:
    """Of the two algorithms that the paper says lead their modes."""
    told = []
    for algorithm, mode in (("orec_lazy", "ip"), ("tlrw", "gp")):
        if found := claims.ranks(points, mode, algorithm):
            ranks = ", ".join(f"{rank.place} ({with_threads(rank.threads)})" for rank in found)
            told.append(f"{algorithm}_{mode}, place of {found[0].of}: {ranks}")
    return f"{'; '.join(told)}." if told else ""


def coarse_logging(points: Points) -> str:
    norec = claims.speedups(points, claims.coarse_to_fine("norec"))
    others = claims.speedups(points, claims.coarse_to_fine(*claims.OTHERS_THAN_NOREC))
    if not (norec and others):
        return ""
    return (f"Logged in chunks, ip over gp: norec {geometric_mean(norec):.2f}, the others "
            f"{geometric_mean(others):.2f} (geometric means).")


def noise(points: Points) -> str:
    spreads = {key: summary.spread("throughput") for key, summary in points.items()}
    (_, threads, library), worst = max(spreads.items(), key=lambda item: item[1])
    if worst < NOTEWORTHY_SPREAD:
        return ""
    return (f"A noisy machine: the trials of {library} with {with_threads(threads)} lie up to {worst:.0%} from their "
            "middle.")
