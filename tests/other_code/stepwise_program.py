"""Programs that Debian has the source of, compiled with the plugin: their state lies in a pool, each step is a
transaction, the program is killed and goes on. What it prints is what it prints without transactions."""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import tempfile
import time
import unittest
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SKIPPED = 77
Command = Sequence[str | Path]


def run(*command: str | Path) -> None:
    done = subprocess.run(command, text=True, capture_output=True, timeout=600)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr}")


def options_for(description: str | None, programs: Iterable[str]) -> argparse.Namespace:
    """What a test is told that has several programs; the folder is there."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("program", choices=programs)
    parser.add_argument("--compiler", required=True, help="the wrapper: perdure-c++, or perdure-cc for C")
    parser.add_argument("--plain-compiler", required=True, help="the compiler that it calls")
    parser.add_argument("--folder", type=Path, required=True, help="for the source and what is built")
    parser.add_argument("--tm", default="orec_lazy_fast", help="the transaction library")
    parser.add_argument("--flags", default="-O2", help="of the compiler")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    return options


def build(sources: Sequence[Path], program: Path, compiler: str, flags: Command, language: str = "c++") -> Path:
    """The program of these files, all compiled as one language."""
    program.parent.mkdir(parents=True, exist_ok=True)

    def compile_one(source: Path) -> Path:
        result = program.parent / f"{source.name}.o"
        run(compiler, "-x", language, *flags, "-c", source, "-o", result)
        return result

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, sources))
    run(compiler, *flags, *objects, "-o", program)
    return program


class Steps:
    """A program that does steps, and prints each one's number and result when it has committed."""

    class Test(unittest.TestCase):
        plain: Path
        host: Path
        arguments: Command
        steps: int

        def setUp(self) -> None:
            memory = Path("/dev/shm")
            self.folder = tempfile.TemporaryDirectory(prefix="perdure_steps_", dir=memory if memory.is_dir() else None)
            self.addCleanup(self.folder.cleanup)
            self.pool = Path(self.folder.name) / "steps.pool"
            done = subprocess.run([self.plain, *self.arguments], text=True, capture_output=True, timeout=60, check=True)
            self.expected = done.stdout.splitlines()
            self.assertEqual(len(self.expected), self.steps)

        def command(self) -> list[str | Path]:
            return [self.host, *self.arguments, self.pool]

        def test_as_without_transactions(self) -> None:
            done = subprocess.run(self.command(), text=True, capture_output=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.splitlines(), self.expected)

        def test_goes_on_when_it_was_killed(self) -> None:
            chance = random.Random(1)
            printed: list[str] = []
            kills = 0  # since a step was printed: each may have come between a step and its line
            for _ in range(500):
                with subprocess.Popen(self.command(), text=True, stdout=subprocess.PIPE) as process:
                    time.sleep(chance.random() * 0.03)
                    process.kill()
                    lines = process.communicate()[0].splitlines(keepends=True)
                whole = [line.rstrip("\n") for line in lines if line.endswith("\n")]
                for line in whole:
                    number = int(line.split(" ", 1)[0])
                    self.assertEqual(line, self.expected[number - 1])
                    self.assertIn(number - len(printed) - 1, range(kills + 1), "more steps than kills were not printed")
                    printed += self.expected[len(printed):number]
                    kills = 0
                kills += 1
                if len(printed) >= self.steps - 1:
                    break
            done = subprocess.run(self.command(), text=True, capture_output=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.splitlines(), self.expected[self.steps - len(done.stdout.splitlines()):])
