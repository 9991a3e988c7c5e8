"""Runs every campaign, one after the other: all figures and tables. A stage that fails does not keep the others from
running. What was interrupted goes on with --resume: finished stages are left out, and a campaign that was under way
keeps what it has measured.

Results: those of each stage, and results/report.html.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import results
from campaign import clock, runs_of
from panels import CAMPAIGNS

ROOT = Path(__file__).resolve().parent.parent
BETWEEN_RUNS = 1.5  # seconds of a run that are not measured: it populates, and checks


@dataclass(frozen=True)
class Stage:
    """One call of run.sh."""

    name: str
    options: tuple[str, ...] = ()  # of --trials and --seconds, those that it knows
    minutes: float = 0.0  # by default; a campaign's are counted
    arguments: tuple[str, ...] = ()

    def words(self, trials: int | None, seconds: float | None, resume: bool) -> list[str]:
        given = {"--trials": trials, "--seconds": seconds}
        chosen = [str(word) for name in self.options if given[name] is not None for word in (name, given[name])]
        return [self.name, *chosen, *self.arguments, *(["--resume"] if resume else [])]

    def measures_a_campaign(self) -> bool:
        return self.name in CAMPAIGNS and not self.arguments

    def seconds(self, trials: int | None, seconds: float | None) -> float:
        """About how long it takes."""
        if not self.measures_a_campaign():
            return self.minutes * 60
        given = {name: value for name, value in (("trials", trials), ("seconds", seconds)) if value is not None}
        campaign = replace(CAMPAIGNS[self.name], **given)
        return sum(1 for _ in runs_of(campaign)) * (campaign.warmup + campaign.seconds + BETWEEN_RUNS)


BOTH = ("--trials", "--seconds")
# The PACT'19 paper's figures show what `workloads` has measured, and are drawn from it.
OF_WORKLOADS = ("--from", "workloads")
STAGES = (
    Stage("quick", BOTH),
    Stage("peers", BOTH),
    Stage("disk", BOTH),
    Stage("stores", BOTH),
    Stage("opening", ("--trials",), 15),
    Stage("memcached", BOTH, 3),
    Stage("fast", BOTH),
    Stage("modes", BOTH),
    Stage("scaling", BOTH),
    Stage("latency", BOTH),
    Stage("icfp21", BOTH),
    Stage("icfp21-fig6", BOTH, 1, ("--from", "icfp21")),
    Stage("icfp21-fig8", BOTH, 1, ("--from", "icfp21")),
    Stage("table1", BOTH, 5),
    Stage("table2", BOTH, 30),
    Stage("table3", BOTH, 60),
    Stage("table4", BOTH, 5),
    Stage("table5", BOTH, 60),
    Stage("fairness", ("--trials",), 5),
    Stage("restart", ("--trials",), 10),
    Stage("allocation", BOTH, 5),
    Stage("memoisation", ("--trials",), 2),
    Stage("compile-time", (), 5),
    Stage("scale", BOTH, 30),
    Stage("fragmentation", (), 30),
    Stage("workloads", BOTH),
    Stage("fig1", BOTH, 1, OF_WORKLOADS),
    Stage("fig2", BOTH, 1, OF_WORKLOADS),
    Stage("fig3", BOTH, 1, OF_WORKLOADS),
)


class Journal:
    """Which stages have begun, and which are finished: a file beside the results."""

    def __init__(self, path: Path, resume: bool) -> None:
        self._path = path
        if resume and not path.exists():
            raise SystemExit(f"nothing to resume: {path} is not there. Start without --resume.")
        recorded = json.loads(path.read_text()) if resume else {}
        self._begun: dict[str, str] = recorded.get("begun", {})
        self._finished: list[str] = recorded.get("finished", [])

    def has_finished(self, stage: Stage) -> bool:
        return stage.name in self._finished

    def is_under_way(self, stage: Stage) -> bool:
        """Whether a campaign has measured something since its stage began."""
        if stage.name not in self._begun or not stage.measures_a_campaign():
            return False
        path = self._path.parent / f"{CAMPAIGNS[stage.name].result}.csv"
        rows = results.read(path) if path.exists() else []
        return bool(rows) and rows[0]["campaign"] >= self._begun[stage.name]

    def begin(self, stage: Stage) -> None:
        self._begun[stage.name] = datetime.now().isoformat(timespec="seconds")
        self._write()

    def finish(self, stage: Stage) -> None:
        self._finished.append(stage.name)
        self._write()

    def _write(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps({"begun": self._begun, "finished": self._finished}))


def run(stages: list[Stage], arguments: argparse.Namespace) -> list[str]:
    """:return: the stages that failed."""
    journal = Journal(arguments.results / "all.json", arguments.resume)
    left = [stage for stage in stages if not journal.has_finished(stage)]
    failed: list[str] = []
    for place, stage in enumerate(left):
        seconds = sum(each.seconds(arguments.trials, arguments.seconds) for each in left[place:])
        words = stage.words(arguments.trials, arguments.seconds, journal.is_under_way(stage))
        print(f"=== stage {stages.index(stage) + 1} of {len(stages)}: {' '.join(words)}; about {clock(seconds / 60)} "
              "hours left, and what is to be built", flush=True)
        if not journal.is_under_way(stage):
            journal.begin(stage)
        begin = time.monotonic()
        status = subprocess.run([str(arguments.runner), *words]).returncode
        print(f"=== {stage.name}: {'failed' if status else 'done'} after {clock(time.monotonic() - begin)}", flush=True)
        if status == 0:
            journal.finish(stage)
        else:
            failed.append(stage.name)
    return failed


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, help="of every stage that has trials, instead of its own")
    parser.add_argument("--seconds", type=float, help="a measurement's length in every stage that has one")
    parser.add_argument("--stages", nargs="+", choices=[stage.name for stage in STAGES], help="only these")
    parser.add_argument("--resume", action="store_true", help="leave out what an interrupted run has finished; give "
                        "the options of then")
    parser.add_argument("--results", type=Path, default=ROOT / "results", help=argparse.SUPPRESS)
    parser.add_argument("--runner", type=Path, default=ROOT / "run.sh", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> int:
    arguments = read_arguments()
    failed = run([stage for stage in STAGES if stage.name in (arguments.stages or [each.name for each in STAGES])],
                 arguments)
    if failed:
        print(f"failed: {', '.join(failed)}. Run them again with --resume.", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
