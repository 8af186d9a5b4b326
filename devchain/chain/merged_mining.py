"""Merged mining: the bitcoin block behind a Rootstock block, made, read and checked."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import count

from devchain.errors import InvalidInput

TAG = b"RSKBLOCK:"
HEADER_SIZE = 80
HASH_SIZE = 32
CHUNK = 64
"""Bytes that SHA-256 takes in at a time."""
MIDSTATE_SIZE = 40
"""A compressed coinbase starts with a count of bytes (8) and the SHA-256 state after them (32)."""
MAX_AFTER_HASH = 128
MAX_PROOF_SIZE = 30 * HASH_SIZE
MAX_COINBASE_SIZE = 100_000
"""Far above what bitcoin miners use; it bounds the hashing a stranger can make us do."""
MAX_SEAL_DIFFICULTY = 2**24
"""Beyond it the search for a nonce would take minutes."""

_LEAST_DIFFICULTY = 3  # lest the top bit of a target be set


@dataclass(frozen=True, slots=True)
class MergedMining:
    """The proof of work of a Rootstock block, its three parts as the block carries them.

    `header` is bitcoin's, 80 bytes. `coinbase` is compressed: what comes before the 64-byte chunk
    in which the tag begins is replaced by its SHA-256 state. `merkle_proof` is the hashes beside
    the coinbase's way up to the Merkle root (RSKIP92), each in the byte order bitcoin displays.
    """

    header: bytes
    coinbase: bytes
    merkle_proof: bytes


Submission = tuple[bytes, MergedMining]
"""The `hashForMergedMining` a bitcoin block commits to, and the proof it is."""


def target(difficulty: int) -> int:
    """What the bitcoin header's hash, read as a number, may be at most."""
    return 2**256 // max(difficulty, _LEAST_DIFFICULTY)


# Sealing

_VERSION = bytes.fromhex("00000020")
_BITS = bytes.fromhex("ffff7f20")  # bitcoin's own target on its regtest: easier than ours
_NO_OUTPOINT = bytes(HASH_SIZE) + b"\xff" * 4
_FINAL = b"\xff" * 4
_SUBSIDY = 50 * 10**8
_ANYONE = b"\x51"  # the script that is true for everyone
_LAST_SMALL_NUMBER = 16


def seal(
    hash_for_merged_mining: bytes, *, number: int, timestamp: int, difficulty: int = 1
) -> MergedMining:
    """Mine a bitcoin block of our own that commits to that hash; the same one every time.

    Raises `InvalidInput` for a difficulty that would take minutes.
    """
    if difficulty > MAX_SEAL_DIFFICULTY:
        msg = f"a difficulty of {difficulty} is more than this node can mine: use at most 2**24"
        raise InvalidInput(msg)
    coinbase = _own_coinbase(hash_for_merged_mining, number)
    seconds = (timestamp % 2**32).to_bytes(4, "little")  # bitcoin's clock ends in 2106
    header = _VERSION + bytes(HASH_SIZE) + _double_sha256(coinbase) + seconds + _BITS
    return MergedMining(_mine(header, target(difficulty)), _compress(coinbase), b"")


def _mine(unfinished: bytes, limit: int) -> bytes:
    """The header with the lowest nonce that meets the target."""
    headers = (unfinished + nonce.to_bytes(4, "little") for nonce in count())
    return next(header for header in headers if _work(header) <= limit)


def _own_coinbase(tagged: bytes, height: int) -> bytes:
    """A coinbase transaction that has the tag in its input, behind the height (BIP 34)."""
    commitment = TAG + tagged
    script = _push_number(height) + bytes([len(commitment)]) + commitment
    paid = _SUBSIDY.to_bytes(8, "little") + bytes([len(_ANYONE)]) + _ANYONE
    entry = _NO_OUTPOINT + bytes([len(script)]) + script + _FINAL
    return b"\x01\0\0\0" + b"\x01" + entry + b"\x01" + paid + bytes(4)


def _push_number(number: int) -> bytes:
    if number <= _LAST_SMALL_NUMBER:
        return bytes([0x50 + number]) if number else b"\0"
    size = number.bit_length() // 8 + 1
    return bytes([size]) + number.to_bytes(size, "little")


# Checking


def verify(hash_for_merged_mining: bytes, difficulty: int, merged_mining: MergedMining) -> None:
    """Check what the Rootstock node checks of a block's proof of work.

    Raises `InvalidInput` with the first thing that is wrong.
    """
    _check_header(merged_mining.header, difficulty)
    _check_proof_size(merged_mining.merkle_proof)
    _check_coinbase(merged_mining.coinbase, hash_for_merged_mining)
    leaf = _compressed_hash(merged_mining.coinbase)
    if _root(leaf, merged_mining.merkle_proof) != merged_mining.header[36:68]:
        msg = "the Merkle proof does not lead from the coinbase to the bitcoin header's Merkle root"
        raise InvalidInput(msg)


def _check_header(header: bytes, difficulty: int) -> None:
    _check_header_size(header)
    if _work(header) > target(difficulty):
        msg = f"the bitcoin header's hash is above the target of difficulty {difficulty}"
        raise InvalidInput(msg)


def _check_header_size(header: bytes) -> None:
    if len(header) != HEADER_SIZE:
        msg = f"a bitcoin header has {HEADER_SIZE} bytes, this one {len(header)}"
        raise InvalidInput(msg)


def _check_proof_size(proof: bytes) -> None:
    if len(proof) > MAX_PROOF_SIZE:
        msg = f"the Merkle proof has {len(proof)} bytes, more than {MAX_PROOF_SIZE}"
        raise InvalidInput(msg)
    if len(proof) % HASH_SIZE:
        msg = f"the Merkle proof has {len(proof)} bytes, which is no whole number of hashes"
        raise InvalidInput(msg)


def _check_coinbase(compressed: bytes, tagged: bytes) -> None:
    if len(compressed) < MIDSTATE_SIZE:
        msg = f"a compressed coinbase has at least {MIDSTATE_SIZE} bytes, this {len(compressed)}"
        raise InvalidInput(msg)
    tail = compressed[MIDSTATE_SIZE:]
    position = tail.rfind(TAG + tagged)
    if position < 0:
        msg = f"the coinbase does not carry {TAG.decode()} and the hash 0x{tagged.hex()}"
        raise InvalidInput(msg)
    # Else one proof would do for two blocks: with that chunk in the state, and with it in the tail.
    if position >= CHUNK:
        msg = f"the tag is at byte {position} of the coinbase's tail: want it below {CHUNK}"
        raise InvalidInput(msg)
    if tail.rfind(TAG) != position:
        msg = f"another {TAG.decode()} comes after the one that carries the block's hash"
        raise InvalidInput(msg)
    _check_lengths(compressed, after=len(tail) - position - len(TAG) - HASH_SIZE)


def _check_lengths(compressed: bytes, after: int) -> None:
    if after > MAX_AFTER_HASH:
        msg = f"{after} bytes follow the block's hash in the coinbase: at most {MAX_AFTER_HASH} may"
        raise InvalidInput(msg)
    skipped = int.from_bytes(compressed[:8], "big")
    # The node takes any count, and with it a second way to write the same proof.
    if skipped % CHUNK or skipped >= 2**32:
        msg = f"the coinbase's SHA-256 state cannot be that after {skipped} bytes"
        raise InvalidInput(msg)
    # 64 bytes could be two hashes inside the Merkle tree.
    if (length := skipped + len(compressed) - MIDSTATE_SIZE) <= CHUNK:
        msg = f"a coinbase has more than {CHUNK} bytes, this one {length}"
        raise InvalidInput(msg)


def _root(leaf: bytes, proof: bytes) -> bytes:
    """The root that the proof leads to from the leftmost leaf."""
    node = leaf
    for start in range(0, len(proof), HASH_SIZE):
        beside = proof[start : start + HASH_SIZE][::-1]
        if _could_be_transaction(node[::-1] + beside[::-1]):
            msg = "a pair of hashes in the Merkle proof reads as a bitcoin transaction"
            raise InvalidInput(msg)
        node = _double_sha256(node + beside)
    return node


def _could_be_transaction(pair: bytes) -> bool:
    """Whether 64 bytes read as a transaction of one input and one output, as the node judges."""
    script = pair[41]
    spent = int.from_bytes(pair[37:41], "little")
    if pair[4] != 1 or script > 4 or (spent > 10**6 and spent != 2**32 - 1):
        return False
    value = int.from_bytes(pair[47 + script : 55 + script], "little")
    only_output = pair[46 + script] == 1 and 1 <= value <= 21 * 10**14
    return only_output and script + pair[55 + script] == 4


# Reading what an outside miner submits


def from_bitcoin_block(raw: bytes) -> Submission:
    """Read a whole bitcoin block; its proof is not verified yet.

    Raises `InvalidInput` for bytes that are no bitcoin block or carry no tag.
    """
    reader = _Reader(raw, "bitcoin block")
    header = reader.take(HEADER_SIZE, "header")
    transactions = [_transaction(reader) for _ in range(reader.number("transactions"))]
    reader.finish()
    if not transactions:
        msg = "the bitcoin block has no transactions: want at least the coinbase"
        raise InvalidInput(msg)
    hashes = [_double_sha256(each) for each in transactions]
    return _submission(header, transactions[0], _branch(hashes))


def from_transaction_hashes(header: bytes, coinbase: bytes, hashes: Sequence[bytes]) -> Submission:
    """Take a header, a coinbase and the hashes of all transactions, the coinbase's first.

    The hashes are in the byte order bitcoin displays. Raises as `from_bitcoin_block` does.
    """
    _check_hashes(hashes)
    branch = _branch([each[::-1] for each in hashes])
    return _submission(header, _only_transaction(coinbase), branch)


def from_merkle_hashes(header: bytes, coinbase: bytes, hashes: Sequence[bytes]) -> Submission:
    """Take a header, a coinbase, its hash and the hashes beside its way up to the Merkle root.

    The hashes are in the byte order they are hashed in. Raises as `from_bitcoin_block` does.
    """
    _check_hashes(hashes)
    return _submission(header, _only_transaction(coinbase), hashes[1:])


def _check_hashes(hashes: Sequence[bytes]) -> None:
    if not hashes:
        msg = "the list of hashes is empty: it begins with the coinbase's own"
        raise InvalidInput(msg)
    for each in hashes:
        if len(each) != HASH_SIZE:
            msg = f"a hash has {HASH_SIZE} bytes, 0x{each[:HASH_SIZE].hex()} has {len(each)}"
            raise InvalidInput(msg)


def _submission(header: bytes, coinbase: bytes, branch: Iterable[bytes]) -> Submission:
    _check_header_size(header)
    proof = b"".join(each[::-1] for each in branch)
    return _tagged_hash(coinbase), MergedMining(header, _compress(coinbase), proof)


def _tagged_hash(coinbase: bytes) -> bytes:
    """The 32 bytes behind the last tag."""
    if len(coinbase) > MAX_COINBASE_SIZE:
        msg = f"the coinbase has {len(coinbase)} bytes, more than {MAX_COINBASE_SIZE}"
        raise InvalidInput(msg)
    position = coinbase.rfind(TAG)
    if position < 0:
        msg = f"the coinbase does not carry the tag {TAG.decode()}"
        raise InvalidInput(msg)
    tagged = coinbase[position + len(TAG) :][:HASH_SIZE]
    if len(tagged) < HASH_SIZE:
        msg = f"{len(tagged)} bytes follow the tag {TAG.decode()}: want a hash of {HASH_SIZE}"
        raise InvalidInput(msg)
    return tagged


def _branch(hashes: Sequence[bytes]) -> list[bytes]:
    """The hashes beside the way from the first leaf of a Merkle tree to its root."""
    level, beside = list(hashes), []
    while len(level) > 1:
        if len(level) % 2:
            level.append(level[-1])
        beside.append(level[1])
        pairs = zip(level[::2], level[1::2], strict=True)
        level = [_double_sha256(left + right) for left, right in pairs]
    return beside


class _Reader:
    """Takes bytes from the front of hostile input."""

    def __init__(self, raw: bytes, name: str) -> None:
        self.raw = raw
        self.position = 0
        self._name = name

    def take(self, size: int, what: str) -> bytes:
        """The next bytes."""
        start, end = self.position, self.position + size
        if end > len(self.raw):
            msg = f"the {self._name} ends within its {what}, at byte {len(self.raw)}"
            raise InvalidInput(msg)
        self.position = end
        return self.raw[start:end]

    def number(self, what: str) -> int:
        """A count in bitcoin's variable length, which has to be the shortest."""
        first = self.take(1, what)[0]
        if first < 0xFD:
            return first
        size = 2 ** (first - 0xFC)
        value = int.from_bytes(self.take(size, what), "little")
        if value < (0xFD if size == 2 else 2 ** (size * 4)):
            msg = f"the number of {what} in the {self._name} is written longer than it need be"
            raise InvalidInput(msg)
        return value

    def script(self, what: str) -> None:
        """Skip bytes that their length precedes."""
        self.take(self.number(what), what)

    def finish(self) -> None:
        """Make sure that nothing is left."""
        if left := len(self.raw) - self.position:
            msg = f"{left} bytes follow the end of the {self._name}"
            raise InvalidInput(msg)


def _only_transaction(raw: bytes) -> bytes:
    reader = _Reader(raw, "coinbase")
    found = _transaction(reader)
    reader.finish()
    return found


def _transaction(reader: _Reader) -> bytes:
    """The next transaction without its witness: the bytes whose hash is its id."""
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
    """Skip them; how many inputs there were."""
    inputs = reader.number("inputs")
    if not inputs:
        msg = "a bitcoin transaction has no inputs"
        raise InvalidInput(msg)
    for _ in range(inputs):
        reader.take(HASH_SIZE + 4, "inputs")
        reader.script("input script")
        reader.take(4, "inputs")
    for _ in range(reader.number("outputs")):
        reader.take(8, "outputs")
        reader.script("output script")
    return inputs


# Hashing: hashlib where it serves; a state in the midst of SHA-256 it neither gives nor takes.

_START = (
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

_State = tuple[int, ...]


def _double_sha256(content: bytes) -> bytes:
    return sha256(sha256(content).digest()).digest()


def _work(header: bytes) -> int:
    return int.from_bytes(_double_sha256(header), "little")


def _compress(coinbase: bytes) -> bytes:
    """Put the SHA-256 state in the place of the chunks before the one where the tag begins."""
    size = coinbase.rfind(TAG) // CHUNK * CHUNK
    state = _absorb(_START, coinbase[:size])
    return size.to_bytes(8, "big") + struct.pack(">8L", *state) + coinbase[size:]


def _compressed_hash(compressed: bytes) -> bytes:
    """The id of the transaction that was compressed."""
    skipped = int.from_bytes(compressed[:8], "big")
    state = struct.unpack(">8L", compressed[8:MIDSTATE_SIZE])
    tail = compressed[MIDSTATE_SIZE:]
    bits = 8 * (skipped + len(tail)) % 2**64
    padding = b"\x80" + bytes(-(len(tail) + 9) % CHUNK) + bits.to_bytes(8, "big")
    return sha256(struct.pack(">8L", *_absorb(state, tail + padding))).digest()


def _absorb(state: _State, chunks: bytes) -> _State:
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
        # A word beside itself turns a rotation into a shift; what is above 32 bits falls off.
        twice_old, twice_new = old << 32 | old, new << 32 | new
        first = twice_old >> 7 ^ twice_old >> 18 ^ old >> 3
        second = twice_new >> 17 ^ twice_new >> 19 ^ new >> 10
        words.append((words[position - 16] + first + words[position - 7] + second) & _WORD)
    return words


def _rounds(state: _State, words: list[int]) -> _State:
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
