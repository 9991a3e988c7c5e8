"""Makes PACT'19's Tables I to V: what one optimisation does to an algorithm, as the speed-up over `naive`; and what
self-relative pointers do to a program without synchronisation and durability, as the speed-up over native ones.

Each figure is the median, over trials, of the ratio of two runs close to each other: with the switch and without.
Results: results/<table>.txt, .csv and .tex.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import command_line
from library_table import algorithms

TRIALS = 3
SECONDS = 0.5
ALL = algorithms("naive")
LAZY = algorithms("naive", undo_log=False)


@dataclass(frozen=True)
class Table:
    title: str
    algorithms: tuple[str, ...]
    variants: tuple[str, ...]  # <algorithm>_naive_<variant> is compared with <algorithm>_naive
    threads: tuple[int, ...] = (1,)
    workloads: tuple[Workload, ...] | None = None  # the usual ones
    baseline: str = "naive"


@dataclass(frozen=True)
class Workload:
    title: str
    program: str
    arguments: tuple[str, ...]


POINTER_WORKLOADS = (
    Workload("TPCC-B+Tree", "tpcc", ("--preset", "pact19", "--index", "tree")),
    Workload("TATP", "tatp", ("--preset", "pact19")),
    Workload("TATP (1K)", "tatp", ("--preset", "pact19", "--ops-per-tx", "1000")),
    Workload("B+ mix", "bptree", ("--preset", "mix")),
)
TABLES = {
    "table1": Table("Table I: self-relative pointers", ("seq",), ("self_relative",), workloads=POINTER_WORKLOADS,
                    baseline="native pointers"),
    "table2": Table("Table II: last-allocation tracking", ALL, ("tracking",)),
    "table3": Table("Table III: coarse logging, by bytes in a chunk", ALL, ("chunks16", "chunks32", "chunks64")),
    "table4": Table("Table IV: fence pipelining", ("tlrw",), ("pipelining",)),
    "table5": Table("Table V: deferred flushing, by threads", LAZY, ("deferred",), (1, 2, 4, 8)),
}
WORKLOADS = (
    Workload("TPC-C hash", "tpcc", ("--preset", "pact19")),
    Workload("TPC-C tree", "tpcc", ("--preset", "pact19", "--index", "tree")),
    Workload("TATP", "tatp", ("--preset", "pact19")),
    Workload("B+ insert", "bptree", ("--preset", "insert")),
    Workload("B+ mix", "bptree", ("--preset", "mix")),
    Workload("Vac. low", "vacation", ("--preset", "low_small")),
    Workload("Vac. high", "vacation", ("--preset", "high_small")),
    Workload("Memcached", "memcached", ("--preset", "pact19")),
)


@dataclass(frozen=True)
class Group:
    """What is measured together: the variants of an algorithm and what they are compared with."""

    algorithm: str
    threads: int
    workload: Workload

    def program(self, variant: str = "") -> str:
        if self.algorithm == "seq":  # the program is compiled in another way, the library is the same
            return "_".join(filter(None, (self.workload.program, variant, "seq")))
        return "_".join(filter(None, (self.workload.program, self.algorithm, "naive", variant)))


@dataclass(frozen=True)
class Cell:
    """One figure of a table."""

    group: Group
    variant: str

    def row_of(self, table: Table) -> str:
        parts = [self.group.algorithm]
        if len(table.variants) > 1:
            parts.append(self.variant.removeprefix("chunks"))
        if len(table.threads) > 1:
            parts.append(f"{self.group.threads} thr.")
        return " ".join(parts)


Figures = dict[Cell, list[float]]  # the ratios of the trials


def groups_of(table: Table, workloads: tuple[Workload, ...]) -> list[Group]:
    return [Group(algorithm, threads, workload)
            for algorithm in table.algorithms for threads in table.threads for workload in workloads]


class Measurement:
    def __init__(self, build: Path, trials: int, seconds: float) -> None:
        self._bin = build / "bin"
        self._trials = trials
        self._seconds = seconds

    def speed_ups(self, group: Group, variants: tuple[str, ...]) -> Figures:
        """The order changes from trial to trial: who runs later may find a warmer machine."""
        figures: Figures = {Cell(group, variant): [] for variant in variants}
        for trial in range(self._trials):
            order = ("", *variants) if trial % 2 == 0 else (*reversed(variants), "")
            throughput = {variant: self._throughput(group, variant, trial) for variant in order}
            for cell, ratios in figures.items():
                ratios.append(throughput[cell.variant] / throughput[""])
        return figures

    def _throughput(self, group: Group, variant: str, trial: int) -> float:
        command = [str(self._bin / group.program(variant)), *group.workload.arguments, "--threads", str(group.threads)]
        command += ["--seconds", str(self._seconds), "--seed", str(trial + 1), "--pin", "--format", "json"]
        done = subprocess.run(command, text=True, capture_output=True, timeout=600)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr.strip()}")
        return float(json.loads(done.stdout)["throughput"])


def programs_of(table: Table, groups: list[Group] | None = None) -> list[str]:
    """:param groups: by default all of the table."""
    chosen = groups or groups_of(table, columns_of(table))
    return sorted({group.program(variant) for group in chosen for variant in ("", *table.variants)})


def build_programs(build: Path, table: Table, groups: list[Group]) -> None:
    subprocess.run(["cmake", "--build", str(build), "--target", *programs_of(table, groups)], check=True)


def columns_of(table: Table) -> tuple[Workload, ...]:
    return table.workloads or WORKLOADS


def rows_of(table: Table, figures: Figures) -> dict[str, list[str]]:
    """The medians, by row, in the order of the columns."""
    rows: dict[str, list[str]] = {}
    columns = columns_of(table)
    for cell, ratios in sorted(figures.items(), key=lambda item: columns.index(item[0].group.workload)):
        rows.setdefault(cell.row_of(table), []).append(f"{median(ratios):.3f}")
    return {cell.row_of(table): rows[cell.row_of(table)] for cell in figures}


def text_of(table: Table, rows: dict[str, list[str]], columns: list[str]) -> str:
    width = max(map(len, rows))
    heads = " " * width + "".join(f"{column:>12}" for column in columns)
    lines = [f"{table.title}: speed-up over {table.baseline}", heads]
    lines += [f"{row:<{width}}" + "".join(f"{figure:>12}" for figure in line) for row, line in rows.items()]
    return "\n".join(lines) + "\n"


def latex_of(rows: dict[str, list[str]], columns: list[str]) -> str:
    lines = [r"\begin{tabular}{l" + "r" * len(columns) + "}", " & ".join(["", *columns]) + r" \\ \hline"]
    lines += [" & ".join([row.replace("_", r"\_"), *line]) + r" \\" for row, line in rows.items()]
    return "\n".join([*lines, r"\end{tabular}"]) + "\n"


def write_csv(path: Path, figures: Figures) -> None:
    """One line a figure, with the range of the trials."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["algorithm", "variant", "threads", "workload", "trials", "median", "lowest", "highest"])
        for cell, ratios in figures.items():
            spread = [f"{figure:.4f}" for figure in (median(ratios), min(ratios), max(ratios))]
            group = cell.group
            writer.writerow([group.algorithm, cell.variant, group.threads, group.workload.title, len(ratios), *spread])


def write(name: str, table: Table, figures: Figures, directory: Path) -> str:
    """Writes the table in three forms.
    :return: the text."""
    columns = [each.title for each in columns_of(table) if each in {cell.group.workload for cell in figures}]
    rows = rows_of(table, figures)
    text = text_of(table, rows, columns)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{name}.txt").write_text(text)
    (directory / f"{name}.tex").write_text(latex_of(rows, columns))
    write_csv(directory / f"{name}.csv", figures)
    return text


def read_arguments() -> argparse.Namespace:
    parser = command_line.parser(__doc__, trials=TRIALS, seconds=SECONDS, threads=None)
    parser.add_argument("table", choices=list(TABLES))
    programs = list(dict.fromkeys(workload.program for workload in WORKLOADS))
    parser.add_argument("--programs", nargs="+", choices=programs, default=programs, help="only these workloads")
    arguments = parser.parse_args()
    counts = TABLES[arguments.table].threads
    if arguments.threads and not set(arguments.threads) & set(counts):
        parser.error(f"--threads: {arguments.table} has {', '.join(map(str, counts))}")
    return arguments


def main() -> int:
    arguments = read_arguments()
    table = TABLES[arguments.table]
    threads = tuple(count for count in table.threads if count in (arguments.threads or table.threads))
    table = replace(table, threads=threads)
    groups = groups_of(table, tuple(each for each in columns_of(table) if each.program in arguments.programs))
    build_programs(arguments.build, table, groups)
    measurement = Measurement(arguments.build, arguments.trials, arguments.seconds)
    figures: Figures = {}
    for number, group in enumerate(groups, start=1):
        for cell, ratios in measurement.speed_ups(group, table.variants).items():
            figures[cell] = ratios
            print(f"[{number:>3}/{len(groups)}] {cell.row_of(table):<24} {group.workload.title:<12} "
                  f"{median(ratios):.3f}", flush=True)
    print(write(arguments.table, table, figures, arguments.results), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
