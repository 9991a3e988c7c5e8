"""perdure-leveldb: its commands, and a database that goes from LevelDB's format to Perdure's and back."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

options = argparse.Namespace()


class Tool(unittest.TestCase):
    def setUp(self) -> None:
        self.temporary = tempfile.TemporaryDirectory(prefix="perdure_leveldb_")
        self.folder = Path(self.temporary.name)

    def tearDown(self) -> None:
        self.temporary.cleanup()

    def call(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([options.tool, *arguments], text=True, capture_output=True, timeout=60)

    def said(self, *arguments: str | Path) -> str:
        done = self.call(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def make(self) -> Path:
        ours = self.folder / "ours"
        self.said("create", ours)
        for number in range(20):
            self.said("put", ours, f"key {number}", f"value {number}")
        return ours

    def test_there_and_back(self) -> None:
        ours, theirs, again = self.make(), self.folder / "theirs", self.folder / "again"
        self.said("put", ours, "colour", "green")
        self.said("put", ours, "shape", "round \\ flat\n")
        self.assertEqual(self.said("get", ours, "colour"), "green\n")
        listed = self.said("scan", ours)
        self.assertIn("shape\tround \\x5c flat\\x0a\n", listed)
        self.assertEqual(self.said("scan", ours, "colour", "d"), "colour\tgreen\n")
        self.assertIn("entries: 22\n", self.said("stat", ours))
        self.assertEqual(self.said("verify", ours), "whole\n")
        self.assertEqual(self.said("export", ours, theirs), "22 entries\n")
        self.assertTrue((theirs / "CURRENT").read_text().startswith("MANIFEST-"))
        refused = self.call("get", theirs, "colour")
        self.assertEqual(refused.returncode, 1)
        self.assertIn(f"perdure-leveldb import {theirs}", refused.stderr)
        self.assertEqual(self.said("import", theirs, again), "22 entries\n")
        self.assertEqual(self.said("scan", again), listed)

    def test_mistakes(self) -> None:
        ours = self.make()
        self.assertEqual(self.call().returncode, 2)
        self.assertEqual(self.call("get", ours).returncode, 2)
        self.assertIn("no such folder", self.call("stat", self.folder / "none").stderr)
        self.assertFalse((self.folder / "none").exists())
        self.assertEqual(self.call("get", ours, "none").returncode, 1)
        self.assertIn("exists", self.call("export", ours, self.folder).stderr)
        (ours / "store.pool").write_bytes(b"no pool" * 1000)
        self.assertEqual(self.call("verify", ours).returncode, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", type=Path, required=True)
    parser.parse_args(namespace=options)
    unittest.main(argv=[sys.argv[0], "-v"])


if __name__ == "__main__":
    main()
