"""What scripts/crash_states.py makes of what the exploration tests print."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "crash_states.py"
sys.path.insert(0, str(SCRIPT.parent))

import crash_states

EXPLORED = """\
[ RUN      ] Small/Exploration.EveryCrashLeavesWhatIsAllowed/counter
orec_lazy_fast_sim counter: 2530 events, 1847 states, 1697 of them in recovery
  flush: 4 times, 3 of them clean, 0 repeated: settle table.cc:124
  flush: 9 times, 1 of them clean, 2 repeated: operator() a.cc:4 < flush_data<(lambda at a.cc:1:2)> a.h:3 < retire b.h:1
orec_lazy_fast_sim swap: 10 events, 20 states, 0 of them in recovery
  flush: 5 times, 5 of them clean, 0 repeated: settle table.cc:128
"""
SAMPLED = """\
orec_lazy_fast_sim map: 6921 events, 25482 states, 0 of them in recovery; 400000 drawn
orec_lazy_fast_sim tpcc: 23546 events, 61098 states, 0 of them in recovery; 200000 drawn
"""
FAILED = "[  FAILED  ] Long/Samples.OfCrashesLeaveWhatIsAllowed/map, where GetParam() = 40-byte object (2 ms)\n"


class Tables(unittest.TestCase):
    def test_explored_sums_the_workloads_of_a_library(self) -> None:
        rows = crash_states.explored_table(crash_states.read(EXPLORED))
        self.assertIn("| `orec_lazy` | – | – | – | – | 1 867 (1 697) |", rows)

    def test_sampled_tells_draws_and_states(self) -> None:
        rows = crash_states.sampled_table(crash_states.read(SAMPLED))
        self.assertEqual(rows[-1],
                         "| `orec_lazy_fast` | 25 482 of 400 000 | 61 098 of 200 000 | 600 000 |")

    def test_what_was_drawn_was_not_explored(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as log:
            log.write(EXPLORED + SAMPLED)
            log.flush()
            done = subprocess.run([sys.executable, str(SCRIPT), "explored", log.name], capture_output=True, text=True)
        self.assertIn("1 867 states of 1 libraries, 2 workloads; 0 failed", done.stdout)

    def test_redundant_sums_the_workloads_of_a_place(self) -> None:
        rows = crash_states.redundant_table(crash_states.read_sites(EXPLORED))
        self.assertIn("| `flush: settle` | – | – | – | – | 8 clean of 9 | counter, swap |", rows)
        self.assertIn("| `flush: flush_data < retire` | – | – | – | – | 1 clean, 2 repeated of 9 | counter |", rows)

    def test_a_failed_test_fails_the_table(self) -> None:
        for text, status in ((SAMPLED, 0), (SAMPLED + FAILED, 1), ("", 1)):
            with tempfile.NamedTemporaryFile("w", suffix=".txt") as log:
                log.write(text)
                log.flush()
                done = subprocess.run([sys.executable, str(SCRIPT), "sampled", log.name], capture_output=True)
            self.assertEqual(done.returncode, status, text)


if __name__ == "__main__":
    unittest.main()
