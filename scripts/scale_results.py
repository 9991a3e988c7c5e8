"""Results of `./run.sh scale` and its like: as CSV and as a table."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from scale_panels import CHECKED_THREADS, THREADS, Suite


@dataclass(frozen=True)
class Measured:
    panel: str
    library: str
    threads: int
    trial: int
    throughput: float
    aborts: float  # for each transaction
    flushes: float  # likewise, and all below
    fences: float
    log_bytes: float
    retired_lines: float


@dataclass(frozen=True)
class Simulated:
    panel: str
    library: str
    threads: int
    throughput: float
    aborts: float
    hourglass_turns: float
    body: float  # nanoseconds that no cost accounts for


def write_csv(path: Path, measured: list[Measured], simulated: list[Simulated]) -> None:
    columns = ["kind", "panel", "library", "threads", "trial", "throughput", "aborts"]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        for kind, rows in (("measured", measured), ("simulated", simulated)):
            for row in rows:
                fields = {name: getattr(row, name, "") for name in columns[1:]}
                writer.writerow({"kind": kind, **fields})


def _error(simulated: float, measured: float) -> str:
    return f"{simulated / measured - 1:+.0%}"


def _checks(suite: Suite, measured: list[Measured], simulated: list[Simulated]) -> list[str]:
    lines = ["Simulated and measured (the best trial), transactions a second; aborts for each:",
             f"{'panel':<15}{'library':<16}{'threads':>8}{'measured':>12}{'range':>8}{'simulated':>12}{'error':>8}"
             f"{'measured':>10}{'simulated':>10}"]
    found = {(row.panel, row.library, row.threads): row for row in simulated}
    for panel in (modelled.name for modelled in suite.modelled):
        for library in suite.main_libraries:
            for threads in (1, *CHECKED_THREADS):
                own = [row for row in measured if (row.panel, row.library, row.threads) == (panel, library, threads)]
                model = found.get((panel, library, threads))
                if not own or model is None:
                    continue
                rates = [row.throughput for row in own]
                best = max(rates)
                spread = (best - min(rates)) / best
                lines.append(f"{panel:<15}{library:<16}{threads:>8}{best:>12,.0f}{spread:>7.0%} "
                             f"{model.throughput:>12,.0f}{_error(model.throughput, best):>8}"
                             f"{median(row.aborts for row in own):>10.4f}{model.aborts:>10.4f}")
    return lines


def _curves(suite: Suite, simulated: list[Simulated]) -> list[str]:
    lines = []
    found = {(row.panel, row.library, row.threads): row for row in simulated}
    libraries = list(dict.fromkeys(row.library for row in simulated))
    for panel in (modelled.name for modelled in suite.modelled):
        lines += ["", f"{panel}: SIMULATED, thousands of transactions a second, by threads",
                  f"{'library':<18}" + "".join(f"{threads:>9}" for threads in THREADS) + "   aborts at 64"]
        for library in libraries:
            points = [found[panel, library, threads] for threads in THREADS if (panel, library, threads) in found]
            if points:
                lines.append(f"{library:<18}" + "".join(f"{point.throughput / 1000:>9,.0f}" for point in points)
                             + f"{points[-1].aborts:>15.2f}")
    return lines


def assumed_table(suite: Suite, simulated: list[Simulated], fence: float, shared_flush: float) -> str:
    heading = (f"ASSUMED memory: a fence takes at least {fence:g} ns, each flushed line {shared_flush:g} ns of what "
               "all cores share.\nEverything else is as measured here.")
    return "\n".join([heading, *_curves(suite, simulated), ""])


def table(suite: Suite, measured: list[Measured], simulated: list[Simulated], errors: dict[str, float]) -> str:
    sizes = sorted(abs(error) for error in errors.values())
    fit = (f"One thread is matched by construction: the body takes what the fitted costs leave over. By these costs "
           f"and `seq` alone it would be predicted within {sizes[len(sizes) // 2]:.0%} (median of {len(sizes)} fits; "
           f"nine tenths within {sizes[len(sizes) * 9 // 10]:.0%}).")
    return "\n".join([*_checks(suite, measured, simulated), "", fit, *_curves(suite, simulated), ""])
