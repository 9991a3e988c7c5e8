"""The build, installed into a folder of its own, for the tests of what users get."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
build_directory, llvm_version = Path(sys.argv[1]).resolve(), sys.argv[2]


def run(*command: object, expect_success: bool = True, **keywords: object) -> str:
    """Runs a command; returns what it prints, or fails the test with that."""
    words = [str(word) for word in command]
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **keywords)
    if (done.returncode == 0) != expect_success:
        raise AssertionError(f"{' '.join(words)}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


class Installed(unittest.TestCase):
    stage: Path
    prefix: Path

    @classmethod
    def setUpClass(cls) -> None:
        # Installed for one prefix by way of DESTDIR and used in another place: everything must be relocatable.
        cls.stage = Path(tempfile.mkdtemp(prefix="perdure install "))
        cls.addClassCleanup(shutil.rmtree, cls.stage)
        environment = {**os.environ, "DESTDIR": str(cls.stage)}
        run("cmake", "--install", build_directory, "--prefix", "/opt/perdure", env=environment)
        cls.prefix = cls.stage / "opt" / "perdure"

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=self.stage))


def main() -> None:
    unittest.main(argv=sys.argv[:1])
