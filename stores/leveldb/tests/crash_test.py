"""Kills a program of LevelDB's, which has Perdure's store under it, again and again: what was acknowledged with `sync`
is there, a batch is there whole or not at all, of one transaction or of several; old versions that readers kept are
gone.
On tmpfs, and on the disk that the test is built on."""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests" / "crash"))
from preload import preloadable  # noqa: E402

options = argparse.Namespace()


def environment() -> dict[str, str]:
    return {**os.environ, "LD_PRELOAD": preloadable(options.preload)} if options.preload else dict(os.environ)


def run_victim(what: str, database: Path) -> str:
    command = [options.victim, what, database]
    done = subprocess.run(command, text=True, capture_output=True, timeout=60, env=environment())
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout.strip()


def last_promised(chance: random.Random, database: Path) -> int:
    """Runs the victim for a moment. \\returns the last step that it has said was written."""
    with subprocess.Popen([options.victim, "fill", database], text=True, stdout=subprocess.PIPE,
                          env=environment()) as process:
        first = process.stdout.readline()  # it has opened the database; some are killed at once
        time.sleep(chance.random() * 0.2)
        process.kill()
        lines = [first, *process.communicate()[0].splitlines(keepends=True)]
    whole = [int(line) for line in lines if line.endswith("\n")]
    return whole[-1] if whole else 0


class Kills(unittest.TestCase):
    def check(self, parent: Path, kills: int) -> None:
        chance = random.Random(options.seed)
        with tempfile.TemporaryDirectory(prefix="perdure_leveldb_", dir=parent) as folder:
            database = Path(folder) / "database"
            promised, runs_that_wrote = 0, 0
            for _ in range(kills):
                told = last_promised(chance, database)
                runs_that_wrote += told != 0
                promised = max(promised, told)
                found = int(run_victim("check", database))
                self.assertIn(found, (promised, promised + 1))
                promised = found
            self.assertEqual(runs_that_wrote, kills)
            self.assertTrue((database / "store.pool").exists(), "it was not Perdure's store")

    @unittest.skipUnless(Path("/dev/shm").is_dir(), "there is no tmpfs")
    def test_on_tmpfs(self) -> None:
        self.check(Path("/dev/shm"), options.kills)

    def test_on_a_disk(self) -> None:
        self.check(Path.cwd(), max(options.kills // 3, 3))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--victim", type=Path, required=True)
    parser.add_argument("--preload", type=Path, help="libperdure_leveldb.so; without it, it is in the victim")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.parse_args(namespace=options)
    unittest.main(argv=[sys.argv[0], "-v"])


if __name__ == "__main__":
    main()
