"""Gas profiles: where transactions used their gas, by call stack, function, line and storage.

    Vault.deposit                 own 4,310   total 31,722
    ├─ Vault._check               own   812
    ├─ Token.transferFrom         own 26,590
    └─ (generated)                own    10   code of the compiler
    (intrinsic gas)               own 21,064

`tracing.gas_recorder` measures, `tracing.gas_attribution` finds the functions and lines. Names in
parentheses are no functions. Refunds are apart: they belong to no line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

GENERATED = "(generated)"
"""Code that the compiler generated without a place in the source."""

INTRINSIC = "(intrinsic gas)"
"""What a transaction costs before code runs."""

DATA_FLOOR = "(floor price of data)"
"""What a transaction with much data pays beyond the gas it uses (EIP-7623), less its refunds."""

INIT_CODE = "(init code)"
"""The price of init code by its size (EIP-3860)."""

DEPOSIT = "(code deposit)"
"""The price of storing the code of a new contract."""

BURNED = "(burned by the failure)"
"""Gas that was left to a message that failed, and that the failure took."""


def is_function(name: str) -> bool:
    """Whether a frame is of a function, and not one of those in parentheses."""
    return not name.startswith("(")


@dataclass(slots=True)
class GasNode:
    """A function at the end of a call stack: its calls, its own gas, and what it called.

    `calls` is 0 for code that was inlined, a modifier for instance, whose calls cannot be counted.
    """

    name: str
    gas: int = 0
    calls: int = 0
    children: dict[str, GasNode] = field(default_factory=dict)

    def child(self, name: str) -> GasNode:
        """The node of a function that this one called."""
        found = self.children.get(name)
        if found is None:
            found = self.children[name] = GasNode(name)
        return found

    @property
    def total(self) -> int:
        """Its gas and that of all below it."""
        return sum(each.gas for _, each in self.walk())

    def walk(self) -> Iterator[tuple[tuple[str, ...], GasNode]]:
        """This node and all below it, each with the names of those above it."""
        pending: list[tuple[tuple[str, ...], GasNode]] = [((), self)]
        while pending:
            above, node = pending.pop()
            yield above, node
            path = (*above, node.name)
            pending += [(path, each) for each in reversed(node.children.values())]


@dataclass(slots=True)
class FunctionGas:
    """Gas of a function in all its calls: its own, and in all, with what it called."""

    name: str
    calls: int = 0
    gas: int = 0
    total: int = 0

    @property
    def average(self) -> int | None:
        """Gas of a call in all; None if calls of it cannot be counted."""
        return round(self.total / self.calls) if self.calls else None


Line = tuple[str, int, str]
"""A path, a line from 1 on, and a note: empty, or `(burned by the failure)`.

For gas without a line it is the function, line 0, and a note such as `(generated)`.
"""


def line_place(line: Line) -> str:
    """A line as text: `Vault.sol:17`, or `Vault.take (generated)` for gas without a line."""
    path, number, note = line
    place = f"{path}:{number}" if number else path
    return f"{place} {note}".strip()


@dataclass(slots=True)
class LineGas:
    """Gas of a line, and the text there.

    `generated` is the part of it that code of the compiler used, which has no line of its own: it
    ran after code of that line.
    """

    gas: int = 0
    generated: int = 0
    text: str = ""


@dataclass(slots=True)
class StorageUse:
    """How often storage was read and written, and the gas of that.

    `cold_gas` is what first accesses in a transaction cost more than later ones (EIP-2929).
    """

    reads: int = 0
    writes: int = 0
    gas: int = 0
    cold_gas: int = 0

    def add(self, other: StorageUse) -> None:
        """Add another's figures."""
        self.reads += other.reads
        self.writes += other.writes
        self.gas += other.gas
        self.cold_gas += other.cold_gas


@dataclass(slots=True)
class GasProfile:
    """Gas of one or several transactions.

    `stacks` is the root of all call stacks: the functions that transactions called are below it.
    `storage` is by contract and variable. Gas by stack and gas by line both sum up to `gas_used` +
    `refunds`.
    """

    stacks: GasNode = field(default_factory=lambda: GasNode(""))
    lines: dict[Line, LineGas] = field(default_factory=dict)
    storage: dict[tuple[str, str], StorageUse] = field(default_factory=dict)
    refunds: int = 0
    transactions: int = 0

    @property
    def gas_used(self) -> int:
        """What the receipts say."""
        return self.gross - self.refunds

    @property
    def gross(self) -> int:
        """The gas before refunds."""
        return self.stacks.total

    def line(self, key: Line, text: str = "") -> LineGas:
        """The gas of a line, to be added to."""
        found = self.lines.get(key)
        if found is None:
            found = self.lines[key] = LineGas(text=text)
        return found

    def functions(self) -> list[FunctionGas]:
        """All functions, the one with the most gas in all first; recursive calls count once."""
        found: dict[str, FunctionGas] = {}
        totals = _totals(self.stacks)
        for above, node in self.stacks.walk():
            if not above or not is_function(node.name):
                continue
            function = found.setdefault(node.name, FunctionGas(node.name))
            function.calls += node.calls
            function.gas += node.gas + sum(
                each.gas for each in node.children.values() if each.name == GENERATED
            )
            if node.name not in above:
                function.total += totals[id(node)]
        return sorted(found.values(), key=lambda each: (-each.total, -each.gas, each.name))

    def sorted_lines(self) -> list[tuple[Line, LineGas]]:
        """All lines, the one with the most gas first."""
        return sorted(self.lines.items(), key=lambda each: (-each[1].gas, each[0]))

    def sorted_storage(self) -> list[tuple[tuple[str, str], StorageUse]]:
        """All variables, the one with the most gas first."""
        return sorted(self.storage.items(), key=lambda each: (-each[1].gas, each[0]))

    def folded(self) -> Iterator[str]:
        """Call stacks with their own gas, a line each: `Vault.deposit;Vault._check 812`.

        It is the input of speedscope, inferno and flamegraph.pl. Refunds are not in it.
        """
        for above, node in self.stacks.walk():
            if node.gas > 0:
                names = (*above[1:], node.name)
                yield f"{';'.join(each.replace(';', ',') for each in names)} {node.gas}"

    # Merging

    def add(self, other: GasProfile) -> None:
        """Add another profile."""
        pending = [(self.stacks, other.stacks)]
        while pending:
            mine, theirs = pending.pop()
            mine.gas += theirs.gas
            mine.calls += theirs.calls
            pending += [(mine.child(name), each) for name, each in theirs.children.items()]
        for key, line in other.lines.items():
            mine_there = self.line(key, line.text)
            mine_there.gas += line.gas
            mine_there.generated += line.generated
        for variable, use in other.storage.items():
            self.storage.setdefault(variable, StorageUse()).add(use)
        self.refunds += other.refunds
        self.transactions += other.transactions

    def to_json(self) -> dict[str, Any]:
        return {
            "stacks": [
                [[*above[1:], node.name], node.gas, node.calls]
                for above, node in self.stacks.walk()
                if above
            ],
            "lines": [
                [*key, each.gas, each.generated, each.text] for key, each in self.lines.items()
            ],
            "storage": [
                [*key, each.reads, each.writes, each.gas, each.cold_gas]
                for key, each in self.storage.items()
            ],
            "refunds": self.refunds,
            "transactions": self.transactions,
        }


def profile_from_json(written: Mapping[str, Any]) -> GasProfile:
    """The profile that `to_json` wrote; an empty one of an empty object."""
    profile = GasProfile(
        refunds=written.get("refunds", 0), transactions=written.get("transactions", 0)
    )
    for names, gas, calls in written.get("stacks", ()):
        node = profile.stacks
        for name in names:
            node = node.child(name)
        node.gas += gas
        node.calls += calls
    for path, number, note, *figures in written.get("lines", ()):
        profile.lines[path, number, note] = LineGas(*figures)
    for contract, variable, *figures in written.get("storage", ()):
        profile.storage[contract, variable] = StorageUse(*figures)
    return profile


def _totals(root: GasNode) -> dict[int, int]:
    order = [node for _, node in root.walk()]
    totals: dict[int, int] = {}
    for node in reversed(order):
        totals[id(node)] = node.gas + sum(totals[id(each)] for each in node.children.values())
    return totals
