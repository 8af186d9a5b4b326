"""The accounts of a block that is being executed: py-evm's account database for the fast engine.

Accounts and slots are decoded once, when they are first read, and encoded once, when the state root
is computed. Writes go to dictionaries, and the journal keeps what they replace as
`(dictionary, key, old value)`. A checkpoint is a number in the journal; to discard it is to put old
values back until that number is reached. With X at 5 RBTC:

    record()               journal: [1]
    set_balance(X, 4)      journal: [1, (accounts, X, account with 5)]
    set_storage(X, 0, 9)   journal: [1, (accounts, X, account with 5), (values of X, 0, 0)]
    discard(1)             slot 0 of X is 0 again, then its balance 5; journal: []
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from eth.abc import AccountDatabaseAPI, TransientStorageAPI
from eth.db.journal import get_next_checkpoint
from eth.db.witness import MetaWitness
from eth_utils.exceptions import ValidationError
from sha3 import keccak_256  # type: ignore[import-untyped]  # safe-pysha3 has no type hints

from devchain.state.rlp import encode_int
from devchain.state.trie import EMPTY, EMPTY_ROOT, EMPTY_STRING, EMPTY_TRIE, Trie
from devchain.state.trie_database import NO_ACCOUNT, NO_CODE, Account, TrieDatabase
from devchain.types import WORD_SIZE, Address, Hash32

WORD_BITS = 256
BALANCE_BITS, NONCE_BITS = 256, 64
CACHED_KEYS = 8_192
MISSING: Any = object()  # the old value of an entry that was not in its dictionary
NO_WITNESS = MetaWitness(set(), {})  # what `persist` returns, for py-evm's stateless clients


@lru_cache(CACHED_KEYS)
def account_key(address: Address) -> bytes:
    key: bytes = keccak_256(address).digest()
    return key


@lru_cache(CACHED_KEYS)
def slot_key(slot: int) -> bytes:
    key: bytes = keccak_256(slot.to_bytes(WORD_SIZE, "big")).digest()
    return key


def encode_value(value: int) -> bytes:
    """A slot's value as its leaf holds it; empty for zero, which has no leaf."""
    return encode_int(value) if value else b""


def decode_value(encoded: bytes | None) -> int:
    if not encoded:
        return 0
    return int.from_bytes(encoded if encoded < EMPTY_STRING else encoded[1:], "big")


class AccountStorage:
    """The slots of one account that have been read or written since its trie was built.

    `values` are the slots as they are now, `original` the values that slots had before the current
    transaction wrote to them. `_written_before` are the slots that earlier transactions wrote.
    """

    __slots__ = ("_changed", "_trie", "_written_before", "original", "values")

    def __init__(self, trie: Trie = EMPTY_TRIE) -> None:
        self._trie = trie
        self._changed: set[int] = set()
        self._written_before: set[int] = set()
        self.values: dict[int, int] = {}
        self.original: dict[int, int] = {}

    def load(self, slot: int) -> int:
        if slot >> WORD_BITS:
            raise ValidationError(f"a storage slot is a number of 256 bits, got {slot}")
        trie = self._trie
        value = decode_value(trie.get(slot_key(slot))) if trie is not EMPTY_TRIE else 0
        self.values[slot] = value
        return value

    def write(self, slot: int, value: int, old: int) -> None:
        self.original.setdefault(slot, old)
        self._changed.add(slot)
        self.values[slot] = value

    def is_written(self, slot: int) -> bool:
        """Whether the slot has been written to since the trie was built."""
        return slot in self._changed

    def begin_transaction(self) -> None:
        self._written_before.update(self.original)
        self.original.clear()

    def cleared(self) -> AccountStorage:
        """Empty storage to replace this.

        As in py-evm the original values of its slots are those that earlier transactions of the
        block wrote, and zero for slots that are only in the trie.
        """
        empty = AccountStorage()
        for slot in self._written_before:
            empty.original[slot] = self.original.get(slot, self.values.get(slot, 0))
        return empty

    def build_trie(self) -> Trie:
        """The trie with everything written so far, after `begin_transaction`."""
        self._written_before.clear()
        if self._changed:
            entries = [(slot_key(slot), self._entry(slot)) for slot in self._changed]
            changed = self._trie.update(entries)
            self._trie = EMPTY_TRIE if changed.node is EMPTY else changed
            self._changed.clear()
        return self._trie

    def _entry(self, slot: int) -> bytes:
        return encode_value(self.values[slot])


class AccountDatabase(AccountDatabaseAPI):
    """The accounts under a state root, with changes that can be discarded and made a new root."""

    def __init__(self, db: TrieDatabase, state_root: Hash32 = EMPTY_ROOT) -> None:
        self._tries = db
        self._keeps_journal = False
        self._open(state_root)

    def _open(self, state_root: Hash32) -> None:
        self._trie: Trie = self._tries.trie(state_root)
        self._root = state_root
        self._accounts: dict[Address, Account | None] = {}
        self._storages: dict[Address, AccountStorage] = {}
        self._journal: list[Any] = []
        self._has_whole_journal = True
        self._warm: dict[Any, bool] = {}
        # What may differ from the trie: entries stay when their changes are discarded.
        self._changed: set[Address] = set()
        self._changed_storage: set[Address] = set()
        # The storages that the current transaction has written to.
        self._written: list[AccountStorage] = []

    @property
    def state_root(self) -> Hash32:
        return self._root

    @state_root.setter
    def state_root(self, value: Hash32) -> None:
        """Open another state; changes are lost."""
        if value != self._root:
            self._open(value)

    def has_root(self, state_root: bytes) -> bool:
        try:
            self._tries.trie(Hash32(state_root)).node.children()
        except KeyError:
            return False
        return True

    # Storage

    def get_storage(self, address: Address, slot: int, from_journal: bool = True) -> int:  # noqa: FBT001, FBT002  # py-evm's
        """A slot now, or with `from_journal` false as it was before the transaction."""
        storage = self._storages.get(address) or self._storage(address)
        if not from_journal:
            original = storage.original.get(slot)
            if original is not None:
                return original
        value = storage.values.get(slot)
        return storage.load(slot) if value is None else value

    def slot_values(self, address: Address, slot: int) -> tuple[int, int]:
        """A slot now, and as it was before the transaction."""
        storage = self._storages.get(address) or self._storage(address)
        value = storage.values.get(slot)
        if value is None:
            value = storage.load(slot)
        return value, storage.original.get(slot, value)

    def set_storage(self, address: Address, slot: int, value: int) -> None:
        if value >> WORD_BITS:
            raise ValidationError(f"a storage value is a number of 256 bits, got {value}")
        storage = self._storages.get(address) or self._storage(address)
        old = storage.values.get(slot)
        if old is None:
            old = storage.load(slot)
        if old == value:
            return
        self._journal.append((storage.values, slot, old))
        if not storage.original:
            self._written.append(storage)
        storage.write(slot, value, old)
        self._changed_storage.add(address)

    def opened_slots(self, address: Address) -> Iterable[int]:
        """The present values of the slots that have been read or written since the state opened."""
        storage = self._storages.get(address)
        return storage.values.values() if storage else ()

    def delete_storage(self, address: Address) -> None:
        self._set(address, (self._account(address) or NO_ACCOUNT).with_storage(EMPTY_TRIE))
        self._clear_storage(address)

    def _clear_storage(self, address: Address) -> None:
        storage = self._storage(address)
        self._journal.append((self._storages, address, storage))
        empty = self._storages[address] = storage.cleared()
        self._written.append(empty)
        self._changed_storage.add(address)

    def _storage(self, address: Address) -> AccountStorage:
        storage = self._storages.get(address)
        if storage is None:
            account = self._account(address) or NO_ACCOUNT
            storage = self._storages[address] = AccountStorage(account.storage)
        return storage

    # Balance and nonce

    def get_balance(self, address: Address) -> int:
        account = self._accounts.get(address) or self._account(address)
        return account.balance if account else 0

    def set_balance(self, address: Address, balance: int) -> None:
        if balance >> BALANCE_BITS:
            raise ValidationError(f"a balance is a number of 256 bits, got {balance}")
        self._set(address, (self._account(address) or NO_ACCOUNT).with_balance(balance))

    def get_nonce(self, address: Address) -> int:
        account = self._accounts.get(address) or self._account(address)
        return account.nonce if account else 0

    def set_nonce(self, address: Address, nonce: int) -> None:
        if nonce >> NONCE_BITS:
            raise ValidationError(f"a nonce is a number of 64 bits, got {nonce}")
        account = self._account(address) or NO_ACCOUNT
        self._set(address, account.with_nonce(nonce) if nonce != account.nonce else account)

    def increment_nonce(self, address: Address) -> None:
        self.set_nonce(address, self.get_nonce(address) + 1)

    def charge(self, address: Address, fee: int) -> int:
        """Take the fee, in wei, of a transaction that the account sends; the nonce it has."""
        account = self._accounts.get(address) or self._account(address) or NO_ACCOUNT
        nonce, balance = account.nonce, account.balance - fee
        if balance < 0:
            raise ValidationError(f"a balance is a number of 256 bits, got {balance}")
        if nonce + 1 >> NONCE_BITS:
            raise ValidationError(f"a nonce is a number of 64 bits, got {nonce + 1}")
        self._set(address, account.with_nonce_and_balance(nonce + 1, balance))
        return nonce

    # Code

    def get_code(self, address: Address) -> bytes:
        account = self._accounts.get(address) or self._account(address)
        return account.code.data if account else b""

    def set_code(self, address: Address, code: bytes) -> None:
        account = self._account(address) or NO_ACCOUNT
        self._set(address, account.with_code(self._tries.code(code)))

    def get_code_hash(self, address: Address) -> Hash32:
        return (self._account(address) or NO_ACCOUNT).code.hash

    def delete_code(self, address: Address) -> None:
        self._set(address, (self._account(address) or NO_ACCOUNT).with_code(NO_CODE))

    # Accounts

    def account_has_code_or_nonce(self, address: Address) -> bool:
        account = self._account(address)
        return account is not None and (account.nonce != 0 or account.code is not NO_CODE)

    def delete_account(self, address: Address) -> None:
        self._clear_storage(address)
        self._set(address, None)

    def account(self, address: Address) -> Account | None:
        return self._accounts.get(address) or self._account(address)

    def account_exists(self, address: Address) -> bool:
        return self._account(address) is not None

    def touch_account(self, address: Address) -> None:
        if not self._accounts.get(address) and self._account(address) is None:
            self._set(address, NO_ACCOUNT)

    def account_is_empty(self, address: Address) -> bool:
        account = self._account(address)
        if account is None:
            return True
        return not (account.balance or account.nonce) and account.code is NO_CODE

    def _account(self, address: Address) -> Account | None:
        account: Account | None = self._accounts.get(address, MISSING)
        if account is MISSING:
            value = self._trie.get(account_key(address))
            account = None if value is None else self._tries.account(value)
            self._accounts[address] = account
        return account

    def _set(self, address: Address, account: Account | None) -> None:
        accounts = self._accounts
        self._journal.append((accounts, address, accounts.get(address)))
        self._changed.add(address)
        accounts[address] = account

    # Access lists (EIP-2929)

    def is_storage_warm(self, address: Address, slot: int) -> bool:
        return (address, slot) in self._warm

    def mark_storage_warm(self, address: Address, slot: int) -> None:
        self.warm_up((address, slot))

    def is_address_warm(self, address: Address) -> bool:
        return address in self._warm

    def mark_address_warm(self, address: Address) -> None:
        self.warm_up(address)

    def warm_up(self, key: Address | tuple[Address, int]) -> bool:
        """Whether an account or a slot is warm already; it is from now on."""
        warm = self._warm
        if key in warm:
            return True
        self._journal.append((warm, key, MISSING))
        warm[key] = True
        return False

    # Checkpoints

    def record(self) -> Any:
        checkpoint = get_next_checkpoint()
        self._journal.append(checkpoint)
        return checkpoint

    def discard(self, checkpoint: Any) -> None:
        if not _discard(self._journal, checkpoint):
            raise ValidationError(f"no checkpoint {checkpoint} since the transaction began")

    def commit(self, checkpoint: Any) -> None:
        """Keep what has changed since a checkpoint: an outer one can still undo it."""

    def rewind(self) -> bool:
        """Undo all changes, keep what has been read; False, and nothing, after a transaction."""
        if not self._has_whole_journal:
            return False
        for entry in reversed(self._journal):
            if entry.__class__ is not int:
                _undo(entry)
        self._journal.clear()
        for address in self._changed_storage:  # their original values are not in the journal
            self._storages.pop(address, None)
        self._changed.clear()
        self._changed_storage.clear()
        self._written.clear()
        self._warm = {}
        return True

    def lock_changes(self) -> None:
        """Begin a transaction: earlier changes cannot be undone any more."""
        self._end_transaction()
        self._warm = {}

    def _end_transaction(self) -> None:
        for storage in self._written:
            storage.begin_transaction()
        self._written.clear()
        if self._journal and not self._keeps_journal:
            self._journal.clear()
            self._has_whole_journal = False

    def keep_journal(self) -> None:
        """Let checkpoints undo earlier transactions too, as long as no root is computed."""
        self._keeps_journal = True

    # The state root

    def make_state_root(self) -> Hash32:
        """Compute the root of the present state; earlier changes cannot be undone any more."""
        self._end_transaction()
        for address in self._changed_storage:
            trie = self._storages[address].build_trie()
            account = self._account(address) or NO_ACCOUNT
            if trie.root_hash != account.storage.root_hash:
                self._set(address, account.with_storage(trie))
        self._trie = self._trie.update(self._changed_entries())
        self._root = self._trie.root_hash
        self._changed.clear()
        self._changed_storage.clear()
        self._journal.clear()
        self._has_whole_journal = False
        return self._root

    def _changed_entries(self) -> list[tuple[bytes, Any]]:
        return [(account_key(each), self._accounts[each]) for each in self._changed]

    def persist(self) -> Any:
        self.make_state_root()
        self._trie = self._tries.add_trie(self._trie)
        return NO_WITNESS


def _undo(entry: tuple[dict[Any, Any], Any, Any]) -> None:
    table, key, old = entry
    if old is MISSING:
        del table[key]
    else:
        table[key] = old


def _discard(journal: list[Any], checkpoint: Any) -> bool:
    while journal:
        entry = journal.pop()
        if entry.__class__ is not int:
            _undo(entry)
        elif entry == checkpoint:
            return True
    return False


class TransientStorage(TransientStorageAPI):
    """The transient slots of every account (EIP-1153), with a journal as `AccountDatabase` has."""

    def __init__(self) -> None:
        self._values: dict[tuple[Address, int], bytes] = {}
        self._journal: list[Any] = []

    def get_transient_storage(self, address: Address, slot: int) -> bytes:
        return self._values.get((address, slot), b"")

    def set_transient_storage(self, address: Address, slot: int, value: bytes) -> None:
        key = (address, slot)
        self._journal.append((self._values, key, self._values.get(key, b"")))
        self._values[key] = value

    def record(self, checkpoint: Any) -> None:
        self._journal.append(checkpoint)

    def commit(self, checkpoint: Any) -> None:
        """Keep what has changed since a checkpoint: an outer one can still undo it."""

    def discard(self, checkpoint: Any) -> None:
        _discard(self._journal, checkpoint)

    def clear(self) -> None:
        self._values.clear()
        self._journal.clear()
