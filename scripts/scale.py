"""Simulates the libraries on more cores than there are (docs/benchmarks.md): measures what they cost on one thread,
records what the transactions of the workloads read and write, and has benchmarks/scale run them again on 1 to 64 cores.

Results: results/scale.csv, .txt, .png, .pdf and .svg. Workloads: those of PACT'19.
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
from scale_panels import CHECKED_THREADS, PACT19, THREADS, ScalePanel, Suite
from scale_results import Measured, Simulated, assumed_table, table, write_csv

RUN_LIMIT = 300.0  # seconds; a run that takes longer hangs


def lines_of(command: list[str], given: str = "", environment: dict[str, str] | None = None) -> list[str]:
    done = subprocess.run(command, text=True, capture_output=True, timeout=RUN_LIMIT, input=given, env=environment)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout.splitlines()


def programs(suite: Suite, libraries: list[str]) -> list[str]:
    benchmarks = dict.fromkeys(panel.benchmark for panel in suite.panels)
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


def run(suite: Suite, arguments: argparse.Namespace,
        traces: Path) -> tuple[list[Measured], list[Simulated], dict[str, float]]:
    measurement = scale_costs.Measurement(arguments.build, arguments.seconds, traces, lines_of)
    machines: list[dict[str, float]] = []
    shapes = {panel.name: measurement.record(panel) for panel in suite.panels}
    measured: list[Measured] = []
    for trial in range(arguments.trials):
        machines.append(measurement.machine())
        for panel in suite.panels:
            for library in dict.fromkeys(["seq", *arguments.libraries]):
                if not suite.measures(panel, library):
                    continue
                measured.append(measurement.measure(panel, library, 1, trial))
                if panel.is_modelled and library in suite.main_libraries:
                    measured += [measurement.measure(panel, library, threads, trial) for threads in CHECKED_THREADS]
            print(f"trial {trial + 1}  {panel.name}: measured", flush=True)
    machine = scale_costs.combined(machines)
    print("machine:", ", ".join(f"{name} {value:g} ns" for name, value in machine.items()), flush=True)
    fits = {library: scale_costs.fit(library, measured, shapes, machine) for library in arguments.libraries}

    def one(task: tuple[ScalePanel, str]) -> list[Simulated]:
        panel, library = task
        transaction = scale_costs.nanoseconds(measured, panel.name, library)
        costs = fits[library].costs_for(panel.name, shapes[panel.name], measured)
        return simulate(arguments, panel, library, costs, transaction, measurement.trace_of(panel))

    with ThreadPoolExecutor(max_workers=arguments.jobs) as pool:
        results = pool.map(one, [(panel, library) for panel in suite.modelled
                                 for library in arguments.libraries if suite.measures(panel, library)])
        simulated = [row for rows in results for row in rows]
    errors = {f"{library} {panel}": error for library, fit in fits.items() for panel, error in fit.errors.items()}
    return measured, simulated, errors


def read_arguments(suite: Suite) -> argparse.Namespace:
    parser = command_line.parser(__doc__, trials=3, seconds=0.2, libraries=suite.libraries)
    parser.add_argument("--jobs", type=int, default=2, help="simulations at once")
    assumed = parser.add_argument_group("memory that is assumed: results are <campaign>-assumed.csv and .txt")
    assumed.add_argument("--fence-nanoseconds", type=float, default=0, help="of a fence, where that is more than here")
    assumed.add_argument("--flush-nanoseconds-shared", type=float, default=0,
                         help="of a flushed line, at the memory that all cores share: its bandwidth")
    return command_line.parse(parser, lambda given: programs(suite, given.libraries))


def save_assumed(suite: Suite, arguments: argparse.Namespace, simulated: list[Simulated]) -> int:
    """Nothing that was measured can be held against it, so no plot shows it beside that."""
    base = arguments.results / f"{suite.name}-assumed"
    write_csv(base.with_suffix(".csv"), [], simulated)
    text = assumed_table(suite, simulated, arguments.fence_nanoseconds, arguments.flush_nanoseconds_shared)
    base.with_suffix(".txt").write_text(text)
    print(text)
    return 0


def main(suite: Suite = PACT19) -> int:
    arguments = read_arguments(suite)
    arguments.results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        measured, simulated, errors = run(suite, arguments, Path(directory))
    if arguments.fence_nanoseconds or arguments.flush_nanoseconds_shared:
        return save_assumed(suite, arguments, simulated)
    base = arguments.results / suite.name
    write_csv(base.with_suffix(".csv"), measured, simulated)
    text = table(suite, measured, simulated, errors)
    base.with_suffix(".txt").write_text(text)
    print(text)
    scale_plot.save(base, suite, measured, simulated)
    return 0


if __name__ == "__main__":
    sys.exit(main())
