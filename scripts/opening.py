"""Measures how long a store with LevelDB's interface takes to open, beside LevelDB and RocksDB: full of keys of 16
bytes and values of 100, after a close and after a kill in the midst of writes; and its size for each byte of them.

Results: results/opening.csv and .txt.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import command_line
import outcomes
from contenders import STORE_FRONT_BENCHMARK, STORE_FRONTS

RUN_LIMIT = 1800.0  # seconds; a run that takes longer hangs
WRITING = 2.0  # seconds that it writes before the kill
LIVE_BYTES = 16 + 100  # of an entry


@dataclass(frozen=True)
class Outcome:
    library: str
    entries: int
    end: str  # how the last user of the store ended: close, kill
    trial: int
    milliseconds: float
    bytes_for_each: float  # live byte, that the file system has given to the store


class Store:
    """A folder, and the program that opens it."""

    def __init__(self, build: Path, library: str, folder: Path, entries: int) -> None:
        self._program = build / "bin" / program_of(library)
        self._library = library
        self._folder = folder
        self._entries = entries

    def outcomes(self, trial: int) -> Iterator[Outcome]:
        """It is filled and closed; opened; written to, killed, and opened again."""
        shutil.rmtree(self._folder, ignore_errors=True)
        try:
            self._run("readrandom", "--transactions", "1")
            yield self._outcome("close", trial)
            self._write_until_killed()
            yield self._outcome("kill", trial)
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _outcome(self, end: str, trial: int) -> Outcome:
        size = sum(file.stat().st_blocks * 512 for file in self._folder.iterdir())
        record = json.loads(self._run("readrandom", "--reopen"))
        return Outcome(self._library, self._entries, end, trial, record["open_milliseconds"],
                       size / (self._entries * LIVE_BYTES))

    def _command(self, preset: str, *options: str) -> list[str]:
        return [str(self._program), "--preset", preset, "--pool", str(self._folder), "--entries", str(self._entries),
                "--format", "json", *options]

    def _run(self, preset: str, *options: str) -> str:
        command = self._command(preset, *options)
        done = subprocess.run(command, text=True, capture_output=True, timeout=RUN_LIMIT)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def _write_until_killed(self) -> None:
        with subprocess.Popen(self._command("overwrite", "--seconds", "1000"), stdout=subprocess.DEVNULL) as process:
            time.sleep(WRITING)
            if process.poll() is not None:
                raise SystemExit(f"{self._program} ended by itself, before it was killed: {process.returncode}")
            process.kill()


def program_of(library: str) -> str:
    return f"{STORE_FRONT_BENCHMARK}_{library}"


def table(measured: list[Outcome]) -> str:
    lines = [f"{'library':<18}{'entries':>10}{'end':>7}{'open, ms':>26}{'bytes for each live byte':>28}"]
    for library, entries, end in dict.fromkeys((run.library, run.entries, run.end) for run in measured):
        own = [run for run in measured if (run.library, run.entries, run.end) == (library, entries, end)]
        lines.append(f"{library:<18}{entries:>10}{end:>7}{outcomes.spread([run.milliseconds for run in own]):>26}"
                     f"{median(run.bytes_for_each for run in own):>28.2f}")
    return "\n".join([*lines, "", "Medians (smallest-largest).", ""])


def read_arguments() -> argparse.Namespace:
    parser = command_line.parser(__doc__, trials=3, libraries=STORE_FRONTS, directory=Path("/dev/shm"))
    parser.add_argument("--entries", type=int, default=10_000_000)
    return command_line.parse(parser, lambda given: map(program_of, given.libraries))


def main() -> int:
    arguments = read_arguments()
    folder = arguments.directory / f"perdure-opening-{os.getpid()}"
    measured: list[Outcome] = []
    for trial in range(arguments.trials):
        for library in arguments.libraries:
            measured += Store(arguments.build, library, folder, arguments.entries).outcomes(trial)
            print(f"trial {trial + 1}  {library:<16} {measured[-2].milliseconds:.1f} ms, "
                  f"{measured[-1].milliseconds:.1f} ms", flush=True)
    outcomes.write(arguments.results / "opening", measured, table(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
