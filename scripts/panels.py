"""What is measured: a table of panels.

A panel is one graph: a benchmark with a preset, on some libraries and numbers of threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

# In the order of tables and legends: yardsticks first, then volatile, then durable libraries.
QUICK_LIBRARIES = (
    "seq",
    "floor",
    "lock_stm",
    "orec_lazy_stm",
    "orec_lazy_naive",
    "orec_lazy_gp",
    "orec_lazy_ip",
)
SINGLE_THREADED = {"seq"}  # does not synchronise


@dataclass(frozen=True)
class Point:
    """One bar or one dot: everything about a run but the trial."""

    panel: str
    benchmark: str
    preset: str
    library: str
    threads: int
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.panel:<14} {self.library:<16} {self.threads} thread{'s' if self.threads > 1 else ' '}"


@dataclass(frozen=True)
class Panel:
    name: str  # unique; a column of the results
    title: str
    benchmark: str  # the program is <benchmark>_<library>
    preset: str
    libraries: tuple[str, ...]
    threads: tuple[int, ...]
    arguments: tuple[str, ...] = ()

    def points(self) -> Iterator[Point]:
        """Libraries in the inner loop: what is compared runs close together in time."""
        for threads in self.threads:
            for library in self.libraries:
                if threads == 1 or library not in SINGLE_THREADED:
                    yield Point(self.name, self.benchmark, self.preset, library, threads, self.arguments)


@dataclass(frozen=True)
class Campaign:
    description: str
    result: str  # results/<result>.csv, .txt, .png, .pdf
    panels: tuple[Panel, ...]
    trials: int
    seconds: float
    warmup: float


def _tpcc(preset: str, title: str) -> Panel:
    return Panel(f"tpcc-{preset}", title, "tpcc", preset, QUICK_LIBRARIES, (1, 2))


CAMPAIGNS = {
    "quick": Campaign(
        description="TPC-C New Order on every library at 1 and 2 threads; a few minutes",
        result="tpcc",
        panels=(
            _tpcc("pact19", "TPC-C New Order, PACT'19 preset (1 warehouse, 2–4 lines)"),
            _tpcc("standard", "TPC-C New Order, standard preset (1 warehouse per thread, 5–15 lines)"),
        ),
        trials=5,
        seconds=0.5,
        warmup=0.2,
    ),
}
