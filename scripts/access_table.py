"""Sums up reports of the plugin: access_table.py [--only <text>] <name>=<report.json>… prints a table with one line a
program: how many accesses its clones have when they are instrumented, and what share remains after each elision. With
--only, of the functions whose names hold the text: others may be cloned only because their address is taken.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

ELISIONS = ["repeated-read", "own-frame", "constant", "invariant", "private-arguments", "private-local", "captured",
            "static-guard", "profile-counter"]


def count(report: Path, only: str) -> Counter:
    """Accesses by elision; those that are instrumented under None."""
    functions = [each for each in json.loads(report.read_text())["functions"] if only in each["function"]]
    return Counter(access["left"] for function in functions for access in function["accesses"])


def line(name: str, counted: Counter) -> str:
    total = sum(counted.values())
    cells = [name, str(total)]
    remaining = total
    for elision in ELISIONS:
        remaining -= counted[elision]
        cells.append(f"{100 * remaining / total:.1f} %" if total else "")
    return f"| {' | '.join(cells)} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", nargs="+", metavar="name=report.json")
    parser.add_argument("--only", default="", metavar="text")
    arguments = parser.parse_args()
    heads = ["program", "accesses", *(f"after {elision}" for elision in ELISIONS)]
    print(f"| {' | '.join(heads)} |")
    print("| --- |" + " ---: |" * (len(heads) - 1))
    for argument in arguments.reports:
        name, _, report = argument.partition("=")
        print(line(name, count(Path(report), arguments.only)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
