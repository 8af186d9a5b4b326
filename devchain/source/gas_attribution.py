"""Attribution of recorded gas: instructions become functions and lines of the source.

An instruction counts for the function that runs, and the line that its source map has:

    Vault.sol:17  amount - fee           in Vault.take, line 17
    Vault.sol:9   require(owner)         a modifier, or a function that was inlined: its own frame
    no source     checked subtraction    ran after line 17: line 17, in the frame (generated)
    no source     decoding of arguments  of Vault.take, without a line, in the frame (generated)

Code that optimizers may have merged with equal code of other statements counts as having no source,
as does what the map gives to a whole contract: the choice of the function that is called.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath

from devchain.contracts.gas_profile import (
    BURNED,
    DATA_FLOOR,
    DEPOSIT,
    GENERATED,
    INIT_CODE,
    INTRINSIC,
    GasNode,
    GasProfile,
    LineGas,
    StorageUse,
)
from devchain.contracts.storage_names import StorageNames
from devchain.contracts.syntax_tree import Function
from devchain.source.map import Position
from devchain.tracing.gas_recorder import (
    AT_DEPOSIT,
    AT_ENTRY,
    Context,
    ExecutedCode,
    GasRecorder,
    called_function,
    line_before,
)

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
    """The frame, function and position of an instruction; of generated code, of that before it."""

    node: GasNode
    function: Function | None
    position: Position | None = None
    is_generated: bool = False


def gas_profile(recorder: GasRecorder) -> GasProfile:
    """The profile of what has been recorded so far."""
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
    for each in recorder.root.messages.values():
        folder.add_message(each, profile.stacks)
    _add_storage(profile, recorder)
    return profile


class _Folder:
    """Adds contexts to a profile."""

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
            pending += [partial(self._internal, each, scope) for each in context.internal.values()]
            for each in context.messages.values():
                place = self._place(context, scope, each.place)
                pending.append(partial(self._message, each, place.node))

    def _message(self, context: Context, caller: GasNode) -> tuple[Context, _Scope]:
        code, name = context.code, context.function
        node = caller.child(f"{code.contract}.{name}" if name else code.contract)
        node.calls += context.calls
        function = called_function(code.code_map, context.selector) if code.code_map else None
        return context, _Scope(node, function)

    def _internal(self, context: Context, scope: _Scope) -> tuple[Context, _Scope]:
        code_map = context.code.code_map
        site = self._place(context, scope, context.place)
        function = code_map.function_at(context.target or 0) if code_map else None
        if code_map is None or function is None:
            return context, replace(scope, node=site.node, function=site.function)
        here = None if site.is_generated else site.position
        is_chosen = here is None or here.function is None or here.span == function.span
        if is_chosen and function is scope.function:
            return context, scope  # no call: the choice of the function has come to it
        above = scope.above
        if site.function is not None:
            above = (*above, (site.function, site.node))
        node = site.node.child(_label(code_map.position_of(function), function))
        node.calls += context.calls
        return context, _Scope(node, function, above)

    @staticmethod
    def _place(context: Context, scope: _Scope, place: int) -> _Place:
        code_map, offset = context.code.code_map, place if place >= 0 else line_before(place)
        position = code_map.position(offset) if code_map and offset is not None else None
        is_generated = place < 0
        if position is None:
            return _Place(scope.node, scope.function, None, is_generated)
        found, node = position.function, scope.node
        if found is None or found is scope.function:
            return _Place(node, found or scope.function, position, is_generated)
        for function, each in reversed(scope.above):
            if function is found:
                return _Place(each, found, position, is_generated)
        return _Place(node.child(_label(position, found)), found, position, is_generated)

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
        line = self._line(place, "" if place.position else GENERATED)
        line.gas += gas
        line.generated += gas if place.is_generated else 0

    def _add_burned(self, context: Context, scope: _Scope, offset: int, gas: int) -> None:
        place = self._place(context, scope, offset)
        place.node.child(BURNED).gas += gas
        self._line(place, BURNED).gas += gas

    def _line(self, place: _Place, note: str) -> LineGas:
        position = place.position
        if position is None:
            return self._profile.line((place.node.name, 0, note))
        number = position.line
        text = position.file.text_of_line(number).strip()
        return self._profile.line((position.path, number, note), text)


def _label(position: Position | None, function: Function) -> str:
    if function.contract or position is None or not position.file.is_vyper:
        return function.name
    return f"{PurePosixPath(position.path).stem}.{function.name}"


# Storage


def _add_storage(profile: GasProfile, recorder: GasRecorder) -> None:
    # What a proxy delegates to has the names, and of a library the contract that uses it.
    known: dict[int, StorageNames] = {}

    def name(code: ExecutedCode, slot: int) -> str | None:
        if id(code) not in known:
            layout = code.artifact.storage_layout if code.artifact else None
            known[id(code)] = StorageNames(layout, recorder.preimages, recorder.address_text)
        return known[id(code)].find(slot)

    for (owner, code, slot), use in recorder.storage.items():
        own = recorder.owners.get(owner, code)
        variable = name(code, slot) or name(own, slot) or f"slot {slot:#x}"
        profile.storage.setdefault((own.contract, variable), StorageUse()).add(use)
