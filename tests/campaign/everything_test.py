"""All campaigns in turn: a script that only notes how it was called stands for run.sh."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

from everything import STAGES
from panels import CAMPAIGNS

# Fails at the stages that the file `broken` names; a campaign leaves one row of results, failed or not.
RUNNER = """#!/bin/sh
cd "$(dirname "$0")"
echo "$@" >> calls
case $1 in
  peers | fast) mkdir -p results; printf 'campaign,panel\\n9999-01-01T00:00:00,x\\n' > results/"$1".csv ;;
esac
! grep -qx "$1" broken
"""


class Everything(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="perdure_everything_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        runner = self.folder / "run.sh"
        runner.write_text(RUNNER)
        runner.chmod(0o755)
        self.break_stages()

    def break_stages(self, *names: str) -> None:
        (self.folder / "broken").write_text("".join(f"{name}\n" for name in names))

    def everything(self, *options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(SCRIPTS / "everything.py"), "--runner", str(self.folder / "run.sh"),
                   "--results", str(self.folder / "results"), *options]
        return subprocess.run(command, text=True, capture_output=True)

    def calls(self) -> list[str]:
        """Since the last look."""
        file = self.folder / "calls"
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines

    def test_every_stage_runs_once(self) -> None:
        done = self.everything()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([call.split()[0] for call in self.calls()], [stage.name for stage in STAGES])
        self.assertEqual(self.everything("--resume").returncode, 0)
        self.assertEqual(self.calls(), [])

    def test_a_failure_stops_nothing_and_is_run_again(self) -> None:
        self.break_stages("memcached", "peers")
        done = self.everything("--stages", "peers", "memcached", "table1", "--trials", "2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed: peers, memcached", done.stderr)
        self.assertEqual(self.calls(), ["peers --trials 2", "memcached --trials 2", "table1 --trials 2"])
        self.break_stages()
        again = self.everything("--stages", "peers", "memcached", "table1", "--trials", "2", "--resume")
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        # What the campaign has measured stays; a script without --resume starts anew.
        self.assertEqual(self.calls(), ["peers --trials 2 --resume", "memcached --trials 2"])

    def test_an_older_campaign_is_not_resumed(self) -> None:
        results = self.folder / "results"
        results.mkdir()
        (results / "latency.csv").write_text("campaign,panel\n2000-01-01T00:00:00,x\n")
        self.break_stages("latency")
        self.everything("--stages", "latency")
        self.everything("--stages", "latency", "--resume")
        self.assertEqual(self.calls(), ["latency", "latency"])

    def test_short_says_its_time_and_has_one_level_to_the_end(self) -> None:
        self.break_stages("fast")
        stages = ("--stages", "fast", "icfp21", "icfp21-fig6", "table5", "--short")
        done = self.everything(*stages, "--limit", "1")
        self.assertIn("about minutes", done.stdout)
        self.assertIn("trials: 1, of 0.1 s; limit: 1 minutes", done.stdout)  # the last level
        short = "--trials 1 --seconds 0.1"
        self.assertEqual(self.calls(), [f"fast {short} --short", f"icfp21 {short} --short",
                                        f"icfp21-fig6 {short} --from icfp21 --short", f"table5 {short} --threads 1 2"])
        # What is under way goes on as it began, though now there would be time for more.
        self.break_stages()
        self.everything(*stages, "--limit", "100000", "--resume")
        self.assertEqual(self.calls(), [f"fast {short} --resume --short"])

    def test_short_takes_the_time_that_it_has(self) -> None:
        self.everything("--stages", "scaling", "--short", "--limit", "100000")
        self.assertEqual(self.calls(), ["scaling --trials 5 --seconds 0.5 --short"])

    def test_short_learns_how_long_it_takes_here(self) -> None:
        results = self.folder / "results"
        results.mkdir()
        (results / "all.json").write_text('{"seconds": 5900000, "expected": 1}')
        self.everything("--stages", "scaling", "--short", "--limit", "100000", "--resume")
        self.assertEqual(self.calls(), ["scaling --trials 1 --seconds 0.1 --short"])

    def test_short_chooses_trials_by_itself(self) -> None:
        done = self.everything("--short", "--trials", "3")
        self.assertEqual((done.returncode, self.calls()), (2, []))
        self.assertIn("leave out --trials and --seconds, or --short", done.stderr)

    def test_a_plan_runs_nothing(self) -> None:
        self.assertIn("table1", self.everything("--stages", "table1", "--plan").stdout)
        self.assertEqual(self.calls(), [])

    def test_refuses_to_resume_nothing(self) -> None:
        self.assertIn("nothing to resume", self.everything("--resume").stderr)

    def test_no_campaign_but_the_letters_is_left_out(self) -> None:
        self.assertEqual({name for name in CAMPAIGNS if len(name) > 1} - {stage.name for stage in STAGES}, {"first"})

    def test_stages_know_the_options_that_they_are_given(self) -> None:
        scripts = {"compile-time": "compile_time", **{f"table{number}": "tables" for number in range(1, 6)},
                   **{name: "campaign" for name in CAMPAIGNS}}
        helps = {name: subprocess.run([sys.executable, str(SCRIPTS / f"{name}.py"), "--help"], text=True,
                                      capture_output=True, check=True).stdout
                 for name in dict.fromkeys(scripts.get(stage.name, stage.name) for stage in STAGES)}
        for stage in STAGES:
            text = helps[scripts.get(stage.name, stage.name)]
            for option in ("--trials", "--seconds"):
                self.assertEqual(option in stage.options, f"  {option} " in text, f"{stage.name} {option}")
            for option in stage.arguments[::2]:
                self.assertIn(option, text)


if __name__ == "__main__":
    unittest.main()
