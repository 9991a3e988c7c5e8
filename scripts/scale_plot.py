"""Plots `./run.sh scale` and its like: simulated curves are dashed, with hollow markers; what was measured is a solid
marker."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

import figure_style
from library_table import MODES, algorithms, split
from results import Range
from scale_panels import THREADS, Suite
from scale_results import Measured, Simulated

# A column a mode, as in the figures of what is measured: so a curve's dashes can say that it is simulated.
HEADINGS = {"stm": "stm (Figure 2)", "naive": "naive (Figure 2)", "gp": "gp (Figure 3)", "ip": "ip (Figure 3)"}
WIDTH, ROW, HEAD, FOOT = 10.6, 1.75, 0.9, 0.3  # inches
COLUMNS = 3  # where a diagram has all libraries
Row = TypeVar("Row", Measured, Simulated)
NOTE = ("Transactions over threads. {}, hollow: SIMULATED, one core a thread (benchmarks/scale). Solid: measured "
        "here, median and range of the trials.")


def _draw(axes: Axes, simulated: list[Simulated], measured: list[Measured], libraries: list[str],
          dashed: bool) -> None:
    for library in libraries:
        look = figure_style.look_of(library)
        own = [row for row in simulated if row.library == library]
        axes.plot([row.threads for row in own], [row.throughput for row in own], linewidth=0.9,
                  linestyle="--" if dashed else look.line, **replace(look, filling="none").of_markers(3))
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


def _legend(figure: plt.Figure, shown: list[str], dashed: bool) -> None:
    names = [*shown, *(["simulated"] if dashed else []), "measured"]
    handles = [figure_style.handle_of(name, "dots" if dashed else "curves") for name in shown]
    if dashed:
        handles.append((Line2D([], [], color="black", linestyle="--", linewidth=0.9, marker="o", markersize=3,
                               markerfacecolor="white"),))
    handles.append((Line2D([], [], color="black", linestyle="", marker="o", markersize=4),))
    figure.legend(handles, names, loc="upper center", frameon=False, columnspacing=1, handlelength=3,
                  ncol=figure_style.legend_columns(WIDTH, names))


def _of_panel(rows: list[Row], panel: str) -> list[Row]:
    return [row for row in rows if row.panel == panel]


def _draw_modes(suite: Suite, measured: list[Measured], simulated: list[Simulated]) -> plt.Figure:
    """A row for each panel, and a column for each mode."""
    panels = [panel for panel in suite.panels if _of_panel(simulated, panel.name)]
    libraries = list(dict.fromkeys(row.library for row in simulated))
    modes = [mode for mode in MODES if any(split(library)[1] == mode for library in libraries)]
    height = HEAD + ROW * len(panels) + FOOT
    figure, grid = plt.subplots(len(panels), len(modes), figsize=(WIDTH, height), sharey="row", squeeze=False)
    for panel, row in zip(panels, grid):
        for axes, mode in zip(row, modes):
            _draw(axes, _of_panel(simulated, panel.name), _of_panel(measured, panel.name),
                  [library for library in libraries if split(library)[1] == mode], dashed=True)
        figure_style.scale(row[0], is_logarithmic=False)
        row[0].set_ylabel("transactions/s")
        row[0].set_title(panel.title, loc="left")
    for axes, mode in zip(grid[0], modes):
        axes.annotate(HEADINGS.get(mode, mode), (0.5, 1), xytext=(0, 18), xycoords="axes fraction", ha="center",
                      textcoords="offset points", weight="bold")
    found = {split(library)[0] for library in libraries}
    _legend(figure, [name for name in ("lock", *algorithms()) if name in found], dashed=True)
    return figure


def _draw_together(suite: Suite, measured: list[Measured], simulated: list[Simulated]) -> plt.Figure:
    """A diagram for each panel: what was measured has no lines, so these can tell the libraries apart."""
    panels = [panel for panel in suite.panels if _of_panel(simulated, panel.name)]
    libraries = list(dict.fromkeys(row.library for row in simulated))
    rows = -(-len(panels) // COLUMNS)
    figure, grid = plt.subplots(rows, COLUMNS, figsize=(WIDTH, HEAD + ROW * rows + FOOT), squeeze=False)
    for axes in grid.flat[len(panels):]:
        axes.set_visible(False)
    for panel, axes in zip(panels, grid.flat):
        _draw(axes, _of_panel(simulated, panel.name), _of_panel(measured, panel.name), libraries, dashed=False)
        figure_style.scale(axes, is_logarithmic=False)
        axes.set_title(panel.title, loc="left")
    for row in grid:
        row[0].set_ylabel("transactions/s")
    _legend(figure, libraries, dashed=False)
    return figure


def draw(suite: Suite, measured: list[Measured], simulated: list[Simulated]) -> plt.Figure:
    together = not suite.has_column_for_each_mode
    figure = (_draw_together if together else _draw_modes)(suite, measured, simulated)
    height = figure.get_size_inches()[1]
    note = NOTE.format("Lines" if together else "Dashed")
    figure.text(0.5, 0.05 / height, note, ha="center", fontsize=6.5, color="#444444")
    figure.subplots_adjust(0.055, (FOOT + 0.15) / height, 0.995, 1 - HEAD / height, wspace=0.16 if together else 0.06,
                           hspace=0.4)
    return figure


def save(base: Path, suite: Suite, measured: list[Measured], simulated: list[Simulated]) -> None:
    figure_style.save(base, draw(suite, measured, simulated))
