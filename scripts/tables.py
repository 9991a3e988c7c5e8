"""Makes PACT'19's Tables II to V: what one optimisation does to an algorithm, as the speed-up over `naive`.

Each figure is the median, over trials, of the ratio of two runs next to each other: with the switch and without.
Results: results/<table>.txt, .csv and .tex.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ALL = ("lock_eager", "lock_lazy", "orec_eager", "orec_lazy", "orec_mixed", "norec", "tlrw", "ring")
LAZY = ("lock_lazy", "orec_lazy", "orec_mixed", "norec", "ring")


@dataclass(frozen=True)
class Table:
    title: str
    algorithms: tuple[str, ...]
    variants: tuple[str, ...]  # <algorithm>_naive_<variant> is compared with <algorithm>_naive
    threads: tuple[int, ...] = (1,)


@dataclass(frozen=True)
class Workload:
    title: str
    program: str
    arguments: tuple[str, ...]


TABLES = {
    "table2": Table("Table II: last-allocation tracking", ALL, ("tracking",)),
    "table3": Table("Table III: coarse logging, by bytes in a chunk", ALL, ("chunks16", "chunks32", "chunks64")),
    "table4": Table("Table IV: fence pipelining", ("tlrw",), ("pipelining",)),
    "table5": Table("Table V: deferred flushing, by threads", LAZY, ("deferred",), (1, 2, 4, 8)),
}
WORKLOADS = (
    Workload("TPC-C hash", "tpcc", ("--preset", "pact19")),
    Workload("TATP", "tatp", ("--preset", "pact19")),
    Workload("B+ insert", "bptree", ("--preset", "insert")),
    Workload("B+ mix", "bptree", ("--preset", "mix")),
    Workload("Vac. low", "vacation", ("--preset", "low")),
    Workload("Vac. high", "vacation", ("--preset", "high")),
)


@dataclass(frozen=True)
class Cell:
    """One figure of a table."""

    algorithm: str
    variant: str
    threads: int
    workload: Workload

    def programs(self) -> tuple[str, str]:
        base = f"{self.workload.program}_{self.algorithm}_naive"
        return base, f"{base}_{self.variant}"

    @property
    def column(self) -> str:
        return self.workload.title

    def row_of(self, table: Table) -> str:
        parts = [self.algorithm]
        if len(table.variants) > 1:
            parts.append(self.variant.removeprefix("chunks"))
        if len(table.threads) > 1:
            parts.append(f"{self.threads} thr.")
        return " ".join(parts)


def cells_of(table: Table, workloads: tuple[Workload, ...]) -> Iterator[Cell]:
    for algorithm in table.algorithms:
        for variant in table.variants:
            for threads in table.threads:
                for workload in workloads:
                    yield Cell(algorithm, variant, threads, workload)


class Measurement:
    def __init__(self, build: Path, trials: int, seconds: float) -> None:
        self._bin = build / "bin"
        self._trials = trials
        self._seconds = seconds

    def speed_up(self, cell: Cell) -> float:
        """The order within a pair changes from trial to trial: who runs second may find a warmer machine."""
        ratios = []
        for trial in range(self._trials):
            order = cell.programs() if trial % 2 == 0 else cell.programs()[::-1]
            throughput = {program: self._throughput(program, cell, trial) for program in order}
            base, variant = cell.programs()
            ratios.append(throughput[variant] / throughput[base])
        return median(ratios)

    def _throughput(self, program: str, cell: Cell, trial: int) -> float:
        command = [str(self._bin / program), *cell.workload.arguments, "--threads", str(cell.threads)]
        command += ["--seconds", str(self._seconds), "--seed", str(trial + 1), "--pin", "--format", "json"]
        done = subprocess.run(command, text=True, capture_output=True, timeout=600)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr.strip()}")
        return float(json.loads(done.stdout)["throughput"])


def build_programs(build: Path, cells: list[Cell]) -> None:
    programs = sorted({program for cell in cells for program in cell.programs()})
    subprocess.run(["cmake", "--build", str(build), "--target", *programs], check=True)


def write(name: str, table: Table, figures: dict[Cell, float], directory: Path) -> str:
    """Writes the table in three forms.
    :return: the text."""
    columns = list(dict.fromkeys(cell.column for cell in figures))
    rows: dict[str, list[float]] = {}
    for cell, figure in figures.items():
        rows.setdefault(cell.row_of(table), []).append(figure)
    width = max(map(len, rows))
    lines = [f"{table.title}: speed-up over naive", " " * width + "".join(f"{column:>12}" for column in columns)]
    lines += [f"{row:<{width}}" + "".join(f"{figure:12.3f}" for figure in line) for row, line in rows.items()]
    text = "\n".join(lines) + "\n"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{name}.txt").write_text(text)
    with (directory / f"{name}.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["algorithm", *columns])
        writer.writerows([row, *(f"{figure:.4f}" for figure in line)] for row, line in rows.items())
    body = [" & ".join([row.replace("_", r"\_"), *(f"{figure:.3f}" for figure in line)]) for row, line in rows.items()]
    latex = [r"\begin{tabular}{l" + "r" * len(columns) + "}", " & ".join(["", *columns]) + r" \\ \hline"]
    latex += [line + r" \\" for line in body] + [r"\end{tabular}"]
    (directory / f"{name}.tex").write_text("\n".join(latex) + "\n")
    return text


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=list(TABLES))
    parser.add_argument("--build", type=Path, default=Path("build/llvm19"), help="the build directory")
    parser.add_argument("--results", type=Path, default=Path("results"), help="where results go")
    parser.add_argument("--trials", type=int, default=3, help="pairs of runs for each figure")
    parser.add_argument("--seconds", type=float, default=0.5, help="length of a measurement")
    parser.add_argument("--workloads", type=int, default=len(WORKLOADS), help="only the first so many workloads")
    return parser.parse_args()


def main() -> int:
    arguments = read_arguments()
    table = TABLES[arguments.table]
    cells = list(cells_of(table, WORKLOADS[: arguments.workloads]))
    build_programs(arguments.build, cells)
    measurement = Measurement(arguments.build, arguments.trials, arguments.seconds)
    figures: dict[Cell, float] = {}
    for cell in cells:
        figures[cell] = measurement.speed_up(cell)
        done = f"[{len(figures):>3}/{len(cells)}]"
        print(f"{done} {cell.row_of(table):<24} {cell.column:<12} {figures[cell]:.3f}", flush=True)
    print(write(arguments.table, table, figures, arguments.results), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
