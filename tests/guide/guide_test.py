"""Does what docs/guide.md tells its reader to do, and compares what is printed.

A listing is a block of code whose fence names a file. A session is a block marked `console`: commands after `$ `, each
followed by what it prints, where an ellipsis stands for anything.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ANYTHING = "…"
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def matches(expected: str, printed: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in expected.strip().split(ANYTHING))
    return re.fullmatch(pattern, printed.strip(), re.DOTALL) is not None


def session(text: str) -> list[tuple[str, str]]:
    """The commands of a block, each with what it should print."""
    commands = [part.partition("\n") for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]]
    return [(command, expected) for command, _, expected in commands]


def follow(guide: str, folder: Path, environment: dict[str, str]) -> list[str]:
    """Writes the listings and runs the commands, in the order of the text; returns what went wrong."""
    commands = 0
    for kind, name, text in BLOCK.findall(guide):
        if name:
            (folder / name).write_text(text)
        for command, expected in session(text) if kind == "console" else []:
            commands += 1
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != 0 or not matches(expected, done.stdout):
                return [f"$ {command}\nexit status {done.returncode}; printed:\n{done.stdout}\nexpected:\n{expected}"]
    return [] if commands else ["the guide has no commands"]


def main() -> int:
    guide, programs = Path(sys.argv[1]), Path(sys.argv[2])
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory(prefix="perdure_guide_", dir="/dev/shm") as folder:
        faults = follow(guide.read_text(), Path(folder), environment)
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
