"""docs/abi.md names no entry point that libs/abi/entry_points.def, types.def or a public header does not have."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = "perdure_whole_program"  # not a function


def entry_points() -> set[str]:
    """Those of the list, those of public headers, and functions that have clones of their own."""
    rows = re.findall(r"^PERDURE_\w+\((\w+), .+\)$", (ROOT / "libs/abi/entry_points.def").read_text(), re.MULTILINE)
    suffixes = re.findall(r"^PERDURE_TYPE\((\w+),", (ROOT / "libs/abi/types.def").read_text(), re.MULTILINE)
    typed = {f"{kind}_{suffix}" for kind in ("read", "write") for suffix in suffixes}
    public = {name for header in (ROOT / "include/perdure").glob("*.h")
              for name in re.findall(r"\bperdure_(\w+)\(", header.read_text())}
    interface = (ROOT / "plugin/common/runtime_interface.h").read_text()
    with_clones = re.findall(r'_symbol = "perdure_(\w+)"', interface)
    return {f"perdure_{name}" for name in {*rows, *typed, *public, *with_clones}}


def unknown_in(text: str) -> set[str]:
    named = re.findall(r"`(perdure_\w+)(?:\([^)`]*\))?`", text)
    return {name for name in named if not name.startswith("perdure_tm_")} - entry_points() - {TABLE}


class EntryPoints(unittest.TestCase):
    def test_the_list_is_read(self) -> None:
        self.assertLessEqual({"perdure_run", "perdure_check_access", "perdure_read_u8", "perdure_encode_pointer"},
                             entry_points())

    def test_a_symbol_that_does_not_exist_is_noticed(self) -> None:
        self.assertEqual(unknown_in("`perdure_run(body)` and `perdure_walk`"), {"perdure_walk"})

    def test_the_document_names_what_there_is(self) -> None:
        self.assertEqual(unknown_in((ROOT / "docs/abi.md").read_text()), set())


if __name__ == "__main__":
    unittest.main()
