"""With -flto every entry point links, whichever file of a program needs it first: in any order, out of archives, at any
level, with bitcode alone or along with native code."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass
from itertools import product
from pathlib import Path

HERE = Path(__file__).resolve().parent
llvm_version, plugin, library = sys.argv[1:4]
CXX = f"clang++-{llvm_version}"
FAT = "-ffat-lto-objects"


@dataclass(frozen=True)
class Way:
    """How a program is compiled and linked."""

    transaction: int
    flags: tuple[str, ...]
    order: tuple[str, ...] = ("main", "elsewhere", "addresses", "part", "library")
    at_link: tuple[str, ...] = ()


# Which symbols there are is settled before; most programs are not optimised, for time.
HASTY = ("-Wl,--lto-O0", "-Wl,--lto-CGO0")
EXCEPTION_FLAGS = [("-O0",), ("-O2",), ("-O0", "-flto"), ("-O2", "-flto"), ("-O2", "-flto", FAT)]
SERIAL_FLAGS = [("-O0",), ("-O1", FAT), ("-O2",), ("-O3", FAT)]
ARCHIVE_LAST = ("library", "main", "archive")
ARCHIVE_FIRST = ("archive", "library", "main")
WAYS = [
    Way(1, ("-O2", FAT)),
    Way(1, ("-O0",), ARCHIVE_FIRST, HASTY),
    Way(2, ("-O3", FAT), ARCHIVE_LAST),
    Way(2, ("-O0", FAT), ("part", "addresses", "library", "elsewhere", "main"), HASTY),
    Way(3, ("-O1", FAT), ARCHIVE_FIRST, HASTY),
    Way(3, ("-O2",), ARCHIVE_LAST, ("-Wl,--gc-sections", *HASTY)),
]
# The long test goes all ways; a few do for the other.
if not os.environ.get("TEST_ALL_WAYS"):
    EXCEPTION_FLAGS, SERIAL_FLAGS, WAYS = EXCEPTION_FLAGS[::3], SERIAL_FLAGS[::3], WAYS[::3]


def run(*command: object) -> str:
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def compile_file(folder: Path, name: str, flags: tuple[str, ...], has_plugin: bool = True) -> Path:
    output = folder / f"{name}.o"
    in_c = name == "part"
    compiler = [f"clang-{llvm_version}"] if in_c else [CXX, "-std=c++20"]
    source = HERE / (f"{name}.c" if in_c else f"{name}.cc")
    if has_plugin:
        flags = (*flags, f"-fplugin={plugin}")
    run(*compiler, *flags, "-Wall", "-Wextra", f"-I{HERE.parents[1] / 'include'}", "-c", source,
        "-o", output)
    return output


def build(folder: Path, way: Way) -> Path:
    flags = ("-flto", *way.flags)
    files = {name: compile_file(folder, name, flags) for name in ("elsewhere", "addresses", "part")}
    files["main"] = compile_file(folder, "main", (*flags, f"-DTRANSACTION={way.transaction}"))
    files["library"] = Path(library)
    files["archive"] = folder / "libparts.a"
    run(f"llvm-ar-{llvm_version}", "rc", files["archive"], files["elsewhere"], files["addresses"], files["part"])
    program = folder / "program"
    run(CXX, *flags, "-fuse-ld=lld", f"-Wl,--load-pass-plugin={plugin}", *way.at_link,
        *(files[name] for name in way.order), "-lpmem", "-pthread", "-o", program)
    return program


class LinkingTest(unittest.TestCase):
    def test_whole_programs(self) -> None:
        for way in WAYS:
            with self.subTest(way), tempfile.TemporaryDirectory(prefix="perdure_linking_") as folder:
                program = build(Path(folder), way)
                self.assertEqual(run(program, f"{folder}/pool").splitlines()[-1], "done")

    def test_exceptions(self) -> None:
        libraries = {"": library, "-stdlib=libc++": library.removesuffix(".a") + "_libcxx.a"}
        for (standard_library, archive), flags in product(libraries.items(), EXCEPTION_FLAGS):
            if not Path(archive).exists():
                continue
            folders = tempfile.TemporaryDirectory(prefix="perdure_linking_")
            with self.subTest((standard_library, flags)), folders as folder:
                flags = (*flags, *([standard_library] if standard_library else []))
                file = compile_file(Path(folder), "exceptions", flags)
                program = Path(folder) / "program"
                at_link = ("-fuse-ld=lld", f"-Wl,--load-pass-plugin={plugin}") if "-flto" in flags else ()
                at_link += HASTY if FAT not in flags and at_link else ()
                run(CXX, *flags, *at_link, file, archive, "-lpmem", "-pthread", "-o", program)
                self.assertEqual(run(program, f"{folder}/pool").splitlines()[-1], "done")

    def test_serial_transactions(self) -> None:
        for flags in SERIAL_FLAGS:
            with self.subTest(flags), tempfile.TemporaryDirectory(prefix="perdure_linking_") as folder:
                files = [compile_file(Path(folder), name, ("-flto", *flags)) for name in ("serial", "serial_elsewhere")]
                files.append(compile_file(Path(folder), "serial_unseen", ("-flto", *flags), has_plugin=False))
                program = Path(folder) / "program"
                at_link = HASTY if "-O2" not in flags else ()
                run(CXX, "-flto", *flags, "-fuse-ld=lld", f"-Wl,--load-pass-plugin={plugin}", *at_link, *files, library,
                    "-lpmem", "-pthread", "-o", program)
                self.assertEqual(run(program, f"{folder}/pool").splitlines()[-1], "done")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
