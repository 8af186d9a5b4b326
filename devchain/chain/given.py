"""Accounts, numbers and bytes as JSON files have them: a genesis file, another chain's dump."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import orjson

from devchain.errors import InvalidInput
from devchain.types import Address

MAX_UINT64 = 2**64 - 1
MAX_UINT256 = 2**256 - 1
ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
NUMBER = re.compile(r"0x[0-9a-fA-F]{1,64}|[0-9]{1,78}")
BYTES = re.compile(r"0x([0-9a-fA-F]{2})*")


def parse(text: bytes) -> Any:
    """The JSON in those bytes, with numbers of any size; raises `ValueError`.

    Python's own parser knows no end to lists within lists but that of its stack: another looks
    before it.
    """
    orjson.loads(text)
    return json.loads(text)


@dataclass(frozen=True, slots=True)
class Given:
    """An account as a file has it: what is None is left as it is."""

    balance: int | None
    nonce: int | None
    code: bytes | None
    storage: dict[int, int]


def put(state: Any, address: Address, account: Given) -> None:
    """Write an account into an open state."""
    state.touch_account(address)
    if account.balance is not None:
        state.set_balance(address, account.balance)
    if account.nonce is not None:
        state.set_nonce(address, account.nonce)
    if account.code is not None:
        state.set_code(address, account.code)
    for slot, content in account.storage.items():
        state.set_storage(address, slot, content)


def read_accounts(value: Any, name: str) -> dict[Address, Given]:
    """Accounts by address, as geth and anvil write them; raises `InvalidInput`, naming what."""
    found: dict[Address, Given] = {}
    for text, account in members(value, name).items():
        where = f"{name}.{text[:50]}"
        plain = text if text.startswith("0x") else f"0x{text}"
        if not ADDRESS.fullmatch(plain):
            msg = f"{where}: not an address, want 40 hex digits"
            raise InvalidInput(msg)
        found[Address(bytes.fromhex(plain[2:]))] = _account(members(account, where), where)
    return found


def _account(value: dict[str, Any], where: str) -> Given:
    def optional(member: str, most: int) -> int | None:
        given = value.get(member)
        return None if given is None else number(given, most, f"{where}.{member}")

    storage = value.get("storage")
    slots = {} if storage is None else members(storage, f"{where}.storage")
    return Given(
        balance=optional("balance", MAX_UINT256),
        nonce=optional("nonce", MAX_UINT64),
        code=None if value.get("code") is None else data(value["code"], f"{where}.code"),
        storage={
            number(slot, MAX_UINT256, f"{where}.storage"): number(
                content, MAX_UINT256, f"{where}.storage.{slot[:70]}"
            )
            for slot, content in slots.items()
        },
    )


def members(value: Any, where: str) -> dict[str, Any]:
    """A JSON object."""
    if isinstance(value, dict):
        return value
    msg = f"{where}: want a JSON object, got {_shown(value)}"
    raise InvalidInput(msg)


def number(value: Any, most: int, where: str) -> int:
    """A number of 0 or more: a JSON number, or hex or decimal digits in quotes."""
    if isinstance(value, str) and NUMBER.fullmatch(value):
        value = int(value, 16 if value.startswith("0x") else 10)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        msg = f"{where}: want a number up to {most.bit_length()} bits, got {_shown(value)}"
        raise InvalidInput(msg)
    return value


def data(value: Any, where: str) -> bytes:
    """Bytes, as 0x and hex digits."""
    if isinstance(value, str) and BYTES.fullmatch(value):
        return bytes.fromhex(value[2:])
    msg = f"{where}: want 0x and an even number of hex digits, got {_shown(value)}"
    raise InvalidInput(msg)


def _shown(value: Any) -> str:
    return f"{value!r:.60}"
