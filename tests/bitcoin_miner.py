"""A Bitcoin miner for merged mining: mines Bitcoin blocks that commit to a Rootstock block."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from hashlib import sha256
from itertools import count

TAG = b"RSKBLOCK:"
EASY = 2**256 // 3


def double_sha256(content: bytes) -> bytes:
    """Hash of Bitcoin transactions and headers."""
    return sha256(sha256(content).digest()).digest()


def transaction(script: bytes, output: bytes) -> bytes:
    """A Bitcoin transaction with one input and one output, with those scripts."""
    spent = b"\x01" + bytes(32) + b"\xff" * 4 + bytes([len(script)]) + script + b"\xff" * 4
    return b"\x02\0\0\0" + spent + b"\x01" + bytes(8) + bytes([len(output)]) + output + bytes(4)


def next_level(level: list[bytes]) -> list[bytes]:
    """The next level of a Merkle tree; an odd last hash is paired with itself."""
    even = level + level[-1:] * (len(level) % 2)
    return [double_sha256(even[at] + even[at + 1]) for at in range(0, len(even), 2)]


@dataclass(frozen=True)
class BitcoinBlock:
    """A Bitcoin block, and its encodings for the three `mnr_submitBitcoinBlock` methods."""

    header: bytes
    transactions: list[bytes]

    @classmethod
    def mine(cls, tagged: bytes, size: int = 5, target: int = EASY, salt: int = 0) -> BitcoinBlock:
        """Mine a block of `size` transactions whose coinbase commits to that hash."""
        coinbase = transaction(bytes([3, salt, 0, 0]), b"\x6a\x29" + TAG + tagged)
        others = [transaction(bytes([4, each]) * 20, b"\x51") for each in range(1, size)]
        unfinished = cls(b"", [coinbase, *others])
        head = bytes([2, 0, 0, 0]) + bytes(32) + unfinished.root + bytes(8)
        headers = (head + struct.pack("<L", nonce) for nonce in count())
        found = next(each for each in headers if work(each) <= target)
        return cls(found, unfinished.transactions)

    @property
    def ids(self) -> list[bytes]:
        """Transaction hashes, in the byte order of the Merkle tree."""
        return [double_sha256(each) for each in self.transactions]

    @property
    def root(self) -> bytes:
        """The Merkle root."""
        level = self.ids
        while len(level) > 1:
            level = next_level(level)
        return level[0]

    def whole(self) -> list[str]:
        """Parameters of `mnr_submitBitcoinBlock`."""
        return [(self.header + bytes([len(self.transactions)]) + b"".join(self.transactions)).hex()]

    def with_hashes(self) -> list[str]:
        """Parameters of `mnr_submitBitcoinBlockTransactions`."""
        shown = " ".join(each[::-1].hex() for each in self.ids)
        return ["", self.header.hex(), self.transactions[0].hex(), shown]

    def with_branch(self) -> list[str]:
        """Parameters of `mnr_submitBitcoinBlockPartialMerkle`."""
        level, branch = self.ids, self.ids[:1]
        while len(level) > 1:
            branch.append(level[1])
            level = next_level(level)
        listed = " ".join(each.hex() for each in branch)
        number = f"{len(self.transactions):x}"
        return ["", self.header.hex(), self.transactions[0].hex(), listed, number]


def work(header: bytes) -> int:
    """Hash of a header as a number, which the target bounds."""
    return int.from_bytes(double_sha256(header), "little")


def unlucky(block: BitcoinBlock) -> BitcoinBlock:
    """The same block with a nonce that does not meet the target."""
    headers = (block.header[:76] + struct.pack("<L", nonce) for nonce in count())
    return BitcoinBlock(next(each for each in headers if work(each) > EASY), block.transactions)
