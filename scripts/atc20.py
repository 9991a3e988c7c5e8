"""Measures the small programs of the go-pmem paper (George et al., ATC'20, Figures 5 to 8 and 10): binary trees,
fannkuch, swaps, n-body, and the restart of a full heap; in the libraries and in libpmemobj, with one thread.

Results: results/atc20.csv and .txt, and a figure: results/atc20.png, .pdf and .svg.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from math import nan
from pathlib import Path

import command_line
import figure_style
import outcomes
import restart
from atc20_results import HEAP, PROGRAMS, Outcome, Program, draw, rows_of, table

# Beside the default one: undo logs, as go-pmem and libpmemobj have them, and redo logs, as Mnemosyne has them.
LIBRARIES = ("floor", "pmemobj", "orec_eager_ip", "orec_lazy_ip", "orec_lazy_fast")
RUN_LIMIT = 600.0  # seconds; a run that takes longer hangs


def measure(build: Path, program: Program, size: int, library: str, trial: int) -> Outcome:
    """The time that the program takes. Where it cannot end, as where a log is too small for its transaction, that is
    told, and not measured."""
    command = [str(build / "bin" / f"{program.benchmark}_{library}"), "--preset", "atc20", "--threads", "1", "--pin",
               "--warmup", "0", "--seed", str(trial + 1), "--format", "json", *program.words(size)]
    try:
        done = subprocess.run(command, text=True, capture_output=True, timeout=RUN_LIMIT)
    except subprocess.TimeoutExpired:
        return Outcome(program.name, library, size, trial, nan, f"still running after {RUN_LIMIT:.0f} s")
    if done.returncode != 0:
        failure = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        return Outcome(program.name, library, size, trial, nan, failure)
    record = json.loads(done.stdout)
    return Outcome(program.name, library, size, trial, record["transactions"] / record["throughput"], "")


def restarts(build: Path, mebibytes: int, library: str, trial: int, directory: Path) -> Outcome:
    """The time to the first transaction after a kill, of a heap with half of its objects reachable (Figure 10)."""
    pool = directory / f"perdure-atc20-{os.getpid()}.pool"
    _, after_kill = restart.Measurement(build, library, pool, mebibytes).outcomes(trial)
    return Outcome(HEAP.name, library, mebibytes, trial, after_kill.first_transaction / 1000, "")


def measured_in(arguments: argparse.Namespace, trial: int) -> Iterator[Outcome]:
    for program in PROGRAMS:
        for size in program.sizes_for(arguments.brief):
            for library in arguments.libraries:
                yield measure(arguments.build, program, size, library, trial)
    for mebibytes in HEAP.sizes_for(arguments.brief):
        for library in filter(restart.LIBRARIES.__contains__, arguments.libraries):
            yield restarts(arguments.build, mebibytes, library, trial, arguments.directory)


def programs(libraries: list[str]) -> list[str]:
    benchmarks = dict.fromkeys(program.benchmark for program in PROGRAMS)
    return [*(f"{benchmark}_{library}" for benchmark in benchmarks for library in libraries),
            *(f"restart_{library}" for library in libraries if library in restart.LIBRARIES)]


def read_arguments() -> argparse.Namespace:
    parser = command_line.parser(__doc__, trials=3, libraries=LIBRARIES, directory=Path("/dev/shm"))
    parser.add_argument("--brief", action="store_true", help="small programs only")
    return command_line.parse(parser, lambda given: programs(given.libraries))


def main() -> int:
    arguments = read_arguments()
    measured: list[Outcome] = []
    for trial in range(arguments.trials):
        for outcome in measured_in(arguments, trial):
            measured.append(outcome)
            told = outcome.failure or f"{outcome.seconds:.4g} s"
            print(f"trial {trial + 1}  {outcome.program:<14} {outcome.size:>10,} {outcome.library:<16} {told}",
                  flush=True)
    base = arguments.results / "atc20"
    outcomes.write(base, rows_of(measured), table(measured))
    figure_style.save(base, draw(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
