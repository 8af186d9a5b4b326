"""Accounts and contract code as values; finds the trie of a state by its root, code by its hash.

A state of 1,000 accounts is a trie of about 1,400 nodes. A block that changes one account makes a
new trie: the four or so nodes on the path from the root to that account are new, every other node
is the same Python object in both tries.

    block 7 ── root A ─┬─ branch ── ... ── account X (1 RBTC)
                       ├─ branch  <─────┐
    block 8 ── root B ─┴─ branch' ── ... ── account X (2 RBTC)

A database refers to its tries weakly. A block holds its own (`RetainedState`); when the block is
forgotten, so are the nodes that only its trie has.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import rlp
from sha3 import keccak_256  # type: ignore[import-untyped]  # safe-pysha3 has no type hints

from devchain.state.rlp import encode_int, wrap
from devchain.state.trie import EMPTY_TRIE, HASH_PREFIX, Load, Node, Trie
from devchain.types import Hash32


class Code:
    """A contract's code and its hash; accounts with the same code share it."""

    __slots__ = ("__weakref__", "_data", "_load", "hash", "is_stored")

    def __init__(self, hash_: Hash32, data: bytes | None, load: Load | None = None) -> None:
        """The code itself, or None to load it with `load` when it is first used."""
        self.hash = hash_
        self.is_stored = data is None
        self._data = data
        self._load = load

    @property
    def data(self) -> bytes:
        if self._data is None:
            assert self._load  # noqa: S101  # set whenever data is None
            self._data = self._load(self.hash)
        return self._data


NO_CODE = Code(Hash32(keccak_256(b"").digest()), b"")


class Account(NamedTuple):
    """Nonce, balance in wei, storage and code; `bytes()` gives its RLP."""

    nonce: int = 0
    balance: int = 0
    storage: Trie = EMPTY_TRIE
    code: Code = NO_CODE

    def __bytes__(self) -> bytes:
        nonce, balance, storage, code = self
        hashes = HASH_PREFIX + storage.root_hash + HASH_PREFIX + code.hash
        return wrap(encode_int(nonce) + encode_int(balance) + hashes)

    def with_balance(self, balance: int) -> Account:
        return Account(self.nonce, balance, self.storage, self.code)

    def with_nonce(self, nonce: int) -> Account:
        return Account(nonce, self.balance, self.storage, self.code)

    def with_nonce_and_balance(self, nonce: int, balance: int) -> Account:
        return Account(nonce, balance, self.storage, self.code)

    def with_storage(self, storage: Trie) -> Account:
        return Account(self.nonce, self.balance, storage, self.code)

    def with_code(self, code: Code) -> Account:
        return Account(self.nonce, self.balance, self.storage, code)


NO_ACCOUNT = Account()


CACHED_CODE = 24_576  # bytes, the most that a contract may have: longer code is not cached
Part = tuple[Hash32, bytes]


StoredPart = Node | Code  # written to a store; `is_stored` says whether it has been


def _hash(data: bytes) -> Hash32:
    return Hash32(keccak_256(data).digest())


_code_hash = lru_cache(256)(_hash)
"""Tests deploy the same contracts again and again: to find code takes a tenth of hashing it."""


class TrieDatabase:
    """Tries by root and code by hash: those that are in use, and those of a store.

    `load` gives the nodes and code of the store by their hash, and raises `KeyError` for others.
    """

    def __init__(self, load: Load) -> None:
        self._load = load
        self._tries: WeakValueDictionary[Hash32, Trie] = WeakValueDictionary()
        self._codes: WeakValueDictionary[Hash32, Code] = WeakValueDictionary()
        self.add_trie(EMPTY_TRIE)

    def trie(self, root: Hash32) -> Trie:
        """The trie of that root; it stays in memory for as long as the caller holds it."""
        found = self._tries.get(root)
        return self.add_trie(Trie.stored(root, self._load)) if found is None else found

    def add_trie(self, trie: Trie) -> Trie:
        """Make a trie known by its root; the one to hold, which may be an older equal one."""
        return self._tries.setdefault(trie.root_hash, trie)

    def account(self, value: Any) -> Account:
        if isinstance(value, Account):
            return value
        nonce, balance, root, code_hash = rlp.decode(value)
        return Account(
            int.from_bytes(nonce, "big"),
            int.from_bytes(balance, "big"),
            Trie.stored(Hash32(root), self._load),
            self.code_of_hash(Hash32(code_hash)),
        )

    def code(self, data: bytes) -> Code:
        """The `Code` of some bytecode, shared by the accounts that have it."""
        if not data:
            return NO_CODE
        code = Code((_code_hash if len(data) <= CACHED_CODE else _hash)(data), data)
        return self._codes.setdefault(code.hash, code)

    def code_of_hash(self, code_hash: Hash32) -> Code:
        if code_hash == NO_CODE.hash:
            return NO_CODE
        return self._codes.setdefault(code_hash, Code(code_hash, None, self._load))

    # Writing to a store

    def unstored(self, root: Hash32) -> Iterator[Part]:
        """New nodes and code of a state that are in no store yet, children before their parents."""
        for part, part_hash in self._new_parts(root):
            if isinstance(part, Code):
                yield part.hash, part.data
            elif part_hash is not None:
                yield part_hash, part.encode()

    def mark_stored(self, root: Hash32) -> list[StoredPart]:
        parts = [part for part, _ in self._new_parts(root)]
        for part in parts:
            part.is_stored = True
        return parts

    def _new_parts(self, root: Hash32) -> list[tuple[StoredPart, Hash32 | None]]:
        # Each node comes with its hash, None for one that is embedded in its parent.
        trie = self.trie(root).content
        found: list[tuple[StoredPart, Hash32 | None]] = []
        nodes = trie.new_nodes()
        for node in nodes:
            leaf = node.value_here()
            if not leaf or isinstance(leaf[1], bytes):
                continue
            account = self.account(leaf[1])
            if account.storage is not EMPTY_TRIE and not account.storage.node.is_stored:
                found += _with_hashes(account.storage, account.storage.new_nodes())
            if not account.code.is_stored and account.code is not NO_CODE:
                found.append((account.code, None))
        return found + _with_hashes(trie, nodes)


def _with_hashes(trie: Trie, nodes: list[Node]) -> list[tuple[Node | Code, Hash32 | None]]:
    return [
        (node, trie.root_hash if node is trie.node else node.hash if node.is_hashed else None)
        for node in nodes
    ]
