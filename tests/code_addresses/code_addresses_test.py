"""Objects that lead to code, made by one program and used by another in which all code lies elsewhere.

program_<name> are built from program.cc: `maker`; `reader`, in which all code lies elsewhere; `lacking`, without one
of the types. Each test runs with all of them, for one library.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

options = argparse.Namespace()


class CodeAddresses(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="perdure_code_", dir="/dev/shm"))
        self.pool = self.folder / "objects.pool"

    def tearDown(self) -> None:
        shutil.rmtree(self.folder)

    def run_program(self, name: str, command: str, pool: Path | None = None, **environment: str
                    ) -> subprocess.CompletedProcess[str]:
        program = getattr(options, name)
        return subprocess.run([program, command, pool or self.pool], text=True, capture_output=True, timeout=120,
                              env={**os.environ, **environment})

    def expect(self, name: str, command: str, status: int = 0) -> str:
        done = self.run_program(name, command)
        self.assertEqual(done.returncode, status, f"{name} {command}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def test_same_program(self) -> None:
        self.expect("maker", "make")
        self.expect("maker", "check")

    def test_other_program(self) -> None:
        self.expect("maker", "make")
        self.expect("reader", "check")
        self.expect("reader", "read")

    def test_killed(self) -> None:
        self.expect("maker", "crash")
        self.expect("reader", "check")
        self.expect("maker", "check")

    def test_changed_by_the_other(self) -> None:
        self.expect("maker", "make")
        self.expect("reader", "change")
        self.expect("maker", "check")
        self.expect("maker", "change")
        self.expect("reader", "check")

    def test_type_that_is_lacking(self) -> None:
        self.expect("maker", "make")
        for command in ("call", "call-in-transaction"):
            done = self.run_program("lacking", command)
            self.assertEqual(done.returncode, -6, done.stderr)
            self.assertIn("a virtual function of type 'objects::Hexagon'", done.stderr)
            self.assertIn(str(self.pool), done.stderr)
            self.assertIn("leads to constants that this program does not have: 'objects::pine'", done.stderr)
        done = self.run_program("lacking", "walk")
        self.assertEqual(done.returncode, -6, done.stderr)
        self.assertIn("the function 'objects::walk_from(long)", done.stderr)
        self.assertIn("a coroutine goes on only where", done.stderr)
        refusal = self.expect("lacking", "refuse", status=3)
        self.assertIn("'objects::Hexagon'", refusal)
        self.assertIn("'objects::pine'", refusal)
        self.expect("maker", "refuse")
        self.expect("maker", "check")

    def test_moved(self) -> None:
        self.expect("maker", "make")
        before = self.tool("info")
        self.tool("relocate", "--unsure", "move")
        self.assertNotEqual(before, self.tool("info"))
        self.expect("reader", "check")
        self.expect("maker", "check")

    def test_listed(self) -> None:
        self.expect("maker", "make")
        listed = self.tool("check")
        for name in ("objects::Circle", "objects::Diamond", "objects::twice(long)", "objects::oak", '"a label"'):
            self.assertIn(name, listed)

    def test_damaged(self) -> None:
        """Wherever in the names a bit is wrong, the pool is refused, or nothing is different."""
        self.expect("maker", "make")
        contents = self.pool.read_bytes()
        begin = contents.index(b"_ZTVN7objects6CircleE") // 65536 * 65536
        copy = self.folder / "damaged.pool"
        for offset in (*range(0, 8), 64, 72, 76, 80, 84, 86, 90, 300):
            damaged = bytearray(contents)
            damaged[begin + offset] ^= 4
            copy.write_bytes(damaged)
            done = self.run_program("reader", "check", copy)
            self.assertEqual(done.returncode, 3, f"{offset}: {done.stderr}")
            self.assertIn("names that its code addresses stand for is damaged", done.stderr)

    def tool(self, *arguments: str) -> str:
        command = [options.tool, arguments[0], *arguments[1:], str(self.pool)]
        done = subprocess.run(command, text=True, capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, f"{command}: {done.stdout}{done.stderr}")
        return done.stdout


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for argument in ("--maker", "--reader", "--lacking", "--tool"):
        parser.add_argument(argument, type=Path, required=True)
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
