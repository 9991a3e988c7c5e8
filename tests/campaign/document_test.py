"""Tables of docs/results.md are made of CSV, and each has its place there."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import document
from results import Row
from rows import row, write

PLACE = "before\n\n<!-- from results/{name}.csv -->\n```\nold\n```\n\n```\nother\n```\n"


def rows_of(library: str, throughput: float) -> list[Row]:
    """The first trial of two is twice as fast, which says nothing about ratios."""
    return [row("tatp", threads, library, throughput * threads * factor, trial)
            for threads in (1, 2) for trial, factor in enumerate((2, 1))]


class DocumentTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="perdure_document_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.page = self.folder / "results.md"

    def run_on(self, name: str, text: str) -> subprocess.CompletedProcess[str]:
        self.page.write_text(text)
        libraries = {"lock_stm": 8000, "floor": 4000, "orec_lazy_ip": 1000, "orec_lazy_fast": 2000}
        write(self.folder / f"{name}.csv", [line for library in libraries.items() for line in rows_of(*library)])
        command = [sys.executable, str(ROOT / "scripts/document.py"), str(self.folder / f"{name}.csv"), "--document",
                   str(self.page)]
        return subprocess.run(command, text=True, capture_output=True)

    def block(self, name: str) -> list[str]:
        text = PLACE.format(name=name)
        done = self.run_on(name, text)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        before, _, rest = text.partition("old\n")
        written = self.page.read_text()
        self.assertTrue(written.startswith(before) and written.endswith(rest), written)
        return written[len(before) : -len(rest)].splitlines()

    def test_fast(self) -> None:
        lines = self.block("fast")
        self.assertEqual(lines[0], "2026-01-01, a processor, 2 cores, 2 trials")
        self.assertEqual(lines[2].split(), ["tatp", "0.50", "0.25", "2.00", "3"])

    def test_says_what_is_missing(self) -> None:
        self.assertIn("no table is made of", self.run_on("quick", PLACE.format(name="quick")).stderr)
        done = self.run_on("fast", PLACE.format(name="disk"))
        self.assertIn("there is not one block of code", done.stderr)
        self.assertEqual(self.page.read_text(), PLACE.format(name="disk"))

    def test_every_table_has_a_place(self) -> None:
        text = (ROOT / "docs/results.md").read_text()
        for name in document.TABLES:
            self.assertIn("\nnew\n", document.with_table(text, name, "new"))


if __name__ == "__main__":
    unittest.main()
