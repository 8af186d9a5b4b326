"""Gas profiles: where transactions used their gas, by call stack, function, line and storage.

`tracing.gas_recorder` measures the gas of instructions. An instruction counts for the function that
runs, and the line that its source map has. Modifiers and inlined functions have frames of their
own. Code without a source counts for the line that ran before, in the frame `(generated)`; names in
parentheses are no functions. Refunds are apart: they belong to no line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from devchain.contracts.code_map import Location
from devchain.contracts.outline import Function
from devchain.contracts.storage_names import StorageNames
from devchain.errors import ConfigError
from devchain.text import printable
from devchain.tracing.gas_recorder import (
    AT_DEPOSIT,
    AT_ENTRY,
    Context,
    ExecutedCode,
    GasRecorder,
    StorageUse,
    called_function,
    line_before,
)

GENERATED = "(generated)"  # code that the compiler generated without a place in the source
INTRINSIC = "(intrinsic gas)"  # what a transaction costs before code runs

DATA_FLOOR = "(floor price of data)"  # for much data, beyond gas used (EIP-7623), less refunds
INIT_CODE = "(init code)"  # the price of init code by its size (EIP-3860)
DEPOSIT = "(code deposit)"  # the price of storing the code of a new contract

BURNED = "(burned by the failure)"  # what was left to a message that failed, and lost


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
        found = self.children.get(name)
        if found is None:
            found = self.children[name] = GasNode(name)
        return found

    @property
    def total(self) -> int:
        return sum(node.gas for _, node in self.walk())

    def walk(self) -> Iterator[tuple[tuple[str, ...], GasNode]]:
        pending: list[tuple[tuple[str, ...], GasNode]] = [((), self)]
        while pending:
            above, node = pending.pop()
            yield above, node
            path = (*above, node.name)
            pending += [(path, child) for child in reversed(node.children.values())]


@dataclass(slots=True)
class FunctionGas:
    """Gas of a function in all its calls: its own, and in all, with what it called."""

    name: str
    calls: int = 0
    gas: int = 0
    total: int = 0


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
        return self.gross - self.refunds

    @property
    def gross(self) -> int:
        return self.stacks.total

    def line(self, key: Line, text: str = "") -> LineGas:
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
                child.gas for child in node.children.values() if child.name == GENERATED
            )
            if node.name not in above:
                function.total += totals[id(node)]
        return sorted(
            found.values(), key=lambda function: (-function.total, -function.gas, function.name)
        )

    def sorted_lines(self) -> list[tuple[Line, LineGas]]:
        return sorted(self.lines.items(), key=lambda item: (-item[1].gas, item[0]))

    def sorted_storage(self) -> list[tuple[tuple[str, str], StorageUse]]:
        return sorted(self.storage.items(), key=lambda item: (-item[1].gas, item[0]))

    def folded(self) -> Iterator[str]:
        """Call stacks with their own gas, a line each: `Vault.deposit;Vault._check 812`.

        It is the input of speedscope, inferno and flamegraph.pl. Refunds are not in it.
        """
        for above, node in self.stacks.walk():
            if node.gas > 0:
                names = (*above[1:], node.name)
                yield f"{';'.join(name.replace(';', ',') for name in names)} {node.gas}"

    # Merging

    def add(self, other: GasProfile) -> None:
        pending = [(self.stacks, other.stacks)]
        while pending:
            mine, theirs = pending.pop()
            mine.gas += theirs.gas
            mine.calls += theirs.calls
            pending += [(mine.child(name), child) for name, child in theirs.children.items()]
        for key, line in other.lines.items():
            mine_there = self.line(key, line.text)
            mine_there.gas += line.gas
            mine_there.generated += line.generated
        for variable, use in other.storage.items():
            self.storage.setdefault(variable, StorageUse()).add(use)
        self.refunds += other.refunds
        self.transactions += other.transactions

    def __reduce__(self) -> tuple[Any, ...]:
        # Call stacks are pickled as a list: chains of calls may be longer than pickle recurses.
        stacks = [
            ((*above[1:], node.name), node.gas, node.calls)
            for above, node in self.stacks.walk()
            if above
        ]
        return _profile_of, (stacks, self.lines, self.storage, self.refunds, self.transactions)


def _profile_of(stacks: Iterable[tuple[tuple[str, ...], int, int]], *others: Any) -> GasProfile:
    profile = GasProfile(GasNode(""), *others)
    for names, gas, calls in stacks:
        node = profile.stacks
        for name in names:
            node = node.child(name)
        node.gas, node.calls = gas, calls
    return profile


def _totals(root: GasNode) -> dict[int, int]:
    order = [node for _, node in root.walk()]
    totals: dict[int, int] = {}
    for node in reversed(order):
        totals[id(node)] = node.gas + sum(totals[id(child)] for child in node.children.values())
    return totals


# Attribution of recorded gas

SPECIAL = {AT_ENTRY: INIT_CODE, AT_DEPOSIT: DEPOSIT}


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where code runs: the frame and the function.

    `above` are the functions of the message that called this one, with their frames.
    """

    node: GasNode
    function: Function | None
    above: tuple[tuple[Function, GasNode], ...] = ()


@dataclass(frozen=True, slots=True)
class _Place:
    node: GasNode
    function: Function | None
    location: Location | None = None
    is_generated: bool = False


def gas_profile(recorder: GasRecorder) -> GasProfile:
    profile = GasProfile(refunds=recorder.refunds, transactions=recorder.transactions)
    for name, gas in (
        (INTRINSIC, recorder.intrinsic),
        (DATA_FLOOR, recorder.floor),
        (BURNED, recorder.burned),
    ):
        if gas:
            profile.stacks.child(name).gas += gas
            profile.line(("", 0, name)).gas += gas
    folder = _Folder(profile)
    for message in recorder.root.messages.values():
        folder.add_message(message, profile.stacks)
    _add_storage(profile, recorder)
    return profile


class _Folder:
    def __init__(self, profile: GasProfile) -> None:
        self._profile = profile

    def add_message(self, first: Context, caller: GasNode) -> None:
        pending = [partial(self._message, first, caller)]
        while pending:  # chains of calls may be longer than Python's recursion limit
            context, scope = pending.pop()()
            for offset, gas in context.gas.items():
                self._add(context, scope, offset, gas)
            for offset, gas in context.burned.items():
                self._add_burned(context, scope, offset, gas)
            pending += [
                partial(self._internal, called, scope) for called in context.internal.values()
            ]
            for message in context.messages.values():
                place = self._place(context, scope, message.place)
                pending.append(partial(self._message, message, place.node))

    def _message(self, context: Context, caller: GasNode) -> tuple[Context, _Scope]:
        code, name = context.code, context.function
        node = caller.child(f"{code.contract}.{name}" if name else code.contract)
        node.calls += context.calls
        function = called_function(code.code_map, context.selector) if code.code_map else None
        return context, _Scope(node, function)

    def _internal(self, context: Context, scope: _Scope) -> tuple[Context, _Scope]:
        code_map = context.code.code_map
        site = self._place(context, scope, context.place)
        function = code_map.entered(context.target or 0, scope.function) if code_map else None
        if code_map is None or function is None:
            return context, replace(scope, node=site.node, function=site.function)
        here = None if site.is_generated else site.location
        is_chosen = here is None or here.function is None or here.span == function.span
        if is_chosen and function is scope.function:
            return context, scope  # no call: the choice of the function has come to it
        above = scope.above
        if site.function is not None:
            above = (*above, (site.function, site.node))
        node = site.node.child(_label(code_map.location_of(function), function))
        node.calls += context.calls
        return context, _Scope(node, function, above)

    @staticmethod
    def _place(context: Context, scope: _Scope, place: int) -> _Place:
        code_map, offset = context.code.code_map, place if place >= 0 else line_before(place)
        location = code_map.location(offset) if code_map and offset is not None else None
        is_generated = place < 0
        if location and code_map and code_map.is_optimized:
            location = location if code_map.may_run(scope.function, location) else None
        if location is None:
            return _Place(scope.node, scope.function, None, is_generated)
        found, node = location.function, scope.node
        if found is None or found is scope.function:
            return _Place(node, found or scope.function, location, is_generated)
        for function, each in reversed(scope.above):
            if function is found:
                return _Place(each, found, location, is_generated)
        return _Place(node.child(_label(location, found)), found, location, is_generated)

    def _add(self, context: Context, scope: _Scope, offset: int, gas: int) -> None:
        if offset in SPECIAL and (context.code.creating or offset == AT_DEPOSIT):
            name = SPECIAL[offset]
            scope.node.child(name).gas += gas
            self._profile.line((scope.node.name, 0, name)).gas += gas
            return
        if context.code.code_map is None:
            scope.node.gas += gas
            self._profile.line((scope.node.name, 0, "")).gas += gas
            return
        place = self._place(context, scope, offset)
        node = place.node.child(GENERATED) if place.is_generated else place.node
        node.gas += gas
        line = self._line(place, "" if place.location else GENERATED)
        line.gas += gas
        line.generated += gas if place.is_generated else 0

    def _add_burned(self, context: Context, scope: _Scope, offset: int, gas: int) -> None:
        place = self._place(context, scope, offset)
        place.node.child(BURNED).gas += gas
        self._line(place, BURNED).gas += gas

    def _line(self, place: _Place, note: str) -> LineGas:
        location = place.location
        if location is None:
            return self._profile.line((place.node.name, 0, note))
        number = location.line
        text = location.file.text_of_line(number).strip()
        return self._profile.line((location.path, number, note), text)


def _label(location: Location | None, function: Function) -> str:
    if function.contract or location is None or not location.file.is_vyper:
        return function.name
    return f"{PurePosixPath(location.path).stem}.{function.name}"


# Storage


def _add_storage(profile: GasProfile, recorder: GasRecorder) -> None:
    # What a proxy delegates to has the names, and of a library the contract that uses it.
    known: dict[int, StorageNames] = {}

    def name(code: ExecutedCode, slot: int) -> str | None:
        if id(code) not in known:
            layout = code.artifact.storage_layout if code.artifact else None
            known[id(code)] = StorageNames([layout], recorder.preimages, recorder.address_text)
        return known[id(code)].find(slot)

    for (owner, code, slot), use in recorder.storage.items():
        own = recorder.owners.get(owner, code)
        variable = name(code, slot) or name(own, slot) or f"slot {slot:#x}"
        profile.storage.setdefault((own.contract, variable), StorageUse()).add(use)


# Files

FOLDED = (".folded", ".txt")  # files that get stacks in lines; others get speedscope's JSON


def check_suffix(path: str) -> None:
    """Raise `ConfigError` for a file with the suffix of another format."""
    suffix = Path(path).suffix.lower()
    if suffix not in {"", ".json", *FOLDED}:
        raise ConfigError(
            f"a flame graph is JSON for speedscope, or stacks in lines: {path} ends in {suffix}, "
            f"name it .json, or {' or '.join(FOLDED)}"
        )


def write_flame_graph(profile: GasProfile, path: str) -> None:
    """Write JSON for speedscope, or stacks in lines if the name ends in `.folded` or `.txt`."""
    if path.lower().endswith(FOLDED):
        content = "".join(f"{printable(line)}\n" for line in profile.folded())
    else:
        content = json.dumps(speedscope_object(profile))
    Path(path).write_text(content, encoding="utf-8", errors="replace")


def speedscope_object(profile: GasProfile) -> dict[str, Any]:
    """The call stacks as JSON for https://www.speedscope.app, a sample for each with its gas."""
    frames: dict[str, int] = {}
    samples, weights = [], []
    for above, node in profile.stacks.walk():
        if node.gas > 0:
            names = [printable(name) for name in (*above[1:], node.name)]
            samples.append([frames.setdefault(name, len(frames)) for name in names])
            weights.append(node.gas)
    return {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "exporter": "devchain",
        "shared": {"frames": [{"name": name} for name in frames]},
        "profiles": [
            {
                "type": "sampled",
                "name": f"gas of {profile.transactions:,} transactions",
                "unit": "none",
                "startValue": 0,
                "endValue": sum(weights),
                "samples": samples,
                "weights": weights,
            }
        ],
    }
