"""Runs clang-format (check only), clang-tidy and the rules of tests/tidy over the sources.

Needs a configured build directory, for its compile_commands.json; nothing has to be compiled. With --recent clang-tidy
looks at what was changed last, since the branch left the main one or within some hours, and tells what it finds: how
far it gets depends on the machine, so only `make lint` as a whole fails by it.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS_VERSION = "19"
RECENT = 4 * 3600  # seconds before the newest commit
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git's name of it


def git_files(*command: str) -> list[str]:
    listed = subprocess.run(["git", *command], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [name for name in listed.splitlines() if (ROOT / name).is_file()]


def sources(since: str | None) -> list[str]:
    """The C++ files of the tree; with `since`, those that differ from that commit, new ones included."""
    patterns = ["*.cc", "*.h"]
    untracked = git_files("ls-files", "--others", "--exclude-standard", "--", *patterns)
    tracked = git_files(*(["diff", "--name-only", since, "--"] if since else ["ls-files", "--"]), *patterns)
    return sorted({*tracked, *untracked})


def git_says(*command: str) -> str:
    done = subprocess.run(["git", *command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def recent_base() -> str:
    """The commit since which changes are recent: where the branch left the main one, if it has; or else the last one
    that is older than some hours, as seen from the newest."""
    head = git_says("rev-parse", "HEAD")
    for branch in ("origin/HEAD", "origin/main", "main"):
        base = git_says("merge-base", "HEAD", branch)
        if base and base != head:
            return base
    newest = int(git_says("show", "--no-patch", "--format=%ct", "HEAD") or 0)
    return git_says("rev-list", "--max-count=1", f"--before={newest - RECENT}", "HEAD") or EMPTY_TREE


def latest_first(files: list[str], since: str) -> list[str]:
    """What is not committed yet, and then by the last commit that has changed it."""
    committed = git_says("log", "--format=", "--name-only", *([f"{since}..HEAD"] if since != EMPTY_TREE else ["HEAD"]))
    order = {name: place for place, name in reversed(list(enumerate(committed.splitlines())))}
    uncommitted = {*git_files("diff", "--name-only", "HEAD"), *git_files("ls-files", "--others", "--exclude-standard")}
    return sorted(files, key=lambda name: -1 if name in uncommitted else order.get(name, len(order)))


def with_companions(files: list[str]) -> list[str]:
    """Also the source beside a header, which it is looked at with."""
    paired = [each for name in files for each in (name, str(Path(name).with_suffix(".cc")))]
    return [name for name in dict.fromkeys(paired) if (ROOT / name).is_file()]


def format_errors(files: list[str]) -> int:
    if not files:
        return 0
    return subprocess.run([f"clang-format-{TOOLS_VERSION}", "--dry-run", "-Werror", *files], cwd=ROOT).returncode


def without_plugin(entry: dict[str, str]) -> dict[str, str]:
    """clang-tidy cannot load the plugin: the command without it, but with what it defines."""
    words = shlex.split(entry["command"])
    has_plugin = any(word.startswith("-fplugin=") for word in words)
    if "-include-pch" in words:  # nothing need be built: the header that it is made of is included in its place
        begin = words.index("-include-pch") - 1
        words[begin : begin + 4] = []
    kept = [word for word in words if not word.startswith("-fplugin") and word != "-ffat-lto-objects"]
    defined = ["-D__PERDURE__=1", "-Wno-unknown-attributes"] if has_plugin else []
    return {**entry, "command": shlex.join([kept[0], *defined, *kept[1:]])}


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


def tidy_errors(build: Path, files: list[str], jobs: int, minutes: float) -> int:
    """:param minutes: after which no further file is begun; 0: all of them."""
    entries = compile_commands(build, files)
    end = time.monotonic() + minutes * 60
    left_out: list[str] = []

    def look_at(entry: dict[str, str]) -> bool:
        if minutes and time.monotonic() > end:
            left_out.append(str(Path(entry["file"]).relative_to(ROOT)))
            return True
        return tidy_one(database, entry["file"])

    with tempfile.TemporaryDirectory(prefix="perdure_lint_") as database:
        (Path(database) / "compile_commands.json").write_text(json.dumps(entries))
        with ThreadPoolExecutor(jobs) as pool:
            results = list(pool.map(look_at, entries))
    if left_out:
        print(f"clang-tidy: {len(left_out)} of {len(entries)} files left out after {minutes:g} min (make lint looks at "
              f"all): {' '.join(left_out)}")
    return results.count(False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--since", help="clang-tidy: only files that differ from this commit")
    chosen.add_argument("--recent", action="store_true", help="clang-tidy: only what was changed last, newest first")
    parser.add_argument("--minutes", type=float, default=0, help="clang-tidy begins no file after; 0: no limit")
    arguments = parser.parse_args()

    # The inputs of the plugin's tests are laid out for what they test.
    files = [file for file in sources(None) if not file.startswith("plugin/tests/")]
    since = recent_base() if arguments.recent else arguments.since
    changed = set(sources(since)) if since else set(files)
    tidied = [file for file in files if file in changed]
    if since:
        tidied = with_companions(latest_first(tidied, since))
    print(f"lint: clang-format for {len(files)} files, the rules of tests/tidy, clang-tidy for {len(tidied)}"
          + (f" that differ from {since[:12]}" if since else "")
          + (f", for {arguments.minutes:g} min at most" if arguments.minutes else ""), flush=True)
    errors = {
        "clang-format": format_errors(files),
        "clang-tidy": tidy_errors(arguments.build, tidied, arguments.jobs, arguments.minutes),
        "tests/tidy": subprocess.run([sys.executable, "tests/tidy/tidy.py", "."], cwd=ROOT).returncode,
    }
    told = ["clang-tidy"] if arguments.recent and errors["clang-tidy"] else []
    failed = [tool for tool, count in errors.items() if count and tool not in told]
    if told:
        print(f"lint: clang-tidy has findings in {errors['clang-tidy']} files; with --recent they are told, no more")
    hint = " (make format repairs the layout)" if errors["clang-format"] else ""
    print(f"lint: {', '.join(failed)} found errors{hint}" if failed else f"lint: {len(files)} files are clean")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
