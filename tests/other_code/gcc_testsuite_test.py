"""Programs of GCC's own test suites, each run whole in a transaction: once rolled back at its end, then once more to
the end. Programs of C are those of gcc.c-torture/execute, programs of C++ those of libstdc++, and, for the language
itself, those of g++.dg and g++.old-deja. Draws some by lot (TEST_ROUND draws others); where apt has no package with
them the test is skipped.

A program counts if it passes when the compiler compiles it without the plugin. Then the plugin compiles it, too, or
says what cannot be in a transaction; and it passes again.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from debian_source import download

SKIPPED = 77
PACKAGE = "gcc-12-source"
SECONDS = 60
REFUSED = "in a transaction"  # part of each error of the plugin that says what cannot be there
REFUSED_CLONE = "but it has no transactional clone"  # the running program says it of calls through pointers

C_SOURCE = """#define main program_main
#define exit(status) _Exit(status)
extern void _Exit(int);
#include "{program}"
#undef main
#undef exit
{main}"""
C_MAIN = "int main(void) { return program_main(); }\n"
C_MAIN_WITH_TRANSACTIONS = """static int run(void* is_last) {
  const int result = program_main();
  return result != 0 ? 2 : !*(int*)is_last;
}
int main(void) {
  int is_last = 0;
  if (perdure_transaction(run, &is_last) != 1) return 1;
  is_last = 1;
  return perdure_transaction(run, &is_last);
}
"""

CXX_SOURCE = """#include <cstdlib>
#include <testsuite_hooks.h>
#undef VERIFY
#define VERIFY(condition) do {{ if (!(condition)) std::_Exit(2); }} while (false)
#define main program_main
#include "{program}"
#undef main
{main}"""
CXX_MAIN = "int main() { program_main(); }\n"
CXX_MAIN_WITH_TRANSACTIONS = """#include <perdure/perdure.h>
struct RollBack {};
int main() {
  try {
    TM_BEGIN { program_main(); throw RollBack(); } TM_END;
    return 1;
  } catch (const RollBack&) {}
  TM_BEGIN { program_main(); } TM_END;
}
"""


LANGUAGE_SOURCE = """#include <stdlib.h>
#define main program_main
#define exit(status) _Exit(status)
#include "{program}"
#undef main
{main}"""
# With the headers that those of the library include: some programs do not go with them.
LANGUAGE_MAIN = """#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>
int main() { return {call}; }
"""
LANGUAGE_MAIN_WITH_TRANSACTIONS = """#include <perdure/perdure.h>
struct RollBack {};
int main() {
  int result = 0;
  try {
    TM_BEGIN { result = {call}; throw RollBack(); } TM_END;
    return 1;
  } catch (const RollBack&) {}
  if (result != 0) return 2;
  TM_BEGIN { result = {call}; } TM_END;
  return result;
}
"""


@dataclass(frozen=True)
class Language:
    folders: tuple[str, ...]  # in the sources of GCC
    includes: tuple[str, ...]
    suffix: str
    compiler: str  # the wrapper
    plain_compiler: str
    header: str  # of the wrapper's, before the program, whose macros may be names of ours
    flags: tuple[str, ...]
    source: str
    main: str
    main_with_transactions: str
    left_out: tuple[str, ...]  # parts of names
    left_out_texts: tuple[str, ...]  # parts of programs
    needed_text: str = ""  # part of all others


LANGUAGES = {
    "c": Language(("gcc/testsuite/gcc.c-torture/execute",), (), ".c", "perdure-cc", "clang", "perdure/c.h",
                  ("-std=gnu89",), C_SOURCE, C_MAIN, C_MAIN_WITH_TRANSACTIONS, ("builtins/", "ieee/"),
                  ("dg-do compile",)),
    "cxx": Language(tuple(f"libstdc++-v3/testsuite/{folder}" for folder in (
        "20_util", "21_strings", "23_containers", "24_iterators", "25_algorithms", "26_numerics")),
                    ("libstdc++-v3/testsuite/util",), ".cc", "perdure-c++", "clang++", "cstdlib",
                    ("-std=gnu++20", "-fno-strict-return"), CXX_SOURCE, CXX_MAIN, CXX_MAIN_WITH_TRANSACTIONS,
                    ("/debug/", "_neg", "/thread/"), ("dg-do compile",)),
    # Not those that replace operators new and delete, start threads, or have code run when the program ends.
    "language": Language(("gcc/testsuite/g++.dg", "gcc/testsuite/g++.old-deja"), (), ".C", "perdure-c++", "clang++",
                         "stdlib.h", ("-std=gnu++20", "-fno-strict-return"), LANGUAGE_SOURCE, LANGUAGE_MAIN,
                         LANGUAGE_MAIN_WITH_TRANSACTIONS,
                         ("/asan/", "/tsan/", "/ubsan/", "/gomp/", "/tm/", "/plugin/", "/pch/", "/modules/", "/gcov/",
                          "/compat/", "/lto/", "/vect/", "/coroutines/"),
                         ("operator new", "operator delete", "pthread", "atexit", "_exit (", "ForcedUnwind"),
                         "dg-do run"),
}


class Suite:
    """What the package holds of one language."""

    def __init__(self, language: Language, folder: Path) -> None:
        self.language = language
        wanted = (*language.folders, *language.includes)
        archive = next(folder.glob("usr/src/gcc-12/gcc-12*.tar.xz"))
        if not (folder / "unpacked").exists():
            with tarfile.open(archive) as files:
                members = [member for member in files if any(f"/{part}/" in member.name for part in wanted)]
                files.extractall(folder / "unpacked", members)
        self.root = next((folder / "unpacked").iterdir())

    def programs(self) -> list[Path]:
        found = (path for part in self.language.folders
                 for path in sorted((self.root / part).rglob(f"*{self.language.suffix}")))
        return [path for path in found if not any(part in str(path) for part in self.language.left_out)
                and self.is_meant(path.read_text(errors="replace"))]

    def is_meant(self, text: str) -> bool:
        language = self.language
        return language.needed_text in text and not any(part in text for part in language.left_out_texts)

    def flags(self, program: Path) -> list[str]:
        includes = [self.root / include for include in self.language.includes]
        return [*self.language.flags, "-w", f"-I{program.parent}", *(f"-I{include}" for include in includes)]


@dataclass(frozen=True)
class Verdict:
    kind: str
    program: Path
    output: str = ""


def run(command: list[str], folder: str) -> tuple[int, str]:
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return 124, f"not done after {SECONDS} s"
    return done.returncode, done.stdout.decode(errors="replace")


def call_of_main(program: Path) -> str:
    """What main returns; 0 where it does not say, as C++ has it, but only for the name `main`."""
    text = program.read_text(errors="replace")
    return "program_main()" if "return" in text[text.rfind("main"):] else "(program_main(), 0)"


def judge(suite: Suite, program: Path, options: argparse.Namespace) -> Verdict:
    language = suite.language
    with tempfile.TemporaryDirectory(prefix="perdure_gcc_") as folder:
        def build(compiler: str, main: str, *more: str) -> tuple[int, str]:
            source = Path(folder, f"program{language.suffix}")
            code = main.replace("{call}", call_of_main(program))
            source.write_text(language.source.format(program=program, main=code))
            flags = [*suite.flags(program), *options.flags.split(), *more]
            return run([compiler, *flags, str(source), "-o", "program", "-lm"], folder)

        plain = options.plain_compiler.replace("clang++", language.plain_compiler)
        if build(plain, language.main)[0] != 0 or run(["./program"], folder)[0] != 0:
            return Verdict("left out", program)
        compiler = str(options.compilers / language.compiler)
        status, output = build(compiler, language.main_with_transactions, "-include", language.header)
        if status != 0:
            is_refused = REFUSED in output and "Stack dump" not in output
            return Verdict("refused" if is_refused else "not compiled", program, output)
        status, output = run(["./program"], folder)
        if status != 0 and REFUSED_CLONE in output:
            return Verdict("refused", program)
        return Verdict("passed", program) if status == 0 else Verdict("wrong", program, f"status {status}\n{output}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", choices=LANGUAGES)
    parser.add_argument("--compilers", type=Path, required=True, help="the folder of perdure-c++ and perdure-cc")
    parser.add_argument("--plain-compiler", required=True, help="the compiler that they call")
    parser.add_argument("--folder", type=Path, required=True, help="for the package")
    parser.add_argument("--programs", type=int, default=100, help="how many are drawn; 0: all")
    parser.add_argument("--flags", default="-O2", help="of the compiler")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    if not download(PACKAGE, options.folder):
        return SKIPPED
    suite = Suite(LANGUAGES[options.language], options.folder)
    programs = suite.programs()
    if options.programs:
        programs = random.Random(os.environ.get("TEST_ROUND", "0")).sample(programs, options.programs)
    with ThreadPoolExecutor(options.jobs) as pool:
        verdicts = list(pool.map(lambda program: judge(suite, program, options), programs))
    counts = Counter(verdict.kind for verdict in verdicts)
    print(dict(counts))
    for verdict in verdicts:
        if verdict.kind in ("not compiled", "wrong"):
            print(f"{verdict.kind}: {verdict.program}\n{verdict.output}")
    return 0 if counts["passed"] and not counts["wrong"] and not counts["not compiled"] else 1


if __name__ == "__main__":
    sys.exit(main())
