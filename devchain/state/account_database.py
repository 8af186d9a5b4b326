"""The accounts of an open block: py-evm's account database, with nothing encoded before its root.

What is read is decoded once; what is written is journaled as `(table, key, old value)`, so that
going back to a checkpoint is putting old values back.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from eth.abc import AccountDatabaseAPI, TransientStorageAPI
from eth.db.journal import get_next_checkpoint
from eth.db.witness import MetaWitness
from eth_utils.exceptions import ValidationError
from sha3 import keccak_256  # type: ignore[import-untyped]  # safe-pysha3 has no type hints

from devchain.state.account import NO_ACCOUNT, NO_CODE, Account
from devchain.state.rlp import encode_int
from devchain.state.states import States
from devchain.state.trie import EMPTY_ROOT, EMPTY_STRING, EMPTY_TRIE, Load, Trie
from devchain.types import Address, Hash32

WORD, WORD_BITS = 32, 256
KEYS_KEPT = 8_192


@lru_cache(KEYS_KEPT)
def slot_key(slot: int) -> bytes:
    """Where a slot is in its trie."""
    key: bytes = keccak_256(slot.to_bytes(WORD, "big")).digest()
    return key


class Storage:
    """Slots read and written since the trie they come from.

    `values` are the slots as they are now, `original` those that the open transaction has
    written, as they were before it. `_settled` are those that earlier transactions have written.
    """

    __slots__ = ("_changed", "_settled", "_trie", "original", "values")

    def __init__(self, trie: Trie = EMPTY_TRIE) -> None:
        """Read from that trie."""
        self._trie = trie
        self._changed: set[int] = set()
        self._settled: set[int] = set()
        self.values: dict[int, int] = {}
        self.original: dict[int, int] = {}

    def load(self, slot: int) -> int:
        """Read a slot that is not among `values` yet."""
        if slot >> WORD_BITS:
            msg = f"a storage slot is a number of 256 bits, got {slot}"
            raise ValidationError(msg)
        value = decode_value(self._trie.get(slot_key(slot))) if self._trie is not EMPTY_TRIE else 0
        self.values[slot] = value
        return value

    def write(self, slot: int, value: int, old: int) -> None:
        """Change a slot from its old value."""
        self.original.setdefault(slot, old)
        self._changed.add(slot)
        self.values[slot] = value

    def settle(self) -> None:
        """Begin a transaction: what the one before has written stays."""
        self._settled.update(self.original)
        self.original.clear()

    def cleared(self) -> Storage:
        """Empty storage in place of this.

        As in py-evm the open transaction has found there what earlier ones of its block wrote,
        but nothing of what is in the trie.
        """
        empty = Storage()
        for slot in self._settled:
            empty.original[slot] = self.original.get(slot, self.values.get(slot, 0))
        return empty

    def trie(self) -> Trie:
        """The trie with everything written so far, which has to be settled."""
        self._settled.clear()
        if self._changed:
            values = self.values
            self._trie = self._trie.update(
                (slot_key(slot), encode_value(values[slot])) for slot in self._changed
            )
            self._changed.clear()
        return self._trie


def encode_value(value: int) -> bytes:
    """A slot's value as its leaf holds it; zero is no value."""
    return encode_int(value) if value else b""


def decode_value(encoded: bytes | None) -> int:
    """What a leaf's value says; a slot without a leaf is zero."""
    if not encoded:
        return 0
    return int.from_bytes(encoded if encoded < EMPTY_STRING else encoded[1:], "big")


NOTHING = b""


class TransientSlots(TransientStorageAPI):
    """The transient slots of every account, with a journal of what was there before."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._values: dict[tuple[Address, int], bytes] = {}
        self._journal: list[Any] = []

    def get_transient_storage(self, address: Address, slot: int) -> bytes:
        """A slot, empty if nothing was written to it."""
        return self._values.get((address, slot), NOTHING)

    def set_transient_storage(self, address: Address, slot: int, value: bytes) -> None:
        """Change a slot."""
        key = (address, slot)
        self._journal.append((key, self._values.get(key, NOTHING)))
        self._values[key] = value

    def record(self, checkpoint: Any) -> None:
        """Remember a checkpoint."""
        self._journal.append(checkpoint)

    def commit(self, checkpoint: Any) -> None:
        """Keep what has changed since a checkpoint: there is nothing to do."""

    def discard(self, checkpoint: Any) -> None:
        """Come back to a checkpoint."""
        journal = self._journal
        while journal:
            entry = journal.pop()
            if entry.__class__ is not int:
                key, old = entry
                self._values[key] = old
            elif entry == checkpoint:
                return

    def clear(self) -> None:
        """End a transaction: all is forgotten, and nothing of it can be undone."""
        self._values.clear()
        self._journal.clear()


BALANCE_BITS, NONCE_BITS = 256, 64
MISSING: Any = object()
"""The old value of what was not there."""


@lru_cache(KEYS_KEPT)
def account_key(address: Address) -> bytes:
    """Where an account is in the trie."""
    key: bytes = keccak_256(address).digest()
    return key


class Accounts(AccountDatabaseAPI):
    """Accounts on the state of a root, of `States` or of any store of nodes by their hash."""

    def __init__(self, db: Any, state_root: Hash32 = EMPTY_ROOT) -> None:
        """Open the state of that root."""
        self._states = db if isinstance(db, States) else NodeStore(db)
        self._open(state_root)

    def _open(self, state_root: Hash32) -> None:
        self._trie: Trie = self._states.trie(state_root)
        self._root = state_root
        self._accounts: dict[Address, Account | None] = {}
        self._storages: dict[Address, Storage] = {}
        self._journal: list[Any] = []
        self._warm: dict[Any, bool] = {}
        # What may differ from the trie, or from what the open transaction found: never too little.
        self._changed: set[Address] = set()
        self._changed_storage: set[Address] = set()
        self._written: list[Storage] = []

    @property
    def state_root(self) -> Hash32:
        """The root as it was made last."""
        return self._root

    @state_root.setter
    def state_root(self, value: Hash32) -> None:
        """Go to another state, leaving behind what has been changed."""
        if value != self._root:
            self._open(value)

    def has_root(self, state_root: bytes) -> bool:
        """Whether that state can be opened."""
        try:
            self._states.trie(Hash32(state_root)).node.resolve()
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

    def set_storage(self, address: Address, slot: int, value: int) -> None:
        """Change a slot."""
        if value >> BALANCE_BITS:
            msg = f"a storage value is a number of 256 bits, got {value}"
            raise ValidationError(msg)
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

    def delete_storage(self, address: Address) -> None:
        """Make an account with empty storage of what is there."""
        self._set(address, (self._account(address) or NO_ACCOUNT).with_storage(EMPTY_TRIE))
        self._clear_storage(address)

    def _clear_storage(self, address: Address) -> None:
        storage = self._storage(address)
        self._journal.append((self._storages, address, storage))
        empty = self._storages[address] = storage.cleared()
        self._written.append(empty)
        self._changed_storage.add(address)

    def _storage(self, address: Address) -> Storage:
        storage = self._storages.get(address)
        if storage is None:
            account = self._account(address) or NO_ACCOUNT
            storage = self._storages[address] = Storage(account.storage)
        return storage

    # Balance and nonce

    def get_balance(self, address: Address) -> int:
        """Balance in wei."""
        account = self._account(address)
        return account.balance if account else 0

    def set_balance(self, address: Address, balance: int) -> None:
        """Give an account that balance, in wei."""
        if balance >> BALANCE_BITS:
            msg = f"a balance is a number of 256 bits, got {balance}"
            raise ValidationError(msg)
        self._set(address, (self._account(address) or NO_ACCOUNT).with_balance(balance))

    def get_nonce(self, address: Address) -> int:
        """The nonce."""
        account = self._account(address)
        return account.nonce if account else 0

    def set_nonce(self, address: Address, nonce: int) -> None:
        """Give an account that nonce."""
        if nonce >> NONCE_BITS:
            msg = f"a nonce is a number of 64 bits, got {nonce}"
            raise ValidationError(msg)
        self._set(address, (self._account(address) or NO_ACCOUNT).with_nonce(nonce))

    def increment_nonce(self, address: Address) -> None:
        """Count the nonce up."""
        self.set_nonce(address, self.get_nonce(address) + 1)

    # Code

    def get_code(self, address: Address) -> bytes:
        """The code, empty if there is none."""
        account = self._account(address)
        return account.code.data if account else b""

    def set_code(self, address: Address, code: bytes) -> None:
        """Give an account that code."""
        account = self._account(address) or NO_ACCOUNT
        self._set(address, account.with_code(self._states.code(code)))

    def get_code_hash(self, address: Address) -> Hash32:
        """The hash of the code; that of no code for an account that does not exist."""
        return (self._account(address) or NO_ACCOUNT).code.hash

    def delete_code(self, address: Address) -> None:
        """Take the code away."""
        self._set(address, (self._account(address) or NO_ACCOUNT).with_code(NO_CODE))

    # Accounts

    def account_has_code_or_nonce(self, address: Address) -> bool:
        """Whether a contract could not be created there."""
        account = self._account(address)
        return account is not None and (account.nonce != 0 or account.code is not NO_CODE)

    def delete_account(self, address: Address) -> None:
        """Take the account away with its storage."""
        self._clear_storage(address)
        self._set(address, None)

    def account_exists(self, address: Address) -> bool:
        """Whether there is such an account, be it empty."""
        return self._account(address) is not None

    def touch_account(self, address: Address) -> None:
        """Bring an account into being if there is none."""
        if self._account(address) is None:
            self._set(address, NO_ACCOUNT)

    def account_is_empty(self, address: Address) -> bool:
        """Whether it has neither balance nor nonce nor code."""
        account = self._account(address)
        if account is None:
            return True
        return not (account.balance or account.nonce) and account.code is NO_CODE

    def _account(self, address: Address) -> Account | None:
        try:
            return self._accounts[address]
        except KeyError:
            found = self._trie.get(account_key(address))
            account = None if found is None else self._states.account(found)
            self._accounts[address] = account
            return account

    def _set(self, address: Address, account: Account | None) -> None:
        """Change an account that has been read."""
        accounts = self._accounts
        self._journal.append((accounts, address, accounts.get(address)))
        self._changed.add(address)
        accounts[address] = account

    # What a transaction has accessed (EIP-2929)

    def is_storage_warm(self, address: Address, slot: int) -> bool:
        """Whether the transaction has accessed the slot."""
        return (address, slot) in self._warm

    def mark_storage_warm(self, address: Address, slot: int) -> None:
        """Remember that the transaction has accessed the slot."""
        self._mark_warm((address, slot))

    def is_address_warm(self, address: Address) -> bool:
        """Whether the transaction has accessed the account."""
        return address in self._warm

    def mark_address_warm(self, address: Address) -> None:
        """Remember that the transaction has accessed the account."""
        self._mark_warm(address)

    def _mark_warm(self, key: Any) -> None:
        if key not in self._warm:
            self._journal.append((self._warm, key, MISSING))
            self._warm[key] = True

    # Checkpoints

    def record(self) -> Any:
        """A checkpoint to come back to."""
        checkpoint = get_next_checkpoint()
        self._journal.append(checkpoint)
        return checkpoint

    def discard(self, checkpoint: Any) -> None:
        """Come back to a checkpoint."""
        journal = self._journal
        while journal:
            entry = journal.pop()
            if entry.__class__ is int:
                if entry == checkpoint:
                    return
                continue
            table, key, old = entry
            if old is MISSING:
                del table[key]
            else:
                table[key] = old
        msg = f"no checkpoint {checkpoint} since the transaction began"
        raise ValidationError(msg)

    def commit(self, checkpoint: Any) -> None:
        """Keep what has changed since a checkpoint: there is nothing to do."""

    def lock_changes(self) -> None:
        """Begin a transaction: what has changed before it can not be undone any more."""
        self._lock()
        self._warm = {}

    def _lock(self) -> None:
        for storage in self._written:
            storage.settle()
        self._written.clear()
        self._journal.clear()

    # The root

    def make_state_root(self) -> Hash32:
        """The root of the accounts as they are now; what has changed can not be undone any more."""
        self._lock()
        for address in self._changed_storage:
            self._take_storage(address, self._storages[address].trie())
        changed = [(account_key(each), self._accounts[each]) for each in self._changed]
        self._trie = self._trie.update(changed)
        self._root = self._trie.root_hash
        self._changed.clear()
        self._changed_storage.clear()
        self._journal.clear()
        return self._root

    def _take_storage(self, address: Address, trie: Trie) -> None:
        account = self._account(address) or NO_ACCOUNT
        if trie.root_hash != account.storage.root_hash:
            self._set(address, account.with_storage(trie))

    def persist(self) -> Any:
        """Make the root, and let its state be found by it."""
        self.make_state_root()
        self._trie = self._states.keep(self._trie)
        return NO_WITNESS


NO_WITNESS = MetaWitness(set(), {})
"""py-evm's answer to what has been read; nobody asks for it."""


class NodeStore(States):
    """States in a store of nodes and code by their hash, such as any of py-evm's databases."""

    def __init__(self, store: Any) -> None:
        """Read from that store, and write what is new to it."""
        load: Load = store.__getitem__
        self._store = store
        super().__init__(load)

    def keep(self, trie: Trie) -> Trie:
        """Write what is new of a state."""
        kept = super().keep(trie)
        for key, data in self.unstored(trie.root_hash):
            self._store[key] = data
        self.mark_stored(trie.root_hash)
        return kept
