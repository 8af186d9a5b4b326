"""anvil's dumps: the accounts of one moment, taken over into the state of the head."""

from __future__ import annotations

from typing import Any

from devchain.chain.given import MAX_UINT64, number, put, read_accounts
from devchain.errors import InvalidInput
from devchain.memory.rooms import Rooms


def load(rooms: Rooms, value: dict[str, Any]) -> None:
    """Give the accounts of anvil's dump their balance, nonce, code and storage.

    Chain time goes on from the dump's, if that is later. Raises `InvalidInput` for what is no such
    dump; then nothing has changed.
    """
    if not isinstance(value.get("accounts"), dict):
        msg = "not a dump this node knows: want what anvil_dumpState gave, here or from anvil"
        raise InvalidInput(msg)
    accounts = read_accounts(value.get("accounts"), "accounts")
    timestamp = _timestamp(value.get("block"))
    with rooms.chain.edit_state() as state:
        for address, account in accounts.items():
            put(state, address, account)
    if timestamp > rooms.clock.now():
        rooms.clock.jump(timestamp)


def _timestamp(block: Any) -> int:
    found = block.get("timestamp") if isinstance(block, dict) else None
    return 0 if found is None else number(found, MAX_UINT64, "block.timestamp")
