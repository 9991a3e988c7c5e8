"""Plots a campaign's results: `plot.py results/quick.csv` writes results/quick.png and .pdf."""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # files only: no display is needed

import matplotlib.pyplot as plt
import pandas
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.ticker import FuncFormatter

from panels import CAMPAIGNS

# Okabe and Ito's colours, which people with any colour vision tell apart. Yardsticks are grey; durable libraries are
# solid and volatile ones hatched, so that print in black and white still shows which is which.
COLOURS = {
    "seq": "#dddddd",
    "floor": "#999999",
    "pmemobj": "#8b5a2b",
    "mutex": "#f5f5f5",
    "libitm": "#b15928",
    "rocksdb": "#b2df8a",
    "leveldb": "#6a3d9a",
    "lock_stm": "#f0e442",
    "orec_lazy_stm": "#56b4e9",
    "orec_lazy_naive": "#d55e00",
    "orec_lazy_gp": "#cc79a7",
    "orec_lazy_ip": "#009e73",
    "orec_lazy_fast": "#0072b2",
}
FURTHER_COLOURS = ("#e69f00", "#000000")
VOLATILE_HATCH = "////"
STYLE = {"font.size": 9, "axes.titlesize": 9, "hatch.linewidth": 0.5, "pdf.fonttype": 42, "figure.dpi": 100}
GROUP_WIDTH = 0.86
MOST_COLUMNS = 3  # panels side by side


def read(path: Path, campaign: str) -> pandas.DataFrame:
    runs = pandas.read_csv(path)
    runs = runs[runs["campaign"] == (campaign or runs["campaign"].iloc[-1])]
    if runs.empty:
        raise SystemExit(f"{path}: holds no run of campaign '{campaign}'")
    return runs


def summarise(runs: pandas.DataFrame) -> pandas.DataFrame:
    """One row a point: median, lowest and highest throughput, and the share of `floor` with the same threads (the
    median of the trials' own shares)."""
    keys = ["panel", "threads"]
    floor = runs[runs["library"] == "floor"][[*keys, "trial", "throughput"]]
    runs = runs.merge(floor, on=[*keys, "trial"], how="left", suffixes=("", "_of_floor"))
    runs["share"] = runs["throughput"] / runs["throughput_of_floor"]
    grouped = runs.groupby([*keys, "library"], sort=False)
    points = grouped["throughput"].agg(["median", "min", "max"])
    points["share"] = grouped["share"].median()
    points[["durable", "oversubscribed"]] = grouped[["durable", "oversubscribed"]].first()
    return points.reset_index()


def colours_of(libraries: list[str]) -> dict[str, str]:
    unknown = [library for library in libraries if library not in COLOURS]
    return COLOURS | {library: FURTHER_COLOURS[i % len(FURTHER_COLOURS)] for i, library in enumerate(unknown)}


def draw_bars(axes: Axes, points: pandas.DataFrame, libraries: list[str]) -> dict[str, BarContainer]:
    """One group of bars for each number of threads; a bar is a library, with the range of its trials and its share
    of `floor` written above."""
    colours = colours_of(libraries)
    bars: dict[str, BarContainer] = {}
    labels = []
    for position, (threads, group) in enumerate(points.groupby("threads")):
        present = [library for library in libraries if library in set(group["library"])]
        width = GROUP_WIDTH / len(libraries)
        for slot, library in enumerate(present):
            point = group[group["library"] == library].iloc[0]
            x = position + (slot - (len(present) - 1) / 2) * width
            error = [[point["median"] - point["min"]], [point["max"] - point["median"]]]
            bars[library] = axes.bar(
                x, point["median"], width * 0.94, yerr=error, color=colours[library], edgecolor="black", linewidth=0.5,
                hatch="" if point["durable"] else VOLATILE_HATCH, error_kw={"elinewidth": 0.8, "capsize": 2},
            )
            annotate_share(axes, x, point)
        mark = "*" if group["oversubscribed"].any() else ""
        labels.append(f"{threads}{mark} thread{'s' if threads != 1 else ''}")
    axes.set_xticks(range(len(labels)), labels)
    return bars


def annotate_share(axes: Axes, x: float, point: pandas.Series) -> None:
    if pandas.isna(point["share"]):
        return
    axes.annotate(f"{point['share']:.2f}", (x, point["max"]), xytext=(0, 3), textcoords="offset points", ha="center",
                  fontsize=7)


def finish(axes: Axes, title: str) -> None:
    axes.set_title(title)
    axes.set_ylabel("transactions per second")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / 1000:,.0f} k" if value else "0"))
    axes.margins(y=0.1)
    axes.grid(axis="y", linewidth=0.4, alpha=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def title_of(panel: str) -> str:
    titles = {each.name: each.title for campaign in reversed(CAMPAIGNS.values()) for each in campaign.panels}
    return titles.get(panel, panel)


def draw(runs: pandas.DataFrame) -> plt.Figure:
    points = summarise(runs)
    libraries = list(points["library"].unique())
    panels = list(points["panel"].unique())
    columns = min(len(panels), MOST_COLUMNS)
    rows = -(-len(panels) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(5.4 * columns, 3.6 * rows + 0.5), squeeze=False)
    bars: dict[str, BarContainer] = {}
    for axes, panel in zip(grid.flat, panels):
        bars |= draw_bars(axes, points[points["panel"] == panel], libraries)
        finish(axes, title_of(panel))
    for axes in grid.flat[len(panels):]:
        axes.set_visible(False)
    height = figure.get_figheight()
    figure.legend(bars.values(), bars.keys(), loc="upper center", ncol=min(len(bars), 6 * columns), frameon=False,
                  bbox_to_anchor=(0.5, 1 - 0.02 / height), columnspacing=1.2, handlelength=1.4)
    figure.text(0.5, 0.05 / height, footnote(runs), ha="center", fontsize=7.5, color="#444444")
    figure.tight_layout(rect=(0, 0.16 / height, 1, 1 - 0.3 / height))
    return figure


def footnote(runs: pandas.DataFrame) -> str:
    media = ", ".join(medium for medium in runs["medium"].unique() if medium != "memory") or "memory"
    trials = runs["trial"].nunique()
    machine = f"{runs['processor'].iloc[0]}, {runs['cores'].iloc[0]} cores; pools on {media}."
    text = f"{machine} Median and range of {trials} trials; numbers: share of floor; hatched: volatile."
    return text + (" *: more threads than cores." if runs["oversubscribed"].any() else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("csv", type=Path)
    parser.add_argument("--campaign", default="", help="start time of the campaign (default: the file's last)")
    arguments = parser.parse_args()
    with plt.rc_context(STYLE):
        figure = draw(read(arguments.csv, arguments.campaign))
        for suffix in (".png", ".pdf"):
            figure.savefig(arguments.csv.with_suffix(suffix), dpi=200)


if __name__ == "__main__":
    main()
