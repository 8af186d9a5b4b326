"""An account as an immutable value: what its leaf in the state's trie holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import rlp
from sha3 import keccak_256  # type: ignore[import-untyped]  # safe-pysha3 has no type hints

from devchain.state.rlp import encode_int, wrap
from devchain.state.trie import EMPTY_TRIE, HASH_PREFIX, Load, Trie
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
FindCode = Callable[[Hash32], Code]


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
"""The fields of an account that does not exist."""


def decode_account(encoded: bytes, load: Load, find_code: FindCode) -> Account:
    nonce, balance, root, code_hash = rlp.decode(encoded)
    storage = Trie.stored(Hash32(root), load)
    return Account(
        int.from_bytes(nonce, "big"),
        int.from_bytes(balance, "big"),
        storage,
        find_code(Hash32(code_hash)),
    )
