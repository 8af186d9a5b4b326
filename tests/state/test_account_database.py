"""`devchain.state.account_database`, compared with py-evm's account database."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from eth.db.account import AccountDB
from eth.db.atomic import AtomicDB
from eth.vm.transient_storage import TransientStorage as PyEvmTransientStorage
from eth_utils.exceptions import ValidationError
from hypothesis import given, settings
from hypothesis import strategies as st

from devchain.state.account_database import AccountDatabase, TransientStorage
from devchain.state.state_database import FastDatabase
from devchain.state.trie import EMPTY_ROOT
from devchain.types import Address, Hash32

ADDRESSES = [Address(bytes([number]) * 20) for number in range(4)]
SLOTS = [0, 1, 2, 2**255]
CODES = [b"", b"\x00", b"code" * 20]

ADDRESS = st.sampled_from(ADDRESSES)
SLOT = st.sampled_from(SLOTS)
NUMBER = st.sampled_from([0, 1, 127, 128, 2**63])

WRITES = st.one_of(
    st.tuples(st.just("set_balance"), ADDRESS, NUMBER),
    st.tuples(st.just("set_nonce"), ADDRESS, NUMBER),
    st.tuples(st.just("increment_nonce"), ADDRESS),
    st.tuples(st.just("set_code"), ADDRESS, st.sampled_from(CODES)),
    st.tuples(st.just("delete_code"), ADDRESS),
    st.tuples(st.just("touch_account"), ADDRESS),
    st.tuples(st.just("set_storage"), ADDRESS, SLOT, NUMBER),
    st.tuples(st.just("set_storage"), ADDRESS, SLOT, st.just(0)),
    st.tuples(st.just("mark_storage_warm"), ADDRESS, SLOT),
    st.tuples(st.just("mark_address_warm"), ADDRESS),
)
CLEARS = st.tuples(st.sampled_from(["delete_storage", "delete_account"]), ADDRESS)


def frames(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A strategy of calls: whether the checkpoint is committed or discarded, and the writes."""
    return st.tuples(st.sampled_from(["commit", "discard"]), st.lists(inner, max_size=8))


CREATES = st.tuples(st.just("delete_storage"), ADDRESS)
CALLS = st.recursive(WRITES | CREATES, frames, max_leaves=12)
TRANSACTION = st.tuples(st.lists(CALLS, max_size=5), st.lists(CLEARS, max_size=2))
BLOCK = st.lists(TRANSACTION, max_size=3)


class BothDatabases:
    """py-evm's account database and ours, called alike and compared."""

    def __init__(self, *, root_of_each: bool = False) -> None:
        self.store, self.states = AtomicDB(), FastDatabase()
        self.root_of_each = root_of_each
        self.retained: list[Any] = []
        self.cleared: set[Address] = set()
        self.open(EMPTY_ROOT)

    def open(self, root: Hash32) -> None:
        """Open that state in both."""
        self.reference, self.accounts = (
            AccountDB(self.store, root),
            AccountDatabase(self.states, root),
        )

    def both(self, act: Callable[[Any], Any]) -> Any:
        """Call a function with both databases; the results have to be equal."""
        expected, actual = act(self.reference), act(self.accounts)
        assert actual == expected
        return actual

    def execute(self, call: Any) -> None:
        """Make a write, or a call with the writes and calls inside it."""
        if isinstance(call[1], list):
            end, inner = call
            checkpoints = [each.record() for each in (self.reference, self.accounts)]
            for each in inner:
                self.execute(each)
            for each, checkpoint in zip((self.reference, self.accounts), checkpoints, strict=True):
                getattr(each, end)(checkpoint)
            if end == "discard":
                self.compare()
        else:
            name, *arguments = call
            if name.startswith("delete_") and name != "delete_code":
                # py-evm cannot undo two deletions of one account, which no transaction does either.
                if arguments[0] in self.cleared:
                    return
                self.cleared.add(arguments[0])
            self.both(lambda each: getattr(each, name)(*arguments))

    def compare(self) -> None:
        """Compare every account and slot, now and before the transaction."""
        for address in ADDRESSES:
            self.both(lambda each, at=address: read_account(each, at))
            for slot in SLOTS:
                self.both(lambda each, at=address, of=slot: each.get_storage(at, of))
                self.both(lambda each, at=address, of=slot: each.is_storage_warm(at, of))
                self.both(lambda each, at=address, of=slot: each.get_storage(at, of, False))

    def rewind(self, root: Hash32) -> None:
        """Rewind ours to that state, and open py-evm's anew."""
        assert self.accounts.rewind()
        self.reference = AccountDB(self.store, root)
        self.cleared.clear()
        self.compare()

    def mine(self, block: Any) -> Hash32:
        """Execute a block's transactions and persist the state; its root."""
        for calls, clears in block:
            self.both(lambda each: each.lock_changes())
            self.cleared.clear()
            for call in calls:
                self.execute(call)
            self.compare()
            for clear in clears:
                self.execute(clear)
            self.compare()
            if self.root_of_each:
                self.both(lambda each: each.make_state_root())
        for each in (self.reference, self.accounts):
            each.persist()
        self.compare()
        root = Hash32(self.both(lambda each: each.state_root))
        self.retained.append(self.states.trie(root))
        self.open(root)
        self.compare()
        return root


def read_account(accounts: Any, address: Address) -> tuple[Any, ...]:
    """Everything that can be read of an account."""
    return (
        accounts.get_balance(address),
        accounts.get_nonce(address),
        accounts.get_code(address),
        accounts.get_code_hash(address),
        accounts.account_exists(address),
        accounts.account_is_empty(address),
        accounts.account_has_code_or_nonce(address),
        accounts.is_address_warm(address),
    )


class TestAgreement:
    @settings(max_examples=30)
    @given(st.lists(BLOCK, max_size=2))
    def test_blocks(self, blocks: list[Any]) -> None:
        """Blocks of nested calls read the same after every step and have equal roots."""
        databases = BothDatabases()

        for block in blocks:
            databases.mine(block)

    @settings(max_examples=25)
    @given(BLOCK)
    def test_root_of_each_transaction(self, block: Any) -> None:
        """Blocks whose root is computed after every transaction, as before Byzantium, agree."""
        BothDatabases(root_of_each=True).mine(block)


class TestOriginal:
    def test_before_the_transaction(self) -> None:
        """A slot's original value is that before the transaction."""
        databases = BothDatabases()
        seen = []

        def write(value: int) -> None:
            databases.both(lambda each: each.set_storage(ADDRESSES[0], 1, value))
            seen.append(databases.both(lambda each: each.get_storage(ADDRESSES[0], 1, False)))

        for value in (5, 6, 7):
            write(value)
        databases.both(lambda each: each.lock_changes())
        for value in (8, 9):
            write(value)

        assert seen == [0, 0, 0, 7, 7]

    @pytest.mark.parametrize(("is_in_the_trie", "original"), [(False, 5), (True, 0)])
    def test_of_cleared_storage(self, original: int, *, is_in_the_trie: bool) -> None:
        """Original values of cleared storage are what earlier transactions of the block wrote."""
        databases = BothDatabases()
        databases.both(lambda each: each.set_storage(ADDRESSES[0], 1, 5))
        databases.both(lambda each: each.lock_changes())
        if is_in_the_trie:
            databases.both(lambda each: each.make_state_root())
        databases.both(lambda each: each.delete_storage(ADDRESSES[0]))
        databases.both(lambda each: each.set_storage(ADDRESSES[0], 1, 7))

        assert databases.both(lambda each: each.get_storage(ADDRESSES[0], 1, False)) == original


class TestCheckpoints:
    def test_before_the_transaction(self) -> None:
        """A checkpoint of an earlier transaction cannot be discarded; its changes stay."""
        accounts = AccountDatabase(FastDatabase())
        checkpoint = accounts.record()
        accounts.set_balance(ADDRESSES[0], 1)
        accounts.lock_changes()

        with pytest.raises(ValidationError, match="no checkpoint"):
            accounts.discard(checkpoint)
        assert accounts.get_balance(ADDRESSES[0]) == 1


class TestRewind:
    @settings(max_examples=25)
    @given(BLOCK, st.lists(CALLS | CLEARS, max_size=6), BLOCK)
    def test_as_opened_anew(self, before: Any, undone: list[Any], after: Any) -> None:
        """After it the state reads, and goes on, as one that has just been opened."""
        databases = BothDatabases()
        root = databases.mine(before)
        for call in undone:
            databases.execute(call)

        databases.rewind(root)

        databases.mine(after)

    @pytest.mark.parametrize("end", ["lock_changes", "make_state_root"])
    def test_after_a_transaction(self, end: str) -> None:
        """Changes of a transaction that has ended cannot be undone: nothing is."""
        accounts = AccountDatabase(FastDatabase())
        accounts.set_balance(ADDRESSES[0], 1)
        getattr(accounts, end)()

        assert not accounts.rewind()
        assert accounts.get_balance(ADDRESSES[0]) == 1


class TestOutOfRange:
    @pytest.mark.parametrize(
        ("name", "arguments"),
        [
            pytest.param("set_balance", (2**256,), id="balance"),
            pytest.param("set_balance", (-1,), id="negative balance"),
            pytest.param("set_nonce", (2**64,), id="nonce"),
            pytest.param("set_storage", (0, 2**256), id="value"),
            pytest.param("set_storage", (2**256, 1), id="slot"),
            pytest.param("get_storage", (-1,), id="negative slot"),
        ],
    )
    def test_refused(self, name: str, arguments: tuple[int, ...]) -> None:
        """Numbers out of range raise `ValidationError`, as in py-evm."""
        for accounts in (AccountDatabase(FastDatabase()), AccountDB(AtomicDB())):
            with pytest.raises(ValidationError):
                getattr(accounts, name)(ADDRESSES[0], *arguments)


class TestOpenedSlots:
    def test_values(self) -> None:
        """The present values of what was read or written; what is discarded is not among them."""
        accounts = AccountDatabase(FastDatabase())
        accounts.set_storage(ADDRESSES[0], 1, 7)
        checkpoint = accounts.record()
        accounts.set_storage(ADDRESSES[0], 1, 8)
        accounts.discard(checkpoint)
        accounts.get_storage(ADDRESSES[0], 2)

        assert list(accounts.opened_slots(ADDRESSES[0])) == [7, 0]
        assert list(accounts.opened_slots(ADDRESSES[1])) == []


class TestRoots:
    def test_other_root(self) -> None:
        """Setting the root opens that state; changes without a root are lost."""
        states = FastDatabase()
        accounts = AccountDatabase(states)
        accounts.set_balance(ADDRESSES[0], 1)
        accounts.persist()
        retained, root = states.trie(accounts.state_root), accounts.state_root
        accounts.set_balance(ADDRESSES[0], 2)
        accounts.state_root = EMPTY_ROOT

        assert not accounts.account_exists(ADDRESSES[0])
        accounts.state_root = root
        assert (accounts.get_balance(ADDRESSES[0]), retained is states.trie(root)) == (1, True)

    def test_has_root(self) -> None:
        """`has_root` is true for states that can be opened."""
        accounts = AccountDatabase(FastDatabase())

        assert accounts.has_root(EMPTY_ROOT)
        assert not accounts.has_root(bytes(32))


# Transient storage

TRANSIENT_SLOTS = [0, 1, 2**256 - 1]
TRANSIENT_WRITES = st.tuples(
    st.sampled_from(ADDRESSES[:2]),
    st.sampled_from(TRANSIENT_SLOTS),
    st.sampled_from([b"", b"\1", b"x" * 32]),
)


TRANSIENT_TRANSACTION = st.lists(st.recursive(TRANSIENT_WRITES, frames, max_leaves=12), max_size=5)


class BothTransientStorages:
    """py-evm's transient storage and ours, called alike and compared."""

    def __init__(self) -> None:
        self.pair = (PyEvmTransientStorage(), TransientStorage())
        # Checkpoints that py-evm, which counts from zero, does not reach.
        self.checkpoints = count(10**9)

    def execute(self, call: Any) -> None:
        """Make a write, or a call with the writes and calls inside it."""
        if not isinstance(call[1], list):
            for each in self.pair:
                each.set_transient_storage(*call)
            return
        checkpoint, (end, inner) = next(self.checkpoints), call
        for each in self.pair:
            each.record(checkpoint)  # type: ignore[arg-type]  # py-evm has a NewType of int
        for one in inner:
            self.execute(one)
        for each in self.pair:
            getattr(each, end)(checkpoint)
        self.compare()

    def compare(self) -> None:
        """Compare every slot."""
        for address in ADDRESSES[:2]:
            for slot in TRANSIENT_SLOTS:
                expected, actual = (each.get_transient_storage(address, slot) for each in self.pair)
                assert actual == expected


class TestTransientStorage:
    @settings(max_examples=50)
    @given(st.lists(TRANSIENT_TRANSACTION, max_size=3))
    def test_agreement(self, transactions: list[Any]) -> None:
        """Nested calls in several transactions read the same, failing or not."""
        both = BothTransientStorages()

        for transaction in transactions:
            for call in transaction:
                both.execute(call)
            both.compare()
            for each in both.pair:
                each.clear()
            both.compare()

    def test_checkpoint_before_the_transaction(self) -> None:
        """Discarding a checkpoint of an earlier transaction undoes all of this one."""
        slots = TransientStorage()
        slots.record(1)
        slots.clear()
        slots.set_transient_storage(ADDRESSES[0], 1, b"\1")
        slots.discard(1)

        assert slots.get_transient_storage(ADDRESSES[0], 1) == b""
