"""`console.log`: what contracts print through Hardhat's console address."""

from __future__ import annotations

from functools import cache
from itertools import product

from eth_hash.auto import keccak

from devchain.contracts.abi import SELECTOR, Param, decode_values, format_value
from devchain.types import Address

CONSOLE = Address(bytes.fromhex("000000000000000000636f6e736f6c652e6c6f67"))
"""The characters `console.log` as an address."""

MIXED = ("uint256", "string", "bool", "address")
MOST_ARGUMENTS = 4
SINGLE = {
    "logInt": "int256",
    "logUint": "uint256",
    "logString": "string",
    "logBool": "bool",
    "logAddress": "address",
    "logBytes": "bytes",
} | {f"logBytes{size}": f"bytes{size}" for size in range(1, 33)}


def console_message(call_data: bytes) -> str | None:
    """The line a call to the console prints; None if it is not one of its functions.

    A first text with `%s`, `%d`, `%i` or `%o` in it is filled in, as Hardhat does.
    """
    kinds = _functions().get(call_data[:SELECTOR])
    if kinds is None:
        return None
    given = decode_values([Param("", each) for each in kinds], call_data[SELECTOR:])
    return None if given is None else _formatted(list(given))


def _formatted(given: list[object]) -> str:
    if not given:
        return ""
    opening, rest = _text(given[0]), given[1:]
    if isinstance(given[0], str):
        pieces = opening.split("%")
        opening = pieces[0]
        for piece in pieces[1:]:
            if rest and piece[:1] in {"s", "d", "i", "o"}:
                opening += _text(rest.pop(0)) + piece[1:]
            else:
                opening += "%" + piece
    return " ".join([opening, *map(_text, rest)])


def _text(value: object) -> str:
    return value if isinstance(value, str) else format_value(value)


@cache
def _functions() -> dict[bytes, tuple[str, ...]]:
    """The console's functions by selector: the types each takes."""
    found: dict[bytes, tuple[str, ...]] = {}
    for count in range(MOST_ARGUMENTS + 1):
        for kinds in product(MIXED, repeat=count):
            found[_selector("log", kinds)] = kinds
            # Early versions hashed `uint` as it is written.
            found[_selector("log", tuple(each.replace("256", "") for each in kinds))] = kinds
    for name in ("int256", "int", "bytes"):
        found[_selector("log", (name,))] = ("int256",) if name == "int" else (name,)
    return found | {_selector(name, (kind,)): (kind,) for name, kind in SINGLE.items()}


def _selector(name: str, kinds: tuple[str, ...]) -> bytes:
    return keccak(f"{name}({','.join(kinds)})".encode())[:SELECTOR]
