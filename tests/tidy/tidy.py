"""Checks the rules of the source tree that no compiler checks: `tidy.py <root>` prints every violation.

Each rule is a function from a file of the tree to the violations in it; tidy_test.py proves that each can fail.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from cpp_functions import functions_of, without_comments_and_strings
from document_rules import (
    broken_wrap,
    chained_sentence,
    comment_share,
    document_length,
    documentation_words,
    missing_file,
    paragraph_length,
)

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 70
MAX_LINE_LENGTH = 120
LAYERS = [
    "abi", "persist", "htm", "sync", "sched", "stats", "pool", "disk", "alloc", "log", "recover", "relocate",
    "open", "tx", "entry", "c", "provided", "checked", "compaction", "simulate",
]
CPP = {".cc", ".h"}
BUILT = {".git", "build", "results", ".venv"}
SOURCES = CPP | {".py", ".sh", ".cmake"}


@dataclass(frozen=True)
class File:
    root: Path
    path: PurePosixPath  # relative to the root
    text: str
    names: frozenset[str] = frozenset()  # of all files of the tree

    @property
    def top(self) -> str:
        return self.path.parts[0]

    def lines(self) -> Iterator[tuple[int, str]]:
        return enumerate(self.text.splitlines(), start=1)


@dataclass(frozen=True)
class Violation:
    rule: str
    path: PurePosixPath
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message} [{self.rule}]"


Finding = tuple[int, str]  # line and message
Rule = Callable[[File], Iterator[Finding]]


def includes(file: File) -> Iterator[tuple[int, str]]:
    for number, line in file.lines():
        if match := re.match(r'\s*#\s*include\s*["<]([^">]+)[">]', line):
            yield number, match[1]


def upward_include(file: File) -> Iterator[Finding]:
    """A layer of libs/ includes its own headers and those of lower layers."""
    if file.top != "libs" or len(file.path.parts) < 3:
        return
    layer = file.path.parts[1]
    if layer not in LAYERS:
        yield 1, f"libs/{layer} is not in the list of layers; add it to LAYERS in tests/tidy/tidy.py at its height"
        return
    for number, name in includes(file):
        other = name.split("/")[0]
        above = other in LAYERS and "/" in name and LAYERS.index(other) > LAYERS.index(layer)
        if above or other in ("algorithms", "plugin", "benchmarks"):
            yield number, f"{layer} includes {name}, which is above it; order: {' < '.join(LAYERS)} < algorithms"


def foreign_include(file: File) -> Iterator[Finding]:
    """The plugin knows of the runtime only libs/abi; public headers, benchmarks, examples, stores none of libs/. Peers
    are libraries themselves, and so is what records transactions, and the runtime of the plugin's tests."""
    if file.path.parts[:2] in (("benchmarks", "peers"), ("benchmarks", "scale")):
        return
    allowed = {"plugin": {"abi"}, "include": set(), "benchmarks": set(), "examples": set(),
               "stores": set()}.get(file.top)
    if allowed is None:
        return
    if file.path.parts[:3] == ("plugin", "tests", "runtime"):
        allowed = allowed | {"entry"}
    for number, name in includes(file):
        other = name.split("/")[0]
        if "/" in name and other in {*LAYERS, "algorithms"} - allowed:
            yield number, f"{file.top}/ must not include {name}; allowed: {', '.join(allowed) or 'include/perdure'}"


def file_length(file: File) -> Iterator[Finding]:
    """Sources outside tests have at most MAX_FILE_LINES lines; flat lists (.def) may be longer."""
    count = len(file.text.splitlines())
    if file.path.suffix in SOURCES and "tests" not in file.path.parts and count > MAX_FILE_LINES:
        yield MAX_FILE_LINES + 1, f"{count} lines, at most {MAX_FILE_LINES}: split it by concept"


def line_length(file: File) -> Iterator[Finding]:
    """Scripts and documents have at most MAX_LINE_LENGTH characters a line (C++ is clang-format's business). A row of a
    table cannot be broken, nor a link."""
    if file.path.suffix not in (SOURCES - CPP) | {".md"}:
        return
    for number, line in file.lines():
        if file.path.suffix == ".md" and (line.startswith("|") or len(re.sub(r"\]\([^)]*\)", "", line).split()) < 2):
            continue
        if len(line) > MAX_LINE_LENGTH and "http" not in line:
            yield number, f"{len(line)} characters, at most {MAX_LINE_LENGTH}: break the line"


def function_length(file: File) -> Iterator[Finding]:
    """Functions have at most MAX_FUNCTION_LINES lines."""
    if file.path.suffix in CPP:
        spans = functions_of(file.text)
    elif file.path.suffix == ".py":
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
        spans = [(node.lineno, node.end_lineno) for node in ast.walk(ast.parse(file.text)) if isinstance(node, kinds)]
    else:
        return
    for begin, end in spans:
        if end - begin + 1 > MAX_FUNCTION_LINES:
            yield begin, f"a function of {end - begin + 1} lines, at most {MAX_FUNCTION_LINES}: split it"


def llvm_version(file: File) -> Iterator[Finding]:
    """Differences between LLVM versions live in one header."""
    if file.path.suffix not in CPP or file.path == PurePosixPath("plugin/common/llvm_compat.h"):
        return
    for number, line in file.lines():
        if "LLVM_VERSION_MAJOR" in line:
            yield number, "LLVM_VERSION_MAJOR outside plugin/common/llvm_compat.h: add a shim there, named for its aim"


FLUSH = re.compile(r"\b(_mm_(clwb|clflush(opt)?|[sml]fence|stream_\w+)|__builtin_ia32_\w*(clwb|clflush|fence|movnt)\w*"
                   r"|clwb|clflush(opt)?|sfence|pmem_(flush|drain|persist|mem\w+_(persist|nodrain)))\b")


def flush_outside_persist(file: File) -> Iterator[Finding]:
    """Everything durable goes through the persistence domain."""
    checked = file.top in ("libs", "algorithms", "include") and file.path.suffix in CPP
    if not checked or file.path.parts[:2] == ("libs", "persist"):
        return
    # Instructions may also hide in assembly strings; comments may name them.
    for number, line in enumerate(without_comments_and_strings(file.text, keep_strings=True).splitlines(), start=1):
        if match := FLUSH.search(line):
            yield number, f"{match[0]} outside libs/persist: use persistence::flush; it is counted and can crash"


MACHINE_PATH = re.compile(r"(?<![\w.}/:-])/(home|root|work|Users|mnt)/\w+")


def machine_path(file: File) -> Iterator[Finding]:
    """No path of somebody's machine."""
    for number, line in file.lines():
        if match := MACHINE_PATH.search(line):
            yield number, f"{match[0]}… exists on one machine only: use a relative path or an option"


LEFTOVER = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK|W" + r"IP)\b")


def leftover(file: File) -> Iterator[Finding]:
    """No marks of unfinished work."""
    for number, line in file.lines():
        if match := LEFTOVER.search(line):
            yield number, f"{match[0]}: finish it, or say in words what the limitation is"


def heading_anchors(text: str) -> set[str]:
    """Anchors as GitHub makes them: lower case, punctuation dropped, blanks to hyphens."""
    headings = re.findall(r"^#+\s+(.+?)\s*$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_link(file: File) -> Iterator[Finding]:
    """Links between documents lead to files, and their anchors to headings."""
    if file.path.suffix != ".md":
        return
    in_code = False
    for number, line in file.lines():
        in_code ^= line.lstrip().startswith("```")
        for link in [] if in_code else re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z]+:", link):
                continue
            target, _, anchor = link.partition("#")
            destination = (file.root / file.path).parent / target
            if target and not destination.exists():
                yield number, f"link to {link}: there is no such file"
            elif anchor and anchor not in heading_anchors(destination.read_text() if target else file.text):
                yield number, f"link to {link}: there is no such heading"


RULES: list[Rule] = [
    upward_include,
    foreign_include,
    file_length,
    line_length,
    function_length,
    llvm_version,
    flush_outside_persist,
    machine_path,
    leftover,
    broken_link,
    paragraph_length,
    chained_sentence,
    document_length,
    missing_file,
    comment_share,
    broken_wrap,
]

# Rules about all files together.
TreeRule = Callable[[list[File]], Iterator[tuple[PurePosixPath, int, str]]]
TREE_RULES: list[TreeRule] = [documentation_words]


def names_of(root: Path) -> Iterator[str]:
    """Files that belong to the project: for git tracked, or new and not ignored; without git all but those built."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if listed.returncode == 0:
        yield from filter(None, listed.stdout.split("\0"))
        return
    for path in root.rglob("*"):
        name = path.relative_to(root)
        if name.parts[0] not in BUILT and "__pycache__" not in name.parts:
            yield str(name)


def files_of(root: Path) -> Iterator[File]:
    """Every text file of the project."""
    names = frozenset(names_of(root))
    for name in sorted(names):
        path = root / name
        if not path.is_file():  # deleted, or a link to a folder
            continue
        try:
            yield File(root, PurePosixPath(name), path.read_text(), names)
        except UnicodeDecodeError:
            continue  # a picture


def check(root: Path) -> list[Violation]:
    files = list(files_of(root))
    of_files = [
        Violation(rule.__name__, file.path, line, message)
        for file in files
        for rule in RULES
        for line, message in rule(file)
    ]
    of_tree = [
        Violation(rule.__name__, path, line, message) for rule in TREE_RULES for path, line, message in rule(files)
    ]
    return of_files + of_tree


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    violations = check(root)
    for violation in violations:
        print(violation)
    print(f"tidy: {len(violations)} violations" if violations else "tidy: no violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
