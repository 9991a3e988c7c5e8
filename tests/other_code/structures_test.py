"""Data structures of programs in C that Debian has the source of, compiled with the plugin: those of Redis, and the
sets of CRoaring. They lie in a pool, each step is a transaction, some are rolled back first. Where apt has no source
the test is skipped."""

from __future__ import annotations

import argparse
import sys
import unittest
from dataclasses import dataclass
from pathlib import Path

from debian_source import fetch
from stepwise_program import SKIPPED, Steps, build

HERE = Path(__file__).resolve().parent
STEPS = 3000


@dataclass(frozen=True)
class Program:
    header: str
    sources: tuple[str, ...]  # beside the header, or from the folder that is searched
    folder: str = "."  # of the sources, from the header's
    flags_with_transactions: tuple[str, ...] = ()


PROGRAMS = {
    "redis": Program("src/rax.h", tuple(f"{name}.c" for name in (
        "rax sds dict intset listpack zmalloc siphash mt19937-64 util sha256".split()))),
    # It says on the standard error when there is no memory.
    "croaring": Program("include/roaring/roaring.h", ("*.c", "containers/*.c"), "../../src", ("--serial-calls",)),
}


class Structures(Steps.Test):
    steps = STEPS
    arguments = (str(STEPS),)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", choices=PROGRAMS)
    parser.add_argument("--compiler", required=True, help="perdure-cc")
    parser.add_argument("--plain-compiler", required=True, help="a compiler of C")
    parser.add_argument("--folder", type=Path, required=True, help="for the source and what is built")
    parser.add_argument("--tm", default="orec_lazy_fast", help="the transaction library")
    parser.add_argument("--flags", default="-O2", help="of the compiler")
    options = parser.parse_args()
    program = PROGRAMS[options.program]
    options.folder.mkdir(parents=True, exist_ok=True)
    header = fetch(options.program, options.folder, f"*/{program.header}")
    if header is None:
        sys.exit(SKIPPED)
    folder = header.parent / program.folder
    files = [HERE / "structures" / f"{options.program}.c"]
    files += sorted(file for pattern in program.sources for file in folder.glob(pattern))
    flags = ["-w", "-lm", "-I", header.parent, "-I", header.parent.parent, *options.flags.split()]
    Structures.plain = build(files, options.folder / "plain" / "program", options.plain_compiler, [*flags, "-DPLAIN"],
                             language="c")
    Structures.host = build(files, options.folder / "host" / "program", options.compiler,
                            [*flags, "-flto", *program.flags_with_transactions, f"--tm={options.tm}"], language="c")
    unittest.main(argv=[sys.argv[0], "-v"])


if __name__ == "__main__":
    main()
