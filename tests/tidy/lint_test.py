"""What scripts/lint.py takes for recent, and what it makes of compilation commands."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import lint

HOUR = 3600


class RecentTest(unittest.TestCase):
    """In a repository of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="perdure lint ")
        self.addCleanup(folder.cleanup)
        self.addCleanup(setattr, lint, "ROOT", lint.ROOT)
        lint.ROOT = Path(folder.name)
        self.git("init", "--quiet", "--initial-branch=work")

    def git(self, *words: str, hour: int = 0) -> str:
        date = f"{1_700_000_000 + hour * HOUR} +0000"
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        done = subprocess.run(["git", *identity, *words], cwd=lint.ROOT, env={**os.environ, **dates}, check=True,
                              stdout=subprocess.PIPE, text=True)
        return done.stdout.strip()

    def commit(self, name: str, hour: int) -> str:
        (lint.ROOT / name).write_text(f"// {hour}\n")
        self.git("add", name)
        self.git("commit", "--quiet", "-m", name, hour=hour)
        return self.git("rev-parse", "HEAD")

    def test_all_is_recent_where_there_is_nothing_older(self) -> None:
        self.commit("a.cc", 0)
        self.assertEqual(lint.recent_base(), lint.EMPTY_TREE)
        self.assertEqual(lint.sources(lint.EMPTY_TREE), ["a.cc"])

    def test_some_hours_are_recent_on_the_main_branch(self) -> None:
        self.commit("a.cc", 0)
        old = self.commit("b.cc", 5)
        self.commit("c.cc", 7)
        self.commit("d.cc", 10)
        self.assertEqual(lint.recent_base(), old)
        self.assertEqual(lint.latest_first(lint.sources(old), old), ["d.cc", "c.cc"])
        (lint.ROOT / "c.cc").write_text("// not committed\n")
        self.assertEqual(lint.latest_first(lint.sources(old), old), ["c.cc", "d.cc"])

    def test_a_branch_is_recent_since_it_left_the_main_one(self) -> None:
        left = self.commit("a.cc", 0)
        self.git("branch", "main")
        self.commit("b.cc", 100)
        self.assertEqual(lint.recent_base(), left)

    def test_a_header_brings_its_source(self) -> None:
        self.commit("a.cc", 0)
        self.commit("a.h", 0)
        self.commit("b.h", 0)
        self.assertEqual(lint.with_companions(["a.h", "b.h"]), ["a.h", "a.cc", "b.h"])


class CommandTest(unittest.TestCase):
    def words(self, *command: str) -> list[str]:
        return shlex.split(lint.without_plugin({"command": shlex.join(command)})["command"])

    def test_the_plugin_goes_and_what_it_defines_comes(self) -> None:
        plugin = ("-fplugin=/a folder/libPerdure.so", "-fplugin-arg-perdure-checked")
        self.assertEqual(self.words("clang++", *plugin, "a.cc"),
                         ["clang++", "-D__PERDURE__=1", "-Wno-unknown-attributes", "a.cc"])
        self.assertEqual(self.words("clang++", "-ffat-lto-objects", "a.cc"), ["clang++", "a.cc"])

    def test_no_precompiled_header_is_needed(self) -> None:
        precompiled = ("-Xclang", "-include-pch", "-Xclang", "/a/b.pch")
        header = ("-Xclang", "-include", "-Xclang", "/a/b.hxx")
        self.assertEqual(self.words("clang++", *precompiled, *header, "a.cc"), ["clang++", *header, "a.cc"])


if __name__ == "__main__":
    unittest.main()
