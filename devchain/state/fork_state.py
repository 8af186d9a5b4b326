"""The state of a forked chain: what differs from a state of the upstream chain, on top of it.

The base is the state after a block of the upstream chain (`UpstreamState`), read when it is needed.
What blocks here change is kept in tries like any other state's, but these hold the changes alone.
With account X at 5 RBTC and slot 0 of it at 9 upstream:

    set_balance(X, 4)        overlay: X -> balance 4, the other fields as upstream
    set_storage(X, 0, 0)     overlay: X -> balance 4, slot 0 zero (an entry of its own)
    set_balance(X, 5)        overlay: X -> slot 0 zero
    set_storage(X, 0, 9)     the overlay is empty: the upstream state itself

So equal states have equal roots. The root of a state without changes is that of the upstream block,
any other is the keccak-256 of a record, the upstream root and the overlay's in RLP. Data dirs and
dumps have the record beside the nodes of the overlay, also found by its hash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import rlp
from sha3 import keccak_256  # type: ignore[import-untyped]  # safe-pysha3 has no type hints

from devchain.errors import InvalidInput, ProofUnavailable
from devchain.state.account_database import (
    AccountDatabase,
    AccountStorage,
    account_key,
    decode_value,
    encode_value,
    slot_key,
)
from devchain.state.rlp import encode_bytes, encode_int, wrap
from devchain.state.state_database import FastDatabase, RetainedState, SlotWrites
from devchain.state.trie import EMPTY, EMPTY_STRING, EMPTY_TRIE, Load, Trie, nibbles
from devchain.state.trie_database import NO_ACCOUNT, NO_CODE, Account, Code, Part
from devchain.state.upstream_state import UpstreamState
from devchain.types import ZERO_ADDRESS, Address, Hash32

UNCHANGED = b"\xc0"  # a field of an overlay's account that is the base's: an empty list in its RLP
ZEROED = EMPTY_STRING  # a slot that is zero here and not upstream; no trie of slots has such a leaf
MARK = b"\x01"
ENTRY_ITEMS = 5  # the mark and four fields; an `Account` has no mark
NO_BASE: Any = None  # the base of an entry of which only the changes are read
DELETED = wrap(b"")  # the entry of an account that exists upstream and not here


class ForkTrie(Trie):
    """The overlay over one base, under the root of the state that the two make."""

    __slots__ = ("_overlay", "_record", "base")

    def __init__(self, base: UpstreamState, overlay: Trie = EMPTY_TRIE) -> None:
        root, self._record = base.root, b""
        if overlay.node is not EMPTY:
            self._record = wrap(encode_bytes(base.root) + encode_bytes(overlay.root_hash))
            root = Hash32(keccak_256(self._record).digest())
        super().__init__(overlay.node, root)
        self.base = base
        self._overlay = overlay

    def update(
        self, changes: Iterable[tuple[bytes, Any]], to_path: Callable[[bytes], bytes] = nibbles
    ) -> Trie:
        changed = super().update(changes, to_path)
        return self if changed is self else ForkTrie(self.base, changed)

    @property
    def content(self) -> Trie:
        return self._overlay

    def records(self) -> tuple[Part, ...]:
        records = ((self.base.root, self.base.record), (self.root_hash, self._record))
        return tuple((root, record) for root, record in records if record)

    def proof(self, key: bytes) -> tuple[bytes, ...]:
        del key
        raise ProofUnavailable(
            "a fork has proofs only of earlier blocks and unchanged accounts: most of its trie is "
            "upstream"
        )


class ForkAccount(NamedTuple):
    """An account of a fork: fields that have changed, the others are read from the base.

    It has the attributes and methods of `Account`. `own_nonce` and so on are None where they are
    the base's; `storage` holds the changed slots alone.
    """

    address: Address
    base: UpstreamState
    own_nonce: int | None = None
    own_balance: int | None = None
    own_code: Code | None = None
    storage: Trie = EMPTY_TRIE

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
        """Whether it has code, a nonce or a balance; upstream, empty ones are not seen."""
        if self.own_nonce or self.own_balance:
            return True
        if self.own_code is None and self.base.exists(self.address):
            return True
        return bool(self.nonce or self.balance or self.code is not NO_CODE)

    def with_balance(self, balance: int) -> ForkAccount:
        return self._replace(own_balance=balance)

    def with_nonce(self, nonce: int) -> ForkAccount:
        return self._replace(own_nonce=nonce)

    def with_nonce_and_balance(self, nonce: int, balance: int) -> ForkAccount:
        return self._replace(own_nonce=nonce, own_balance=balance)

    def with_code(self, code: Code) -> ForkAccount:
        return self._replace(own_code=code)

    def with_storage(self, storage: Trie) -> ForkAccount:
        return self._replace(storage=storage)

    def entry(self) -> ForkAccount | None:
        """What the overlay holds: without fields that equal the base's; None without any."""
        base, address = self.base, self.address
        nonce, balance, code = self.own_nonce, self.own_balance, self.own_code
        if nonce is not None and nonce == base.nonce(address):
            nonce = None
        if balance is not None and balance == base.balance(address):
            balance = None
        if code is not None and code.hash == base.code(address).hash:
            code = None
        is_changed = any(field is not None for field in (nonce, balance, code))
        if not is_changed and self.storage is EMPTY_TRIE:
            return None
        return ForkAccount(address, base, nonce, balance, code, self.storage)

    def __bytes__(self) -> bytes:
        return wrap(
            MARK
            + (UNCHANGED if self.own_nonce is None else encode_int(self.own_nonce))
            + (UNCHANGED if self.own_balance is None else encode_int(self.own_balance))
            + (UNCHANGED if self.storage is EMPTY_TRIE else encode_bytes(self.storage.root_hash))
            + (UNCHANGED if self.own_code is None else encode_bytes(self.own_code.hash))
        )


class ForkStorage(AccountStorage):
    """The slots of an account that exists upstream."""

    __slots__ = ("_accounts", "_address")

    def __init__(self, accounts: ForkAccountDatabase, address: Address, trie: Trie) -> None:
        super().__init__(trie)
        self._accounts = accounts
        self._address = address

    def load(self, slot: int) -> int:
        encoded = None if self._trie is EMPTY_TRIE else self._trie.get(slot_key(slot))
        value = self._base_value(slot) if encoded is None else decode_value(encoded)
        if value is None:  # not kept: the next read asks again
            return 0
        self.values[slot] = value
        return value

    def _base_value(self, slot: int) -> int | None:
        return self._accounts.base_slot(self._address, slot)

    def _entry(self, slot: int) -> bytes:
        """The overlay's value of a slot; one that is as upstream is not in it."""
        value = self.values[slot]
        if value == self._base_value(slot):
            return b""
        return encode_value(value) or ZEROED


class ForkAccountDatabase(AccountDatabase):
    """The accounts of a block of a fork; one that was deleted and made anew is an `Account`."""

    _tries: ForkDatabase

    @property
    def upstream(self) -> UpstreamState | None:
        return self._base

    def has_own_slot(self, address: Address, slot: int) -> bool:
        """Whether the slot has been written to here; True also if that has been reverted since."""
        storage = self._storages.get(address)
        if storage is not None and storage.is_written(slot):
            return True
        account = self._account(address)
        is_whole = not isinstance(account, ForkAccount)
        return is_whole or account.storage.get(slot_key(slot)) is not None

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
            elif isinstance(account, bytes):
                account = self._tries.entry(account, address, self._base)
            self._accounts[address] = account
            return account

    def _storage(self, address: Address) -> AccountStorage:
        storage = self._storages.get(address)
        if storage is None:
            account = self._account(address) or NO_ACCOUNT
            if isinstance(account, ForkAccount) and self._base:
                storage = ForkStorage(self, address, account.storage)
            else:
                storage = AccountStorage(account.storage)
            self._storages[address] = storage
        return storage

    def base_slot(self, address: Address, slot: int) -> int | None:
        """A slot upstream, None while it is unknown; zero for an account that was made here."""
        assert self._base  # noqa: S101  # an account is read from it
        account = self._account(address)
        if isinstance(account, ForkAccount):
            is_changed = account.own_nonce is not None or account.own_code is not None
            if is_changed and self._base.is_unused(address):
                return 0
        return self._base.storage(address, slot)

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

    def _changed_entries(self) -> list[tuple[bytes, Any]]:
        return [(account_key(address), self._entry(address)) for address in self._changed]

    def _entry(self, address: Address) -> Any:
        account: Any = self._accounts[address]
        if isinstance(account, ForkAccount):
            return account.entry()
        if account is None and self._base and ForkAccount(address, self._base).exists:
            return DELETED
        return account


class ForkDatabase(FastDatabase):
    """The states of a fork, and of the upstream chain before it.

    `find_base` returns the base of a state root that an upstream block has, or None; `load` and
    `save` are those of a `FastDatabase`.
    """

    def __init__(
        self,
        find_base: Callable[[Hash32], UpstreamState | None],
        load: Load | None = None,
        save: Callable[[dict[Hash32, bytes]], None] | None = None,
    ) -> None:
        self._find_base = find_base
        super().__init__(load, save)

    def accounts(self, root: Hash32) -> AccountDatabase:
        return ForkAccountDatabase(self, root)

    def write_slots(
        self,
        root: Hash32,  # noqa: ARG002  # as in FastDatabase
        writes: Iterable[SlotWrites],  # noqa: ARG002
        absent: Iterable[Address],  # noqa: ARG002
    ) -> Trie | None:
        """None: an account of the upstream has to be asked for."""
        return None

    def trie(self, root: Hash32) -> Trie:
        return self._tries.get(root) or self.add_trie(self._open_trie(root))

    def _open_trie(self, root: Hash32) -> ForkTrie:
        base = self._find_base(root)
        if base is not None:
            return ForkTrie(base)
        of_base, content = rlp.decode(self._load(root))
        if isinstance(content, bytes):
            return ForkTrie(self._base(Hash32(of_base)), Trie.stored(Hash32(content), self._load))
        return ForkTrie(self._base(root))

    def _base(self, root: Hash32) -> UpstreamState:
        known = self._tries.get(root)
        if isinstance(known, ForkTrie) and known.node is EMPTY:
            return known.base
        base, pairs = self._find_base(root), []
        if base is None:
            of_base, pairs = rlp.decode(self._load(root))
            base = self._find_base(Hash32(of_base))
        if base is None:
            raise InvalidInput(f"no block up to the fork has the state 0x{of_base.hex()}")
        return base.with_balances(
            {Address(address): int.from_bytes(balance, "big") for address, balance in pairs}
        )

    def with_balances(self, root: Hash32, balances: Mapping[Address, int]) -> RetainedState:
        """The upstream state of that root with other balances, in wei, as a base of its own."""
        trie = self.add_trie(ForkTrie(self._base(root).with_balances(balances)))
        return RetainedState(trie.root_hash, trie)

    def unstored(self, root: Hash32) -> Iterator[Part]:
        yield from super().unstored(root)
        yield from self.trie(root).records()

    def account(self, value: Any) -> Account:
        if isinstance(value, bytes):
            value = self.entry(value, ZERO_ADDRESS, NO_BASE)
        if isinstance(value, ForkAccount):
            nonce, balance = value.own_nonce or 0, value.own_balance or 0
            return Account(nonce, balance, value.storage, value.own_code or NO_CODE)
        return value or NO_ACCOUNT

    def entry(self, encoded: bytes, address: Address, base: UpstreamState) -> Any:
        if encoded == DELETED:
            return None
        items = rlp.decode(encoded)
        if items[0] != MARK or len(items) != ENTRY_ITEMS:
            return super().account(encoded)
        nonce, balance, storage, code = (None if item == [] else item for item in items[1:])
        return ForkAccount(
            address,
            base,
            None if nonce is None else int.from_bytes(nonce, "big"),
            None if balance is None else int.from_bytes(balance, "big"),
            None if code is None else self.code_of_hash(Hash32(code)),
            EMPTY_TRIE if storage is None else Trie.stored(Hash32(storage), self._load),
        )
