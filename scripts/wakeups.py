"""Measures wake-ups: how soon a thread goes on that waits for another one's transaction by TM_RETRY, beside one that
waits for a condition variable, in turn in one process; and how much of a processor a wait takes.

Results: results/wakeups.csv and .txt.
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

LIBRARIES = ("orec_lazy_fast", "orec_lazy_ip", "orec_eager_ip", "norec_fast", "lock_stm")
RUN_LIMIT = 300.0  # seconds; a run that takes longer hangs


@dataclass(frozen=True)
class Outcome:
    library: str
    trial: int
    retry_p50_us: float
    retry_p99_us: float
    condition_variable_p50_us: float
    condition_variable_p99_us: float
    waited_milliseconds: int
    processor_us: float  # of a thread that waits so long by TM_RETRY

    def ratio(self) -> float:
        return self.retry_p50_us / self.condition_variable_p50_us


def measure(arguments: argparse.Namespace, library: str, trial: int) -> Outcome:
    pool = arguments.directory / f"perdure-wakeups-{os.getpid()}.pool"
    command = [str(arguments.build / "bin" / f"wakeups_{library}"), "--pool", str(pool), "--rounds",
               str(arguments.rounds)]
    try:
        done = subprocess.run(command, text=True, capture_output=True, timeout=RUN_LIMIT)
    finally:
        for file in pool.parent.glob(f"{pool.name}*"):
            file.unlink()
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return Outcome(trial=trial, **json.loads(done.stdout))


def table(measured: list[Outcome]) -> str:
    lines = [f"{'library':<18}{'TM_RETRY, us':>22}{'condition variable, us':>26}{'ratio':>8}{'processor, us':>16}"]
    for library in dict.fromkeys(each.library for each in measured):
        of_library = [each for each in measured if each.library == library]
        lines.append(f"{library:<18}{outcomes.spread([each.retry_p50_us for each in of_library]):>22}"
                     f"{outcomes.spread([each.condition_variable_p50_us for each in of_library]):>26}"
                     f"{median([each.ratio() for each in of_library]):>8.2f}"
                     f"{median([each.processor_us for each in of_library]):>16.0f}")
    lines += ["", "Medians of the trials (smallest-largest) of what half of the wake-ups take. Processor: of a thread",
              f"that waits for {measured[0].waited_milliseconds} ms.", ""]
    return "\n".join(lines)


def main() -> int:
    parser = command_line.parser(__doc__, trials=5, libraries=LIBRARIES, directory=Path("/dev/shm"))
    parser.add_argument("--rounds", type=int, default=2000, help="wake-ups of each kind")
    arguments = command_line.parse(parser, lambda given: [f"wakeups_{library}" for library in given.libraries])
    measured = [measure(arguments, library, trial) for trial in range(arguments.trials)
                for library in arguments.libraries]
    outcomes.write(arguments.results / "wakeups", measured, table(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
