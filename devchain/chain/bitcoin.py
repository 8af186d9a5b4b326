"""Bitcoin: SHA-256 resumed from an inner state, and parsing of untrusted blocks."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from hashlib import sha256

from devchain.errors import InvalidInput

CHUNK = 64
"""Bytes of a block of SHA-256."""

State = tuple[int, ...]
"""The eight words of SHA-256's state between two chunks."""

START = (
    *(0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A),
    *(0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19),
)
_CONSTANTS = struct.unpack(
    ">64L",
    bytes.fromhex(
        "428a2f9871374491b5c0fbcfe9b5dba53956c25b59f111f1923f82a4ab1c5ed5"
        "d807aa9812835b01243185be550c7dc372be5d7480deb1fe9bdc06a7c19bf174"
        "e49b69c1efbe47860fc19dc6240ca1cc2de92c6f4a7484aa5cb0a9dc76f988da"
        "983e5152a831c66db00327c8bf597fc7c6e00bf3d5a7914706ca635114292967"
        "27b70a852e1b21384d2c6dfc53380d13650a7354766a0abb81c2c92e92722c85"
        "a2bfe8a1a81a664bc24b8b70c76c51a3d192e819d6990624f40e3585106aa070"
        "19a4c1161e376c082748774c34b0bcb5391c0cb34ed8aa4a5b9cca4f682e6ff3"
        "748f82ee78a5636f84c878148cc7020890befffaa4506cebbef9a3f7c67178f2"
    ),
)
_WORD = 2**32 - 1


def resume(state: State, skipped: int, tail: bytes) -> bytes:
    """SHA-256 of SHA-256 of a message, given the state after `skipped` bytes and what follows."""
    bits = 8 * (skipped + len(tail)) % 2**64
    padding = b"\x80" + bytes(-(len(tail) + 9) % CHUNK) + bits.to_bytes(8, "big")
    return sha256(struct.pack(">8L", *absorb(state, tail + padding))).digest()


def absorb(state: State, chunks: bytes) -> State:
    """The SHA-256 state after more chunks of 64 bytes (FIPS 180-4, section 6.2.2)."""
    for start in range(0, len(chunks), CHUNK):
        words = _schedule(chunks[start : start + CHUNK])
        state = tuple(
            (old + new) & _WORD for old, new in zip(state, _rounds(state, words), strict=True)
        )
    return state


def _schedule(chunk: bytes) -> list[int]:
    words = list(struct.unpack(">16L", chunk))
    for position in range(16, 64):
        old, new = words[position - 15], words[position - 2]
        # A word written twice in a row turns rotations into shifts; higher bits are cut off below.
        twice_old, twice_new = old << 32 | old, new << 32 | new
        first = twice_old >> 7 ^ twice_old >> 18 ^ old >> 3
        second = twice_new >> 17 ^ twice_new >> 19 ^ new >> 10
        words.append((words[position - 16] + first + words[position - 7] + second) & _WORD)
    return words


def _rounds(state: State, words: list[int]) -> State:
    a, b, c, d, e, f, g, h = state
    for constant, word in zip(_CONSTANTS, words, strict=True):
        twice = e << 32 | e
        mixed = twice >> 6 ^ twice >> 11 ^ twice >> 25
        first = h + (mixed & _WORD) + (e & f ^ ~e & g) + constant + word
        twice = a << 32 | a
        mixed = twice >> 2 ^ twice >> 13 ^ twice >> 22
        second = (mixed & _WORD) + (a & b ^ a & c ^ b & c)
        a, b, c, d, e, f, g, h = (first + second) & _WORD, a, b, c, (d + first) & _WORD, e, f, g
    return a, b, c, d, e, f, g, h


HEADER_SIZE = 80
HASH_SIZE = 32


def double_sha256(content: bytes) -> bytes:
    return sha256(sha256(content).digest()).digest()


@dataclass(frozen=True, slots=True)
class BitcoinHeader:
    """The fields of a bitcoin block's header; hashes in the byte order bitcoin displays."""

    hash: bytes
    version: int
    parent_hash: bytes
    merkle_root: bytes
    timestamp: int
    bits: int
    nonce: int


def read_header(raw: bytes) -> BitcoinHeader:
    """The fields of a header; raises `InvalidInput` if it has not 80 bytes."""
    check_header_size(raw)
    version, parent, root, timestamp, bits, nonce = struct.unpack("<L32s32sLLL", raw)
    return BitcoinHeader(
        double_sha256(raw)[::-1], version, parent[::-1], root[::-1], timestamp, bits, nonce
    )


def check_header_size(raw: bytes) -> None:
    if len(raw) != HEADER_SIZE:
        raise InvalidInput(f"a bitcoin header has {HEADER_SIZE} bytes, this one {len(raw)}")


def read_block(raw: bytes) -> tuple[bytes, list[bytes]]:
    """The header of a block and its transactions without their witnesses.

    Raises `InvalidInput` for bytes that are no bitcoin block.
    """
    reader = _Reader(raw, "bitcoin block")
    header = reader.take(HEADER_SIZE, "header")
    transactions = [_transaction(reader) for _ in range(reader.number("transactions"))]
    reader.finish()
    if not transactions:
        raise InvalidInput("the bitcoin block has no transactions: want at least the coinbase")
    return header, transactions


def read_coinbase(raw: bytes) -> bytes:
    """A transaction without its witness: the bytes whose hash is its id.

    Raises `InvalidInput` for bytes that are no bitcoin transaction.
    """
    reader = _Reader(raw, "coinbase")
    transaction = _transaction(reader)
    reader.finish()
    return transaction


class _Reader:
    """Reads untrusted bytes from the front."""

    def __init__(self, raw: bytes, name: str) -> None:
        self.raw = raw
        self.position = 0
        self._name = name

    def take(self, size: int, what: str) -> bytes:
        start, end = self.position, self.position + size
        if end > len(self.raw):
            raise InvalidInput(f"the {self._name} ends within its {what}, at byte {len(self.raw)}")
        self.position = end
        return self.raw[start:end]

    def number(self, what: str) -> int:
        first = self.take(1, what)[0]
        if first < 0xFD:
            return first
        size = 2 ** (first - 0xFC)
        value = int.from_bytes(self.take(size, what), "little")
        if value < (0xFD if size == 2 else 2 ** (size * 4)):
            raise InvalidInput(
                f"the number of {what} in the {self._name} is not in its shortest encoding"
            )
        return value

    def script(self, what: str) -> None:
        self.take(self.number(what), what)

    def finish(self) -> None:
        if left := len(self.raw) - self.position:
            raise InvalidInput(f"{left} bytes follow the end of the {self._name}")


def _transaction(reader: _Reader) -> bytes:
    version = reader.take(4, "transaction version")
    has_witness = reader.raw[reader.position : reader.position + 2] == b"\0\x01"
    start = reader.position + 2 * has_witness
    reader.position = start
    inputs = _inputs_and_outputs(reader)
    body = reader.raw[start : reader.position]
    if has_witness:
        for _ in range(inputs):
            for _ in range(reader.number("witness")):
                reader.script("witness")
    return version + body + reader.take(4, "lock time")


def _inputs_and_outputs(reader: _Reader) -> int:
    inputs = reader.number("inputs")
    if not inputs:
        raise InvalidInput("a bitcoin transaction has no inputs")
    for _ in range(inputs):
        reader.take(HASH_SIZE + 4, "inputs")
        reader.script("input script")
        reader.take(4, "inputs")
    for _ in range(reader.number("outputs")):
        reader.take(8, "outputs")
        reader.script("output script")
    return inputs
