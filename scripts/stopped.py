"""Measures what three threads make while a fourth is stopped somewhere in its updates, over what three make alone.
Others finish whatever a thread does where the algorithm is wait-free. A lock that the stopped thread has is waited for.

Results: results/stopped.csv and .txt.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import command_line
import outcomes
from one_thread import busiest_threads, stopped

LIBRARIES = ("redo_helped", "redo_timed", "redo_opt_twin", "cx_ptm", "cx_puc", "orec_lazy_fast", "norec_fast")
WORKLOADS = {
    "queue": ("queue", "--preset", "eurosys20"),
    "hash": ("sets", "--preset", "eurosys20", "--structure", "hash", "--updates", "100", "--keys", "10000"),
}
OTHERS = 3
WARMUP = 0.2  # seconds that programs run before they measure
BEFORE, BEHIND = 0.3, 0.5  # seconds of a measurement in which nobody is stopped
RUN_LIMIT = 60.0  # seconds beyond a measurement; a run that takes longer hangs
NOT_ALLOWED = 77  # the exit status where no thread may be stopped


@dataclass(frozen=True)
class Outcome:
    workload: str
    library: str
    trial: int
    alone: float  # transactions a second of the others
    beside_stopped: float

    def share(self) -> float:
        return self.beside_stopped / self.alone


class Runs:
    """Of one workload and library."""

    def __init__(self, arguments: argparse.Namespace, workload: str, library: str) -> None:
        program, *options = WORKLOADS[workload]
        self._command = [str(arguments.build / "bin" / f"{program}_{library}"), *options, "--format", "json",
                         "--seconds", str(arguments.length), "--warmup", str(WARMUP), "--directory",
                         str(arguments.directory)]
        self._seconds: float = arguments.length

    def alone(self) -> float:
        return self._throughput(self._begin(OTHERS))

    def beside_stopped(self, alone: float) -> float:
        """:param alone: what is made a second while nobody is stopped."""
        process = self._begin(OTHERS + 1)
        self._wait_until_it_measures(process)
        begin = time.monotonic()
        with stopped(random.choice(busiest_threads(process.pid, OTHERS + 1))):
            time.sleep(self._seconds - BEFORE - BEHIND)
            seconds = time.monotonic() - begin
        return max(self._throughput(process) * self._seconds - alone * (self._seconds - seconds), 0) / seconds

    def _begin(self, threads: int) -> subprocess.Popen[str]:
        command = [*self._command, "--threads", str(threads), "--progress"]
        return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def _wait_until_it_measures(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        for line in process.stderr:
            if line == "measuring\n":
                break
        time.sleep(WARMUP + BEFORE)

    def _throughput(self, process: subprocess.Popen[str]) -> float:
        output, errors = process.communicate(timeout=self._seconds + RUN_LIMIT)
        if process.returncode != 0:
            raise SystemExit(f"{' '.join(self._command)}: exit status {process.returncode}\n{output}{errors}")
        return float(json.loads(output)["throughput"])


def table(measured: list[Outcome], seconds: float) -> str:
    lines = [f"{'workload':<10}{'library':<18}{'beside a stopped thread over alone':>36}{'thousand a second':>20}"]
    for workload, library in dict.fromkeys((each.workload, each.library) for each in measured):
        own = [each for each in measured if (each.workload, each.library) == (workload, library)]
        shares = [each.share() for each in own]
        spread = f"{median(shares):.2f} ({min(shares):.2f}-{max(shares):.2f})"
        lines.append(f"{workload:<10}{library:<18}{spread:>36}{median(each.alone for each in own) / 1000:>20,.0f}")
    trials = max(each.trial for each in measured) + 1
    return "\n".join([*lines, "", f"Medians of {trials} trials (smallest-largest) of {seconds:g} s each; cores: "
                      f"{os.cpu_count()}; {OTHERS} threads, and one that is stopped.", ""])


def programs(arguments: argparse.Namespace) -> list[str]:
    return [f"{program}_{library}" for program, *_ in WORKLOADS.values() for library in arguments.libraries]


def main() -> int:
    parser = command_line.parser(__doc__, trials=7, libraries=LIBRARIES, directory=Path("/dev/shm"))
    parser.add_argument("--length", type=float, default=10.0, help="seconds of a run")
    arguments = command_line.parse(parser, programs)
    if arguments.length < 2 * (BEFORE + BEHIND):
        raise SystemExit(f"stopped.py: --length {arguments.length:g} is too short: take 2 or more")
    measured = []
    for trial in range(arguments.trials):
        for workload in WORKLOADS:
            for library in arguments.libraries:
                runs = Runs(arguments, workload, library)
                alone = runs.alone()
                measured.append(Outcome(workload, library, trial, alone, runs.beside_stopped(alone)))
                print(f"trial {trial + 1}  {workload:<6} {library:<16} {measured[-1].share():.2f}", flush=True)
    outcomes.write(arguments.results / "stopped", measured, table(measured, arguments.length))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except PermissionError as error:
        print(f"stopped.py: {error}. Allow it: kernel.yama.ptrace_scope=1, --cap-add=SYS_PTRACE", file=sys.stderr)
        sys.exit(NOT_ALLOWED)
