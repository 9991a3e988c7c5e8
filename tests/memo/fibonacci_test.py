"""Kills the example of remembered Fibonacci numbers (examples/memo) while it computes, and lets it come to its end: the
number must be the right one, no run may compute all of them, and a run after the last one none.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NUMBER = 20_000
KILLS = 8
SHORTEST_LIFE = 0.03  # seconds; each is longer than the one before, for machines that are busy
END_LIMIT = 120.0  # of a run that nobody kills


def fibonacci(number: int) -> int:
    previous, current = 1, 0
    for _ in range(number):
        previous, current = current, previous + current
    return current


def run_to_end(command: list[str]) -> tuple[int, int]:
    """Returns how many numbers this run has computed, and how many there are."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=END_LIMIT, check=True)
    if int(done.stdout) != fibonacci(NUMBER):
        raise SystemExit(f"the number is wrong: {done.stdout}")
    counts = re.search(r"evaluated (\d+), of (\d+)", done.stderr)
    assert counts is not None
    return int(counts[1]), int(counts[2])


def kill_some(command: list[str]) -> int:
    kills = 0
    for life in range(1, KILLS + 1):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(SHORTEST_LIFE * life)
        if process.poll() is None:
            kills += 1
        process.kill()
        process.wait()
    return kills


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path)
    program = parser.parse_args().program
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    in_memory = Path("/dev/shm")
    folder = tempfile.mkdtemp(prefix="perdure_fibonacci_", dir=in_memory if in_memory.is_dir() else None)
    try:
        command = [str(program), f"{folder}/a.pool", str(NUMBER)]
        kills = kill_some(command)
        first = run_to_end(command)
        second = run_to_end(command)
    finally:
        shutil.rmtree(folder)
    print(f"{kills} kills; then {first[0]} of {first[1]} were computed, then {second[0]}")
    if first[1] != NUMBER + 1 or second != (0, NUMBER + 1):
        raise SystemExit("other numbers are remembered than were computed")
    if kills == 0:
        raise SystemExit("no kill met the computation: compute more")
    if first[0] > NUMBER:
        raise SystemExit("what was computed before the kills is lost")
    return 0


if __name__ == "__main__":
    sys.exit(main())
