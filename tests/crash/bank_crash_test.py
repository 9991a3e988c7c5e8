"""Kills the bank while two threads move money; afterwards no money and no acknowledged transfer may be missing.

Each thread acknowledges a transfer on a pipe once its transaction has ended. A killed thread may have finished one
transfer that it did not come to acknowledge, so the pool must hold what was acknowledged and at most one more.
"""

from __future__ import annotations

import argparse
import os
import re
import select
import subprocess
import sys
import time
from array import array
from pathlib import Path

from torture import Broken, Opened, Stops, Victim, kill, read_arguments, run_to_end, torture

START_LIMIT = 60.0  # seconds until the first transfer
READ_BYTES = 1 << 20


class Acknowledgements:
    """The last transfer each teller acknowledged. Numbers must come one after the other."""

    def __init__(self) -> None:
        self.last: dict[int, int] = {}
        self._rest = b""

    def add(self, data: bytes) -> None:
        data = self._rest + data
        whole = len(data) - len(data) % 16
        self._rest = data[whole:]
        words = array("q", data[:whole])
        for teller, number in zip(words[0::2], words[1::2]):
            if number != self.last.get(teller, 0) + 1:
                raise Broken(f"teller {teller} acknowledged transfer {number} after {self.last.get(teller, 0)}")
            self.last[teller] = number


class BankTorture:
    def __init__(self, program: Path, threads: int = 2, stops: bool = False, in_turn: Path | None = None) -> None:
        self._program = str(program)
        self._next_program = str(in_turn or program)
        self._threads = threads
        self._stops = Stops(stops)
        self._acknowledged = Acknowledgements()

    def transfers(self) -> int:
        return sum(self._acknowledged.last.values())

    def run_and_kill(self, pool: Path, life: float) -> None:
        reader, writer = os.pipe()
        command = [self._program, str(pool), "--threads", str(self._threads), "--seconds", "600"]
        command += ["--acknowledge", str(writer)]
        process = subprocess.Popen(command, pass_fds=(writer,), stdout=subprocess.DEVNULL)
        os.close(writer)
        try:
            if not select.select([reader], [], [], START_LIMIT)[0]:
                raise Broken(f"no transfer within {START_LIMIT:.0f} s")
            deadline = time.monotonic() + life
            received = []
            while (left := deadline - time.monotonic()) > 0:
                if select.select([reader], [], [], left)[0]:
                    received.append(os.read(reader, READ_BYTES))
                    if not received[-1]:
                        raise Broken(f"{' '.join(command)}: ended by itself with status {process.wait()}")
                self._stops.stop(process)
            self._stops.stop_before_kill(process)
            kill(process)
            while data := os.read(reader, READ_BYTES):
                received.append(data)
        finally:
            process.kill()
            process.wait()
            os.close(reader)
        self._acknowledged.add(b"".join(received))
        self._program, self._next_program = self._next_program, self._program

    def acknowledge(self, data: bytes) -> None:
        self._acknowledged.add(data)

    def check_command(self, pool: Path) -> list[str]:
        return [self._program, str(pool), "--check"]

    def check(self, pool: Path) -> Opened:
        """The program itself checks the total and the tellers' notes; here it is held against the pipe."""
        report = run_to_end(self.check_command(pool))
        counted = {int(teller): int(number) for teller, number in re.findall(r"teller (\d+) transfers (\d+)", report)}
        for teller in counted.keys() | self._acknowledged.last.keys():
            stored = counted.get(teller, 0)
            acknowledged = self._acknowledged.last.get(teller, 0)
            if not acknowledged <= stored <= acknowledged + 1:
                raise Broken(f"teller {teller} acknowledged {acknowledged} transfers, {stored} are stored\n{report}")
            self._acknowledged.last[teller] = stored
        match = re.search(r"opened (\w+) replayed (\d+) rolled back (\d+) reclaimed (\d+)", report)
        if match is None:
            raise Broken(f"the report does not say how the pool was opened:\n{report}")
        return Opened(match[1], int(match[2]), int(match[3]), int(match[4]))


def main(arguments: argparse.Namespace) -> int:
    bank = BankTorture(arguments.program, arguments.threads, arguments.stops, arguments.in_turn)
    status = torture(arguments, Victim(bank.run_and_kill, bank.check, bank.check_command))
    print(f"{bank.transfers()} transfers")
    return status


if __name__ == "__main__":
    sys.exit(main(read_arguments(__doc__)))
