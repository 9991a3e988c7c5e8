"""Rows of results for tests, as a campaign writes them."""

from __future__ import annotations

import csv
from pathlib import Path

from library_table import is_volatile
from results import Row

COMMON = {
    "campaign": "2026-01-01T00:00:00", "parameters": "", "durable": "true", "domain": "detected", "medium": "tmpfs",
    "cores": "2", "processor": "a processor", "kernel": "a kernel", "compiler": "a compiler", "transactions": "1000",
    "processor_seconds": "1", "latency_p50_us": "1", "latency_p99_us": "10", "latency_p999_us": "100",
    "commits": "1000", "read_only_commits": "0", "aborts_locked": "0", "aborts_validation": "0",
    "aborts_exception": "0", "flushes": "5000", "fences": "1000", "log_bytes": "0",
}


def row(panel: str, threads: int, library: str, throughput: float, trial: int = 0, **columns: object) -> Row:
    """Of a machine with two cores."""
    volatile = is_volatile(library)
    place = {"panel": panel, "threads": str(threads), "library": library, "trial": str(trial),
             "throughput": str(throughput), "oversubscribed": "true" if threads > 2 else "false"}
    named = {name: str(value) for name, value in columns.items()}
    return {**COMMON, **place, **({"durable": "false", "medium": "memory"} if volatile else {}), **named}


def write(path: Path, rows: list[Row]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
