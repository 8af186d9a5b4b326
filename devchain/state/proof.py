"""Merkle-Patricia proofs of accounts and storage slots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from devchain.errors import InvalidInput
from devchain.state.account import NO_ACCOUNT
from devchain.state.account_database import account_key, decode_value, slot_key
from devchain.state.state_database import Database
from devchain.state.trie import Trie
from devchain.types import Address, Hash32

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


def prove(database: Database, root: Hash32, address: Address, slots: Sequence[int]) -> AccountProof:
    """Prove an account and some of its slots against a state root (EIP-1186).

    Raises `InvalidInput` for too many slots.
    """
    if len(slots) > MAX_SLOTS:
        raise InvalidInput(f"at most {MAX_SLOTS} slots can be proved at once, got {len(slots)}")
    trie, key = database.trie(root), account_key(address)
    value = trie.get(key)
    account = NO_ACCOUNT if value is None else database.account(value)
    return AccountProof(
        address=address,
        balance=account.balance,
        nonce=account.nonce,
        code_hash=account.code.hash,
        storage_root=account.storage.root_hash,
        nodes=trie.proof(key),
        slots=tuple(_prove_slot(account.storage, slot) for slot in slots),
    )


def _prove_slot(storage: Trie, slot: int) -> SlotProof:
    key = slot_key(slot)
    return SlotProof(slot, decode_value(storage.get(key)), storage.proof(key))
