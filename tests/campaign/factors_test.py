"""Which peer is measured where, and what the report says of the stated factors."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import factors
from campaign import runs_of
from contenders import FINE_GRAINED, PEER_LIBRARIES, PEERS, STORE_FRONT, STORE_FRONTS, STORES
from panels import CAMPAIGNS
from results import Row, summarise


def row(panel: str, library: str, trial: int, throughput: float) -> Row:
    return {"panel": panel, "threads": "1", "library": library, "trial": str(trial), "throughput": str(throughput)}


class Peers(unittest.TestCase):
    def test_stores_run_tatp_and_are_alone_on_disk(self) -> None:
        points = [run.point for run in runs_of(CAMPAIGNS["peers"])]
        self.assertEqual({point.benchmark for point in points if point.library in STORES}, {"tatp"})
        self.assertEqual({point.library for point in points if point.panel == "tatp-disk"}, set(STORES))
        self.assertEqual({point.library for point in points if point.panel == "tatp"}, set(PEER_LIBRARIES))

    def test_fronts_of_stores_are_measured_with_each_other_only(self) -> None:
        points = {name: [run.point for run in runs_of(campaign)] for name, campaign in CAMPAIGNS.items()}
        of_stores = ("stores", "eurosys7", "eurosys8", "eurosys9")
        for name in of_stores:
            for panel in {point.panel for point in points[name]}:
                self.assertEqual({point.library for point in points[name] if point.panel == panel}, set(STORE_FRONTS),
                                 f"{name} {panel}")
        others = {point.library for name in CAMPAIGNS if name not in of_stores for point in points[name]}
        self.assertNotIn(STORE_FRONT, others)

    def test_fine_grained_locks_are_measured_where_there_are_some(self) -> None:
        panels = {run.point.panel for run in runs_of(CAMPAIGNS["peers"]) if run.point.library == FINE_GRAINED}
        self.assertEqual(panels, {"tatp", "tatp-standard", "sps-1", "sps-8", "sps-64", "queue", "hash-100"})
        self.assertIn(FINE_GRAINED, PEERS)

    def test_both_styles_of_libpmemobj_are_named_and_the_better_one_counts(self) -> None:
        rows = [row("a", "pmemobj", 0, 100), row("a", FINE_GRAINED, 0, 200), row("a", "orec_lazy_fast", 0, 500)]
        rows += [row("b", "pmemobj", 0, 100), row("b", "orec_lazy_fast", 0, 400)]
        told = {verdict.claim.split("of ", 1)[1]: verdict.finding for verdict in factors.verdicts(summarise(rows))}
        self.assertEqual(list(told), ["pmemobj", "pmemobj_fine", "pmemobj and of pmemobj_fine"])
        self.assertIn("Reached at 2: a (1), b (1).", told["pmemobj"])
        self.assertIn("2.50 (geometric mean of 1 points;", told["pmemobj_fine"])
        self.assertIn("2.50 (geometric mean of 1 points;", told["pmemobj and of pmemobj_fine"])

    def test_factor_is_the_median_over_the_trials_of_each_point(self) -> None:
        # Five times, four times and once as fast: the middle reaches the factor of 4; on the other panel none does.
        rows = [row("a", "pmemobj", trial, 100) for trial in range(3)]
        rows += [row("a", "orec_lazy_fast", trial, throughput) for trial, throughput in enumerate((500, 400, 100))]
        rows += [row("b", "pmemobj", 0, 100), row("b", "orec_lazy_fast", 0, 399)]
        (verdict,) = factors.verdicts(summarise(rows))
        self.assertIn("at least 4 times the throughput of pmemobj", verdict.claim)
        self.assertIn("from 3.99, b (1), to 4.00, a (1)", verdict.finding)
        self.assertIn("Reached at 1: a (1).", verdict.finding)

    def test_says_nothing_of_what_was_not_measured(self) -> None:
        self.assertEqual(factors.verdicts(summarise([row("a", "orec_lazy_fast", 0, 1)])), [])


if __name__ == "__main__":
    unittest.main()
