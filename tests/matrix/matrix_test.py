"""Compiles program.cc with combinations of compiler flags, with the plugin, and runs it on the plugin's test runtime.

Without further arguments: as few combinations as it takes for each flag to come up once. With --pairs: for each two
flags to come together once. With --all: all of them.
"""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FLAGS = {
    "standard": ("-std=c++20", "-std=c++17", "-std=c++23"),
    "level": ("-O2", "-O0", "-O1", "-O3", "-Os"),
    "debugging": ("", "-g"),
    "exceptions": ("", "-fno-exceptions"),
    "types": ("", "-fno-rtti"),
    "position": ("-fPIE -pie", "-fno-pie -no-pie", "-fPIC -shared"),
}
Combination = tuple[str, ...]


def groups_of(combination: Combination, size: int) -> set[tuple[tuple[int, str], ...]]:
    return set(itertools.combinations(enumerate(combination), size))


def covering(combinations: list[Combination], size: int) -> list[Combination]:
    """Takes, one after the other, the one that brings most groups of flags of that size together that were not yet; of
    equal ones the one with most new groups that are one larger."""
    missing = set().union(*(groups_of(each, size) for each in combinations))
    larger: set[tuple[tuple[int, str], ...]] = set()
    chosen = []
    while missing:
        best = max(combinations, key=lambda each: (len(groups_of(each, size) & missing),
                                                   len(groups_of(each, size + 1) - larger)))
        missing -= groups_of(best, size)
        larger |= groups_of(best, size + 1)
        chosen.append(best)
    return chosen


@dataclass(frozen=True)
class Tools:
    compiler: str
    plugin: Path
    libraries: Path

    def run(self, *command: object) -> None:
        done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=300)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-3000:]}")

    def check(self, combination: Combination) -> str | None:
        """:return: what is wrong."""
        flags = " ".join(combination).split()
        shared = "-shared" in flags
        of_compiler = [flag for flag in flags if flag not in ("-pie", "-no-pie", "-shared")]
        includes = [f"-I{ROOT}/include", f"-I{ROOT}/plugin/tests/runtime"]
        runtime = [f"-L{self.libraries}", "-lgenerated_on_test_runtime"]
        with tempfile.TemporaryDirectory(prefix="perdure_matrix_") as name:
            folder = Path(name)
            try:
                compile_it = (self.compiler, *of_compiler, "-Werror", *includes, f"-fplugin={self.plugin}", "-c")
                self.run(*compile_it, HERE / "program.cc", "-o", folder / "program.o")
                self.run(*compile_it, HERE / "main.cc", "-o", folder / "main.o")
                program = [folder / "main.o", folder / "program.o", "-pie" if "-pie" in flags else "-no-pie"]
                if shared:
                    self.run(self.compiler, "-shared", folder / "program.o", "-o", folder / "libprogram.so")
                    program = [folder / "main.o", f"-L{folder}", "-lprogram", f"-Wl,-rpath,{folder}"]
                self.run(self.compiler, *program, *runtime, "-o", folder / "program")
                self.run(folder / "program")
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                return f"{' '.join(flags)}:\n{error}"
        return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--plugin", type=Path, required=True)
    parser.add_argument("--libraries", type=Path, required=True, help="the folder that holds the test runtime")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--pairs", action="store_true", help="each two flags together")
    chosen.add_argument("--all", action="store_true", help="every combination")
    parser.add_argument("--skip", type=int, default=0,
                        help="leave out the first so many: an earlier run has tried them")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    combinations = list(itertools.product(*FLAGS.values()))
    if not arguments.all:
        combinations = covering(combinations, 2 if arguments.pairs else 1)
    tools = Tools(arguments.compiler, arguments.plugin, arguments.libraries)
    started = time.monotonic()
    failed = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        tried = combinations[arguments.skip:]
        for number, failure in enumerate(pool.map(tools.check, tried), arguments.skip + 1):
            if failure is not None:
                failed += 1
                print(failure)
            if number % 20 == 0:
                print(f"{number} of {len(combinations)} tried, {failed} failed", flush=True)
    print(f"{len(tried)} combinations of flags: {failed} failed ({time.monotonic() - started:.0f} s)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
