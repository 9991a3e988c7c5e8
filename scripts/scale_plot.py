"""Plots `./run.sh scale`: simulated curves are dashed, with hollow markers; what was measured is a solid marker."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

import figure_style
from library_table import MODES, algorithms, split
from results import Range
from scale_panels import PANELS, THREADS
from scale_results import Measured, Simulated

# A column a mode, as in the figures of what is measured: so a curve's dashes can say that it is simulated.
HEADINGS = {"stm": "stm (Figure 2)", "naive": "naive (Figure 2)", "gp": "gp (Figure 3)", "ip": "ip (Figure 3)"}
WIDTH, ROW, HEAD, FOOT = 10.6, 1.75, 0.9, 0.3  # inches
NOTE = ("Transactions over threads. Dashed, hollow: SIMULATED, one core a thread (benchmarks/scale). Solid: measured "
        "here, median and range of the trials.")


def _draw(axes: Axes, simulated: list[Simulated], measured: list[Measured], mode: str) -> None:
    for library in dict.fromkeys(row.library for row in simulated):
        if split(library)[1] != mode:
            continue
        look = figure_style.look_of(split(library)[0])
        own = [row for row in simulated if row.library == library]
        axes.plot([row.threads for row in own], [row.throughput for row in own], linestyle="--", linewidth=0.9,
                  **replace(look, filling="none").of_markers(3))
        rates: dict[int, list[float]] = {}
        for row in measured:
            if row.library == library:
                rates.setdefault(row.threads, []).append(row.throughput)
        figure_style.draw_points(axes, list(rates), list(map(Range.of, rates.values())), look, "")
    axes.set_xscale("log", base=2)
    axes.set_xticks(THREADS, [str(threads) if threads.bit_count() == 1 else "" for threads in THREADS])
    axes.set_xlim(THREADS[0] / 1.2, THREADS[-1] * 1.2)
    axes.minorticks_off()
    figure_style.finish(axes)


def _legend(figure: plt.Figure, simulated: list[Simulated]) -> None:
    found = {split(row.library)[0] for row in simulated}
    shown = [name for name in ("lock", *algorithms()) if name in found]
    names = [*shown, "simulated", "measured"]
    handles = [figure_style.handle_of(name, "dots") for name in shown]
    handles += [Line2D([], [], color="black", linestyle="--", linewidth=0.9, marker="o", markersize=3,
                       markerfacecolor="white"),
                Line2D([], [], color="black", linestyle="", marker="o", markersize=4)]
    figure.legend(handles, names, loc="upper center", frameon=False, columnspacing=1, handlelength=3,
                  ncol=figure_style.legend_columns(WIDTH, names))


def draw(measured: list[Measured], simulated: list[Simulated]) -> plt.Figure:
    panels = [panel for panel in PANELS if any(row.panel == panel.name for row in simulated)]
    modes = [mode for mode in MODES if any(split(row.library)[1] == mode for row in simulated)]
    height = HEAD + ROW * len(panels) + FOOT
    figure, grid = plt.subplots(len(panels), len(modes), figsize=(WIDTH, height), sharey="row", squeeze=False)
    for panel, row in zip(panels, grid):
        own = [point for point in simulated if point.panel == panel.name]
        seen = [point for point in measured if point.panel == panel.name]
        for axes, mode in zip(row, modes):
            _draw(axes, own, seen, mode)
        figure_style.scale(row[0], is_logarithmic=False)
        row[0].set_ylabel("transactions/s")
        row[0].set_title(panel.title, loc="left")
    for axes, mode in zip(grid[0], modes):
        axes.annotate(HEADINGS.get(mode, mode), (0.5, 1), xytext=(0, 18), xycoords="axes fraction", ha="center",
                      textcoords="offset points", weight="bold")
    _legend(figure, simulated)
    figure.text(0.5, 0.05 / height, NOTE, ha="center", fontsize=6.5, color="#444444")
    figure.subplots_adjust(0.055, (FOOT + 0.15) / height, 0.995, 1 - HEAD / height, wspace=0.06, hspace=0.4)
    return figure


def save(base: Path, measured: list[Measured], simulated: list[Simulated]) -> None:
    figure_style.save(base, draw(measured, simulated))
