"""Writes tables of docs/results.md anew, each from the last campaign in a CSV: `document.py results/fast.csv`.

A table is the block of code behind `<!-- from results/<campaign>.csv -->`. Its first line says when and how it was
measured.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

from results import Points, Row, read, summarise

DOCUMENT = Path(__file__).resolve().parent.parent / "docs/results.md"

Cells = list[tuple[str, ...]]


def ratio(points: Points, panel: str, above: tuple[int, str], below: tuple[int, str]) -> str:
    """Throughput over throughput, each given by threads and library."""
    first, second = points.get((panel, *above)), points.get((panel, *below))
    return f"{first.ratio_to(second, 'throughput'):.2f}" if first and second else "-"


def panels_of(points: Points) -> list[str]:
    return list(dict.fromkeys(panel for panel, _, _ in points))


def fast(points: Points) -> Cells:
    """`orec_lazy_fast` beside the yardsticks, its second thread, and what it does in a second."""
    library = "orec_lazy_fast"
    rows = [(panel, *(ratio(points, panel, (1, library), (1, yardstick)) for yardstick in ("floor", "lock_stm")),
             ratio(points, panel, (2, library), (1, library)),
             f"{points[panel, 1, library].median('throughput') / 1000:,.0f}")
            for panel in panels_of(points) if (panel, 1, library) in points]
    return [("", "of floor", "of lock_stm", "two threads over one", "thousand transactions a second"), *rows]


TABLES: dict[str, Callable[[Points], Cells]] = {"fast": fast}


def aligned(cells: Cells) -> str:
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    return "\n".join("  ".join(cell.rjust(width) if column else cell.ljust(width)
                               for column, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in cells)


def measured(rows: list[Row]) -> str:
    trials = len({row["trial"] for row in rows})
    return (f"{rows[0]['campaign'][:10]}, {rows[0]['processor']}, {rows[0]['cores']} cores, "
            f"{trials} trial{'s' * (trials > 1)}")


def with_table(document: str, name: str, table: str) -> str:
    """The document with another block of code behind the comment that names the campaign."""
    marked = re.compile(rf"(?<=<!-- from results/{name}\.csv -->\n```\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
    if len(marked.findall(document)) != 1:
        raise SystemExit(f"document.py: there is not one block of code behind '<!-- from results/{name}.csv -->'")
    return marked.sub(lambda _: table + "\n", document)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", type=Path, help=f"of one of these campaigns: {', '.join(TABLES)}")
    parser.add_argument("--document", type=Path, default=DOCUMENT)
    arguments = parser.parse_args()
    name = arguments.csv.stem
    if name not in TABLES:
        parser.error(f"no table is made of {arguments.csv.name}; there are {', '.join(TABLES)}")
    rows = read(arguments.csv)
    if not rows:
        parser.error(f"{arguments.csv} has no measurements")
    table = f"{measured(rows)}\n{aligned(TABLES[name](summarise(rows)))}"
    arguments.document.write_text(with_table(arguments.document.read_text(), name, table))


if __name__ == "__main__":
    main()
