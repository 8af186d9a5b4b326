"""Drawn Vyper programs: every kind of statement, with calls that fail at times.

In which order vyper evaluates operands is no matter: what has a side effect, an internal call or a
`pop`, has operands beside it that can neither fail nor change. The left operand of arithmetic is a
variable, so that its type is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random

from tests.vyper_programs.interpreter import DEPLOYMENT, Call, Interpreter, TooLong
from tests.vyper_programs.values import (
    ADDRESS,
    ARRAY,
    BOOL,
    DECIMAL,
    INT,
    LIST,
    PAIR,
    SIGNS,
    TYPES,
    UINT,
    Type,
    Value,
)

SENDER = 0xF39FD6E51AAD88F6F4CE6AB8827279CFFFB92266
"""The first account of a node."""

ADDRESSES = {
    SENDER: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    int("11" * 20, 16): f"0x{'11' * 20}",
    0: f"0x{'00' * 20}",
}
NUMBERS = (UINT, INT, DECIMAL)
WORDS = (*NUMBERS, ADDRESS, BOOL)
ARRAYS = (LIST, SIGNS, ARRAY)
STORAGE = {
    "amount": UINT,
    "level": INT,
    "rate": DECIMAL,
    "owner": ADDRESS,
    "ready": BOOL,
    "three": LIST,
    "signs": SIGNS,
    "queue": ARRAY,
    "pair": PAIR,
}
DECLARATIONS = "\n".join((
    "# pragma version ⟦~=0.4.0|~=0.3.10⟧",
    "⟦# pragma enable-decimals|⟧",
    "struct Pair:\n    first: uint256\n    second: int128",
    "event Noted:\n    place: uint256\n    value: uint256",
    "LIMIT: constant(uint256) = 7",
    *(f"{name}: {kind.text}" for name, kind in STORAGE.items()),
    "held: HashMap[uint256, uint256]",
))  # fmt: skip
ALTERNATIVE = re.compile(r"⟦([^|⟧]*)\|([^⟧]*)⟧")
STATEMENTS = {
    "declaration": 6,
    "assignment": 6,
    "augmented": 4,
    "append": 2,
    "pop": 1,
    "assert": 2,
    "log": 1,
    "pass": 1,
    "call": 3,
}
"""Statements after which others follow, with their weights."""

CONSTANT_CONDITIONS = ("True", "False", "LIMIT > 3", "LIMIT == 3")
INDENT = "    "
CALLS = 6

Lines = list[str]


@dataclass(frozen=True, slots=True)
class Program:
    """A source, with `⟦new|old⟧` where the words of vyper 0.4 and 0.3 differ, and calls of it."""

    source: str
    calls: tuple[Call, ...]

    def text(self, version: str = "0.4") -> str:
        """The source in the words of a version of vyper."""
        group = 2 if version.startswith("0.3") else 1
        return ALTERNATIVE.sub(lambda found: found[group], self.source)


@dataclass(frozen=True, slots=True)
class Function:
    """The signature and text of a function."""

    name: str
    parameters: Sequence[tuple[str, Type]]
    returns: Type | None
    text: str


def draw_program(seed: int, size: int | None = None) -> Program:
    """The program of a seed; `size` is about how many statements a block has."""
    rng = Random(f"program {seed}")  # noqa: S311  # reproducible
    drawing = _Drawing(rng, size or rng.choice((1, 2, 2, 3, 3, 4)))
    constructor = drawing.constructor()
    inner = [drawing.function(f"_inner{place}", "internal") for place in range(rng.randint(1, 3))]
    outer = [drawing.function(f"outer{place}", "external") for place in range(rng.randint(1, 3))]
    texts = [DECLARATIONS, *(each.text for each in (constructor, *inner, *outer))]
    source = "\n\n\n".join(texts) + "\n"
    interpreter = Interpreter(Program(source, ()).text(), SENDER)
    interpreter.transact(DEPLOYMENT)
    calls = []
    for _ in range(CALLS):
        function = rng.choice(outer)
        values = (draw_value(kind, rng) for _, kind in function.parameters)
        call = Call(function.name, tuple(values))
        with suppress(TooLong):
            interpreter.transact(call)
            calls.append(call)
    return Program(source, tuple(calls))


def draw_value(kind: Type, rng: Random) -> Value:
    """A value, whose numbers are mostly small."""
    if kind.item:
        count = rng.randint(0, kind.size) if kind.is_dynamic else kind.size
        return [draw_value(kind.item, rng) for _ in range(count)]
    if kind.members:
        return {name: draw_value(each, rng) for name, each in kind.members.items()}
    if kind in {ADDRESS, BOOL}:
        return rng.choice(list(ADDRESSES)) if kind is ADDRESS else rng.random() < 0.5
    small = rng.choice((0, 1, 1, 2, 2, 3, 4, 7))
    if kind is DECIMAL:
        return rng.choice((small, -small)) + rng.choice((0.0, 0.5))
    if rng.random() < 0.03:
        return rng.choice((kind.low, kind.high))
    return rng.choice((small, small, -small)) if kind is INT else small


def text_of(kind: Type, value: Value) -> str:
    """A literal."""
    if kind.item:
        return f"[{', '.join(text_of(kind.item, each) for each in value)}]"
    if kind.members:
        return _pair([text_of(each, value[name]) for name, each in kind.members.items()])
    if kind is ADDRESS:
        return ADDRESSES[value]
    if kind in {UINT, INT} and value and value in {kind.low, kind.high}:
        return f"{'min' if value == kind.low else 'max'}_value({kind.text})"
    return str(value)


def _pair(members: Sequence[str]) -> str:
    return f"Pair(⟦|{{⟧first⟦=|: ⟧{members[0]}, second⟦=|: ⟧{members[1]}⟦|}}⟧)"


def _operators(kind: Type) -> list[str]:
    return ["+", "+", "+", "-", "*", *(() if kind is DECIMAL else ("⟦//|/⟧", "%"))]


class _Drawing:
    """A program as it is drawn, with the scope of the statement that is drawn."""

    def __init__(self, rng: Random, size: int) -> None:
        self.rng = rng
        self.size = size
        self.names = 0
        self.inner: list[Function] = []
        """Functions that can be called."""
        self.scope: dict[str, Type] = {}
        self.fixed: set[str] = set()
        """What is not assigned to: arguments in call data, what a loop goes through."""
        self.is_loop_over_storage = False
        self.returns: Type | None = None

    def _chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def _name(self, kind: Type) -> str:
        self.names += 1
        return f"{kind.text[0].lower()}{self.names}"

    # Functions

    def constructor(self) -> Function:
        """A constructor that does not fail, and without `return`, which vyper refuses there."""
        while True:
            found = self._function("__init__", "⟦deploy|external⟧", (), None)
            text = Program(f"{DECLARATIONS}\n{found.text}", ()).text()
            if "return" in text or Interpreter(text, SENDER).transact(DEPLOYMENT).failed:
                continue
            return found

    def function(self, name: str, decorator: str) -> Function:
        """An internal function, which later ones call, or an external one."""
        kinds = self.rng.choices(TYPES, (4, 2, 1, 1, 2, 1, 1, 2, 1), k=self.rng.randint(0, 3))
        parameters = [(self._name(kind), kind) for kind in kinds]
        returns = self.rng.choice((None, *WORDS, UINT, UINT, BOOL, ARRAY, PAIR))
        found = self._function(name, decorator, parameters, returns)
        if decorator == "internal":
            self.inner.append(found)
        return found

    def _function(
        self,
        name: str,
        decorator: str,
        parameters: Sequence[tuple[str, Type]],
        returns: Type | None,
    ) -> Function:
        self.scope, self.returns = dict(parameters), returns
        self.fixed = set() if decorator == "internal" else set(self.scope)
        body, ends = self._block(0, in_loop=False)
        if returns and not ends:
            body.append(f"{INDENT}{self._return()}")
        listed = ", ".join(f"{name}: {kind.text}" for name, kind in parameters)
        header = f"def {name}({listed}){f' -> {returns.text}' if returns else ''}:"
        text = "\n".join([f"@{decorator}", header, *body])
        return Function(name, parameters, returns, text)

    # Statements: each gives lines, and whether none may follow

    def _block(self, depth: int, *, in_loop: bool) -> tuple[Lines, bool]:
        scope, lines, ends = dict(self.scope), Lines(), False
        count = self.rng.randint(1, max(1, self.size + 1 - depth // 2))
        while count and not ends:
            found, ends = self._statement(depth, in_loop=in_loop)
            lines += found
            count -= 1
        self.scope = scope
        return [f"{INDENT}{line}" for line in lines], ends

    def _statement(self, depth: int, *, in_loop: bool) -> tuple[Lines, bool]:
        compound = {"if": 8 if depth < 3 else 0, "for": 5 if depth < 2 else 0}
        leaving = {"return": 2 if depth else 0, "raise": 1 if depth else 0}
        leaving |= {"break": 2 if in_loop else 0, "continue": 2 if in_loop else 0}
        weights = STATEMENTS | compound | leaving
        [kind] = self.rng.choices(list(weights), list(weights.values()))
        if kind == "if":
            return self._if(depth, in_loop=in_loop)
        if kind == "for":
            return self._loop(depth), False
        return [self._simple(kind)], kind in leaving

    def _simple(self, kind: str) -> str:
        draw: dict[str, Callable[[], str]] = {
            "declaration": self._declaration,
            "assignment": self._assignment,
            "augmented": self._augmented,
            "append": lambda: self._array_change("append({})"),
            "pop": lambda: self._array_change("pop()"),
            "assert": self._assertion,
            "log": self._log,
            "call": lambda: self._call(self.rng.choice(self.inner)) if self._may_call() else "pass",
            "return": self._return,
            "raise": lambda: self.rng.choice(("raise", 'raise "stop"', "raise UNREACHABLE")),
        }
        return draw[kind]() if kind in draw else kind

    def _declaration(self) -> str:
        [kind] = self.rng.choices(TYPES, (6, 3, 2, 2, 3, 2, 1, 3, 2))
        value = self._effect(kind) or self._value(kind)
        name = self._name(kind)
        self.scope[name] = kind
        return f"{name}: {kind.text} = {value}"

    def _assignment(self) -> str:
        name, kind = self._target(TYPES)
        if effect := self._effect(kind):
            return f"{name} = {effect}"
        if not kind.is_word and self._chance(0.6):
            if kind.item:
                return f"{name}[{self._index()}] = {self._value(kind.item)}"
            member, inner = self.rng.choice(list(kind.members.items()))
            return f"{name}.{member} = {self._value(inner)}"
        if not self.is_loop_over_storage and self._chance(0.15):
            return f"self.held[{self._atom(UINT)}] = {self._value(UINT)}"
        value = self._value(kind)
        return f"{name} = {value}" if value != name else "pass"

    def _augmented(self) -> str:
        name, kind = self._target(NUMBERS)
        sign = self.rng.choice(_operators(kind))
        value = self._value(kind, 1) if sign in "+-*" else self._divisor(kind)
        return f"{name} {sign}= {value}"

    def _array_change(self, method: str) -> str:
        name, kind = self._target((ARRAY,))
        return f"{name}.{method.format(self._value(UINT))}" if kind is ARRAY else "pass"

    def _assertion(self) -> str:
        reason = self.rng.choice(("", "", ', "refused"', ", UNREACHABLE"))
        return f"assert {self._condition()}{reason}"

    def _log(self) -> str:
        value = self._effect(UINT) or self._value(UINT)
        return f"log Noted(⟦place=|⟧{self._atom(UINT)}, ⟦value=|⟧{value})"

    def _return(self) -> str:
        if self.returns is None:
            return "return"
        return f"return {self._effect(self.returns) or self._value(self.returns)}"

    def _if(self, depth: int, *, in_loop: bool) -> tuple[Lines, bool]:
        is_constant = self._chance(0.08)
        condition = self.rng.choice(CONSTANT_CONDITIONS) if is_constant else self._condition()
        body, ends = self._block(depth + 1, in_loop=in_loop)
        lines = [f"if {condition}:", *body]
        shape = self.rng.random()
        if shape < 0.25 and depth < 3:
            [first, *otherwise], other_ends = self._if(depth + 1, in_loop=in_loop)
            return [*lines, f"el{first}", *otherwise], ends and other_ends
        if shape < 0.6:
            otherwise, other_ends = self._block(depth + 1, in_loop=in_loop)
            return [*lines, "else:", *otherwise], ends and other_ends
        return lines, False

    def _loop(self, depth: int) -> Lines:
        kind, over = self._iterated()
        name = self._name(kind)
        outer = dict(self.scope), self.fixed, self.is_loop_over_storage
        self.scope[name] = kind
        self.fixed = self.fixed | {name, over}
        self.is_loop_over_storage |= over.startswith("self.")
        body, _ = self._block(depth + 1, in_loop=True)
        self.scope, self.fixed, self.is_loop_over_storage = outer
        return [f"for {name}⟦: {kind.text}|⟧ in {over}:", *body]

    def _iterated(self) -> tuple[Type, str]:
        """What a loop goes through, with the type of its variable."""
        match self.rng.choice(("variable", "variable", "literal", "range", "range", "bounded")):
            case "variable":
                name, kind = self.rng.choice([e for e in self._variables() if e[1] in ARRAYS])
                assert kind.item
                return kind.item, name
            case "literal":
                kind = self.rng.choice((UINT, INT))
                count = self.rng.randint(1, 3)
                values = [text_of(kind, draw_value(kind, self.rng)) for _ in range(count)]
                return kind, f"[{', '.join(values)}]"
            case "range":
                first = self.rng.choice((0, 0, 1))
                end = first + self.rng.randint(1, 3)
                return UINT, f"range({first}, {end})" if first else f"range({end})"
        return UINT, f"range({self._variable(UINT)}, bound=4)"

    # Variables

    def _variables(self) -> list[tuple[str, Type]]:
        return [*self.scope.items(), *((f"self.{name}", each) for name, each in STORAGE.items())]

    def _target(self, kinds: Sequence[Type]) -> tuple[str, Type]:
        """A variable to assign to, mostly a local one."""
        found = [each for each in self._variables() if each[1] in kinds]
        found = [each for each in found if each[0] not in self.fixed]
        local = [each for each in found if each[0] in self.scope]
        # There is one array in storage, and a loop may go through it.
        found = (local if self._chance(0.7) else found) or found or [("self.amount", UINT)]
        return self.rng.choice(found)

    def _variable(self, kind: Type) -> str:
        """A variable; of words perhaps an item of another one."""
        found = []
        for name, each in self._variables():
            if each is kind:
                found.append(name)
            if each.item is kind:
                found.append(f"{name}[{self._index()}]")
            if each is ARRAY and kind is UINT:
                found.append(f"len({name})")
            found += [f"{name}.{member}" for member, it in each.members.items() if it is kind]
        local = [each for each in found if "self." not in each]
        if kind is UINT and self._chance(0.05):
            return f"self.held[{self._atom(UINT)}]"
        if kind is ADDRESS and self._chance(0.2):
            return "msg.sender"
        return self.rng.choice(local if local and self._chance(0.6) else found)

    def _whole(self, kind: Type) -> str:
        """A variable that is no part of another one."""
        return self.rng.choice([name for name, each in self._variables() if each is kind])

    def _index(self) -> str:
        """An index, which is out of range at times."""
        names = [name for name, kind in self.scope.items() if kind is UINT]
        if not names or self._chance(0.4):
            return str(self.rng.randrange(2))
        return f"{self.rng.choice(names)}{' % 3' if self._chance(0.5) else ''}"

    # Values

    def _literal(self, kind: Type) -> str:
        return text_of(kind, draw_value(kind, self.rng))

    def _atom(self, kind: Type) -> str:
        """What neither fails nor changes in a call: a local variable or a literal."""
        names = [name for name, each in self.scope.items() if each is kind]
        is_named = names and self._chance(0.7)
        return self.rng.choice(names) if is_named else self._literal(kind)

    def _value(self, kind: Type, depth: int = 2) -> str:
        """A value without side effects; perhaps it fails."""
        choice = self.rng.random()
        if depth == 0 or choice < 0.25:
            return self._variable(kind) if self._chance(0.7) else self._literal(kind)
        if choice < 0.4:
            return self._ternary(kind, depth - 1)
        if kind in NUMBERS:
            return self._arithmetic(kind, depth - 1)
        if not kind.is_word:
            return self._composed(kind, depth - 1)
        return self._condition(depth - 1) if kind is BOOL else self._variable(kind)

    def _composed(self, kind: Type, depth: int) -> str:
        """A struct or an array of values, at times on several lines."""
        if self._chance(0.25):
            return f"empty({kind.text})"
        if kind.members:
            return _pair([self._value(each, depth) for each in kind.members.values()])
        assert kind.item
        count = self.rng.randint(1, kind.size) if kind.is_dynamic else kind.size
        separator = f",\n{INDENT * 4}" if self._chance(0.1) else ", "
        return f"[{separator.join(self._value(kind.item, depth) for _ in range(count))}]"

    def _ternary(self, kind: Type, depth: int) -> str:
        # Vyper fails itself at a choice between an array and `empty`.
        one, other = (
            self._value(kind, depth) if kind.is_word else self._whole(kind) for _ in range(2)
        )
        return f"({one} if {self._condition(depth)} else {other})"

    def _arithmetic(self, kind: Type, depth: int) -> str:
        sign, one = self.rng.choice(_operators(kind)), self._variable(kind)
        if kind is UINT and self._chance(0.15):
            return f"{self.rng.choice(('min', 'max'))}({one}, {self._value(kind, depth)})"
        other = self._value(kind, depth) if sign in "+-*" else self._divisor(kind)
        return f"({one} {sign} {other})"

    def _divisor(self, kind: Type) -> str:
        """What to divide by, which is zero at times; vyper refuses the literal."""
        return self._variable(kind) if self._chance(0.4) else "2"

    def _condition(self, depth: int = 1) -> str:
        choice = self.rng.random()
        if choice < 0.1 and depth == 1 and (effect := self._effect(BOOL)):
            return effect
        if choice < 0.6 or depth <= 0:
            return self._comparison(depth)
        if choice < 0.75:
            return self._variable(BOOL)
        one = self._condition(depth - 1)
        if choice < 0.85:
            return f"not {one}"
        return f"({one} {self.rng.choice(('and', 'or'))} {self._condition(depth - 1)})"

    def _comparison(self, depth: int) -> str:
        kind = self.rng.choice((*NUMBERS, UINT, UINT, ADDRESS, ARRAY))
        if kind is ARRAY:
            return f"({self._atom(UINT)} in {self._whole(ARRAY)})"
        signs = ("==", "!=") if kind is ADDRESS else ("==", "!=", "<", "<=", ">", ">=")
        return f"({self._variable(kind)} {self.rng.choice(signs)} {self._value(kind, depth)})"

    # Side effects

    def _may_call(self) -> bool:
        return bool(self.inner) and not self.is_loop_over_storage

    def _effect(self, kind: Type) -> str:
        """At times an internal call or a `pop` that gives a value of a type, else nothing."""
        if self._chance(0.75):
            return ""
        functions = [each for each in self.inner if each.returns is kind]
        if not (functions and self._may_call()):
            name, found = self._target((ARRAY,))
            return f"{name}.pop()" if kind is UINT and found is ARRAY else ""
        call = self._call(self.rng.choice(functions))
        is_beside = kind in {UINT, INT} and self._chance(0.4)
        return f"({call} + {self._atom(kind)})" if is_beside else call

    def _call(self, function: Function) -> str:
        arguments = (self._atom(kind) for _, kind in function.parameters)
        return f"self.{function.name}({', '.join(arguments)})"
