"""Makes docs/c-library.md of libs/abi/c_library.def: which functions of C transactions may call, why not the others.

--check       fails if the file is not up to date
--headers CC  fails if a function of an installed header is not in the table; CC is a C compiler
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
TABLE = REPOSITORY / "libs/abi/c_library.def"
DOCUMENT = REPOSITORY / "docs/c-library.md"

SUFFIXES = {"REAL_AS_IS": ["", "f", "l"], "BITS_AS_IS": ["uc", "us", "ui", "ul", "ull"]}
# Headers of C23 and POSIX that declare functions under no name of their own, or only macros and types.
WITHOUT_FUNCTIONS = ["cpio", "errno", "float", "iso646", "limits", "netinet/in", "netinet/tcp", "stdalign", "stdarg",
                     "stdbool", "stddef", "stdint", "stdnoreturn", "sys/types", "sys/un", "tar", "tgmath"]

HEAD = """# The C library in transactions

Made by `scripts/c_library.py` from `libs/abi/c_library.def`, which the plugin knows. It covers C23, POSIX (2017 and
2024), and names of GNU and BSD that are in use, also where C++ headers call them (`std::strchr`, `<cmath>`,
`<chrono>`). A call of what is refused is an error when the file is compiled, with the reason.

- What functions read and write is isolated, and undone by an abort. To format, scan, collate or convert, the C library
  is called on private copies.
- What allocates (`strdup`) does so in the pool.
- Functions that take a function (`qsort`, `bsearch`, `tsearch`, `twalk`) call it as the transaction calls any
  function through a pointer. Trees and tables (`tsearch`, `hsearch_r`) are those of glibc.
- `errno`, the floating-point environment and the states of `rand`, `random` and `drand48` belong to the thread or the
  process: an abort does not bring them back. A clock shows the time of the attempt that commits.
- `gmtime`, `localtime`, `asctime`, `ctime`, `ecvt`, `fcvt`, `l64a` and `inet_ntoa` have a result of their own for each
  thread, in transactions. So has `strtok` its place, which an abort brings back.
- Expressions (`regcomp`) lie on the heap of the C library, so not in pools.
- With `_FORTIFY_SOURCE` overflows end the program as outside.

A name with a type suffix (`sinf`, `sinl`, `stdc_count_ones_ui`) counts as the name without it. Headers that have only
types and macros are left out.

## Why functions are refused

An abort cannot undo these. Unless the table says otherwise, do it before or after the transaction. Nothing of the
headers in the last column may be called.

| reason | in full | headers |
| --- | --- | --- |
"""

BETWEEN = """
## What may be called

"""
TABLE_OF_PARTS = """

Of these headers a part:

| header | supported | refused |
| --- | --- | --- |
"""
USUAL_CAUSE = ", which an abort cannot undo"
USUAL_REMEDY = ": do it before or after the transaction"

@dataclass
class Header:
    supported: list[str] = field(default_factory=list)
    every: set[str] = field(default_factory=set)
    refused: dict[str, list[str]] = field(default_factory=dict)

def rows(text: str) -> list[tuple[str, str, list[str]]]:
    """(kind, reason or nothing, names), in the order of the table."""
    found: list[tuple[int, str, str, list[str]]] = []
    for match in re.finditer(r'PERDURE_C_(\w+)\(\s*(?:(\w+),\s*)?(\w+|"[^"]*"(?:\s*"[^"]*")*)\)', text):
        kind, reason, value = match.groups()
        if value.startswith('"'):
            joined = "".join(re.findall(r'"([^"]*)"', value))
            names = [joined] if kind in ("HEADER", "REASON") else joined.split()
        else:
            names = [value]
        found.append((match.start(), kind, reason or "", names))
    return [(kind, reason, names) for _, kind, reason, names in found]

def read_table() -> tuple[dict[str, Header], dict[str, str]]:
    text = re.sub(r"^(//|#).*$", "", TABLE.read_text(), flags=re.MULTILINE)
    headers: dict[str, Header] = {}
    reasons: dict[str, str] = {}
    current = Header()
    for kind, reason, names in rows(text):
        if kind == "HEADER":
            current = headers.setdefault(names[0], Header())
        elif kind == "REASON":
            reasons[reason] = names[0]
        elif kind == "REFUSED":
            current.refused.setdefault(reason, []).extend(names)
            current.every.update(names)
        else:
            current.supported.extend(names)
            current.every.update(name + suffix for name in names for suffix in SUFFIXES.get(kind, [""]))
    return headers, reasons

def short(names: list[str]) -> list[str]:
    """Without what differs in a suffix for the type, or for a locale, of another name."""
    known = set(names)

    def is_variant(name: str) -> bool:
        plain = name.removesuffix("_r") if name.startswith("lgamma") else name
        return any(plain.endswith(suffix) and plain[: -len(suffix)] in known for suffix in ("f", "l", "_l")) and \
            name not in ("labs", "ldiv", "ffsl")

    return [name.rstrip("_") for name in sorted(names) if not is_variant(name)]

def listed(names: list[str]) -> str:
    return f"`{' '.join(names)}`" if names else ""

def title_of(name: str) -> str:
    return f"<{name}>" if name.endswith(".h") else name

def all_of(headers: dict[str, Header], reason: str | None) -> list[str]:
    """The headers that are refused for one reason only, or, without a reason, those that are supported altogether."""
    wanted = [reason] if reason else []
    return [title_of(name) for name, header in headers.items()
            if name.endswith(".h") and list(header.refused) == wanted and not (reason and header.supported)]

def reason_rows(headers: dict[str, Header], reasons: dict[str, str]) -> list[str]:
    brief = {reason: text.removesuffix(USUAL_REMEDY).replace(USUAL_CAUSE, "") for reason, text in reasons.items()}
    return [f"| *{reason}* | {text} | {listed(all_of(headers, reason))} |\n" for reason, text in brief.items()]

def row(name: str, header: Header) -> str:
    """A header in part supported: whichever is shorter, what may be called or what may not."""
    supported = short(header.supported)
    refused_count = sum(len(names) for names in header.refused.values())
    with_reasons = "; ".join(f"*{reason}* {listed(names)}" for reason, names in header.refused.items())
    if not name.endswith(".h"):
        return f"| {name} | {listed(supported)} | the rest: *{', '.join(header.refused)}* |\n"
    if len(supported) < refused_count:
        return f"| `{title_of(name)}` | {listed(supported)} | the rest: *{', '.join(header.refused)}* |\n"
    return f"| `{title_of(name)}` | the rest | {with_reasons} |\n"

def document(headers: dict[str, Header], reasons: dict[str, str]) -> str:
    whole = all_of(headers, None)
    described = {"", *whole, *(name for reason in reasons for name in all_of(headers, reason))}
    mixed = [row(name, header) for name, header in headers.items() if title_of(name) not in described]
    supported = textwrap.fill(f"All of: {listed(whole)}.", 120, break_on_hyphens=False)
    return "".join([HEAD, *reason_rows(headers, reasons), BETWEEN, supported, TABLE_OF_PARTS, *mixed])

def declared(compiler: str, header: str) -> set[str] | None:
    """The functions that a header declares itself or by what it includes; nothing if it is not installed."""
    command = [compiler, "-x", "c", "-std=gnu2x", "-D_XOPEN_SOURCE=800", "-D_POSIX_C_SOURCE=202405L", "-Xclang",
               "-ast-dump=json", "-fsyntax-only", "-"]
    done = subprocess.run(command, input=f"#include <{header}>\n", text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    if done.returncode != 0:
        return None
    tree = json.loads(done.stdout)
    return {node["name"] for node in tree["inner"] if node["kind"] == "FunctionDecl"}

def missing(compiler: str, headers: dict[str, Header]) -> list[str]:
    known = set().union(*(header.every for header in headers.values()))
    names = [name for name in headers if name.endswith(".h")] + [f"{name}.h" for name in WITHOUT_FUNCTIONS]
    with ThreadPoolExecutor(2) as pool:
        found = dict(zip(names, pool.map(lambda name: declared(compiler, name), names)))
    installed = {name: functions for name, functions in found.items() if functions is not None}
    if len(installed) < len(names) - 10:
        return [f"only {len(installed)} of {len(names)} headers could be read"]
    faults = {name: header for header, functions in installed.items() for name in functions
              if not name.startswith("_") and name not in known}
    return [f"{TABLE.name} lacks '{name}' (<{header}>)" for name, header in sorted(faults.items())]

def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--headers", metavar="CC")
    arguments = parser.parse_args()
    headers, reasons = read_table()
    if arguments.headers:
        faults = missing(arguments.headers, headers)
        print(*faults, sep="\n")
        return 1 if faults else 0
    text = document(headers, reasons)
    if not arguments.check:
        DOCUMENT.write_text(text)
    elif DOCUMENT.read_text() != text:
        print(f"{DOCUMENT} is not what {TABLE.name} says: run scripts/c_library.py")
        return 1
    return 0

if __name__ == "__main__":
    sys.exit(main())
