"""Writes the table of algorithms in docs/algorithms.md from algorithms/libraries.json.

--check  fails if it is not up to date
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from library_table import described_algorithms

DOCUMENT = Path(__file__).resolve().parent.parent / "docs/algorithms.md"
MARKED = re.compile(r"(?<=<!-- from algorithms/libraries\.json -->\n\n)(?:\|.*\n)*", re.MULTILINE)
HEAD = "| algorithm | update | finds conflicts by | takes locks | modes | good for |\n" + "| --- " * 6 + "|\n"


def table() -> str:
    cells = ((f"`{each.name}`", each.update, each.finds_conflicts_by, each.takes_locks, ", ".join(each.modes),
              each.good_for) for each in described_algorithms())
    return HEAD + "".join(f"| {' | '.join(row)} |\n" for row in cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    before = DOCUMENT.read_text()
    if len(MARKED.findall(before)) != 1:
        raise SystemExit(f"library_document.py: {DOCUMENT} has not one '<!-- from algorithms/libraries.json -->'")
    after = MARKED.sub(lambda _: table(), before)
    if arguments.check and before != after:
        raise SystemExit("docs/algorithms.md is not up to date: run scripts/library_document.py")
    if not arguments.check:
        DOCUMENT.write_text(after)


if __name__ == "__main__":
    main()
