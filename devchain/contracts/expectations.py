"""What a test expects of the calls in a `with` block: `reverts` and `expect_emit`."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import EllipsisType, TracebackType
from typing import Self

from eth_hash.auto import keccak

from devchain.contracts.abi import Decoded, Entry, Param
from devchain.contracts.contract import ContractBase, ContractNode, Event
from devchain.errors import ExecutionReverted, InvalidInput, VmError
from devchain.evm.revert_reasons import PANICS
from devchain.text import known_names, misspelt, plural, shown_argument
from devchain.types import Address, Tag, checksum

MAX_LISTED = 10


class reverts:  # noqa: N801  # read as a function: `with reverts("NotOwner"):`
    """Expect that the calls and transactions in the `with` block revert.

    `expected` is the name or signature of a custom error, the whole text of a `require` or
    `revert`, a regular expression (`re.compile`), or the code of a panic (`0x11`). Without it any
    failure is expected, out of gas too. Arguments of a custom error follow by position or name;
    those not given, and `...`, may be anything. Python's keywords get an underscore: `from_=alice`.
    Raises `AssertionError` if the block does not revert like that. Afterwards `error` is the
    `VmError`::

        with reverts("NotOwner", caller=alice):
            vault.withdraw(sender=alice)
    """

    def __init__(
        self,
        expected: str | re.Pattern[str] | int | None = None,
        /,
        *arguments: object,
        **named: object,
    ) -> None:
        """Say what is expected; raises `InvalidInput` for what can be no reason."""
        _check_reason(expected)
        if (arguments or named) and not isinstance(expected, str):
            raise InvalidInput("only a custom error has arguments: give its name first")
        self.error: VmError | None = None
        self._expected = expected
        self._arguments = arguments
        self._named = named

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        __tracebackhide__ = True
        if error is None:
            raise AssertionError(f"nothing reverted, expected {self}")
        expected = VmError if self._expected is None else ExecutionReverted
        if not isinstance(error, expected):
            return False
        self.error = error
        try:
            if self._is_met(error):
                return True
        except InvalidInput as mistake:
            raise InvalidInput(str(mistake)) from None
        _end_at_caller(traceback)
        raise AssertionError(f"expected {self}, got: {error}{self._hint(error)}") from error

    def __str__(self) -> str:
        expected = self._expected
        if expected is None:
            return "a revert"
        if isinstance(expected, re.Pattern):
            return f"a revert whose reason matches {expected.pattern!r}"
        if isinstance(expected, int):
            return f"a panic with code 0x{expected:02x} ({PANICS.get(expected, 'unknown')})"
        arguments = _shown(self._arguments, self._named)
        return f"{expected}({arguments})" if arguments else f"a revert with {expected!r}"

    def _hint(self, error: VmError) -> str:
        expected, custom = self._expected, error.custom_error
        if not isinstance(expected, str):
            return ""
        known = (custom.name, custom.entry.signature) if custom else ()
        if expected not in known and (meant := misspelt(expected.partition("(")[0], known[:1])):
            return f"; did you mean {meant}?"
        if expected and error.has_reason and expected in error.reason:
            return f'; for a part of the text write reverts(re.compile("{expected}"))'
        trace = error.source_trace if not error.has_reason else None
        if expected and trace and expected in trace.reason:
            return f"; {trace.hint}" if trace.hint else ""
        return ""

    def _is_met(self, error: VmError) -> bool:
        expected, custom = self._expected, error.custom_error
        if expected is None:
            return True
        if isinstance(expected, re.Pattern):
            return error.has_reason and expected.search(error.reason) is not None
        if isinstance(expected, int):
            return error.panic_code == expected
        if custom and expected in (custom.name, custom.entry.signature):
            return _fits(custom, self._arguments, self._named)
        has_arguments = self._arguments or self._named
        return error.has_reason and error.reason == expected and not has_arguments


def _check_reason(expected: object) -> None:
    is_pattern = isinstance(expected, re.Pattern) and isinstance(expected.pattern, str)
    is_plain = isinstance(expected, str | int) and not isinstance(expected, bool)
    if expected is None or is_pattern or is_plain:
        return
    hint = ""
    if isinstance(expected, type) and issubclass(expected, BaseException):
        hint = f"; pytest.raises({expected.__name__}) expects an exception"
    raise InvalidInput(
        f"{shown_argument(expected)} is no reason of a revert: give the name of a custom error, "
        f'the whole text of a require, re.compile("text"), the code of a panic, or nothing{hint}'
    )


class BlockExpectation(ABC):
    """What is expected of the blocks mined in a `with` block; `check` looks for it at its end."""

    def __init__(self, node: ContractNode) -> None:
        """Look at the blocks of that node."""
        self._blocks_of, self._start = node, 0

    def __enter__(self) -> Self:
        self._start = self._blocks_of.block_number
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        __tracebackhide__ = True
        if error is None:
            self.check(self._start)

    @abstractmethod
    def check(self, start: int) -> None:
        """Raise `AssertionError` if the blocks after that number are not as expected."""


class expect_emit(BlockExpectation):  # noqa: N801  # read as a function: `with expect_emit(token, "Transfer"):`
    """Expect that a contract emits an event in the blocks mined in the `with` block.

    `event` is its name or signature; its arguments follow as those of `reverts`. Raises
    `AssertionError`, which lists what was emitted. Afterwards `events` are all that fit::

        with expect_emit(token, "Transfer", to=bob, value=5):
            token.transfer(bob, 5)
    """

    def __init__(
        self, contract: ContractBase, event: str, /, *arguments: object, **named: object
    ) -> None:
        """Say what is expected; raises `InvalidInput` for what the ABI does not have."""
        if not isinstance(contract, ContractBase):
            raise InvalidInput(
                f"{shown_argument(contract)} is no contract: give the one that emits, as `deploy` "
                "and `contract` of the node return it"
            )
        if not isinstance(event, str):
            raise InvalidInput(f"{shown_argument(event)} is no event: give its name")
        self.events: list[Event] = []
        self._api = contract.contract.at(Tag.LATEST).contract
        self._event = event
        self._arguments = arguments
        self._named = named
        super().__init__(self._api.chain)
        known = list(self._api.interface.events.values())
        entries = [each for each in known if event in (each.name, each.signature)]
        if not entries:
            hint = known_names(event.partition("(")[0], sorted({each.name for each in known}))
            raise InvalidInput(f"{self._api.name} has no event {event}: {hint}")
        self._meant = _meant_events(entries, arguments, named)

    def check(self, start: int) -> None:
        __tracebackhide__ = True
        emitted: list[Event] = []
        if self._api.chain.block_number > start:
            emitted = self._api.events(from_block=start + 1)
        self.events = [
            event
            for event in emitted
            if event.decoded.entry.signature in self._meant
            and _fits(event.decoded, self._arguments, self._named)
        ]
        if not self.events:
            shown = "; ".join(str(event.decoded) for event in emitted[:MAX_LISTED])
            rest = f" and {len(emitted) - MAX_LISTED} others" if len(emitted) > MAX_LISTED else ""
            raise AssertionError(
                f"{self._api.name} did not emit {self._event}"
                f"({_shown(self._arguments, self._named)}), "
                + (f"but {shown}{rest}" if shown else "nor any other event")
            )


def _end_at_caller(traceback: TracebackType | None) -> None:
    while traceback and traceback.tb_next:
        module = str(traceback.tb_next.tb_frame.f_globals.get("__name__"))
        if module.partition(".")[0] == "devchain":
            traceback.tb_next = None
        traceback = traceback.tb_next


def _meant_events(
    entries: Sequence[Entry], arguments: Sequence[object], named: Mapping[str, object]
) -> set[str]:
    mistakes, meant = [], set()
    for entry in entries:
        try:
            wanted = _wanted(entry, arguments, named)
            for position, value in wanted.items():
                param = entry.inputs[position]
                if not isinstance(value, EllipsisType) and not param.is_hashed:
                    param.encode(value)
        except InvalidInput as mistake:
            mistakes.append(mistake)
        else:
            meant.add(entry.signature)
    if mistakes and not meant:
        raise mistakes[0]
    return meant


def _fits(decoded: Decoded, arguments: Sequence[object], named: Mapping[str, object]) -> bool:
    params = decoded.entry.inputs
    return all(
        isinstance(value, EllipsisType) or _is_value(params[index], decoded[index], value)
        for index, value in _wanted(decoded.entry, arguments, named).items()
    )


def _wanted(
    entry: Entry, arguments: Sequence[object], named: Mapping[str, object]
) -> dict[int, object]:
    params = entry.inputs
    if len(arguments) > len(params):
        raise InvalidInput(
            f"{entry.described} has {plural(len(params), 'argument')}, got {len(arguments)}"
        )
    wanted: dict[int, object] = dict(enumerate(arguments))
    positions = {each.name: index for index, each in enumerate(params)}
    for name, value in named.items():
        position = positions.get(name, positions.get(name.removesuffix("_")))
        if position is None:
            raise InvalidInput(f"{entry.described} has no argument {name}")
        wanted[position] = value
    return wanted


def _is_value(param: Param, actual: object, wanted: object) -> bool:
    if param.is_hashed and isinstance(wanted, str | bytes) and param.kind in {"string", "bytes"}:
        given = wanted.encode() if isinstance(wanted, str) and param.kind == "string" else wanted
        given = bytes.fromhex(given.removeprefix("0x")) if isinstance(given, str) else given
        return actual in (keccak(given), given)
    if param.is_hashed:
        return actual == wanted
    try:
        return param.encode(actual) == param.encode(wanted)
    except InvalidInput:
        return False


def _shown(arguments: Sequence[object], named: Mapping[str, object]) -> str:
    parts = [_text(argument) for argument in arguments]
    return ", ".join([*parts, *(f"{name}={_text(value)}" for name, value in named.items())])


def _text(value: object) -> str:
    address = getattr(value, "canonical", getattr(value, "address", None))
    if isinstance(address, bytes):  # an account or a contract, as events have it
        return checksum(Address(address))
    return "..." if isinstance(value, EllipsisType) else shown_argument(value)
