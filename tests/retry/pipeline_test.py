"""Kills the pipeline (examples/waiting) again and again, and lets it come to its end: the sum of what the consumers
have counted must be that of what the producers have made, so nothing was lost and nothing counted twice.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SHORTEST_LIFE, LONGEST_LIFE = 0.01, 0.25  # seconds
END_LIMIT = 120.0  # of a run that nobody kills
KILLS_OF_A_POOL = 40


def run_and_kill(command: list[str], life: float) -> int | None:
    """Returns the exit status of a program that ends by itself within this time; None if it was killed."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        return process.wait(life)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


def torture(command: list[str], most_kills: int, draw: random.Random) -> int:
    """Runs the pipeline of one pool until it ends. Returns how often it was killed."""
    kills = 0
    while kills < most_kills:
        status = run_and_kill(command, draw.uniform(SHORTEST_LIFE, LONGEST_LIFE))
        if status is None:
            kills += 1
        elif status != 0:
            raise SystemExit(f"after {kills} kills the pipeline ended with status {status}: items are lost or doubled")
        else:
            return kills
    if run_and_kill(command, END_LIMIT) != 0:
        raise SystemExit(f"after {kills} kills the pipeline did not come to a good end")
    return kills


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--items", type=int, default=3000, help="of each producer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("program", type=Path)
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    in_memory = Path("/dev/shm")
    kills = pools = 0
    while kills < arguments.kills:
        folder = tempfile.mkdtemp(prefix="perdure_pipeline_", dir=in_memory if in_memory.is_dir() else None)
        try:
            command = [str(arguments.program), f"{folder}/a.pool", str(arguments.items)]
            kills += torture(command, min(KILLS_OF_A_POOL, arguments.kills - kills), draw)
            pools += 1
        finally:
            shutil.rmtree(folder)
    print(f"{kills} kills, {pools} pools")
    return 0


if __name__ == "__main__":
    sys.exit(main())
