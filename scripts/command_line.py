"""What the command lines of all scripts that measure have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

SHARED = {
    "trials": {"type": int, "help": "how often each point is measured"},
    "seconds": {"type": float, "help": "length of a measurement"},
    "libraries": {"nargs": "+", "help": "only these"},
    "threads": {"nargs": "+", "type": int, "help": "only these of the numbers of threads that it has"},
    "directory": {"type": Path, "help": "where the pools are made"},
}


def parser(description: str, **defaults: object) -> argparse.ArgumentParser:
    """Knows --build and --results.
    :param defaults: of the options in SHARED that the script has, too."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--build", type=Path, default=Path("build/llvm19"), help="the build directory")
    made.add_argument("--results", type=Path, default=Path("results"), help="where results go")
    for name, default in defaults.items():
        made.add_argument(f"--{name}", default=default, **SHARED[name])
    return made


def parse(made: argparse.ArgumentParser,
          programs_of: Callable[[argparse.Namespace], Iterable[str]]) -> argparse.Namespace:
    """Of a script whose programs run.sh builds first: with --programs it prints them, and ends."""
    made.add_argument("--programs", action="store_true", help="only list the programs that will be run")
    arguments = made.parse_args()
    if arguments.programs:
        print(" ".join(dict.fromkeys(programs_of(arguments))))
        raise SystemExit
    return arguments
