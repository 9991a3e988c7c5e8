"""Runs a program of RocksDB's C interface over RocksDB and over Perdure's store: it prints the same. Then kills it,
with the store under it, again and again: batches over two families, with ranges, are there whole once they were
acknowledged, of one transaction or of several, in the order of a comparator. And no function is left to RocksDB: the
library defines all that the header declares.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests" / "crash"))
from preload import preloadable  # noqa: E402

options = argparse.Namespace()


def environment(is_ours: bool) -> dict[str, str]:
    return {**os.environ, **({"LD_PRELOAD": preloadable(options.preload)} if is_ours else {})}


def run(what: str, folder: Path, is_ours: bool = True) -> bytes:
    done = subprocess.run([options.program, what, folder], capture_output=True, timeout=60, env=environment(is_ours))
    if done.returncode != 0:
        raise AssertionError((done.stdout + done.stderr).decode(errors="replace"))
    return done.stdout


def last_promised(chance: random.Random, folder: Path) -> int:
    """Runs the program for a moment. \\returns the last batch that it has said was written."""
    with subprocess.Popen([options.program, "fill", folder], text=True, stdout=subprocess.PIPE,
                          env=environment(True)) as process:
        first = process.stdout.readline()  # it has opened the database; some are killed at once
        time.sleep(chance.random() * 0.1)
        process.kill()
        lines = [first, *process.communicate()[0].splitlines(keepends=True)]
    return [int(line) for line in lines if line.endswith("\n")][-1]


class Programs(unittest.TestCase):
    def setUp(self) -> None:
        parent = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
        self.folder = tempfile.TemporaryDirectory(prefix="perdure_rocksdb_", dir=parent)
        self.addCleanup(self.folder.cleanup)
        self.database = Path(self.folder.name) / "database"

    def test_prints_what_it_prints_over_rocksdb(self) -> None:
        stock = run("steps", self.database, is_ours=False)
        self.assertFalse(self.database.exists())
        self.assertEqual(run("steps", self.database).decode(errors="replace"), stock.decode(errors="replace"))

    def test_writes_in_threads(self) -> None:
        run("threads", self.database)

    def test_is_killed(self) -> None:
        chance = random.Random(options.seed)
        promised = 0
        for _ in range(options.kills):
            promised = max(promised, last_promised(chance, self.database))
            found = int(run("check", self.database))
            self.assertIn(found, (promised, promised + 1))
            promised = found
        self.assertTrue((self.database / "store.pool").exists(), "it was not Perdure's store")

    def test_leaves_a_database_of_rocksdb_alone(self) -> None:
        run("check", self.database, is_ours=False)
        before = sorted(file.name for file in self.database.iterdir())
        with self.assertRaisesRegex(AssertionError, "was written by another store"):
            run("check", self.database)
        self.assertEqual(sorted(file.name for file in self.database.iterdir()), before)

    def test_refuses_what_it_does_not_have(self) -> None:
        """Through `errptr`, or by ending the program."""
        done = subprocess.run([options.program, "refused", self.database], text=True, capture_output=True, timeout=60,
                              env=environment(True))
        self.assertEqual(done.stdout.splitlines(), [
            "merge: Not implemented: rocksdb_merge: Perdure's store has no such function",
            "batch with a merge: Not implemented: Perdure's store does not merge",
            "not written: none",
            "put into a dropped family: Invalid argument: Invalid column family specified in write batch",
            "list while open: no",
        ])
        self.assertEqual(done.returncode, -signal.SIGABRT)
        self.assertIn("rocksdb_get_latest_sequence_number: Perdure's store has no such function", done.stderr)

    def test_defines_every_function(self) -> None:
        symbols = subprocess.run(["nm", "-D", "--defined-only", options.preload], text=True, capture_output=True,
                                 check=True).stdout
        defined = set(re.findall(r" \w (rocksdb_\w+)", symbols))
        declared = set(re.findall(r"\b(rocksdb_\w+)\s*\(", re.sub(r"//[^\n]*", "", options.header.read_text())))
        self.assertGreater(len(declared), 700)
        self.assertEqual(declared - defined, set())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--preload", type=Path, required=True, help="libperdure_rocksdb.so")
    parser.add_argument("--header", type=Path, required=True, help="rocksdb/c.h")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.parse_args(namespace=options)
    unittest.main(argv=[sys.argv[0], "-v"])


if __name__ == "__main__":
    main()
