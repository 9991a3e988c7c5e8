"""What is left out so that all figures and tables are made in three hours: the rule, and that it is kept."""

from __future__ import annotations

import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import durations
import tables
from campaign import runs_of
from contenders import QUICK_LIBRARIES
from panels import CAMPAIGNS, PACT19
from short import LEVELS, LIMIT, MANY, PRUDENCE, level_that_fits, shortened
from stages import STAGES


class Short(unittest.TestCase):
    def test_all_takes_at_most_three_hours_with_nothing_built(self) -> None:
        with tempfile.TemporaryDirectory() as nothing:
            known: set[str] = set()
            building = sum(durations.building(stage.programs(True), Path(nothing), known) for stage in STAGES)
        measuring = sum(stage.short_seconds(LEVELS[-1]) for stage in STAGES)
        self.assertLessEqual(PRUDENCE * (building + measuring), LIMIT)

    def test_no_panel_is_lost(self) -> None:
        for name, campaign in CAMPAIGNS.items():
            self.assertEqual([panel.name for panel in shortened(campaign).panels],
                             [panel.name for panel in campaign.panels], name)

    def test_panels_of_the_paper_keep_every_library(self) -> None:
        for name in ("fig1", "fig2", "fig3"):
            runs = list(runs_of(shortened(CAMPAIGNS[name])))
            for panel in shortened(CAMPAIGNS[name]).panels:
                whole = {point.library for point in panel.points(CAMPAIGNS[name].libraries)}
                self.assertEqual({run.point.library for run in runs if run.point.panel == panel.name}, whole)

    def test_other_panels_of_large_campaigns_have_the_main_libraries(self) -> None:
        campaign = shortened(CAMPAIGNS["workloads"])
        papers = {panel.name for panel in PACT19}
        others = {point.library for panel in campaign.panels if panel.name not in papers
                  for point in panel.points(campaign.libraries)}
        self.assertEqual(others, set(QUICK_LIBRARIES))

    def test_threads(self) -> None:
        for name, campaign in CAMPAIGNS.items():
            for panel, whole in zip(shortened(campaign).panels, campaign.panels):
                kept = {1, 16} if 16 in whole.threads else {1, 2}
                if len(campaign.libraries) > MANY and whole not in PACT19:
                    kept = {1}
                self.assertEqual(set(panel.threads), set(whole.threads) & kept, f"{name} {panel.name}")

    def test_stores_have_a_hundredth_of_the_entries(self) -> None:
        filled, = shortened(CAMPAIGNS["eurosys8"]).panels
        self.assertEqual(filled.arguments, ("--entries", "100000", "--transactions", "100000"))
        self.assertEqual({panel.arguments[1] for panel in shortened(CAMPAIGNS["eurosys7"]).panels}, {"10000", "100000"})
        swaps = CAMPAIGNS["eurosys4"]
        self.assertEqual([panel.arguments for panel in shortened(swaps).panels],
                         [panel.arguments for panel in swaps.panels])

    def test_a_store_takes_the_longer_the_more_entries_it_has(self) -> None:
        def seconds(result: str, entries: str) -> float:
            panels = tuple(panel for panel in CAMPAIGNS[result].panels if panel.arguments[1] == entries)
            return durations.measuring(replace(CAMPAIGNS[result], panels=panels))
        self.assertGreater(seconds("eurosys7", "10000000"), 2 * seconds("eurosys7", "1000000"))

    def test_figures_take_what_their_source_measures(self) -> None:
        for stage in STAGES:
            if source := stage.source():
                measured = {run.place() for run in runs_of(shortened(CAMPAIGNS[source]))}
                self.assertLessEqual({run.place() for run in runs_of(shortened(CAMPAIGNS[stage.name]))}, measured)

    def test_the_best_level_that_fits_is_taken(self) -> None:
        for place, level in enumerate(LEVELS):
            too_long = LEVELS[:place]
            self.assertEqual(level_that_fits(lambda tried: 100.0 if tried in too_long else 10.0, 50), level)
        self.assertEqual(level_that_fits(lambda level: 100, 50), LEVELS[-1])
        self.assertEqual(level_that_fits(lambda level: 100, 100 * PRUDENCE), LEVELS[0])

    def test_levels_are_each_shorter_than_the_one_before(self) -> None:
        lengths = [[stage.short_seconds(level) for stage in STAGES] for level in LEVELS]
        for longer, shorter in zip(lengths, lengths[1:]):
            self.assertGreater(sum(longer), sum(shorter))

    def test_what_is_built_once_is_counted_once(self) -> None:
        with tempfile.TemporaryDirectory() as nothing:
            known: set[str] = set()
            first = durations.building(["tatp_floor", "tatp_orec_lazy_ip"], Path(nothing), known)
            second = durations.building(["tatp_floor", "tpcc_floor"], Path(nothing), known)
            again = durations.building(["tpcc_floor"], Path(nothing), known)
        self.assertGreater(first, second)
        self.assertGreater(second, 0)
        self.assertEqual(again, 0)

    def test_tables_are_counted(self) -> None:
        one = durations.measuring_table(tables.TABLES["table3"], 1, 0.2)
        self.assertAlmostEqual(durations.measuring_table(tables.TABLES["table3"], 3, 0.2), 3 * one)
        self.assertLess(durations.measuring_table(tables.TABLES["table5"], 1, 0.2, {1, 2}),
                        0.6 * durations.measuring_table(tables.TABLES["table5"], 1, 0.2))
        self.assertGreater(one, durations.measuring_table(tables.TABLES["table2"], 1, 0.2))


if __name__ == "__main__":
    unittest.main()
