"""`console.log`: decodes the calls with which contracts print to Hardhat's console address.

Vyper's `print` calls it with the types of the values as text, and their ABI encoding.
"""

from __future__ import annotations

from functools import cache
from itertools import product

from eth_hash.auto import keccak

from devchain.contracts.abi import SELECTOR, Param, decode_values, format_value
from devchain.errors import InvalidInput

LOG_TYPES = ("uint256", "string", "bool", "address")
MAX_ARGUMENTS = 4
SINGLE_TYPE_FUNCTIONS = {
    "logInt": "int256",
    "logUint": "uint256",
    "logString": "string",
    "logBool": "bool",
    "logAddress": "address",
    "logBytes": "bytes",
} | {f"logBytes{size}": f"bytes{size}" for size in range(1, 33)}


def console_message(call_data: bytes) -> str | None:
    """The line that a call of the console prints; None for call data of no console function.

    `%s`, `%d`, `%i` and `%o` in the first string are replaced by the next values, as in Hardhat.
    """
    kinds = _functions().get(call_data[:SELECTOR])
    if kinds is None:
        return _vyper_message(call_data) if call_data[:SELECTOR] == VYPER_PRINT else None
    values = decode_values([Param("", kind) for kind in kinds], call_data[SELECTOR:])
    return None if values is None else _format(list(values))


def _vyper_message(call_data: bytes) -> str | None:
    written = decode_values([Param("", "string"), Param("", "bytes")], call_data[SELECTOR:])
    try:
        params = Param.from_text(written[0]).components if written else ()
    except InvalidInput:
        return None
    values = decode_values(params, written[1]) if written and params else None
    return None if values is None else " ".join(map(_to_text, values))


def _format(values: list[object]) -> str:
    if not values:
        return ""
    line, rest = _to_text(values[0]), values[1:]
    if isinstance(values[0], str):
        line, *pieces = line.split("%")
        for piece in pieces:
            if rest and piece[:1] in {"s", "d", "i", "o"}:
                line += _to_text(rest.pop(0)) + piece[1:]
            else:
                line += "%" + piece
    return " ".join([line, *map(_to_text, rest)])


def _to_text(value: object) -> str:
    return value if isinstance(value, str) else format_value(value)


@cache
def _functions() -> dict[bytes, tuple[str, ...]]:
    found: dict[bytes, tuple[str, ...]] = {}
    for count in range(MAX_ARGUMENTS + 1):
        for kinds in product(LOG_TYPES, repeat=count):
            found[_selector("log", kinds)] = kinds
            # Early versions of console.sol hashed `uint` instead of `uint256`.
            found[_selector("log", tuple(kind.replace("256", "") for kind in kinds))] = kinds
    for name in ("int256", "int", "bytes"):
        found[_selector("log", (name,))] = ("int256",) if name == "int" else (name,)
    return found | {
        _selector(name, (kind,)): (kind,) for name, kind in SINGLE_TYPE_FUNCTIONS.items()
    }


def _selector(name: str, kinds: tuple[str, ...]) -> bytes:
    return keccak(f"{name}({','.join(kinds)})".encode())[:SELECTOR]


VYPER_PRINT = _selector("log", ("string", "bytes"))
