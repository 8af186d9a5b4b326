"""`devchain.state.account_database`, judged by py-evm's account database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from eth.db.account import AccountDB
from eth.db.atomic import AtomicDB
from eth_utils.exceptions import ValidationError
from hypothesis import given, settings
from hypothesis import strategies as st

from devchain.state.account_database import Accounts
from devchain.state.states import States
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
    """A call: what it does, and whether it fails in the end."""
    return st.tuples(st.sampled_from(["commit", "discard"]), st.lists(inner, max_size=8))


CREATES = st.tuples(st.just("delete_storage"), ADDRESS)
CALLS = st.recursive(WRITES | CREATES, frames, max_leaves=12)
TRANSACTION = st.tuples(st.lists(CALLS, max_size=5), st.lists(CLEARS, max_size=2))
BLOCK = st.lists(TRANSACTION, max_size=3)


class Twins:
    """The two databases, told the same and asked to agree."""

    def __init__(self, *, root_of_each: bool = False) -> None:
        self.store, self.states = AtomicDB(), States()
        self.root_of_each = root_of_each
        self.held: list[Any] = []
        self.cleared: set[Address] = set()
        self.open(EMPTY_ROOT)

    def open(self, root: Hash32) -> None:
        """Begin a block on that state."""
        self.judge, self.accounts = AccountDB(self.store, root), Accounts(self.states, root)

    def both(self, act: Callable[[Any], Any]) -> Any:
        """Do the same to both; the answers are the same."""
        expected, actual = act(self.judge), act(self.accounts)
        assert actual == expected
        return actual

    def play(self, call: Any) -> None:
        """A write, or a call with what it does."""
        if isinstance(call[1], list):
            end, inner = call
            checkpoints = [each.record() for each in (self.judge, self.accounts)]
            for each in inner:
                self.play(each)
            for each, checkpoint in zip((self.judge, self.accounts), checkpoints, strict=True):
                getattr(each, end)(checkpoint)
            if end == "discard":
                self.compare()
        else:
            name, *arguments = call
            if name.startswith("delete_") and name != "delete_code":
                # py-evm cannot go back over two deletions, which no transaction asks for either.
                if arguments[0] in self.cleared:
                    return
                self.cleared.add(arguments[0])
            self.both(lambda each: getattr(each, name)(*arguments))

    def compare(self) -> None:
        """Every account and slot reads the same, now and before the transaction."""
        for address in ADDRESSES:
            self.both(lambda each, at=address: look(each, at))
            for slot in SLOTS:
                self.both(lambda each, at=address, of=slot: each.get_storage(at, of))
                self.both(lambda each, at=address, of=slot: each.is_storage_warm(at, of))
                self.both(lambda each, at=address, of=slot: each.get_storage(at, of, False))

    def mine(self, block: Any) -> Hash32:
        """Play a block's transactions and persist what they did."""
        for calls, clears in block:
            self.both(lambda each: each.lock_changes())
            self.cleared.clear()
            for call in calls:
                self.play(call)
            self.compare()
            for clear in clears:
                self.play(clear)
            self.compare()
            if self.root_of_each:
                self.both(lambda each: each.make_state_root())
        for each in (self.judge, self.accounts):
            each.persist()
        self.compare()
        root = Hash32(self.both(lambda each: each.state_root))
        self.held.append(self.states.trie(root))
        self.open(root)
        self.compare()
        return root


def look(accounts: Any, address: Address) -> tuple[Any, ...]:
    """All that can be read of an account."""
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
    @settings(max_examples=50)
    @given(st.lists(BLOCK, max_size=2))
    def test_blocks(self, blocks: list[Any]) -> None:
        """Blocks of transactions of nested calls read the same at every step and have one root."""
        twins = Twins()

        for block in blocks:
            twins.mine(block)

    @settings(max_examples=25)
    @given(BLOCK)
    def test_root_of_each_transaction(self, block: Any) -> None:
        """So do blocks whose root is made after every transaction, as before Byzantium."""
        Twins(root_of_each=True).mine(block)


class TestOriginal:
    def test_before_the_transaction(self) -> None:
        """A slot's original value is the one before the transaction's first write to it."""
        twins = Twins()
        seen = []

        def write(value: int) -> None:
            twins.both(lambda each: each.set_storage(ADDRESSES[0], 1, value))
            seen.append(twins.both(lambda each: each.get_storage(ADDRESSES[0], 1, False)))

        for value in (5, 6, 7):
            write(value)
        twins.both(lambda each: each.lock_changes())
        for value in (8, 9):
            write(value)

        assert seen == [0, 0, 0, 7, 7]

    @pytest.mark.parametrize(("is_in_the_trie", "original"), [(False, 5), (True, 0)])
    def test_of_cleared_storage(self, original: int, *, is_in_the_trie: bool) -> None:
        """Storage that is cleared had what earlier transactions wrote, but not what is older."""
        twins = Twins()
        twins.both(lambda each: each.set_storage(ADDRESSES[0], 1, 5))
        twins.both(lambda each: each.lock_changes())
        if is_in_the_trie:
            twins.both(lambda each: each.make_state_root())
        twins.both(lambda each: each.delete_storage(ADDRESSES[0]))
        twins.both(lambda each: each.set_storage(ADDRESSES[0], 1, 7))

        assert twins.both(lambda each: each.get_storage(ADDRESSES[0], 1, False)) == original


class TestCheckpoints:
    def test_are_never_the_same(self) -> None:
        """Checkpoints have names of their own, though nothing changes between them."""
        accounts = Accounts(States())
        first = [accounts.record(), accounts.record()]
        accounts.lock_changes()

        assert len({*first, accounts.record()}) == 3

    def test_before_the_transaction(self) -> None:
        """What an earlier transaction did stays, and who wants it undone is told."""
        accounts = Accounts(States())
        checkpoint = accounts.record()
        accounts.set_balance(ADDRESSES[0], 1)
        accounts.lock_changes()

        with pytest.raises(ValidationError, match="no checkpoint"):
            accounts.discard(checkpoint)
        assert accounts.get_balance(ADDRESSES[0]) == 1


class TestRefusals:
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
    def test_out_of_range(self, name: str, arguments: tuple[int, ...]) -> None:
        """Numbers the EVM has no room for are refused as py-evm refuses them."""
        for accounts in (Accounts(States()), AccountDB(AtomicDB())):
            with pytest.raises(ValidationError):
                getattr(accounts, name)(ADDRESSES[0], *arguments)


class TestRoots:
    def test_other_root(self) -> None:
        """Setting the root goes to that state, and forgets what was not made a root."""
        states = States()
        accounts = Accounts(states)
        accounts.set_balance(ADDRESSES[0], 1)
        accounts.persist()
        held, root = states.trie(accounts.state_root), accounts.state_root
        accounts.set_balance(ADDRESSES[0], 2)
        accounts.state_root = EMPTY_ROOT

        assert not accounts.account_exists(ADDRESSES[0])
        accounts.state_root = root
        assert (accounts.get_balance(ADDRESSES[0]), held is states.trie(root)) == (1, True)

    def test_has_root(self) -> None:
        """It knows which states can be opened."""
        accounts = Accounts(States())

        assert accounts.has_root(EMPTY_ROOT)
        assert not accounts.has_root(bytes(32))


class TestNodeStore:
    def test_reads_what_py_evm_wrote(self) -> None:
        """On py-evm's own database it opens py-evm's states, and py-evm opens its."""
        store = AtomicDB()
        judge = AccountDB(store)
        judge.set_code(ADDRESSES[0], CODES[2])
        judge.set_storage(ADDRESSES[0], 1, 2)
        judge.persist()
        accounts = Accounts(store, judge.state_root)
        assert (accounts.get_code(ADDRESSES[0]), accounts.get_storage(ADDRESSES[0], 1)) == (
            CODES[2],
            2,
        )
        accounts.set_storage(ADDRESSES[0], 1, 3)
        accounts.set_code(ADDRESSES[1], CODES[1])
        accounts.persist()
        judge = AccountDB(store, accounts.state_root)

        assert (judge.get_storage(ADDRESSES[0], 1), judge.get_code(ADDRESSES[1])) == (3, CODES[1])
        assert judge.get_code(ADDRESSES[0]) == CODES[2]

    def test_unknown_root(self) -> None:
        """A root nobody has stored cannot be read."""
        assert not Accounts(AtomicDB()).has_root(b"\x01" * 32)
