"""Calls, events, return values and errors as text, with the names of artifacts.

An address is followed by the name of the contract there, `0x12.. (Token)`, and what a contract's
own artifact does not have is looked up in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from devchain.contracts.abi import (
    MAX_VALUE_LENGTH,
    SELECTOR,
    Abi,
    Decoded,
    Entry,
    EnumText,
    Param,
    format_arguments,
    format_value,
)
from devchain.contracts.abi_decoder import Undecoded
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact
from devchain.contracts.proxies import MINIMAL_PROXY
from devchain.contracts.value_types import AddressText
from devchain.evm.revert_reasons import decode_error_or_panic
from devchain.types import WORD_SIZE, Address, Hash32, checksum

MAX_PRECOMPILED = 2**32 - 1  # the highest address that a precompiled contract may have
MAX_VALUES = 64  # arguments, and calls in each of them
MAX_WHOLE = 100_000  # characters of an array, about
MAX_RAW = 36  # bytes that are shown of data whose types are not known: a selector and a word


@dataclass(frozen=True, slots=True)
class Names:
    """Names of contracts, calls, events and errors, from artifacts and the code at each address."""

    registry: Registry
    code_at: Callable[[Address], bytes]
    address_text: AddressText = checksum

    def contract(self, address: Address) -> str | None:
        """The name of a contract, of a minimal proxy that of its model: `Vault clone`."""
        if artifact := self.artifact(address):
            return artifact.name
        minimal = MINIMAL_PROXY.match(self.code_at(address)) if self.registry else None
        model = self.artifact(Address(minimal[1])) if minimal else None
        return f"{model.name} clone" if model else None

    def abi(self, address: Address) -> Abi | None:
        artifact = self.artifact(address)
        return artifact.abi if artifact else None

    def created(self, init_code: bytes) -> str | None:
        artifact = self.registry.find_by_init_code(init_code)
        return artifact.name if artifact else None

    def address(self, address: Address) -> str:
        """An address with the name of its contract: `0x12.. (Token)`.

        Where other contracts have equal code it is `0x12.. (Gold or 1 more)`.
        """
        name = self.contract(address)
        text = self.address_text(address)
        more = len(self.registry.candidates(self.code_at(address), address)) - 1 if name else 0
        also = f" or {more} more" if more > 0 else ""
        return f"{text} ({name}{also})" if name else text

    def call(self, to: Address, call_data: bytes) -> str:
        """A call: `Token.transfer(to=0x12.., amount=10)`, or as much of it as is known.

        A contract without name is written as its address, a function without name as its selector:
        `0x12...0xa9059cbb(0x00..)`. Without data it is `Token.receive()`, or the contract alone.
        """
        label = self.contract(to) or self.address_text(to)
        return joined(label, self.function(to, call_data))

    def known_call(self, to: Address | None, data: bytes) -> str:
        """A call, or the creation of a contract; empty if no artifact has it.

        A function that only artifacts of other contracts have is written without a contract.
        """
        if to is None:
            return self.creation(data) if self.registry.find_by_init_code(data) else ""
        if name := self.contract(to):
            function = self.function(to, data)
            return joined(name, function) if function else ""
        if not data:
            return ""
        if not self.registry:
            named = self.decoded_call(to, data)
            return self.text(named) if named and self.code_at(to) else ""
        if self.code_at(to) or int.from_bytes(to) <= MAX_PRECOMPILED:
            return self.function(to, data)
        known = self.registry.decode_call(b"", data)
        return f"{self.text(known)}, but no contract has this address" if known else ""

    def lacks(self, to: Address, call_data: bytes) -> bool:
        """Whether the contract at an address is known and has nothing that takes a call."""
        artifact = self.artifact(to)
        if artifact is None or call_data[:SELECTOR] in artifact.abi.functions:
            return False
        return artifact.abi.default_function(call_data) is None

    def function(self, to: Address, call_data: bytes) -> str:
        """Function and arguments of a call; empty if no function takes a call without data."""
        if decoded := self.decoded_call(to, call_data):
            return self.text(decoded)
        artifact = self.artifact(to)
        if artifact and (default := artifact.abi.default_function(call_data)):
            return f"{default.kind}({raw(call_data)})"
        return unknown_function(call_data)

    def decoded_call(self, to: Address, call_data: bytes) -> Decoded | None:
        return self.registry.decode_call(self.code_at(to), call_data, to)

    def arguments(self, to: Address | None, call_data: bytes) -> list[ValueText]:
        """The arguments of a call, whole; empty if its function is not known."""
        decoded = self.decoded_call(to, call_data) if to else None
        return self.values(decoded.entry.inputs, decoded.arguments) if decoded else []

    def creation(self, init_code: bytes) -> str:
        """A creation: `new Token(supply=100)`; `new contract` if it is not known.

        Without parentheses if what follows the init code are no arguments of the constructor.
        """
        name = self.created(init_code) or "contract"
        decoded = self.registry.decode_creation(init_code)
        if decoded is None:
            return f"new {name}"
        arguments = format_arguments(decoded.entry.inputs, decoded.arguments, *self._texts)
        return f"new {name}({arguments})"

    def output(self, to: Address, call_data: bytes, output: bytes) -> str:
        """What a call returned, by the types of its function; empty if that returns nothing."""
        decoded = self.decoded_call(to, call_data)
        values = decoded.entry.decode_output(output) if decoded else None
        if decoded is None or values is None:
            return raw(output)
        return format_arguments(decoded.entry.outputs, values, *self._texts)

    def output_text(self, entry: Entry, values: Sequence[Any]) -> str:
        """What a function returned, long texts and bytes whole."""
        shown = self.values(entry.outputs, values)
        texts = ((each.name, each.whole or each.text) for each in shown)
        return ", ".join(f"{name}={text}" if name else text for name, text in texts)

    def event(self, address: Address, topics: Sequence[Hash32], body: bytes) -> str | None:
        """An event: `Transfer(from=0x12.., to=0x34.., value=10)`; None if it is not known."""
        decoded = self.decoded_event(address, topics, body)
        return self.text(decoded) if decoded else None

    def decoded_event(
        self, address: Address, topics: Sequence[Hash32], body: bytes
    ) -> Decoded | None:
        return self.registry.decode_event(self.code_at(address), tuple(topics), body, address)

    def error(self, payload: bytes) -> str:
        """The reason in the payload of a revert: `NotOwner(caller=0x12..)`, or its text.

        A custom error that is not known is `0x245aecd3(0x00..)`.
        """
        if error := self.registry.decode_error(payload):
            return self.text(error)
        if text := decode_error_or_panic(payload):
            return text
        if len(payload) == SELECTOR or len(payload) % WORD_SIZE != SELECTOR:
            return raw(payload)
        return unknown_function(payload)

    @property
    def _texts(self) -> tuple[AddressText, EnumText]:
        return self.address, self.registry.enum_text

    def text(self, decoded: Decoded) -> str:
        return decoded.text(*self._texts)

    def values(self, params: Sequence[Param], values: Sequence[Any]) -> list[ValueText]:
        """Values by parameter, whole, with calls in their bytes; at most so many of each."""
        shown = []
        for param, value in list(zip(params, values, strict=True))[:MAX_VALUES]:
            nested = islice(_bytes_in(value), MAX_VALUES) if not param.is_hashed else ()
            calls = [
                self.text(call)
                for data in nested
                if len(data) % WORD_SIZE == SELECTOR
                and (call := self.registry.decode_call(b"", data))
            ]
            unnamed = [replace(param, name="")]
            text, whole = format_arguments(unnamed, [value], *self._texts), _whole(value)
            if isinstance(value, list | tuple) and ", ... " in text:
                whole = format_arguments(unnamed, [value], *self._texts, MAX_WHOLE)
            shown.append(ValueText(param.name, param.described, text, whole, calls))
        return shown

    def artifact(self, address: Address) -> Artifact | None:
        return self.registry.find_by_code(self.code_at(address), address)


@dataclass(frozen=True, slots=True)
class ValueText:
    """A value in words: `whole` if its text is shortened; `calls` that bytes in it encode."""

    name: str
    type: str
    text: str
    whole: str
    calls: Sequence[str]


def _bytes_in(value: object) -> Iterator[bytes]:
    if isinstance(value, bytes):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _bytes_in(each)


def _whole(value: object) -> str:
    # A long text or bytes; empty for other values.
    if isinstance(value, str) and len(value) > MAX_VALUE_LENGTH:
        return f'"{value}"'
    if not isinstance(value, bytes) or isinstance(value, Undecoded):
        return ""
    return f"0x{value.hex()}" if 2 * len(value) > MAX_VALUE_LENGTH else ""


def joined(contract: str, function: str) -> str:
    """Contract and function: `Token.pay()`, or `Token(0x12)` for data without a selector."""
    return f"{contract}.{function}" if function[:1] not in ("", "(") else f"{contract}{function}"


def unknown_function(call_data: bytes) -> str:
    """A call of a function that is not known: `0x245aecd3(0x00..)`; empty without data."""
    if len(call_data) < SELECTOR:
        return f"({raw(call_data)})" if call_data else ""
    return f"0x{call_data[:SELECTOR].hex()}({raw(call_data[SELECTOR:])})"


def raw(data: bytes) -> str:
    if len(data) <= MAX_RAW:
        return format_value(data) if data else ""
    return f"0x{data[:MAX_RAW].hex()}... ({len(data):,} bytes)"


def raw_log(topics: Sequence[Hash32], body: bytes) -> str:
    """A log whose event is not known: `log(0x12.., 0x34..)`, its topics and data."""
    return f"log({', '.join([*map(raw, topics), raw(body) or '0x'])})"
