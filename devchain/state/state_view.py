"""Reading the state under one root, proving parts of it, and setting fields of accounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from devchain.errors import InvalidInput
from devchain.state.account_database import account_key, decode_value, slot_key
from devchain.state.state_database import Database
from devchain.state.trie import EMPTY
from devchain.state.trie_database import NO_ACCOUNT
from devchain.types import Address, Hash32, StateOverrides

MAX_SLOTS = 1_024


@dataclass(frozen=True, slots=True)
class SlotProof:
    """A storage slot with the trie nodes from the storage root to it."""

    slot: int
    value: int
    nodes: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class AccountProof:
    """An account with the trie nodes from the state root to it, and some of its slots."""

    address: Address
    balance: int
    nonce: int
    code_hash: Hash32
    storage_root: Hash32
    nodes: tuple[bytes, ...]
    slots: tuple[SlotProof, ...]


class StateView(NamedTuple):
    """The accounts under one state root."""

    accounts: Any
    database: Database
    root: Hash32

    def balance(self, address: Address) -> int:
        return int(self.accounts.get_balance(address))

    def nonce(self, address: Address) -> int:
        return int(self.accounts.get_nonce(address))

    def code(self, address: Address) -> bytes:
        code: bytes = self.accounts.get_code(address)
        return code

    def storage(self, address: Address, slot: int) -> int:
        return int(self.accounts.get_storage(address, slot))

    def storage_values(self, address: Address, limit: int) -> list[int]:
        """At most that many values of an account's slots; on a fork of those changed here."""
        entry = self.database.trie(self.root).get(account_key(address))
        if entry is None:
            return []
        storage = self.database.account(entry).storage
        return [decode_value(value) for value in islice(storage.values(), limit)]

    def exists(self, address: Address) -> bool:
        return bool(self.accounts.account_exists(address))

    def upstream_proof(self, address: Address, slots: Sequence[int]) -> Any:
        """The object that the upstream of a fork answers, if this is the state of its block."""
        trie: Any = self.database.trie(self.root)
        is_base = trie.content.node is EMPTY and len(slots) <= MAX_SLOTS
        return trie.base.proof(address, slots) if is_base else None

    def proof(self, address: Address, slots: Sequence[int]) -> AccountProof:
        if len(slots) > MAX_SLOTS:
            raise InvalidInput(f"at most {MAX_SLOTS} slots can be proved at once, got {len(slots)}")
        trie, key = self.database.trie(self.root), account_key(address)
        value = trie.get(key)
        account = NO_ACCOUNT if value is None else self.database.account(value)
        storage = account.storage
        return AccountProof(
            address=address,
            balance=account.balance,
            nonce=account.nonce,
            code_hash=account.code.hash,
            storage_root=storage.root_hash,
            nodes=trie.proof(key),
            slots=tuple(
                SlotProof(slot, decode_value(storage.get(key)), storage.proof(key))
                for slot, key in zip(slots, map(slot_key, slots), strict=True)
            ),
        )


def apply_overrides(state: Any, overrides: StateOverrides) -> None:
    """Set the fields that the overrides name, in an open py-evm state or account database."""
    for address, override in overrides.items():
        if override.balance is not None:
            state.set_balance(address, override.balance)
        if override.nonce is not None:
            state.set_nonce(address, override.nonce)
        if override.code is not None:
            state.set_code(address, override.code)
        if override.state is not None:
            state.delete_storage(address)
        for slot, value in (override.state or override.state_diff or {}).items():
            state.set_storage(address, slot, value)
    state.lock_changes()
