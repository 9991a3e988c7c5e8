"""Result files: tidy CSV, one line a run. A campaign is one value of the column `campaign`."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

Row = dict[str, str]


def append(path: Path, row: Row) -> None:
    """Adds a line. A file with other columns, from another version of the benchmarks, is moved aside first."""
    if path.exists() and _columns_of(path) != list(row):
        aside = next(name for n in range(1, 10_000) if not (name := path.with_suffix(f".{n}.csv")).exists())
        path.rename(aside)
        print(f"{path} has other columns than today's results: moved to {aside}")
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(row))
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def _columns_of(path: Path) -> list[str]:
    with path.open(newline="") as file:
        return next(csv.reader(file), [])


def read(path: Path, campaign: str = "") -> list[Row]:
    """The rows of one campaign; of the last one in the file if none is named."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = campaign or (rows[-1]["campaign"] if rows else "")
    return [row for row in rows if row["campaign"] == wanted]


@dataclass(frozen=True)
class Summary:
    """All trials of one point."""

    rows: list[Row]

    def median(self, column: str) -> float:
        return median(float(row[column]) for row in self.rows)

    def spread(self, column: str) -> float:
        """Half the distance between the best and the worst trial, as a share of the median."""
        values = [float(row[column]) for row in self.rows]
        return (max(values) - min(values)) / 2 / median(values) if median(values) else 0.0

    def per_transaction(self, column: str) -> float:
        return self._median_of(lambda row: float(row[column]) / max(1.0, float(row["transactions"])))

    def ratio_to(self, other: Summary, column: str) -> float:
        """The median over the trials of this point's value over the other's in the same trial: the two ran close
        together, so what else the machine did then hit both."""
        others = {row["trial"]: float(row[column]) for row in other.rows}
        paired = [(float(row[column]), others[row["trial"]]) for row in self.rows if row["trial"] in others]
        return median(mine / its for mine, its in paired) if paired else float("nan")

    def abort_rate(self) -> float:
        """Attempts that conflicted, as a share of all attempts. Roll-backs that the workload asks for do not count."""
        return self._median_of(_abort_rate)

    def counts_transactions(self) -> bool:
        """Whether the library does: some peers count nothing."""
        return any(float(row["commits"]) + float(row["read_only_commits"]) > 0 for row in self.rows)

    def is_oversubscribed(self) -> bool:
        return self.rows[0]["oversubscribed"] == "true"

    def _median_of(self, value: Callable[[Row], float]) -> float:
        return median(value(row) for row in self.rows)


def _abort_rate(row: Row) -> float:
    aborts = float(row["aborts_locked"]) + float(row["aborts_validation"])
    attempts = aborts + sum(float(row[name]) for name in ("commits", "read_only_commits", "aborts_exception"))
    return aborts / attempts if attempts else 0.0


def summarise(rows: list[Row]) -> dict[tuple[str, int, str], Summary]:
    """By panel, threads and library, in the order of their first appearance."""
    groups: dict[tuple[str, int, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["panel"], int(row["threads"]), row["library"]), []).append(row)
    return {key: Summary(group) for key, group in groups.items()}
