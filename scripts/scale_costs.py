"""What transactions cost on one thread, for the simulation: measured, and divided into parts by least squares."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median

import numpy

from library_table import LIBRARIES
from scale_panels import THREADS, ScalePanel
from scale_results import Measured

RECORDED_TRANSACTIONS = 200  # of each thread
REAL_TIME = ["chrt", "-f", "10"]  # what else the machine does must not be measured
COSTS = ("transaction", "read", "read_stripe", "write", "write_chunk")
BETWEEN_CORES = ("transfer", "next_transfer")
Lines = Callable[..., list[str]]


class Measurement:
    def __init__(self, build: Path, seconds: float, traces: Path, lines_of: Lines) -> None:
        self._bin = build / "bin"
        self._seconds = seconds
        self._traces = traces
        self._lines_of = lines_of
        self._real_time = REAL_TIME if os.geteuid() == 0 else []

    def machine(self) -> dict[str, float]:
        lines = self._lines_of([*self._real_time, str(self._bin / "scale_machine")])
        return {name: float(value) for name, value in (line.split() for line in lines)}

    def trace_of(self, panel: ScalePanel) -> Path:
        return self._traces / f"{panel.name}.trace"

    def record(self, panel: ScalePanel) -> dict[str, float]:
        """:return: what an average transaction does."""
        threads = max(THREADS) if panel.is_modelled else 1
        environment = os.environ | {"RECORD_TRACE": str(self.trace_of(panel)),
                                    "RECORD_TRANSACTIONS": str(RECORDED_TRANSACTIONS)}
        options = {"--preset": panel.preset, "--threads": threads, "--warmup": 0,
                   "--transactions": RECORDED_TRANSACTIONS * threads}
        words = [str(word) for option in options.items() for word in option]
        recorded = panel.recorded if threads > 1 else ()
        self._lines_of([str(self._bin / f"{panel.benchmark}_record"), *words, *panel.arguments, *recorded],
                       environment=environment)
        lines = self._lines_of([str(self._bin / "scale_model"), "--trace", str(self.trace_of(panel)), "--streams",
                                str(threads), "summary"])
        return {name: float(value) for name, value in (line.split() for line in lines)}

    def measure(self, panel: ScalePanel, library: str, threads: int, trial: int) -> Measured:
        options = {"--preset": panel.preset, "--threads": threads, "--seconds": self._seconds, "--warmup": 0.1,
                   "--seed": trial + 1, "--trial": trial, "--format": "json"}
        words = [str(word) for option in options.items() for word in option]
        command = [*self._real_time, str(self._bin / f"{panel.benchmark}_{library}"), *words, "--pin",
                   *panel.arguments]
        row = json.loads("".join(self._lines_of(command)))
        each = {name: row[name] / row["transactions"] for name in ("flushes", "fences", "log_bytes", "retired_lines")}
        aborts = (row["aborts_locked"] + row["aborts_validation"]) / row["transactions"]
        return Measured(panel.name, library, threads, trial, row["throughput"], aborts, **each)


def combined(machines: list[dict[str, float]]) -> dict[str, float]:
    """What other work disturbs least. But of what cores hand to each other the slowest: at times the processors of a
    virtual machine are two threads of one core."""
    return {name: (max if name in BETWEEN_CORES else min)(machine[name] for machine in machines)
            for name in machines[0]}


def runs(measured: list[Measured], panel: str, library: str, threads: int = 1) -> list[Measured]:
    return [run for run in measured if (run.panel, run.library, run.threads) == (panel, library, threads)]


def nanoseconds(measured: list[Measured], panel: str, library: str) -> float:
    """Of a transaction, with one thread, in the best trial: what else the machine does only adds to it."""
    return 1e9 / max(run.throughput for run in runs(measured, panel, library))


def non_negative_least_squares(matrix: numpy.ndarray, wanted: numpy.ndarray) -> numpy.ndarray:
    """The best of the ordinary solutions with some unknowns left out, among those that are not negative: that is the
    minimum, since the unknowns that are not 0 there solve the ordinary problem. For a handful of unknowns."""
    best, smallest = numpy.zeros(matrix.shape[1]), float(wanted @ wanted)
    for size in range(1, matrix.shape[1] + 1):
        for kept in map(list, combinations(range(matrix.shape[1]), size)):
            found = numpy.linalg.lstsq(matrix[:, kept], wanted, rcond=None)[0]
            rest = float(numpy.sum((matrix[:, kept] @ found - wanted) ** 2))
            if found.min() >= 0 and rest < smallest:
                best, smallest = numpy.zeros(matrix.shape[1]), rest
                best[kept] = found
    return best


def is_chunked(library: str) -> bool:
    return LIBRARIES[library].chunks


def features(library: str, shape: dict[str, float]) -> list[float]:
    entries = shape["chunks"] if is_chunked(library) else shape["words"]
    return [1.0, shape["reads"], shape["read_stripes"], shape["writes"], entries]


def predicted_flushes(library: str, shape: dict[str, float]) -> float:
    """Of an average transaction, as benchmarks/scale/model/workload.cc counts them: without status and captured lines.
    Of lines of data there are about as many as of chunks."""
    mode = LIBRARIES[library].mode
    entries = features(library, shape)[-1]
    is_eager = LIBRARIES[library].undo_log
    if mode == "naive":
        return 2 * shape["words"]
    log_bytes = 8 * (shape["chunks"] + shape["words"]) if is_chunked(library) else 32 * entries
    log = entries if is_eager else log_bytes / 64 + 0.5
    return log + shape["chunks"]


@dataclass(frozen=True)
class Fit:
    """A library's costs, and by which share of its time a transaction would be predicted wrongly by these alone, for
    each panel."""

    library: str
    machine: dict[str, float]
    costs: dict[str, float]
    errors: dict[str, float]

    def costs_for(self, panel: str, shape: dict[str, float], measured: list[Measured]) -> dict[str, float]:
        found = runs(measured, panel, self.library)
        costs = {**self.machine, **self.costs, "outside": shape["outside"],
                 "retired_lines": median(run.retired_lines for run in found)}
        if LIBRARIES[self.library].mode == "naive":  # logs what it allocates, too, which the trace does not tell
            ratio = (median(run.flushes for run in found) - 2) / max(predicted_flushes(self.library, shape), 1)
            costs["flush_factor"] = costs["fence_factor"] = max(ratio, 1.0)
        return costs


def fit(library: str, measured: list[Measured], shapes: dict[str, dict[str, float]],
        machine: dict[str, float]) -> Fit:
    """What is left of a transaction when the body (as long as `seq` takes) and flushes and fences (as many as counted,
    as long as measured alone) are taken off, divided among what it does: least squares of the relative errors."""
    panels = [panel for panel in shapes if runs(measured, panel, library)]
    total = numpy.array([nanoseconds(measured, panel, library) for panel in panels])
    body = numpy.array([nanoseconds(measured, panel, "seq") for panel in panels])
    durable = numpy.array([
        machine["flush"] * median(run.flushes for run in runs(measured, panel, library))
        + machine["fence"] * median(run.fences for run in runs(measured, panel, library)) for panel in panels])
    matrix = numpy.array([features(library, shapes[panel]) for panel in panels])
    found = non_negative_least_squares(matrix / total[:, None], (total - body - durable) / total)
    errors = (body + durable + matrix @ found) / total - 1
    return Fit(library, machine, dict(zip(COSTS, map(float, found))), dict(zip(panels, map(float, errors))))
