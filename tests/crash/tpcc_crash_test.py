"""Kills TPC-C while two threads enter New Orders; afterwards the consistency conditions 1 to 4 must hold.

A transaction there writes some forty rows, so that most kills interrupt one in the middle.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from torture import Broken, Opened, Victim, kill, read_arguments, run_to_end, torture

# A small database: populating, recovering and checking a full one takes most of the time otherwise.
SCALE = ["--items", "2000", "--customers", "60", "--initial-orders", "60", "--warehouses", "2"]


class TpccTorture:
    def __init__(self, program: Path) -> None:
        self._program = str(program)

    def run_and_kill(self, pool: Path, life: float) -> None:
        command = [self._program, "--pool", str(pool), "--preset", "standard", *SCALE]
        command += ["--threads", "2", "--seconds", "600", "--warmup", "0", "--progress"]
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
        return [self._program, "--pool", str(pool), "--reopen", "--format", "json"]

    def check(self, pool: Path) -> Opened:
        record = json.loads(run_to_end(self.check_command(pool)))
        return Opened(record["opened"], record["transactions_replayed"], record["blocks_reclaimed"])


def main(arguments: argparse.Namespace) -> int:
    tpcc = TpccTorture(arguments.program)
    return torture(arguments, Victim(tpcc.run_and_kill, tpcc.check, tpcc.check_command))


if __name__ == "__main__":
    sys.exit(main(read_arguments(__doc__)))
