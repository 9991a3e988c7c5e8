"""What the crash tests share: running a program, killing it at a random moment, and summing up what recovery did."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SHORTEST_LIFE = 0.001  # seconds between the first transaction and the kill
LONGEST_LIFE = 0.060
LONGEST_RECOVERY_BEFORE_KILL = 0.020
LONGEST_STOP = 0.004
LONGEST_CHECK = 30.0  # in a broken structure it may go round in circles


class Broken(Exception):
    """What a crash must not do to the data, or a program that failed otherwise."""


@dataclass
class Opened:
    """What a program says about opening its pool."""

    state: str
    replayed: int
    rolled_back: int
    reclaimed: int


@dataclass
class Tally:
    """What the kills met. A test that never recovered anything would prove nothing."""

    kills: int = 0
    recovered: int = 0
    replayed: int = 0
    rolled_back: int = 0
    reclaimed: int = 0
    kills_in_recovery: int = 0

    def count(self, opened: Opened) -> None:
        self.recovered += opened.state == "recovered"
        self.replayed += opened.replayed > 0
        self.rolled_back += opened.rolled_back > 0
        self.reclaimed += opened.reclaimed > 0

    def __str__(self) -> str:
        return (
            f"{self.kills} kills: {self.recovered} recovered, {self.replayed} of them wrote committed transactions "
            f"back, {self.rolled_back} undid unfinished ones, {self.reclaimed} freed unreachable blocks; "
            f"{self.kills_in_recovery} kills hit recovery itself"
        )


def read_arguments(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("program", type=Path)
    parser.add_argument("options", nargs="*", help="of the program; it and they come last, after --")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TEST_ROUND", "1")),
                        help="of the moments at which the program is killed")
    parser.add_argument("--directory", type=Path, help="where the pool lies (default: /dev/shm)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--in-turn", type=Path, help="the same program with another library: each recovers what the "
                        "other leaves")
    parser.add_argument("--stops", action="store_true", help="stop the program now and then (SIGSTOP) and let it go on")
    parser.add_argument("--expect-replay", action="store_true", help="fail unless some kill left a log to replay")
    parser.add_argument("--expect-broken", action="store_true", help="fail unless the data is broken at last: the "
                        "control for this test, with a library that is not crash-safe")
    return parser.parse_args()


def run_to_end(command: list[str]) -> str:
    """Standard output of a program that must succeed."""
    try:
        done = subprocess.run(command, text=True, capture_output=True, timeout=LONGEST_CHECK)
    except subprocess.TimeoutExpired as expired:
        raise Broken(f"{' '.join(command)}: does not end within {LONGEST_CHECK:.0f} s") from expired
    if done.returncode != 0:
        raise Broken(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}{done.stdout}")
    return done.stdout


def kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    status = process.wait()
    if status != -signal.SIGKILL:
        raise Broken(f"{process.args!r}: ended with status {status} before it was killed")


class Stops:
    """Stops a process for a moment, wherever it is: what holds a lock or a turn is then away for much longer than
    others wait by turning round."""

    def __init__(self, wanted: bool) -> None:
        self._choice = random.Random(1) if wanted else None

    def stop(self, process: subprocess.Popen[bytes]) -> None:
        if self._choice is None:
            return
        process.send_signal(signal.SIGSTOP)
        time.sleep(self._choice.uniform(0, LONGEST_STOP))
        process.send_signal(signal.SIGCONT)

    def stop_before_kill(self, process: subprocess.Popen[bytes]) -> None:
        """Half of the processes do not go on again before they are killed."""
        if self._choice is not None and self._choice.random() < 0.5:
            process.send_signal(signal.SIGSTOP)


def kill_in_recovery(command: list[str], choice: random.Random) -> bool:
    """Starts a program that opens the pool and kills it soon. Whether it was still running then."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    time.sleep(choice.uniform(0, LONGEST_RECOVERY_BEFORE_KILL))
    process.kill()
    status = process.wait()
    if status not in (0, -signal.SIGKILL):
        raise Broken(f"{' '.join(command)}: exit status {status} while recovering")
    return status != 0


@dataclass(frozen=True)
class Victim:
    """A program that is killed, and how its data is checked."""

    run_and_kill: Callable[[Path, float], None]  # with the pool and the seconds that transactions may run
    check: Callable[[Path], Opened]  # raises Broken
    check_command: Callable[[Path], list[str]]


def torture(arguments: argparse.Namespace, victim: Victim) -> int:
    """Kills, re-opens and checks, over and over on the same pool.

    :return: the exit status."""
    base = arguments.directory or Path("/dev/shm")
    base.mkdir(parents=True, exist_ok=True)
    directory = Path(tempfile.mkdtemp(prefix="perdure-crash-", dir=base))
    pool = directory / "torture.pool"
    tally = Tally()
    print(f"{arguments.program.name}: seed {arguments.seed}, {arguments.kills} kills, pool {pool}", flush=True)
    failure = first_failure(arguments, victim, pool, tally)
    print(tally)
    if arguments.expect_broken:
        print(f"broken, as it should be: {failure}" if failure else "FAILED: nothing broke, so this test sees nothing")
    elif failure:
        print(f"FAILED: {failure}\nThe pool is kept: {pool}")
        return 1
    shutil.rmtree(directory)
    return int(arguments.expect_broken and not failure)


def first_failure(arguments: argparse.Namespace, victim: Victim, pool: Path, tally: Tally) -> Broken | None:
    choice = random.Random(arguments.seed)
    victim.run_and_kill(pool, choice.uniform(SHORTEST_LIFE, LONGEST_LIFE))
    try:
        for _ in range(arguments.kills - 1):
            check_after_kill(victim, pool, choice, tally)
            victim.run_and_kill(pool, choice.uniform(SHORTEST_LIFE, LONGEST_LIFE))
        check_after_kill(victim, pool, choice, tally)
        if arguments.expect_replay and tally.replayed + tally.rolled_back == 0:
            raise Broken("no kill left a log to replay: the test proved less than it should; use more kills")
    except Broken as error:
        return error
    return None


def check_after_kill(victim: Victim, pool: Path, choice: random.Random, tally: Tally) -> None:
    """Every fourth kill is followed by one in recovery; then the pool may be found closed already."""
    tally.kills += 1
    twice = tally.kills % 4 == 0
    if twice:
        tally.kills_in_recovery += kill_in_recovery(victim.check_command(pool), choice)
    opened = victim.check(pool)
    if not twice and opened.state != "recovered":
        raise Broken(f"after a kill the pool opened as '{opened.state}', not as 'recovered'")
    tally.count(opened)
