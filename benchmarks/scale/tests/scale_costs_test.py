"""The costs of the model: the fit finds what is known, and never a negative cost."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

import numpy

import scale_costs
from scale_results import Measured

SHAPES = {
    f"panel-{i}": {"reads": reads, "writes": writes, "read_stripes": reads / 2, "chunks": writes / 2, "words": writes,
                   "captured_lines": 0.0, "outside": 40.0}
    for i, (reads, writes) in enumerate([(10, 2), (100, 2), (20, 30), (300, 60), (50, 0), (5, 100)])
}
MACHINE = {"flush": 3.0, "fence": 150.0}


def measured(library: str, panel: str, nanoseconds: float, flushes: float = 0, fences: float = 0) -> Measured:
    return Measured(panel, library, 1, 0, 1e9 / nanoseconds, 0, flushes, fences, 0, 0)


class Fit(unittest.TestCase):
    def test_finds_the_costs_that_made_the_measurements(self) -> None:
        runs = []
        for panel, shape in SHAPES.items():
            body = 100 + shape["reads"]
            durable = 5 * MACHINE["flush"] + 4 * MACHINE["fence"]
            own = 70 + 4 * shape["reads"] + 9 * shape["writes"]
            runs += [measured("seq", panel, body), measured("orec_lazy_ip", panel, body + durable + own, 5, 4)]
        fit = scale_costs.fit("orec_lazy_ip", runs, SHAPES, MACHINE)
        for error in fit.errors.values():
            self.assertAlmostEqual(error, 0, places=3)
        self.assertAlmostEqual(fit.costs["transaction"], 70, delta=3)

    def test_costs_are_never_negative(self) -> None:
        runs = []
        for panel, shape in SHAPES.items():
            runs += [measured("seq", panel, 1000), measured("lock_stm", panel, 900 + shape["writes"])]
        costs = scale_costs.fit("lock_stm", runs, SHAPES, MACHINE).costs
        self.assertGreaterEqual(min(costs.values()), 0)


class Machine(unittest.TestCase):
    def test_is_the_quickest_but_between_cores_the_slowest(self) -> None:
        machines = [{"fence": 150.0, "transfer": 31.0}, {"fence": 200.0, "transfer": 135.0}]
        self.assertEqual(scale_costs.combined(machines), {"fence": 150.0, "transfer": 135.0})


class LeastSquares(unittest.TestCase):
    def test_what_would_be_negative_is_nothing(self) -> None:
        matrix = numpy.array([[1.0, 0.0], [0.0, 1.0]])
        found = scale_costs.non_negative_least_squares(matrix, numpy.array([2.0, -3.0]))
        self.assertEqual(list(found), [2.0, 0.0])


if __name__ == "__main__":
    unittest.main()
