"""The panels of the papers: which letter each has, and where it is measured."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import tables
from campaign import runs_of
from contenders import FLOOR_ON_DISK, FOR_SMALL_POOLS, PEERS, STORE_FRONT, all_libraries
from library_table import SINGLE_THREADED, split
from panels import CAMPAIGNS, MEMCACHED, PACT19
from quantities import FURTHER


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

    def test_figures_of_universal_constructions_are_those_of_the_paper(self) -> None:
        panels = {number: [panel.name for panel in CAMPAIGNS[f"eurosys{number}"].panels] for number in range(4, 10)}
        self.assertEqual(panels[4], ["sps-1", "sps-8", "sps-64"])
        self.assertEqual(panels[5], ["queue"])
        self.assertEqual(panels[6], [f"{structure}-{updates}" for structure in ("list", "tree", "hash")
                                     for updates in (100, 10, 1)])
        self.assertEqual(panels[7], [f"stores-{mix}-{size}" for size in ("small", "large")
                                     for mix in ("readrandom", "readwhilewriting", "overwrite")])
        self.assertEqual((panels[8], panels[9]), (["stores-filled"], ["stores-filled"]))
        entries = {panel.arguments[1] for panel in CAMPAIGNS["eurosys7"].panels}
        self.assertEqual(entries, {"1000000", "10000000"})

    def test_universal_constructions_are_measured_beside_the_family_with_more_threads_than_cores(self) -> None:
        twins = {name for name in all_libraries() if split(name)[1] in ("twin", "helped", "timed", "ptm")}
        for number in range(4, 10):
            campaign = CAMPAIGNS[f"eurosys{number}"]
            self.assertEqual({panel.threads for panel in campaign.panels}, {(1, 2, 4, 8, 16)})
            if number < 7:
                self.assertLessEqual(twins | {"pmemobj", "lock_lazy_fast", "orec_lazy_fast", "norec_fast"},
                                     set(campaign.libraries))
        self.assertIn("cx_puc", CAMPAIGNS["eurosys5"].libraries)  # as in the paper, for small data only

    def test_there_is_each_library_that_a_campaign_measures(self) -> None:
        others = {*PEERS, *FOR_SMALL_POOLS, STORE_FRONT, FLOOR_ON_DISK, "memcached"}
        for name, campaign in CAMPAIGNS.items():
            measured = {run.point.library for run in runs_of(campaign)}
            self.assertEqual(measured - others - set(all_libraries()), set(), name)

    def test_what_is_drawn_of_a_campaign_is_known(self) -> None:
        known = {quantity.name for quantity in FURTHER}
        self.assertEqual({name for campaign in CAMPAIGNS.values() for name in campaign.further}, known)

    def test_a_server_is_not_linked_with_what_does_not_synchronise(self) -> None:
        libraries = {point.library for point in MEMCACHED.points(all_libraries())}
        self.assertEqual(set(all_libraries()) - libraries, SINGLE_THREADED)

    def test_tables_have_a_column_of_every_panel(self) -> None:
        columns = {(workload.program, workload.arguments[1].removesuffix("_small")) for workload in tables.WORKLOADS}
        self.assertEqual(columns, {(panel.benchmark, panel.preset) for panel in PACT19})


if __name__ == "__main__":
    unittest.main()
