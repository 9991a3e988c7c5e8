"""What a reader of the page of results sees first: the default library beside what a user would pick, as one chart."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import geometric_mean
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Patch

import figure_style as style
from library_table import DEFAULT
from panels import title_of
from results import Points

WIDTH, ROW, HEAD, FOOT = 7.6, 0.36, 0.5, 0.25  # inches
LEFT, RIGHT, GAP = 2.3, 0.1, 0.3
LETTERS = 34  # of a workload's name, in a line
MOST_SERIES = 3  # numbers of threads that are told apart by how light they are


@dataclass(frozen=True)
class Comparison:
    """The default library's throughput as a multiple of another one's, by panel and threads."""

    other: str
    title: str
    ratios: dict[tuple[str, int], float]

    def mean(self) -> float:
        return geometric_mean(self.ratios.values())


@dataclass(frozen=True)
class Summary:
    comparisons: list[Comparison]

    @property
    def panels(self) -> list[str]:
        return list(dict.fromkeys(panel for each in self.comparisons for panel, _ in each.ratios))

    @property
    def threads(self) -> list[int]:
        return sorted({threads for each in self.comparisons for _, threads in each.ratios})[:MOST_SERIES]

    def sentence(self) -> str:
        told = " and ".join(f"{each.mean():.2f} {each.title}" for each in self.comparisons)
        workloads = f"geometric means over {len(self.panels)} workloads" if len(self.panels) > 1 else "one workload"
        return f"{DEFAULT}, the library that users get, makes {told} ({workloads})."

    def figure(self) -> plt.Figure:
        height = HEAD + ROW * len(self.panels) + FOOT
        figure = plt.figure(figsize=(WIDTH, height))
        width = (WIDTH - LEFT - RIGHT - GAP * (len(self.comparisons) - 1)) / len(self.comparisons)
        for number, comparison in enumerate(self.comparisons):
            axes = figure.add_axes(((LEFT + number * (width + GAP)) / WIDTH, FOOT / height, width / WIDTH,
                                    ROW * len(self.panels) / height))
            _draw(axes, comparison, self.panels, self.threads)
            axes.tick_params(labelleft=number == 0)
        names = [f"{threads} thread{'s' if threads > 1 else ''}" for threads in self.threads]
        handles = [Patch(**_bar(number)) for number in range(len(names))]
        figure.legend(handles, names, loc="upper left", ncol=len(names), frameon=False)
        return figure


def _bar(number: int) -> dict[str, Any]:
    """The more threads, the lighter."""
    return {**style.look_of(DEFAULT).of_bars(), "alpha": 1 - number / MOST_SERIES}


def _draw(axes: Axes, comparison: Comparison, panels: Sequence[str], threads: Sequence[int]) -> None:
    thickness = 0.8 / len(threads)
    highest = max(1.0, *comparison.ratios.values())
    for number, count in enumerate(threads):
        for row, panel in enumerate(panels):
            if value := comparison.ratios.get((panel, count)):
                place = row + (number - (len(threads) - 1) / 2) * thickness
                axes.barh(place, value, thickness * 0.95, **_bar(number))
                axes.annotate(f"{value:.2f}", (value, place), xytext=(3, 0), textcoords="offset points", va="center",
                              fontsize=6.5)
    axes.axvline(1, color=style.BLACK, linewidth=0.8)
    axes.set_yticks(range(len(panels)), [_name(panel) for panel in panels])
    axes.set_ylim(len(panels) - 0.5, -0.5)
    axes.set_xlim(0, 1.15 * highest)
    axes.set_title(comparison.title, loc="left", weight="bold")
    style.finish(axes)


def _name(panel: str) -> str:
    """Its title without its letter and what stands in brackets at the end."""
    title = title_of(panel)
    if title.startswith("("):
        title = title.split(") ", 1)[1]
    return "\n".join(textwrap.wrap(title.split(" (")[0], LETTERS))


def _ratios(points: Points, other: str) -> dict[tuple[str, int], float]:
    found = {}
    for (panel, threads, library), summary in points.items():
        base = points.get((panel, threads, other))
        if library == DEFAULT and base and not summary.is_oversubscribed():
            ratio = summary.ratio_to(base, "throughput")
            if isfinite(ratio) and ratio > 0:
                found[panel, threads] = ratio
    return found


def summary_of(points: Points) -> Summary | None:
    """Of a campaign that has the default library beside one of these."""
    titles = (("floor", "of the rate of floor"), ("pmemobj", "times the rate of libpmemobj"))
    comparisons = [Comparison(other, title, ratios) for other, title in titles if (ratios := _ratios(points, other))]
    return Summary(comparisons) if comparisons else None
