"""Kills a program whose threads ask a memo for results; afterwards every result that was returned must be there, and
the diary that the program keeps beside the pool must not tell of an evaluation of what had been returned before, or of
two in one run.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

from torture import Broken, Opened, Stops, Victim, kill, read_arguments, run_to_end, torture

SHORTEST_LEFT = 0.002  # seconds


class MemoTorture:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self._command = [str(arguments.program), *arguments.options, "--threads", str(arguments.threads)]
        self._stops = Stops(arguments.stops)
        self.calls = self.interrupted = 0

    def run_and_kill(self, pool: Path, life: float) -> None:
        command = [*self._command, str(pool), "--seconds", "600"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert process.stdout is not None
        try:
            while (line := process.stdout.readline()) != b"working\n":
                if not line:
                    raise Broken(f"{' '.join(command)}: ended by itself with status {process.wait()}")
            end = time.monotonic() + life
            while (left := end - time.monotonic()) > 0:
                time.sleep(left / 2 if left > SHORTEST_LEFT else left)
                self._stops.stop(process)
            self._stops.stop_before_kill(process)
            kill(process)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

    def check_command(self, pool: Path) -> list[str]:
        return [*self._command, str(pool), "--check"]

    def check(self, pool: Path) -> Opened:
        said = run_to_end(self.check_command(pool))
        opened = re.search(r"opened (\w+) replayed (\d+) rolled back (\d+) reclaimed (\d+)", said)
        counts = re.search(r"calls (\d+) results \d+ interrupted (\d+)", said)
        if opened is None or counts is None:
            raise Broken(f"the check says nothing of what it found:\n{said}")
        self.calls, self.interrupted = int(counts[1]), int(counts[2])
        return Opened(opened[1], *map(int, opened.groups()[1:]))


def main(arguments: argparse.Namespace) -> int:
    memo = MemoTorture(arguments)
    status = torture(arguments, Victim(memo.run_and_kill, memo.check, memo.check_command))
    print(f"{memo.calls} evaluations, {memo.interrupted} of them again, since kills had interrupted them")
    if status == 0 and memo.interrupted == 0:
        print("FAILED: no kill met an evaluation: the test proved less than it should; use more kills")
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main(read_arguments(__doc__)))
