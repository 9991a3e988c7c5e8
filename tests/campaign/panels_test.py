"""The panels of the papers: which letter each has, and where it is measured."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import tables
from contenders import all_libraries
from library_table import SINGLE_THREADED, split
from panels import CAMPAIGNS, MEMCACHED, PACT19


class Panels(unittest.TestCase):
    def test_letters_are_those_of_the_paper(self) -> None:
        self.assertEqual({panel.letter: (panel.benchmark, panel.preset) for panel in PACT19}, {
            "b": ("bptree", "insert"), "c": ("bptree", "mix"), "d": ("tpcc", "pact19"), "e": ("tpcc", "pact19"),
            "f": ("tatp", "pact19"), "g": ("vacation", "low"), "h": ("vacation", "high"), "i": ("memcached", "pact19")})
        self.assertEqual([panel.letter for panel in PACT19], list("bcdefghi"))

    def test_each_letter_is_a_campaign(self) -> None:
        for letter in "abcdefghi":
            campaign = CAMPAIGNS[letter]
            self.assertEqual([panel.letter for panel in campaign.panels], [letter])
            self.assertEqual((campaign.result, campaign.libraries), (f"panel-{letter}", all_libraries()))

    def test_figures_and_workloads_have_every_panel(self) -> None:
        for name in ("fig2", "fig3", "workloads"):
            self.assertEqual(CAMPAIGNS[name].panels[:len(PACT19)], PACT19)

    def test_figures_have_the_papers_modes_what_goes_beyond_and_floor(self) -> None:
        names = ("fig1", "fig2", "fig3")
        modes = {name: {split(library)[1] for library in CAMPAIGNS[name].libraries} for name in names}
        self.assertEqual(modes, {"fig1": {"", "stm", "naive", "fast"}, "fig2": {"", "stm", "naive"},
                                 "fig3": {"", "gp", "ip", "gpw", "fast"}})
        for name in modes:
            self.assertEqual([library for library in CAMPAIGNS[name].libraries if not split(library)[1]], ["floor"])
        durable = [library for library in all_libraries() if split(library)[1] in modes["fig3"] - {""}]
        self.assertEqual(set(CAMPAIGNS["fig3"].libraries), {"floor", *durable})

    def test_sets_of_the_other_paper_are_those_it_measures(self) -> None:
        measured = CAMPAIGNS["icfp21"]
        figures = [CAMPAIGNS[name] for name in ("icfp21-fig6", "icfp21-fig8")]
        self.assertEqual([panel.arguments[1] for figure in figures for panel in figure.panels[::6]],
                         ["tree", "hash", "treap", "hamt"])
        self.assertEqual(measured.panels, figures[0].panels + figures[1].panels)
        self.assertEqual({(panel.benchmark, panel.preset) for panel in measured.panels}, {("sets", "icfp21")})
        for figure in figures:
            self.assertLessEqual(set(figure.libraries), set(measured.libraries))

    def test_a_server_is_not_linked_with_what_does_not_synchronise(self) -> None:
        libraries = {point.library for point in MEMCACHED.points(all_libraries())}
        self.assertEqual(set(all_libraries()) - libraries, SINGLE_THREADED)

    def test_tables_have_a_column_of_every_panel(self) -> None:
        columns = {(workload.program, workload.arguments[1].removesuffix("_small")) for workload in tables.WORKLOADS}
        self.assertEqual(columns, {(panel.benchmark, panel.preset) for panel in PACT19})


if __name__ == "__main__":
    unittest.main()
