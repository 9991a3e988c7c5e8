"""Simulates the libraries on more cores than there are (docs/benchmarks.md): measures what they cost on one thread,
records what the transactions of the workloads read and write, and has benchmarks/scale run them again on 1 to 64 cores.

Results: results/scale.csv, .txt, .png, .pdf and .svg.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import command_line
import scale_costs
import scale_plot
from library_table import split
from scale_panels import CHECKED_THREADS, LIBRARIES, MAIN_LIBRARIES, MODELLED, PANELS, THREADS, ScalePanel, measures
from scale_results import Measured, Simulated, assumed_table, table, write_csv

RUN_LIMIT = 300.0  # seconds; a run that takes longer hangs


def lines_of(command: list[str], given: str = "", environment: dict[str, str] | None = None) -> list[str]:
    done = subprocess.run(command, text=True, capture_output=True, timeout=RUN_LIMIT, input=given, env=environment)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout.splitlines()


def programs(libraries: list[str]) -> list[str]:
    benchmarks = dict.fromkeys(panel.benchmark for panel in PANELS)
    linked = [*dict.fromkeys(["seq", "record", *libraries])]
    return ["scale_model", "scale_machine",
            *(f"{benchmark}_{library}" for library in linked for benchmark in benchmarks)]


def simulate(arguments: argparse.Namespace, panel: ScalePanel, library: str, costs: dict[str, float],
             transaction: float, trace: Path) -> list[Simulated]:
    algorithm, mode = split(library)
    command = [arguments.build / "bin" / "scale_model", "--trace", trace, "--streams", max(THREADS), "simulate",
               "--algorithm", algorithm, "--mode", mode, "--transaction", transaction,
               "--fence-nanoseconds", arguments.fence_nanoseconds,
               "--flush-nanoseconds-shared", arguments.flush_nanoseconds_shared, "--threads", *THREADS]
    given = "\n".join(f"{name} {value}" for name, value in costs.items())
    _, *rows = lines_of(list(map(str, command)), given)
    found = []
    for row in rows:
        threads, throughput, aborts, turns, body, *_ = row.split(",")
        found.append(Simulated(panel.name, library, int(threads), float(throughput), float(aborts), float(turns),
                               float(body)))
    return found


def run(arguments: argparse.Namespace, traces: Path) -> tuple[list[Measured], list[Simulated], dict[str, float]]:
    measurement = scale_costs.Measurement(arguments.build, arguments.seconds, traces, lines_of)
    machines: list[dict[str, float]] = []
    shapes = {panel.name: measurement.record(panel) for panel in PANELS}
    measured: list[Measured] = []
    for trial in range(arguments.trials):
        machines.append(measurement.machine())
        for panel in PANELS:
            for library in filter(lambda name: measures(panel, name), dict.fromkeys(["seq", *arguments.libraries])):
                measured.append(measurement.measure(panel, library, 1, trial))
                if panel.name in MODELLED and library in MAIN_LIBRARIES:
                    measured += [measurement.measure(panel, library, threads, trial) for threads in CHECKED_THREADS]
            print(f"trial {trial + 1}  {panel.name}: measured", flush=True)
    machine = scale_costs.combined(machines)
    print("machine:", ", ".join(f"{name} {value:g} ns" for name, value in machine.items()), flush=True)
    fits = {library: scale_costs.fit(library, measured, shapes, machine) for library in arguments.libraries}
    panels = [panel for panel in PANELS if panel.name in MODELLED]

    def one(task: tuple[ScalePanel, str]) -> list[Simulated]:
        panel, library = task
        transaction = scale_costs.nanoseconds(measured, panel.name, library)
        costs = fits[library].costs_for(panel.name, shapes[panel.name], measured)
        return simulate(arguments, panel, library, costs, transaction, measurement.trace_of(panel))

    with ThreadPoolExecutor(max_workers=arguments.jobs) as pool:
        results = pool.map(one, [(panel, library) for panel in panels
                                 for library in arguments.libraries if measures(panel, library)])
        simulated = [row for rows in results for row in rows]
    errors = {f"{library} {panel}": error for library, fit in fits.items() for panel, error in fit.errors.items()}
    return measured, simulated, errors


def read_arguments() -> argparse.Namespace:
    parser = command_line.parser(__doc__, trials=3, seconds=0.2, libraries=LIBRARIES)
    parser.add_argument("--jobs", type=int, default=2, help="simulations at once")
    assumed = parser.add_argument_group("memory that is assumed: results are scale-assumed.csv and .txt")
    assumed.add_argument("--fence-nanoseconds", type=float, default=0, help="of a fence, where that is more than here")
    assumed.add_argument("--flush-nanoseconds-shared", type=float, default=0,
                         help="of a flushed line, at the memory that all cores share: its bandwidth")
    return command_line.parse(parser, lambda given: programs(given.libraries))


def save_assumed(arguments: argparse.Namespace, simulated: list[Simulated]) -> int:
    """Nothing that was measured can be held against it, so no plot shows it beside that."""
    base = arguments.results / "scale-assumed"
    write_csv(base.with_suffix(".csv"), [], simulated)
    text = assumed_table(simulated, arguments.fence_nanoseconds, arguments.flush_nanoseconds_shared)
    base.with_suffix(".txt").write_text(text)
    print(text)
    return 0


def main() -> int:
    arguments = read_arguments()
    arguments.results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        measured, simulated, errors = run(arguments, Path(directory))
    if arguments.fence_nanoseconds or arguments.flush_nanoseconds_shared:
        return save_assumed(arguments, simulated)
    base = arguments.results / "scale"
    write_csv(base.with_suffix(".csv"), measured, simulated)
    text = table(measured, simulated, errors)
    base.with_suffix(".txt").write_text(text)
    print(text)
    scale_plot.save(base, measured, simulated)
    return 0


if __name__ == "__main__":
    sys.exit(main())
