"""Scripts that measure say which programs they need before they are built, by the options that they are given."""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def output_of(script: str, *options: str) -> str:
    command = [sys.executable, str(SCRIPTS / f"{script}.py"), *options]
    return subprocess.run(command, text=True, capture_output=True, check=True).stdout


class CommandLine(unittest.TestCase):
    def test_programs_are_those_of_the_libraries_that_are_given(self) -> None:
        for script, programs in {
            "restart": ["restart_floor"], "fragmentation": ["fragmentation_floor"], "fairness": ["progress_floor"],
            "memcached": ["memcached_load", "memcached_floor"], "memoisation": ["memo_plain", "fibonacci_floor"],
            "wakeups": ["wakeups_floor"], "stopped": ["queue_floor", "sets_floor"],
        }.items():
            self.assertEqual(output_of(script, "--programs", "--libraries", "floor").split(), programs)
        self.assertEqual(output_of("campaign", "f", "--libraries", "floor", "--programs").split(), ["tatp_floor"])
        self.assertIn("tatp_floor", output_of("scale", "--programs", "--libraries", "floor").split())
        self.assertIn("queue_floor", output_of("scale_eurosys20", "--programs", "--libraries", "floor").split())
        self.assertIn("allocation_pmemobj", output_of("allocation", "--programs").split())

    def test_only_some_numbers_of_threads(self) -> None:
        given = ("campaign", "disk", "--libraries", "floor_disk", "--programs", "--threads")
        self.assertIn("tatp_floor_disk", output_of(*given, "1", "16").split())
        self.assertEqual(output_of(*given, "3").split(), [])

    def test_others_take_the_build_and_the_results_alike(self) -> None:
        for script in ("compile_time", "tables"):
            text = output_of(script, "--help")
            self.assertIn("--build BUILD", text)
            self.assertIn("--results RESULTS", text)


if __name__ == "__main__":
    unittest.main()
