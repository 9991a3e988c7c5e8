"""Lua 5.4, as Debian has its source, compiled as C++ with the plugin: its state lies in a pool, each step of a script
is a transaction, the program is killed and goes on. What it prints is what Lua prints without transactions.

The program is linked at fixed addresses (-no-pie), since Lua keeps addresses of its own constants in its state. Where
apt has no source the test is skipped.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from debian_source import fetch

SKIPPED = 77
HERE = Path(__file__).resolve().parent
CORE = ("lapi lcode lctype ldebug ldo ldump lfunc lgc llex lmem lobject lopcodes lparser lstate lstring ltable ltm "
        "lundump lvm lzio").split()
LIBRARIES = "lauxlib lbaselib lcorolib lmathlib lstrlib ltablib lutf8lib".split()
STEPS = 20000
options = argparse.Namespace()


def run(*command: str | Path) -> None:
    done = subprocess.run(command, text=True, capture_output=True, timeout=600)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr}")


def build(source: Path, folder: Path, compiler: str, *flags: str) -> Path:
    """The host, with Lua in it."""
    folder.mkdir(exist_ok=True)
    always = ["-O1", "-std=c++20", "-DLUA_COMPAT_5_3", "-Dluai_makeseed(state)=42", "-I", str(source), "-w", *flags]

    def compile_one(name: str) -> Path:
        result = folder / f"{name}.o"
        file = HERE / "lua" / "host.cc" if name == "host" else source / f"{name}.c"
        run(compiler, "-x", "c++", *always, "-c", file, "-o", result)
        return result

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, (*CORE, *LIBRARIES, "host")))
    run(compiler, *always, "-no-pie", *objects, "-o", folder / "host")
    return folder / "host"


class Lua(unittest.TestCase):
    plain: Path
    host: Path

    def setUp(self) -> None:
        memory = Path("/dev/shm")
        self.folder = tempfile.TemporaryDirectory(prefix="perdure_lua_", dir=memory if memory.is_dir() else None)
        self.pool = Path(self.folder.name) / "lua.pool"
        self.script = HERE / "lua" / "steps.lua"
        plain = [self.plain, self.script, str(STEPS)]
        done = subprocess.run(plain, text=True, capture_output=True, timeout=60, check=True)
        self.expected = done.stdout.splitlines()

    def tearDown(self) -> None:
        self.folder.cleanup()

    def command(self) -> list[str | Path]:
        return [self.host, self.script, str(STEPS), self.pool]

    def test_as_without_transactions(self) -> None:
        done = subprocess.run(self.command(), text=True, capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(), self.expected)

    def test_goes_on_when_it_was_killed(self) -> None:
        chance = random.Random(1)
        printed: list[str] = []
        for _ in range(500):
            with subprocess.Popen(self.command(), text=True, stdout=subprocess.PIPE) as process:
                time.sleep(chance.random() * 0.03)
                process.kill()
                lines = process.communicate()[0].splitlines(keepends=True)
            whole = [line.rstrip("\n") for line in lines if line.endswith("\n")]
            for line in whole:
                number = int(line.split(" ", 1)[0])
                self.assertEqual(line, self.expected[number - 1])
                self.assertIn(number, (len(printed) + 1, len(printed) + 2), "at most one step was not printed")
                printed += self.expected[len(printed):number]
            if len(printed) >= STEPS - 1:
                break
        done = subprocess.run(self.command(), text=True, capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(), self.expected[STEPS - len(done.stdout.splitlines()):])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True, help="perdure-c++")
    parser.add_argument("--plain-compiler", required=True, help="the compiler that it calls")
    parser.add_argument("--folder", type=Path, required=True, help="for the source and what is built")
    parser.add_argument("--tm", default="orec_lazy_fast", help="the library")
    parser.parse_args(namespace=options)
    options.folder.mkdir(parents=True, exist_ok=True)
    header = fetch("lua5.4", options.folder, "lua-*/src/lua.h")
    if header is None:
        sys.exit(SKIPPED)
    source = header.parent
    Lua.plain = build(source, options.folder / "plain", options.plain_compiler, "-DPLAIN")
    Lua.host = build(source, options.folder / "host", options.compiler, "-flto", f"--tm={options.tm}")
    unittest.main(argv=[sys.argv[0], "-v"])


if __name__ == "__main__":
    main()
