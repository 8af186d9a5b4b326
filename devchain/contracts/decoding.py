"""Calls, events and errors in words, once their ABI is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from devchain.contracts.abi import SELECTOR, Abi, Entry, Param, values
from devchain.types import Hash32

LONGEST_VALUE = 200


@dataclass(frozen=True, slots=True)
class Decoded:
    """A call, an event or an error read with its ABI: its entry and the values by position."""

    entry: Entry
    arguments: tuple[Any, ...]

    @property
    def name(self) -> str:
        """The name of the function, event or error."""
        return self.entry.name

    @property
    def named(self) -> dict[str, Any]:
        """The values by parameter name; one without a name goes by its position."""
        pairs = zip(self.entry.inputs, self.arguments, strict=True)
        return {each.name or str(place): value for place, (each, value) in enumerate(pairs)}

    def __getitem__(self, key: str | int) -> Any:
        """A value by name or position."""
        return self.arguments[key] if isinstance(key, int) else self.named[key]

    def __str__(self) -> str:
        return f"{self.name}({listed(self.entry.inputs, self.arguments)})"


def decode_call(abi: Abi, call_data: bytes) -> Decoded | None:
    """Which function is called with what; None if the ABI does not know."""
    return _decoded(abi.functions.get(call_data[:SELECTOR]), call_data[SELECTOR:])


def decode_error(abi: Abi, payload: bytes) -> Decoded | None:
    """The custom error in a revert payload; None if the ABI does not know it."""
    return _decoded(abi.errors.get(payload[:SELECTOR]), payload[SELECTOR:])


def decode_event(abi: Abi, topics: Sequence[Hash32], body: bytes) -> Decoded | None:
    """The event a log holds; None if the ABI does not know it.

    An indexed parameter of dynamic size is only its hash, 32 bytes, as the log has it.
    """
    entry = abi.events.get(topics[0]) if topics else None
    if entry is None:
        return None
    inputs = entry.inputs
    indexed = [each for each in inputs if each.indexed]
    found = values([each for each in inputs if not each.indexed], body)
    if found is None or len(indexed) != len(topics) - 1:
        return None
    rest = iter(found)
    words = iter(topics[1:])
    arguments = (
        _indexed(each, next(words)) if each.indexed else next(rest) for each in entry.inputs
    )
    return Decoded(entry, tuple(arguments))


def listed(kinds: Sequence[Param], arguments: Sequence[Any]) -> str:
    """Arguments as people read them: `to=0x12.., amount=10`."""
    pairs = zip(kinds, arguments, strict=True)
    return ", ".join(f"{each.name}={text(it)}" if each.name else text(it) for each, it in pairs)


def text(value: Any) -> str:
    """One value as people read it: addresses and bytes as hex, long ones shortened."""
    if isinstance(value, str):
        shown = f'"{value}"'
    elif isinstance(value, bytes):
        shown = f"0x{value.hex()}"
    elif isinstance(value, bool):
        return "true" if value else "false"
    elif isinstance(value, tuple):
        return f"({', '.join(map(text, value))})"
    elif isinstance(value, list):
        shown = f"[{', '.join(map(text, value))}]"
    else:
        shown = str(value)
    return shown if len(shown) <= LONGEST_VALUE else shown[: LONGEST_VALUE - 3] + "..."


def _decoded(entry: Entry | None, body: bytes) -> Decoded | None:
    arguments = entry.decode(body) if entry else None
    return Decoded(entry, arguments) if entry and arguments is not None else None


def _indexed(kind: Param, word: Hash32) -> Any:
    is_hash = kind.kind in {"string", "bytes"} or kind.kind.endswith(("]", ")"))
    found = None if is_hash else values([kind], word)
    return found[0] if found else word
