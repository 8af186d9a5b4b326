"""Every state that somebody still holds, by its root."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import WeakValueDictionary

from sha3 import keccak_256  # type: ignore[import-untyped]  # safe-pysha3 has no type hints

from devchain.state.account import NO_CODE, Account, Code, decode_account
from devchain.state.trie import EMPTY_TRIE, Load, Node, Trie
from devchain.types import Hash32


class States:
    """Finds the trie of a root, in the same time for every block.

    What is in memory lives as long as somebody holds it: a block holds its state, states share
    what they have in common, and what only a forgotten block held is gone with it. With `load`,
    roots and code that are not in memory are read by their hash from a store.
    """

    def __init__(self, load: Load | None = None) -> None:
        """Know no state but the empty one."""
        self._load = load or _nothing
        self._tries: WeakValueDictionary[Hash32, Trie] = WeakValueDictionary()
        self._codes: WeakValueDictionary[Hash32, Code] = WeakValueDictionary()
        self.keep(EMPTY_TRIE)

    def trie(self, root: Hash32) -> Trie:
        """The accounts under a root; whoever keeps the trie keeps the state."""
        found = self._tries.get(root)
        return self.keep(Trie.stored(root, self._load)) if found is None else found

    def keep(self, trie: Trie) -> Trie:
        """Let a trie be found by its root; the one to hold, which may be an older one."""
        return self._tries.setdefault(trie.root_hash, trie)

    def account(self, value: Any) -> Account:
        """The account of a value in a state's trie."""
        if isinstance(value, Account):
            return value
        return decode_account(value, self._load, self.stored_code)

    def code(self, data: bytes) -> Code:
        """That code, to be put into an account."""
        code = Code(Hash32(keccak_256(data).digest()), data)
        return self._codes.setdefault(code.hash, code) if data else NO_CODE

    def stored_code(self, code_hash: Hash32) -> Code:
        """The code of that hash, read when it is needed."""
        if code_hash == NO_CODE.hash:
            return NO_CODE
        return self._codes.setdefault(code_hash, Code(code_hash, None, self._load))

    # For a store

    def unstored(self, root: Hash32) -> Iterator[tuple[Hash32, bytes]]:
        """Nodes and code of a state that are in no store yet, as hash and bytes.

        What is below comes before what is above; only what is new is visited.
        """
        for part, part_hash in self._new_parts(root):
            if isinstance(part, Code):
                yield part.hash, part.data
            elif part_hash is not None:
                yield part_hash, part.encode()

    def mark_stored(self, root: Hash32) -> None:
        """Say that all of `unstored` is in the store now."""
        for part, _ in self._new_parts(root):
            part.is_stored = True

    def _new_parts(self, root: Hash32) -> list[tuple[Node | Code, Hash32 | None]]:
        """What no store has yet: storages and code, then the state itself.

        With each node goes its hash, None where it is part of its parent.
        """
        trie = self.trie(root)
        found: list[tuple[Node | Code, Hash32 | None]] = []
        nodes = trie.new_nodes()
        for account in filter(None, map(_account_in, nodes)):
            if account.storage is not EMPTY_TRIE and not account.storage.node.is_stored:
                found += _with_hashes(account.storage, account.storage.new_nodes())
            if not account.code.is_stored and account.code is not NO_CODE:
                found.append((account.code, None))
        return found + _with_hashes(trie, nodes)


def _with_hashes(trie: Trie, nodes: list[Node]) -> list[tuple[Node | Code, Hash32 | None]]:
    """A trie's nodes with their hashes; the root has one however short it is."""
    return [(node, trie.root_hash if node is trie.node else _hash_of(node)) for node in nodes]


def _hash_of(node: Node) -> Hash32 | None:
    reference = node.refer()
    return Hash32(reference[1:]) if node.is_hashed else None


def _account_in(node: Node) -> Account | None:
    value = _value(node)
    return value if isinstance(value, Account) else None


def _value(node: Node) -> Any:
    found = node.value_here()
    return found[1] if found else None


def _nothing(hash_: Hash32) -> bytes:
    msg = f"nobody holds a state or code of the hash 0x{hash_.hex()}"
    raise KeyError(msg)
