"""Correia, Felber and Ramalhete, EuroSys'20, section 6: swaps, a queue and sets."""

from __future__ import annotations

from panel import Panel

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
