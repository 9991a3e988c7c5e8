"""What is told of go-pmem's programs: times, ratios within a trial, and what failed."""

from __future__ import annotations

import sys
import unittest
from math import isnan, nan
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import figure_style
from atc20 import programs
from atc20_results import HEAP, PROGRAMS, Outcome, draw, rows_of, table

# The first trial of two took twice as long, which says nothing about ratios.
MEASURED = [Outcome(program, library, size, trial, seconds * factor, "")
            for program, size in (("swaps", 1000), ("swaps", 10_000), ("full heap", 64))
            for trial, factor in enumerate((2, 1))
            for library, seconds in (("pmemobj", 6.0), ("orec_lazy_fast", 2.0))]
FAILED = Outcome("swaps", "orec_lazy_ip", 10_000, 0, nan, "the log is full")


class SmallPrograms(unittest.TestCase):
    def test_ratios_are_those_of_a_trial(self) -> None:
        lines = [line.split() for line in table(MEASURED).splitlines()]
        self.assertIn(["swaps", "1,000", "orec_lazy_fast", "3", "(2-4)", "3.00"], lines)
        self.assertEqual({row.times for row in rows_of(MEASURED) if row.library == "orec_lazy_fast"}, {3.0})

    def test_what_failed_is_told_and_is_no_number(self) -> None:
        text = table([*MEASURED, FAILED])
        self.assertIn("Failed: swaps 10,000 orec_lazy_ip: the log is full", text)
        self.assertIn(["swaps", "10,000", "orec_lazy_ip", "-", "-"], [line.split() for line in text.splitlines()])
        self.assertTrue(isnan(rows_of([*MEASURED, FAILED])[-1].times))

    def test_the_figure_has_an_axis_for_each_of_the_paper(self) -> None:
        text = figure_style.svg_of(draw([*MEASURED, FAILED]), "atc20")
        self.assertIn("Swaps, one transaction (Figure 7)", text)
        self.assertIn("Restart of a full heap (Figure 10)", text)
        self.assertNotIn("(Figure 5)", text)

    def test_sizes_of_each_program_are_options_that_it_gets(self) -> None:
        self.assertEqual([program.figure for program in (*PROGRAMS, HEAP)], [5, 6, 7, 8, 10])
        self.assertEqual(PROGRAMS[1].words(9), ["--transactions", "1", "--elements", "9"])
        self.assertEqual(PROGRAMS[3].words(1000), ["--transactions", "1000"])
        for program in (*PROGRAMS, HEAP):
            self.assertLess(max(program.brief_sizes), max(program.sizes))

    def test_floor_is_not_opened_after_a_kill(self) -> None:
        self.assertEqual(programs(["floor"]), ["allocation_floor", "fannkuch_floor", "sps_floor", "nbody_floor"])
        self.assertIn("restart_orec_lazy_fast", programs(["orec_lazy_fast"]))


if __name__ == "__main__":
    unittest.main()
