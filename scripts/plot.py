"""Draws a campaign: `plot.py results/quick.csv` writes results/quick.png, .pdf and .svg, and a figure for each further
quantity (scripts/quantities.py) that the campaign has, as results/quick-latency.png and so on."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from math import log2
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.backends.backend_pdf import PdfPages

import figure_style as style
from library_table import MODES, algorithms, split
from panels import CAMPAIGNS, title_of
from quantities import FURTHER, QUANTITIES, Group, Quantity, Series
from results import Points, Row, read, summarise

# More libraries than this are told apart only if each mode has axes of its own: eight algorithms cross in them, and
# colour and marker alone say which. Beside each other and of one scale, they still compare the modes; yardsticks and
# peers are in each.
MOST_IN_ONE = 10
HEADINGS = {"stm": "stm (volatile)", "naive": "naive", "gp": "gp (general model)", "ip": "ip (ideal model)"}
AXES_IN_A_ROW = 4
LEFT, RIGHT, GAP, BELOW = 0.52, 0.08, 0.1, 0.2  # inches around the axes of a panel
LABEL, TITLE = 0.38, 0.48  # inches from the axes to what is written at their left
LETTER, LINE = 0.058, 0.14  # inches, of a title
HIGHEST_ROW, LOWEST_ROW, WIDEST_PANEL = 2.1, 1.2, 5.2
FOOT = 0.3


@dataclass(frozen=True)
class Drawing:
    """A quantity of a campaign."""

    quantity: Quantity
    points: Points
    series: dict[str, Series]  # by panel

    @staticmethod
    def of(quantity: Quantity, points: Points) -> Drawing:
        panels = dict.fromkeys(key[0] for key in points)
        series = {panel: quantity.series(points, panel) for panel in panels}
        return Drawing(quantity, points, {panel: found for panel, found in series.items() if found})

    def libraries(self) -> list[str]:
        found = {library for series in self.series.values() for library in series}
        return [library for library in dict.fromkeys(key[2] for key in self.points) if library in found]

    def facets(self) -> list[tuple[str, list[str]]]:
        """Which libraries are in which axes of a panel, with a heading."""
        libraries = self.libraries()
        modes = [mode for mode in MODES if any(split(library)[1] == mode for library in libraries)]
        if len(libraries) <= MOST_IN_ONE or len(modes) < 2:
            return [("", libraries)]
        return [(HEADINGS.get(mode, mode), [each for each in libraries if split(each)[1] in (mode, "")])
                for mode in modes]

    def kind(self) -> str:
        """One for all panels, so that they have one legend."""
        if self.quantity.is_over_threads and max(len(self.groups(panel)) for panel in self.series) >= 3:
            return "curves"
        return "dots" if self.quantity.is_logarithmic else "bars"

    def groups(self, panel: str) -> list[Group]:
        found = dict.fromkeys(group for ranges in self.series[panel].values() for group in ranges)
        return sorted(found) if self.quantity.is_over_threads else list(found)

    def oversubscribed(self, panel: str) -> set[Group]:
        return {threads for (where, threads, _), summary in self.points.items()
                if self.quantity.is_over_threads and where == panel and summary.is_oversubscribed()}

    def names(self) -> list[str]:
        """What the legend has: libraries; or algorithms, where headings say the mode."""
        if len(self.facets()) == 1:
            return self.libraries()
        found = dict.fromkeys(split(library)[0] for library in self.libraries())
        order = algorithms()
        return sorted(found, key=lambda name: order.index(name) if name in order else -1)


def draw_panel(axes: Axes, drawing: Drawing, panel: str, libraries: list[str]) -> None:
    groups, series = drawing.groups(panel), drawing.series[panel]
    present = [library for library in libraries if library in series]
    is_curve = drawing.kind() == "curves" and len(groups) > 1
    places = [log2(group) if is_curve else float(place) for place, group in enumerate(groups)]
    width = 0.84 / max(1, len(present))
    for slot, library in enumerate(present):
        # Curves share their places; bars and dots stand beside each other.
        shift = 0.0 if is_curve else (slot - (len(present) - 1) / 2) * width
        own = [(place + shift, series[library][group]) for place, group in zip(places, groups)
               if group in series[library]]
        look = style.look_of(library)
        if drawing.kind() == "bars":
            style.draw_bars(axes, *zip(*own), look, width * 0.94)
        else:
            style.draw_points(axes, *zip(*own), look, look.line if is_curve else "")
    room = 0.25 * (places[-1] - places[0]) / (len(places) - 1) if is_curve else 0.5
    shade(axes, places, [group in drawing.oversubscribed(panel) for group in groups], room)
    if drawing.quantity.reference is not None:
        axes.axhline(drawing.quantity.reference, color=style.look_of("floor").colour, linewidth=0.8, zorder=1)
    name_groups(axes, drawing.quantity, places, groups)
    style.finish(axes)


def shade(axes: Axes, places: list[float], oversubscribed: list[bool], room: float) -> None:
    """What has more threads than cores.
    :param room: before the first place and behind the last."""
    between = ((left + right) / 2 for left, right in zip(places, places[1:]))
    edges = [places[0] - room, *between, places[-1] + room]
    for left, right, is_oversubscribed in zip(edges, edges[1:], oversubscribed):
        if is_oversubscribed:
            axes.axvspan(left, right, color=style.BACKGROUND, linewidth=0, zorder=0)
    axes.set_xlim(edges[0], edges[-1])


def name_groups(axes: Axes, quantity: Quantity, places: list[float], groups: list[Group]) -> None:
    names = [str(group) for group in groups]
    if quantity.is_over_threads:
        names[0] += " thread" if groups[0] == 1 else " threads"
    axes.set_xticks(places, names)


@dataclass(frozen=True)
class Layout:
    """In inches: panels in rows, each with its axes beside each other."""

    facets: int
    in_a_row: int
    rows: int
    lines: int  # of the titles
    width: float  # of the figure
    row: float  # the height of one
    head: float  # with the legend

    @property
    def height(self) -> float:
        return self.head + self.rows * self.row + FOOT

    @property
    def above(self) -> float:
        """Over the axes, for the title."""
        return self.lines * LINE + 0.06

    def axes_of(self, figure: plt.Figure, number: int) -> list[Axes]:
        panel = self.width / self.in_a_row
        left = number % self.in_a_row * panel + LEFT
        bottom = self.height - self.head - (number // self.in_a_row + 1) * self.row + BELOW
        width = (panel - LEFT - RIGHT - (self.facets - 1) * GAP) / self.facets
        height = self.row - self.above - BELOW
        made: list[Axes] = []
        for facet in range(self.facets):
            place = ((left + facet * (width + GAP)) / self.width, bottom / self.height, width / self.width,
                     height / self.height)
            made.append(figure.add_axes(place, sharey=made[0] if made else None))
        return made


def layout_of(drawing: Drawing, panels: int) -> Layout:
    """On a page that stands, or lies if a panel needs more axes in a row than that has room for."""
    facets = len(drawing.facets())
    lines = 2 if facets < 3 else 1
    page_width, page_height = style.PAGE if facets <= AXES_IN_A_ROW else style.PAGE[::-1]
    in_a_row = min(panels, 3 if facets == 1 else max(1, AXES_IN_A_ROW // facets))
    width = min(page_width, WIDEST_PANEL * in_a_row * min(2, facets))
    rows = -(-panels // in_a_row)
    columns = style.legend_columns(width, drawing.names())
    head = 0.1 + 0.17 * -(-len(drawing.names()) // columns) + (0.15 if facets > 1 else 0)
    row = min(HIGHEST_ROW, max(LOWEST_ROW, (page_height - head - FOOT) / rows))
    return Layout(facets, in_a_row, rows, lines, width, row, head)


def draw(drawing: Drawing, panels: list[str]) -> plt.Figure:
    layout = layout_of(drawing, len(panels))
    figure = plt.figure(figsize=(layout.width, layout.height))
    for number, panel in enumerate(panels):
        axes_of_panel = layout.axes_of(figure, number)
        for axes, (heading, libraries) in zip(axes_of_panel, drawing.facets()):
            draw_panel(axes, drawing, panel, libraries)
            if number < layout.in_a_row and heading:
                axes.annotate(heading, (0.5, 1), xytext=(0, 72 * layout.above), xycoords="axes fraction", ha="center",
                              textcoords="offset points", weight="bold")
            axes.tick_params(labelleft=axes is axes_of_panel[0])
        style.scale(axes_of_panel[0], drawing.quantity.is_logarithmic)
        label(axes_of_panel[0], layout, drawing.quantity.axis, title_of(panel))
    kind = "dots" if drawing.kind() == "curves" and layout.facets > 1 else drawing.kind()
    figure.legend([style.handle_of(name, kind) for name in drawing.names()], drawing.names(), loc="upper center",
                  ncol=style.legend_columns(layout.width, drawing.names()), frameon=False, borderaxespad=0.3,
                  columnspacing=1, handlelength=3 if kind == "curves" else 1.5, labelspacing=0.3)
    note = "\n".join(textwrap.wrap(footnote(drawing, panels), int(layout.width * 20)))
    figure.text(0.5, 0.03 / layout.height, note, ha="center", va="bottom", fontsize=6.5, color="#444444")
    return figure


def label(axes: Axes, layout: Layout, axis: str, title: str) -> None:
    """At places that do not depend on the numbers at the axis, so that what is above each other is in line."""
    width = axes.get_position().width * layout.width
    axes.set_ylabel(axis)
    axes.yaxis.set_label_coords(-LABEL / width, 0.5)
    letters = int((layout.width / layout.in_a_row - LEFT + TITLE) / LETTER)
    axes.set_title("\n".join(textwrap.wrap(title, letters)), loc="left", x=-TITLE / width)


def footnote(drawing: Drawing, panels: list[str]) -> str:
    rows: list[Row] = [row for key, summary in drawing.points.items() if key[0] in panels for row in summary.rows]
    media = ", ".join(dict.fromkeys(row["medium"] for row in rows if row["medium"] != "memory")) or "memory"
    trials = len({row["trial"] for row in rows})
    shown = "One trial." if trials == 1 else f"Median and range of {trials} trials."
    text = f"{drawing.quantity.title}. {rows[0]['processor']}, {rows[0]['cores']} cores; pools on {media}. {shown}"
    shaded = any(drawing.oversubscribed(panel) for panel in panels)
    return text + (" Grey ground: more threads than cores." if shaded else "")


def drawings(points: Points, result: str = "") -> Iterator[Drawing]:
    """Of the quantities that the campaign has.
    :param result: that of the campaign, whose further quantities are drawn, too."""
    wanted = {name for campaign in CAMPAIGNS.values() if campaign.result == result for name in campaign.further}
    quantities = (*QUANTITIES, *(quantity for quantity in FURTHER if quantity.name in wanted))
    return filter(lambda drawing: drawing.series, (Drawing.of(quantity, points) for quantity in quantities))


def pages(drawing: Drawing) -> Iterator[list[str]]:
    """The panels that fit on each."""
    panels = list(drawing.series)
    layout = layout_of(drawing, len(panels))
    height = (style.PAGE if layout.facets <= AXES_IN_A_ROW else style.PAGE[::-1])[1]
    on_page = layout.in_a_row * int((height - layout.head - FOOT) / LOWEST_ROW)
    yield from (panels[first:first + on_page] for first in range(0, len(panels), on_page))


def save(drawing: Drawing, base: Path) -> None:
    """A picture has all panels; what is printed, has as many on a page as it has room for."""
    style.save(base, draw(drawing, list(drawing.series)), mark_of(drawing.points))
    parts = list(pages(drawing))
    if len(parts) > 1:
        with PdfPages(base.with_name(base.name + ".pdf")) as file:
            for panels in parts:
                figure = draw(drawing, panels)
                file.savefig(figure)
                plt.close(figure)


def mark_of(points: Points) -> str:
    """Of the campaign that a figure shows."""
    rows = [row for summary in points.values() for row in summary.rows]
    return f"{rows[0]['campaign']}, {len(rows)} runs"


def base_of(csv: Path, quantity: Quantity) -> Path:
    return csv.with_name("-".join(filter(None, (csv.stem, quantity.name))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("csv", type=Path)
    parser.add_argument("--campaign", default="", help="start time of the campaign (default: the file's last)")
    arguments = parser.parse_args()
    rows = read(arguments.csv, arguments.campaign)
    if not rows:
        raise SystemExit(f"{arguments.csv}: holds no run of campaign '{arguments.campaign}'")
    for drawing in drawings(summarise(rows), arguments.csv.stem):
        save(drawing, base_of(arguments.csv, drawing.quantity))


if __name__ == "__main__":
    main()
