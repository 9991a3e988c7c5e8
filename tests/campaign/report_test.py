"""The page of all results holds what is in the folder, and says what the numbers say."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import findings
from contenders import all_libraries
from results import summarise
from rows import row, write


class Report(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="perdure_report_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def page(self) -> str:
        command = [sys.executable, str(SCRIPTS / "report.py"), "--results", str(self.folder)]
        done = subprocess.run(command, text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return (self.folder / "report.html").read_text()

    def write_campaign(self, name: str, throughput: float) -> None:
        write(self.folder / f"{name}.csv", [row("tatp", threads, library, throughput * threads) for threads in (1, 2)
                                            for library in ("floor", "orec_lazy_ip", "orec_lazy_fast")])

    def test_holds_every_campaign_with_its_figures_and_ratios(self) -> None:
        self.write_campaign("quick", 1000)
        self.write_campaign("fast", 2000)
        (self.folder / "fast-ratios.txt").write_text("the ratios < of fast")
        page = self.page()
        for text in ('id="quick"', 'id="fast"', "TATP Update Location", "the ratios &lt; of fast", "a processor",
                     "a kernel", "a compiler", "With 2 threads orec_lazy_ip leads the durable libraries: 2,000",
                     "Throughput as a share of floor", "Flushes and fences", "Latency", "Attempts that ended"):
            self.assertIn(text, page)
        self.assertEqual(page.count("<svg"), 1 + 2 * 5)

    def test_opens_with_the_default_library_beside_what_a_user_would_pick(self) -> None:
        write(self.folder / "quick.csv", [row("tatp", threads, library, throughput * threads) for threads in (1, 2)
                                          for library, throughput in (("floor", 2000), ("pmemobj", 250),
                                                                      ("orec_lazy_fast", 1000))])
        page = self.page()
        sentence = "0.50 of the rate of floor and 4.00 times the rate of libpmemobj (one workload)"
        self.assertIn(sentence, page)
        self.assertLess(page.index(sentence), page.index("<svg"))
        self.assertLess(page.index("<svg"), page.index("TATP Update Location (100"))

    def test_opens_with_no_summary_of_what_was_not_measured(self) -> None:
        write(self.folder / "quick.csv", [row("tatp", 1, library, 1000) for library in ("floor", "orec_lazy_ip")])
        self.assertNotIn("the library that users get", self.page())

    def test_opens_with_the_campaign_of_the_most_workloads(self) -> None:
        for name, panels in (("first", ["tatp"]), ("quick", ["tatp", "bptree-mix"])):
            write(self.folder / f"{name}.csv", [row(panel, 1, library, 1000) for panel in panels
                                                for library in ("floor", "orec_lazy_fast")])
        self.assertIn("makes 1.00 of the rate of floor (geometric means over 2 workloads)", self.page())

    def test_holds_what_else_was_measured(self) -> None:
        (self.folder / "table3.txt").write_text("figures of a table")
        (self.folder / "restart.txt").write_text("times of restarts")
        (self.folder / "restart.svg").write_text("<svg>restart's figure</svg>")
        page = self.page()
        for text in ("Table III", "figures of a table", "times of restarts", "<svg>restart's figure</svg>"):
            self.assertIn(text, page)
        self.assertNotIn("Table II:", page)

    def test_needs_no_other_file(self) -> None:
        self.write_campaign("quick", 1000)
        page = self.page()
        self.assertEqual(re.findall(r'(?:src|href)="(?!#)[^"]*"|url\((?!#)[^)]*\)|@import', page), [])
        definitions = re.findall(r'<(?:path|clipPath|pattern) id="([^"]+)"', page)
        drawn = [name for name in definitions if not re.fullmatch(r"patch_\d+", name)]
        self.assertEqual(len(drawn), len(set(drawn)))

    def test_draws_again_what_shows_other_runs(self) -> None:
        self.write_campaign("quick", 1000)
        self.page()
        figure = self.folder / "quick-share.svg"
        figure.write_text(figure.read_text().replace("</svg>", "<!-- kept --></svg>"))
        self.assertIn("<!-- kept -->", self.page())
        rows = [row("tatp", 1, library, 1, campaign="2027-01-01T00:00:00") for library in ("floor", "orec_lazy_ip")]
        write(self.folder / "quick.csv", rows)
        self.assertNotIn("<!-- kept -->", self.page())

    def test_refuses_an_empty_folder(self) -> None:
        command = [sys.executable, str(SCRIPTS / "report.py"), "--results", str(self.folder)]
        done = subprocess.run(command, text=True, capture_output=True)
        self.assertIn("holds no results", done.stderr)


class Findings(unittest.TestCase):
    def paragraph(self, **throughput: float) -> str:
        rows = [row("tatp", threads, library, value * threads) for threads in (1, 2)
                for library, value in throughput.items()]
        return " ".join(findings.paragraph(summarise(rows), "tatp"))

    def test_names_the_leader_and_what_it_is_held_against(self) -> None:
        text = self.paragraph(floor=400, lock_stm=500, pmemobj=50, orec_lazy_ip=100, orec_lazy_fast=200)
        self.assertIn("With one thread orec_lazy_fast leads the durable libraries: 200 transactions a second "
                      "(2.00 × orec_lazy_ip, 0.50 × floor, 0.40 × lock_stm, 4.00 × pmemobj).", text)
        self.assertIn("2 threads over one: orec_lazy_fast 2.00, lock_stm 2.00.", text)

    def test_judges_the_papers_claims(self) -> None:
        text = self.paragraph(orec_lazy_ip=300, orec_eager_ip=200, norec_ip=400, orec_lazy_gp=300, norec_gp=800,
                              tlrw_gp=600)
        self.assertIn("orec_lazy over orec_eager 1.50", text)
        self.assertIn("orec_lazy_ip, place of 3: 2 (one thread), 2 (2 threads)", text)
        self.assertIn("tlrw_gp, place of 3: 2 (one thread)", text)
        self.assertIn("ip over gp: norec 0.50, the others 1.00", text)
        self.assertIn("The best of each mode with 2 threads: gp norec (1,600), ip norec (800).", text)

    def test_is_short_however_many_libraries_there_are(self) -> None:
        libraries = {library: 1000.0 + place for place, library in enumerate(all_libraries())}
        self.assertLess(len(self.paragraph(**libraries)), 1200)


if __name__ == "__main__":
    unittest.main()
