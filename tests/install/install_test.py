"""Installs the build into a folder of its own, and builds and runs a program in each way that docs/install.md names."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from installed import HERE, Installed, build_directory, llvm_version, main, run

COUNTER = HERE / "counter.cc"
COUNTER_IN_C = HERE / "counter.c"
LIBRARIES = {"orec_lazy_fast": True, "lock_stm": False}  # name: is it durable?
# For links whose code is the same as that of another test: not optimised, for time.
HASTY_LINK = ["-Wl,--lto-O0", "-Wl,--lto-CGO0"]


@dataclass(frozen=True)
class Combination:
    library: str
    lto: bool
    libcxx: bool = False

    @property
    def durable(self) -> bool:
        return LIBRARIES[self.library]

    @property
    def target(self) -> str:
        """What CMake and pkg-config know it as."""
        return f"{self.library}_libcxx" if self.libcxx else self.library

    @property
    def wrapper_flags(self) -> list[str]:
        return (["-flto"] if self.lto else []) + (["-stdlib=libc++"] if self.libcxx else [])

    @property
    def lto_flags(self) -> list[str]:
        return ["-flto", "-ffat-lto-objects", "-fuse-ld=lld", *self.hasty] if self.lto else []

    @property
    def hasty(self) -> list[str]:
        return HASTY_LINK if self.lto else []

    @property
    def name(self) -> str:
        return f"{self.target}_{'lto' if self.lto else 'native'}"


def has_libcxx() -> bool:
    return (build_directory / "lib" / "libperdure_lock_stm_libcxx.a").exists()


def combinations() -> list[Combination]:
    with_default = [Combination("lock_stm", lto=False), *(Combination("orec_lazy_fast", lto) for lto in (False, True))]
    with_libcxx = [Combination("orec_lazy_fast", lto, libcxx=True) for lto in (False, True)]
    return with_default + (with_libcxx if has_libcxx() else [])


def a_few_combinations() -> list[Combination]:
    """For ways to the same command lines as the wrapper's, which is tested with all: each choice comes up once; in the
    long test; the other has less time."""
    both = [Combination("orec_lazy_fast", lto=True, libcxx=has_libcxx()), Combination("lock_stm", lto=False)]
    return both if os.environ.get("TEST_ALL_WAYS") else both[:1]


class InstallTest(Installed):
    def check_program(self, program: Path, combination: Combination) -> None:
        pool = Path(tempfile.mkdtemp(dir=self.folder)) / "counter.pool"
        for count in (1, 2 if combination.durable else 1):  # behind a warning, in C, where the library is not durable
            self.assertEqual(run(program, pool).splitlines()[-1], f"{combination.library} {count}")
        used = run("readelf", "--wide", "--dynamic", program)
        self.assertEqual(("libc++.so" in used, "libstdc++.so" in used), (combination.libcxx, not combination.libcxx))

    def test_compiler_wrapper(self) -> None:
        for each in combinations():
            program = self.folder / each.name
            wrapper = self.prefix / "bin/perdure-c++"
            flags = each.hasty if each.libcxx else []
            run(wrapper, f"--tm={each.library}", "-O2", *each.wrapper_flags, *flags, COUNTER, "-o", program)
            self.check_program(program, each)

    def test_compiler_wrapper_of_c(self) -> None:
        for each in a_few_combinations():
            program = self.folder / each.name
            wrapper = self.prefix / "bin/perdure-cc"
            run(wrapper, f"--tm={each.library}", "-O2", *each.wrapper_flags, *each.hasty, COUNTER_IN_C, "-o", program)
            self.check_program(program, each)

    def test_tool(self) -> None:
        self.assertIn("recover", run(self.prefix / "bin/perdure", "--help"))
        self.assertTrue((self.prefix / "share/man/man1/perdure.1").exists())

    def test_write_only_flavour(self) -> None:
        """A library whose reads are plain loads runs the second flavour; others run the first one of the same file."""
        wrapper, flavoured = self.prefix / "bin/perdure-c++", self.folder / "counter.o"
        run(wrapper, "-O2", "--write-only", "-c", COUNTER, "-o", flavoured)
        self.assertIn(".write_only", run(f"llvm-nm-{llvm_version}", flavoured))
        for each in (Combination(library, lto=False) for library in LIBRARIES):
            run(wrapper, f"--tm={each.library}", flavoured, "-o", self.folder / each.name)
            self.check_program(self.folder / each.name, each)

    def test_checked_program(self) -> None:
        """Nothing is reported of a program without mistakes; with link-time optimisation, too."""
        for each in (Combination("orec_lazy_fast", lto) for lto in (False, True)):
            program = self.folder / each.name
            run(self.prefix / "bin/perdure-c++", "-O2", "--checked", *each.wrapper_flags, *each.hasty, COUNTER, "-o",
                program)
            self.assertIn("perdure_check_access", run(f"llvm-nm-{llvm_version}", program))
            self.check_program(program, each)

    def test_shared_object_for_a_program_that_knows_nothing_of_it(self) -> None:
        """Python loads it while it runs, from several threads."""
        library, pool = self.folder / "libwords.so", self.folder / "words.pool"
        run(self.prefix / "bin/perdure-c++", "--own-runtime", "-shared", "-fPIC", "-O2", HERE / "words.cc", "-o",
            library)
        for total in (400, 800):
            self.assertEqual(run(sys.executable, HERE / "words.py", library, pool).strip(), str(total))
        said = run(self.prefix / "bin/perdure-c++", "--own-runtime", COUNTER, expect_success=False)
        self.assertIn("Say -shared", said)

    def test_self_relative_pointers(self) -> None:
        """Only where nothing is recovered: a durable library ends the program."""
        for library, durable in LIBRARIES.items():
            program = self.folder / library
            flags = [f"--tm={library}", "-O2", "--self-relative"]
            run(self.prefix / "bin/perdure-c++", *flags, HERE / "linked.cc", "-o", program)
            printed = run(program, f"{program}.pool", expect_success=not durable)
            self.assertIn("was compiled with self-relative pointers" if durable else "the sum is 55\n", printed)

    def test_whole_program_needs_no_marks(self) -> None:
        """With -flto a transaction calls functions of other files, which are not marked; without, that is refused."""
        wrapper, sources = self.prefix / "bin/perdure-c++", [HERE / "caller.cc", HERE / "callee.cc"]
        run(wrapper, "-O2", "-flto", *HASTY_LINK, *sources, "-o", self.folder / "program")
        self.assertEqual(run(self.folder / "program", self.folder / "program.pool"), "rolled back and committed\n")
        message = run(wrapper, "-O2", *sources, "-o", self.folder / "program", expect_success=False)
        self.assertIn("in a transaction cannot be made transactional", message)

    def test_cmake_package_with_whole_program(self) -> None:
        build = self.folder / "whole_program"
        arguments = [f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER=clang++-{llvm_version}"]
        run("cmake", "-G", "Ninja", "-S", HERE / "whole_program", "-B", build, *arguments)
        run("cmake", "--build", build)
        self.assertEqual(run(build / "program", self.folder / "program.pool"), "rolled back and committed\n")

    def test_compiler_wrapper_in_two_steps(self) -> None:
        wrapper = self.prefix / "bin/perdure-c++"
        for each in a_few_combinations():
            program = self.folder / each.name
            run(wrapper, "-O2", *each.wrapper_flags, "-c", COUNTER, "-o", f"{program}.o")
            run(wrapper, f"--tm={each.library}", *each.wrapper_flags, *each.hasty, f"{program}.o", "-o", program)
            self.check_program(program, each)

    def test_compiler_wrapper_refuses_libcxx_without_libraries(self) -> None:
        if has_libcxx():
            self.skipTest("this build has libraries for libc++")
        message = run(self.prefix / "bin/perdure-c++", "-stdlib=libc++", COUNTER, expect_success=False)
        self.assertIn("no libraries for libc++", message)

    def test_compiler_wrapper_refuses_sanitizers_that_do_not_go_with_the_libraries(self) -> None:
        wrapper = self.prefix / "bin/perdure-c++"
        message = run(wrapper, "-fsanitize=undefined,thread", COUNTER, expect_success=False)
        self.assertIn("do not go with -fsanitize=thread. Take -fsanitize=address", message)

    def test_compiler_wrapper_with_address_sanitizer(self) -> None:
        program = self.folder / "counter"
        run(self.prefix / "bin/perdure-c++", "-fsanitize=address,undefined", COUNTER, "-o", program)
        self.check_program(program, Combination("orec_lazy_fast", lto=False))

    def test_compiler_wrapper_lists_libraries(self) -> None:
        wrapper = self.prefix / "bin/perdure-c++"
        names = run(wrapper, "--tm=list").split()
        self.assertEqual(names, [path.stem.removeprefix("libperdure_") for path in self.libraries_installed(names)])
        message = run(wrapper, "--tm=no_such", COUNTER, expect_success=False)
        self.assertIn("no library 'no_such'", message)
        self.assertIn("orec_lazy_fast", message)
        message = run(wrapper, "--tm=orec_lazy", COUNTER, expect_success=False)
        of_algorithm = [name for name in names if name.startswith("orec_lazy_")]
        self.assertTrue(message.endswith(f"Choose one of: {' '.join(of_algorithm)}\n"), message)

    def libraries_installed(self, names: list[str]) -> list[Path]:
        installed = (self.prefix / "lib").glob("libperdure_*.a")
        installed = [path for path in installed if not path.stem.endswith(("_libcxx", "_sim"))]
        return sorted(installed, key=lambda path: names.index(path.stem.removeprefix("libperdure_")))

    def test_compiler_wrapper_through_a_link(self) -> None:
        link = self.folder / "c++"
        link.symlink_to(self.prefix / "bin/perdure-c++")
        run(link, COUNTER, "-o", self.folder / "counter")
        self.check_program(self.folder / "counter", Combination("orec_lazy_fast", lto=False))

    def test_link_time_optimisation_uses_the_bitcode(self) -> None:
        wrapper = self.prefix / "bin/perdure-c++"
        self.assertIn("--fat-lto-objects", run(wrapper, "-flto", COUNTER, "-###"))
        sections = run("readelf", "--wide", "--sections", self.prefix / "lib/libperdure_orec_lazy_fast.a")
        self.assertIn(".llvm.lto", sections)

    def configure(self, library: str, build: Path, flags: list[str], compiler: str, **keywords: bool) -> str:
        arguments = [f"-DLIBRARY={library}", f"-DCOUNTER_SOURCE={COUNTER}", f"-DCMAKE_PREFIX_PATH={self.prefix}"]
        arguments += [f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_CXX_FLAGS={' '.join(flags)}"]
        return run("cmake", "-G", "Ninja", "-S", HERE / "consumer", "-B", build, *arguments, **keywords)

    def test_cmake_package(self) -> None:
        for each in a_few_combinations():
            build = self.folder / each.name
            self.configure(each.target, build, each.lto_flags, f"clang++-{llvm_version}")
            run("cmake", "--build", build)
            self.check_program(build / "counter", each)

    def test_cmake_package_in_c(self) -> None:
        each = Combination("orec_lazy_fast", lto=False)
        build = self.folder / "in_c"
        run("cmake", "-G", "Ninja", "-S", HERE / "consumer_in_c", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_C_COMPILER=clang-{llvm_version}", f"-DCMAKE_CXX_COMPILER=clang++-{llvm_version}",
            f"-DCOUNTER_SOURCE={COUNTER_IN_C}")
        run("cmake", "--build", build)
        self.check_program(build / "counter", each)

    def test_cmake_package_refuses_another_compiler(self) -> None:
        message = self.configure("lock_stm", self.folder / "build", [], "g++", expect_success=False)
        self.assertIn(f"-DCMAKE_CXX_COMPILER=clang++-{llvm_version}", message)

    def test_pkg_config(self) -> None:
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.prefix / "lib/pkgconfig")}
        for each in a_few_combinations():
            program = self.folder / each.name
            options = run("pkg-config", "--cflags", "--libs", f"perdure_{each.target}", env=environment)
            run(f"clang++-{llvm_version}", *each.lto_flags, COUNTER, *shlex.split(options), "-o", program)
            self.check_program(program, each)


if __name__ == "__main__":
    main()
