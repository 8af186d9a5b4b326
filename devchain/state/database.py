"""Where a chain keeps its states, for either engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import rlp
from eth.db.account import AccountDB
from eth.db.atomic import AtomicDB

from devchain.state.account import NO_CODE, Account
from devchain.state.account_database import Accounts
from devchain.state.states import States
from devchain.state.trie import EMPTY, EMPTY_ROOT, Load, Node, Trie
from devchain.types import Hash32

KEY_NIBBLES = 64
WORD, NONCE = 32, 8

Found = tuple[Hash32, bytes]


def parts(database: Database, root: Hash32, seen: set[Hash32]) -> Iterator[Found]:
    """Nodes and code of a state that have not been seen, as hash and bytes; now they have.

    Raises `ValueError` for what is no state, should it come from strangers, and whatever reading
    it raises.
    """
    for value, found in _trie_parts(database.trie(root), seen):
        yield from found
        if value is not None:
            yield from _account_parts(database.account(value), seen)


def _account_parts(account: Account, seen: set[Hash32]) -> Iterator[Found]:
    if account.balance.bit_length() > 8 * WORD or account.nonce.bit_length() > 8 * NONCE:
        msg = "a balance or a nonce is too large"
        raise ValueError(msg)
    if account.code is not NO_CODE and account.code.hash not in seen:
        seen.add(account.code.hash)
        yield account.code.hash, account.code.data
    for value, found in _trie_parts(account.storage, seen):
        yield from found
        if value is not None and len(rlp.decode(bytes(value))) > WORD:
            msg = "a storage slot holds more than a word"
            raise ValueError(msg)


def _trie_parts(trie: Trie, seen: set[Hash32]) -> Iterator[tuple[Any, list[Found]]]:
    """Each unseen node's value, if it has one, and the node itself unless its parent holds it."""
    if trie.root_hash == EMPTY_ROOT or trie.root_hash in seen:
        return
    waiting: list[tuple[Node, int]] = [(trie.node, 0)]
    while waiting:
        node, depth = waiting.pop()
        is_root = node is trie.node
        found: list[Found] = []
        if is_root or node.is_hashed:
            node_hash = trie.root_hash if is_root else Hash32(node.refer()[1:])
            if node_hash in seen:
                continue
            seen.add(node_hash)
            found.append((node_hash, node.encode()))
        value = node.value_here()
        if depth + len(value[0] if value else b"") > KEY_NIBBLES:
            msg = "a trie is deeper than its keys are long"
            raise ValueError(msg)
        yield value[1] if value else None, found
        for nibbles, child in node.children():
            if not nibbles:
                msg = "a trie has a step that leads nowhere"
                raise ValueError(msg)
            if child is not EMPTY:
                waiting.append((child, depth + len(nibbles)))


@dataclass(frozen=True, slots=True)
class RetainedState:
    """A state root, and what keeps its state from being forgotten."""

    root: Hash32
    trie: Trie | None = field(default=None, repr=False, compare=False)


class Database(Protocol):
    """What the chain asks of it; py-evm's states are opened on it too."""

    def accounts(self, root: Hash32) -> Any:
        """The accounts under a root, as py-evm's account database."""

    def reading(self, root: Hash32) -> Any:
        """The accounts under a root, to read and never to change: others may read the same."""

    def trie(self, root: Hash32) -> Trie:
        """The trie of a state, to prove what is in it."""

    def account(self, value: Any) -> Account:
        """The account of a value in a state's trie."""

    def learn(self, nodes: dict[Hash32, bytes]) -> None:
        """Find those nodes, and code, by their hash from now on."""

    def retain_state(self, root: Hash32) -> RetainedState:
        """What to keep for as long as the state of that root may be asked for."""


MOST_READERS = 1_000
"""How many may read the same opened state: what it remembers of its reads has an end."""


class FastDatabase(States):
    """The fast engine's: tries in memory, each as long as somebody holds it.

    The state read last stays open. A root stands for what is under it for ever, so it can not
    become wrong; whatever changes the chain leads to another root. With `load` and `save` there is
    a store behind it, in which nodes are found by their hash.
    """

    def __init__(
        self, load: Load | None = None, save: Callable[[dict[Hash32, bytes]], None] | None = None
    ) -> None:
        """Hold no state yet but those of the store."""
        self._learnt: dict[Hash32, bytes] = {}
        self._save = save
        super().__init__(load or self._recall)
        self._open = self.accounts(EMPTY_ROOT)
        self._readers = 0

    def _recall(self, node_hash: Hash32) -> bytes:
        return self._learnt[node_hash]

    def learn(self, nodes: dict[Hash32, bytes]) -> None:
        """Find those nodes by their hash from now on, in the store if there is one."""
        if self._save:
            self._save(nodes)
        else:
            self._learnt.update(nodes)

    def accounts(self, root: Hash32) -> Accounts:
        """The accounts under a root."""
        return Accounts(self, root)

    def reading(self, root: Hash32) -> Accounts:
        """The accounts under a root, opened anew when it is another than before."""
        opened = self._open  # of copies of a node in other threads each may open its own
        self._readers += 1
        if opened.state_root != root or self._readers > MOST_READERS:
            opened = self._open = self.accounts(root)
            self._readers = 1
        return opened

    def retain_state(self, root: Hash32) -> RetainedState:
        """The state's trie."""
        return RetainedState(root, self.trie(root))


class ReferenceDatabase(AtomicDB):
    """py-evm's: nodes and code by their hash, kept for good."""

    def __init__(self) -> None:
        """Hold nothing yet."""
        super().__init__()
        self._states = States(self.__getitem__)

    def accounts(self, root: Hash32) -> AccountDB:
        """The accounts under a root."""
        return AccountDB(self, root)

    def reading(self, root: Hash32) -> AccountDB:
        """The accounts under a root."""
        return self.accounts(root)

    def trie(self, root: Hash32) -> Trie:
        """The trie of that root."""
        return self._states.trie(root)

    def account(self, value: Any) -> Account:
        """The account of a value in a state's trie."""
        return self._states.account(value)

    def learn(self, nodes: dict[Hash32, bytes]) -> None:
        """Keep those nodes."""
        for node_hash, node in nodes.items():
            self[node_hash] = node

    def retain_state(self, root: Hash32) -> RetainedState:
        """The root alone: nothing is ever forgotten."""
        return RetainedState(root)


def open_database(engine: str) -> Database:
    """An empty database for that engine."""
    return FastDatabase() if engine == "fast" else ReferenceDatabase()
