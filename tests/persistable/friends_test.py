"""Runs the example `friends` several times, some of them killed, on one pool: what it built is there, whole."""

import argparse
import random
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

FRIENDS = {"Ada": 2, "Barbara": 3, "Edsger": 4, "Grace": 4, "Maurice": 3, "Nir": 2}
LINE = re.compile(r"(\w+) has (\d+) friends and was greeted (\d+) times")


def greetings(program: str, pool: Path, rounds: int) -> dict[str, int]:
    """How often each was greeted, after a run of so many rounds."""
    output = subprocess.run([program, pool, str(rounds)], check=True, capture_output=True, text=True).stdout
    lines = LINE.findall(output)
    assert {name: int(friends) for name, friends, _ in lines} == FRIENDS, output
    assert f"{rounds * len(FRIENDS)} greetings in this run" in output, output
    return {name: int(count) for name, _, count in lines}


def kill_soon(program: str, pool: Path) -> None:
    process = subprocess.Popen([program, pool, "1000000000"])
    time.sleep(random.uniform(0.0, 0.05))
    process.send_signal(signal.SIGKILL)
    process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=10)
    arguments = parser.parse_args()
    program = arguments.program
    with tempfile.TemporaryDirectory() as directory:
        pool = Path(directory) / "friends.pool"
        for _ in range(arguments.kills):
            if random.random() < 0.3:
                pool.unlink(missing_ok=True)  # what is built at first is killed as well
            kill_soon(program, pool)
        before = greetings(program, pool, 0)
        after = greetings(program, pool, 5)
        assert all(after[name] - before[name] == 5 * friends for name, friends in FRIENDS.items()), (before, after)


if __name__ == "__main__":
    main()
