"""An interrupted campaign goes on where it stopped: programs that only print a record stand for the benchmarks."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from panels import CAMPAIGNS

LIBRARIES = ("floor", "lock_stm", "orec_lazy_ip")
TRIALS = 2
RECORD = {
    "benchmark": "tatp", "preset": "pact19", "parameters": "", "library": "", "algorithm": "", "mode": "", "domain": "",
    "durable": True, "medium": "tmpfs", "threads": 0, "rate": 0, "cores": 8, "oversubscribed": False, "pinned": True,
    "seed": 1, "trial": 0, "processor": "", "kernel": "", "compiler": "", "transactions": 10, "rolled_back": 0,
    "seconds": 1.0, "processor_seconds": 1.0, "throughput": 1000.0, "latency_p50_us": 1, "latency_p99_us": 1,
    "latency_p999_us": 1, "latency_samples": 1, "opened": "created", "open_milliseconds": 1, "invariants": "hold",
    "population_seconds": 0, "pool_bytes": 1, "volatile_bytes": 1, "stored_bytes": 1,
} | {name: 0 for name in (
    "commits", "read_only_commits", "aborts_locked", "aborts_validation", "aborts_exception", "flushes", "fences",
    "log_bytes", "retired_lines", "redo_lookups", "redo_hits", "validations", "extensions", "hourglass_turns",
    "quiescence_waits", "quiescence_nanoseconds", "allocations", "frees", "transactions_replayed",
    "transactions_rolled_back", "blocks_reclaimed")}
PROGRAM = """#!/usr/bin/python3
import json, pathlib, sys
runs = pathlib.Path({runs!r})
done = len(runs.read_text().splitlines()) if runs.exists() else 0
if {limit} is not None and done >= {limit}:
    sys.exit("interrupted")
with runs.open("a") as file:
    file.write("run\\n")
given = dict(zip(sys.argv[1:], sys.argv[2:]))
print(json.dumps({record!r} | dict(library={library!r}, threads=int(given["--threads"]), trial=int(given["--trial"]))))
"""


class InterruptedCampaign(unittest.TestCase):
    """memcached is a panel like any other, though it has a server."""

    LETTER, BENCHMARK = "i", "memcached"

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="perdure_campaign_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bin").mkdir()

    def make_programs(self, limit: int | None = None, preset: str = "pact19") -> None:
        for library in LIBRARIES:
            program = self.folder / "bin" / f"{self.BENCHMARK}_{library}"
            program.write_text(PROGRAM.format(runs=str(self.folder / "runs"), limit=limit,
                                              record=RECORD | {"preset": preset}, library=library))
            program.chmod(0o755)

    def campaign(self, *options: str, has_figures: bool = False) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(ROOT / "scripts/campaign.py"), self.LETTER, "--build", str(self.folder),
                   "--results", str(self.folder / "results"), "--trials", str(TRIALS), "--libraries", *LIBRARIES,
                   *([] if has_figures else ["--no-figures"]), *options]
        return subprocess.run(command, text=True, capture_output=True, env={**os.environ, "MPLBACKEND": "agg"})

    def rows(self) -> list[dict[str, str]]:
        with (self.folder / "results" / f"panel-{self.LETTER}.csv").open(newline="") as file:
            return list(csv.DictReader(file))

    def test_goes_on_where_it_stopped(self) -> None:
        self.make_programs(limit=5)
        self.assertEqual(self.campaign().returncode, 1)
        self.assertEqual(len(self.rows()), 5)
        self.make_programs()
        done = self.campaign("--resume")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rows = self.rows()
        points = {(row["library"], row["threads"], row["trial"]) for row in rows}
        self.assertEqual(len(rows), len(LIBRARIES) * TRIALS * 3)  # each of 1, 2 and 4 threads
        self.assertEqual(len(points), len(rows))
        self.assertEqual(len({row["campaign"] for row in rows}), 1)
        again = self.campaign("--resume", has_figures=True)
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertEqual(len(self.rows()), len(rows))
        results = self.folder / "results"
        self.assertIn("orec_lazy_ip", (results / f"panel-{self.LETTER}.txt").read_text())
        self.assertGreater((results / f"panel-{self.LETTER}.png").stat().st_size, 0)
        self.assertIn(CAMPAIGNS[self.LETTER].panels[0].title, (results / "report.html").read_text())


class Campaign(InterruptedCampaign):
    LETTER, BENCHMARK = "f", "tatp"

    def test_refuses_what_it_cannot_resume(self) -> None:
        self.make_programs()
        nothing = self.campaign("--resume")
        self.assertNotEqual(nothing.returncode, 0)
        self.assertIn("nothing to resume", nothing.stderr)
        self.assertEqual(self.campaign().returncode, 0)
        other = self.campaign("--resume", "--trials", "1")
        self.assertNotEqual(other.returncode, 0)
        self.assertIn("Give the same options", other.stderr)

    def test_takes_what_another_campaign_measured(self) -> None:
        self.make_programs()
        self.assertIn("nothing to take", self.campaign("--from", "workloads").stderr)
        self.assertEqual(self.campaign().returncode, 0)
        measured = self.rows()
        results = self.folder / "results"
        (results / f"panel-{self.LETTER}.csv").rename(results / "workloads.csv")
        for _ in range(2):  # the second time there is nothing left to take
            done = self.campaign("--from", "workloads")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(self.rows(), measured)
        more = self.campaign("--from", "workloads", "--trials", str(TRIALS + 1))
        self.assertEqual(more.returncode, 1)
        self.assertIn(f"{len(measured) // TRIALS} of {len(measured) * (TRIALS + 1) // TRIALS} runs", more.stderr)
        self.assertEqual(self.campaign("--from", "workloads", "--programs").stdout.strip(), "")

    def test_takes_nothing_of_another_preset(self) -> None:
        self.make_programs(preset="small")
        self.assertEqual(self.campaign().returncode, 0)
        results = self.folder / "results"
        (results / f"panel-{self.LETTER}.csv").rename(results / "quick.csv")
        self.assertIn("nothing to take", self.campaign("--from", "quick").stderr)

    def test_lists_its_programs(self) -> None:
        self.assertEqual(self.campaign("--programs").stdout.split(),
                         [f"{self.BENCHMARK}_{library}" for library in LIBRARIES])


class FilledStores(unittest.TestCase):
    """A run ends after so many transactions or seconds: programs refuse to be told of both."""

    PROGRAM = """#!/usr/bin/python3
import json, sys
if "--seconds" in sys.argv or "--transactions" not in sys.argv:
    sys.exit("it is to end when the store is full")
print(json.dumps({record!r} | dict(library="leveldb", threads=1)))
"""

    def test_a_run_of_so_many_transactions_is_told_of_no_seconds(self) -> None:
        with tempfile.TemporaryDirectory(prefix="perdure_campaign_") as folder:
            program = Path(folder) / "bin/stores_leveldb"
            program.parent.mkdir()
            program.write_text(self.PROGRAM.format(record=RECORD))
            program.chmod(0o755)
            command = [sys.executable, str(ROOT / "scripts/campaign.py"), "eurosys8", "--build", folder, "--results",
                       f"{folder}/results", "--trials", "1", "--threads", "1", "--libraries", "leveldb", "--no-figures"]
            done = subprocess.run(command, text=True, capture_output=True, env={**os.environ, "MPLBACKEND": "agg"})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
