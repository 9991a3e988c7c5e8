"""Rules for what people read: documents, READMEs of folders, comments of public headers, and the files they name."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from cpp_functions import TOKEN

if TYPE_CHECKING:
    from tidy import File, Finding

MAX_PARAGRAPH_WORDS = 90
MAX_CELL_WORDS = 40  # of a table: what is longer is a paragraph
MAX_DOCUMENTATION_WORDS = 20_000
DOCUMENTS_ABOVE = {PurePosixPath("README.md"), PurePosixPath("CONTRIBUTING.md")}  # counted with docs/
MAX_FOLDER_README_LINES = 40
MAX_DOCUMENT_LINES = {PurePosixPath("docs/architecture.md"): 150}
MIN_COMMENT_SHARE = 40  # percent of the lines of a public header

CHAIN = re.compile(r"\b(of which|that is what|which is what)\b", re.IGNORECASE)
LIST_ITEM = re.compile(r"\s*([-*+]|\d+\.)\s")
FILE_NAME = re.compile(r"(?<![\w/<.:$}*%-])[\w-]+(?:/[\w.-]+)*\.(?:h|cc|def|py|md|cmake)\b(?![/(*])")
BUILT = {"build", "results"}  # folders that are not part of the tree


def paragraphs(text: str) -> Iterator[Finding]:
    """Each paragraph of a document, item of a list or cell of a table, with the number of its first line."""
    in_code = False
    begin, lines = 0, []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        fence = line.lstrip().startswith("```")
        row = line.startswith("|") and not in_code
        if lines and (fence or row or not line.strip() or line.startswith("#") or LIST_ITEM.match(line)):
            yield begin, " ".join(lines)
            lines = []
        if row:
            yield from ((number, "|" + cell) for cell in line.strip("|").split("|"))
        elif line.strip() and not fence and not in_code and not line.startswith("#"):
            begin = begin if lines else number
            lines.append(line)
        in_code ^= fence


def paragraph_length(file: File) -> Iterator[Finding]:
    """A paragraph of a document has at most MAX_PARAGRAPH_WORDS words, a cell of a table MAX_CELL_WORDS."""
    if file.path.suffix != ".md":
        return
    for number, text in paragraphs(file.text):
        kind, limit = ("cell", MAX_CELL_WORDS) if text.startswith("|") else ("paragraph", MAX_PARAGRAPH_WORDS)
        count = len(LIST_ITEM.sub("", text.lstrip("|"), count=1).split())
        if count > limit:
            yield number, f"a {kind} of {count} words, at most {limit}: split it, or say less"


def chained_sentence(file: File) -> Iterator[Finding]:
    """A sentence of a document has one idea: it is not continued by `of which` or `that is what`."""
    if file.path.suffix != ".md":
        return
    for number, text in paragraphs(file.text):
        if match := CHAIN.search(text):
            yield number, f"'{match[0]}' chains two sentences: say who does what, in two"


def document_length(file: File) -> Iterator[Finding]:
    """The README of a folder and the architecture are short."""
    is_folder_readme = file.path.name == "README.md" and len(file.path.parts) > 1
    limit = MAX_FOLDER_README_LINES if is_folder_readme else MAX_DOCUMENT_LINES.get(file.path)
    count = len(file.text.splitlines())
    if limit is not None and count > limit:
        yield limit + 1, f"{count} lines, at most {limit}: leave details to the reference in docs/"


def documentation_words(files: Iterable[File]) -> Iterator[tuple[PurePosixPath, int, str]]:
    """README.md, CONTRIBUTING.md and the documents in docs/ together have at most MAX_DOCUMENTATION_WORDS words, as
    `wc -w` counts."""
    documents = (file for file in files
                 if file.path in DOCUMENTS_ABOVE or file.top == "docs" and file.path.suffix == ".md")
    counts = {file.path: len(file.text.split()) for file in documents}
    total = sum(counts.values())
    if total > MAX_DOCUMENTATION_WORDS:
        longest = max(counts, key=lambda path: counts[path])
        each = ", ".join(f"{path.name} {count}" for path, count in sorted(counts.items()))
        yield longest, 1, (f"README.md, CONTRIBUTING.md and docs/ have {total} words, at most "
                           f"{MAX_DOCUMENTATION_WORDS}: shorten something ({each})")


def broken_wrap(file: File) -> Iterator[Finding]:
    """No comment has a line of one or two words between a full line and another: a tool has broken it. (Tests of
    the plugin are commands, not comments.)"""
    if file.path.suffix not in (".cc", ".h") or file.path.parts[:2] == ("plugin", "tests"):
        return
    lines = ["", *file.text.splitlines(), ""]
    for number in range(1, len(lines) - 1):
        before, line, after = (text.strip() for text in lines[number - 1 : number + 2])
        words = re.fullmatch(r"///? (\S+(?: \S+)?)(?<![.:])", line)
        if words and len(lines[number - 1]) > 100 and before.startswith("//") and re.match(r"///?\s+\S", after):
            yield number, f"the line ends after '{words[1]}': wrap the comment by hand"


def lines_of_interface(text: str) -> Iterator[str]:
    """The lines of a header that are not blank, not for the preprocessor, and not in a namespace `detail`."""
    is_detail = False
    for line in text.splitlines():
        is_detail |= line.startswith("namespace detail {")
        if line.strip() and not line.startswith("#") and not is_detail:
            yield line
        is_detail &= not line.startswith("}  // namespace detail")


def comment_share(file: File) -> Iterator[Finding]:
    """Of the lines of a public header's interface MIN_COMMENT_SHARE percent are or have comments."""
    if file.path.parent != PurePosixPath("include/perdure") or file.path.suffix != ".h":
        return
    lines = list(lines_of_interface(file.text))
    share = 100 * sum("//" in line for line in lines) // max(1, len(lines))
    if share < MIN_COMMENT_SHARE:
        yield 1, (f"{share} % of the lines are comments, at least {MIN_COMMENT_SHARE} %: say of each function its "
                  "parameters with units, its errors and its guarantees")


@functools.cache
def endings_of(root: Path, names: frozenset[str]) -> frozenset[str]:
    """Every file and folder of the tree by each ending of its path: a/b/c.h, b/c.h, c.h, and a/b, b."""
    paths = {path for name in names for path in (PurePosixPath(name), *PurePosixPath(name).parents)}
    return frozenset("/".join(path.parts[first:]) for path in paths for first in range(len(path.parts)))


def named_in_document(text: str) -> Iterator[Finding]:
    """What a document calls a file: a path in back quotes, or in such a text that is nothing else."""
    listings = set(re.findall(r"^```\w+ (\S+)$", text, re.MULTILINE))
    in_code = False
    for number, line in enumerate(text.splitlines(), start=1):
        in_code ^= line.lstrip().startswith("```")
        for quoted in [] if in_code else re.findall(r"`([^`\s]+)`", line):
            if re.fullmatch(r"[\w.*/-]+", quoted) and quoted not in listings:
                yield number, quoted


def named_in_comments(file: File) -> Iterator[Finding]:
    if file.path.suffix in (".cc", ".h"):
        comments = [(match.start(), match[0]) for match in TOKEN.finditer(file.text) if match["comment"]]
    else:
        comments = [(match.start(), match[0]) for match in re.finditer(r"(?m)(?:^|\s)#.*$", file.text)]
    for position, comment in comments:
        for match in FILE_NAME.finditer(comment):
            yield file.text.count("\n", 0, position + match.start()) + 1, match[0]


def missing_file(file: File) -> Iterator[Finding]:
    """The files and folders exist that documents and comments name."""
    if file.path.suffix == ".md" and file.path.name != "CHANGELOG.md":  # which speaks of what has been as well
        tops = {path.split("/")[0] for path in file.names if "/" in path}
        named = [(number, name.rstrip("/")) for number, name in named_in_document(file.text)
                 if name.split("/")[0] in tops - BUILT and "/" in name or FILE_NAME.fullmatch(name)]
    elif file.path.suffix in (".cc", ".h", ".py", ".cmake") or file.path.name == "CMakeLists.txt":
        named = list(named_in_comments(file))
    else:
        return
    known = endings_of(file.root, file.names)
    for number, name in named:
        if name not in known and not ("*" in name and any(fnmatch(path, name) for path in file.names)):
            yield number, f"{name}: there is no such file or folder; name what there is"
