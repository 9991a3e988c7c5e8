"""How long it takes to build programs and to run them, about: on two cores of an AMD EPYC that does nothing else."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path

import tables
from campaign import runs_of
from panel import Campaign

# Seconds of a run that are not measured: it populates, and checks. Of a benchmark, and of presets that are different.
BETWEEN_RUNS = {
    "vacation low": 11.0, "vacation high": 11.0, "tpcc standard": 1.8, "bptree mix": 1.7, "memcached": 1.5, "sets": 1.7,
    "stores": 2.4,
}
BETWEEN_OTHER_RUNS = 1.0
BETWEEN_RUNS_ON_A_DISK = 1.6
SECONDS_OF_AN_ENTRY = 5e-6  # that a store begins with, or is filled with
WARM_UP = 0.2  # of a program that is told of none

# Seconds of one processor.
BASE = 420.0  # the plugin, the runtime and the front end
LIBRARY = 16.0
PROGRAM = 8.0  # optimised at link time


def _between_runs(benchmark: str, preset: str, arguments: tuple[str, ...]) -> float:
    default = BETWEEN_RUNS_ON_A_DISK if "--directory" in arguments else BETWEEN_OTHER_RUNS
    entries = sum(int(count) for option, count in zip(arguments, arguments[1:])
                  if option in ("--entries", "--transactions"))
    return (BETWEEN_RUNS.get(f"{benchmark} {preset}", BETWEEN_RUNS.get(benchmark, default))
            + entries * SECONDS_OF_AN_ENTRY)


def measuring(campaign: Campaign) -> float:
    """Seconds that its runs take."""
    points = (run.point for run in runs_of(campaign))
    return sum(_between_runs(point.benchmark, point.preset, point.arguments) + campaign.warmup + campaign.seconds
               for point in points)


def measuring_table(table: tables.Table, trials: int, seconds: float, threads: Collection[int] = ()) -> float:
    """Seconds that its runs take.
    :param threads: with so many; empty: with all numbers that the table has."""
    groups = tables.groups_of(table, tables.columns_of(table))
    runs = (1 + len(table.variants)) * trials
    return sum(runs * (_between_runs(group.workload.program, group.workload.arguments[1], ()) + WARM_UP + seconds)
               for group in groups if not threads or group.threads in threads)


def building(programs: Iterable[str], build: Path, known: set[str]) -> float:
    """Seconds that it takes to build those that are not there yet, with all processors.
    :param known: what is built earlier; these programs and their libraries are added."""
    processor = 0.0
    for program in programs:
        library = program.partition("_")[2]
        for name, file, cost in (("plugin", "lib/libPerdure.so", BASE),
                                 (f"lib{library}", f"lib/libperdure_{library}.a", LIBRARY),
                                 (program, f"bin/{program}", PROGRAM)):
            if name not in known and not (build / file).exists():
                processor += cost
            known.add(name)
    return processor / (os.cpu_count() or 1)
