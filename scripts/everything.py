"""Runs every campaign, one after the other: all figures and tables. A stage that fails does not keep the others from
running. What was interrupted goes on with --resume: finished stages are left out, and a campaign that was under way
keeps what it has measured. With --short all of it takes at most three hours on two cores (scripts/short.py).

Results: those of each stage, and results/report.html.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import durations
import results
import short
from campaign import clock
from panels import CAMPAIGNS
from short import Level
from stages import STAGES, Stage

ROOT = Path(__file__).resolve().parent.parent


class Journal:
    """Which stages have begun, and with what they measure; which are finished, and how long that took: a file beside
    the results."""

    def __init__(self, path: Path, resume: bool) -> None:
        self._path = path
        if resume and not path.exists():
            raise SystemExit(f"nothing to resume: {path} is not there. Start without --resume.")
        recorded = json.loads(path.read_text()) if resume else {}
        self._begun: dict[str, str] = recorded.get("begun", {})
        self._levels: dict[str, list[float]] = recorded.get("levels", {})
        self._finished: list[str] = recorded.get("finished", [])
        self.seconds: float = recorded.get("seconds", 0.0)  # of all that was done
        self._expected: float = recorded.get("expected", 0.0)  # for that

    def has_finished(self, stage: Stage) -> bool:
        return stage.name in self._finished

    def is_under_way(self, stage: Stage) -> bool:
        """Whether a campaign has measured something since its stage began."""
        if stage.name not in self._begun or not stage.measures_a_campaign():
            return False
        path = self._path.parent / f"{CAMPAIGNS[stage.name].result}.csv"
        rows = results.read(path) if path.exists() else []
        return bool(rows) and rows[0]["campaign"] >= self._begun[stage.name]

    def level_of(self, stage: Stage) -> Level | None:
        """The one that its runs have, if some are there already: its own, or those that it takes."""
        name = stage.source() or (stage.name if self.is_under_way(stage) else "")
        if name not in self._levels:
            return None
        trials, seconds = self._levels[name]
        return Level(int(trials), seconds)

    @property
    def pace(self) -> float:
        """How many times as long as expected all has taken so far; 1 if it was no longer."""
        return max(1.0, self.seconds / self._expected) if self._expected else 1.0

    def begin(self, stage: Stage, level: Level | None) -> None:
        if not self.is_under_way(stage):
            self._begun[stage.name] = datetime.now().isoformat(timespec="seconds")
        if level is not None:
            self._levels[stage.name] = [level.trials, level.seconds]
        self._write()

    def end(self, stage: Stage, seconds: float, expected: float, is_finished: bool) -> None:
        self.seconds += seconds
        self._expected += expected
        if is_finished:
            self._finished.append(stage.name)
        self._write()

    def _write(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps({"begun": self._begun, "levels": self._levels, "finished": self._finished,
                                          "seconds": self.seconds, "expected": self._expected}))


class Plan:
    """What is measured, and how long that takes."""

    def __init__(self, arguments: argparse.Namespace, journal: Journal) -> None:
        self._arguments = arguments
        self._journal = journal

    def level_for(self, stage: Stage, left: list[Stage]) -> Level | None:
        """With --short: the best with which all that is left fits into the time that is left."""
        if not self._arguments.short:
            return None
        known = self._journal.level_of(stage)
        building = sum(self.building(left).values())
        seconds_left = self._arguments.limit * 60 - self._journal.seconds
        return known or short.level_that_fits(lambda level: building + sum(each.short_seconds(level) for each in left),
                                              seconds_left / self._journal.pace)

    def building(self, stages: list[Stage]) -> dict[str, float]:
        """Seconds, of each."""
        known: set[str] = set()
        return {stage.name: durations.building(stage.programs(self._arguments.short), self._arguments.build, known)
                for stage in stages}

    def measuring(self, stage: Stage, level: Level | None) -> float:
        """Seconds."""
        return (stage.short_seconds(level) if level
                else stage.seconds(self._arguments.trials, self._arguments.seconds))

    def words(self, stage: Stage, level: Level | None) -> list[str]:
        resume = self._journal.is_under_way(stage)
        return (stage.short_words(level, resume) if level
                else stage.words(self._arguments.trials, self._arguments.seconds, resume))

    def table(self, left: list[Stage]) -> str:
        """The minutes of each stage, of which the programs are built in the first that needs them."""
        level = self.level_for(left[0], left)
        building = self.building(left)
        rows = [(stage.name, building[stage.name] / 60, self.measuring(stage, level) / 60) for stage in left]
        lines = [f"{'about minutes':<15}{'building':>10}{'measuring':>11}",
                 *(f"{name:<15}{built:>10.1f}{measured:>11.1f}" for name, built, measured in rows),
                 f"{'all':<15}{sum(row[1] for row in rows):>10.1f}{sum(row[2] for row in rows):>11.1f}"]
        if level:
            lines.append(f"trials: {level.trials}, of {level.seconds:g} s; limit: {self._arguments.limit:g} minutes")
        return "\n".join(lines)


def run(stages: list[Stage], arguments: argparse.Namespace) -> list[str]:
    """:return: the stages that failed."""
    journal = Journal(arguments.results / "all.json", arguments.resume)
    plan = Plan(arguments, journal)
    left = [stage for stage in stages if not journal.has_finished(stage)]
    if left:
        print(plan.table(left), flush=True)
    if arguments.plan:
        return []
    failed: list[str] = []
    for place, stage in enumerate(left):
        level = plan.level_for(stage, left[place:])
        building = plan.building(left[place:])
        seconds = sum(plan.measuring(each, level) for each in left[place:]) + sum(building.values())
        words = plan.words(stage, level)
        print(f"=== stage {stages.index(stage) + 1} of {len(stages)}: {' '.join(words)}; about "
              f"{clock(journal.pace * seconds / 60)} hours left", flush=True)
        journal.begin(stage, level)
        begin = time.monotonic()
        status = subprocess.run([str(arguments.runner), *words]).returncode
        elapsed = time.monotonic() - begin
        print(f"=== {stage.name}: {'failed' if status else 'done'} after {clock(elapsed)}", flush=True)
        journal.end(stage, elapsed, plan.measuring(stage, level) + building[stage.name], status == 0)
        if status != 0:
            failed.append(stage.name)
    return failed


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, help="of every stage that has trials, instead of its own")
    parser.add_argument("--seconds", type=float, help="a measurement's length in every stage that has one")
    parser.add_argument("--stages", nargs="+", choices=[stage.name for stage in STAGES], help="only these")
    parser.add_argument("--short", action="store_true", help="fewer points, trials and seconds")
    parser.add_argument("--limit", type=float, default=short.LIMIT / 60, help="minutes that all takes with --short")
    parser.add_argument("--plan", action="store_true", help="only say how long each stage takes")
    parser.add_argument("--resume", action="store_true", help="leave out what an interrupted run has finished; give "
                        "the options of then")
    parser.add_argument("--results", type=Path, default=ROOT / "results", help=argparse.SUPPRESS)
    parser.add_argument("--build", type=Path, default=ROOT / "build/llvm19", help=argparse.SUPPRESS)
    parser.add_argument("--runner", type=Path, default=ROOT / "run.sh", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.short and (arguments.trials or arguments.seconds):
        parser.error("--short chooses trials and seconds by itself: leave out --trials and --seconds, or --short")
    return arguments


def main() -> int:
    arguments = read_arguments()
    failed = run([stage for stage in STAGES if stage.name in (arguments.stages or [each.name for each in STAGES])],
                 arguments)
    if failed:
        print(f"failed: {', '.join(failed)}. Run them again with --resume.", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
