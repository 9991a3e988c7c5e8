"""Data structures of programs in C that Debian has the source of, compiled with the plugin: those of Redis, and the
sets of CRoaring. They lie in a pool, each step is a transaction, some are rolled back first. Where apt has no source
the test is skipped."""

from __future__ import annotations

import sys
import unittest
from dataclasses import dataclass
from pathlib import Path

from debian_source import fetch
from stepwise_program import SKIPPED, Steps, build, options_for

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
    options = options_for(__doc__, PROGRAMS)
    program = PROGRAMS[options.program]
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
