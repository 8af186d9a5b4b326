"""A Merkle-Patricia trie as a value: a changed trie shares what did not change with the old one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sha3 import keccak_256  # type: ignore[import-untyped]  # safe-pysha3 has no type hints

from devchain.state.nodes import (
    EMPTY,
    HASH_PREFIX,
    Branch,
    Extension,
    Load,
    Node,
    Stored,
    key_of,
    nibbles,
)
from devchain.types import Hash32


class Trie:
    """Values by key, with a root hash that commits to all of them.

    A value is bytes, or anything that `bytes()` turns into what the trie is to hold. Nothing is
    encoded or hashed before the root is asked for, and then no more than what is new.
    """

    __slots__ = ("__weakref__", "_root_hash", "node")

    def __init__(self, node: Node = EMPTY, root_hash: Hash32 | None = None) -> None:
        """The trie below a node."""
        self.node = node
        self._root_hash = root_hash

    @classmethod
    def stored(cls, root_hash: Hash32, load: Load) -> Trie:
        """The trie of that root, its nodes read when they are needed; `load` finds them."""
        if root_hash == EMPTY_ROOT:
            return EMPTY_TRIE
        return cls(Stored(HASH_PREFIX + root_hash, load), root_hash)

    @property
    def root_hash(self) -> Hash32:
        """The hash of the root node."""
        if self._root_hash is None:
            reference = self.node.refer()
            hashed = self.node.is_hashed
            self._root_hash = Hash32(reference[1:] if hashed else keccak_256(reference).digest())
        return self._root_hash

    def get(self, key: bytes) -> Any:
        """The value of a key, None if it has none."""
        return self.node.find(nibbles(key), 0)

    def update(self, changes: Iterable[tuple[bytes, Any]]) -> Trie:
        """The trie with those values; None and empty values take their keys out."""
        node = self.node
        for key, value in changes:
            path = nibbles(key)
            node = node.put(path, 0, value) if value else node.remove(path, 0)
        return self if node is self.node else Trie(node)

    def items(self) -> Iterator[tuple[bytes, Any]]:
        """Keys and values in the order of the keys."""
        waiting: list[tuple[bytes, Node]] = [(b"", self.node)]
        while waiting:
            path, node = waiting.pop()
            found = node.value_here()
            if found:
                yield key_of(path + found[0]), found[1]
            below = [(path + more, child) for more, child in node.children()]
            waiting += reversed(below)

    def proof(self, key: bytes) -> tuple[bytes, ...]:
        """RLP of the nodes from the root down to where the key is, or would be.

        Nodes that are part of their parent are not listed again.
        """
        path = nibbles(key)
        nodes: list[bytes] = []
        following = None if self.node is EMPTY else (self.node.resolve(), 0)
        while following:
            node, depth = following
            if not nodes or node.is_hashed:
                nodes.append(node.encode())
            following = node.step(path, depth)
        return tuple(nodes)

    def new_nodes(self) -> list[Node]:
        """The nodes that are in no store yet, what is below before what is above."""
        found: list[Node] = []
        _gather_new(self.node, found)
        return found


def _gather_new(node: Node, found: list[Node]) -> None:
    if node.is_stored or node is EMPTY:
        return
    if isinstance(node, Branch):
        for child in node.nodes:
            if child is not EMPTY and not child.is_stored:
                _gather_new(child, found)
    elif isinstance(node, Extension):
        _gather_new(node.child, found)
    found.append(node)


EMPTY_TRIE = Trie()
EMPTY_ROOT = EMPTY_TRIE.root_hash
