"""What is drawn of a campaign: a table of quantities, each a figure of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from contenders import PEERS
from library_table import LIBRARIES, is_volatile
from results import Key, Points, Range

Trials = Callable[[Points, Key], list[float]]  # of a point; empty where it was not measured
Group = int | str  # a number of threads, or the name of a measure
Series = dict[str, dict[Group, Range]]  # by library


def _throughput(points: Points, key: Key) -> list[float]:
    return points[key].values("throughput")


def _share_of_floor(points: Points, key: Key) -> list[float]:
    panel, threads, _ = key
    floor = points.get((panel, threads, "floor"))
    return points[key].ratios_to(floor, "throughput") if floor else []


def _aborts_in_a_hundred(points: Points, key: Key) -> list[float]:
    return [100 * rate for rate in points[key].abort_rates()] if points[key].counts_transactions() else []


def _per_transaction(column: str) -> Trials:
    return lambda points, key: points[key].each_per_transaction(column)


def _value(column: str) -> Trials:
    return lambda points, key: points[key].values(column)


def _mebibytes(column: str) -> Trials:
    """Results of older programs do not have it."""
    return lambda points, key: points[key].mebibytes(column)


def _everybody(library: str) -> bool:
    return True


def _others_than_floor(library: str) -> bool:
    return library != "floor"


def _keeps_files(library: str) -> bool:
    return not is_volatile(library)


def _flushes(library: str) -> bool:
    """Peers do not count what they flush, and volatile libraries flush nothing."""
    return library not in PEERS and not is_volatile(library)


def _aborts(library: str) -> bool:
    """Under one lock nothing conflicts."""
    return library == "libitm" or (library in LIBRARIES and LIBRARIES[library].conflicts)


@dataclass(frozen=True)
class Quantity:
    """Over threads; or, where there are several measures, these beside each other."""

    name: str  # results/<campaign>-<name>; without one, results/<campaign>
    title: str
    axis: str
    measures: dict[str, Trials]
    shows: Callable[[str], bool] = _everybody  # of a library
    is_logarithmic: bool = False
    reference: float | None = None  # where there is a line to hold all against
    # Of several measures: at which number of threads, of those that have a core each.
    threads: Callable[[Iterable[int]], int] = min

    @property
    def is_over_threads(self) -> bool:
        return len(self.measures) == 1

    def series(self, points: Points, panel: str) -> Series:
        found: Series = {}
        keys = [key for key in points if key[0] == panel and self.shows(key[2])]
        chosen = self.threads_of(points, panel)
        for key in keys:
            for name, trials in self.measures.items():
                if key[1] in chosen and (values := trials(points, key)):
                    found.setdefault(key[2], {})[key[1] if self.is_over_threads else name] = Range.of(values)
        return found

    def threads_of(self, points: Points, panel: str) -> list[int]:
        own = {key[1]: summary for key, summary in points.items() if key[0] == panel}
        if self.is_over_threads:
            return sorted(own)
        return [self.threads([count for count, summary in own.items() if not summary.is_oversubscribed()] or own)]


QUANTITIES = (
    Quantity("", "Throughput", "transactions/s", {"": _throughput}),
    Quantity("share", "Throughput as a share of floor", "share of floor", {"": _share_of_floor}, _others_than_floor,
             reference=1),
    Quantity("persistence", "Flushes and fences, with one thread", "a transaction",
             {"flushes": _per_transaction("flushes"), "fences": _per_transaction("fences")}, _flushes,
             is_logarithmic=True),
    Quantity("latency", "Latency, with as many threads as have a core each", "microseconds",
             {"p50": _value("latency_p50_us"), "p99": _value("latency_p99_us"), "p99.9": _value("latency_p999_us")},
             is_logarithmic=True, threads=max),
    Quantity("aborts", "Attempts that ended in a conflict", "% of attempts", {"": _aborts_in_a_hundred}, _aborts),
)
# Drawn of the campaigns that ask for them.
FURTHER = (
    Quantity("flushes", "Flushes", "cache lines a transaction", {"": _per_transaction("flushes")}, _flushes),
    Quantity("memory", "Volatile memory at the end", "MiB", {"": _mebibytes("volatile_bytes")}),
    Quantity("storage", "Space that the file system has given", "MiB", {"": _mebibytes("stored_bytes")}, _keeps_files),
)
