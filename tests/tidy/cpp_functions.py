"""Finds the functions of a C++ source by its braces: no parser, but right for formatted code."""

from __future__ import annotations

import re

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      |R"(?P<delimiter>[^()\s\\]{0,16})\((?P<raw>.*?)\)(?P=delimiter)"
      |(?P<string>"(?:\\.|[^"\\\n])*")
      |(?<![0-9a-zA-Z_])(?P<character>'(?:\\.|[^'\\\n])+')""",
    re.DOTALL | re.VERBOSE,
)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum)\b")
SCOPE_AFTER_REQUIREMENT = re.compile(r"\b(class|struct|union)\s+[\w:<>, ]+(\s*:[^()]*)?\s*$")
TEMPLATE = re.compile(r"\btemplate\s*<[^;{}]*?>(?=\s*\w)")
ATTRIBUTE = re.compile(r"\[\[.*?\]\]|__attribute__")


def blanked(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def without_comments_and_strings(text: str, keep_strings: bool = False) -> str:
    """The text with comments and, unless kept, literals blanked; lines stay where they were."""

    def replacement(match: re.Match[str]) -> str:
        return match[0] if keep_strings and match["comment"] is None else blanked(match)

    return TOKEN.sub(replacement, text)


def without_directives(code: str) -> str:
    """The code with preprocessor lines (continued ones too) blanked."""
    return DIRECTIVE.sub(blanked, code)


def functions_of(text: str) -> list[tuple[int, int]]:
    """First and last line of every outermost function: from its first word to its closing brace.

    A brace opens a scope when what precedes it names a namespace or a class, and otherwise, when that has parentheses,
    a function. Everything inside a function (lambdas, blocks) belongs to it.
    """
    code = without_directives(without_comments_and_strings(text))
    functions: list[tuple[int, int]] = []
    scopes: list[bool] = []  # of the open braces that are no function's: is it a scope?
    head = 0  # where the text of the present declaration begins
    position = 0
    while match := re.compile(r"[;{}]").search(code, position):
        position = match.end()
        if match[0] == "{":
            declaration = code[head : match.start()]
            if is_function(declaration):
                position = end_of_block(code, position)
                begin = head + len(declaration) - len(declaration.lstrip())
                functions.append((line_of(code, begin), line_of(code, position - 1)))
            else:
                scopes.append(True)
        elif match[0] == "}" and scopes:
            scopes.pop()
        head = position
    return functions


def is_function(declaration: str) -> bool:
    declaration = ATTRIBUTE.sub("", TEMPLATE.sub("", declaration))
    before_parameters, parenthesis, _ = declaration.partition("(")
    scope = SCOPE.search(before_parameters) or SCOPE_AFTER_REQUIREMENT.search(declaration)
    return bool(parenthesis) and not scope


def end_of_block(code: str, position: int) -> int:
    """The position after the brace that closes the block whose opening brace is just before `position`."""
    depth = 1
    for match in re.compile(r"[{}]").finditer(code, position):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.end()
    return len(code)


def line_of(code: str, position: int) -> int:
    return code.count("\n", 0, position) + 1
