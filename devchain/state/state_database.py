"""The state database of a chain, for either engine: opens the accounts under a state root."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import rlp
from eth.db.account import AccountDB
from eth.db.atomic import AtomicDB

from devchain.state.account_database import (
    BALANCE_BITS,
    NONCE_BITS,
    AccountDatabase,
    account_key,
    encode_value,
    slot_key,
)
from devchain.state.trie import EMPTY, EMPTY_ROOT, Load, Node, Trie, nibbles
from devchain.state.trie_database import NO_ACCOUNT, NO_CODE, Account, Part, TrieDatabase
from devchain.types import WORD_SIZE, Address, Hash32


class SlotWrites(NamedTuple):
    """The slots of a contract that a block writes, with their values, if it has that code."""

    address: Address
    code: bytes
    slots: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class RetainedState:
    """A state root, and the trie that keeps the state in memory; None if a store has it."""

    root: Hash32
    trie: Trie | None = field(default=None, repr=False, compare=False)


class FastDatabase(TrieDatabase):
    """The fast engine's: tries in memory while they are retained, over a store if given."""

    def __init__(
        self, load: Load | None = None, save: Callable[[dict[Hash32, bytes]], None] | None = None
    ) -> None:
        self._added: dict[Hash32, bytes] = {}
        self._save = save
        super().__init__(load or self._added.__getitem__)

    def add_nodes(self, nodes: dict[Hash32, bytes]) -> None:
        if self._save:
            self._save(nodes)
        else:
            self._added.update(nodes)

    def accounts(self, root: Hash32) -> AccountDatabase:
        return AccountDatabase(self, root)

    def write_slots(
        self, root: Hash32, writes: Iterable[SlotWrites], absent: Iterable[Address]
    ) -> Trie | None:
        """The state with those writes, without opening it; accounts with other code stay.

        None if one of the accounts that have to be `absent` has code. An empty block since Cancun
        writes to slots that no other does, so their keys are not cached.
        """
        trie, changes = self.trie(root), []
        if any(self._account(trie, address).code is not NO_CODE for address in absent):
            return None
        for address, code, slots in writes:
            account = self._account(trie, address)
            if account.code.data == code:
                encoded = [
                    (slot_key.__wrapped__(slot), encode_value(value)) for slot, value in slots
                ]
                storage = account.storage.update(encoded, nibbles.__wrapped__)
                changes.append((account_key(address), account.with_storage(storage)))
        return self.add_trie(trie.update(changes))

    def _account(self, trie: Trie, address: Address) -> Account:
        value = trie.get(account_key(address))
        return NO_ACCOUNT if value is None else self.account(value)

    def retain_state(self, root: Hash32) -> RetainedState:
        return RetainedState(root, self.trie(root))


class ReferenceDatabase(AtomicDB):
    """The reference engine's: py-evm's database of nodes and code by hash, all kept for good."""

    def __init__(self) -> None:
        super().__init__()
        self._tries = TrieDatabase(self.__getitem__)

    def accounts(self, root: Hash32) -> AccountDB:
        return AccountDB(self, root)

    def trie(self, root: Hash32) -> Trie:
        return self._tries.trie(root)

    def account(self, value: Any) -> Account:
        return self._tries.account(value)

    def add_nodes(self, nodes: dict[Hash32, bytes]) -> None:
        for node_hash, node in nodes.items():
            self[node_hash] = node

    def retain_state(self, root: Hash32) -> RetainedState:
        return RetainedState(root)


Database = FastDatabase | ReferenceDatabase


def open_database(engine: str) -> Database:
    return FastDatabase() if engine == "fast" else ReferenceDatabase()


# All of a state, for dumps

KEY_NIBBLES = 64


def state_parts(database: Database, root: Hash32, seen: set[Hash32]) -> Iterator[Part]:
    """Nodes and code of a state whose hashes are not in `seen`, and add them to it.

    Raises `ValueError` for what is no valid state (a dump may be forged), and whatever loading
    it raises.
    """
    trie = database.trie(root)
    for part in trie.records():
        if part[0] not in seen:
            seen.add(part[0])
            yield part
    for value, found in _trie_parts(trie.content, seen):
        yield from found
        if value is not None:
            yield from _account_parts(database.account(value), seen)


def _account_parts(account: Account, seen: set[Hash32]) -> Iterator[Part]:
    balance_bits, nonce_bits = account.balance.bit_length(), account.nonce.bit_length()
    if balance_bits > BALANCE_BITS or nonce_bits > NONCE_BITS:
        raise ValueError("a balance or a nonce is too large")
    if account.code is not NO_CODE and account.code.hash not in seen:
        seen.add(account.code.hash)
        yield account.code.hash, account.code.data
    for value, found in _trie_parts(account.storage, seen):
        yield from found
        if value is not None and len(rlp.decode(bytes(value))) > WORD_SIZE:
            raise ValueError("a storage slot holds more than a word")


def _trie_parts(trie: Trie, seen: set[Hash32]) -> Iterator[tuple[Any, list[Part]]]:
    # Each unseen node's value, if it has one, and the node itself unless its parent embeds it.
    if trie.root_hash == EMPTY_ROOT or trie.root_hash in seen:
        return
    waiting: list[tuple[Node, int]] = [(trie.node, 0)]
    while waiting:
        node, depth = waiting.pop()
        found: list[Part] = []
        if node is trie.node or node.is_hashed:
            node_hash = trie.root_hash if node is trie.node else node.hash
            if node_hash in seen:
                continue
            seen.add(node_hash)
            found.append((node_hash, node.encode()))
        leaf = node.value_here()
        if depth + len(leaf[0] if leaf else b"") > KEY_NIBBLES:
            raise ValueError("a trie is deeper than its keys are long")
        yield leaf[1] if leaf else None, found
        for path, child in node.children():
            if not path:
                raise ValueError("a trie has an extension without a path")
            if child is not EMPTY:
                waiting.append((child, depth + len(path)))
