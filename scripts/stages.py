"""The stages of `./run.sh all`: which calls of run.sh make every figure and table, and how long each takes."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import durations
import tables
from campaign import runs_of
from panel import Campaign
from panels import CAMPAIGNS
from short import Level, shortened

SCRIPTS = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Brief:
    """What a script does with --short: its arguments, and its minutes: once, and for each trial."""

    arguments: tuple[str, ...] = ()
    minutes: float = 0.0
    minutes_of_trial: float = 0.0


@dataclass(frozen=True)
class Stage:
    """One call of run.sh."""

    name: str
    options: tuple[str, ...] = ()  # of --trials and --seconds, those that it knows
    minutes: float = 0.0  # by default; those of campaigns and tables are counted
    arguments: tuple[str, ...] = ()
    brief: Brief = Brief()

    def words(self, trials: int | None, seconds: float | None, resume: bool) -> list[str]:
        given = {"--trials": trials, "--seconds": seconds}
        chosen = [str(word) for name in self.options if given[name] is not None for word in (name, given[name])]
        return [self.name, *chosen, *self.arguments, *(["--resume"] if resume else [])]

    def short_words(self, level: Level, resume: bool) -> list[str]:
        words = self.words(level.trials, level.seconds, resume)
        return [*words, "--short"] if self.name in CAMPAIGNS else [*words, *self.brief.arguments]

    def source(self) -> str:
        """The stage whose points it takes, if it measures nothing itself."""
        return self.arguments[1] if "--from" in self.arguments else ""

    def measures_a_campaign(self) -> bool:
        return self.name in CAMPAIGNS and not self.source()

    def seconds(self, trials: int | None, seconds: float | None) -> float:
        """About how long it takes, what is to be built left out."""
        given = {name: value for name, value in (("trials", trials), ("seconds", seconds)) if value is not None}
        if self.measures_a_campaign():
            return durations.measuring(replace(CAMPAIGNS[self.name], **given))
        if self.name in tables.TABLES:
            return durations.measuring_table(tables.TABLES[self.name], trials or tables.TRIALS,
                                             seconds or tables.SECONDS)
        return self.minutes * 60

    def short_seconds(self, level: Level) -> float:
        """The same, with --short."""
        if self.measures_a_campaign():
            return durations.measuring(replace(shortened(CAMPAIGNS[self.name]), trials=level.trials,
                                               seconds=level.seconds))
        if self.name in tables.TABLES:
            threads = {int(count) for count in self.brief.arguments[1:]}
            return durations.measuring_table(tables.TABLES[self.name], level.trials, level.seconds, threads)
        return (self.brief.minutes + self.brief.minutes_of_trial * level.trials) * 60

    @functools.cache
    def programs(self, is_short: bool) -> tuple[str, ...]:
        """What is built for it."""
        if self.source() or self.name == "compile-time":
            return ()
        if self.name in CAMPAIGNS:
            return tuple(dict.fromkeys(run.point.program() for run in runs_of(self._campaign(is_short))))
        if self.name in tables.TABLES:
            return tuple(tables.programs_of(tables.TABLES[self.name]))
        return tuple(self._programs_of_the_script(is_short))

    def _campaign(self, is_short: bool) -> Campaign:
        campaign = replace(CAMPAIGNS[self.name], trials=1)
        return shortened(campaign) if is_short else campaign

    def _programs_of_the_script(self, is_short: bool) -> Iterator[str]:
        arguments = self.brief.arguments if is_short else ()
        command = [sys.executable, str(SCRIPTS / f"{self.name}.py"), "--programs", *arguments]
        yield from subprocess.run(command, text=True, capture_output=True, check=True).stdout.split()


BOTH = ("--trials", "--seconds")
# The PACT'19 paper's figures show what `workloads` has measured, and are drawn from it.
OF_WORKLOADS = ("--from", "workloads")
DRAWING = Brief(minutes=0.5)
STOPPED_IN_BRIEF = ("--length", "3", "--libraries", "redo_helped", "redo_opt_twin", "cx_ptm", "orec_lazy_fast")
SIMULATED_IN_BRIEF = ("--libraries", "lock_stm", "orec_lazy_gp", "orec_lazy_fast")
CONSTRUCTIONS_IN_BRIEF = ("--libraries", "orec_lazy_fast", "redo_opt_twin", "redo_timed", "cx_ptm")
STAGES = (
    Stage("quick", BOTH),
    Stage("peers", BOTH),
    Stage("disk", BOTH),
    Stage("stores", BOTH),
    Stage("opening", ("--trials",), 15, brief=Brief(("--entries", "1000000"), minutes_of_trial=1)),
    Stage("memcached", BOTH, 3, brief=Brief(minutes_of_trial=0.5)),
    Stage("fast", BOTH),
    Stage("modes", BOTH),
    Stage("scaling", BOTH),
    Stage("latency", BOTH),
    Stage("icfp21", BOTH),
    Stage("icfp21-fig6", BOTH, 1, ("--from", "icfp21"), DRAWING),
    Stage("icfp21-fig8", BOTH, 1, ("--from", "icfp21"), DRAWING),
    *(Stage(f"eurosys{number}", BOTH) for number in range(4, 9)),
    Stage("eurosys9", BOTH, 1, ("--from", "eurosys8"), DRAWING),
    Stage("atc20", ("--trials",), 30, brief=Brief(("--brief",), minutes_of_trial=2)),
    Stage("table1", BOTH),
    Stage("table2", BOTH),
    Stage("table3", BOTH),
    Stage("table4", BOTH),
    Stage("table5", BOTH, brief=Brief(("--threads", "1", "2"))),
    Stage("fairness", ("--trials",), 5, brief=Brief(minutes_of_trial=1)),
    Stage("restart", ("--trials",), 10, brief=Brief(("--mebibytes", "64", "1024"), minutes_of_trial=0.5)),
    Stage("allocation", BOTH, 5, brief=Brief(minutes_of_trial=0.7)),
    Stage("memoisation", ("--trials",), 2, brief=Brief(minutes_of_trial=0.3)),
    Stage("wakeups", ("--trials",), 1, brief=Brief(minutes_of_trial=0.2)),
    Stage("stopped", ("--trials",), 35, brief=Brief(STOPPED_IN_BRIEF, minutes_of_trial=1.2)),
    Stage("compile-time", (), 5, brief=Brief(("--rounds", "3"), minutes=1.5)),
    Stage("scale", BOTH, 30, brief=Brief(SIMULATED_IN_BRIEF, 2, minutes_of_trial=1)),
    Stage("scale_eurosys20", BOTH, 8, brief=Brief(CONSTRUCTIONS_IN_BRIEF, 0.5, minutes_of_trial=0.8)),
    Stage("fragmentation", (), 30, brief=Brief(("--operations", "5000000"), minutes=1.5)),
    Stage("workloads", BOTH),
    Stage("fig1", BOTH, 1, OF_WORKLOADS, DRAWING),
    Stage("fig2", BOTH, 1, OF_WORKLOADS, DRAWING),
    Stage("fig3", BOTH, 1, OF_WORKLOADS, DRAWING),
)
