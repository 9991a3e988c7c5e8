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

from torture import Broken, Opened, Victim, kill, read_arguments, run_to_end, torture

class WorkloadTorture:
    def __init__(self, program: Path, options: list[str]) -> None:
        self._command = [str(program), *options]

    def run_and_kill(self, pool: Path, life: float) -> None:
        command = [*self._command, "--pool", str(pool), "--threads", "2", "--seconds", "600", "--warmup", "0"]
        command.append("--progress")
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert process.stderr is not None
        try:
            said = b""
            while b"measuring" not in said:
                line = process.stderr.readline()
                if not line:
                    raise Broken(f"{' '.join(command)}: ended by itself:\n{said.decode()}")
                said += line
            time.sleep(life)
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
    workload = WorkloadTorture(arguments.program, arguments.options)
    return torture(arguments, Victim(workload.run_and_kill, workload.check, workload.check_command))


if __name__ == "__main__":
    sys.exit(main(read_arguments(__doc__)))
