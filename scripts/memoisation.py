"""Measures memoisation, as Table 1 of the ICFP'21 paper does: a large Fibonacci number and all before it, remembered in
a pool (examples/memo), beside a program that remembers them in its own memory. Each program runs twice: what the first
one has remembered, the second finds, where there is a pool that keeps it.

Results: results/memoisation.csv and .txt.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import command_line
import outcomes
from results import Range

PLAIN = "plain"
LIBRARIES = ("lock_stm", "orec_lazy_fast")
RUN_LIMIT = 600.0  # seconds; a run that takes longer hangs
MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class Outcome:
    program: str  # plain, or a library
    trial: int
    run: int  # 1: nothing is remembered yet
    seconds: float
    evaluations: int
    pool_bytes: int  # of disk space


def program_of(name: str) -> str:
    return "memo_plain" if name == PLAIN else f"fibonacci_{name}"


def measure(arguments: argparse.Namespace, name: str, trial: int) -> list[Outcome]:
    pool = arguments.directory / f"perdure-memoisation-{os.getpid()}.pool"
    command = [str(arguments.build / "bin" / program_of(name)), *([] if name == PLAIN else [str(pool)]),
               str(arguments.number)]
    measured = []
    try:
        for run in (1, 2):
            begin = time.monotonic()
            done = subprocess.run(command, text=True, capture_output=True, timeout=RUN_LIMIT)
            seconds = time.monotonic() - begin
            evaluated = re.search(r"evaluated (\d+)", done.stderr)
            if done.returncode != 0 or not evaluated:
                raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
            size = pool.stat().st_blocks * 512 if pool.exists() else 0
            measured.append(Outcome(name, trial, run, seconds, int(evaluated[1]), size))
    finally:
        for file in pool.parent.glob(f"{pool.name}*"):
            file.unlink()
    return measured


def spread(values: list[float]) -> str:
    found = Range.of(values)
    return f"{found.median:.2f} ({found.lowest:.2f}-{found.highest:.2f})"


def table(measured: list[Outcome], number: int) -> str:
    lines = [f"{'program':<18}{'first run, s':>20}{'times plain':>13}{'second run, s':>20}{'evaluated':>12}"
             f"{'pool, MiB':>11}"]
    plain = median([each.seconds for each in measured if each.program == PLAIN])
    for name in dict.fromkeys(each.program for each in measured):
        first, second = ([each for each in measured if (each.program, each.run) == (name, run)] for run in (1, 2))
        seconds = [each.seconds for each in first]
        lines.append(f"{name:<18}{spread(seconds):>20}{median(seconds) / plain:>13.2f}"
                     f"{spread([each.seconds for each in second]):>20}{second[0].evaluations:>12}"
                     f"{max(each.pool_bytes for each in first) / MEBIBYTE:>11.0f}")
    return "\n".join([*lines, "", f"The Fibonacci numbers to {number}. Medians (smallest-largest); evaluated: in the "
                      "second run.", ""])


def read_arguments() -> argparse.Namespace:
    parser = command_line.parser(__doc__, trials=5, libraries=LIBRARIES, directory=Path("/dev/shm"))
    parser.add_argument("--number", type=int, default=150_000, help="which Fibonacci number")
    return command_line.parse(parser, lambda given: map(program_of, (PLAIN, *given.libraries)))


def main() -> int:
    arguments = read_arguments()
    measured: list[Outcome] = []
    for trial in range(arguments.trials):
        for name in (PLAIN, *arguments.libraries):
            measured += measure(arguments, name, trial)
            print(f"trial {trial + 1}  {name:<18} {measured[-2].seconds:.2f} s", flush=True)
    outcomes.write(arguments.results / "memoisation", measured, table(measured, arguments.number))
    return 0


if __name__ == "__main__":
    sys.exit(main())
