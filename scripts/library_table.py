"""The table of libraries, algorithms/libraries.json: what is known of each. Nobody reads anything from a name."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_TABLE = json.loads((Path(__file__).resolve().parent.parent / "algorithms" / "libraries.json").read_text())


@dataclass(frozen=True)
class Library:
    name: str
    algorithm: str
    mode: str
    durable: bool
    undo_log: bool  # memory is changed in place; otherwise at commit
    chunks: bool  # pool memory is logged in chunks, not to the byte
    conflicts: bool  # transactions run at once, and may have to be repeated


def _libraries() -> dict[str, Library]:
    found = [
        Library(f"{algorithm}_{mode}", algorithm, mode, _TABLE["modes"][mode]["durable"], row["log"] == "undo",
                _TABLE["modes"][mode]["chunks"], row["conflicts"])
        for algorithm, row in _TABLE["algorithms"].items() for mode in row["modes"]
    ]
    return {library.name: library for library in found}


LIBRARIES = _libraries()
MODES: tuple[str, ...] = tuple(_TABLE["modes"])
YARDSTICKS: tuple[str, ...] = tuple(_TABLE["yardsticks"])
SINGLE_THREADED = {name for name, row in _TABLE["yardsticks"].items() if row["threads"] == 1}
DEFAULT: str = _TABLE["default"]


@dataclass(frozen=True)
class Described:
    """What a document says of an algorithm."""

    name: str
    update: str
    finds_conflicts_by: str
    takes_locks: str
    good_for: str
    modes: tuple[str, ...]


_UPDATES = {"undo": "in place, undo log", "redo": "redo log", "replicas": "in a second copy"}


def described_algorithms() -> list[Described]:
    return [
        Described(name, _UPDATES[row["log"]],
                  *(row.get(fact, "–") for fact in ("finds_conflicts_by", "takes_locks", "good_for")),
                  modes=tuple(row["modes"]))
        for name, row in _TABLE["algorithms"].items()
    ]


def algorithms(mode: str = "", undo_log: bool | None = None) -> tuple[str, ...]:
    """Those that have this mode (empty: any durable one), with such a log."""
    chosen = [library.algorithm for library in LIBRARIES.values()
              if (library.mode == mode if mode else library.durable)
              and undo_log in (None, library.undo_log)]
    return tuple(dict.fromkeys(chosen))


def of_mode(*modes: str) -> tuple[str, ...]:
    """Mode by mode, the libraries in the order of the table."""
    return tuple(library.name for mode in modes for library in LIBRARIES.values() if library.mode == mode)


def split(name: str) -> tuple[str, str]:
    """Algorithm and mode; yardsticks and peers have no mode."""
    library = LIBRARIES.get(name)
    return (library.algorithm, library.mode) if library else (name, "")


def is_volatile(name: str) -> bool:
    """A library without durability. `floor` and peers that keep files are none."""
    return name in SINGLE_THREADED or (name in LIBRARIES and not LIBRARIES[name].durable)


def colours_and_markers() -> dict[str, tuple[str, str]]:
    """Of algorithms and yardsticks."""
    rows: dict[str, Any] = {**_TABLE["algorithms"], **_TABLE["yardsticks"]}
    return {name: (row["colour"], row["marker"]) for name, row in rows.items()}
