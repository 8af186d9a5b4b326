"""Bitcoin primitives: hashes, Base58Check, Merkle branches and partial trees."""

from __future__ import annotations

import hashlib

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


class Reader:
    """Reads bytes from the front; raises `Malformed` at the end, so a large count costs nothing."""

    def __init__(self, raw: bytes) -> None:
        self._raw, self._at = raw, 0

    @property
    def left(self) -> int:
        return len(self._raw) - self._at

    def take(self, size: int) -> bytes:
        if size > self.left:
            raise Malformed("the input is cut off")
        self._at += size
        return self._raw[self._at - size : self._at]

    def number(self, size: int, *, signed: bool = False) -> int:
        return int.from_bytes(self.take(size), "little", signed=signed)

    def varint(self) -> int:
        """A number of variable length: counts, sizes and amounts."""
        first = self.number(1)
        return first if first < 0xFD else self.number(1 << first - 0xFC)


def prove_transactions(raw: bytes) -> tuple[bytes, list[bytes]]:  # noqa: C901  # all of bitcoinj's checks
    """The root of a partial Merkle tree and the transactions it proves; raises `Malformed`.

    The tree proves that transactions are in a block: hashes and flags, depth first (BIP37). A set
    flag means that the node is above a proven transaction, or is one; other nodes are given by
    their hash. Hashes are in the byte order that Bitcoin displays.
    """
    reader = Reader(raw)
    count = reader.number(4, signed=True)
    given = [reader.take(HASH)[::-1] for _ in range(reader.varint())]
    packed = reader.take(reader.varint())
    if reader.left:
        raise Malformed("the partial merkle tree does not have the size that it declares")
    if not 0 < count <= MOST_TRANSACTIONS:
        raise Malformed(f"a block cannot have {count} transactions")
    if len(given) > count or 8 * len(packed) < len(given):
        raise Malformed("the partial merkle tree has too many hashes")
    hashes, proven = iter(given), list[bytes]()
    flags = iter([byte >> bit & 1 for byte in packed for bit in range(8)])

    def node(height: int, place: int) -> bytes:
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
        left = right = node(height - 1, 2 * place)
        width = (count + (1 << height - 1) - 1) >> height - 1
        if 2 * place + 1 < width:
            right = node(height - 1, 2 * place + 1)
            if left == right:
                raise Malformed("two branches of the partial merkle tree are the same")
        if could_be_transaction(left + right):
            raise Malformed("two nodes of the partial merkle tree form a transaction")
        return double_sha256(left[::-1] + right[::-1])[::-1]

    root = node((count - 1).bit_length(), 0)
    if len(list(flags)) >= 8 or next(hashes, None) is not None:
        raise Malformed("the partial merkle tree has more parts than it needs")
    return root, proven


def could_be_transaction(pair: bytes) -> bool:
    """Whether 64 bytes, two displayed hashes, read as a transaction with one input and output."""
    script = pair[41]
    spent = int.from_bytes(pair[37:41], "little")
    if pair[4] != 1 or script > 4 or (spent > 10**6 and spent != 2**32 - 1):
        return False
    value = int.from_bytes(pair[47 + script : 55 + script], "little")
    only_output = pair[46 + script] == 1 and 1 <= value <= 21 * 10**14
    return only_output and script + pair[55 + script] == 4
