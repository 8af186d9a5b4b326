"""Contract calls in words: `balanceOf(address)(uint256)` as ABI bytes and back.

Loads eth-abi, which takes a while: import this module where it is needed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import typer
from eth_abi.abi import decode as abi_decode
from eth_abi.abi import encode as abi_encode
from eth_abi.abi import is_encodable_type
from eth_abi.exceptions import DecodingError, EncodingError
from eth_abi.grammar import ABIType, BasicType, TupleType, normalize, parse

from devchain.cli.format import Notation, keccak, size
from devchain.errors import InvalidInput

NAME = re.compile(r"\s*([A-Za-z_$][\w$]*)\s*")
BARE_HEX = re.compile(r'(?<!["\w])(0x[0-9a-fA-F]*)(?!["\w])')
TRUTH = {"true": True, "false": False, "1": True, "0": False}


@dataclass(frozen=True, slots=True)
class Signature:
    """A function of a contract: its name, the types it takes and those it returns, if said."""

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def selector(self) -> bytes:
        """The first four bytes of a call to it."""
        return keccak(f"{self.name}({','.join(self.inputs)})".encode())[:4]

    def data(self, arguments: Sequence[str]) -> bytes:
        """The data of a call with these arguments; wrong ones are a usage error."""
        if len(arguments) != len(self.inputs):
            takes = f"{self.name}({','.join(self.inputs)}) takes {len(self.inputs)}"
            msg = f"{takes}: got {len(arguments)} arguments"
            raise typer.BadParameter(msg)
        return self.selector + encode(self.inputs, arguments)


def signature(text: str) -> Signature:
    """Read `name(types)` or `name(types)(types)`; anything else is a usage error."""
    name = NAME.match(text)
    groups = _groups(text[name.end() :]) if name else []
    if name is None or len(groups) not in (1, 2):
        msg = f"{text!r} is no signature; write it like 'balanceOf(address)(uint256)'"
        raise typer.BadParameter(msg)
    inputs, outputs = groups[0], groups[1] if len(groups) > 1 else []
    return Signature(name[1], tuple(map(_canonical, inputs)), tuple(map(_canonical, outputs)))


def encode(types: Sequence[str], arguments: Sequence[str]) -> bytes:
    """The ABI encoding of arguments as people write them; wrong ones are a usage error."""
    values = [_value(parse(each), text) for each, text in zip(types, arguments, strict=True)]
    try:
        return abi_encode(types, values)
    except EncodingError:
        msg = f"({', '.join(arguments)}) are not values of ({', '.join(types)})"
        raise typer.BadParameter(msg) from None


def decode(types: Sequence[str], answer: bytes, notation: Notation) -> list[str]:
    """Returned values, one text each; raises `InvalidInput` if the answer is of other types."""
    try:
        values = abi_decode(types, answer)
    except (DecodingError, OverflowError, ValueError) as error:
        why = str(error) if answer else "is there a contract at that address?"
        msg = f"the call returned {size(len(answer))}, not ({', '.join(types)}): {why}"
        raise InvalidInput(msg) from None
    return [_text(parse(each), value, notation) for each, value in zip(types, values, strict=True)]


def _groups(text: str) -> list[list[str]]:
    """The types in each outermost pair of parentheses; empty if the text is anything else."""
    groups: list[list[str]] = []
    depth, start = 0, 0
    stripped = text.replace(" ", "")
    for place, each in enumerate(stripped):
        if depth == 0 and each != "(":
            return []
        depth += (each == "(") - (each == ")")
        if depth == 1 and each == "(":
            groups.append([])
            start = place + 1
        elif depth == 0 or (depth == 1 and each == ","):
            groups[-1].append(stripped[start:place])
            start = place + 1
    return [[] if each == [""] else each for each in groups] if depth == 0 else []


def _canonical(text: str) -> str:
    """The type in its full name, `uint` as `uint256`; a wrong one is a usage error."""
    full = str(normalize(text))  # type: ignore[no-untyped-call]  # eth-abi says no types here
    if not is_encodable_type(full):
        msg = f"{text!r} is no ABI type"
        raise typer.BadParameter(msg)
    return full


def _kinds(kind: ABIType, count: int) -> list[ABIType]:
    """The types of the items in an array of that many, or in a tuple."""
    if kind.is_array:
        fixed = kind.arrlist[-1]  # empty for an array of any length
        return [kind.item_type] * (fixed[0] if fixed else count)
    return list(kind.components) if isinstance(kind, TupleType) else []


def _value(kind: ABIType, given: object) -> object:
    """An argument as eth-abi takes it; arrays and tuples are JSON arrays."""
    if not kind.is_array and isinstance(kind, BasicType):
        if not isinstance(given, (str, int)):
            raise _misfit(kind, given)
        try:
            return _simple(str(kind.base), str(given))
        except (ValueError, KeyError):
            raise _misfit(kind, given) from None
    items = _json(given) if isinstance(given, str) else given
    kinds = _kinds(kind, len(items)) if isinstance(items, list) else []
    if not isinstance(items, list) or len(items) != len(kinds):
        raise _misfit(kind, given)
    return [_value(each, item) for each, item in zip(kinds, items, strict=True)]


def _misfit(kind: ABIType, given: object) -> typer.BadParameter:
    wanted = "; write a JSON array" if kind.is_array or isinstance(kind, TupleType) else ""
    name = kind.to_type_str()  # type: ignore[no-untyped-call]  # eth-abi gives it no hints
    return typer.BadParameter(f"{given!r} is not a value of type {name}{wanted}")


def _simple(base: str, given: str) -> object:
    if base in {"int", "uint"}:
        return int(given, 0)
    if base == "bool":
        return TRUTH[given.lower()]
    if base in {"bytes", "function"}:
        return bytes.fromhex(given.removeprefix("0x"))
    return given


def _json(text: str) -> object:
    """A JSON value; addresses and other hex in it may go without quotes. None if it is not JSON."""
    for written in (text, BARE_HEX.sub(r'"\1"', text)):
        with suppress(ValueError, RecursionError):
            return json.loads(written)
    return None


def _text(kind: ABIType, value: object, notation: Notation) -> str:
    """A returned value as people read it."""
    if isinstance(value, (tuple, list)):
        kinds = _kinds(kind, len(value))
        inner = ", ".join(
            _text(each, item, notation) for each, item in zip(kinds, value, strict=True)
        )
        return f"[{inner}]" if kind.is_array else f"({inner})"
    if isinstance(value, bytes):
        return f"0x{value.hex()}"
    if isinstance(value, bool):
        return "true" if value else "false"
    is_address = isinstance(kind, BasicType) and kind.base == "address"
    return notation.address(value) if is_address else str(value)
