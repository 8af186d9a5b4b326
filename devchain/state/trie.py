r"""A persistent Merkle-Patricia trie: immutable nodes, shared between the versions of a trie.

A key is a path of nibbles (half bytes). Leaves hold a value at the end of a path, extensions the
nibbles that all paths below them share, branches a child for each next nibble. An update returns a
new trie and leaves the old one as it was; only nodes on the path to the change are new:

    one = EMPTY_TRIE.update([(b"\x12", a)])           Leaf(1 2: a)

    two = one.update([(b"\x13", b)])                  Extension(1) ─ Branch ─ 2: Leaf(: a)
                                                                           └ 3: Leaf(: b)

    three = two.update([(b"\x13", c)])                Extension(1) ─ Branch ─ 2: the leaf of `two`
                                                                           └ 3: Leaf(: c)

`two.get(b"\x13")` is still b. Nothing is encoded or hashed before a root hash is needed, and each
node only once: after the root hash of `two`, that of `three` encodes three nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

import rlp
from sha3 import keccak_256  # type: ignore[import-untyped]  # safe-pysha3 has no type hints

from devchain.state.rlp import encode_bytes, wrap
from devchain.types import Hash32

Load = Callable[[Hash32], bytes]

EMPTY_STRING = b"\x80"
HASH_PREFIX = b"\xa0"
HASH_BYTES = 32
WIDTH = 16
LEAF, ODD = 2, 1
_FLAGS = ("00", "1", "20", "3")  # what comes before a path, in hex, by its flags
HEX_OF_NIBBLE = bytes.maketrans(bytes(range(WIDTH)), b"0123456789abcdef")
NIBBLE_OF_HEX = bytes.maketrans(b"0123456789abcdef", bytes(range(WIDTH)))


@lru_cache(8_192)
def nibbles(key: bytes) -> bytes:
    return key.hex().encode().translate(NIBBLE_OF_HEX)


@lru_cache(8_192)
def _compact(path: bytes, kind: int) -> bytes:
    # Most leaves that a block encodes are of accounts and slots that earlier blocks wrote to, too.
    flags = _FLAGS[kind | len(path) % 2]
    return encode_bytes(bytes.fromhex(flags + path.translate(HEX_OF_NIBBLE).decode()))


def _common_length(left: bytes, right: bytes) -> int:
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return index
    return min(len(left), len(right))


class _Node:
    """What all nodes of a trie have; updates return a new node, or the same if nothing changes.

    `depth` is how many nibbles of a path the nodes above have consumed. A value is bytes, or any
    object whose `bytes()` the trie is to hold. `reference` is what the parent's encoding contains:
    the node's hash, or the whole node if that is shorter; empty until it is computed. `prefixed`
    gives a node with the same values, each at a path longer by that prefix, `children` the nodes
    below it with the nibbles that lead to them. Methods that are here are those of an empty node.
    """

    __slots__ = ("is_stored", "reference")

    def __init__(self) -> None:
        self.reference: bytes = b""
        self.is_stored = False

    def encode(self) -> bytes:
        return EMPTY_STRING

    def refer(self) -> bytes:
        if not self.reference:
            encoded = self.encode()
            is_short = len(encoded) < HASH_BYTES
            self.reference = encoded if is_short else HASH_PREFIX + keccak_256(encoded).digest()
        return self.reference

    @property
    def is_hashed(self) -> bool:
        return len(self.refer()) > HASH_BYTES

    @property
    def hash(self) -> Hash32:
        return Hash32(self.refer()[1:])

    def children(self) -> Iterable[tuple[bytes, Node]]:
        return ()

    def value_here(self) -> tuple[bytes, Any] | None:
        return None


class Empty(_Node):
    """An empty trie, or a child that a branch does not have."""

    __slots__ = ()

    def find(self, path: bytes, depth: int) -> Any:  # noqa: ARG002
        return None

    def put(self, path: bytes, depth: int, value: Any) -> Node:
        return Leaf(path[depth:], value)

    def remove(self, path: bytes, depth: int) -> Node:  # noqa: ARG002
        return self

    def prefixed(self, prefix: bytes) -> Node:  # noqa: ARG002
        return self


EMPTY = Empty()
EMPTY.refer()
NO_CHILDREN: tuple[Node, ...] = (EMPTY,) * WIDTH


class Leaf(_Node):
    """The rest of a path, and the value at its end."""

    __slots__ = ("path", "value")

    def __init__(self, path: bytes, value: Any) -> None:
        self.reference = b""
        self.is_stored = False
        self.path = path
        self.value = value

    def encode(self) -> bytes:
        return wrap(_compact(self.path, LEAF) + encode_bytes(bytes(self.value)))

    def find(self, path: bytes, depth: int) -> Any:
        return self.value if path[depth:] == self.path else None

    def put(self, path: bytes, depth: int, value: Any) -> Node:
        rest = path[depth:]
        if rest == self.path:
            return self if value == self.value else Leaf(rest, value)
        common = _common_length(rest, self.path)
        branch = Branch(NO_CHILDREN, None).put(self.path, common, self.value)
        return branch.put(rest, common, value).prefixed(rest[:common])

    def remove(self, path: bytes, depth: int) -> Node:
        return EMPTY if path[depth:] == self.path else self

    def prefixed(self, prefix: bytes) -> Node:
        return Leaf(prefix + self.path, self.value)

    def value_here(self) -> tuple[bytes, Any] | None:
        return self.path, self.value


class Extension(_Node):
    """Nibbles that all paths below it share, and the branch they lead to."""

    __slots__ = ("child", "path")

    def __init__(self, path: bytes, child: Node) -> None:
        self.reference = b""
        self.is_stored = False
        self.path = path
        self.child = child

    def encode(self) -> bytes:
        return wrap(_compact(self.path, 0) + self.child.refer())

    def find(self, path: bytes, depth: int) -> Any:
        if not path.startswith(self.path, depth):
            return None
        return self.child.find(path, depth + len(self.path))

    def put(self, path: bytes, depth: int, value: Any) -> Node:
        if path.startswith(self.path, depth):
            return self._with(self.child.put(path, depth + len(self.path), value))
        common = _common_length(path[depth:], self.path)
        nibble, rest = self.path[common], self.path[common + 1 :]
        below = self.child.prefixed(rest) if rest else self.child
        branch = Branch((*NO_CHILDREN[:nibble], below, *NO_CHILDREN[nibble + 1 :]), None)
        return branch.put(path, depth + common, value).prefixed(self.path[:common])

    def remove(self, path: bytes, depth: int) -> Node:
        if not path.startswith(self.path, depth):
            return self
        return self._with(self.child.remove(path, depth + len(self.path)))

    def _with(self, child: Node) -> Node:
        return self if child is self.child else child.prefixed(self.path)

    def prefixed(self, prefix: bytes) -> Node:
        return Extension(prefix + self.path, self.child)

    def children(self) -> Iterable[tuple[bytes, Node]]:
        yield self.path, self.child


class Branch(_Node):
    """A child for each nibble, and the value at the path that ends here."""

    __slots__ = ("nodes", "value")

    def __init__(self, nodes: tuple[Node, ...], value: Any) -> None:
        self.reference = b""
        self.is_stored = False
        self.nodes = nodes
        self.value = value

    def encode(self) -> bytes:
        value = EMPTY_STRING if self.value is None else encode_bytes(bytes(self.value))
        return wrap(b"".join([node.reference or node.refer() for node in self.nodes]) + value)

    def find(self, path: bytes, depth: int) -> Any:
        if depth == len(path):
            return self.value
        return self.nodes[path[depth]].find(path, depth + 1)

    def put(self, path: bytes, depth: int, value: Any) -> Node:
        if depth == len(path):
            return self if value == self.value else Branch(self.nodes, value)
        above = []
        branch: Branch = self
        while True:
            nibble = path[depth]
            above.append((branch, nibble))
            depth += 1
            old = branch.nodes[nibble]
            if old.__class__ is not Branch or depth == len(path):
                break
            branch = old
        child = old.put(path, depth, value)
        if child is old:
            return self
        for branch, nibble in reversed(above):
            child = branch._with(nibble, child)  # noqa: SLF001  # its own class
        return child

    def _with(self, nibble: int, child: Node) -> Branch:
        nodes = [*self.nodes]
        nodes[nibble] = child
        return Branch((*nodes,), self.value)

    def remove(self, path: bytes, depth: int) -> Node:
        if depth == len(path):
            return self if self.value is None else Branch(self.nodes, None)._reduced()  # noqa: SLF001
        nibble = path[depth]
        old = self.nodes[nibble]
        child = old.remove(path, depth + 1)
        if child is old:
            return self
        branch = self._with(nibble, child)
        return branch._reduced() if child is EMPTY else branch  # noqa: SLF001  # its own class

    def _reduced(self) -> Node:
        left = [nibble for nibble, child in enumerate(self.nodes) if child is not EMPTY]
        if len(left) + (self.value is not None) > 1:
            return self
        if not left:
            return Leaf(b"", self.value)
        return self.nodes[left[0]].prefixed(bytes(left))

    def prefixed(self, prefix: bytes) -> Node:
        return Extension(prefix, self) if prefix else self

    def children(self) -> Iterable[tuple[bytes, Node]]:
        for nibble, child in enumerate(self.nodes):
            if child is not EMPTY:
                yield bytes((nibble,)), child

    def value_here(self) -> tuple[bytes, Any] | None:
        return None if self.value is None else (b"", self.value)


class StoredNode(_Node):
    """A node of a store, loaded when it is first used; until then it is known by its hash."""

    __slots__ = ("_load", "_node")

    def __init__(self, reference: bytes, load: Load) -> None:
        self.reference = reference
        self.is_stored = True
        self._load = load
        self._node: LoadedNode | None = None

    def resolve(self) -> LoadedNode:
        if self._node is None:
            encoded = self._load(Hash32(self.reference[1:]))
            self._node = decode(rlp.decode(encoded), self._load)
        return self._node

    def encode(self) -> bytes:
        return self.resolve().encode()

    def find(self, path: bytes, depth: int) -> Any:
        return self.resolve().find(path, depth)

    def put(self, path: bytes, depth: int, value: Any) -> Node:
        node = self.resolve()
        changed = node.put(path, depth, value)
        return self if changed is node else changed

    def remove(self, path: bytes, depth: int) -> Node:
        node = self.resolve()
        changed = node.remove(path, depth)
        return self if changed is node else changed

    def prefixed(self, prefix: bytes) -> Node:
        node = self.resolve()
        # A branch stays in the store, below a new extension.
        return Extension(prefix, self) if isinstance(node, Branch) else node.prefixed(prefix)

    def children(self) -> Iterable[tuple[bytes, Node]]:
        return self.resolve().children()

    def value_here(self) -> tuple[bytes, Any] | None:
        return self.resolve().value_here()


LoadedNode = Empty | Leaf | Extension | Branch
Node = LoadedNode | StoredNode


def decode(items: Any, load: Load) -> LoadedNode:
    if not items:
        return EMPTY
    node: Leaf | Extension | Branch
    if len(items) > 2:  # a branch has 17 items, the others path and content
        children = tuple(_child(item, load) for item in items[:WIDTH])
        node = Branch(children, items[WIDTH] or None)
    else:
        path, content = nibbles(items[0]), items[1]
        kind, path = path[0], path[1 if path[0] & ODD else 2 :]
        node = Leaf(path, content) if kind & LEAF else Extension(path, _child(content, load))
    node.is_stored = True
    return node


def _child(item: Any, load: Load) -> Node:
    if isinstance(item, bytes) and item:
        return StoredNode(HASH_PREFIX + item, load)
    return decode(item, load)


def _resolve(node: Node) -> LoadedNode:
    return node.resolve() if isinstance(node, StoredNode) else node


class Trie:
    """Values by key under a root hash: bytes, or objects of which it holds `bytes()`."""

    __slots__ = ("__weakref__", "_root_hash", "node")

    def __init__(self, node: Node = EMPTY, root_hash: Hash32 | None = None) -> None:
        self.node = node
        self._root_hash = root_hash

    @classmethod
    def stored(cls, root_hash: Hash32, load: Load) -> Trie:
        if root_hash == EMPTY_ROOT:
            return EMPTY_TRIE
        return cls(StoredNode(HASH_PREFIX + root_hash, load), root_hash)

    @property
    def root_hash(self) -> Hash32:
        if self._root_hash is None:
            reference = self.node.refer()
            hashed = len(reference) > HASH_BYTES
            self._root_hash = Hash32(reference[1:] if hashed else keccak_256(reference).digest())
        return self._root_hash

    @property
    def content(self) -> Trie:
        """The trie that is stored: this one, where no part of the state is elsewhere."""
        return self

    def records(self) -> tuple[tuple[Hash32, bytes], ...]:
        """What is stored beside its nodes, by hash: nothing of a whole trie."""
        return ()

    def get(self, key: bytes) -> Any:
        path, node, depth = nibbles(key), self.node, 0
        size = len(path)
        while node.__class__ is Branch and depth < size:  # most of the way, without calls
            node = node.nodes[path[depth]]
            depth += 1
        return node.find(path, depth)

    def update(
        self, changes: Iterable[tuple[bytes, Any]], to_path: Callable[[bytes], bytes] = nibbles
    ) -> Trie:
        node = self.node
        for key, value in changes:
            path = to_path(key)
            node = node.put(path, 0, value) if value else node.remove(path, 0)
        return self if node is self.node else Trie(node)

    def proof(self, key: bytes) -> tuple[bytes, ...]:
        """RLP of the nodes from the root to the key's; embedded ones are not listed again."""
        path = nibbles(key)
        nodes: list[bytes] = []
        following = None if self.node is EMPTY else (_resolve(self.node), 0)
        while following:
            node, depth = following
            if not nodes or node.is_hashed:
                nodes.append(node.encode())
            following = next(
                (
                    (_resolve(child), depth + len(prefix))
                    for prefix, child in node.children()
                    if path.startswith(prefix, depth)
                ),
                None,
            )
        return tuple(nodes)

    def values(self) -> Iterator[Any]:
        waiting = [] if self.node is EMPTY else [self.node]
        while waiting:
            node = _resolve(waiting.pop())
            leaf = node.value_here()
            if leaf:
                yield leaf[1]
            waiting.extend(child for _, child in node.children() if child is not EMPTY)

    def new_nodes(self) -> list[Node]:
        nodes: list[Node] = []
        _collect_new(self.node, nodes)
        return nodes


def _collect_new(node: Node, found: list[Node]) -> None:
    if node.is_stored or node is EMPTY:
        return
    if isinstance(node, Branch):
        for child in node.nodes:
            if child is not EMPTY and not child.is_stored:
                _collect_new(child, found)
    elif isinstance(node, Extension):
        _collect_new(node.child, found)
    found.append(node)


EMPTY_TRIE = Trie()
EMPTY_ROOT = EMPTY_TRIE.root_hash
