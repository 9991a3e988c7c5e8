"""Draws sets over the share of look-ups: `look_ups.py results/icfp21.csv` writes results/icfp21-look-ups.png, .pdf and
.svg. (ICFP'21, Figures 6 a and b, 8 a and d.) With as many threads as have a core each.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

import figure_style as style
from panel import Panel
from panels import CAMPAIGNS
from results import Points, Range, read, summarise

HEAD = 0.5  # inches, for the legend
Curves = dict[str, dict[int, Range]]  # by library, then by percent of look-ups


def look_ups_of(panel: Panel) -> int:
    return 100 - int(panel.arguments[panel.arguments.index("--updates") + 1])


def curves(points: Points, panels: list[Panel]) -> Curves:
    """Of panels of one structure."""
    shares = {panel.name: look_ups_of(panel) for panel in panels}
    own = {key: summary for key, summary in points.items() if key[0] in shares and not summary.is_oversubscribed()}
    most = max((threads for _, threads, _ in own), default=0)
    found: Curves = {}
    for (panel, threads, library), summary in own.items():
        if threads == most:
            found.setdefault(library, {})[shares[panel]] = Range.of(summary.values("throughput"))
    return found


def draw_structure(axes: Axes, title: str, found: Curves) -> None:
    for library, ranges in found.items():
        look = style.look_of(library)
        shares = sorted(ranges)
        style.draw_points(axes, shares, [ranges[share] for share in shares], look, look.line)
    style.scale(axes, is_logarithmic=True)
    axes.set_title(title, loc="left")
    axes.set_xlabel("% look-ups")
    axes.set_ylabel("transactions/s")
    style.finish(axes)


def draw(points: Points, structures: dict[str, list[Panel]]) -> plt.Figure:
    """
    :param structures: panels by title."""
    all_curves = {title: curves(points, panels) for title, panels in structures.items()}
    libraries = list(dict.fromkeys(library for found in all_curves.values() for library in found))
    rows = -(-len(structures) // 2)
    figure, grid = plt.subplots(rows, 2, figsize=(style.PAGE[0], HEAD + 2.3 * rows), squeeze=False)
    for axes, (title, found) in zip(grid.flat, all_curves.items()):
        draw_structure(axes, title, found)
    figure.legend([style.handle_of(name, "curves") for name in libraries], libraries, loc="upper center",
                  ncol=style.legend_columns(style.PAGE[0], libraries), frameon=False, handlelength=3)
    figure.tight_layout(rect=(0, 0, 1, 1 - HEAD / figure.get_figheight()))
    return figure


def structures_of(panels: tuple[Panel, ...]) -> dict[str, list[Panel]]:
    """By what is before the share of look-ups in a title."""
    found: dict[str, list[Panel]] = {}
    for panel in panels:
        found.setdefault(panel.title.rpartition(",")[0], []).append(panel)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("csv", type=Path, help="of a campaign of sets")
    csv: Path = parser.parse_args().csv
    figure = draw(summarise(read(csv)), structures_of(CAMPAIGNS[csv.stem].panels))
    style.save(csv.with_name(f"{csv.stem}-look-ups"), figure)


if __name__ == "__main__":
    main()
