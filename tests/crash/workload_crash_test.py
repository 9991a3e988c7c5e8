"""Kills a benchmark while two threads run its transactions; afterwards its invariants must hold.

The program and its options come after `--`. The data should be small: populating, recovering and checking takes most of
the time otherwise.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from torture import Broken, Opened, Stops, Victim, kill, read_arguments, run_to_end, torture

SHORTEST_LEFT = 0.002  # seconds


class WorkloadTorture:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self._command = [str(arguments.program), *arguments.options]
        self._threads = arguments.threads
        self._stops = Stops(arguments.stops)

    def run_and_kill(self, pool: Path, life: float) -> None:
        command = [*self._command, "--pool", str(pool), "--threads", str(self._threads)]
        command += ["--seconds", "600", "--warmup", "0", "--progress"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert process.stderr is not None
        try:
            said = b""
            while b"measuring" not in said:
                line = process.stderr.readline()
                if not line:
                    raise Broken(f"{' '.join(command)}: ended by itself:\n{said.decode()}")
                said += line
            end = time.monotonic() + life
            while (left := end - time.monotonic()) > 0:
                time.sleep(left / 2 if left > SHORTEST_LEFT else left)
                self._stops.stop(process)
            self._stops.stop_before_kill(process)
            kill(process)
        finally:
            process.kill()
            process.wait()
            process.stderr.close()

    def check_command(self, pool: Path) -> list[str]:
        return [*self._command, "--pool", str(pool), "--reopen", "--format", "json"]

    def check(self, pool: Path) -> Opened:
        record = json.loads(run_to_end(self.check_command(pool)))
        counted = ("transactions_replayed", "transactions_rolled_back", "blocks_reclaimed")
        return Opened(record["opened"], *(record[name] for name in counted))


def main(arguments: argparse.Namespace) -> int:
    workload = WorkloadTorture(arguments)
    return torture(arguments, Victim(workload.run_and_kill, workload.check, workload.check_command))


if __name__ == "__main__":
    sys.exit(main(read_arguments(__doc__)))
