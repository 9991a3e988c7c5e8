"""Measures restart: the time to the first transaction in a pool full of 64-byte objects, half of them reachable, after
a clean close and after a kill; and how long the mark then takes that finds the blocks in use.

Results: results/restart.csv and .txt, and a figure: results/restart.png, .pdf and .svg.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.ticker import NullLocator

import command_line
import figure_style
import outcomes
from results import Range

LIBRARIES = ("orec_lazy_fast", "orec_lazy_ip", "orec_eager_ip", "pmemobj")
MEBIBYTES = (64, 1024, 4096)
RUN_LIMIT = 900.0  # seconds; a run that takes longer hangs
GIBIBYTE = 1 << 30
# libpmemobj takes 128 bytes for each object and its header: its pool is made large enough for as many objects.
PEER_ROOM = 2.25
PEER_ADDRESS = "0x10000000000"


@dataclass(frozen=True)
class Outcome:
    library: str
    mebibytes: int
    end: str  # how the last user of the pool ended: close, kill
    trial: int
    first_transaction: float  # milliseconds
    processor: float  # milliseconds of processor time that the thread took for it
    mark: float  # milliseconds
    bytes_marked: int

    def rate(self) -> float:
        """GiB that were visited in a second."""
        return self.bytes_marked / GIBIBYTE / (self.mark / 1000) if self.mark else 0.0


class Measurement:
    def __init__(self, build: Path, library: str, pool: Path, mebibytes: int) -> None:
        self._program = build / "bin" / f"restart_{library}"
        self._library = library
        self._pool = pool
        self._mebibytes = mebibytes

    def outcomes(self, trial: int) -> Iterator[Outcome]:
        """The pool is filled and closed; opened, which is after a close, and killed; and opened again."""
        self._pool.unlink(missing_ok=True)
        try:
            self._run("--fill", str(self._mebibytes))
            yield self._outcome("close", trial, self._run("--kill"))
            yield self._outcome("kill", trial, self._run())
        finally:
            self._pool.unlink(missing_ok=True)

    def _outcome(self, end: str, trial: int, text: str) -> Outcome:
        record = json.loads(text)
        return Outcome(self._library, self._mebibytes, end, trial, record["first_transaction_milliseconds"],
                       record["processor_milliseconds"], record["mark_milliseconds"], record["bytes_marked"])

    def _run(self, *options: str) -> str:
        command = [str(self._program), "--pool", str(self._pool), *options]
        environment = dict(os.environ)
        if self._library == "pmemobj":
            command += ["--limit", str(int(PEER_ROOM * self._mebibytes))]
            environment["PMEM_MMAP_HINT"] = PEER_ADDRESS
        done = subprocess.run(command, text=True, capture_output=True, timeout=RUN_LIMIT, env=environment)
        killed = "--kill" in options
        if (done.returncode >= 0 if killed else done.returncode != 0):
            raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout


def table(measured: list[Outcome]) -> str:
    lines = [f"{'library':<16}{'MiB':>6}{'end':>7}{'first transaction, ms':>26}{'of processor time':>26}"
             f"{'mark, ms':>26}{'GiB/s':>16}"]
    for library, mebibytes, end in dict.fromkeys((run.library, run.mebibytes, run.end) for run in measured):
        own = [run for run in measured if (run.library, run.mebibytes, run.end) == (library, mebibytes, end)]
        has_mark = any(run.mark for run in own)
        lines.append(f"{library:<16}{mebibytes:>6}{end:>7}{outcomes.spread([run.first_transaction for run in own]):>26}"
                     f"{outcomes.spread([run.processor for run in own]):>26}"
                     f"{outcomes.spread([run.mark for run in own]) if has_mark else '-':>26}"
                     f"{outcomes.spread([run.rate() for run in own]) if has_mark else '-':>16}")
    return "\n".join([*lines, "", "Medians (smallest-largest). From before the open to the end of the first "
                      "transaction; GiB/s: of the reachable half.", ""])


def draw(measured: list[Outcome]) -> plt.Figure:
    """Over the sizes; a close and a kill beside each other."""
    figure, both = plt.subplots(1, 2, figsize=(figure_style.PAGE[0], 2.6), sharey=True)
    libraries = list(dict.fromkeys(run.library for run in measured))
    sizes = sorted({run.mebibytes for run in measured})
    for axes, end in zip(both, ("close", "kill")):
        for library in libraries:
            ranges = [Range.of([run.first_transaction for run in measured
                                if (run.library, run.mebibytes, run.end) == (library, size, end)]) for size in sizes]
            look = figure_style.look_of(library)
            figure_style.draw_points(axes, sizes, ranges, look, look.line)
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes, [f"{size} MiB" if size < 1024 else f"{size / 1024:g} GiB" for size in sizes])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_title(f"Time to the first transaction after a {end}", loc="left")
        figure_style.finish(axes)
    both[0].set_ylabel("milliseconds")
    figure_style.scale(both[0], is_logarithmic=True)
    figure.legend([figure_style.handle_of(library, "curves") for library in libraries], libraries, frameon=False,
                  loc="upper center", ncol=figure_style.legend_columns(figure_style.PAGE[0], libraries), handlelength=3)
    figure.tight_layout(rect=(0, 0, 1, 0.9))
    return figure


def read_arguments() -> argparse.Namespace:
    parser = command_line.parser(__doc__, trials=5, libraries=LIBRARIES, directory=Path("/dev/shm"))
    parser.add_argument("--mebibytes", nargs="+", type=int, default=list(MEBIBYTES))
    return command_line.parse(parser, lambda given: [f"restart_{library}" for library in given.libraries])


def main() -> int:
    arguments = read_arguments()
    pool = arguments.directory / f"perdure-restart-{os.getpid()}.pool"
    measured: list[Outcome] = []
    for trial in range(arguments.trials):
        for mebibytes in arguments.mebibytes:
            for library in arguments.libraries:
                measured += Measurement(arguments.build, library, pool, mebibytes).outcomes(trial)
                print(f"trial {trial + 1}  {library:<16} {mebibytes:>5} MiB  "
                      f"{measured[-2].first_transaction:.1f} ms, {measured[-1].first_transaction:.1f} ms", flush=True)
    outcomes.write(arguments.results / "restart", measured, table(measured))
    figure_style.save(arguments.results / "restart", draw(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
