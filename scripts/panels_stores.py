"""Stores with LevelDB's interface: db_bench's workloads and YCSB's."""

from __future__ import annotations

from dataclasses import replace

from contenders import STORE_FRONT_BENCHMARK
from panel import Panel, on_disk

STORE_THREADS = (1, 2, 4, 16)
STORE_MIXES = {
    "fillseq": "keys in their order", "fillrandom": "keys in random order", "overwrite": "new values of keys",
    "readrandom": "random keys are read", "readseq": "entries in their order",
    "readreverse": "entries from the last to the first", "readwhilewriting": "random keys are read beside a writer",
    "seekrandom": "iterators at random keys", "deleterandom": "random keys are deleted",
    "fill100K": "values of 100,000 bytes", "a": "half updates", "b": "5 % updates", "c": "reads only",
    "d": "reads of what is new, 5 % insertions", "e": "scans, 5 % insertions", "f": "half read, change and write"}


def store_panel(mix: str) -> Panel:
    whose = "YCSB " + mix.upper() if len(mix) == 1 else mix
    name = f"stores-ycsb-{mix}" if len(mix) == 1 else f"stores-{mix}"
    return Panel(name, f"{whose}: {STORE_MIXES[mix]}", STORE_FRONT_BENCHMARK, mix, threads=STORE_THREADS)


def _unsynchronised(panel: Panel) -> Panel:
    """On tmpfs a kill takes nothing all the same."""
    return replace(panel, name=f"{panel.name}-no-sync", title=f"{panel.title}, without sync",
                   arguments=(*panel.arguments, "--no-sync"))


STORE_PANELS = (
    *(store_panel(mix) for mix in STORE_MIXES),
    *(_unsynchronised(store_panel(mix)) for mix in ("fillrandom", "overwrite", "a")),
    *(on_disk(store_panel(mix), STORE_THREADS)
      for mix in ("fillrandom", "overwrite", "readwhilewriting", "a", "b", "f")))
