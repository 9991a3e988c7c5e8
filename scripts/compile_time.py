"""Measures what the plugin costs when compiling: a generated file without transactions, and TPC-C.

Each is compiled with and without the plugin in turn, so that what else the machine does meets both alike. Counted is
the processor time of the compiler; or, with --instructions, how many instructions it executes, which nothing else
changes: valgrind counts them, which takes far longer. The report goes to compile-time.txt, every compilation to
compile-time.csv.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median

import command_line
import results

ROOT = Path(__file__).resolve().parent.parent
GENERATED_LINES = 10_000

# One of many alike in the generated file: a class over standard containers, loops, and calls of the one before.
UNIT = """
namespace unit_{n} {{
class Account {{
 public:
  explicit Account(long balance) : balance_(balance) {{}}
  virtual ~Account() = default;
  virtual long interest(int years) const {{ return balance_ * years / {divisor}; }}
  void book(const std::string& text, long amount) {{
    balance_ += amount;
    history_.push_back(amount);
    texts_[text] += amount;
    if (history_.size() > {limit}) history_.erase(history_.begin(), history_.begin() + 10);
  }}
  long balance() const {{ return balance_; }}
  double average() const {{
    double sum = 0;
    for (const long amount : history_) sum += static_cast<double>(amount) * {n}.5;
    return history_.empty() ? 0.0 : sum / static_cast<double>(history_.size());
  }}

 private:
  long balance_ = 0;
  std::vector<long> history_;
  std::map<std::string, long> texts_;
}};

struct Matrix {{
  double values[{size}][{size}];
}};

Matrix product(const Matrix& left, const Matrix& right) {{
  Matrix result{{}};
  for (int i = 0; i < {size}; ++i)
    for (int j = 0; j < {size}; ++j)
      for (int k = 0; k < {size}; ++k) result.values[i][j] += left.values[i][k] * right.values[k][j];
  return result;
}}

unsigned long checksum(const unsigned char* bytes, unsigned long size) {{
  unsigned long sum = {n};
  for (unsigned long i = 0; i < size; ++i) {{
    sum = sum * 31 + bytes[i];
    if (sum % {divisor} == 0) sum ^= sum >> 7;
  }}
  return sum;
}}

long work(long seed) {{
  Account account(seed);
  for (int i = 0; i < {limit}; ++i) account.book("entry " + std::to_string(i % 7), seed * i % {divisor});
  Matrix matrix{{{{{{1.0, 2.0}}, {{3.0, 4.0}}}}}};
  matrix = product(matrix, matrix);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&matrix);
  return account.interest(3) + static_cast<long>(checksum(bytes, sizeof(matrix)) % 1000) + {previous};
}}
}}  // namespace unit_{n}
"""


def generated_source() -> str:
    text = ["#include <map>", "#include <string>", "#include <vector>"]
    lines, n = len(text), 0
    while lines < GENERATED_LINES:
        previous = f"unit_{n - 1}::work(seed + 1)" if n > 0 else "0"
        text.append(UNIT.format(n=n, divisor=7 + n % 91, limit=20 + n % 60, size=2 + n % 5, previous=previous))
        lines += text[-1].count("\n")
        n += 1
    return "\n".join([*text, f"int main(int argc, char**) {{ return static_cast<int>(unit_{n - 1}::work(argc)); }}\n"])


@dataclass(frozen=True)
class Subject:
    """A file to compile, the flags of its command, and by how much the plugin may prolong that."""

    name: str
    source: Path
    flags: tuple[str, ...]
    limit: float

    def command(self, compiler: str, plugin: Path | None) -> list[str]:
        # The macro is what the plugin defines: without it, a transaction is an error.
        chosen = [f"-fplugin={plugin}"] if plugin else ["-D__PERDURE__", "-Wno-unknown-attributes"]
        return [compiler, *self.flags, *chosen, "-c", str(self.source), "-o", os.devnull]


def subjects_in(folder: Path) -> list[Subject]:
    generated = folder / "generated.cc"
    generated.write_text(generated_source())
    tpcc = ROOT / "benchmarks" / "tpcc" / "main.cc"
    includes = (f"-I{ROOT / 'include'}", f"-I{ROOT / 'benchmarks'}")
    return [
        *(Subject(f"no transactions, {level}", generated, ("-std=c++20", level), 0.02) for level in ("-O0", "-O2")),
        *(Subject(f"TPC-C, {level}", tpcc, ("-std=c++20", level, *includes), 0.25) for level in ("-O0", "-O2")),
    ]


def processor_seconds(command: list[str]) -> float:
    """Runs a command. It must succeed."""
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def instructions(command: list[str]) -> float:
    """Thousand millions of them. The command must succeed."""
    counting = ["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={os.devnull}", *command]
    done = subprocess.run(counting, text=True, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(counting)}: exit status {done.returncode}\n{done.stderr}")
    return int(re.search(r"I +refs: +([\d,]+)", done.stderr)[1].replace(",", "")) / 1e9


def without_debug_information(plugin: Path, folder: Path) -> Path:
    """A copy that valgrind can load: it does not read what compilers write today."""
    copy = folder / plugin.name
    subprocess.run(["strip", "--strip-debug", "-o", str(copy), str(plugin)], check=True)
    return copy


@dataclass(frozen=True)
class Measure:
    name: str
    unit: str
    of: Callable[[list[str]], float]


PROCESSOR_TIME = Measure("processor time", "s", processor_seconds)
INSTRUCTIONS = Measure("instructions", "thousand millions", instructions)


@dataclass(frozen=True)
class Measured:
    subject: Subject
    without: list[float]
    with_plugin: list[float]

    @property
    def prolongation(self) -> float:
        """The median over the rounds: the two of a round ran close together."""
        return median(b / a for a, b in zip(self.without, self.with_plugin)) - 1

    @property
    def is_within_limit(self) -> bool:
        return self.prolongation <= self.subject.limit

    def line(self) -> str:
        return (f"{self.subject.name:<24} {median(self.without):>9.2f} {median(self.with_plugin):>9.2f} "
                f"{self.prolongation:>+8.1%} {self.subject.limit:>7.0%}  {'yes' if self.is_within_limit else 'NO'}")


def measure(subjects: list[Subject], arguments: argparse.Namespace, plugin: Path) -> list[Measured]:
    started = datetime.now().isoformat(timespec="seconds")
    counted = INSTRUCTIONS if arguments.instructions else PROCESSOR_TIME
    measured = [Measured(subject, [], []) for subject in subjects]
    for each in measured if counted is PROCESSOR_TIME else []:  # brings everything into the page cache
        processor_seconds(each.subject.command(arguments.compiler, plugin))
    for number in range(arguments.rounds):
        for each in measured:
            # Who comes first changes from round to round.
            for with_plugin in (False, True) if number % 2 == 0 else (True, False):
                amount = counted.of(each.subject.command(arguments.compiler, plugin if with_plugin else None))
                (each.with_plugin if with_plugin else each.without).append(amount)
                results.append(arguments.results / "compile-time.csv",
                               {"campaign": started, "file": each.subject.name, "round": str(number),
                                "plugin": str(int(with_plugin)), "measure": counted.name, "amount": f"{amount:.4f}"})
            print(f"[{number + 1}/{arguments.rounds}] {each.subject.name}: {each.without[-1]:.2f} without, "
                  f"{each.with_plugin[-1]:.2f} with the plugin ({counted.unit})", flush=True)
    return measured


def report(measured: list[Measured], arguments: argparse.Namespace) -> str:
    counted = INSTRUCTIONS if arguments.instructions else PROCESSOR_TIME
    heading = f"{'file':<24} {'without':>9} {'with':>9} {'plugin':>8} {'limit':>7}  within"
    explanation = f"The compiler's {counted.name} ({counted.unit}), medians of {arguments.rounds} interleaved rounds."
    return "\n".join([explanation, heading, *(each.line() for each in measured), ""])


def read_arguments() -> argparse.Namespace:
    parser = command_line.parser(__doc__)
    parser.add_argument("--compiler", default="clang++-19")
    parser.add_argument("--only", default="", help="the files in whose name this is")
    parser.add_argument("--instructions", action="store_true", help="count instructions, not time")
    parser.add_argument("--rounds", type=int, help="how often each file is compiled in each way (11; instructions: 1)")
    arguments = parser.parse_args()
    arguments.rounds = arguments.rounds or (1 if arguments.instructions else 11)
    return arguments


def main() -> int:
    arguments = read_arguments()
    plugin = (arguments.build / "lib" / "libPerdure.so").resolve()
    if not plugin.exists():
        raise SystemExit(f"not built: {plugin}. Run `make build`, or name the build directory with --build.")
    arguments.results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="perdure_compile_time_") as folder:
        subjects = [subject for subject in subjects_in(Path(folder)) if arguments.only in subject.name]
        if arguments.instructions:
            plugin = without_debug_information(plugin, Path(folder))
        measured = measure(subjects, arguments, plugin)
    text = report(measured, arguments)
    written = arguments.results / "compile-time.txt"
    written.write_text(text)
    print(f"\n{text}\nwritten: {written}, {written.with_suffix('.csv')}")
    return 0 if all(each.is_within_limit for each in measured) else 1


if __name__ == "__main__":
    sys.exit(main())
