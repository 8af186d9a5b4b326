"""Merkle-Patricia proofs of accounts and storage slots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import rlp
from eth.rlp.accounts import Account
from eth_hash.auto import keccak
from trie.hexary import HexaryTrie

from devchain.errors import InvalidInput
from devchain.types import Address, Hash32

HASHED_NODE_BYTES = 32
MOST_SLOTS = 1_024


@dataclass(frozen=True, slots=True)
class SlotProof:
    """One storage slot with the trie nodes from the storage root down to it."""

    slot: int
    value: int
    nodes: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class AccountProof:
    """An account with the trie nodes from the state root down to it, and some of its slots."""

    address: Address
    balance: int
    nonce: int
    code_hash: Hash32
    storage_root: Hash32
    nodes: tuple[bytes, ...]
    slots: tuple[SlotProof, ...]


def prove(database: Any, root: Hash32, address: Address, slots: list[int]) -> AccountProof:
    """Prove an account and some of its slots against a state root (EIP-1186).

    Raises `InvalidInput` for more slots than anybody needs at once.
    """
    if len(slots) > MOST_SLOTS:
        msg = f"at most {MOST_SLOTS} slots can be proved at once, got {len(slots)}"
        raise InvalidInput(msg)
    trie = HexaryTrie(database, root)
    key = keccak(address)
    encoded = trie[key]
    account = rlp.decode(encoded, sedes=Account) if encoded else Account()
    return AccountProof(
        address=address,
        balance=account.balance,
        nonce=account.nonce,
        code_hash=Hash32(account.code_hash),
        storage_root=Hash32(account.storage_root),
        nodes=_nodes(trie, key),
        slots=tuple(_prove_slot(database, account.storage_root, slot) for slot in slots),
    )


def _prove_slot(database: Any, storage_root: Hash32, slot: int) -> SlotProof:
    trie = HexaryTrie(database, storage_root)
    key = keccak(slot.to_bytes(32, "big"))
    encoded = trie[key]
    value = int.from_bytes(rlp.decode(encoded), "big") if encoded else 0
    return SlotProof(slot, value, _nodes(trie, key))


def _nodes(trie: HexaryTrie, key: bytes) -> tuple[bytes, ...]:
    """The nodes of a proof as RLP; an empty trie proves absence with no node at all.

    Nodes shorter than 32 bytes are part of their parent and not listed again.
    """
    proof = trie.get_proof(key)  # type: ignore[no-untyped-call]  # trie is partly untyped
    encoded = [bytes(rlp.encode(node)) for node in proof]
    return (*encoded[:1], *(node for node in encoded[1:] if len(node) >= HASHED_NODE_BYTES))
