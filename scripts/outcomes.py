"""Writes what a script has measured, a dataclass for each run, and a table of it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import astuple, fields
from pathlib import Path
from statistics import median
from typing import Any


def spread(values: Sequence[float]) -> str:
    """For a table: the median, the smallest and the largest."""
    return f"{median(values):.1f} ({min(values):.1f}-{max(values):.1f})"


def write(base: Path, outcomes: Sequence[Any], table: str) -> None:
    """`base`.csv and `base`.txt; the table goes to standard output, too."""
    base.parent.mkdir(parents=True, exist_ok=True)
    with base.with_suffix(".csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(field.name for field in fields(outcomes[0]))
        writer.writerows(astuple(outcome) for outcome in outcomes)
    base.with_suffix(".txt").write_text(table)
    print(table, end="")
