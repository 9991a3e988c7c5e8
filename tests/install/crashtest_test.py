"""perdure-crashtest as users have it: installed, with the example, sound and broken."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import unittest
from pathlib import Path

from installed import HERE, Installed, build_directory, llvm_version, main, run

EXAMPLE = HERE.parent.parent / "examples/crashtest/transfers.cc"
LIBRARY = "orec_lazy_fast_sim"


@unittest.skipUnless((build_directory / f"lib/libperdure_{LIBRARY}.a").exists(), "no library for the simulator here")
class CrashTestTest(Installed):
    def compile(self, *flags: str) -> Path:
        program = self.folder / "transfers"
        run(self.prefix / "bin/perdure-c++", f"--tm={LIBRARY}", *flags, EXAMPLE, "-o", program)
        return program

    def explore(self, program: Path, *options: str) -> tuple[int, str]:
        command = [str(self.prefix / "bin/perdure-crashtest"), *options, str(program)]
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def test_a_sound_program_passes(self) -> None:
        for flags in (["-O2"], ["-O0"]):
            status, report = self.explore(self.compile(*flags), "--depth=2")
            self.assertEqual(status, 0, report)
            self.assertRegex(report, r"[1-9]\d* crash states checked, [1-9]\d* of them left by a crash of recovery")

    def test_a_broken_program_is_caught_at_its_source_line(self) -> None:
        half = next(line for line, text in enumerate(EXAMPLE.read_text().splitlines(), 1) if "} TM_END" in text)
        for flags in (["-O2"], ["-O0"]):
            status, report = self.explore(self.compile("-DBROKEN", *flags))
            self.assertEqual(status, 1, report)
            self.assertIn("VIOLATION: perdure_crash_check returned 2", report)
            self.assertRegex(report, rf"thread 0: in the transaction at transfers.cc:{half}\b")

    def test_a_violation_is_replayed_by_the_command_it_prints(self) -> None:
        _, report = self.explore(self.compile("-DBROKEN", "-O1"))
        command = shlex.split(re.search(r"replay with: (.*?) *#", report)[1])
        replayed = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(replayed.returncode, 1, replayed.stdout)
        self.assertIn("VIOLATION: perdure_crash_check returned 2", replayed.stdout)
        if shutil.which("gdb"):
            breakpoint_in_check = ["-batch", "-ex", "break perdure_crash_check", "-ex", "run", "-ex", "continue"]
            self.assertRegex(run("gdb", *breakpoint_in_check, "--args", *command), r"(?s)Breakpoint 1,.*code 01")

    def test_a_disk_loses_power_and_the_process_is_killed(self) -> None:
        status, report = self.explore(self.compile("-O2"), "--disk", "--samples=1", "--depth=2")
        self.assertEqual(status, 0, report)
        self.assertRegex(report, r"on a disk: [1-9]\d* calls .* [1-9]\d* of them left by a crash of recovery")

    def test_a_violation_on_a_disk_is_replayed(self) -> None:
        status, report = self.explore(self.compile("-DBROKEN", "-O2"), "--disk", "--samples=1")
        self.assertEqual(status, 1, report)
        self.assertIn("on a disk: VIOLATION: perdure_crash_check returned 2", report)
        command = shlex.split(re.search(r"replay with: (.*)", report)[1])
        replayed = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(replayed.returncode, 1, replayed.stdout)
        self.assertIn("VIOLATION: perdure_crash_check returned 2", replayed.stdout)

    def test_a_promise_that_is_not_kept_on_a_disk_is_a_violation(self) -> None:
        status, report = self.explore(self.compile("-DHASTY", "-O2"), "--disk", "--samples=4")
        self.assertEqual(status, 1, report)
        self.assertIn("perdure_crash_check returned 1", report)

    def test_a_library_without_logs_on_disks_tests_nothing(self) -> None:
        program = self.folder / "transfers"
        if not (build_directory / "lib/libperdure_orec_lazy_ip_sim.a").exists():
            self.skipTest("no such library here")
        run(self.prefix / "bin/perdure-c++", "--tm=orec_lazy_ip_sim", EXAMPLE, "-o", program)
        status, report = self.explore(program, "--disk")
        self.assertEqual((status, "Link a library of the mode fast" in report), (2, True), report)

    def test_the_package_has_the_flags(self) -> None:
        arguments = [f"-DLIBRARY={LIBRARY}", f"-DCOUNTER_SOURCE={EXAMPLE}", f"-DCMAKE_PREFIX_PATH={self.prefix}"]
        run("cmake", "-G", "Ninja", "-S", HERE / "consumer", "-B", self.folder, *arguments,
            f"-DCMAKE_CXX_COMPILER=clang++-{llvm_version}", "-DCMAKE_CXX_FLAGS=-DBROKEN")
        run("cmake", "--build", self.folder)
        status, report = self.explore(self.folder / "counter")
        self.assertEqual(status, 1, report)
        self.assertIn("transfers.cc:", report)

    def test_pkg_config_has_the_flags(self) -> None:
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.prefix / "lib/pkgconfig")}
        options = run("pkg-config", "--cflags", "--libs", f"perdure_{LIBRARY}", env=environment)
        run(f"clang++-{llvm_version}", "-DBROKEN", EXAMPLE, *shlex.split(options), "-o", self.folder / "transfers")
        status, report = self.explore(self.folder / "transfers")
        self.assertEqual(status, 1, report)

    def test_what_cannot_be_tested_is_refused(self) -> None:
        status, report = self.explore(Path("/bin/true"))
        self.assertEqual((status, "is not linked with" in report), (2, True), report)
        counter = self.folder / "counter"
        run(self.prefix / "bin/perdure-c++", f"--tm={LIBRARY}", HERE / "counter.cc", "-o", counter)
        status, report = self.explore(counter)
        self.assertEqual((status, "does not define perdure_crash_workload" in report), (2, True), report)
        message = run(self.prefix / "bin/perdure-c++", f"--tm={LIBRARY}", "-flto", EXAMPLE, expect_success=False)
        self.assertIn("Leave out -flto", message)


if __name__ == "__main__":
    main()
