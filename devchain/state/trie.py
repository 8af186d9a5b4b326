"""The nodes of a Merkle-Patricia trie: immutable, shared between the versions of a trie.

A path is a byte for each nibble of a key. A node keeps what its parent holds of it, its
`reference`, from the first time anybody asks: nothing is encoded or hashed before.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import rlp
from sha3 import keccak_256  # type: ignore[import-untyped]  # safe-pysha3 has no type hints

from devchain.state.rlp import encode_bytes, wrap
from devchain.types import Hash32

Load = Callable[[Hash32], bytes]
"""Finds the RLP of a node by its hash."""

EMPTY_STRING = b"\x80"
HASH_PREFIX = b"\xa0"
HASH_BYTES = 32

WIDTH = 16
LEAF, ODD = 2, 1
HEX_OF_NIBBLE = bytes.maketrans(bytes(range(WIDTH)), b"0123456789abcdef")
NIBBLE_OF_HEX = bytes.maketrans(b"0123456789abcdef", bytes(range(WIDTH)))


def nibbles(key: bytes) -> bytes:
    """The path of a key."""
    return key.hex().encode().translate(NIBBLE_OF_HEX)


def key_of(path: bytes) -> bytes:
    """The key of a path of even length."""
    return bytes.fromhex(path.translate(HEX_OF_NIBBLE).decode())


def _compact(path: bytes, kind: int) -> bytes:
    """RLP of a path with its flags in front (hex-prefix encoding)."""
    if len(path) % 2:
        return encode_bytes(key_of(bytes((kind | ODD,)) + path))
    return encode_bytes(bytes((kind << 4,)) + key_of(path))


def _shared(left: bytes, right: bytes) -> int:
    """How many nibbles two paths have in common."""
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return index
    return min(len(left), len(right))


class Node(ABC):
    """A node; whatever changes it answers with another node, or with itself if nothing changed.

    `depth` says how much of a path the nodes above have used up. A value is anything that
    `bytes()` turns into what the trie is to hold.
    """

    __slots__ = ("is_stored", "reference")

    def __init__(self) -> None:
        """Not encoded yet, and in no store."""
        self.reference: bytes = b""
        self.is_stored = False

    def refer(self) -> bytes:
        """What a parent holds of it: its hash, or all of it if that is shorter."""
        if not self.reference:
            encoded = self.encode()
            short = len(encoded) < HASH_BYTES
            self.reference = encoded if short else HASH_PREFIX + keccak_256(encoded).digest()
        return self.reference

    @property
    def is_hashed(self) -> bool:
        """Whether its parent holds its hash alone."""
        return len(self.refer()) > HASH_BYTES

    @abstractmethod
    def encode(self) -> bytes:
        """Its RLP."""

    @abstractmethod
    def find(self, path: bytes, depth: int) -> Any:
        """The value under a path, None if there is none."""

    @abstractmethod
    def put(self, path: bytes, depth: int, value: Any) -> Node:
        """The node with a value under a path."""

    @abstractmethod
    def remove(self, path: bytes, depth: int) -> Node:
        """The node with nothing under a path."""

    @abstractmethod
    def under(self, prefix: bytes) -> Node:
        """The node reached by some more nibbles."""

    @abstractmethod
    def children(self) -> Iterator[tuple[bytes, Node]]:
        """The nodes below it with the nibbles that lead to them."""

    def resolve(self) -> Node:
        """The node itself, read from the store if it has not been yet."""
        return self

    def step(self, path: bytes, depth: int) -> tuple[Node, int] | None:
        """The next node on a path and its depth; None at the path's end."""
        for nibbles_to, child in self.children():
            if path.startswith(nibbles_to, depth):
                return child.resolve(), depth + len(nibbles_to)
        return None

    def value_here(self) -> tuple[bytes, Any] | None:
        """The value that ends in this node and the rest of its path."""
        return None


class Empty(Node):
    """Nothing: an empty trie, or a branch's child that is not there."""

    __slots__ = ()

    def encode(self) -> bytes:
        """The empty string."""
        return EMPTY_STRING

    def find(self, path: bytes, depth: int) -> Any:
        """There is nothing to find."""

    def put(self, path: bytes, depth: int, value: Any) -> Node:
        """A leaf."""
        return Leaf(path[depth:], value)

    def remove(self, path: bytes, depth: int) -> Node:
        """Still nothing."""
        del path, depth
        return self

    def under(self, prefix: bytes) -> Node:
        """Still nothing."""
        del prefix
        return self

    def children(self) -> Iterator[tuple[bytes, Node]]:
        """No nodes."""
        return iter(())


EMPTY = Empty()
EMPTY.refer()
NO_CHILDREN: tuple[Node, ...] = (EMPTY,) * WIDTH


class Leaf(Node):
    """The rest of a path, and the value at its end."""

    __slots__ = ("path", "value")

    def __init__(self, path: bytes, value: Any) -> None:
        """Hold a value under what is left of its path."""
        self.reference = b""
        self.is_stored = False
        self.path = path
        self.value = value

    def encode(self) -> bytes:
        """RLP of path and value."""
        return wrap(_compact(self.path, LEAF) + encode_bytes(bytes(self.value)))

    def find(self, path: bytes, depth: int) -> Any:
        """Its value, if the path is its own."""
        return self.value if path[depth:] == self.path else None

    def put(self, path: bytes, depth: int, value: Any) -> Node:
        """The leaf with another value, or a branch with both."""
        rest = path[depth:]
        if rest == self.path:
            return self if value == self.value else Leaf(rest, value)
        shared = _shared(rest, self.path)
        branch = Branch(NO_CHILDREN, None).put(self.path, shared, self.value)
        return branch.put(rest, shared, value).under(rest[:shared])

    def remove(self, path: bytes, depth: int) -> Node:
        """Nothing, if the path is its own."""
        return EMPTY if path[depth:] == self.path else self

    def under(self, prefix: bytes) -> Node:
        """The leaf with a longer path."""
        return Leaf(prefix + self.path, self.value)

    def children(self) -> Iterator[tuple[bytes, Node]]:
        """No nodes."""
        return iter(())

    def value_here(self) -> tuple[bytes, Any] | None:
        """Its path and its value."""
        return self.path, self.value


class Extension(Node):
    """Nibbles that all paths below it share, and the branch they lead to."""

    __slots__ = ("child", "path")

    def __init__(self, path: bytes, child: Node) -> None:
        """Lead to a branch."""
        self.reference = b""
        self.is_stored = False
        self.path = path
        self.child = child

    def encode(self) -> bytes:
        """RLP of path and child."""
        return wrap(_compact(self.path, 0) + self.child.refer())

    def find(self, path: bytes, depth: int) -> Any:
        """What the child finds, if the path leads there."""
        if not path.startswith(self.path, depth):
            return None
        return self.child.find(path, depth + len(self.path))

    def put(self, path: bytes, depth: int, value: Any) -> Node:
        """The extension with another child, or a branch where the paths part."""
        if path.startswith(self.path, depth):
            return self._with(self.child.put(path, depth + len(self.path), value))
        shared = _shared(path[depth:], self.path)
        nibble, rest = self.path[shared], self.path[shared + 1 :]
        below = self.child.under(rest) if rest else self.child
        branch = Branch((*NO_CHILDREN[:nibble], below, *NO_CHILDREN[nibble + 1 :]), None)
        return branch.put(path, depth + shared, value).under(self.path[:shared])

    def remove(self, path: bytes, depth: int) -> Node:
        """The extension with another child, joined with it if that is no branch any more."""
        if not path.startswith(self.path, depth):
            return self
        return self._with(self.child.remove(path, depth + len(self.path)))

    def _with(self, child: Node) -> Node:
        return self if child is self.child else child.under(self.path)

    def under(self, prefix: bytes) -> Node:
        """The extension with a longer path."""
        return Extension(prefix + self.path, self.child)

    def children(self) -> Iterator[tuple[bytes, Node]]:
        """The branch."""
        yield self.path, self.child


class Branch(Node):
    """A child for each nibble, and the value whose path ends here."""

    __slots__ = ("nodes", "value")

    def __init__(self, nodes: tuple[Node, ...], value: Any) -> None:
        """Hold sixteen nodes, `EMPTY` where there is none."""
        self.reference = b""
        self.is_stored = False
        self.nodes = nodes
        self.value = value

    def encode(self) -> bytes:
        """RLP of the children and the value."""
        value = EMPTY_STRING if self.value is None else encode_bytes(bytes(self.value))
        return wrap(b"".join([each.reference or each.refer() for each in self.nodes]) + value)

    def find(self, path: bytes, depth: int) -> Any:
        """What the child finds that the path leads to."""
        if depth == len(path):
            return self.value
        return self.nodes[path[depth]].find(path, depth + 1)

    def put(self, path: bytes, depth: int, value: Any) -> Node:
        """The branch with another child or value."""
        if depth == len(path):
            return self if value == self.value else Branch(self.nodes, value)
        nibble = path[depth]
        old = self.nodes[nibble]
        child = old.put(path, depth + 1, value)
        return self if child is old else self._with(nibble, child)

    def _with(self, nibble: int, child: Node) -> Branch:
        nodes = self.nodes
        return Branch((*nodes[:nibble], child, *nodes[nibble + 1 :]), self.value)

    def remove(self, path: bytes, depth: int) -> Node:
        """The branch with less below it; what is left if that is a single node or value."""
        if depth == len(path):
            return self if self.value is None else Branch(self.nodes, None)._reduced()  # noqa: SLF001
        nibble = path[depth]
        old = self.nodes[nibble]
        child = old.remove(path, depth + 1)
        if child is old:
            return self
        branch = self._with(nibble, child)
        return branch._reduced() if child is EMPTY else branch  # noqa: SLF001  # its own kind

    def _reduced(self) -> Node:
        left = [nibble for nibble, child in enumerate(self.nodes) if child is not EMPTY]
        if len(left) + (self.value is not None) > 1:
            return self
        if not left:
            return Leaf(b"", self.value)
        return self.nodes[left[0]].under(bytes(left))

    def under(self, prefix: bytes) -> Node:
        """The branch behind an extension."""
        return Extension(prefix, self) if prefix else self

    def children(self) -> Iterator[tuple[bytes, Node]]:
        """Its children by nibble."""
        for nibble, child in enumerate(self.nodes):
            if child is not EMPTY:
                yield bytes((nibble,)), child

    def value_here(self) -> tuple[bytes, Any] | None:
        """The value whose path ends here."""
        return None if self.value is None else (b"", self.value)


class Stored(Node):
    """A node known by its hash, read when it is needed first."""

    __slots__ = ("_load", "_node")

    def __init__(self, reference: bytes, load: Load) -> None:
        """Stand for the node of that reference."""
        self.reference = reference
        self.is_stored = True
        self._load = load
        self._node: Node | None = None

    def resolve(self) -> Node:
        """The node, read once."""
        if self._node is None:
            encoded = self._load(Hash32(self.reference[1:]))
            self._node = decode(rlp.decode(encoded), self._load)
        return self._node

    def encode(self) -> bytes:
        """The node's RLP."""
        return self.resolve().encode()

    def find(self, path: bytes, depth: int) -> Any:
        """What the node finds."""
        return self.resolve().find(path, depth)

    def put(self, path: bytes, depth: int, value: Any) -> Node:
        """The node with a value under a path."""
        node = self.resolve()
        changed = node.put(path, depth, value)
        return self if changed is node else changed

    def remove(self, path: bytes, depth: int) -> Node:
        """The node with nothing under a path."""
        node = self.resolve()
        changed = node.remove(path, depth)
        return self if changed is node else changed

    def under(self, prefix: bytes) -> Node:
        """The node reached by some more nibbles."""
        node = self.resolve()
        # A branch stays in the store, and an extension leads to it from now on.
        return Extension(prefix, self) if isinstance(node, Branch) else node.under(prefix)

    def children(self) -> Iterator[tuple[bytes, Node]]:
        """The nodes below it."""
        return self.resolve().children()

    def value_here(self) -> tuple[bytes, Any] | None:
        """The value that ends in the node."""
        return self.resolve().value_here()


def decode(items: Any, load: Load) -> Node:
    """The node that decoded RLP describes, those below it left in the store."""
    node = _decode(items, load)
    node.is_stored = True
    return node


def _decode(items: Any, load: Load) -> Node:
    if not items:
        return EMPTY
    if len(items) > 2:  # a branch has 17 items, the others path and content
        return Branch(tuple(_child(each, load) for each in items[:WIDTH]), items[WIDTH] or None)
    path, content = nibbles(items[0]), items[1]
    kind, path = path[0], path[1 if path[0] & ODD else 2 :]
    return Leaf(path, content) if kind & LEAF else Extension(path, _child(content, load))


def _child(item: Any, load: Load) -> Node:
    if isinstance(item, bytes) and item:
        return Stored(HASH_PREFIX + item, load)
    return decode(item, load)


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
