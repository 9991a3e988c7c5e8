"""The programs that scripts/atc20.py runs, and what is told of them: a table, and a figure with the paper's axes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan, nan
from statistics import median

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, NullLocator

import figure_style
from results import Range

PEER = "pmemobj"


@dataclass(frozen=True)
class Program:
    """One figure of the paper: what is run, over sizes."""

    name: str
    figure: int
    title: str
    benchmark: str
    sizes: tuple[int, ...]
    brief_sizes: tuple[int, ...]  # with --brief
    axis: str
    words: Callable[[int], list[str]]
    is_linear: bool = False

    def sizes_for(self, brief: bool) -> tuple[int, ...]:
        return self.brief_sizes if brief else self.sizes


@dataclass(frozen=True)
class Outcome:
    program: str
    library: str
    size: int
    trial: int
    seconds: float  # not a number where it failed
    failure: str


def _one_transaction(option: str) -> Callable[[int], list[str]]:
    return lambda size: ["--transactions", "1", option, str(size)]


PROGRAMS = (
    Program("binary trees", 5, "Binary trees", "allocation", (10, 12, 14, 16, 18), (8, 10, 12), "depth of the largest",
            _one_transaction("--depth"), is_linear=True),
    Program("fannkuch", 6, "Fannkuch, one transaction", "fannkuch", (8, 9, 10, 11), (7, 8, 9), "elements permuted",
            _one_transaction("--elements"), is_linear=True),
    Program("swaps", 7, "Swaps, one transaction", "sps", (1_000, 10_000, 100_000, 1_000_000, 10_000_000),
            (1_000, 10_000, 100_000), "integers, and swaps of them", _one_transaction("--integers")),
    Program("n-body", 8, "N-body, a transaction a step", "nbody", (1_000, 10_000, 100_000, 1_000_000, 10_000_000),
            (1_000, 10_000, 100_000), "steps", lambda size: ["--transactions", str(size)]),
)
HEAP = Program("full heap", 10, "Restart of a full heap", "restart", (64, 256, 1024, 4096), (64, 256), "MiB",
               lambda size: ["--fill", str(size)])


def _seconds_of(measured: list[Outcome], program: Program, size: int, library: str) -> list[float]:
    """Of the trials that ended."""
    return [each.seconds for each in measured
            if (each.program, each.size, each.library) == (program.name, size, library) and not isnan(each.seconds)]


def _sizes_of(measured: list[Outcome], program: Program) -> list[int]:
    return sorted({each.size for each in measured if each.program == program.name})


def _libraries_of(measured: list[Outcome], program: Program) -> list[str]:
    return list(dict.fromkeys(each.library for each in measured if each.program == program.name))


def _ratios(measured: list[Outcome], program: Program, size: int, library: str) -> list[float]:
    """Of the time of libpmemobj to the library's, trial by trial."""
    seconds = {(each.library, each.trial): each.seconds for each in measured
               if (each.program, each.size) == (program.name, size) and not isnan(each.seconds)}
    trials = (trial for name, trial in seconds if name == library and (PEER, trial) in seconds)
    return [seconds[PEER, trial] / seconds[library, trial] for trial in trials]


def _row(measured: list[Outcome], program: Program, size: int, library: str) -> str:
    seconds = _seconds_of(measured, program, size, library)
    ratios = _ratios(measured, program, size, library)
    time = f"{median(seconds):.4g} ({min(seconds):.4g}-{max(seconds):.4g})" if seconds else "-"
    return (f"{program.name:<14}{size:>11,}  {library:<16}{time:>30}"
            f"{f'{median(ratios):.2f}' if ratios else '-':>22}")


@dataclass(frozen=True)
class Row:
    """A line of the CSV."""

    program: str
    library: str
    size: int
    trial: int
    seconds: float
    times: float  # as fast as libpmemobj in the same trial; not a number where one of them failed
    failure: str


def rows_of(measured: list[Outcome]) -> list[Row]:
    peer = {(each.program, each.size, each.trial): each.seconds for each in measured if each.library == PEER}
    return [Row(each.program, each.library, each.size, each.trial, each.seconds,
                peer.get((each.program, each.size, each.trial), nan) / each.seconds, each.failure) for each in measured]


def table(measured: list[Outcome]) -> str:
    lines = [f"{'':<14}{'size':>11}  {'library':<16}{'seconds':>30}{'times as fast as ' + PEER:>22}"]
    for program in (*PROGRAMS, HEAP):
        lines += [_row(measured, program, size, library) for size in _sizes_of(measured, program)
                  for library in _libraries_of(measured, program)]
    failures = dict.fromkeys(f"{each.program} {each.size:,} {each.library}: {each.failure}"
                             for each in measured if each.failure)
    return "\n".join([*lines, "", "Medians (smallest-largest).", *(f"Failed: {failure}" for failure in failures), ""])


def draw(measured: list[Outcome]) -> plt.Figure:
    """An axis for each figure of the paper."""
    programs = [program for program in (*PROGRAMS, HEAP) if _sizes_of(measured, program)]
    figure, grid = plt.subplots(2, 3, figsize=(figure_style.PAGE[0], 5.2), squeeze=False)
    for place, axes in enumerate(grid.flat):
        if place < len(programs):
            _draw_program(axes, measured, programs[place])
        else:
            axes.set_axis_off()
    libraries = list(dict.fromkeys(each.library for each in measured))
    figure.legend([figure_style.handle_of(library, "curves") for library in libraries], libraries, frameon=False,
                  loc="upper center", ncol=figure_style.legend_columns(figure_style.PAGE[0], libraries), handlelength=3)
    figure.tight_layout(rect=(0, 0, 1, 0.94))
    return figure


def _draw_program(axes: plt.Axes, measured: list[Outcome], program: Program) -> None:
    sizes = _sizes_of(measured, program)
    for library in _libraries_of(measured, program):
        found = [(size, Range.of(seconds)) for size in sizes
                 if (seconds := _seconds_of(measured, program, size, library))]
        look = figure_style.look_of(library)
        figure_style.draw_points(axes, [size for size, _ in found], [each for _, each in found], look, look.line)
    axes.set_xscale("linear" if program.is_linear else "log")
    axes.set_xticks(sizes)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda size, _: figure_style.amount(size)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(program.axis)
    axes.set_ylabel("seconds")
    axes.set_title(f"{program.title} (Figure {program.figure})", loc="left")
    figure_style.scale(axes, is_logarithmic=True)
    figure_style.finish(axes)
