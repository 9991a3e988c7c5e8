"""Runs a campaign (scripts/panels.py) and writes its results: a CSV, a table, figures as PNG, PDF and SVG, the page of
all that was measured."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import command_line
import results
import table
from panel import Campaign, Point
from panels import CAMPAIGNS
from short import shortened

SCRIPTS = Path(__file__).resolve().parent
RUN_LIMIT = 300.0  # seconds; a run that takes longer hangs
FILLING_LIMIT = 1800.0  # of one that ends after so many transactions
Place = tuple[str, str, str, int, int]  # a run's panel, preset, library, threads and trial


@dataclass(frozen=True)
class Run:
    point: Point
    trial: int

    def place(self) -> Place:
        return self.point.panel, self.point.preset, self.point.library, self.point.threads, self.trial


def _place_of(row: results.Row) -> Place:
    return row["panel"], row["preset"], row["library"], int(row["threads"]), int(row["trial"])


def runs_of(campaign: Campaign) -> Iterator[Run]:
    """Every point once, then every point again: a change of the machine's mood meets all libraries alike."""
    for trial in range(campaign.trials):
        for panel in campaign.panels:
            if trial < min(panel.trials or campaign.trials, campaign.trials):
                yield from (Run(point, trial) for point in panel.points(campaign.libraries))


class Runner:
    def __init__(self, campaign: Campaign, arguments: argparse.Namespace) -> None:
        self._campaign = campaign
        self._build: Path = arguments.build
        self._csv: Path = arguments.results / f"{campaign.result}.csv"
        self._started = datetime.now().isoformat(timespec="seconds")
        self._runs = list(runs_of(campaign))
        self._failures: list[str] = []
        self._has_figures = not arguments.no_figures
        if arguments.source:
            self._take_runs_of(CAMPAIGNS[arguments.source])
        elif arguments.resume:
            self._leave_out_finished_runs()

    def run(self) -> int:
        """Runs everything.
        :return: the exit status: 1 if any run failed; the others are written all the same."""
        self._refuse_missing_programs()
        begin = time.monotonic()
        for done, run in enumerate(self._runs):
            outcome = self._measure(run)
            elapsed = time.monotonic() - begin
            left = elapsed / (done + 1) * (len(self._runs) - done - 1)
            print(f"[{done + 1:>3}/{len(self._runs)}] {run.point}  trial {run.trial + 1}  {outcome:>16}  "
                  f"{clock(left)} left", flush=True)
        if len(self._failures) < len(self._runs) or not self._runs:
            self._report()
        for failure in self._failures:
            print(f"failed: {failure}", file=sys.stderr)
        print(f"{self._campaign.result}: {len(self._runs)} runs, {len(self._failures)} failed, in "
              f"{clock(time.monotonic() - begin)} min; the table: {self._csv.with_suffix('.txt')}", flush=True)
        return 1 if self._failures else 0

    def _leave_out_finished_runs(self) -> None:
        """Goes on with the last campaign in the file, if it was of the same points."""
        rows = results.read(self._csv) if self._csv.exists() else []
        if not rows:
            raise SystemExit(f"nothing to resume: {self._csv} has no runs. Start without --resume.")
        finished = set(map(_place_of, rows))
        if foreign := finished - {run.place() for run in self._runs}:
            raise SystemExit(f"the last campaign in {self._csv} measured what this one does not: "
                             f"{', '.join(map(str, sorted(foreign)[0]))}. Give the same options as then, or start anew "
                             "without --resume.")
        self._started = rows[0]["campaign"]
        self._runs = [run for run in self._runs if run.place() not in finished]
        print(f"going on with the campaign of {self._started}: {len(finished)} runs are there, {len(self._runs)} left")

    def _take_runs_of(self, other: Campaign) -> None:
        """In the place of measuring: what the last run of another campaign has of the same points."""
        source = self._csv.with_name(f"{other.result}.csv")
        rows = results.read(source) if source.exists() else []
        wanted = {run.place() for run in self._runs}
        taken = [row for row in rows if _place_of(row) in wanted]
        if not taken:
            raise SystemExit(f"nothing to take: {source} has no runs of these points. Measure them: leave out --from.")
        self._started = taken[0]["campaign"]
        known = set(map(_place_of, results.read(self._csv, self._started))) if self._csv.exists() else set()
        for row in taken:
            if _place_of(row) not in known:
                results.append(self._csv, row)
        self._runs = []
        if missing := len(wanted) - len(taken):
            self._failures.append(f"{missing} of {len(wanted)} runs are not in {source}")

    def _refuse_missing_programs(self) -> None:
        missing = {path for run in self._runs if not (path := self._program(run.point)).exists()}
        if missing:
            raise SystemExit(f"not built: {', '.join(map(str, sorted(missing)))}. Run `make build`, or name the build "
                             "directory with --build.")

    def _program(self, point: Point) -> Path:
        return self._build / "bin" / point.program()

    def _measure(self, run: Run) -> str:
        """Runs one program and stores its record.
        :return: the throughput, or that it failed."""
        command = self._command(run)
        limit = FILLING_LIMIT if run.point.is_filling() else RUN_LIMIT
        try:
            done = subprocess.run(command, text=True, capture_output=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return self._fail(f"{' '.join(command)}: still running after {limit:.0f} s")
        if done.returncode != 0:
            return self._fail(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr.strip()}")
        record = json.loads(done.stdout)
        labels = {"campaign": self._started, "panel": run.point.panel}
        results.append(self._csv, {name: text_of(value) for name, value in {**labels, **record}.items()})
        return f"{record['throughput']:,.0f} tx/s"

    def _fail(self, message: str) -> str:
        self._failures.append(message)
        return "FAILED"

    def _command(self, run: Run) -> list[str]:
        length = {} if run.point.is_filling() else {"--seconds": self._campaign.seconds}
        options = {
            "--preset": run.point.preset,
            "--threads": run.point.threads,
            **length,
            "--warmup": self._campaign.warmup,
            "--seed": run.trial + 1,
            "--trial": run.trial,
            "--format": "json",
        }
        words = [str(word) for option in options.items() for word in option]
        return [str(self._program(run.point)), *words, "--pin", *run.point.arguments]

    def _report(self) -> None:
        text = table.text_of(results.read(self._csv, self._started))
        self._csv.with_suffix(".txt").write_text(text)
        print(f"\n{text}")
        if not self._has_figures:
            print(f"written: {self._csv}, .txt")
            return
        for what, command in (
            ("the figures", ["plot.py", str(self._csv), "--campaign", self._started]),
            ("the page of all results", ["report.py", "--results", str(self._csv.parent)]),
        ):
            script, *arguments = command
            words = [sys.executable, str(SCRIPTS / script), *arguments]
            if subprocess.run(words).returncode != 0:
                self._failures.append(f"{what}; run it again with: {' '.join(words)}")
        print(f"written: {self._csv}, .txt; figures: {self._csv.with_suffix('')}*.png, .pdf and .svg")


def text_of(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def read_arguments() -> argparse.Namespace:
    listing = "\n".join(f"  {name:<10} {campaign.description}" for name, campaign in CAMPAIGNS.items())
    parser = command_line.parser(f"{__doc__}\n\ncampaigns:\n{listing}", trials=None, seconds=None, libraries=None,
                                 threads=None)
    parser.add_argument("campaign", choices=list(CAMPAIGNS))
    parser.add_argument("--short", action="store_true", help="leave out what ./run.sh all --short does "
                        "(scripts/short.py)")
    parser.add_argument("--no-figures", action="store_true", help="write the CSV and the table only")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--from", dest="source", metavar="CAMPAIGN", choices=list(CAMPAIGNS), help="measure nothing: "
                        "take what the last run of that campaign has measured")
    source.add_argument("--resume", action="store_true", help="go on with the last campaign in the file of results, "
                        "which was interrupted; what it has measured stays")
    return command_line.parse(
        parser, lambda given: [] if given.source else [run.point.program() for run in runs_of(campaign_for(given))])


def campaign_for(arguments: argparse.Namespace) -> Campaign:
    """What is not given is as the campaign has it."""
    limits = {name: getattr(arguments, name) for name in ("trials", "seconds", "libraries")}
    given = {name: value for name, value in limits.items() if value is not None}
    whole = CAMPAIGNS[arguments.campaign]
    campaign = replace(shortened(whole) if arguments.short else whole, **given)
    if arguments.threads is None:
        return campaign
    panels = (replace(panel, threads=tuple(count for count in panel.threads if count in arguments.threads))
              for panel in campaign.panels)
    return replace(campaign, panels=tuple(panel for panel in panels if panel.threads))


def main() -> int:
    arguments = read_arguments()
    campaign = campaign_for(arguments)
    arguments.results.mkdir(parents=True, exist_ok=True)
    return Runner(campaign, arguments).run()


if __name__ == "__main__":
    sys.exit(main())
