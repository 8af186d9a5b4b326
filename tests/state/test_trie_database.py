"""`devchain.state.trie_database`: which tries are found by their root, and for how long."""

from __future__ import annotations

import gc
from typing import Any
from weakref import ref

import pytest

from devchain.state.account_database import AccountDatabase
from devchain.state.keccak import keccak
from devchain.state.state_database import FastDatabase
from devchain.state.trie import EMPTY_ROOT
from devchain.state.trie_database import CACHED_CODE, TrieDatabase
from devchain.types import Address, Hash32

ALICE, BOB = Address(b"\xa1" * 20), Address(b"\xb0" * 20)
CODE = b"code" * 20


def changed(states: TrieDatabase, root: Hash32, **balances: int) -> Any:
    """The trie of a state after setting those balances."""
    accounts = AccountDatabase(states, root)
    for name, balance in balances.items():
        accounts.set_balance({"alice": ALICE, "bob": BOB}[name], balance)
    accounts.persist()
    return states.trie(accounts.state_root)


class TestLifetime:
    def test_held(self) -> None:
        """A state is found by its root for as long as a caller holds its trie."""
        states = FastDatabase()
        held = changed(states, EMPTY_ROOT, alice=1)
        root, watch = held.root_hash, ref(held)

        assert states.trie(root) is held
        del held
        gc.collect()
        assert watch() is None
        with pytest.raises(KeyError):
            AccountDatabase(states, root).get_balance(ALICE)

    def test_shared(self) -> None:
        """Unchanged nodes are the same objects in both states."""
        states = FastDatabase()
        one = changed(states, EMPTY_ROOT, alice=1, bob=1)
        other = changed(states, one.root_hash, alice=2)
        nodes = [set(map(id, each.new_nodes())) for each in (one, other)]

        assert len(nodes[0] & nodes[1]) == 1

    def test_equal_code(self) -> None:
        """Accounts with equal code share the bytes."""
        states = FastDatabase()
        accounts = AccountDatabase(states)
        accounts.set_code(ALICE, CODE)
        accounts.set_code(BOB, bytes(bytearray(CODE)))

        assert accounts.get_code(ALICE) is accounts.get_code(BOB)

    @pytest.mark.parametrize("size", [0, 1, CACHED_CODE, CACHED_CODE + 1])
    def test_hash_of_code(self, size: int) -> None:
        """The hash of code is its keccak-256, of any size and whether it was set before."""
        states = FastDatabase()
        for first in (1, 2, 1):
            code = bytes([first]) * size
            assert states.code(code).hash == keccak(code)


def save(states: TrieDatabase, root: Hash32, store: dict[bytes, bytes]) -> int:
    """Write the new parts of a state to a store; how many there were."""
    new = dict(states.unstored(root))
    store.update(new)
    states.mark_stored(root)
    return len(new)


class TestStore:
    def test_all_of_a_state(self) -> None:
        """From its unstored parts a whole state is read again: accounts, code and slots."""
        states, store = FastDatabase(), dict[bytes, bytes]()
        accounts = AccountDatabase(states)
        for number in range(50):
            accounts.set_balance(Address(bytes([number]) * 20), number)
        accounts.set_code(ALICE, CODE)
        for slot in range(50):
            accounts.set_storage(ALICE, slot, slot + 1)
        accounts.persist()
        save(states, accounts.state_root, store)
        opened = AccountDatabase(FastDatabase(store.__getitem__), accounts.state_root)

        assert opened.get_balance(Address(bytes([49]) * 20)) == 49
        assert opened.get_code(ALICE) == CODE
        assert [opened.get_storage(ALICE, slot) for slot in range(51)] == [*range(1, 51), 0]

    def test_only_what_is_new(self) -> None:
        """Only the changed parts of a later state are unstored, whether it was loaded or not."""
        states, store = FastDatabase(), dict[bytes, bytes]()
        first = AccountDatabase(states)
        for number in range(200):
            first.set_balance(Address(bytes([number]) * 20), 1)
            first.set_storage(ALICE, number, 1)
        first.set_code(ALICE, CODE)
        first.persist()
        held = states.trie(first.state_root)
        save(states, first.state_root, store)

        for again in (states, FastDatabase(store.__getitem__)):
            second = AccountDatabase(again, held.root_hash)
            second.set_storage(ALICE, 0, 2)
            second.set_code(BOB, CODE)
            second.persist()
            assert save(again, held.root_hash, {}) == 0
            assert 0 < save(again, second.state_root, {}) < 12

    def test_nothing_marked_before_it_is_stored(self) -> None:
        """`unstored` can be called again after a failed write: it marks nothing as stored."""
        states = FastDatabase()
        held = changed(states, EMPTY_ROOT, alice=1)
        parts = [list(states.unstored(held.root_hash)) for _ in range(2)]

        assert parts[0] == parts[1]
        assert len(parts[0]) == 1
