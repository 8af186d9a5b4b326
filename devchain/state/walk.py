"""Every part of a state: the nodes of its tries, and code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import rlp

from devchain.state.account import NO_CODE, Account
from devchain.state.database import Database
from devchain.state.nodes import EMPTY, Node
from devchain.state.trie import EMPTY_ROOT, Trie
from devchain.types import Hash32

KEY_NIBBLES = 64
WORD, NONCE = 32, 8

Found = tuple[Hash32, bytes]


def parts(database: Database, root: Hash32, seen: set[Hash32]) -> Iterator[Found]:
    """Nodes and code of a state that have not been seen, as hash and bytes; now they have.

    Raises `ValueError` for what is no state, should it come from strangers, and whatever reading
    it raises.
    """
    for value, found in _trie_parts(database.trie(root), seen):
        yield from found
        if value is not None:
            yield from _account_parts(database.account(value), seen)


def _account_parts(account: Account, seen: set[Hash32]) -> Iterator[Found]:
    if account.balance.bit_length() > 8 * WORD or account.nonce.bit_length() > 8 * NONCE:
        msg = "a balance or a nonce is too large"
        raise ValueError(msg)
    if account.code is not NO_CODE and account.code.hash not in seen:
        seen.add(account.code.hash)
        yield account.code.hash, account.code.data
    for value, found in _trie_parts(account.storage, seen):
        yield from found
        if value is not None and len(rlp.decode(bytes(value))) > WORD:
            msg = "a storage slot holds more than a word"
            raise ValueError(msg)


def _trie_parts(trie: Trie, seen: set[Hash32]) -> Iterator[tuple[Any, list[Found]]]:
    """Each unseen node's value, if it has one, and the node itself unless its parent holds it."""
    if trie.root_hash == EMPTY_ROOT or trie.root_hash in seen:
        return
    waiting: list[tuple[Node, int]] = [(trie.node, 0)]
    while waiting:
        node, depth = waiting.pop()
        is_root = node is trie.node
        found: list[Found] = []
        if is_root or node.is_hashed:
            node_hash = trie.root_hash if is_root else Hash32(node.refer()[1:])
            if node_hash in seen:
                continue
            seen.add(node_hash)
            found.append((node_hash, node.encode()))
        value = node.value_here()
        if depth + len(value[0] if value else b"") > KEY_NIBBLES:
            msg = "a trie is deeper than its keys are long"
            raise ValueError(msg)
        yield value[1] if value else None, found
        for nibbles, child in node.children():
            if not nibbles:
                msg = "a trie has a step that leads nowhere"
                raise ValueError(msg)
            if child is not EMPTY:
                waiting.append((child, depth + len(nibbles)))
