"""Measures allocation in transactions: binary trees and a churn of blocks, in the libraries, in libpmemobj, and without
transactions with jemalloc. Ratios are those of runs next to each other.

Results: results/allocation.csv and .txt.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import command_line
import outcomes

LIBRARIES = ("orec_lazy_fast", "orec_lazy_ip")
PEER = "pmemobj"
VOLATILE = "jemalloc"  # the program of the first library, without transactions
JEMALLOC = "libjemalloc.so.2"
PRESETS = ("trees", "larson")
RUN_LIMIT = 600.0  # seconds; a run that takes longer hangs


@dataclass(frozen=True)
class Outcome:
    preset: str
    trial: int
    allocator: str
    steps_per_second: float


def measure(arguments: argparse.Namespace, preset: str, trial: int, allocator: str) -> Outcome:
    library = LIBRARIES[0] if allocator == VOLATILE else allocator
    command = [str(arguments.build / "bin" / f"allocation_{library}"), "--preset", preset, "--format", "json",
               "--threads", str(arguments.threads), "--seconds", str(arguments.seconds), "--depth",
               str(arguments.depth)]
    environment = dict(os.environ)
    if allocator == VOLATILE:
        command.append("--plain")
        environment["LD_PRELOAD"] = JEMALLOC
    done = subprocess.run(command, text=True, capture_output=True, timeout=RUN_LIMIT, env=environment)
    if done.returncode != 0 or "cannot be preloaded" in done.stderr:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return Outcome(preset, trial, allocator, json.loads(done.stdout)["throughput"])


def ratios(measured: list[Outcome], preset: str, allocator: str, other: str) -> str:
    """Of the steps a second of the one to those of the other, trial by trial."""
    rate = {(outcome.trial, outcome.allocator): outcome.steps_per_second for outcome in measured
            if outcome.preset == preset}
    trials = sorted({trial for trial, _ in rate})
    values = [rate[trial, allocator] / rate[trial, other] for trial in trials]
    return f"{median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


def table(measured: list[Outcome]) -> str:
    lines = [f"{'':<10}{'':<18}{'steps a second':>16}{'of ' + PEER:>24}{'of ' + VOLATILE:>24}"]
    for preset in PRESETS:
        for allocator in (*LIBRARIES, PEER, VOLATILE):
            own = [outcome.steps_per_second for outcome in measured
                   if (outcome.preset, outcome.allocator) == (preset, allocator)]
            lines.append(f"{preset:<10}{allocator:<18}{median(own):>16.2f}"
                         f"{ratios(measured, preset, allocator, PEER):>24}"
                         f"{ratios(measured, preset, allocator, VOLATILE):>24}")
    return "\n".join([*lines, "", "Medians (smallest-largest). A step: a tree that is made, walked and freed; or 16 "
                      "blocks that are replaced.", ""])


def read_arguments() -> argparse.Namespace:
    parser = command_line.parser(__doc__, trials=5, seconds=5)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--depth", type=int, default=18, help="of the trees")
    return command_line.parse(parser, lambda given: [f"allocation_{library}" for library in (*LIBRARIES, PEER)])


def main() -> int:
    arguments = read_arguments()
    measured: list[Outcome] = []
    for trial in range(arguments.trials):
        for preset in PRESETS:
            for allocator in (*LIBRARIES, PEER, VOLATILE):
                measured.append(measure(arguments, preset, trial, allocator))
                print(f"trial {trial + 1}  {preset:<8} {allocator:<16} {measured[-1].steps_per_second:.2f} steps/s",
                      flush=True)
    outcomes.write(arguments.results / "allocation", measured, table(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
