"""Runs clang-format (check only), clang-tidy and the rules of tests/tidy over the sources.

Needs a configured build directory, for its compile_commands.json; nothing has to be compiled.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS_VERSION = "19"


def git_files(*command: str) -> list[str]:
    listed = subprocess.run(["git", *command], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [name for name in listed.splitlines() if (ROOT / name).is_file()]


def sources(since: str | None) -> list[str]:
    """The C++ files of the tree; with `since`, those that differ from that commit, new ones included."""
    patterns = ["*.cc", "*.h"]
    untracked = git_files("ls-files", "--others", "--exclude-standard", "--", *patterns)
    tracked = git_files(*(["diff", "--name-only", since, "--"] if since else ["ls-files", "--"]), *patterns)
    return sorted({*tracked, *untracked})


def format_errors(files: list[str]) -> int:
    if not files:
        return 0
    return subprocess.run([f"clang-format-{TOOLS_VERSION}", "--dry-run", "-Werror", *files], cwd=ROOT).returncode


def without_plugin(entry: dict[str, str]) -> dict[str, str]:
    """clang-tidy cannot load the plugin: the command without it, but with what it defines."""
    command = re.sub(r"-fplugin=\S+", "-D__PERDURE__=1 -Wno-unknown-attributes", entry["command"])
    return {**entry, "command": command.replace("-ffat-lto-objects", "")}


def compile_commands(build: Path, files: list[str]) -> list[dict[str, str]]:
    """One entry for each source of `files` that the build compiles (the table's libraries share one source)."""
    entries = json.loads((ROOT / build / "compile_commands.json").read_text())
    ours = (entry for entry in entries if Path(entry["file"]).is_relative_to(ROOT))  # others: googletest's
    by_file = {str(Path(entry["file"]).relative_to(ROOT)): without_plugin(entry) for entry in ours}
    return [by_file[file] for file in files if file in by_file]


def tidy_one(database: str, file: str) -> bool:
    done = subprocess.run(
        [f"clang-tidy-{TOOLS_VERSION}", "--quiet", "-p", database, file],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    name = Path(file).relative_to(ROOT)
    print(f"clang-tidy: {name}" if done.returncode == 0 else f"clang-tidy: {name} fails\n{done.stdout}", flush=True)
    return done.returncode == 0


def tidy_errors(build: Path, files: list[str], jobs: int) -> int:
    entries = compile_commands(build, files)
    with tempfile.TemporaryDirectory(prefix="perdure_lint_") as database:
        (Path(database) / "compile_commands.json").write_text(json.dumps(entries))
        with ThreadPoolExecutor(jobs) as pool:
            results = list(pool.map(lambda entry: tidy_one(database, entry["file"]), entries))
    return results.count(False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--since", help="only files that differ from this commit")
    arguments = parser.parse_args()

    # The inputs of the plugin's tests are laid out for what they test.
    files = [file for file in sources(arguments.since) if not file.startswith("plugin/tests/")]
    errors = {
        "clang-format": format_errors(files),
        "clang-tidy": tidy_errors(arguments.build, files, arguments.jobs),
        "tests/tidy": subprocess.run([sys.executable, "tests/tidy/tidy.py", "."], cwd=ROOT).returncode,
    }
    failed = [tool for tool, count in errors.items() if count]
    hint = " (make format repairs the layout)" if errors["clang-format"] else ""
    print(f"lint: {', '.join(failed)} found errors{hint}" if failed else f"lint: {len(files)} files are clean")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
