"""Random C++ programs with defined behaviour: what a seed gives is the same everywhere.

A program is a namespace with types, globals, functions, and `run(State&)`. Values are well defined by construction:
integers are computed as uint64_t and converted, divisors are odd, shifts and indices are masked, reals are kept small,
unions and bytes are read by memcpy, and `fuel` bounds the time.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

UNSIGNED = ["std::uint8_t", "std::uint16_t", "std::uint32_t", "std::uint64_t"]
SIGNED = ["std::int8_t", "std::int16_t", "std::int32_t", "std::int64_t"]
REAL = ["float", "double"]
MAX_DEPTH = 3  # of expressions and of nested statements
BYTES = 32  # in each array of bytes


@dataclass(frozen=True)
class Type:
    """A scalar, `bytes`, a union, or a struct with fields; an array of it when `count` is not 0."""

    name: str
    count: int = 0
    fields: tuple[Field, ...] = ()
    kind: str = "scalar"

    def element(self) -> Type:
        return Type(self.name, 0, self.fields, self.kind)


@dataclass(frozen=True)
class Field:
    name: str
    type: Type
    bits: int = 0

    def declaration(self) -> str:
        if self.type.kind == "bytes":
            return f"unsigned char {self.name}[{BYTES}] = {{}};"
        suffix = f"[{self.type.count}]" if self.type.count else ""
        return f"{self.type.name} {self.name}{suffix}{f' : {self.bits}' if self.bits else ''} = {{}};"


@dataclass(frozen=True)
class Place:
    """An lvalue."""

    text: str
    type: Type
    addressable: bool = True


@dataclass
class Function:
    name: str
    parameters: list[Field]
    by_reference: list[bool]
    result: Type
    throws: bool


@dataclass
class Scope:
    """What the code being generated can name."""

    places: list[Place]
    functions: list[Function]
    recursive: Function | None = None
    loop_depth: int = 0
    statement_depth: int = 0
    in_lambda: bool = False
    in_try: bool = False
    locals: list[str] = field(default_factory=list)


class Generator:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._name = f"program_{seed}"
        self._numbers = 0
        self._structs: list[Type] = []
        self._unions: list[Type] = []

    def program(self) -> str:
        """:return: the namespace"""
        types = [self._struct() for _ in range(self._random.randint(1, 3))]
        state = self._state()
        functions: list[Function] = []
        bodies = [self._function(state, functions) for _ in range(self._random.randint(1, 3))]
        run = self._run(state, functions)
        return "\n".join([f"namespace {self._name} {{", *types, self._declare(state), *self._globals(),
                          *bodies, run, f"}}  // namespace {self._name}", ""])

    @property
    def name(self) -> str:
        return self._name

    # -- types ---------------------------------------------------------------------------------------------------

    def _fresh(self, stem: str) -> str:
        self._numbers += 1
        return f"{stem}{self._numbers}"

    def _choose(self, *candidates: str) -> str:
        return self._random.choice(candidates)

    def _scalar(self) -> Type:
        return Type(self._random.choice([*UNSIGNED, *UNSIGNED, *SIGNED, *REAL, "bool"]))

    def _field(self) -> Field:
        name = self._fresh("m")
        kind = self._random.randrange(10)
        if kind == 0:
            return Field(name, Type("unsigned char", 0, (), "bytes"))
        if kind == 1:
            return Field(name, Type("Union", 0, (), "union"))
        if kind == 2:
            return Field(name, Type(self._random.choice(UNSIGNED)), self._random.randint(1, 8))
        if kind == 3 and self._structs:
            struct = self._random.choice(self._structs)
            return Field(name, Type(struct.name, self._random.choice([0, 0, 2, 4]), struct.fields, "struct"))
        return Field(name, Type(self._scalar().name, self._random.choice([0, 0, 3, 8, 17])))

    def _struct(self) -> str:
        fields = tuple(self._field() for _ in range(self._random.randint(2, 6)))
        struct = Type(self._fresh("Struct"), 0, fields, "struct")
        self._structs.append(struct)
        return self._declare(struct)

    def _state(self) -> Type:
        fields = [self._field() for _ in range(self._random.randint(4, 8))]
        fields += [Field(self._fresh("m"), Type(struct.name, 4, struct.fields, "struct")) for struct in self._structs]
        fields += [Field(self._fresh("m"), Type("unsigned char", 0, (), "bytes")) for _ in range(2)]
        fields += [Field(self._fresh("m"), Type("Union", 0, (), "union")), Field("fuel", Type("std::uint32_t"))]
        return Type("State", 0, tuple(fields), "struct")

    @staticmethod
    def _declare(struct: Type) -> str:
        # References to members of packed structs are not defined, so there is nothing to refer to in them.
        plain = all(each.type.kind in ("scalar", "bytes") and not each.type.count for each in struct.fields)
        packed = " [[gnu::packed]]" if plain and struct.name != "State" else ""
        lines = [f"struct{packed} {struct.name} {{", *(f"  {each.declaration()}" for each in struct.fields), "};"]
        lines += [f"inline void digest(Digest& sum, const {struct.name}& value) {{"]
        lines += [f"  sum.add({'+' if each.bits else ''}value.{each.name});" if each.type.kind != "struct" else
                  f"  {'for (const auto& element : value.' + each.name + ') ' if each.type.count else ''}"
                  f"digest(sum, {'element' if each.type.count else 'value.' + each.name});" for each in struct.fields]
        return "\n".join([*lines, "}"])

    def _globals(self) -> list[str]:
        return ["std::uint32_t global_word = 7;", "std::uint16_t global_words[8] = {1, 2, 3};",
                "const std::uint8_t table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};"]

    # -- places and expressions ----------------------------------------------------------------------------------

    def _descend(self, place: Place, scope: Scope, wanted: Callable[[Place], bool]) -> Place | None:
        """A place of the wanted kind in `place`, or none where the way there was wrong."""
        if wanted(place) and (place.type.kind != "struct" or self._random.random() < 0.5):
            return place
        kind = place.type
        if kind.count:
            index = self._integer(scope, MAX_DEPTH)
            element = Place(f"{place.text}[{index} % {kind.count}]", kind.element(), place.addressable)
            return self._descend(element, scope, wanted)
        if kind.kind != "struct":
            return None
        chosen = self._random.choice(kind.fields)
        if chosen.name == "fuel":
            return None
        return self._descend(Place(f"{place.text}.{chosen.name}", chosen.type, not chosen.bits), scope, wanted)

    def _place(self, scope: Scope, wanted: Callable[[Place], bool]) -> Place | None:
        for _ in range(12):
            found = self._descend(self._random.choice(scope.places), scope, wanted)
            if found is not None:
                return found
        return None

    def _scalar_place(self, scope: Scope, names: list[str], addressable: bool = False) -> Place | None:
        return self._place(scope, lambda place: place.type.kind == "scalar" and not place.type.count
                           and place.type.name in names and (place.addressable or not addressable))

    def _place_of(self, scope: Scope, kind: str) -> Place | None:
        return self._place(scope, lambda place: place.type.kind == kind and not place.type.count)

    def _integer(self, scope: Scope, depth: int = 0) -> str:
        """An expression of type std::uint64_t."""
        kind = self._random.randrange(12) if depth < MAX_DEPTH else self._random.randrange(3)
        if kind == 0:
            return f"{self._random.choice([0, 1, 2, 3, 255, 65537, self._random.getrandbits(64)])}ULL"
        if kind == 1:
            return f"U({self._choose('global_word', 'global_words[2]', 'table[s.fuel % 16]')})"
        if kind <= 3:
            if kind == 2 and scope.locals:
                return self._random.choice(scope.locals)
            place = self._scalar_place(scope, [*UNSIGNED, *SIGNED, "bool"]) if depth < MAX_DEPTH else None
            return f"U({place.text})" if place else "5ULL"
        if kind == 4:
            source = self._bytes(scope, depth)
            return source and f"U(load<{self._random.choice([*UNSIGNED, *SIGNED])}>({source}))" or "9ULL"
        if kind == 5:
            return f"U(whole({self._real(scope, depth + 1)}))"
        left, right = self._integer(scope, depth + 1), self._integer(scope, depth + 1)
        if kind == 6:
            return f"U(static_cast<{self._random.choice([*UNSIGNED, *SIGNED])}>({left}))"
        if kind == 7:
            return f"({left} {self._choose('<', '==', '>=')} {right} ? {self._integer(scope, depth + 1)} : {left})"
        if kind == 8:
            return f"({left} {self._choose('<<', '>>')} ({right} & 31))"
        if kind == 9:
            return f"({left} {self._choose('/', '%')} ({right} | 1))"
        if kind == 10:
            word = self._choose("std::uint32_t", "std::uint64_t")
            return f"U(static_cast<{word}>({left}) * static_cast<{word}>({right}))"
        return f"({left} {self._choose('+', '-', '^', '&', '|')} {right})"

    def _real(self, scope: Scope, depth: int = 0) -> str:
        """An expression of type double."""
        if depth >= MAX_DEPTH or self._random.random() < 0.4:
            place = self._scalar_place(scope, REAL) if depth < MAX_DEPTH else None
            return f"static_cast<double>({place.text})" if place else self._choose("1.5", "-0.25", "100.125")
        if self._random.random() < 0.3:
            return f"static_cast<double>(static_cast<std::int16_t>({self._integer(scope, depth + 1)}))"
        operator = self._choose("+", "-", "*")
        return f"bounded({self._real(scope, depth + 1)} {operator} {self._real(scope, depth + 1)})"

    def _bytes(self, scope: Scope, depth: int) -> str | None:
        """The address of 8 bytes in an array of bytes or in a union."""
        place = self._place_of(scope, self._choose("bytes", "union"))
        if place is None:
            return None
        if place.type.kind == "union":
            return f"bytes_of({place.text})"
        return f"{place.text} + {self._integer(scope, depth + 1)} % {BYTES - 7}"

    # -- statements ----------------------------------------------------------------------------------------------

    def _block(self, scope: Scope, statements: int) -> str:
        inner = Scope(list(scope.places), scope.functions, scope.recursive, scope.loop_depth, scope.statement_depth + 1,
                      scope.in_lambda, scope.in_try, list(scope.locals))
        return "{ " + " ".join(self._statement(inner) for _ in range(statements)) + " }"

    def _statement(self, scope: Scope) -> str:
        simple = [self._assign, self._assign, self._assign, self._compound, self._assign_real, self._copy, self._memory,
                  self._store, self._pointer, self._local, self._call, self._call, self._global, self._union_member]
        nested = [self._if, self._for, self._vector_loop, self._switch, self._try, self._lambda, self._allocate]
        choices = simple + nested if scope.statement_depth < MAX_DEPTH else simple
        if scope.in_try:
            choices.append(self._throw)
        if scope.loop_depth and not scope.in_lambda:
            choices.append(self._leave)
        return self._random.choice(choices)(scope) or ";"

    def _assign(self, scope: Scope) -> str | None:
        place = self._scalar_place(scope, [*UNSIGNED, *SIGNED, "bool"])
        return place and f"{place.text} = static_cast<{place.type.name}>({self._integer(scope)});"

    def _compound(self, scope: Scope) -> str | None:
        place = self._scalar_place(scope, UNSIGNED)
        if place is None or self._random.random() < 0.3:
            return place and f"{self._choose('++', '--')}{place.text};"
        operator = self._choose("+=", "-=", "*=", "^=", "|=", "&=")
        return f"{place.text} {operator} static_cast<{place.type.name}>({self._integer(scope)});".replace(
            "*= static_cast<std::uint16_t>", "*= static_cast<std::uint64_t>")

    def _assign_real(self, scope: Scope) -> str | None:
        place = self._scalar_place(scope, REAL)
        return place and f"{place.text} = static_cast<{place.type.name}>({self._real(scope)});"

    def _copy(self, scope: Scope) -> str | None:
        to, source = self._place_of(scope, "struct"), self._place_of(scope, "struct")
        if to is None or source is None or to.type.name != source.type.name or to.type.name == "State":
            return None
        return f"{to.text} = {source.text};" if self._random.random() < 0.7 else f"std::swap({to.text}, {source.text});"

    def _memory(self, scope: Scope) -> str | None:
        to, source = self._place_of(scope, "bytes"), self._place_of(scope, "bytes")
        if to is None or source is None:
            return None
        offset, other = (f"{self._integer(scope)} % {BYTES // 2}" for _ in range(2))
        size = self._choose("1", "2", "4", "8", "15", f"{self._integer(scope)} % {BYTES // 2}")
        if self._random.random() < 0.3:
            return f"std::memset({to.text} + {offset}, static_cast<int>({self._integer(scope)}), {size});"
        # The two may be the same array: only memmove may be used then.
        return f"std::memmove({to.text} + {offset}, {source.text} + {other}, {size});"

    def _store(self, scope: Scope) -> str | None:
        to = self._bytes(scope, 1)
        return to and f"store<{self._random.choice([*UNSIGNED, *SIGNED])}>({to}, {self._integer(scope)});"

    def _pointer(self, scope: Scope) -> str | None:
        place = self._scalar_place(scope, UNSIGNED, addressable=True)
        if place is None or "." in place.text and not place.text.startswith("s."):
            return None
        pointer, size = self._fresh("pointer"), f"sizeof({place.type.name})"
        # Through memcpy: a member of a packed struct need not be aligned.
        return (f"auto* const {pointer} = reinterpret_cast<unsigned char*>(&{place.text}); "
                f"{{ {place.type.name} word; std::memcpy(&word, {pointer}, {size}); word ^= 21; "
                f"std::memcpy({pointer}, &word, {size}); }}")

    def _local(self, scope: Scope) -> str:
        if self._random.random() < 0.5 or not self._structs:
            name = self._fresh("local")
            text = f"std::uint64_t {name} = {self._integer(scope)};"
            scope.locals.append(name)
            return text
        struct, name = self._random.choice(self._structs), self._fresh("local")
        source = self._place(scope, lambda place: place.type.name == struct.name and not place.type.count)
        scope.places.append(Place(name, struct))
        if source is not None and self._random.random() < 0.4:
            return f"{struct.name}& {name} = {source.text};"
        return f"{struct.name} {name}{f' = {source.text}' if source else '{}'};"

    def _argument(self, scope: Scope, parameter: Field, by_reference: bool) -> str | None:
        if parameter.type.kind == "struct":
            place = self._place(scope, lambda each: each.type.name == parameter.type.name and not each.type.count)
            return place.text if place else (None if by_reference else f"{parameter.type.name}{{}}")
        return self._integer(scope)

    def _call(self, scope: Scope) -> str | None:
        candidates = [*scope.functions, *([scope.recursive] if scope.recursive else [])]
        if not candidates:
            return None
        function = self._random.choice(candidates)
        pairs = zip(function.parameters, function.by_reference)
        arguments = [self._argument(scope, parameter, by_reference) for parameter, by_reference in pairs]
        if None in arguments:
            return None
        call = f"{function.name}({', '.join(['s', 'depth - 1', *map(str, arguments)])})"
        name = self._fresh("result")
        if function.result.kind == "struct":
            scope.places.append(Place(name, function.result))
        else:
            scope.locals.append(name)
        assignment = f"if (depth > 0) {name} = {call};"
        if function.throws and not (scope.in_try and self._random.random() < 0.5):
            assignment = f"try {{ {assignment} }} catch (const std::uint32_t thrown) {{ global_word += thrown; }}"
        return f"{function.result.name} {name}{{}}; {assignment}"

    def _global(self, scope: Scope) -> str:
        return self._choose(f"global_word += static_cast<std::uint32_t>({self._integer(scope)});",
                            f"global_words[{self._integer(scope)} % 8] ^= static_cast<std::uint16_t>(global_word);")

    def _union_member(self, scope: Scope) -> str | None:
        place = self._place_of(scope, "union")
        if place is None:
            return None
        return self._choose(f"{place.text}.wide = {self._integer(scope)};",
                            f"{place.text}.words[{self._integer(scope)} % 2] = 77;",
                            f"{place.text} = Union{{}};")

    def _if(self, scope: Scope) -> str:
        text = f"if ({self._integer(scope)} % {self._random.randint(2, 4)} == 0) {self._block(scope, 2)}"
        return text if self._random.random() < 0.5 else f"{text} else {self._block(scope, 1)}"

    def _for(self, scope: Scope) -> str:
        scope.loop_depth += 1
        index = self._fresh("i")
        scope.locals.append(index)
        limit = self._random.choice(["3", "8", f"{self._integer(scope, 1)} % 7"])
        body = self._block(scope, self._random.randint(1, 3))
        scope.locals.remove(index)
        scope.loop_depth -= 1
        condition = f"{index} < end_{index} && s.fuel > 0"
        return (f"for (std::uint64_t {index} = 0, end_{index} = {limit}; {condition}; ++{index}, "
                f"s.fuel -= s.fuel > 0) {body}")

    def _vector_loop(self, scope: Scope) -> str | None:
        """What the optimiser makes vectors of."""
        place = self._place(scope, lambda each: each.type.count >= 8 and each.type.name in UNSIGNED)
        if place is None:
            return None
        index, factor = self._fresh("i"), self._integer(scope, 2)
        return (f"for (int {index} = 0; {index} < {place.type.count}; ++{index}) {place.text}[{index}] = "
                f"static_cast<{place.type.name}>(U({place.text}[{index}]) * {self._random.randint(3, 9)} + {factor});")

    def _switch(self, scope: Scope) -> str:
        loop_depth, scope.loop_depth = scope.loop_depth, 0
        cases = " ".join(f"case {i}: {self._block(scope, 1)} {self._choose('break;', '[[fallthrough]];')}"
                         for i in range(self._random.randint(1, 4)))
        scope.loop_depth = loop_depth
        return f"switch ({self._integer(scope)} % 6) {{ {cases} default: {self._block(scope, 1)} break; }}"

    def _try(self, scope: Scope) -> str:
        in_try, scope.in_try = scope.in_try, True
        body = self._block(scope, 3)
        scope.in_try = in_try
        return f"try {body} catch (const std::uint32_t thrown) {{ global_word ^= thrown; {self._assign(scope) or ''} }}"

    def _throw(self, scope: Scope) -> str:
        return f"if ({self._integer(scope)} % 3 == 0) throw static_cast<std::uint32_t>({self._integer(scope)});"

    def _leave(self, scope: Scope) -> str:
        return f"if ({self._integer(scope)} % 5 == 0) {self._choose('break;', 'continue;')}"

    def _lambda(self, scope: Scope) -> str:
        name, argument = self._fresh("lambda"), self._fresh("argument")
        inner = Scope(list(scope.places), scope.functions, None, 0, scope.statement_depth + 1, True, scope.in_try,
                      [*scope.locals, argument])
        body = self._statement(inner)
        result = self._fresh("local")
        text = (f"const auto {name} = [&](std::uint64_t {argument}) {{ {body} return {argument} + "
                f"{self._integer(inner)}; }}; std::uint64_t {result} = {name}({self._integer(scope)});")
        scope.locals.append(result)
        return text

    def _allocate(self, scope: Scope) -> str | None:
        if not self._structs:
            return None
        struct, name = self._random.choice(self._structs), self._fresh("allocated")
        inner = Scope([*scope.places, Place(f"(*{name})", struct)], scope.functions, scope.recursive, 0,
                      scope.statement_depth + 1, scope.in_lambda, False, list(scope.locals))
        body = " ".join(self._statement(inner) for _ in range(3))
        return f"{{ auto* {name} = new {struct.name}{{}}; try {{ {body} }} catch (...) {{ delete {name}; throw; }} " \
               f"delete {name}; }}"

    # -- functions -----------------------------------------------------------------------------------------------

    def _parameter(self) -> tuple[Field, bool]:
        if self._random.random() < 0.5:
            struct = self._random.choice(self._structs)
            return Field(self._fresh("p"), struct), self._random.random() < 0.6
        return Field(self._fresh("p"), Type("std::uint64_t")), False

    def _function(self, state: Type, functions: list[Function]) -> str:
        parameters = [self._parameter() for _ in range(self._random.randint(0, 3))]
        result = self._random.choice([Type("std::uint64_t"), Type("std::uint64_t"), self._random.choice(self._structs)])
        function = Function(self._fresh("function"), [each for each, _ in parameters],
                            [by_reference for _, by_reference in parameters], result, self._random.random() < 0.3)
        scope = Scope([Place("s", state), Place("s", state), Place("s", state)], list(functions), function,
                      in_try=function.throws)
        for parameter, _ in parameters:
            if parameter.type.kind == "struct":
                scope.places.append(Place(parameter.name, parameter.type))
            else:
                scope.locals.append(parameter.name)
        body = "\n  ".join(self._statement(scope) for _ in range(self._random.randint(3, 6)))
        functions.append(function)
        declared = [f"{each.type.name}{'&' if by_reference else ''} {each.name}" for each, by_reference in parameters]
        value = f"{result.name}{{}}"
        if result.kind == "struct":
            place = self._place(scope, lambda each: each.type.name == result.name and not each.type.count)
            last = place.text if place else value
        else:
            last = self._integer(scope)
        # Without a clone of their own to call, static functions are compiled as part of transactions only.
        attribute = self._choose("[[gnu::noinline]] ", "[[gnu::noinline]] static ", "inline ", "static ", "static ", "")
        return (f"{attribute}{result.name} {function.name}({', '.join(['State& s', 'unsigned depth', *declared])}) {{\n"
                f"  if (s.fuel == 0) return {value};\n  --s.fuel;\n  {body}\n  return {last};\n}}")

    def _run(self, state: Type, functions: list[Function]) -> str:
        scope = Scope([Place("s", state)], functions)
        body = "\n  ".join(self._statement(scope) for _ in range(6))
        return (f"static std::uint64_t run(State& s) {{\n  s.fuel = 300;\n  unsigned depth = 4;\n  {body}\n"
                f"  return {self._integer(scope)} + depth;\n}}\n"
                f"static std::uint64_t digest_of(const State& s) {{\n  Digest sum;\n  digest(sum, s);\n"
                f"  sum.add(global_word);\n  sum.add(global_words);\n  return sum.value();\n}}")


def source_of(seeds: range) -> str:
    """One file with a program for each seed."""
    programs, names = [], []
    for seed in seeds:
        generator = Generator(seed)
        programs.append(generator.program())
        names.append(generator.name)
    rows = "".join(f'    {{"{name}", run_program<{name}::State, {name}::run, {name}::digest_of>}},\n' for name in names)
    return "\n".join(['#include "program.h"', "", "using namespace generated;", "", *programs,
                      f"const generated::Program generated::programs[] = {{\n{rows}    {{nullptr, nullptr}}}};", ""])
