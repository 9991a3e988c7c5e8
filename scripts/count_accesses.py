"""Counts the reads and writes that transactions of a benchmark execute by way of the library, with and without each
elision of the plugin: count_accesses.py [--build DIR] [--summary] [workload…] prints a table, accesses per transaction.

The workload is compiled once for each line, linked with a library as native code, and run twice with different numbers
of transactions; the difference leaves the population of its tables out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ELISIONS = ("own-frame", "constant", "invariant", "private-arguments", "private-local", "captured",
            "repeated-read")
KINDS = ("read", "write", "block")
RUNS = (2000, 4000)  # transactions


def entry_points() -> dict[str, str]:
    """The kind of each by its symbol."""
    suffixes = re.findall(r"^PERDURE_TYPE\((\w+),", (ROOT / "libs/abi/types.def").read_text(), re.MULTILINE)
    typed = {f"perdure_{kind}_{suffix}": kind for kind in ("read", "write") for suffix in suffixes}
    return typed | {f"perdure_{name}": "block" for name in ("read_bytes", "write_bytes", "memcpy", "memmove", "memset")}


def counter_source() -> str:
    """Wrappers (of the linker's --wrap) that count and go on to the library, whatever the arguments are."""
    lines = [".bss"] + [f".globl {kind}_count\n{kind}_count: .zero 8" for kind in KINDS] + [".text"]
    for symbol, kind in entry_points().items():
        lines.append(f".globl __wrap_{symbol}\n__wrap_{symbol}:\n  incq {kind}_count(%rip)\n  jmp __real_{symbol}")
    lines.append('.section .note.GNU-stack,"",@progbits')
    text = "\n".join(lines).replace("\n", "\\n").replace('"', '\\"')
    counts = "\n".join(f'extern "C" unsigned long {kind}_count;' for kind in KINDS)
    printed = " ".join(f'std::fprintf(stderr, "{kind} %lu\\n", {kind}_count);' for kind in KINDS)
    return f'#include <cstdio>\nasm("{text}");\n{counts}\n[[gnu::destructor]] static void print() {{ {printed} }}\n'


def run(command: list[object]) -> str:
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stderr}")
    return done.stderr


def build(workload: str, disabled: tuple[str, ...], arguments: argparse.Namespace, folder: Path) -> Path:
    compiler = [arguments.compiler, "-std=c++20", "-O3", "-DNDEBUG", f"-I{ROOT}/include", f"-I{ROOT}/benchmarks"]
    plugin = [f"-fplugin={arguments.build}/lib/libPerdure.so"]
    if disabled:
        plugin += ["-mllvm", f"-perdure-disable-elision={','.join(disabled)}"]
    objects = []
    for source in sorted((ROOT / "benchmarks" / workload).glob("*.cc")):
        objects.append(folder / f"{source.stem}.o")
        run([*compiler, *plugin, "-c", source, "-o", objects[-1]])
    (folder / "counter.cc").write_text(counter_source())
    wraps = [f"-Wl,--wrap={symbol}" for symbol in entry_points()]
    program = folder / workload
    run([*compiler, folder / "counter.cc", *objects, *wraps, f"-L{arguments.build}/lib", "-lperdure_benchmark",
         f"-lperdure_{arguments.library}", "-lpmem", "-pthread", "-o", program])
    return program


def counts_of(program: Path) -> dict[str, float]:
    """Accesses per transaction."""
    printed = (run([program, "--threads", 1, "--warmup", 0, "--transactions", number]) for number in RUNS)
    small, large = (dict(re.findall(r"^(\w+) (\d+)$", text, re.MULTILINE)) for text in printed)
    return {kind: (int(large[kind]) - int(small[kind])) / (RUNS[1] - RUNS[0]) for kind in KINDS}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", default=["tpcc"])
    parser.add_argument("--build", type=Path, default=ROOT / "build/llvm19")
    parser.add_argument("--compiler", default="clang++-19")
    parser.add_argument("--library", default="orec_lazy_ip")
    parser.add_argument("--summary", action="store_true", help="only with all elisions, and without any")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    singly = () if arguments.summary else tuple((elision,) for elision in ELISIONS)
    print("| program | without | reads | writes | blocks |\n| --- | --- | ---: | ---: | ---: |")
    for workload in arguments.workloads:
        for disabled in ((), *singly, ELISIONS):
            with tempfile.TemporaryDirectory(prefix="perdure_accesses_") as folder:
                counts = counts_of(build(workload, disabled, arguments, Path(folder)))
            name = "all of them" if len(disabled) > 1 else disabled[0] if disabled else "(all on)"
            print(f"| {workload} | {name} | {' | '.join(f'{counts[kind]:.1f}' for kind in KINDS)} |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
