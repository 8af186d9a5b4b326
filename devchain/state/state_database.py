"""The state database of a chain, for either engine: opens the accounts under a state root."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol
from weakref import ReferenceType, ref

import rlp
from eth.db.account import AccountDB
from eth.db.atomic import AtomicDB

from devchain.state.account import NO_CODE, Account
from devchain.state.account_database import (
    BALANCE_BITS,
    NONCE_BITS,
    AccountDatabase,
    account_key,
    encode_value,
    new_slot_key,
)
from devchain.state.state_runs import SlotWrites, StateRun
from devchain.state.trie import EMPTY, EMPTY_ROOT, Load, Node, Trie, new_nibbles
from devchain.state.trie_database import Part, TrieDatabase
from devchain.types import WORD_SIZE, Address, Hash32


class StateOrigin(NamedTuple):
    """How a state came from another: what its block wrote to the state of that root.

    `storage_roots` are those of the contracts that it wrote to, after the block.
    """

    database: FastDatabase
    root: Hash32
    writes: list[SlotWrites]
    storage_roots: list[Hash32]


@dataclass(slots=True)
class RetainedState:
    """A state root, and a reference that keeps the state in memory: its trie, or its run.

    A state with an `origin` can join the run of the state before it, once.
    """

    root: Hash32
    trie: Trie | None = field(default=None, repr=False, compare=False)
    run: StateRun | None = field(default=None, repr=False, compare=False)
    origin: StateOrigin | None = field(default=None, repr=False, compare=False)

    def join(self, before: RetainedState | None) -> None:
        """Keep a state that has an origin in a run: that of the block before it, or a new one."""
        origin, trie, self.origin = self.origin, self.trie, None
        if origin is None or trie is None:
            return
        run = before.run if before else None
        if run is None or not run.can_append(origin.root, origin.writes):
            if run is not None:
                run.release()
            run = origin.database.new_run(origin.root)
        run.append(trie, origin.writes, origin.storage_roots)
        self.run, self.trie = run, None


class Database(Protocol):
    """A state database as the chain uses it; py-evm's states are opened on it too."""

    def accounts(self, root: Hash32) -> Any:
        """The accounts under a root, as py-evm's account database."""

    def trie(self, root: Hash32) -> Trie:
        """The trie of a state, to prove what is in it."""

    def account(self, value: Any) -> Account:
        """The account of a value in a state's trie."""

    def add_nodes(self, nodes: dict[Hash32, bytes]) -> None:
        """Add trie nodes and code by their hash, as a dump has them."""

    def retain_state(self, root: Hash32) -> RetainedState:
        """A reference to a state, to be kept for as long as the state is needed."""


FIRST_SWEEP = 64
"""Runs after which those that are not in use any more are forgotten; then at twice what is left."""


class FastDatabase(TrieDatabase):
    """The fast engine's: tries of Python objects, in memory for as long as they are retained.

    Those of blocks without transactions may be retained in runs (`StateRun`), of which each state
    is found by its root too. With `load` and `save` there is a store of nodes by hash behind the
    tries.
    """

    def __init__(
        self, load: Load | None = None, save: Callable[[dict[Hash32, bytes]], None] | None = None
    ) -> None:
        """Start with the empty state, or with those of a store."""
        self._added: dict[Hash32, bytes] = {}
        self._save = save
        self._runs: list[ReferenceType[StateRun]] = []
        self._next_sweep = FIRST_SWEEP
        super().__init__(load or self._added.__getitem__)

    def add_nodes(self, nodes: dict[Hash32, bytes]) -> None:
        """Add trie nodes and code by their hash, to the store if there is one."""
        if self._save:
            self._save(nodes)
        else:
            self._added.update(nodes)

    def accounts(self, root: Hash32) -> AccountDatabase:
        return AccountDatabase(self, root)

    def trie(self, root: Hash32) -> Trie:
        found = self._tries.get(root)
        if found is not None:
            return found
        for reference in reversed(self._runs):
            run = reference()
            index = None if run is None else run.find(root)
            if run is not None and index is not None:
                return self.add_trie(run.trie(index))
        return super().trie(root)

    def new_run(self, root: Hash32) -> StateRun:
        """A run of the states that come after that of a root."""
        run = StateRun(self, self.trie(root))
        if len(self._runs) >= self._next_sweep:
            self._runs = [each for each in self._runs if each() is not None]
            self._next_sweep = max(FIRST_SWEEP, 2 * len(self._runs))
        self._runs.append(ref(run))
        return run

    def has_code(self, trie: Trie, address: Address) -> bool:
        """Whether an account of a state is a contract."""
        value = trie.get(account_key(address))
        return value is not None and self.account(value).code is not NO_CODE

    def write_slots(self, trie: Trie, writes: tuple[SlotWrites, ...]) -> RetainedState:
        """A state with those writes to contracts, without those to accounts with other code."""
        changes, written, roots = [], [], []
        for each in writes:
            key = account_key(each.address)
            value = trie.get(key)
            if value is None:
                continue
            account = self.account(value)
            if account.code.data == each.code:
                storage = account.storage.update(
                    [(new_slot_key(slot), encode_value(value)) for slot, value in each.slots],
                    new_nibbles,
                )
                changes.append((key, account.with_storage(storage)))
                written.append(each)
                roots.append(storage.root_hash)
        changed = self.add_trie(trie.update(changes))
        origin = None if self._save else StateOrigin(self, trie.root_hash, written, roots)
        return RetainedState(changed.root_hash, changed, origin=origin)

    def retain_state(self, root: Hash32) -> RetainedState:
        """A reference to the state's trie."""
        return RetainedState(root, self.trie(root))


class ReferenceDatabase(AtomicDB):
    """The reference engine's: py-evm's database of nodes and code by hash, all kept for good."""

    def __init__(self) -> None:
        """Start empty."""
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
        """The root alone."""
        return RetainedState(root)


def open_database(engine: str) -> Database:
    """An empty database for that engine."""
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
