"""How figures look: the same in all of them, told apart with any colour vision and in black and white.

An algorithm has a colour and a marker, a mode a line, a filling of the marker and a hatching: a library has both.
Yardsticks are grey. Text is of the size that it has on an A4 page.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # files only: no display is needed

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from library_table import YARDSTICKS, colours_and_markers, split
from results import Range

plt.rcParams.update({
    "font.size": 8, "axes.titlesize": 8, "axes.labelsize": 7, "xtick.labelsize": 7, "ytick.labelsize": 7,
    "legend.fontsize": 8, "axes.linewidth": 0.6, "xtick.major.width": 0.6, "ytick.major.width": 0.6,
    "xtick.major.size": 2.5, "ytick.major.size": 2.5, "hatch.linewidth": 0.4, "axes.axisbelow": True,
    "axes.titlepad": 3, "pdf.fonttype": 42, "svg.fonttype": "none",
})
PAGE = (7.2, 10.6)  # inches of an A4 page between its margins
BLACK = "#000000"
BACKGROUND = "#ececec"  # of what has more threads than the machine has cores


@dataclass(frozen=True)
class Look:
    colour: str
    marker: str
    line: Any  # as matplotlib has it: a word, or lengths of dashes and gaps
    filling: str  # which part of the marker is not white
    hatch: str

    def of_markers(self, size: float) -> dict[str, Any]:
        return {
            "color": self.colour, "marker": self.marker, "markersize": size, "markeredgewidth": 0.8,
            "fillstyle": "full" if self.filling == "none" else self.filling, "markerfacecoloralt": "white",
            "markerfacecolor": "white" if self.filling == "none" else self.colour,
        }

    def of_bars(self) -> dict[str, Any]:
        edge = "white" if self.colour == BLACK else "black"  # hatchings have the colour of edges
        return {"facecolor": self.colour, "hatch": self.hatch, "edgecolor": edge, "linewidth": 0.5}


# Okabe and Ito's colours; but their yellow is too light for lines on white paper, and darker it is their orange to many
# eyes, so a violet takes its place. `lock` is in no mode that `lock_eager` is in. (algorithms/libraries.json)
ALGORITHMS = {name: look for name, look in colours_and_markers().items() if name not in YARDSTICKS}
# What is volatile is hollow, what has one fence a transaction solid.
MODES = {
    "stm": ((0, (1, 1.5)), "none", "////////"),
    "naive": ((0, (4, 1.5, 1, 1.5)), "top", "----"),
    "gp": ((0, (4, 2.5)), "left", "\\\\\\\\"),
    "ip": ((0, (8, 1.5)), "right", "||||"),
    "gpw": ((0, (6, 1.5, 1, 1.5, 1, 1.5)), "bottom", "xxxx"),
    "fast": ("-", "full", ""),
    "twin": ("-", "full", "oo"),
    "helped": ("-", "full", ".."),
    "timed": ((0, (4, 2.5)), "left", "**"),
    "ptm": ((0, (1, 1)), "right", "OO"),
    "puc": ((0, (5, 1, 1, 1)), "bottom", "**.."),
}
YARDSTICKS_AND_PEERS = {
    "seq": Look(*colours_and_markers()["seq"], (0, (1, 1)), "full", "////"),
    "floor": Look(*colours_and_markers()["floor"], "-", "full", ""),
    "pmemobj": Look("#882255", "<", "-", "full", ""),
    "pmemobj_fine": Look("#117733", "3", (0, (6, 2)), "full", ""),
    "mutex": Look("#999933", ">", (0, (1, 1.5)), "none", "////"),
    "libitm": Look("#332288", "h", (0, (1, 1.5)), "none", "////"),
    "rocksdb": Look("#44aa99", "H", "-", "full", ""),
    "leveldb": Look("#aa4499", "8", "-", "full", ""),
    "perdure_leveldb": Look("#d55e00", "D", "-", "full", ""),
    "rocksdb_tuned": Look("#44aa99", "H", "--", "none", "////"),
    "lmdb": Look("#666633", "p", "-", "full", ""),
    "sqlite": Look("#cc6677", "1", "-", "full", ""),
    "floor_disk": Look("#666666", "X", ":", "full", ""),
    "memcached": Look("#999999", "d", (0, (1, 1.5)), "none", "////"),
}
UNKNOWN = ("#555555", "$?$")  # tests refuse a library of the build's table that has no look of its own


def look_of(name: str) -> Look:
    """Of a library, a peer, or an algorithm in whichever mode."""
    if name in YARDSTICKS_AND_PEERS:
        return YARDSTICKS_AND_PEERS[name]
    algorithm, mode = split(name)
    return Look(*ALGORITHMS.get(algorithm, UNKNOWN), *MODES[mode or "fast"])


def _errors(ranges: Sequence[Range]) -> list[list[float]]:
    return [[each.median - each.lowest for each in ranges], [each.highest - each.median for each in ranges]]


def draw_points(axes: Axes, places: Sequence[float], ranges: Sequence[Range], look: Look, line: Any) -> None:
    """Medians, with thin bars from the lowest to the highest."""
    axes.errorbar(places, [each.median for each in ranges], _errors(ranges), linestyle=line, linewidth=1,
                  elinewidth=0.5, clip_on=False, zorder=3, **look.of_markers(4 if line else 5))


def draw_bars(axes: Axes, places: Sequence[float], ranges: Sequence[Range], look: Look, width: float) -> None:
    axes.bar(places, [each.median for each in ranges], width, yerr=_errors(ranges), error_kw={"elinewidth": 0.5},
             **look.of_bars())
    # At its foot each bar has the marker, for those who see no colours.
    axes.plot(places, [0.06] * len(places), linestyle="", transform=axes.get_xaxis_transform(), zorder=3,
              **foot_marker(look))


def foot_marker(look: Look) -> dict[str, Any]:
    return {"marker": look.marker, "markersize": 3.2, "color": "white", "markeredgecolor": "black",
            "markeredgewidth": 0.5}


def handle_of(name: str, kind: str) -> tuple[Any, ...]:
    """What stands for a library in a legend.
    :param kind: `bars`, `curves`, or `dots`, which have no lines."""
    look = look_of(name)
    if kind == "bars":
        return Patch(**look.of_bars()), Line2D([], [], linestyle="", **foot_marker(look))
    return (Line2D([], [], linewidth=1, linestyle=look.line if kind == "curves" else "", **look.of_markers(4.5)),)


def amount(value: float) -> str:
    """Short: `1.2 M`."""
    for size, sign in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:g}{sign}"
    return f"{value:g}"


def scale(axes: Axes, is_logarithmic: bool) -> None:
    """From zero, if it is not logarithmic. For axes that share it, once."""
    if is_logarithmic:
        axes.set_yscale("log")
        lowest, highest = axes.get_ylim()
        axes.yaxis.set_major_locator(LogLocator(subs=(1,) if highest > 50 * lowest else (1, 2, 5)))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(0, axes.get_ylim()[1] or 1)
        axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: amount(value)))


def finish(axes: Axes) -> None:
    axes.grid(axis="y", linewidth=0.3, alpha=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def legend_columns(width: float, names: Iterable[str]) -> int:
    """How many names, of which the longest has so many letters, fit beside each other.
    :param width: of the figure, in inches."""
    return max(1, int(width / (0.45 + 0.062 * max(map(len, names)))))


def save(base: Path, figure: plt.Figure, mark: str = "") -> None:
    """As PNG for the screen, as PDF for print, and as SVG for the page of all results."""
    for form in (".png", ".pdf"):
        figure.savefig(base.with_name(base.name + form), dpi=200)
    base.with_name(base.name + ".svg").write_text(svg_of(figure, base.name, mark))


def svg_of(figure: plt.Figure, name: str, mark: str = "") -> str:
    """An element for a page of HTML; the figure is closed.
    :param name: what no other figure on that page has, so that their definitions do not meet.
    :param mark: is in the text.
    """
    file = io.StringIO()
    with plt.rc_context({"svg.hashsalt": name}):
        figure.savefig(file, format="svg", metadata={"Date": None, "Title": mark})
    plt.close(figure)
    return file.getvalue()[file.getvalue().index("<svg"):]
