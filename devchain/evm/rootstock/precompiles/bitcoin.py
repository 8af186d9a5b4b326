"""Bitcoin primitives: hashes, Base58Check, Merkle branches and partial trees."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from devchain.evm.rootstock.precompiles.native_contract import Malformed, PrecompileFailed

HASH = 32
MOST_TRANSACTIONS = 1_000_000 // 60  # of a block: its size by the least of a transaction, in bytes


def double_sha256(payload: bytes | memoryview) -> bytes:
    """Hash of Bitcoin blocks and transactions; Bitcoin displays its bytes in reverse."""
    return hashlib.sha256(hashlib.sha256(payload).digest()).digest()


def hash160(payload: bytes) -> bytes:
    """RIPEMD-160 of SHA-256: the 20 bytes of an address of a key or a script."""
    return hashlib.new("ripemd160", hashlib.sha256(payload).digest()).digest()


def base58check(payload: bytes) -> str:
    from btclib import base58  # noqa: PLC0415  # which few nodes need

    return base58.encode(payload).decode()


def from_base58check(text: str) -> bytes:
    """The payload of a text of up to 112 letters; raises `ValueError`."""
    from btclib import base58  # noqa: PLC0415

    return base58.decode(text)


def merkle_root(leaf: bytes, path: int, branch: list[bytes]) -> bytes:
    """The Merkle root of a leaf and its branch; a set bit of `path` puts the leaf on the right.

    Hashes are in the byte order that Bitcoin displays. Raises `PrecompileFailed` if the path is
    longer than the branch.
    """
    # The real node counts no bits in a negative number, one with bit 31.
    if len(branch) > 32 or (path > 0 and path.bit_length() > len(branch)):
        raise PrecompileFailed("the path of a Merkle branch is longer than the branch")
    current = leaf
    for index, sibling in enumerate(branch):
        left, right = (sibling, current) if path >> index & 1 else (current, sibling)
        current = double_sha256(left[::-1] + right[::-1])[::-1]
    return current


def read_varint(raw: bytes, offset: int) -> tuple[int, int]:
    """A number of variable length and the offset after it; raises `Malformed`."""
    size = {0xFD: 2, 0xFE: 4, 0xFF: 8}.get(raw[offset] if offset < len(raw) else 0, 0)
    end = offset + 1 + size
    if end > len(raw):
        raise Malformed("the number of variable length is cut off")
    return int.from_bytes(raw[offset + (1 if size else 0) : end], "little"), end


class PartialMerkleTree:
    """A proof that transactions are in a block: hashes and flags of a tree, depth first (BIP37).

    A set flag means that the node is above a proven transaction, or is one; other nodes are given
    by their hash. Hashes are in the byte order that Bitcoin displays.
    """

    def __init__(self, raw: bytes) -> None:
        """Parse a serialized tree; raises `Malformed` unless its parts fill it exactly."""
        self._count = int.from_bytes(raw[:4], "little", signed=True)
        number, start = read_varint(raw, 4)
        hashes_end = start + HASH * number
        flag_bytes, flags_start = read_varint(raw, hashes_end)
        if flags_start + flag_bytes != len(raw):
            raise Malformed("the partial merkle tree does not have the size that it declares")
        self._hashes = [raw[at : at + HASH][::-1] for at in range(start, hashes_end, HASH)]
        self._flags = raw[flags_start:]

    def prove(self) -> tuple[bytes, list[bytes]]:
        """The root of the tree and the transactions it proves; raises `Malformed`."""
        if not 0 < self._count <= MOST_TRANSACTIONS:
            raise Malformed(f"a block cannot have {self._count} transactions")
        if len(self._hashes) > self._count or 8 * len(self._flags) < len(self._hashes):
            raise Malformed("the partial merkle tree has too many hashes")
        hashes, proven = iter(self._hashes), list[bytes]()
        flags = iter([byte >> bit & 1 for byte in self._flags for bit in range(8)])
        root = self._node((self._count - 1).bit_length(), 0, flags, hashes, proven)
        unused = len(list(flags))
        if unused >= 8 or next(hashes, None) is not None:
            raise Malformed("the partial merkle tree has more parts than it needs")
        return root, proven

    def _node(
        self,
        height: int,
        place: int,
        flags: Iterator[int],
        hashes: Iterator[bytes],
        proven: list[bytes],
    ) -> bytes:
        flag = next(flags, None)
        if flag is None:
            raise Malformed("the partial merkle tree has too few flags")
        if height == 0 or not flag:
            found = next(hashes, None)
            if found is None:
                raise Malformed("the partial merkle tree has too few hashes")
            if flag:
                proven.append(found)
            return found
        left = right = self._node(height - 1, 2 * place, flags, hashes, proven)
        width = (self._count + (1 << height - 1) - 1) >> height - 1
        if 2 * place + 1 < width:
            right = self._node(height - 1, 2 * place + 1, flags, hashes, proven)
            if left == right:
                raise Malformed("two branches of the partial merkle tree are the same")
        if could_be_transaction(left + right):
            raise Malformed("two nodes of the partial merkle tree form a transaction")
        return double_sha256(left[::-1] + right[::-1])[::-1]


def could_be_transaction(pair: bytes) -> bool:
    """Whether 64 bytes, two displayed hashes, read as a transaction with one input and output."""
    script = pair[41]
    spent = int.from_bytes(pair[37:41], "little")
    if pair[4] != 1 or script > 4 or (spent > 10**6 and spent != 2**32 - 1):
        return False
    value = int.from_bytes(pair[47 + script : 55 + script], "little")
    only_output = pair[46 + script] == 1 and 1 <= value <= 21 * 10**14
    return only_output and script + pair[55 + script] == 4
