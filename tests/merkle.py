"""Reference implementation of Merkle-Patricia tries, as the yellow paper defines them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import rlp
from eth_hash.auto import keccak

EMPTY_ROOT = keccak(rlp.encode(b""))


class BadProof(Exception):
    """The nodes do not prove a value."""


def root_of(items: Mapping[bytes, bytes]) -> bytes:
    """Root hash of a trie with those items."""
    if not items:
        return EMPTY_ROOT
    return keccak(rlp.encode(_build({tuple(_nibbles(key)): each for key, each in items.items()})))


def root_of_list(values: Sequence[bytes]) -> bytes:
    """Root hash of a trie keyed by RLP-encoded index, as of transactions and receipts."""
    return root_of({rlp.encode(position): value for position, value in enumerate(values)})


def prove(root: bytes, key: bytes, nodes: Sequence[bytes]) -> bytes | None:
    """The value of the key according to a proof, None for a proof of absence.

    Raises `BadProof` for an incomplete proof and for nodes that it does not need.
    """
    by_hash = {keccak(node): node for node in nodes}
    used: set[bytes] = set()

    def load(reference: Any) -> Any:
        if isinstance(reference, list):
            return reference
        if reference not in by_hash:
            raise BadProof(f"node {reference.hex()} is missing")
        used.add(reference)
        return rlp.decode(by_hash[reference])

    value = None if root == EMPTY_ROOT else _walk(load(root), _nibbles(key), load)
    if used != set(by_hash):
        raise BadProof("a node is not part of the path")
    return value


def _walk(node: Any, path: list[int], load: Any) -> bytes | None:
    while True:
        if node == b"":
            return None
        if len(node) == 17:
            if not path:
                return node[16] or None
            node, path = node[path[0]], path[1:]
        else:
            own, is_leaf = _unpack(node[0])
            if is_leaf:
                return bytes(node[1]) if own == path else None
            if path[: len(own)] != own:
                return None
            node, path = node[1], path[len(own) :]
        if node != b"":
            node = load(node)


def _build(items: dict[tuple[int, ...], bytes]) -> Any:
    if len(items) == 1:
        ((path, value),) = items.items()
        return [_pack(path, is_leaf=True), value]
    shared = _shared_prefix(list(items))
    if shared:
        rest = {path[len(shared) :]: value for path, value in items.items()}
        return [_pack(shared, is_leaf=False), _reference(_build(rest))]
    branch: list[Any] = [b""] * 17
    for nibble in range(16):
        below = {path[1:]: value for path, value in items.items() if path and path[0] == nibble}
        if below:
            branch[nibble] = _reference(_build(below))
    branch[16] = items.get((), b"")
    return branch


def _reference(node: Any) -> Any:
    encoded = rlp.encode(node)
    return node if len(encoded) < 32 else keccak(encoded)


def _shared_prefix(paths: list[tuple[int, ...]]) -> tuple[int, ...]:
    first, last = min(paths), max(paths)
    length = 0
    while length < min(len(first), len(last)) and first[length] == last[length]:
        length += 1
    return first[:length]


def _nibbles(key: bytes) -> list[int]:
    return [nibble for byte in key for nibble in (byte >> 4, byte & 15)]


def _pack(path: tuple[int, ...], *, is_leaf: bool) -> bytes:
    odd = len(path) % 2
    flag = 2 * is_leaf + odd
    padded = [flag, *path] if odd else [flag, 0, *path]
    return bytes(16 * high + low for high, low in zip(padded[::2], padded[1::2], strict=True))


def _unpack(packed: bytes) -> tuple[list[int], bool]:
    nibbles = _nibbles(packed)
    return nibbles[1 if nibbles[0] % 2 else 2 :], nibbles[0] >= 2
