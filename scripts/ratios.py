"""Writes what a campaign says about the modes and about threads: `ratios.py results/modes.csv`.

For each panel and algorithm: gp and ip against naive, gpw against ip, ip and fast against stm; each library against the
yardsticks and the peers; and two threads against one. Each figure is the median over the trials, with the lowest and
the highest.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from contenders import FLOOR_ON_DISK, PEERS
from library_table import split
from results import Points, read, summarise

COMPARED = (("gp", "naive"), ("ip", "naive"), ("gpw", "ip"), ("ip", "stm"), ("fast", "stm"))
YARDSTICKS = ("floor", FLOOR_ON_DISK, "lock_stm", *PEERS)

def text_of(values: list[float]) -> str:
    return f"{median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


def comparisons(points: Points) -> Iterator[tuple[str, str, str, list[float]]]:
    """Of each: the panel, who is compared, what with what, the ratios."""
    for (panel, threads, library), summary in points.items():
        algorithm, mode = split(library)
        for better, worse in COMPARED:
            base = points.get((panel, threads, f"{algorithm}_{worse}"))
            if mode == better and base is not None:
                found = summary.ratios_to(base, "throughput")
                yield panel, f"{algorithm}, {threads} thr.", f"{better} / {worse}", found
        for yardstick in YARDSTICKS:
            base = points.get((panel, threads, yardstick))
            if base is not None and library not in YARDSTICKS:
                yield panel, f"{library}, {threads} thr.", f"/ {yardstick}", summary.ratios_to(base, "throughput")
        base = points.get((panel, 1, library))
        if threads == 2 and base is not None:
            yield panel, f"{library}, 2 thr.", "/ 1 thr.", summary.ratios_to(base, "throughput")


def table(points: Points) -> str:
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for panel, who, what, values in comparisons(points):
        cells.setdefault((panel, who), {})[what] = text_of(values)
    columns = list(dict.fromkeys(what for row in cells.values() for what in row))
    rows = [("panel", "", *columns), *((*key, *(row.get(what, "-") for what in columns)) for key, row in cells.items())]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", type=Path)
    parser.add_argument("--campaign", default="", help="start time of the campaign (default: the file's last)")
    arguments = parser.parse_args()
    print(table(summarise(read(arguments.csv, arguments.campaign))))


if __name__ == "__main__":
    main()
