"""Outlines of sources: statements, functions, variables and contracts with their ranges."""

from __future__ import annotations

from dataclasses import dataclass

Span = tuple[int, int]  # start and end offset in a source


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement: its range, and the ranges of its own parts, such as the condition of a loop."""

    whole: Span
    parts: tuple[Span, ...]

    @property
    def is_compound(self) -> bool:
        return self.parts != (self.whole,)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function: its name and its type as the compiler writes it.

    `uint256`, `string memory`, `uint256[] calldata`, `struct Vault.Info storage pointer`.
    """

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Local:
    """A local variable: its name, its type as the compiler writes it, and where it has a place.

    It has one from the offset `since` to the end `until` of its block, and its value from
    `assigned` on. Without a name it is one whose size is not known; without a type one of a word.
    """

    name: str
    kind: str
    since: int
    assigned: int
    until: int


@dataclass(frozen=True, slots=True)
class Function:
    """A function with a body; `name` is unique in its source.

    `kind` is modifier, constructor, fallback, receive or function. `modifiers` are those that it
    uses, by name, with the ranges where it names them; `body` is the range of its body. `variables`
    are its local variables in the order in which the compiler gives them places, after those of
    `returns`. `is_internal` is of Vyper: only its own contract can call it.
    """

    name: str
    span: Span
    kind: str = "function"
    parameters: tuple[Parameter, ...] = ()
    modifiers: tuple[tuple[str, Span], ...] = ()
    body: Span = (0, 0)
    returns: tuple[Parameter, ...] = ()
    variables: tuple[Local, ...] = ()
    is_internal: bool = False

    @property
    def own_name(self) -> str:
        """The name without what makes it unique: `take` of `Vault.take#2`."""
        return self.name.partition("#")[0].rpartition(".")[2]

    @property
    def contract(self) -> str:
        return self.name.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class Variable:
    """A state variable: its name, that of its contract (empty in Vyper) and its range."""

    name: str
    contract: str
    span: Span


@dataclass(frozen=True, slots=True)
class ContractRange:
    """A contract of Solidity: its name, its range and the names of those it inherits directly."""

    name: str
    span: Span
    bases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """The statements, functions, state variables and contracts of a source, in source order."""

    statements: tuple[Statement, ...] = ()
    functions: tuple[Function, ...] = ()
    variables: tuple[Variable, ...] = ()
    contracts: tuple[ContractRange, ...] = ()
