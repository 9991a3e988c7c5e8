"""Builds and tests what `make test` covers, or every configuration, and counts.

It says at the start what it will do and for how long. The last line is "<n> passed, <n> failed". A configuration that
does not build, or that has no tests, is a failure.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_LLVM = "19"
OTHER_LLVM = "22"
# And the modes of the libraries that `make test-all` takes with it, for time; `make test SANITIZE=…` takes all.
SANITIZERS = {"address": "fast", "thread": "fast"}
# Those that tests link with libc++. The long tests, and `make`, build all.
LIBCXX_LIBRARIES = "lock_stm,orec_lazy_ip,orec_lazy_fast"
TIMES = ROOT / "build" / "test_times.json"  # of each stage here, the last time: seconds
NOT_LONG = ("-LE", "^long$")
NOT_THOROUGH = ("-LE", "^(long|thorough)$")
SHOWN_LINES = 60  # of each failed test's output, again at the end
CORES = 2  # of the machine that `Stage.minutes` is about


@dataclass(frozen=True)
class Stage:
    """One build directory, what is built there, and which of its tests run: one ctest call for each selection."""

    title: str
    llvm: str
    sanitize: str = ""
    targets: tuple[str, ...] = ("all",)
    selections: tuple[tuple[str, ...], ...] = (NOT_LONG,)
    libcxx_libraries: str = LIBCXX_LIBRARIES
    modes: str = ""  # of the libraries; empty: all
    minutes: float = 30  # about how long it takes with nothing built, on two cores
    has_programs: bool = False  # the benchmarks, optimised at link time
    takes_tool: bool = False  # the program `perdure` of the main build, if that is there

    @property
    def build(self) -> Path:
        suffix = f"-{self.sanitize}" if self.sanitize else ""
        return Path("build") / f"llvm{self.llvm}{suffix}"

    @property
    def options(self) -> list[str]:
        """A sanitized build takes the plugin of the main build if there is one: the compiler is not sanitized. One that
        is about a compiler takes the program `perdure`, which only reads what was compiled."""
        options = [f"-DPERDURE_MODES={self.modes}" if self.modes else "-UPERDURE_MODES"]
        plugin = ROOT / "build" / f"llvm{self.llvm}" / "lib" / "libPerdure.so"
        tool = ROOT / "build" / f"llvm{DEFAULT_LLVM}" / "bin" / "perdure"
        options += [f"-DPERDURE_TOOL={tool}" if self.takes_tool and tool.exists() else "-UPERDURE_TOOL"]
        if self.sanitize and plugin.exists():
            options += [f"-DPERDURE_PLUGIN={plugin}", "-DPERDURE_LIBCXX=OFF"]
        return options


@dataclass
class Count:
    passed: int = 0
    skipped: int = 0
    failed: list[str] = field(default_factory=list)


def cross_section(llvm: str) -> Stage:
    return Stage(f"tests, LLVM {llvm}", llvm, selections=(NOT_THOROUGH,), libcxx_libraries="none",
                 minutes=21)


def everything(llvm: str) -> Stage:
    return Stage(f"all tests, LLVM {llvm}", llvm, minutes=22)


def compiler_only(llvm: str) -> Stage:
    """The plugin's own tests, and some that run what it compiles, with the libraries that those need."""
    selections = (("-R", "^plugin_", *NOT_LONG), ("-L", "^compiler$", "-E", "^plugin_", *NOT_LONG))
    targets = ("perdure_plugin", "tests_compiler")
    return Stage(f"plugin, LLVM {llvm}", llvm, "", targets, selections, modes="ip,fast", minutes=4,
                 takes_tool=True)


def sanitized(llvm: str, sanitizer: str, modes: str = "", left_out: tuple[str, ...] = NOT_LONG) -> Stage:
    """The tests with threads in them."""
    selections = (("-L", "^concurrency$", *left_out),)
    return Stage(f"concurrency, {sanitizer} sanitizer", llvm, sanitizer, ("tests_concurrency",), selections,
                 modes=modes, minutes=3 if modes else 6)


def long_tests(llvm: str, sanitizer: str) -> Stage:
    targets = ("all", "benchmark_programs", "tests_long")
    return Stage("long tests", llvm, sanitizer, targets, (("-L", "^long$"),), libcxx_libraries="", minutes=24 * 60,
                 has_programs=True)


def stages_for(arguments: argparse.Namespace) -> list[Stage]:
    llvm, sanitizer = arguments.llvm, arguments.sanitize
    if arguments.long:
        return [long_tests(llvm, sanitizer)]
    if sanitizer:
        return [sanitized(llvm, sanitizer)]
    if llvm != DEFAULT_LLVM or not arguments.all:
        return [cross_section(llvm)]
    in_part = (sanitized(llvm, *each, NOT_THOROUGH) for each in SANITIZERS.items())
    return [everything(llvm), compiler_only(OTHER_LLVM), *in_part]


def known_times() -> dict[str, float]:
    return json.loads(TIMES.read_text()) if TIMES.exists() else {}


def announce(stages: list[Stage], jobs: int, minutes: float) -> None:
    """What will be done, and how long that took here the last time, or else takes on a machine with so many cores."""
    known = known_times()
    expected = [known.get(stage.title, stage.minutes * 60 * CORES / max(jobs, 1)) for stage in stages]
    for stage, seconds in zip(stages, expected):
        how = "as the last time here" if stage.title in known else "estimated, with nothing built"
        how = f"for {minutes:.0f} min" if minutes else f"about {max(seconds / 60, 1):.0f} min, {how}"
        print(f"-- to do: {stage.title}, in {stage.build}: build and test, {how}")
    if not minutes:
        print(f"-- all of it: about {max(sum(expected) / 60, 1):.0f} min with {jobs} jobs", flush=True)


def remember(stage: Stage, seconds: float) -> None:
    TIMES.write_text(json.dumps({**known_times(), stage.title: round(seconds)}, indent=1))


def build(stage: Stage, jobs: int) -> bool:
    variables = {
        "BUILD": str(stage.build),
        "LLVM": stage.llvm,
        "SANITIZE": stage.sanitize,
        "JOBS": str(jobs),
        "TARGETS": " ".join(stage.targets),
        "LIBCXX_LIBRARIES": stage.libcxx_libraries,
        "PROGRAMS": "ON" if stage.has_programs else "OFF",
        "OPTIONS": shlex.join(stage.options),
    }
    # A make of its own: nothing of the caller's variables or job server reaches it but what is said here.
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    command = ["make", "--no-print-directory", "build", *(f"{key}={value}" for key, value in variables.items())]
    return subprocess.run(command, cwd=ROOT, env=environment).returncode == 0


def run_selection(stage: Stage, number: int, jobs: int) -> Count:
    report = (ROOT / stage.build / f"tests{number}.xml").resolve()
    report.unlink(missing_ok=True)
    at_once = jobs + 1  # some tests wait more than they compute
    subprocess.run(
        ["ctest", "--test-dir", str(stage.build), "--output-on-failure", "--parallel", str(at_once)]
        + ["--output-junit", str(report), *stage.selections[number]],
        cwd=ROOT,
    )
    return read_report(stage, number, report)


def read_report(stage: Stage, number: int, report: Path) -> Count:
    count = Count()
    cases = ElementTree.parse(report).getroot().findall("testcase") if report.exists() else []
    if not cases:
        count.failed.append(f"{stage.title}: no test matches {' '.join(stage.selections[number])}")
    for case in cases:
        status = case.get("status")
        if status == "run":
            count.passed += 1
        elif status in ("notrun", "disabled") and is_skipped(case):
            count.skipped += 1
        else:
            count.failed.append(f"{stage.title}: {case.get('name')}{end_of_output(case)}")
    return count


def is_skipped(case: ElementTree.Element) -> bool:
    """It says so itself: one whose program was not built looks the same otherwise."""
    skipped = case.find("skipped")
    return skipped is not None and "Unable to find executable" not in skipped.get("message", "")


def end_of_output(case: ElementTree.Element) -> str:
    """What is to be read of a failed test where only the end of all that was printed is kept."""
    lines = [line for line in (case.findtext("system-out") or "").splitlines() if not line.startswith("PASS: ")]
    return "".join(f"\n    {line}" for line in lines[-SHOWN_LINES:])


def names_of(stage: Stage, number: int) -> list[str]:
    command = ["ctest", "--test-dir", str(stage.build), "--show-only=json-v1", *stage.selections[number]]
    listed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    return [test["name"] for test in json.loads(listed)["tests"]]


def run_for(stage: Stage, jobs: int, minutes: float) -> Count:
    """Runs the stage's tests in an order drawn by lot, some at a time, again and again until the time is over; those
    that take seeds get another one in each round. What has begun is finished."""
    end = time.monotonic() + minutes * 60
    total = Count()
    test_round = 0
    while time.monotonic() < end:
        test_round += 1
        os.environ["TEST_ROUND"] = str(test_round)
        names = names_of(stage, 0)
        random.Random(test_round).shuffle(names)
        for begin in range(0, len(names), 2 * jobs):
            if time.monotonic() >= end:
                break
            chosen = "^(" + "|".join(names[begin : begin + 2 * jobs]) + ")$"
            add(total, run_selection(replace(stage, selections=(("-R", chosen),)), 0, jobs))
    return total


def run_stage(stage: Stage, jobs: int, minutes: float) -> Count:
    print(f"-- {stage.title}: building in {stage.build}", flush=True)
    if not build(stage, jobs):
        return Count(failed=[f"{stage.title}: does not build"])
    print(f"-- {stage.title}: testing", flush=True)
    if minutes:
        return run_for(stage, jobs, minutes)
    total = Count()
    for number in range(len(stage.selections)):
        add(total, run_selection(stage, number, jobs))
    return total


def add(total: Count, more: Count) -> None:
    total.passed += more.passed
    total.skipped += more.skipped
    total.failed += more.failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--llvm", default=DEFAULT_LLVM)
    parser.add_argument("--sanitize", default="", choices=["", *SANITIZERS])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--all", action="store_true", help="also libc++, thorough tests, the other LLVM, sanitizers")
    parser.add_argument("--long", action="store_true", help="the tests labelled long, and no others")
    parser.add_argument("--minutes", type=float, default=0, help="go on for so long; 0: run all once")
    arguments = parser.parse_args()

    begin = time.monotonic()
    total = Count()
    stages = stages_for(arguments)
    announce(stages, arguments.jobs, arguments.minutes)
    for number, stage in enumerate(stages, start=1):
        begin_of_stage = time.monotonic()
        found = run_stage(stage, arguments.jobs, arguments.minutes)
        add(total, found)
        seconds = time.monotonic() - begin_of_stage
        print(f"-- {stage.title} ({number} of {len(stages)}): {found.passed} passed, {len(found.failed)} failed "
              f"after {seconds / 60:.0f} min", flush=True)
        if not found.failed and not arguments.minutes:
            remember(stage, seconds)

    print(f"-- {(time.monotonic() - begin) / 60:.0f} min" + (f", {total.skipped} skipped" if total.skipped else ""))
    for name in total.failed:
        print(f"failed: {name}")
    print(f"{total.passed} passed, {len(total.failed)} failed", flush=True)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
