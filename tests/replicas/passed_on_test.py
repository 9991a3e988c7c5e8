"""A pool goes from a library with replicas to another one and back, closed or killed, after any number of updates."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAMS = sys.argv[1:3]
ROUNDS = 24


class PassedOn(unittest.TestCase):
    def setUp(self) -> None:
        self._directory = tempfile.TemporaryDirectory()
        self.pool = Path(self._directory.name) / "numbers.pool"
        self.count = 0

    def tearDown(self) -> None:
        self._directory.cleanup()

    def run_program(self, program: str, updates: int, end: str, found: str | None) -> None:
        command = [program, str(self.pool), str(self.count), str(self.count + updates), end]
        result = subprocess.run([*command, *([found] if found else [])], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, -signal.SIGKILL if end == "killed" else 0, result.stderr)
        self.count += updates

    def pass_on(self, ends: list[str]) -> None:
        found = None
        programs = itertools.cycle(PROGRAMS)
        for turn, end in zip(range(ROUNDS), itertools.cycle(ends)):
            # 0 to 3 updates by each: either copy may be the one that counts.
            self.run_program(next(programs), turn // 2 % 4, end, found)
            found = "clean" if end == "closed" else "recovered"

    def test_closed(self) -> None:
        self.pass_on(["closed"])

    def test_killed(self) -> None:
        self.pass_on(["killed"])

    def test_closed_and_killed(self) -> None:
        self.pass_on(["closed", "killed", "killed"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
