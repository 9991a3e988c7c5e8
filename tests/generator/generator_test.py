"""Compares generated programs (generator.py) with and without transactions.

Every batch of programs is one file. It is compiled without the plugin, and with it at one of the optimisation levels.
What is compiled with the plugin runs on the plugin's own test runtime, which finds accesses that are not instrumented,
and with some of the libraries, where transactions abort at random accesses. All must print the same. If a batch does
not, each of its programs is tried alone, and those that fail are printed, with the command that tries them again.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from generator import Generator, source_of

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
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
    flags: list[str]  # when compiling with the plugin

    def compile_command(self, source: Path, to: Path, *flags: str) -> list[str]:
        includes = [f"-I{INCLUDE}", f"-I{HERE}"]
        return [self.compiler, "-std=c++20", "-w", *includes, *flags, "-c", str(source), "-o", str(to)]

    def link_command(self, program: Path, to: Path, *flags: str) -> list[str]:
        return [self.compiler, "-fuse-ld=lld", str(program), f"-L{self.libraries}", *flags, "-o", str(to)]


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
    level: str  # of optimisation, with the plugin
    libraries: tuple[str, ...]
    aborts: int  # the seed that says at which accesses
    seeds: range
    folder: Path

    def single(self, seed: int) -> Batch:
        """The program with this seed alone."""
        return replace(self, seeds=range(seed, seed + 1), folder=self.folder / f"only_{seed}")

    @property
    def options(self) -> list[str]:
        """What this batch is asked for with."""
        count = str(len(self.seeds))
        return [f"--seed={self.seeds.start}", f"--programs={count}", f"--batch={count}", f"--level={self.level}",
                f"--library={','.join(self.libraries)}", f"--aborts={self.aborts}"]

    def check(self) -> None:
        self.folder.mkdir(parents=True)
        source = self.folder / "programs.cc"
        source.write_text(source_of(self.seeds))
        expected = self._run_plain(source)
        if expected.count("\n") != 2 * len(self.seeds):
            raise Difference(f"{source}: not every program has run twice")
        instrumented = self.folder / "instrumented.o"
        flags = [*self.level.split(), *self.tools.flags, f"-fplugin={self.tools.plugin}"]
        run(self.tools.compile_command(source, instrumented, *flags))
        self._compare(expected, "the test runtime", self._run_on_test_runtime(instrumented))
        for library in self.libraries:
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
        return run([str(to), str(self.folder / f"{library}.pool"), str(self.aborts)])

    def _compare(self, expected: str, runtime: str, actual: str) -> None:
        for wanted, found in zip_longest(expected.splitlines(), actual.splitlines()):
            if wanted != found:
                where = f"{self.folder / 'programs.cc'}, {self.level}, {runtime}"
                raise Difference(f"{where}: {DIFFERS}\n  plain        {wanted}\n  transaction  {found}")


def difference_in(batch: Batch) -> str | None:
    """:return: what is wrong. What was made remains only then."""
    try:
        batch.check()
    except Difference as difference:
        return str(difference)
    shutil.rmtree(batch.folder)
    return None


@dataclass(frozen=True)
class Failure:
    batch: Batch
    what: str
    is_single: bool

    def report(self, command: list[str]) -> str:
        program = Generator(self.batch.seeds.start).program() if self.is_single else "no program fails alone\n"
        return f"{self.what}\n{program}try it again: {shlex.join([*command, *self.batch.options])}\n"


def failures_in(batch: Batch) -> list[Failure]:
    """:return: the programs that fail alone, or the batch that fails as a whole"""
    of_batch = difference_in(batch)
    if of_batch is None:
        return []
    alone = [(single, difference_in(single)) for single in map(batch.single, batch.seeds)]
    singles = [Failure(single, what, True) for single, what in alone if what is not None]
    return singles or [Failure(batch, of_batch, False)]


def batches_of(arguments: argparse.Namespace, folder: Path) -> list[Batch]:
    tools = Tools(arguments.compiler, arguments.plugin, arguments.libraries, arguments.link_options.split(),
                  arguments.flags.split())
    end = arguments.seed + arguments.programs
    batches = []
    for number, begin in enumerate(range(arguments.seed, end, arguments.batch)):
        in_turn = tuple(LIBRARIES[(2 * number + i) % len(LIBRARIES)] for i in range(2))
        libraries = tuple(arguments.library.split(",")) if arguments.library else in_turn
        batches.append(Batch(tools, arguments.level or LEVELS[number % len(LEVELS)], libraries,
                             number if arguments.aborts is None else arguments.aborts,
                             range(begin, min(begin + arguments.batch, end)), folder / f"from_{begin}"))
    return batches


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--plugin", type=Path, required=True)
    parser.add_argument("--libraries", type=Path, required=True, help="the folder that holds the libraries")
    parser.add_argument("--link-options", default="", help="what puts the schedule of aborts before libraries")
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="of the first program; the others follow")
    parser.add_argument("--batch", type=int, default=25, help="how many programs are in a file")
    parser.add_argument("--level", default="", help="of optimisation; empty: one for each batch, in turn")
    parser.add_argument("--library", default="", help="run with these; empty: with two for each batch, in turn; or all")
    parser.add_argument("--aborts", type=int, help="the seed of where transactions abort; else the batch's number")
    parser.add_argument("--flags", default="", help="further flags for compiling with the plugin")
    parser.add_argument("--expect-difference", action="store_true",
                        help="a control: fail unless a program differs, and can be told from the others")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    arguments.library = ",".join(LIBRARIES) if arguments.library == "all" else arguments.library
    return arguments


def command_of(arguments: argparse.Namespace) -> list[str]:
    """The command, without the options that a batch has of its own."""
    return [sys.executable, str(Path(__file__).resolve()), f"--compiler={arguments.compiler}",
            f"--plugin={arguments.plugin}", f"--libraries={arguments.libraries}",
            f"--link-options={arguments.link_options}", f"--flags={arguments.flags}"]


def is_as_expected(failure: Failure) -> bool:
    return failure.is_single and any(sign in failure.what for sign in (DIFFERS, ESCAPED))


def main() -> int:
    arguments = read_arguments()
    folder = Path(tempfile.mkdtemp(prefix="perdure_generated_"))
    batches = batches_of(arguments, folder)
    started = time.monotonic()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        failures = [failure for of_batch in pool.map(failures_in, batches) for failure in of_batch]
    for failure in failures:
        print(failure.report(command_of(arguments)))
    print(f"{arguments.programs} programs from seed {arguments.seed} in {len(batches)} batches: {len(failures)} differ "
          f"({time.monotonic() - started:.0f} s)")
    if arguments.expect_difference:
        shutil.rmtree(folder)
        return 0 if any(map(is_as_expected, failures)) else 1
    if failures:
        return 1
    folder.rmdir()
    return 0


if __name__ == "__main__":
    sys.exit(main())
