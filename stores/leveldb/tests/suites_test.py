"""What others have written against LevelDB, unmodified, over Perdure's store: LevelDB's own tests of its public
interface and db_bench, from Debian's source; plyvel, Debian's package for Python. Each as with LevelDB, in both forms:
preloaded, and by the library with LevelDB's soname. Where apt has no source, or plyvel is not installed, that is left
out.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests" / "other_code"))
from debian_source import fetch  # noqa: E402
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests" / "crash"))
from preload import preloadable  # noqa: E402

HERE = Path(__file__).resolve().parent
QUICK, SLOW = ["issue200_test"], ["issue178_test", "issue320_test"]
WORKLOADS = ("fillseq,fillsync,fillrandom,overwrite,readrandom,readseq,readreverse,seekrandom,seekordered,readmissing,"
             "deleterandom,compact,readwhilewriting,fill100K,stats,sstables")
options = argparse.Namespace()


def compile_with(compiler: str, result: Path, *arguments: str | Path) -> Path:
    if not result.exists():
        done = subprocess.run([compiler, "-O1", "-w", *arguments, "-lleveldb", "-lpthread", "-o", result], text=True,
                              capture_output=True, timeout=300)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
    return result


class Suites(unittest.TestCase):
    source: Path | None

    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="perdure_leveldb_")

    def tearDown(self) -> None:
        self.folder.cleanup()

    def run_in(self, form: str, command: list[str | Path]) -> str:
        environment = {**os.environ, "TEST_TMPDIR": self.folder.name, "TMPDIR": self.folder.name}
        if form == "preload":
            environment["LD_PRELOAD"] = preloadable(options.preload)
        elif form == "soname":
            environment["LD_LIBRARY_PATH"] = str(options.soname.parent)
        done = subprocess.run(command, cwd=self.folder.name, text=True, timeout=280, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, f"{form}: {done.stdout}")
        return done.stdout

    def compiled(self, name: str) -> Path:
        if self.source is None:
            self.skipTest("no source of LevelDB")
        include = ["-I", self.source, "-I", self.source / "include", "-DLEVELDB_PLATFORM_POSIX=1"]
        result = options.folder / name
        if name == "c_test":
            return compile_with(options.c_compiler, result, self.source / "db" / "c_test.c")
        utilities = [self.source / "util" / f"{part}.cc" for part in ("testutil", "histogram", "crc32c")]
        if name == "db_bench":
            main = self.source / "benchmarks" / "db_bench.cc"
            return compile_with(options.compiler, result, *include, main, *utilities)
        return compile_with(options.compiler, result, *include, self.source / "issues" / f"{name}.cc", utilities[0],
                            "-lgtest", "-lgmock")

    def test_of_leveldb_in_c(self) -> None:
        program = self.compiled("c_test")
        for form in ("stock", "preload", "soname"):
            self.assertIn("PASS", self.run_in(form, [program]))

    def test_of_leveldb_about_issues(self) -> None:
        for name in [*QUICK, *(SLOW if options.long else [])]:
            self.assertIn("[  PASSED  ]", self.run_in("preload", [self.compiled(name)]))

    def test_db_bench(self) -> None:
        program = self.compiled("db_bench")
        for form in ("preload", "soname"):
            folder = Path(self.folder.name) / form
            said = self.run_in(form, [program, f"--db={folder}", "--num=2000", f"--benchmarks={WORKLOADS}"])
            self.assertNotIn("error", said.lower().replace("error_if_exists", ""))
            self.assertIn("(2000 of 2000 found)", self.run_in(form, [program, f"--db={folder}", "--num=2000",
                                                                   "--benchmarks=fillseq,readrandom"]))
            self.assertTrue((folder / "store.pool").exists())

    def test_plyvel(self) -> None:
        known = subprocess.run([sys.executable, "-c", "import plyvel"], capture_output=True)
        if known.returncode != 0:
            self.skipTest("plyvel is not installed")
        said = {form: self.run_in(form, [sys.executable, HERE / "plyvel_steps.py", Path(self.folder.name) / form])
                for form in ("stock", "preload", "soname")}
        self.assertGreater(len(said["stock"].splitlines()), 20)
        self.assertEqual(said["preload"], said["stock"])
        self.assertEqual(said["soname"], said["stock"])

    def test_loaded_while_a_program_runs(self) -> None:
        """There is little room for thread-local memory then."""
        for library in (options.preload, options.soname):
            self.run_in("stock", [sys.executable, "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1])", library])

    def test_nothing_is_missing(self) -> None:
        def symbols(library: Path) -> set[str]:
            listed = subprocess.run(["nm", "-D", "--defined-only", "-P", library], text=True, capture_output=True,
                                    check=True)
            return {line.split()[0] for line in listed.stdout.splitlines()}
        self.assertEqual(symbols(options.soname), symbols(options.stock))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--c-compiler", required=True)
    parser.add_argument("--preload", type=Path, required=True, help="libperdure_leveldb.so")
    parser.add_argument("--soname", type=Path, required=True, help="the library with LevelDB's soname")
    parser.add_argument("--stock", type=Path, required=True, help="LevelDB's own")
    parser.add_argument("--folder", type=Path, required=True, help="for the source and what is built")
    parser.add_argument("--long", action="store_true", help="also what takes minutes")
    parser.parse_args(namespace=options)
    options.folder.mkdir(parents=True, exist_ok=True)
    found = fetch("leveldb", options.folder, "leveldb-*/db/c_test.c")
    Suites.source = found.parents[1] if found else None
    unittest.main(argv=[sys.argv[0], "-v"])


if __name__ == "__main__":
    main()
