"""The state of a forked chain: what differs from a state of the upstream chain, on top of it.

The base is the state after a block of the upstream chain (`UpstreamState`), read fact by fact. What
blocks here change is kept in tries like any other state's, but these hold the changes alone. With
account X at 5 RBTC and slot 0 of it at 9 upstream:

    set_balance(X, 4)        overlay: X -> balance 4, the other fields as upstream
    set_storage(X, 0, 0)     overlay: X -> balance 4, slot 0 zero (an entry of its own)
    set_balance(X, 5)        overlay: X -> slot 0 zero
    set_storage(X, 0, 9)     the overlay is empty: the upstream state itself

So equal states have equal roots. The root of a state without changes is that of the upstream block,
any other is the keccak-256 of the upstream root and the overlay's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sha3 import keccak_256  # type: ignore[import-untyped]  # safe-pysha3 has no type hints

from devchain.errors import ProofUnavailable
from devchain.state.account import NO_ACCOUNT, NO_CODE, Account, Code
from devchain.state.account_database import (
    AccountDatabase,
    AccountStorage,
    account_key,
    decode_value,
    encode_value,
    slot_key,
)
from devchain.state.rlp import encode_bytes, encode_int, wrap
from devchain.state.state_database import FastDatabase, RetainedState
from devchain.state.trie import EMPTY, EMPTY_STRING, EMPTY_TRIE, Trie
from devchain.state.upstream_state import UpstreamState
from devchain.types import Address, Hash32

UNCHANGED = b"\xc0"
"""A field of an overlay's account that is the base's: an empty list in its RLP."""
ZEROED = EMPTY_STRING
"""The entry of a slot that is zero here and not upstream; a trie of slots has no such leaf."""
MARK = b"\x01"
DELETED = wrap(b"")
"""The entry of an account that exists upstream and not here."""


class ForkTrie(Trie):
    """The overlay over one base, under the root of the state that the two make."""

    __slots__ = ("base",)

    def __init__(self, base: UpstreamState, overlay: Trie = EMPTY_TRIE) -> None:
        """The base with the changes in a trie of accounts."""
        if overlay.node is EMPTY:
            root = base.root
        else:
            root = Hash32(keccak_256(base.root + overlay.root_hash).digest())
        super().__init__(overlay.node, root)
        self.base = base

    def update(self, changes: Iterable[tuple[bytes, Any]]) -> Trie:
        """The state with those entries; None removes one."""
        changed = super().update(changes)
        return self if changed is self else ForkTrie(self.base, changed)

    def proof(self, key: bytes) -> tuple[bytes, ...]:
        """There is none: the nodes of the upstream chain's trie are not known."""
        del key
        raise ProofUnavailable


class ForkAccount:
    """An account of a fork: fields that have changed, the others are read from the base.

    It has the attributes and methods of `Account`. `own_nonce` and so on are None where they are
    the base's; `storage` holds the changed slots alone.
    """

    __slots__ = ("address", "base", "own_balance", "own_code", "own_nonce", "storage")

    def __init__(self, address: Address, base: UpstreamState) -> None:
        """The account as it is in the base."""
        self.address = address
        self.base = base
        self.own_nonce: int | None = None
        self.own_balance: int | None = None
        self.own_code: Code | None = None
        self.storage = EMPTY_TRIE

    @property
    def nonce(self) -> int:
        return self.base.nonce(self.address) if self.own_nonce is None else self.own_nonce

    @property
    def balance(self) -> int:
        return self.base.balance(self.address) if self.own_balance is None else self.own_balance

    @property
    def code(self) -> Code:
        return self.base.code(self.address) if self.own_code is None else self.own_code

    @property
    def exists(self) -> bool:
        """Whether it has code, a nonce or a balance: empty accounts upstream do not show."""
        if self.own_nonce or self.own_balance:
            return True
        if self.own_code is None and self.base.exists(self.address):
            return True
        return bool(self.nonce or self.balance or self.code is not NO_CODE)

    def with_balance(self, balance: int) -> ForkAccount:
        changed = self._copy()
        changed.own_balance = balance
        return changed

    def with_nonce(self, nonce: int) -> ForkAccount:
        changed = self._copy()
        changed.own_nonce = nonce
        return changed

    def with_code(self, code: Code) -> ForkAccount:
        changed = self._copy()
        changed.own_code = code
        return changed

    def with_storage(self, storage: Trie) -> ForkAccount:
        changed = self._copy()
        changed.storage = storage
        return changed

    def _copy(self) -> ForkAccount:
        copied = ForkAccount(self.address, self.base)
        copied.own_nonce, copied.own_balance, copied.own_code = (
            self.own_nonce,
            self.own_balance,
            self.own_code,
        )
        copied.storage = self.storage
        return copied

    def entry(self) -> ForkAccount | None:
        """What the overlay holds: without fields that equal the base's; None without any."""
        base, address, reduced = self.base, self.address, self._copy()
        if reduced.own_nonce is not None and reduced.own_nonce == base.nonce(address):
            reduced.own_nonce = None
        if reduced.own_balance is not None and reduced.own_balance == base.balance(address):
            reduced.own_balance = None
        if reduced.own_code is not None and reduced.own_code.hash == base.code(address).hash:
            reduced.own_code = None
        return reduced if reduced.is_changed else None

    @property
    def is_changed(self) -> bool:
        fields = (self.own_nonce, self.own_balance, self.own_code)
        return self.storage is not EMPTY_TRIE or any(each is not None for each in fields)

    def __bytes__(self) -> bytes:
        """RLP of the changed fields; an `Account` has no such mark before them."""
        return wrap(
            MARK
            + (UNCHANGED if self.own_nonce is None else encode_int(self.own_nonce))
            + (UNCHANGED if self.own_balance is None else encode_int(self.own_balance))
            + (UNCHANGED if self.storage is EMPTY_TRIE else encode_bytes(self.storage.root_hash))
            + (UNCHANGED if self.own_code is None else encode_bytes(self.own_code.hash))
        )


class ForkStorage(AccountStorage):
    """The slots of an account that exists upstream."""

    __slots__ = ("_address", "_base")

    def __init__(self, base: UpstreamState, address: Address, trie: Trie) -> None:
        """Read slots from that trie, and those that it does not have from the base."""
        super().__init__(trie)
        self._base = base
        self._address = address

    def load(self, slot: int) -> int:
        encoded = None if self._trie is EMPTY_TRIE else self._trie.get(slot_key(slot))
        value = (
            self._base.storage(self._address, slot) if encoded is None else decode_value(encoded)
        )
        if value is None:  # not kept: the next read asks again
            return 0
        self.values[slot] = value
        return value

    def build_trie(self) -> Trie:
        """The overlay's trie of the account: slots that are as upstream are not in it."""
        self._written_before.clear()
        if self._changed:
            entries = ((slot_key(slot), self._entry(slot)) for slot in self._changed)
            changed = self._trie.update(entries)
            self._trie = EMPTY_TRIE if changed.node is EMPTY else changed
            self._changed.clear()
        return self._trie

    def _entry(self, slot: int) -> bytes:
        value = self.values[slot]
        if value == self._base.storage(self._address, slot):
            return b""
        return encode_value(value) or ZEROED


class ForkAccountDatabase(AccountDatabase):
    """The accounts of a block of a fork.

    An account that was deleted and made anew here is an `Account`: nothing of it is the base's.
    """

    _tries: ForkDatabase

    @property
    def upstream(self) -> UpstreamState | None:
        """The state of the upstream chain that this one was made from."""
        return self._base

    def _open(self, state_root: Hash32) -> None:
        super()._open(state_root)
        trie = self._trie
        self._base = trie.base if isinstance(trie, ForkTrie) else None

    def _account(self, address: Address) -> Any:
        try:
            return self._accounts[address]
        except KeyError:
            account: Any = self._trie.get(account_key(address))
            if self._base is None:
                account = None if account is None else self._tries.account(account)
            elif account is None:
                account = ForkAccount(address, self._base)
            elif account == DELETED:
                account = None
            self._accounts[address] = account
            return account

    def _storage(self, address: Address) -> AccountStorage:
        storage = self._storages.get(address)
        if storage is None:
            account = self._account(address) or NO_ACCOUNT
            if isinstance(account, ForkAccount) and self._base:
                storage = ForkStorage(self._base, address, account.storage)
            else:
                storage = AccountStorage(account.storage)
            self._storages[address] = storage
        return storage

    def _clear_storage(self, address: Address) -> None:
        super()._clear_storage(address)
        account = self._account(address)
        if isinstance(account, ForkAccount):
            self._set(address, Account(account.nonce, account.balance, EMPTY_TRIE, account.code))

    def account_exists(self, address: Address) -> bool:
        account = self._account(address)
        return account.exists if isinstance(account, ForkAccount) else account is not None

    def touch_account(self, address: Address) -> None:
        if not self.account_exists(address):
            self._set(address, NO_ACCOUNT)

    def make_state_root(self) -> Hash32:
        self._end_transaction()
        for address in self._changed_storage:
            trie = self._storages[address].build_trie()
            account = self._account(address) or NO_ACCOUNT
            if trie.root_hash != account.storage.root_hash:
                self._set(address, account.with_storage(trie))
        changed = [(account_key(each), self._entry(each)) for each in self._changed]
        self._trie = self._trie.update(changed)
        self._root = self._trie.root_hash
        self._changed.clear()
        self._changed_storage.clear()
        self._journal.clear()
        return self._root

    def _entry(self, address: Address) -> Any:
        """What the overlay holds of an account; None if that is as in the base."""
        account: Any = self._accounts[address]
        if isinstance(account, ForkAccount):
            return account.entry()
        if account is None and self._base and ForkAccount(address, self._base).exists:
            return DELETED
        return account


class ForkDatabase(FastDatabase):
    """The states of a fork, and of the upstream chain before it.

    `find_base` returns the base of a state root that an upstream block has, or None.
    """

    def __init__(self, find_base: Callable[[Hash32], UpstreamState | None]) -> None:
        self._find_base = find_base
        super().__init__()

    def accounts(self, root: Hash32) -> AccountDatabase:
        return ForkAccountDatabase(self, root)

    def trie(self, root: Hash32) -> Trie:
        found = self._tries.get(root)
        if found is None and (base := self._find_base(root)):
            found = self.add_trie(ForkTrie(base))
        return super().trie(root) if found is None else found

    def with_balances(self, root: Hash32, balances: Mapping[Address, int]) -> RetainedState:
        """The upstream state of that root with other balances, in wei, as a base of its own."""
        base = self._find_base(root)
        assert base  # noqa: S101  # the caller has it from a block of the upstream chain
        trie = self.add_trie(ForkTrie(base.with_balances(balances)))
        return RetainedState(trie.root_hash, trie)

    def account(self, value: Any) -> Any:
        return value if isinstance(value, ForkAccount) else super().account(value)
