"""Result files: tidy CSV, one line a run. A campaign is one value of the column `campaign`."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

Row = dict[str, str]
Key = tuple[str, int, str]  # panel, threads, library


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
class Range:
    """What trials have measured."""

    median: float
    lowest: float
    highest: float

    @staticmethod
    def of(values: Sequence[float]) -> Range:
        return Range(median(values), min(values), max(values))


@dataclass(frozen=True)
class Summary:
    """All trials of one point."""

    rows: list[Row]

    def values(self, column: str) -> list[float]:
        return [float(row[column]) for row in self.rows]

    def median(self, column: str) -> float:
        return median(self.values(column))

    def spread(self, column: str) -> float:
        """Half the distance between the best and the worst trial, as a share of the median."""
        values = self.values(column)
        return (max(values) - min(values)) / 2 / median(values) if median(values) else 0.0

    def each_per_transaction(self, column: str) -> list[float]:
        return [float(row[column]) / max(1.0, float(row["transactions"])) for row in self.rows]

    def per_transaction(self, column: str) -> float:
        return median(self.each_per_transaction(column))

    def mebibytes(self, column: str) -> list[float]:
        """Of a column that results of older programs do not have: then empty."""
        return [float(row[column]) / (1 << 20) for row in self.rows if column in row]

    def ratios_to(self, other: Summary, column: str) -> list[float]:
        """This point's value over the other's in the same trial: the two ran close together, so what else the machine
        did then hit both."""
        others = {row["trial"]: float(row[column]) for row in other.rows}
        return [float(row[column]) / others[row["trial"]] for row in self.rows if row["trial"] in others]

    def ratio_to(self, other: Summary, column: str) -> float:
        ratios = self.ratios_to(other, column)
        return median(ratios) if ratios else float("nan")

    def abort_rates(self) -> list[float]:
        """Attempts that conflicted, as a share of all attempts. Roll-backs that the workload asks for do not count."""
        return [_abort_rate(row) for row in self.rows]

    def abort_rate(self) -> float:
        return median(self.abort_rates())

    def counts_transactions(self) -> bool:
        """Whether the library does: some peers count nothing."""
        return any(float(row["commits"]) + float(row["read_only_commits"]) > 0 for row in self.rows)

    def is_oversubscribed(self) -> bool:
        return self.rows[0]["oversubscribed"] == "true"


def _abort_rate(row: Row) -> float:
    aborts = float(row["aborts_locked"]) + float(row["aborts_validation"])
    attempts = aborts + sum(float(row[name]) for name in ("commits", "read_only_commits", "aborts_exception"))
    return aborts / attempts if attempts else 0.0


Points = dict[Key, Summary]


def summarise(rows: list[Row]) -> Points:
    """By panel, threads and library, in the order of their first appearance."""
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault((row["panel"], int(row["threads"]), row["library"]), []).append(row)
    return {key: Summary(group) for key, group in groups.items()}
