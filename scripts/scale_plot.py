"""Plots `./run.sh scale`: simulated curves are dashed and labelled so, what was measured is a solid dot."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # files only: no display is needed

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from panels import ALGORITHMS
from scale_panels import PANELS, THREADS
from scale_results import Measured, Simulated

COLUMNS = {
    "as in Figure 2: STM and naive": ("stm", "naive"),
    "as in Figure 3: the general model": ("gp",),
    "as in Figure 3: the ideal model": ("ip",),
    "the general model, logged as the ideal one: gpw": ("gpw",),
    "one fence: fast": ("fast",),
}
COLOURS = dict(zip(ALGORITHMS, ("#e69f00", "#999999", "#d55e00", "#0072b2", "#56b4e9", "#009e73", "#cc79a7",
                                "#000000")))
WIDTHS = {"stm": 0.9}  # thin: nothing is durable


def _algorithm(library: str) -> str:
    name = library.rsplit("_", 1)[0]
    return "lock_eager" if name == "lock" else name


def _draw(axes: Axes, simulated: list[Simulated], measured: list[Measured], modes: tuple[str, ...]) -> None:
    libraries = [name for name in dict.fromkeys(row.library for row in simulated) if name.rsplit("_", 1)[1] in modes]
    for library in libraries:
        mode = library.rsplit("_", 1)[1]
        own = [row for row in simulated if row.library == library]
        colour = COLOURS[_algorithm(library)]
        axes.plot([row.threads for row in own], [row.throughput for row in own], "--", color=colour,
                  linewidth=WIDTHS.get(mode, 1.6), label=f"{library} (simulated)")
        for threads in dict.fromkeys(row.threads for row in measured if row.library == library):
            rates = [row.throughput for row in measured if (row.library, row.threads) == (library, threads)]
            axes.plot([threads], [max(rates)], "o", color=colour, markersize=3.5)
    axes.set_xscale("log", base=2)
    axes.set_xticks(THREADS, [str(threads) for threads in THREADS], fontsize=6)
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / 1e6:.1f} M" if value else "0"))
    axes.grid(axis="y", linewidth=0.4, alpha=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    if libraries:
        axes.legend(fontsize=5, frameon=False, loc="upper left")


def draw(measured: list[Measured], simulated: list[Simulated]) -> plt.Figure:
    panels = [panel for panel in PANELS if any(row.panel == panel.name for row in simulated)]
    figure, grid = plt.subplots(len(panels), len(COLUMNS), figsize=(4.2 * len(COLUMNS), 2.8 * len(panels)),
                                squeeze=False)
    for panel, row in zip(panels, grid):
        own = [point for point in simulated if point.panel == panel.name]
        seen = [point for point in measured if point.panel == panel.name]
        for axes, (title, modes) in zip(row, COLUMNS.items()):
            _draw(axes, own, seen, modes)
            axes.set_title(f"{panel.title}\n{title}", fontsize=7)
        row[0].set_ylabel("transactions a second", fontsize=7)
    figure.text(0.5, 0.004, "Dashed: SIMULATED, one core a thread (benchmarks/scale). "
                "Dots: measured here, the best trial.", ha="center", fontsize=8)
    figure.tight_layout(rect=(0, 0.012, 1, 1))
    return figure


def save(base: Path, measured: list[Measured], simulated: list[Simulated]) -> None:
    figure = draw(measured, simulated)
    for suffix in (".png", ".pdf", ".svg"):
        figure.savefig(base.with_suffix(suffix), dpi=130)
    plt.close(figure)
