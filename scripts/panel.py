"""What a panel is: one graph, of a benchmark with a preset, for some numbers of threads. A campaign measures panels on
libraries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from contenders import (
    FINE_GRAINED,
    FINE_GRAINED_BENCHMARKS,
    SERVERS,
    STORE_BENCHMARKS,
    STORE_FRONT_BENCHMARK,
    STORE_FRONTS,
    STORES,
)
from library_table import SINGLE_THREADED


@dataclass(frozen=True)
class Point:
    """One bar or one dot: everything about a run but the trial."""

    panel: str
    benchmark: str
    preset: str
    library: str
    threads: int
    arguments: tuple[str, ...]

    def program(self) -> str:
        return f"{self.benchmark}_{self.library}"

    def is_filling(self) -> bool:
        """A run that ends after so many transactions, however long they take."""
        return "--transactions" in self.arguments

    def __str__(self) -> str:
        return f"{self.panel:<15} {self.library:<16} {self.threads} thread{'s' if self.threads > 1 else ' '}"


@dataclass(frozen=True)
class Panel:
    name: str  # unique; a column of the results
    title: str
    benchmark: str  # the program is <benchmark>_<library>
    preset: str
    arguments: tuple[str, ...] = ()
    letter: str = ""  # of the PACT'19 paper's Figures 2 and 3 (docs/benchmarks.md)
    threads: tuple[int, ...] = (1, 2, 4)
    trials: int = 0  # at most; 0: as many as the campaign says
    libraries: tuple[str, ...] = ()  # only these of the campaign's; empty: all

    def points(self, libraries: tuple[str, ...]) -> Iterator[Point]:
        """Libraries in the inner loop: what is compared runs close together in time."""
        for threads in self.threads:
            for library in filter(self._runs, libraries):
                if threads == 1 or library not in SINGLE_THREADED:
                    yield Point(self.name, self.benchmark, self.preset, library, threads, self.arguments)

    def _runs(self, library: str) -> bool:
        if self.libraries and library not in self.libraries:
            return False
        if self.benchmark == STORE_FRONT_BENCHMARK:
            return library in STORE_FRONTS
        if self.benchmark in SERVERS and library in SINGLE_THREADED:
            return False
        if library == FINE_GRAINED:
            return self.benchmark in FINE_GRAINED_BENCHMARKS and (self.benchmark != "sets" or "hash" in self.arguments)
        return library not in STORES or self.benchmark in STORE_BENCHMARKS


@dataclass(frozen=True)
class Campaign:
    description: str
    result: str  # results/<result>.csv, .txt, .png, .pdf
    panels: tuple[Panel, ...]
    libraries: tuple[str, ...]
    trials: int
    seconds: float
    warmup: float
    further: tuple[str, ...] = ()  # quantities (quantities.py) that are drawn of it besides those of every campaign


def on_disk(panel: Panel, threads: tuple[int, ...]) -> Panel:
    """With pools where the campaign runs, which is a disk."""
    return replace(panel, name=f"{panel.name}-on-disk", title=f"{panel.title}, on a disk",
                   arguments=(*panel.arguments, "--directory", "."), letter="", threads=threads)
