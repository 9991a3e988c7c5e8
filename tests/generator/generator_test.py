"""Compares generated programs (generator.py) with and without transactions.

Every batch of programs is compiled without the plugin, and with it at one of the optimisation levels. What is compiled
with the plugin runs on the plugin's own test runtime, which finds accesses that are not instrumented, and with two of
the libraries, where transactions abort at random accesses. All must print the same.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import generator

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
PROGRAMS_IN_BATCH = 25
LEVELS = ("-O2", "-O0", "-O3", "-O1", "-O2 -g", "-Os")
LIBRARIES = ("orec_lazy_ip", "lock_stm", "norec_gp", "orec_lazy_gp", "norec_ip", "orec_lazy_stm", "orec_lazy_naive")
DIFFERS = "the transaction differs from the plain run"
ESCAPED = "shared memory was changed by an attempt"  # says the plugin's test runtime
TIME_LIMIT = 600  # seconds of processor time, for one compilation or run: other work on the machine does not count


@dataclass(frozen=True)
class Tools:
    compiler: str
    plugin: Path
    libraries: Path  # the folder
    schedule_options: list[str]  # what puts the schedule of aborts between programs and libraries
    library: str  # the one to run with; empty: two of LIBRARIES in turn
    flags: list[str]  # when compiling with the plugin

    def compile_command(self, source: Path, to: Path, *flags: str) -> list[str]:
        includes = [f"-I{INCLUDE}", f"-I{HERE}"]
        return [self.compiler, "-std=c++20", "-w", *includes, *flags, "-c", str(source), "-o", str(to)]

    def link_command(self, program: Path, to: Path, *flags: str) -> list[str]:
        return [self.compiler, str(program), f"-L{self.libraries}", *flags, "-o", str(to)]


class Difference(Exception):
    pass


def run(command: list[str]) -> str:
    """:return: what the command prints. It must succeed."""
    limited = ["prlimit", f"--cpu={TIME_LIMIT}", *command]
    done = subprocess.run(limited, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if -done.returncode in (signal.SIGXCPU, signal.SIGKILL):
        raise Difference(f"{' '.join(command)}: still running after {TIME_LIMIT} s")
    if done.returncode != 0:
        raise Difference(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


@dataclass(frozen=True)
class Batch:
    tools: Tools
    number: int
    seeds: range
    folder: Path

    @property
    def level(self) -> list[str]:
        return LEVELS[self.number % len(LEVELS)].split()

    def check(self) -> None:
        self.folder.mkdir(parents=True)
        source = self.folder / "programs.cc"
        source.write_text(generator.source_of(self.seeds))
        expected = self._run_plain(source)
        if expected.count("\n") != 2 * len(self.seeds):
            raise Difference(f"{source}: not every program has run twice")
        instrumented = self.folder / "instrumented.o"
        flags = [*self.level, *self.tools.flags, f"-fplugin={self.tools.plugin}"]
        run(self.tools.compile_command(source, instrumented, *flags))
        self._compare(expected, "the test runtime", self._run_on_test_runtime(instrumented))
        in_turn = [LIBRARIES[(2 * self.number + i) % len(LIBRARIES)] for i in range(2)]
        for library in [self.tools.library] if self.tools.library else in_turn:
            self._compare(expected, library, self._run_on_library(instrumented, library))

    def _run_plain(self, source: Path) -> str:
        run(self.tools.compile_command(source, self.folder / "plain.o", "-O0"))
        run(self.tools.link_command(self.folder / "plain.o", self.folder / "plain", "-lgenerated_plain"))
        return run([str(self.folder / "plain")])

    def _run_on_test_runtime(self, programs: Path) -> str:
        run(self.tools.link_command(programs, self.folder / "deferred", "-lgenerated_on_test_runtime"))
        return run([str(self.folder / "deferred")])

    def _run_on_library(self, programs: Path, library: str) -> str:
        to = self.folder / library
        flags = [*self.tools.schedule_options, "-lgenerated_on_library", f"-lperdure_{library}", "-lpmem", "-pthread"]
        run(self.tools.link_command(programs, to, *flags))
        return run([str(to), str(self.folder / f"{library}.pool"), str(self.number)])

    def _compare(self, expected: str, runtime: str, actual: str) -> None:
        for wanted, found in zip_longest(expected.splitlines(), actual.splitlines()):
            if wanted != found:
                where = f"{self.folder / 'programs.cc'}, {' '.join(self.level)}, {runtime}"
                raise Difference(f"{where}: {DIFFERS}\n  plain        {wanted}\n  transaction  {found}")


def check(batch: Batch) -> str | None:
    """:return: what is wrong. What was made remains only then."""
    try:
        batch.check()
    except Difference as difference:
        return str(difference)
    for path in batch.folder.iterdir():
        path.unlink()
    batch.folder.rmdir()
    return None


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--plugin", type=Path, required=True)
    parser.add_argument("--libraries", type=Path, required=True, help="the folder that holds the libraries")
    parser.add_argument("--link-options", default="", help="what puts the schedule of aborts before libraries")
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="of the first program; the others follow")
    parser.add_argument("--library", default="", help="run with this one")
    parser.add_argument("--flags", default="", help="further flags for compiling with the plugin")
    parser.add_argument("--expect-difference", action="store_true", help="a control: fail if all is well")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def main() -> int:
    arguments = read_arguments()
    tools = Tools(arguments.compiler, arguments.plugin, arguments.libraries, arguments.link_options.split(),
                  arguments.library, arguments.flags.split())
    folder = Path(tempfile.mkdtemp(prefix="perdure_generated_"))
    end = arguments.seed + arguments.programs
    begins = range(arguments.seed, end, PROGRAMS_IN_BATCH)
    batches = [Batch(tools, begin // PROGRAMS_IN_BATCH, range(begin, min(begin + PROGRAMS_IN_BATCH, end)),
                     folder / f"from_{begin}") for begin in begins]
    started = time.monotonic()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        failures = [failure for failure in pool.map(check, batches) if failure is not None]
    for failure in failures:
        print(failure)
    print(f"{arguments.programs} programs from seed {arguments.seed}: {len(failures)} of {len(batches)} batches differ "
          f"({time.monotonic() - started:.0f} s)")
    if arguments.expect_difference:
        shutil.rmtree(folder)
        return 0 if any(sign in failure for failure in failures for sign in (DIFFERS, ESCAPED)) else 1
    if failures:
        return 1
    folder.rmdir()
    return 0


if __name__ == "__main__":
    sys.exit(main())
