"""Runs Vyper programs and notes which statements begin, with their local variables.

What drawn programs have of Vyper is almost Python. A function becomes a Python function, in which

    for u1: uint256 in self.three:      begin(21)
        d2: decimal = 1.5               for u1 in turns(21, self.three, "uint256"):
                                            begin(22)
                                            d2 = typed("decimal", 1.5)

and whose numbers, arrays and structs are those of `values`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from tests.vyper_programs.values import BY_TEXT, PAIR, UINT, Failed, Mapped, Type, Value

NOT_PYTHON = (
    (re.compile(r"^(struct|event) ", re.MULTILINE), "class "),
    (re.compile(r"^( +)log ", re.MULTILINE), r"\1"),
    (re.compile(r"^( +for \w+): .+? in ", re.MULTILINE), r"\1 in "),
    (re.compile(r"\b(empty|min_value|max_value)\(([^()]+)\)"), r'\1("\2")'),
)
LOOP = re.compile(r"^ +for (\w+): (.+?) in ", re.MULTILINE)
CONSTANTS = {"LIMIT": 7}
MAX_EVENTS = 300


class TooLong(Exception):
    """A call began more statements than `MAX_EVENTS`."""


class Storage:
    """`self`: the storage variables and the functions of a contract."""

    kinds: Mapping[str, Type | None]

    def __init__(self, kinds: Mapping[str, Type | None]) -> None:
        """Variables by name; those without a type are mappings."""
        self.__dict__["kinds"] = kinds
        for name, kind in kinds.items():
            self.__dict__[name] = kind.empty() if kind else Mapped()

    def __setattr__(self, name: str, value: Value) -> None:
        kind = self.kinds[name]
        assert kind
        self.__dict__[name] = kind.value(value)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an external function, or of the constructor."""

    function: str
    arguments: tuple[Value, ...] = ()


DEPLOYMENT = Call("__init__")


@dataclass(frozen=True, slots=True)
class Event:
    """A statement began, or the next turn of a loop, with the local variables then."""

    line: int
    variables: dict[str, Value]
    is_turn: bool = False


@dataclass(slots=True)
class Outcome:
    """What a call did: what began, and the returned value unless it failed."""

    events: list[Event] = field(default_factory=list)
    value: Value = None
    failed: bool = False


class Interpreter:
    """A contract that can be called: its constructor first.

    `functions` and `statements`, by line, are those of the text. `kinds` are the types of all local
    variables, `arguments` the names of those that are parameters.
    """

    def __init__(self, text: str, sender: int) -> None:
        """Read a program in the words of vyper 0.4; `sender` calls it."""
        self.kinds = {name: BY_TEXT[kind] for name, kind in LOOP.findall(text)}
        for pattern, python in NOT_PYTHON:
            text = pattern.sub(python, text)
        self.functions: dict[str, ast.FunctionDef] = {}
        self.statements: dict[int, ast.stmt] = {}
        self.scopes: dict[int, tuple[str, ...]] = {}
        self.arguments: set[str] = set()
        self.outcome = Outcome()
        stored: dict[str, Type | None] = {}
        lines: list[str] = []
        for each in ast.parse(text).body:
            if isinstance(each, ast.FunctionDef):
                self.functions[each.name] = each
                lines += self._function(each)
            elif isinstance(each, ast.AnnAssign) and each.value is None:
                stored[ast.unparse(each.target)] = BY_TEXT.get(ast.unparse(each.annotation))
        self.storage = Storage(stored)
        names: dict[str, Any] = {
            **CONSTANTS,
            "self": self.storage,
            "msg": SimpleNamespace(sender=sender),
            "Pair": lambda **members: PAIR.value(members),
            "Noted": lambda **_: None,
            "len": lambda values: UINT.value(len(values)),
            "empty": lambda kind: BY_TEXT[kind].empty(),
            "min_value": lambda kind: BY_TEXT[kind].low,
            "max_value": lambda kind: BY_TEXT[kind].high,
            "range": _range,
            "typed": lambda kind, value: BY_TEXT[kind].value(value),
            "begin": lambda line: self._begin(line, sys._getframe(1).f_locals),
            "turns": self._turns,
            "check": _check,
        }
        exec("\n".join(lines), names)  # noqa: S102  # what was drawn
        self.names = names
        self.storage.__dict__.update({name: names[name] for name in self.functions})

    def transact(self, call: Call) -> Outcome:
        """Run a call; if it fails, storage is as before. Raises `TooLong`."""
        before = {
            name: kind.value(vars(self.storage)[name]) if kind else Mapped(vars(self.storage)[name])
            for name, kind in self.storage.kinds.items()
        }
        self.outcome = Outcome(failed=True)
        try:
            with suppress(Failed):
                self.outcome.value = self.names[call.function](*call.arguments)
                self.outcome.failed = False
        finally:
            if self.outcome.failed:
                self.storage.__dict__.update(before)
        return self.outcome

    def parameters(self, function: str) -> dict[str, Type]:
        """The parameters of a function."""
        listed = self.functions[function].args.args
        return {
            each.arg: BY_TEXT[ast.unparse(each.annotation)] for each in listed if each.annotation
        }

    def returns(self, function: str) -> Type | None:
        """The type of what a function returns."""
        node = self.functions[function].returns
        return BY_TEXT[ast.unparse(node)] if node else None

    def may_lack_code(self, line: int) -> bool:
        """Whether the compiler may leave a statement out: a jump, a condition that it knows."""
        node = self.statements[line]
        if isinstance(node, ast.If):
            names = {each.id for each in ast.walk(node.test) if isinstance(each, ast.Name)}
            return names <= CONSTANTS.keys()
        return isinstance(node, (ast.Pass, ast.Break, ast.Continue))

    # As Python

    def _function(self, node: ast.FunctionDef) -> list[str]:
        parameters = self.parameters(node.name)
        self.kinds |= parameters
        self.arguments |= parameters.keys()
        lines = [f"    {name} = typed({kind.text!r}, {name})" for name, kind in parameters.items()]
        returns = ast.unparse(node.returns) if node.returns else ""
        body = self._block(node.body, tuple(parameters), "    ", returns)
        return [f"def {node.name}({', '.join(parameters)}):", *lines, *body]

    def _block(
        self, nodes: Sequence[ast.stmt], scope: tuple[str, ...], indent: str, returns: str
    ) -> list[str]:
        lines: list[str] = []
        inner = f"{indent}    "
        for node in nodes:
            self.statements[node.lineno] = node
            self.scopes[node.lineno] = scope
            lines.append(f"{indent}begin({node.lineno})")
            match node:
                case ast.AnnAssign(target=ast.Name(name), value=ast.expr() as value):
                    self.kinds[name] = BY_TEXT[ast.unparse(node.annotation)]
                    scope = (*scope, name)
                    lines.append(f"{indent}{name} = {self._typed(name, value)}")
                case ast.Assign(targets=[ast.Name(name)], value=value):
                    lines.append(f"{indent}{name} = {self._typed(name, value)}")
                case ast.If(test, body, otherwise):
                    lines.append(f"{indent}if {ast.unparse(test)}:")
                    lines += self._block(body, scope, inner, returns)
                    lines += [f"{indent}else:", f"{inner}pass"]
                    lines += self._block(otherwise, scope, inner, returns)
                case ast.For(ast.Name(name), over, body):
                    each = f"turns({node.lineno}, {ast.unparse(over)}, {self.kinds[name].text!r})"
                    lines.append(f"{indent}for {name} in {each}:")
                    lines += self._block(body, (*scope, name), inner, returns)
                case ast.Assert(test):
                    lines.append(f"{indent}check({ast.unparse(test)})")
                case ast.Raise():
                    lines.append(f"{indent}check(False)")
                case ast.Return(ast.expr() as value):
                    lines.append(f"{indent}return typed({returns!r}, {ast.unparse(value)})")
                case _:
                    lines.append(f"{indent}{ast.unparse(node)}")
        return lines

    def _typed(self, name: str, value: ast.expr) -> str:
        return f"typed({self.kinds[name].text!r}, {ast.unparse(value)})"

    # While it runs

    def _begin(self, line: int, variables: Mapping[str, Value], *, is_turn: bool = False) -> None:
        if len(self.outcome.events) >= MAX_EVENTS:
            raise TooLong
        known = {name: self.kinds[name].value(variables[name]) for name in self.scopes[line]}
        self.outcome.events.append(Event(line, known, is_turn))

    def _turns(self, line: int, values: Iterable[Value], kind: str) -> Iterator[Value]:
        for turn, value in enumerate(values):
            if turn:
                self._begin(line, sys._getframe(1).f_locals, is_turn=True)
            yield BY_TEXT[kind].value(value)


def _range(first: int, end: int | None = None, bound: int | None = None) -> range:
    if bound is not None and first > bound:
        raise Failed
    return range(first) if end is None else range(first, end)


def _check(condition: object) -> None:
    if not condition:
        raise Failed
