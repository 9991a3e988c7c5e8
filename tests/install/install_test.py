"""Installs the build into a folder of its own, and builds and runs a program in each way that docs/install.md names."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
COUNTER = HERE / "counter.cc"
LIBRARIES = {"orec_lazy_ip": True, "lock_stm": False}  # name: is it durable?
COMBINATIONS = [(library, durable, lto) for library, durable in LIBRARIES.items() for lto in (False, True)]
LTO_FLAGS = {False: [], True: ["-flto", "-ffat-lto-objects", "-fuse-ld=lld"]}
build_directory: Path
llvm_version: str


def run(*command: object, expect_success: bool = True, **keywords: object) -> str:
    """Runs a command; returns what it prints, or fails the test with that."""
    words = [str(word) for word in command]
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **keywords)
    if (done.returncode == 0) != expect_success:
        raise AssertionError(f"{' '.join(words)}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


class InstallTest(unittest.TestCase):
    stage: Path
    prefix: Path

    @classmethod
    def setUpClass(cls) -> None:
        # Installed for one prefix by way of DESTDIR and used in another place: everything must be relocatable.
        cls.stage = Path(tempfile.mkdtemp(prefix="perdure_install_"))
        cls.addClassCleanup(shutil.rmtree, cls.stage)
        environment = {**os.environ, "DESTDIR": str(cls.stage)}
        run("cmake", "--install", build_directory, "--prefix", "/opt/perdure", env=environment)
        cls.prefix = cls.stage / "opt" / "perdure"

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=self.stage))

    def check_program(self, program: Path, library: str, durable: bool) -> None:
        pool = Path(tempfile.mkdtemp(dir=self.folder)) / "counter.pool"
        self.assertEqual(run(program, pool), f"{library} 1\n")
        self.assertEqual(run(program, pool), f"{library} {2 if durable else 1}\n")

    def test_compiler_wrapper(self) -> None:
        for library, durable, lto in COMBINATIONS:
            program = self.folder / f"counter_{library}_{lto}"
            flags = ["-flto"] if lto else []
            run(self.prefix / "bin/perdure-c++", f"--tm={library}", "-O2", *flags, COUNTER, "-o", program)
            self.check_program(program, library, durable)

    def test_compiler_wrapper_in_two_steps(self) -> None:
        wrapper = self.prefix / "bin/perdure-c++"
        for library, durable, lto in COMBINATIONS:
            program = self.folder / f"counter_{library}_{lto}"
            flags = ["-flto"] if lto else []
            run(wrapper, "-O2", *flags, "-c", COUNTER, "-o", f"{program}.o")
            run(wrapper, f"--tm={library}", *flags, f"{program}.o", "-o", program)
            self.check_program(program, library, durable)

    def test_compiler_wrapper_lists_libraries(self) -> None:
        wrapper = self.prefix / "bin/perdure-c++"
        names = run(wrapper, "--tm=list").split()
        self.assertEqual(names, [path.stem.removeprefix("libperdure_") for path in self.libraries_installed(names)])
        message = run(wrapper, "--tm=no_such", COUNTER, expect_success=False)
        self.assertIn("no library 'no_such'", message)
        self.assertIn("orec_lazy_ip", message)

    def libraries_installed(self, names: list[str]) -> list[Path]:
        installed = (self.prefix / "lib").glob("libperdure_*.a")
        return sorted(installed, key=lambda path: names.index(path.stem.removeprefix("libperdure_")))

    def test_compiler_wrapper_through_a_link(self) -> None:
        link = self.folder / "c++"
        link.symlink_to(self.prefix / "bin/perdure-c++")
        run(link, COUNTER, "-o", self.folder / "counter")
        self.check_program(self.folder / "counter", "orec_lazy_ip", True)

    def test_link_time_optimisation_uses_the_bitcode(self) -> None:
        wrapper = self.prefix / "bin/perdure-c++"
        self.assertIn("--fat-lto-objects", run(wrapper, "-flto", COUNTER, "-###"))
        sections = run("readelf", "--wide", "--sections", self.prefix / "lib/libperdure_orec_lazy_ip.a")
        self.assertIn(".llvm.lto", sections)

    def configure(self, library: str, build: Path, flags: list[str], compiler: str, **keywords: bool) -> str:
        arguments = [f"-DLIBRARY={library}", f"-DCOUNTER_SOURCE={COUNTER}", f"-DCMAKE_PREFIX_PATH={self.prefix}"]
        arguments += [f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_CXX_FLAGS={' '.join(flags)}"]
        return run("cmake", "-G", "Ninja", "-S", HERE / "consumer", "-B", build, *arguments, **keywords)

    def test_cmake_package(self) -> None:
        for library, durable, lto in COMBINATIONS:
            build = self.folder / f"{library}_{lto}"
            self.configure(library, build, LTO_FLAGS[lto], f"clang++-{llvm_version}")
            run("cmake", "--build", build)
            self.check_program(build / "counter", library, durable)

    def test_cmake_package_refuses_another_compiler(self) -> None:
        message = self.configure("lock_stm", self.folder / "build", [], "g++", expect_success=False)
        self.assertIn(f"-DCMAKE_CXX_COMPILER=clang++-{llvm_version}", message)

    def test_pkg_config(self) -> None:
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.prefix / "lib/pkgconfig")}
        for library, durable, lto in COMBINATIONS:
            program = self.folder / f"counter_{library}_{lto}"
            options = run("pkg-config", "--cflags", "--libs", f"perdure_{library}", env=environment).split()
            run(f"clang++-{llvm_version}", *LTO_FLAGS[lto], COUNTER, *options, "-o", program)
            self.check_program(program, library, durable)


if __name__ == "__main__":
    build_directory, llvm_version = Path(sys.argv[1]).resolve(), sys.argv[2]
    unittest.main(argv=sys.argv[:1])
