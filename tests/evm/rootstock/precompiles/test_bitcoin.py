"""`devchain.evm.rootstock.precompiles.bitcoin`"""

from __future__ import annotations

import hashlib

import pytest

from devchain.evm.rootstock.precompiles.bitcoin import (
    Reader,
    base58check,
    double_sha256,
    from_base58check,
    prove_transactions,
)


def leaf(index: int) -> bytes:
    """The hash of a transaction, in the byte order that Bitcoin displays."""
    return hashlib.sha256(bytes([index])).digest()


def levels(count: int) -> list[list[bytes]]:
    """The Merkle tree of a block with that many transactions, leaves first."""
    rows = [[leaf(index)[::-1] for index in range(count)]]
    while len(rows[-1]) > 1:
        row = rows[-1] + rows[-1][-1:] * (len(rows[-1]) % 2)
        rows.append([double_sha256(row[at] + row[at + 1]) for at in range(0, len(row), 2)])
    return rows


def proof(count: int, proven: set[int]) -> bytes:
    """The serialized partial Merkle tree that proves those transactions of a block."""
    rows, flags, hashes = levels(count), list[bool](), list[bytes]()

    def descend(height: int, place: int) -> None:
        under = range(place << height, min(place + 1 << height, count))
        flags.append(not proven.isdisjoint(under))
        if not height or not flags[-1]:
            hashes.append(rows[height][place])
            return
        for child in (2 * place, 2 * place + 1):
            if child < len(rows[height - 1]):
                descend(height - 1, child)

    descend(len(rows) - 1, 0)
    bits = sum(flag << at for at, flag in enumerate(flags))
    packed = bits.to_bytes((len(flags) + 7) // 8, "little")
    return (
        count.to_bytes(4, "little")
        + bytes([len(hashes)])
        + b"".join(hashes)
        + bytes([len(packed)])
        + packed
    )


class TestProveTransactions:
    @pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 9, 20])
    def test_every_transaction(self, count: int) -> None:
        """Each transaction of a block can be proven, alone, with others and with none."""
        root = levels(count)[-1][0][::-1]
        choices = [{index} for index in range(count)] + [set(range(count)), {0, count - 1}, set()]

        for proven in choices:
            found = prove_transactions(proof(count, proven))
            assert found == (root, [leaf(index) for index in sorted(proven)])

    @pytest.mark.parametrize(
        ("raw", "reason"),
        [
            (b"", "the input is cut off"),
            (b"\1\0\0\0\xfd\1", "the input is cut off"),
            (b"\1\0\0\0\2" + bytes(32) + b"\1\1", "the input is cut off"),
            (proof(3, {1}) + b"\0", "does not have the size that it declares"),
            (proof(3, {1})[:-1], "the input is cut off"),
            (bytes(4) + b"\0\0", "a block cannot have 0 transactions"),
            (b"\xff\xff\xff\xff\0\0", "a block cannot have -1 transactions"),
            ((16_667).to_bytes(4, "little") + b"\0\0", "a block cannot have 16667 transactions"),
            (b"\1" + proof(3, {1})[1:], "too many hashes"),
            (b"\1\0\0\0\1" + bytes(32) + b"\0", "too many hashes"),
            (b"\2\0\0\0\0\1\1", "too few hashes"),
            (b"\2\0\0\0\0\0", "too few flags"),
            (b"\2\0\0\0\2" + bytes(64) + b"\1\1", "two branches of the partial merkle tree"),
            (b"\1\0\0\0\1" + bytes(32) + b"\2\1\0", "more parts than it needs"),
            (b"\2\0\0\0\2" + bytes(64) + b"\1\0", "more parts than it needs"),
        ],
        ids=[
            "empty",
            "short count",
            "short hashes",
            "long",
            "short flags",
            "no transaction",
            "negative",
            "too many transactions",
            "more hashes than transactions",
            "more hashes than flags",
            "too few hashes",
            "too few flags",
            "duplicate",
            "unused flags",
            "unused hash",
        ],
    )
    def test_malformed(self, raw: bytes, reason: str) -> None:
        """A malformed tree is refused, with the reason."""
        with pytest.raises(ValueError, match=reason):
            prove_transactions(raw)

    def test_nodes_that_form_a_transaction(self) -> None:
        """Two nodes that read as a transaction are refused: they would prove what is none."""
        one_input = bytes(4) + b"\1" + bytes(32) + bytes(4) + b"\0" + bytes(4)
        pair = one_input + b"\1" + b"\1" + bytes(7) + b"\4" + bytes(8)
        assert len(pair) == 64
        halves = pair[:32][::-1] + pair[32:][::-1]

        with pytest.raises(ValueError, match="two nodes of the partial merkle tree form"):
            prove_transactions(b"\2\0\0\0\2" + halves + b"\1\1")


@pytest.mark.parametrize(
    ("raw", "number", "end"),
    [
        (b"\xfc", 0xFC, 1),
        (b"\xfd\1\2", 0x0201, 3),
        (b"\xfe\1\2\3\4", 0x04030201, 5),
        (b"\xff" + bytes(7) + b"\1", 1 << 56, 9),
    ],
    ids=["1", "2", "4", "8"],
)
def test_varint(raw: bytes, number: int, end: int) -> None:
    """Numbers up to 252 are one byte; others have a mark of their length."""
    reader = Reader(raw)

    assert (reader.varint(), len(raw) - reader.left) == (number, end)


@pytest.mark.parametrize("size", [0, 1, 20, 74, 75, 78])
def test_base58check(size: int) -> None:
    """Payloads are decoded, with their leading zeros."""
    payload = b"\0" + bytes(range(1, 256)) * 20

    assert from_base58check(base58check(payload[:size])) == payload[:size]
