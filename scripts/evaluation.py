"""Fills docs/results/ from results/: for each figure and table of the papers, and what goes beyond, the figure (SVG),
the table, and a paragraph in the page: what the paper says, what is seen here.

What was not measured, or before --since, is left out, and named.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from math import isnan
from pathlib import Path
from statistics import geometric_mean, median

from document import measured
from evaluation_sections import SECTIONS, Section
from results import Points, Row, summarise
from table import Table

ROOT = Path(__file__).resolve().parent.parent
PAGE = "evaluation.md"
LEFT_OUT = ("of seq", "p99.9 us", "cpu us", "log B", "RAM MiB", "file MiB")  # of tables
LEGEND_LEFT_OUT = ("of seq ", "cpu us ", "RAM, file MiB")


@dataclass(frozen=True)
class Source:
    """What results/ has of a section."""

    section: Section
    folder: Path

    @property
    def csv(self) -> Path:
        return self.folder / f"{self.section.name}.csv"

    def rows(self) -> list[Row]:
        """Of the last campaign, if the file has several."""
        with self.csv.open(newline="") as file:
            rows = list(csv.DictReader(file))
        return [row for row in rows if row.get("campaign") == rows[-1].get("campaign")]

    def problem(self, since: str) -> str:
        """Why it cannot be told; empty if it can."""
        if not self.csv.exists() or not self.csv.with_suffix(".txt").exists() or not self.rows():
            return f"not measured: ./run.sh {self.section.name}"
        return f"measured {self.when()}, before {since}: ./run.sh {self.section.name}" if self.when() < since else ""

    def when(self) -> str:
        """Day and time, as ISO 8601 has them."""
        return self.rows()[0].get("campaign") or datetime.fromtimestamp(self.csv.stat().st_mtime).isoformat()

    def circumstances(self) -> str:
        rows = self.rows()
        return measured(rows) if "campaign" in rows[0] else self.when()[:10]

    def seen(self) -> str:
        if self.section.value:
            return "; ".join(columns(self.rows(), self.section))
        points = summarise(self.rows()) if self.section.compared else {}
        return "; ".join(filter(None, (compared(points, *pair) for pair in self.section.compared)))

    def links(self) -> list[str]:
        forms = {"table": ".txt"}
        return [f"[{what}]({self.section.name}{form})" for what, form in forms.items()
                if self.csv.with_suffix(form).exists()]

    def copy_to(self, folder: Path) -> None:
        if (table := self.csv.with_suffix(".txt")).exists():
            (folder / table.name).write_text(narrow(table.read_text()))
        if (figure := self.csv.with_suffix(".svg")).exists():
            (folder / figure.name).write_text(shorter(figure.read_text()))


def shorter(figure: str) -> str:
    """The same to the eye: a tenth of a point is enough for a figure that is kept, and XML takes a line's end for a
    space."""
    rounded = re.sub(r"\d+\.\d\d+", lambda number: f"{float(number[0]):.1f}", figure)
    return "\n".join(wrapped(line.strip() for line in rounded.splitlines())) + "\n"


def narrow(table: str) -> str:
    """Without the columns that do not fit into a page (scripts/table.py)."""
    lines: list[str] = []
    spans: list[slice] = []
    for line in table.splitlines():
        if line.split() == " ".join(Table.HEADINGS).split():
            spans = kept_spans(line)
        elif not line:
            spans = []
        if not line.startswith(LEGEND_LEFT_OUT):
            lines.append("".join(line[span] for span in spans).rstrip() if spans else line)
    return "\n".join(wrapped(lines)) + "\n"


def kept_spans(header: str) -> list[slice]:
    """Where the cells of the columns are that are kept: each ends with its heading."""
    spans = []
    end = 0
    for heading in Table.HEADINGS:
        if heading == "library":  # the other way round: with the next one
            continue
        begin, end = end, header.index(heading, end) + len(heading)
        if heading not in LEFT_OUT:
            spans.append(slice(begin, end))
    return spans


def compared(points: Points, library: str, other: str) -> str:
    """Of throughput over throughput, at the points that both have: the least, the mean, and the most. What a library is
    called may be a mode only: then each algorithm is compared with itself."""
    found = [summary.ratio_to(base, "throughput") for (panel, threads, name), summary in points.items()
             if matches(name, library) and (base := points.get((panel, threads, partner(name, library, other))))]
    if not found:
        return ""
    return f"{library}/{other} {min(found):.2f}-{geometric_mean(found):.2f}-{max(found):.2f}"


def matches(name: str, library: str) -> bool:
    return name.endswith(library) if library.startswith("_") else name == library


def partner(name: str, library: str, other: str) -> str:
    return name.removesuffix(library) + other if library.startswith("_") and other.startswith("_") else other


def columns(rows: list[Row], section: Section) -> list[str]:
    """The median of a column of the CSV, for each value of others."""
    groups: dict[str, list[float]] = {}
    for row in rows:
        if not isnan(float(row[section.value])) and all(row[name] == wanted for name, wanted in section.where):
            groups.setdefault(" ".join(row[name] for name in section.by), []).append(float(row[section.value]))
    return [f"{name} {median(values):.3g}" for name, values in groups.items()]


def paragraph(source: Source, common: str) -> str:
    """:param common: circumstances that need not be told again."""
    section = source.section
    seen = f": {source.seen()}" if source.seen() else ""
    others = [part for part in source.circumstances().split(", ") if part not in common.split(", ")]
    circumstances = f"{', '.join(others)}; " if others else ""
    lines = [f"## {section.title}", "", *([f"The paper: {section.paper}", ""] if section.paper else []),
             f"Here ({circumstances}{', '.join(source.links())}){seen}.", ""]
    if source.csv.with_suffix(".svg").exists():
        lines += [f"![{section.name}]({section.name}.svg)", ""]
    return "\n".join(wrapped(lines))


def wrapped(lines: Iterable[str]) -> list[str]:
    """At 120 characters, as documents are."""
    found: list[str] = []
    for line in lines:
        while len(line) > 120 and " " in line[:120]:
            place = line.rindex(" ", 0, 120)
            found.append(line[:place])
            line = line[place + 1:]
        found.append(line)
    return found


def write(results: Path, folder: Path, since: str) -> list[str]:
    """:return: what is left out, and why."""
    sources = [Source(section, results) for section in SECTIONS]
    told = [source for source in sources if not source.problem(since)]
    if not told:
        raise SystemExit(f"evaluation.py: {results} has nothing that can be told. Measure first: ./run.sh all --short")
    folder.mkdir(parents=True, exist_ok=True)
    for source in told:
        source.copy_to(folder)
    common = Counter(source.circumstances() for source in told).most_common(1)[0][0]
    head = ["# The evaluation", "", f"Made by `scripts/evaluation.py` from `./run.sh all`: {common}, if "
            "nothing else is said. Of libraries: throughput over throughput, the least, the geometric mean, and the "
            "most.", ""]
    (folder / PAGE).write_text("\n".join([*wrapped(head), ""]) + "\n".join(paragraph(each, common) for each in told))
    return [f"{source.section.name}: {problem}" for source in sources if (problem := source.problem(since))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=ROOT / "results")
    parser.add_argument("--folder", type=Path, default=ROOT / "docs/results", help="where figures and tables go")
    parser.add_argument("--since", default="", help="nothing that was measured before, such as 2026-01-31T12:00")
    arguments = parser.parse_args()
    left_out = write(arguments.results, arguments.folder, arguments.since)
    words = len((arguments.folder / PAGE).read_text().split())
    print(f"{arguments.folder / PAGE}: {words} words, which count among those of the documents")
    for line in left_out:
        print(f"left out: {line}", file=sys.stderr)
    return 1 if left_out else 0


if __name__ == "__main__":
    sys.exit(main())
