"""Correia, Felber and Ramalhete, EuroSys'20, section 6: Figures 4 to 9.

The paper has 1 to 40 threads on 20 cores; here there are more threads than cores from 4 on. Where it has OneFile and
constructions of its own, libraries of the build are measured, beside libpmemobj, which it has, too.
"""

from __future__ import annotations

from dataclasses import replace

from contenders import FINE_GRAINED, FOR_SMALL_POOLS, STORE_FRONTS
from library_table import of_mode
from panel import Campaign, Panel
from panels_stores import store_panel

THREADS = (1, 2, 4, 8, 16)
CONSTRUCTIONS = (*of_mode("twin"), *of_mode("helped"), *of_mode("timed"), *of_mode("ptm"))
FAMILY = ("lock_lazy_fast", "orec_lazy_fast", "norec_fast", *CONSTRUCTIONS)
LIBRARIES = ("floor", "pmemobj", FINE_GRAINED, *FAMILY)
ENTRIES = {"small": 1_000_000, "large": 10_000_000}  # of 16 bytes and 100

SWAPS = tuple(
    Panel(f"sps-{swaps}", f"Swaps in an array, {swaps} a transaction", "sps", "eurosys20", ("--swaps", str(swaps)))
    for swaps in (1, 8, 64)
)
QUEUE = Panel("queue", "Linked queue of 1,000 items", "queue", "eurosys20")
STRUCTURES = {"list": "Sorted list of 10,000 keys", "tree": "Red-black tree", "hash": "Hash table",
              "std_set": "std::set", "std_unordered_set": "std::unordered_set"}
UPDATES = (100, 10, 1)  # percent


def sets(structure: str, updates: int) -> Panel:
    arguments = ("--structure", structure, "--updates", str(updates))
    title = f"{STRUCTURES[structure]}, {updates} % updates"
    return Panel(f"{structure}-{updates}", title, "sets", "eurosys20", arguments)


SETS = tuple(sets(structure, updates) for structure in STRUCTURES for updates in UPDATES)


def _store(mix: str, size: str) -> Panel:
    panel = store_panel(mix)
    return replace(panel, name=f"{panel.name}-{size}", title=f"{panel.title}, {size} store",
                   arguments=("--entries", str(ENTRIES[size])))


# As many keys are put as the store has room for, however long that takes: what it takes then is what Figure 8 shows.
FILLING = replace(_store("fillrandom", "large"), name="stores-filled", title="fillrandom: the large store is filled",
                  arguments=("--entries", str(ENTRIES["large"]), "--transactions", str(ENTRIES["large"])))
READS_AND_OVERWRITES = tuple(_store(mix, size) for size in ENTRIES
                             for mix in ("readrandom", "readwhilewriting", "overwrite"))


def _figure(number: int, description: str, panels: tuple[Panel, ...], libraries: tuple[str, ...] = LIBRARIES,
            further: tuple[str, ...] = ()) -> Campaign:
    panels = tuple(replace(panel, threads=THREADS) for panel in panels)
    return Campaign(f"EuroSys'20, Figure {number}: {description}", f"eurosys{number}", panels, libraries, trials=5,
                    seconds=1, warmup=0.2, further=further)


EUROSYS20 = {
    "eurosys4": _figure(4, "1, 8 and 64 swaps in an array of 10^6 integers; 5 minutes", SWAPS),
    "eurosys5": _figure(5, "a queue, and what it flushes; minutes", (QUEUE,), (*LIBRARIES, *FOR_SMALL_POOLS),
                        ("flushes",)),
    "eurosys6": _figure(6, "list, tree and hash sets with 100, 10 and 1 % updates; an hour",
                        tuple(sets(structure, updates) for structure in ("list", "tree", "hash")
                              for updates in UPDATES)),
    "eurosys7": _figure(7, "LevelDB's interface over pools beside LevelDB and RocksDB, 10^6 and 10^7 keys; hours",
                        READS_AND_OVERWRITES, STORE_FRONTS),
    "eurosys8": _figure(8, "memory and space of those stores, filled with 10^7 keys; an hour (recovery: opening)",
                        (FILLING,), STORE_FRONTS, ("memory", "storage")),
    "eurosys9": _figure(9, "how fast those stores are filled, and what ours flushes", (FILLING,), STORE_FRONTS,
                        ("flushes",)),
}
