"""Proves that every rule of tidy.py fires on what it forbids, at the right line, and on nothing else."""

from __future__ import annotations

import subprocess
import tempfile
import unittest
from pathlib import Path, PurePosixPath

import document_rules
import tidy
from cpp_functions import functions_of

WORDS = "word " * document_rules.MAX_PARAGRAPH_WORDS
CELL = "word " * document_rules.MAX_CELL_WORDS
NAMES = frozenset(["libs/log/record.h", "docs/other.md", "scripts/a.py"])
LONG_BODY = "  x();\n" * tidy.MAX_FUNCTION_LINES

# For each rule: what it must refuse (path, text, line), and what comes close and is allowed (path, text).
REFUSED: dict[str, list[tuple[str, str, int]]] = {
    "upward_include": [
        ("libs/persist/a.cc", '\n#include "tx/transaction.h"\n', 2),
        ("libs/log/a.h", '#include "recover/replay.h"\n', 1),
        ("libs/abi/a.h", '#include "algorithms/mode.h"\n', 1),
        ("libs/unknown/a.h", "", 1),
    ],
    "foreign_include": [
        ("plugin/a.cc", '#include "pool/window.h"\n', 1),
        ("benchmarks/tpcc/a.cc", '#include "abi/entry_points.h"\n', 1),
        ("include/perdure/a.h", "#include <persist/domain.h>\n", 1),
        ("stores/leveldb/a.cc", '#include "log/journal.h"\n', 1),
    ],
    "file_length": [("libs/log/a.cc", "\n" * 401, 401), ("scripts/a.py", "\n" * 401, 401)],
    "line_length": [
        ("scripts/a.py", "\n# " + "a" * 120, 2),
        ("cmake/a.cmake", "#" * 121, 1),
        ("docs/a.md", "\nword " + "a" * 120, 2),
    ],
    "function_length": [
        ("libs/log/a.cc", "namespace a {\nvoid f() {\n" + LONG_BODY + "}\n}\n", 2),
        ("libs/log/b.h", "class A {\n template <class T>\n void f(T x) const {\n" + LONG_BODY + " }\n};\n", 2),
        ("tests/a.cc", 'extern "C" void f() {\n  g([] {\n' + LONG_BODY + "  });\n}\n", 1),
        ("scripts/a.py", "def f():\n" + "    x()\n" * 70, 1),
    ],
    "llvm_version": [("plugin/discover/clone.cc", "#if LLVM_VERSION_MAJOR > 19\n#endif\n", 1)],
    "flush_outside_persist": [
        ("libs/log/a.h", "void f() { _mm_sfence(); }\n", 1),
        ("algorithms/a.h", '\nvoid f(char* p) { asm volatile("clwb %0" : "+m"(*p)); }\n', 2),
        ("libs/pool/a.cc", "void f() { pmem_persist(a, b); }\n", 1),
    ],
    "machine_path": [
        ("docs/a.md", "see /ho" + "me/someone/build\n", 1),
        ("scripts/a.sh", 'cd "/wo' + 'rk/main"\n', 1),
    ],
    "leftover": [("libs/log/a.h", "// TO" + "DO: grow\n", 1), ("docs/a.md", "\nFIX" + "ME\n", 2)],
    "broken_link": [
        ("docs/a.md", "[here](nowhere.md)\n", 1),
        ("docs/a.md", "# A b\n[here](#a-c)\n", 2),
        ("README.md", "[here](docs/other.md#no-such-heading)\n", 1),
    ],
    "paragraph_length": [
        ("docs/a.md", "# Heading\n\nShort.\n\n" + WORDS + "\nmore\n", 5),
        ("docs/a.md", "- short\n- " + WORDS + "\n  more\n", 2),
        ("README.md", "| a | b |\n| --- | --- |\n| a | " + CELL + "more |\n", 3),
    ],
    "chained_sentence": [
        ("docs/a.md", "\nThree files, one of\nwhich is short.\n", 2),
        ("README.md", "- It flushes. That is what costs.\n", 1),
    ],
    "document_length": [("libs/README.md", "\n" * 41, 41), ("docs/architecture.md", "\n" * 151, 151)],
    "missing_file": [
        ("docs/a.md", "\nsee `libs/log/recrod.h`\n", 2),
        ("docs/a.md", "see `docs/no-such.md` and `libs/log`\n", 1),
        ("docs/a.md", "see `libs/no_*.h`\n", 1),
        ("libs/log/a.h", "int a;\n/// Explained in log/recrod.h.\n", 2),
        ("scripts/a.py", "# as docs/no-such.md says\n", 1),
    ],
    "broken_wrap": [("libs/log/a.h", "/// " + "word " * 21 + "which a tool\n/// has\n///   broken here\n", 2)],
    "comment_share": [
        ("include/perdure/a.h", "/// What it is.\nint a();\nint b();\n", 1),
        ("include/perdure/b.h", "namespace detail {\n// a\n}  // namespace detail\nint b();\n", 1),
    ],
}
ALLOWED: dict[str, list[tuple[str, str]]] = {
    "upward_include": [
        ("libs/log/a.cc", '#include "pool/window.h"\n#include "log/record.h"\n#include <tbb/tbb.h>\n'),
        ("algorithms/a.h", '#include "tx/transaction.h"\n'),
    ],
    "foreign_include": [
        ("plugin/a.cc", '#include "abi/types.def"\n'),
        ("benchmarks/tpcc/a.cc", '#include "perdure/pool.h"\n#include "tpcc/keys.h"\n'),
        ("benchmarks/peers/other/a.h", '#include "tx/transaction.h"\n'),
    ],
    "file_length": [("libs/log/a.cc", "\n" * 400), ("tests/a.cc", "\n" * 401), ("libs/abi/a.def", "\n" * 401)],
    "line_length": [("scripts/a.py", "a" * 120), ("docs/a.md", "| " + "a " * 61), ("docs/a.md", "[a](" + "a" * 121)],
    "function_length": [
        ("libs/log/a.cc", "namespace a {\nvoid f() {\n" + "  x();\n" * 68 + "}\n" + "int a;\n" * 80 + "}\n"),
        ("libs/log/b.h", "template <class T>\n requires(sizeof(T) > 1)\nclass A : B {\n" + " int a();\n" * 80 + "};\n"),
    ],
    "llvm_version": [("plugin/common/llvm_compat.h", "#if LLVM_VERSION_MAJOR > 19\n#endif\n")],
    "flush_outside_persist": [
        ("libs/persist/adr.h", "void f() { _mm_sfence(); }\n"),
        ("libs/log/a.h", "// one clwb, one sfence\nvoid f() { D::flush(p); D::fence(); }\n"),
    ],
    "machine_path": [("docs/a.md", "https://example.org/ho" + "me/x and docs/wo" + "rk/x and /usr/lib\n")],
    "leftover": [("libs/log/a.h", "// what is left to do\n")],
    "broken_link": [
        ("docs/a.md", "# A `b`, c\n[x](other.md#some-heading) [y](https://example.org/z) [z](#a-b-c) `[n](no.md)`\n"),
        ("docs/a.md", "```\n[x](nowhere.md)\n```\n"),
    ],
    "paragraph_length": [
        ("docs/a.md", WORDS + "\n\n" + WORDS + "\n- " + WORDS + "\n- " + WORDS + "\n"),
        ("docs/a.md", "```\n" + WORDS + WORDS + "\n```\n| " + CELL + "| " + CELL + "|\n"),
        ("libs/log/a.h", "// " + WORDS + "more\n"),
    ],
    "chained_sentence": [
        ("docs/a.md", "```\none of which\n```\nA file that is whatever you like; profit, which.\n"),
        ("libs/log/a.h", "// the first of which counts\n"),
    ],
    "document_length": [("libs/README.md", "\n" * 40), ("README.md", "\n" * 151), ("docs/a.md", "\n" * 151)],
    "missing_file": [
        ("docs/a.md", "`libs/log/record.h` `log/record.h` `libs/log/` `libs/*/record.h` `libs/<name>.h` `x.size`\n"),
        ("docs/a.md", "```cpp shelf.h\nint a;\n```\n`shelf.h`\n"),
        ("libs/log/a.h", '#include "no/such.h"\n// log/record.h, <linux/magic.h>, record.h\nchar a[] = "no.md";\n'),
    ],
    "broken_wrap": [
        ("libs/log/a.h", "/// " + "word " * 21 + "to the very\n/// end.\n/// Another one.\n"),
        ("libs/log/a.h", "/// " + "word " * 21 + "to the very\n/// end\nint a();\n"),
        ("libs/log/a.h", "/// Short:\n/// words\n/// go on.\n"),
    ],
    "comment_share": [
        ("include/perdure/a.h", "#include <b>\n/// What it is.\nint a();\n\nint b();  ///< and this\n#endif\n"),
        ("include/perdure/b.h", "/// A.\nint a();\nnamespace detail {\nint b();\nint c();\n}  // namespace detail\n"),
        ("libs/log/a.h", "int a();\n"),
    ],
}


class TidyTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="perdure_tidy_")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "docs").mkdir()
        (self.root / "docs/other.md").write_text("## Some heading\n")

    def lines_refused(self, rule: tidy.Rule, path: str, text: str) -> list[int]:
        return [line for line, _ in rule(tidy.File(self.root, PurePosixPath(path), text, NAMES))]

    def test_every_rule_has_examples(self) -> None:
        names = {rule.__name__ for rule in tidy.RULES}
        self.assertEqual(names, set(REFUSED))
        self.assertEqual(names, set(ALLOWED))

    def test_rules_fire(self) -> None:
        for rule in tidy.RULES:
            for path, text, line in REFUSED[rule.__name__]:
                with self.subTest(rule=rule.__name__, path=path, text=text[:60]):
                    self.assertEqual(self.lines_refused(rule, path, text), [line])

    def test_rules_do_not_fire_needlessly(self) -> None:
        for rule in tidy.RULES:
            for path, text in ALLOWED[rule.__name__]:
                with self.subTest(rule=rule.__name__, path=path, text=text[:60]):
                    self.assertEqual(self.lines_refused(rule, path, text), [])

    def test_all_documents_together_are_short(self) -> None:
        quarter = "word " * (document_rules.MAX_DOCUMENTATION_WORDS // 4)
        counted = ("README.md", "CONTRIBUTING.md", "docs/a.md", "docs/b.md")
        others = ("CHANGELOG.md", "libs/README.md", "docs/a.svg")
        files = [tidy.File(self.root, PurePosixPath(path), quarter) for path in (*counted, *others)]
        self.assertEqual(list(document_rules.documentation_words(files)), [])
        for path in counted:
            with self.subTest(longer=path):
                longer = tidy.File(self.root, PurePosixPath(path), quarter + "one")
                found = list(document_rules.documentation_words([longer, *(file for file in files
                                                                           if file.path != longer.path)]))
                self.assertEqual([str(longest) for longest, _, _ in found], [path])
                self.assertIn("20001 words", found[0][2])

    def test_functions_are_found_whole(self) -> None:
        text = (
            "struct A {\n  int a = 1;\n  A() {}\n};\n"
            'const char* t = "}";  // {\n'
            "#define M \\\n  {\n"
            "[[nodiscard]] int f(\n    int x) {\n  if (x) { return '}'; }\n  return 0;\n}\n"
            "enum class E { a };\n"
        )
        self.assertEqual(functions_of(text), [(3, 3), (8, 12)])

    def test_whole_tree_in_git(self) -> None:
        subprocess.run(["git", "init", "--quiet", str(self.root)], check=True)
        self.check_whole_tree()

    def test_whole_tree_without_git(self) -> None:
        self.check_whole_tree()

    def check_whole_tree(self) -> None:
        (self.root / ".gitignore").write_text("/build/\n")
        (self.root / "build").mkdir()
        (self.root / "build/a.md").write_text("FIX" + "ME\n")
        self.assertEqual(tidy.check(self.root), [])
        (self.root / "docs/a.md").write_text("FIX" + "ME\n")
        (self.root / "picture.png").write_bytes(b"\x89PNG\xff")
        found = [(violation.rule, str(violation.path)) for violation in tidy.check(self.root)]
        self.assertEqual(found, [("leftover", "docs/a.md")])


if __name__ == "__main__":
    unittest.main()
