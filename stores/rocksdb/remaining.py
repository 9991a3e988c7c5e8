"""Writes a definition for every function of rocksdb/c.h, weak, so that those written by hand take their place.

None is left to RocksDB's library: it would take our objects for its own. A function that only makes, changes or reads
settings does so (settings.h). Any other reports through `errptr` that it is not supported, or, having none, ends the
program with a message: there is nothing it could return that the program would not take for a success.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

# Types that are no settings, though there are functions that create them.
OBJECTS = {f"rocksdb_{name}_t" for name in (
    "iterator", "snapshot", "writebatch", "writebatch_wi", "comparator", "checkpoint", "column_family_handle")}
# Settings that may not be ignored: a program in memory would find files, and keys without their timestamps.
NOT_IGNORED = {"rocksdb_create_mem_env", "rocksdb_comparator_with_ts_create"}


@dataclass
class Function:
    result: str
    name: str
    types: list[str]
    names: list[str]

    @property
    def signature(self) -> str:
        arguments = ", ".join(declared(kind, f"a{i}") for i, kind in enumerate(self.types))
        return f"__attribute__((weak)) {self.result} {self.name}({arguments})"


def declared(kind: str, name: str) -> str:
    if "(*" in kind:
        return kind.replace("(*", f"(*{name}", 1)
    array = re.fullmatch(r"(.*?)(\[\])", kind)
    return f"{array[1]} {name}[]" if array else f"{kind} {name}"


def argument_of(text: str) -> tuple[str, str]:
    """Type and name of an argument: the name may be left out, may be in the type, or behind it."""
    text = " ".join(text.split())
    if match := re.search(r"\(\*\s*(\w*)\s*\)", text):
        return text.replace(match[0], "(*)", 1), match[1]
    if match := re.fullmatch(r"(.*?)(\w+)\[\]", text):
        return match[1].strip() + "[]", match[2]
    match = re.fullmatch(r"(.*[\s*])(\w+)", text)
    if match and match[2] not in ("char", "int", "double") and not match[2].endswith("_t"):
        return match[1].strip(), match[2]
    return text, ""


def split(arguments: str) -> list[str]:
    """At the commas that are in no parentheses."""
    depth, found = 0, [""]
    for character in arguments:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return [each for each in found if each.strip() not in ("", "void")]


def functions_of(header: str) -> list[Function]:
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", header, flags=re.DOTALL)
    functions = []
    for declaration in re.findall(r"extern ROCKSDB_LIBRARY_API\s+(.*?);", text, flags=re.DOTALL):
        match = re.fullmatch(r"(.*?)(rocksdb_\w+)\s*\((.*)\)", " ".join(declaration.split()))
        arguments = [argument_of(each) for each in split(match[3])]
        functions.append(Function(match[1].strip(), match[2], [kind for kind, _ in arguments],
                                  [name for _, name in arguments]))
    return functions


def object_in(kind: str) -> str:
    """The type of RocksDB's that a pointer leads to, if it does."""
    match = re.fullmatch(r"(?:const )?(rocksdb_\w+) ?\*", kind)
    return match[1] if match else ""


def makes_settings(function: Function) -> bool:
    made = object_in(function.result)
    return ("create" in function.name and made != "" and made not in OBJECTS and "errptr" not in function.names
            and function.name not in NOT_IGNORED)


def made(function: Function) -> str:
    if function.name.endswith("_copy"):
        return "new Settings(settings(a0))"
    if function.names[:2] == ["state", "destructor"]:
        return "new Settings(a0, a1)"
    return "new Settings()"


def of_settings(function: Function) -> str:
    """What a function does whose object is of settings."""
    if function.name.endswith("_destroy"):
        return "delete &settings(a0);"
    if function.result == "void":
        match = re.search(r"_set_(\w+)$", function.name) or re.search(r"_options_(\w+)$", function.name)
        return f'settings(a0).set("{match[1]}", a1);' if match and len(function.types) == 2 else ""
    match = re.search(r"_get_(\w+)$", function.name)
    return f'return settings(a0).get<{function.result}>("{match[1] if match else function.name}");'


def body(function: Function, settings: set[str]) -> str:
    if "errptr" in function.names:
        error = f'not_supported("{function.name}", a{function.names.index("errptr")});'
        return error if function.result == "void" else f"{error} return {{}};"
    if makes_settings(function):
        return f"return reinterpret_cast<{function.result}>({made(function)});"
    if function.types and object_in(function.types[0]) in settings:
        return of_settings(function)
    missing = f'missing("{function.name}");'
    return f"if (a0 != nullptr) {missing}" if function.name.endswith(("_destroy", "_close")) else missing


def main() -> None:
    header, output = map(Path, sys.argv[1:])
    functions = functions_of(header.read_text())
    settings = {object_in(function.result) for function in functions if makes_settings(function)}
    lines = ["// Made by stores/rocksdb/remaining.py.", "#include <rocksdb/c.h>", '#include "missing.h"',
             '#include "settings.h"', "using namespace perdure::stores::rocksdb;", 'extern "C" {']
    lines += [f"{function.signature} {{ {body(function, settings)} }}" for function in functions]
    output.write_text("\n".join([*lines, "}", ""]))


if __name__ == "__main__":
    main()
