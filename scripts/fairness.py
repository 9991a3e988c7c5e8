"""Draws how fair the algorithms are: how often a long transaction among conflicting short ones is tried until it
commits, how threads that all want the same share the commits, and how many of them are serial transactions where as
many threads run those as others. (The hourglass: PACT'19, section III.B.)

The measurements are those of the tests `progress_<library>` in their long form. Results: results/fairness.csv, .txt,
.png, .pdf and .svg.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import matplotlib.pyplot as plt

import command_line
import figure_style
from library_table import of_mode

LIBRARIES = (*of_mode("ip"), "orec_lazy_fast")
TESTS = ("LongTransaction.FinishesAmongShortOnesThatConflictWithIt", "Fairness.NoThreadStarves",
         "Fairness.SerialTransactionsAndOthersTakeTurns")
THRESHOLD = 100  # attempts until a transaction takes the hourglass
RUN_LIMIT = 600.0  # seconds; a run that takes longer hangs


@dataclass(frozen=True)
class Outcome:
    library: str
    trial: int
    attempts: float  # of a long transaction, on average
    shares: tuple[float, ...]  # of the commits, by thread, of all threads together 1; the smallest first
    serial_share: float  # of the commits, where two threads run serial transactions and two run others

    def fields(self) -> dict[str, object]:
        named = {f"share_{number}": f"{share:.4f}" for number, share in enumerate(self.shares)}
        return {"library": self.library, "trial": self.trial, "attempts": f"{self.attempts:.1f}", **named,
                "serial_share": f"{self.serial_share:.4f}"}


def properties_of(report: Path) -> dict[str, str]:
    cases = [case for suite in json.loads(report.read_text())["testsuites"] for case in suite["testsuite"]]
    return {name: value for case in cases for name, value in case.items() if isinstance(value, str)}


def measure(build: Path, library: str, trial: int) -> Outcome:
    program = build / "bin" / f"progress_{library}"
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory) / "report.json"
        command = [program, f"--gtest_filter={':'.join(TESTS)}", f"--gtest_output=json:{report}"]
        done = subprocess.run(list(map(str, command)), text=True, capture_output=True, timeout=RUN_LIMIT,
                              env=os.environ | {"LONG_TESTS": "1"})
        if done.returncode != 0:
            raise SystemExit(f"{program}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        found = properties_of(report)
    commits = sorted(int(value) for name, value in found.items() if name.startswith("commits_of_thread_"))
    shares = tuple(count / sum(commits) for count in commits)
    serial, others = int(found["serial_commits"]), int(found["commits_beside_serial"])
    return Outcome(library, trial, int(found["attempts"]) / int(found["long_transactions"]), shares,
                   serial / (serial + others))


def table(outcomes: list[Outcome], libraries: list[str]) -> str:
    lines = [f"{'library':<20}{'attempts of a long transaction':>32}{'smallest share':>16}{'largest share':>15}"
             f"{'serial beside others':>22}"]
    for library in libraries:
        own = [outcome for outcome in outcomes if outcome.library == library]
        attempts = [outcome.attempts for outcome in own]
        lines.append(f"{library:<20}{f'{median(attempts):.1f} ({min(attempts):.1f}-{max(attempts):.1f})':>32}"
                     f"{median(outcome.shares[0] for outcome in own):>16.1%}"
                     f"{median(outcome.shares[-1] for outcome in own):>15.1%}"
                     f"{median(outcome.serial_share for outcome in own):>22.1%}")
    return "\n".join([*lines, "", f"Medians; trials: {len(outcomes) // len(libraries)}. A transaction takes the "
                      f"hourglass at its attempt {THRESHOLD + 1}; four threads.", ""])


def draw(outcomes: list[Outcome], libraries: list[str]) -> plt.Figure:
    figure, panels = plt.subplots(1, 3, figsize=(figure_style.PAGE[0], 2.9))
    left, right, serial = panels
    for position, library in enumerate(libraries):
        own = [outcome for outcome in outcomes if outcome.library == library]
        look = figure_style.look_of(library)
        left.plot([position] * len(own), [outcome.attempts for outcome in own], linestyle="", **look.of_markers(4))
        # Transposed: one dot for each thread in the order of their shares, the median over the trials.
        shares = [median(rank) for rank in zip(*(outcome.shares for outcome in own))]
        right.plot([position] * len(shares), shares, linestyle="-", **look.of_markers(4))
        serial.plot([position] * len(own), [outcome.serial_share for outcome in own], linestyle="",
                    **look.of_markers(4))
    left.axhline(THRESHOLD + 1, color="#888888", linewidth=1)
    left.annotate("the hourglass is turned", (0, THRESHOLD + 1), xytext=(0, 3), textcoords="offset points", fontsize=7)
    figure_style.scale(left, is_logarithmic=True)
    left.set_ylabel("attempts until it commits")
    left.set_title("A long transaction among short ones", loc="left")
    right.axhline(1 / len(outcomes[0].shares), color="#888888", linewidth=1)
    figure_style.scale(right, is_logarithmic=False)
    right.set_ylabel("share of the commits, by thread")
    right.set_title("Threads that all write the same words", loc="left")
    serial.axhline(0.5, color="#888888", linewidth=1)
    figure_style.scale(serial, is_logarithmic=False)
    serial.set_ylim(0, 1)
    serial.set_ylabel("share of the commits, serial")
    serial.set_title("Serial beside others, two threads each", loc="left")
    for axes in panels:
        axes.set_xticks(range(len(libraries)), libraries, rotation=45, ha="right")
        figure_style.finish(axes)
    figure.tight_layout()
    return figure


def read_arguments() -> argparse.Namespace:
    parser = command_line.parser(__doc__, trials=5, libraries=LIBRARIES)
    return command_line.parse(parser, lambda given: [f"progress_{library}" for library in given.libraries])


def main() -> int:
    arguments = read_arguments()
    outcomes = []
    for trial in range(arguments.trials):
        for library in arguments.libraries:
            outcomes.append(measure(arguments.build, library, trial))
            print(f"trial {trial + 1}  {library:<16} {outcomes[-1].attempts:.1f} attempts", flush=True)
    arguments.results.mkdir(parents=True, exist_ok=True)
    base = arguments.results / "fairness"
    with base.with_suffix(".csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(outcomes[0].fields()))
        writer.writeheader()
        writer.writerows(outcome.fields() for outcome in outcomes)
    text = table(outcomes, arguments.libraries)
    base.with_suffix(".txt").write_text(text)
    figure_style.save(base, draw(outcomes, arguments.libraries))
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
