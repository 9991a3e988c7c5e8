"""Counts the portable blocks (docs/abi.md) of what the build compiles with the plugin: portable_blocks.py [--build DIR]
[folder…] compiles each source once more, keeps its report only, and prints a table, a line for each folder.

`--obstacles` lists the other blocks, each with the reason why only its own thread can run it.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("benchmarks", "examples", "stores", "tests")


@dataclass(frozen=True)
class Compilation:
    source: Path
    folder: Path
    command: tuple[str, ...]


def compilations_in(build: Path, folders: list[Path]) -> list[Compilation]:
    """Of each source one, however many programs have it."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = Path(entry["file"])
        command = tuple(shlex.split(entry["command"]))
        has_plugin = any(word.startswith("-fplugin=") for word in command)
        if has_plugin and any(source.is_relative_to(folder) for folder in folders):
            found[source] = Compilation(source, Path(entry["directory"]), command)
    return sorted(found.values(), key=lambda compilation: compilation.source)


def blocks_of(compilation: Compilation) -> list[dict[str, Any]]:
    with tempfile.NamedTemporaryFile(prefix="perdure_blocks_", suffix=".json") as report:
        # Not left to the linker, which would report.
        words = [word for word in compilation.command if not word.startswith(("-flto", "-ffat-lto"))]
        words[words.index("-o") + 1] = "/dev/null"
        words += ["-fplugin-arg-perdure-portable", f"-fplugin-arg-perdure-report={report.name}"]
        done = subprocess.run(words, cwd=compilation.folder, text=True, capture_output=True)
        if done.returncode != 0:
            raise SystemExit(f"{compilation.source}: exit status {done.returncode}\n{done.stderr}")
        blocks: list[dict[str, Any]] = json.loads(Path(report.name).read_text())["blocks"]
    return blocks


def table_of(blocks: dict[str, list[dict[str, Any]]]) -> str:
    lines = ["| program | blocks | portable | others |", "| --- | ---: | ---: | --- |"]
    for name, of_program in blocks.items():
        kinds = Counter(block["obstacle"]["kind"] for block in of_program if not block["portable"])
        others = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        lines.append(f"| {name} | {len(of_program)} | {len(of_program) - kinds.total()} | {others} |")
    return "\n".join(lines)


def obstacles_in(blocks: dict[str, list[dict[str, Any]]]) -> str:
    return "\n".join(f"{block['place']}: {block['obstacle']['what']} ({block['obstacle']['place']})"
                     for of_program in blocks.values() for block in of_program if not block["portable"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=[ROOT / folder for folder in FOLDERS])
    parser.add_argument("--build", type=Path, default=ROOT / "build/llvm19")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--obstacles", action="store_true")
    arguments = parser.parse_args()
    compilations = compilations_in(arguments.build, [folder.resolve() for folder in arguments.folders])
    with ThreadPoolExecutor(arguments.jobs) as pool:
        reports = list(pool.map(blocks_of, compilations))
    blocks: dict[str, list[dict[str, Any]]] = {}
    for compilation, report in zip(compilations, reports):
        blocks.setdefault(str(compilation.source.parent.relative_to(ROOT)), []).extend(report)
    print(table_of(blocks))
    if arguments.obstacles:
        print(obstacles_in(blocks))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
