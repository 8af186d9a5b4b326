"""`devchain.state.trie`, compared with py-evm's trie."""

from __future__ import annotations

from typing import Any

import pytest
import rlp
from eth_hash.auto import keccak
from hypothesis import given, settings
from hypothesis import strategies as st
from trie import HexaryTrie

from devchain.state.trie import EMPTY_ROOT, EMPTY_TRIE, HEX_OF_NIBBLE, Node, StoredNode, Trie

# Few and short keys, so that paths are shared, end inside of others and meet again.
KEYS = st.binary(max_size=3).map(lambda key: bytes(byte & 0x31 for byte in key)) | st.binary(
    min_size=32, max_size=32
)
VALUES = st.binary(max_size=40)
CHANGES = st.lists(st.tuples(KEYS, VALUES), max_size=30)


def reference(changes: list[tuple[bytes, bytes]]) -> tuple[HexaryTrie, dict[bytes, bytes]]:
    """py-evm's trie with those changes, and its keys and values."""
    trie, held = HexaryTrie({}), {}
    for key, value in changes:
        trie[key] = value
        held[key] = value
    return trie, {key: value for key, value in held.items() if value}


def items(trie: Trie) -> list[tuple[bytes, Any]]:
    """Keys and values of a trie in the order of the keys."""
    found: list[tuple[bytes, Any]] = []

    def walk(path: bytes, node: Node) -> None:
        leaf = node.value_here()
        if leaf:
            found.append(
                (bytes.fromhex((path + leaf[0]).translate(HEX_OF_NIBBLE).decode()), leaf[1])
            )
        for more, child in node.children():
            walk(path + more, child)

    walk(b"", trie.node)
    return found


def save(trie: Trie, store: dict[bytes, bytes]) -> int:
    """Write the new nodes of a trie to a store; how many there were."""
    new = list(trie.new_nodes())
    for node in new:
        encoded = node.encode()
        store[keccak(encoded)] = encoded
        node.is_stored = True
    return len(new)


def proof_of(trie: HexaryTrie, key: bytes) -> list[bytes]:
    """py-evm's proof, without the nodes that are part of their parent."""
    nodes = [rlp.encode(node) for node in trie.get_proof(key)]
    return [*nodes[:1], *(node for node in nodes[1:] if len(node) >= 32)]


class TestTrie:
    @given(CHANGES)
    def test_holds(self, changes: list[tuple[bytes, bytes]]) -> None:
        """Root, values and items equal those of py-evm's trie after single changes."""
        trie = EMPTY_TRIE
        for change in changes:
            trie = trie.update([change])
        expected, held = reference(changes)

        assert trie.root_hash == expected.root_hash
        assert items(trie) == sorted(held.items())
        assert [trie.get(key) for key, _ in changes] == [held.get(key) for key, _ in changes]

    @settings(max_examples=50)
    @given(CHANGES, CHANGES)
    def test_versions(
        self, first: list[tuple[bytes, bytes]], second: list[tuple[bytes, bytes]]
    ) -> None:
        """An update does not change the older trie."""
        before = EMPTY_TRIE.update(first)
        after = before.update(second)

        assert after.root_hash == reference(first + second)[0].root_hash
        assert before.root_hash == reference(first)[0].root_hash

    @given(CHANGES)
    def test_emptied(self, changes: list[tuple[bytes, bytes]]) -> None:
        """Removing every key gives the empty trie."""
        trie = EMPTY_TRIE.update(changes).update((key, None) for key, _ in changes)

        assert (trie.root_hash, items(trie)) == (EMPTY_ROOT, [])

    @given(CHANGES, KEYS)
    def test_proof(self, changes: list[tuple[bytes, bytes]], other: bytes) -> None:
        """Proofs of keys with and without a value equal py-evm's."""
        trie = EMPTY_TRIE.update(changes)
        expected, held = reference(changes)

        for key in [other, *held]:
            assert list(trie.proof(key)) == (proof_of(expected, key) if held else [])

    def test_empty(self) -> None:
        """The empty trie has the well-known root hash, and no nodes."""
        assert EMPTY_ROOT.hex() == (
            "56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
        )
        assert (EMPTY_TRIE.get(b"key"), EMPTY_TRIE.proof(b"key")) == (None, ())
        assert list(EMPTY_TRIE.new_nodes()) == []

    def test_same_values(self) -> None:
        """An update without effect returns the trie itself."""
        trie = EMPTY_TRIE.update([(b"key", b"one"), (b"keys", b"two")])

        assert trie.update([(b"keys", b"two"), (b"key", b"one"), (b"none", None)]) is trie

    def test_objects_as_values(self) -> None:
        """A value may be any object with `__bytes__`; `get` returns the object itself."""

        class Word:
            def __bytes__(self) -> bytes:
                return b"word"

        word = Word()
        trie = EMPTY_TRIE.update([(b"key", word)])

        assert trie.get(b"key") is word
        assert trie.root_hash == reference([(b"key", b"word")])[0].root_hash


class TestStored:
    @settings(max_examples=50)
    @given(CHANGES, CHANGES)
    def test_reads(
        self, first: list[tuple[bytes, bytes]], second: list[tuple[bytes, bytes]]
    ) -> None:
        """A trie opened from stored nodes can be read, updated and proved like one in memory."""
        store: dict[bytes, bytes] = {}
        trie = EMPTY_TRIE.update(first)
        save(trie, store)

        opened = Trie.stored(trie.root_hash, store.__getitem__)
        changed, (expected, held) = opened.update(second), reference(first + second)

        assert items(opened) == items(trie)
        assert items(changed) == sorted(held.items())
        assert changed.root_hash == expected.root_hash
        for key in held:
            assert list(changed.proof(key)) == proof_of(expected, key)

    @settings(max_examples=50)
    @given(CHANGES, CHANGES)
    def test_new_nodes(
        self, first: list[tuple[bytes, bytes]], second: list[tuple[bytes, bytes]]
    ) -> None:
        """The new nodes are those that the store lacks, and none once they are stored."""
        store: dict[bytes, bytes] = {}
        save(EMPTY_TRIE.update(first), store)
        trie = Trie.stored(EMPTY_TRIE.update(first).root_hash, store.__getitem__).update(second)
        save(trie, store)

        opened = Trie.stored(trie.root_hash, store.__getitem__)

        assert items(opened) == sorted(reference(first + second)[1].items())
        assert save(trie, store) == 0

    def test_only_the_path_is_new(self) -> None:
        """One change among a thousand keys makes at most 5 new nodes, and reads at most 5."""
        store: dict[bytes, bytes] = {}
        reads: list[Any] = []
        trie = EMPTY_TRIE.update((keccak(bytes([i >> 8, i & 255])), b"x" * 40) for i in range(1000))
        stored = save(trie, store)

        def load(hash_: bytes) -> bytes:
            reads.append(hash_)
            return store[hash_]

        changed = Trie.stored(trie.root_hash, load).update([(keccak(bytes(2)), b"y")])

        assert stored > 1000
        assert save(changed, store) <= 5
        assert len(reads) <= 5

    def test_loads_lazily(self) -> None:
        """Opening a stored trie loads nothing; a node is loaded once."""
        reads: list[Any] = []
        leaf = EMPTY_TRIE.update([(b"key", b"x" * 40)]).new_nodes()[0]

        def load(hash_: bytes) -> bytes:
            reads.append(hash_)
            return leaf.encode()

        trie = Trie.stored(EMPTY_TRIE.update([(b"key", b"x" * 40)]).root_hash, load)

        assert (isinstance(trie.node, StoredNode), reads) == (True, [])
        assert [trie.get(b"key"), trie.get(b"key")] == [b"x" * 40] * 2
        assert reads == [trie.root_hash]

    def test_missing_node(self) -> None:
        """A node that the store lacks raises the store's error."""
        with pytest.raises(KeyError):
            Trie.stored(EMPTY_TRIE.update([(b"key", b"x" * 40)]).root_hash, {}.__getitem__).get(b"")
