"""Sums up reports of the plugin: access_table.py <name>=<report.json>… prints a table with
one line a program: how many accesses its clones have when they are instrumented, how many each elision leaves, and what
share remains.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

ELISIONS = ["repeated-read", "own-frame", "constant", "invariant", "private-arguments", "captured", "static-guard",
            "profile-counter"]


def count(report: Path) -> Counter:
    """Accesses by elision; those that are instrumented under None."""
    functions = json.loads(report.read_text())["functions"]
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
    heads = ["program", "accesses", *(f"after {elision}" for elision in ELISIONS)]
    print(f"| {' | '.join(heads)} |")
    print("| --- |" + " ---: |" * (len(heads) - 1))
    for argument in sys.argv[1:]:
        name, _, report = argument.partition("=")
        print(line(name, count(Path(report))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
