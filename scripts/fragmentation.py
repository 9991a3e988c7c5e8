"""Measures fragmentation: the size of a pool's file, and of the disk space it takes up, for each byte that a program
has allocated and not freed, after many random allocations and frees of mixed sizes (16 bytes to 512 KiB).

Results: results/fragmentation.csv and .txt.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import command_line
import outcomes

LIBRARIES = ("orec_lazy_fast", "orec_lazy_ip")
RUN_LIMIT = 7200.0  # seconds; a run that takes longer hangs
MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class Outcome:
    library: str
    operations: int
    seconds: float
    live_bytes: int
    file_bytes: int
    disk_bytes: int
    closed_file_bytes: int
    closed_disk_bytes: int
    worst_file_ratio: float  # of all looks in the second half of the run
    worst_disk_ratio: float


def measure(arguments: argparse.Namespace, library: str) -> Outcome:
    pool = arguments.directory / f"perdure-fragmentation-{os.getpid()}.pool"
    command = [str(arguments.build / "bin" / f"fragmentation_{library}"), "--pool", str(pool), "--operations",
               str(arguments.operations), "--places", str(arguments.places), "--seed", str(arguments.seed)]
    try:
        done = subprocess.run(command, text=True, capture_output=True, timeout=RUN_LIMIT)
    finally:
        pool.unlink(missing_ok=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    record = json.loads(done.stdout)
    return Outcome(**{name: record[name] for name in Outcome.__dataclass_fields__})


def table(measured: list[Outcome]) -> str:
    lines = [f"{'library':<16}{'operations':>12}{'live, MiB':>11}{'file / live':>13}{'disk / live':>13}"
             f"{'worst file':>12}{'worst disk':>12}{'closed file':>13}{'closed disk':>13}{'seconds':>9}"]
    for run in measured:
        lines.append(f"{run.library:<16}{run.operations:>12}{run.live_bytes / MEBIBYTE:>11.1f}"
                     f"{run.file_bytes / run.live_bytes:>13.3f}{run.disk_bytes / run.live_bytes:>13.3f}"
                     f"{run.worst_file_ratio:>12.3f}{run.worst_disk_ratio:>12.3f}"
                     f"{run.closed_file_bytes / run.live_bytes:>13.3f}"
                     f"{run.closed_disk_bytes / run.live_bytes:>13.3f}{run.seconds:>9.0f}")
    return "\n".join([*lines, "", "For each byte that was asked for and not freed; worst: in the second half of the "
                      "run.", ""])


def read_arguments() -> argparse.Namespace:
    parser = command_line.parser(__doc__, libraries=LIBRARIES, directory=Path("/dev/shm"))
    parser.add_argument("--operations", type=int, default=100_000_000, help="allocations and frees")
    parser.add_argument("--places", type=int, default=400_000, help="blocks that there may be at once")
    parser.add_argument("--seed", type=int, default=1)
    return command_line.parse(parser, lambda given: [f"fragmentation_{library}" for library in given.libraries])


def main() -> int:
    arguments = read_arguments()
    measured: list[Outcome] = []
    for library in arguments.libraries:
        measured.append(measure(arguments, library))
        print(f"{library:<16} {measured[-1].file_bytes / measured[-1].live_bytes:.3f}", flush=True)
    outcomes.write(arguments.results / "fragmentation", measured, table(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
