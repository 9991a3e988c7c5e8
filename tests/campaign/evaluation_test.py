"""docs/results/ is filled from results/: a paragraph of what was measured, and what was not is named."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import table
from evaluation_sections import SECTIONS
from results import read
from rows import row, write
from stages import STAGES

FIGURE = "<svg>a figure\n  12.3456\n</svg>"


class Evaluation(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="perdure_evaluation_")
        self.addCleanup(folder.cleanup)
        self.results = Path(folder.name) / "results"
        self.documents = Path(folder.name) / "documents"
        self.results.mkdir()

    def evaluation(self, *options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(SCRIPTS / "evaluation.py"), "--results", str(self.results), "--folder",
                   str(self.documents), *options]
        return subprocess.run(command, text=True, capture_output=True)

    def page(self) -> str:
        return (self.documents / "evaluation.md").read_text()

    def measure(self, name: str, **throughputs: float) -> None:
        """Two trials, of which the first one is twice as fast."""
        write(self.results / f"{name}.csv", [row("tatp", 1, library, throughput * factor, trial)
                                             for library, throughput in throughputs.items()
                                             for trial, factor in enumerate((2, 1))])
        self.draw(name)

    def draw(self, name: str) -> None:
        (self.results / f"{name}.txt").write_text("a table")
        (self.results / f"{name}.svg").write_text(FIGURE)

    def test_tells_of_a_campaign(self) -> None:
        self.measure("fast", floor=4000, lock_stm=1000, orec_lazy_fast=2000)
        done = self.evaluation()
        text = self.page().replace("\n", " ")
        self.assertIn("orec_lazy_fast/floor 0.50-0.50-0.50; orec_lazy_fast/lock_stm 2.00", text)
        self.assertIn("2026-01-01, a processor, 2 cores, 2 trials", text)
        self.assertIn("[table](fast.txt)", text)
        self.assertIn("![fast](fast.svg)", text)
        self.assertEqual((self.documents / "fast.svg").read_text(), "<svg>a figure\n12.3\n</svg>\n")
        self.assertEqual((self.documents / "fast.txt").read_text(), "a table\n")
        self.assertIn("left out: fig1: not measured: ./run.sh fig1", done.stderr)
        self.assertNotIn("left out: fast", done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_tables_and_figures_fit_into_a_page(self) -> None:
        self.measure("fast", floor=4000, a_library_with_a_name=1000)
        (self.results / "fast.txt").write_text(table.text_of(read(self.results / "fast.csv", "")))
        (self.results / "fast.svg").write_text(f"<svg><text style=\"{'a, ' * 60}\">text</text></svg>")
        self.evaluation()
        kept = (self.documents / "fast.txt").read_text()
        for file in ("fast.txt", "fast.svg"):
            self.assertLessEqual(max(map(len, (self.documents / file).read_text().splitlines())), 120)
        heading, of_floor, of_library = kept[kept.index("threads  library"):].splitlines()[:3]
        self.assertNotIn("cpu us", kept)
        self.assertEqual(heading.split()[:4], ["threads", "library", "tx/s", "+-"])
        self.assertEqual((of_floor.split()[1], of_library.split()[1]), ("floor", "a_library_with_a_name"))
        self.assertTrue(heading.endswith("aborts") and of_floor.endswith("%"))

    def test_modes_are_compared_algorithm_by_algorithm(self) -> None:
        self.measure("fig3", orec_lazy_gp=1000, norec_gp=10, orec_lazy_ip=2000, norec_ip=80, floor=1)
        self.evaluation()
        self.assertIn("_ip/_gp 2.00-4.00-8.00", self.page().replace("\n", " "))
        self.assertIn("The paper: gp gains", self.page())

    def test_tells_of_what_scripts_measure(self) -> None:
        (self.results / "atc20.csv").write_text("program,library,size,trial,seconds,times,failure\n"
                                                "swaps,orec_lazy_fast,10,0,1,3,\nswaps,orec_lazy_fast,20,0,1,5,\n"
                                                "swaps,orec_lazy_fast,30,0,nan,nan,too large\n")
        self.draw("atc20")
        self.evaluation()
        self.assertIn("orec_lazy_fast 4", self.page().replace("\n", " "))

    def test_leaves_out_what_is_too_old(self) -> None:
        self.measure("fast", floor=4000, orec_lazy_fast=2000)
        self.measure("fig3", norec_gp=1, norec_ip=2)
        done = self.evaluation("--since", "2026-01-02")
        self.assertIn("has nothing that can be told", done.stderr)
        self.assertFalse(self.documents.exists())
        self.assertIn("## The mode fast", self.evaluation("--since", "2025-12-31") and self.page())

    def test_no_line_is_too_long(self) -> None:
        self.measure("fig1", floor=1, lock_stm=2, orec_lazy_stm=1, lock_eager_naive=1, lock_lazy_naive=1,
                     orec_lazy_fast=1)
        self.evaluation()
        self.assertLessEqual(max(map(len, self.page().splitlines())), 120)

    def test_every_section_is_a_stage(self) -> None:
        self.assertLessEqual({section.name for section in SECTIONS}, {stage.name for stage in STAGES})

    def test_every_figure_and_table_of_the_papers_has_a_section(self) -> None:
        of_papers = {*(f"fig{number}" for number in range(1, 4)), *(f"table{number}" for number in range(1, 6)),
                     "icfp21-fig6", "icfp21-fig8", "memoisation", "atc20",
                     *(f"eurosys{number}" for number in range(4, 10))}
        self.assertEqual({section.name for section in SECTIONS if section.paper}, of_papers)


if __name__ == "__main__":
    unittest.main()
