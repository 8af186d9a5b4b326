"""Merged mining: bitcoin blocks that commit to Rootstock blocks, mined, verified and read.

btclib parses what an outside miner submits; SHA-256, which resumes from an inner state, is below.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import count
from typing import TYPE_CHECKING

from devchain.errors import InvalidInput
from devchain.evm.rootstock.precompiles.bitcoin import could_be_transaction, double_sha256
from devchain.evm.rootstock.precompiles.bitcoin_script import push
from devchain.evm.rootstock.precompiles.native_contract import java_bytes

if TYPE_CHECKING:
    from btclib.block.block_header import BlockHeader

HEADER_SIZE = 80
HASH_SIZE = 32
CHUNK = 64

State = tuple[int, ...]  # the eight words of SHA-256's state between two chunks

START = (
    *(0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A),
    *(0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19),
)
TAG = b"RSKBLOCK:"
MIDSTATE_SIZE = 40  # a compressed coinbase starts with a count of bytes (8) and a state (32)
MAX_AFTER_HASH = 128
MAX_PROOF_SIZE = 30 * HASH_SIZE
MAX_COINBASE_SIZE = 100_000  # far above what miners use; it bounds hashing for a submission
MAX_SEAL_DIFFICULTY = 2**24  # with a higher one the search for a nonce would take minutes
_LEAST_DIFFICULTY = 3  # keeps the top bit of the target clear


@dataclass(frozen=True, slots=True)
class MergedMining:
    """The proof of work of a Rootstock block, its three parts as the block carries them.

    `header` is bitcoin's. `coinbase` is compressed: the bytes before the 64-byte chunk in which the
    tag begins are replaced by their SHA-256 state. `merkle_proof` has the sibling hashes from the
    coinbase up (RSKIP92), in the byte order bitcoin displays.
    """

    header: bytes
    coinbase: bytes
    merkle_proof: bytes


Submission = tuple[bytes, MergedMining]  # a block's `hashForMergedMining`, and its proof


@lru_cache(64)
def target(difficulty: int) -> int:
    return 2**256 // max(difficulty, _LEAST_DIFFICULTY)


# Sealing

_VERSION_AND_PARENT = bytes.fromhex("00000020") + bytes(HASH_SIZE)
_BITS = bytes.fromhex("ffff7f20")  # bitcoin's own target on its regtest: easier than ours
_NO_OUTPOINT = bytes(HASH_SIZE) + b"\xff" * 4
_COINBASE_HEAD = b"\x01\0\0\0" + b"\x01" + _NO_OUTPOINT  # version, one input
_FINAL = b"\xff" * 4
_SUBSIDY = 50 * 10**8
_OP_TRUE = b"\x51"  # a script that anyone can spend
_PAID = _SUBSIDY.to_bytes(8, "little") + bytes([len(_OP_TRUE)]) + _OP_TRUE
_COINBASE_TAIL = _FINAL + b"\x01" + _PAID + bytes(4)  # one output, no lock time


def own_proof(header: bytes, hash_for_merged_mining: bytes, number: int) -> MergedMining:
    return MergedMining(header, _compress(_own_coinbase(hash_for_merged_mining, number)), b"")


def mine_header(
    hash_for_merged_mining: bytes, number: int, timestamp: int, difficulty: int
) -> bytes:
    """Mine a bitcoin block that commits to that hash; its header. Raises `InvalidInput`."""
    if difficulty > MAX_SEAL_DIFFICULTY:
        raise InvalidInput(
            f"a difficulty of {difficulty} is more than this node can mine: use at most 2**24"
        )
    coinbase = _own_coinbase(hash_for_merged_mining, number)
    seconds = (timestamp % 2**32).to_bytes(4, "little")  # bitcoin's clock ends in 2106
    unfinished = _VERSION_AND_PARENT + double_sha256(coinbase) + seconds + _BITS
    limit = target(difficulty)
    for nonce in count():
        header = unfinished + nonce.to_bytes(4, "little")
        # `double_sha256`, without a call for each try
        if int.from_bytes(sha256(sha256(header).digest()).digest(), "little") <= limit:
            break
    return header


def _own_coinbase(tagged: bytes, height: int) -> bytes:
    pushed_height = push(java_bytes(height)[::-1]) if height else b"\0"  # as BIP34 has it
    script = pushed_height + push(TAG + tagged)
    return _COINBASE_HEAD + bytes([len(script)]) + script + _COINBASE_TAIL


# Checking


def verify(hash_for_merged_mining: bytes, difficulty: int, merged_mining: MergedMining) -> None:
    """Verify a block's proof of work as the Rootstock node does; raises `InvalidInput`."""
    header, proof = merged_mining.header, merged_mining.merkle_proof
    _check_header_size(header)
    if int.from_bytes(double_sha256(header), "little") > target(difficulty):
        raise InvalidInput(
            f"the bitcoin header's hash is above the target of difficulty {difficulty}"
        )
    if len(proof) > MAX_PROOF_SIZE:
        raise InvalidInput(f"the Merkle proof has {len(proof)} bytes, more than {MAX_PROOF_SIZE}")
    if len(proof) % HASH_SIZE:
        raise InvalidInput(
            f"the Merkle proof has {len(proof)} bytes, which is no whole number of hashes"
        )
    _check_coinbase(merged_mining.coinbase, TAG + hash_for_merged_mining)
    if _root(_compressed_hash(merged_mining.coinbase), proof) != header[36:68]:
        raise InvalidInput(
            "the Merkle proof does not lead from the coinbase to the bitcoin header's Merkle root"
        )


def _check_coinbase(compressed: bytes, commitment: bytes) -> None:
    if len(compressed) < MIDSTATE_SIZE:
        raise InvalidInput(
            f"a compressed coinbase has at least {MIDSTATE_SIZE} bytes, this {len(compressed)}"
        )
    skipped, tail = int.from_bytes(compressed[:8], "big"), compressed[MIDSTATE_SIZE:]
    position = tail.rfind(commitment)
    after = len(tail) - position - len(TAG) - HASH_SIZE
    tag = TAG.decode()
    if position < 0:
        hash_text = commitment.removeprefix(TAG).hex()
        raise InvalidInput(f"the coinbase does not carry {tag} and the hash 0x{hash_text}")
    # Otherwise a proof would have two encodings: with that chunk in the state, or in the tail.
    if position >= CHUNK:
        raise InvalidInput(
            f"the tag is at byte {position} of the coinbase's tail: want it below {CHUNK}"
        )
    if tail.rfind(TAG) != position:
        raise InvalidInput(f"another {tag} comes after the one that carries the block's hash")
    if after > MAX_AFTER_HASH:
        raise InvalidInput(
            f"{after} bytes follow the block's hash in the coinbase: at most {MAX_AFTER_HASH} may"
        )
    # The node accepts any count, and with it a second encoding of the same proof.
    if skipped % CHUNK or skipped >= 2**32:
        raise InvalidInput(f"the coinbase's SHA-256 state cannot be that after {skipped} bytes")
    # 64 bytes could be two hashes inside the Merkle tree.
    if (length := skipped + len(tail)) <= CHUNK:
        raise InvalidInput(f"a coinbase has more than {CHUNK} bytes, this one {length}")


def _root(leaf: bytes, proof: bytes) -> bytes:
    node = leaf
    for start in range(0, len(proof), HASH_SIZE):
        sibling = proof[start : start + HASH_SIZE][::-1]
        if could_be_transaction(node[::-1] + sibling[::-1]):
            raise InvalidInput(
                "a pair of hashes in the Merkle proof can be read as a bitcoin transaction"
            )
        node = double_sha256(node + sibling)
    return node


# Reading what an outside miner submits


def from_bitcoin_block(raw: bytes) -> Submission:
    """Read a whole bitcoin block, not verified yet; raises `InvalidInput`."""
    transactions = _transactions("block", raw)
    if not transactions:
        raise InvalidInput("the bitcoin block has no transactions: want at least the coinbase")
    hashes = [double_sha256(transaction) for transaction in transactions]
    return _new_submission(raw[:HEADER_SIZE], transactions[0], _branch(hashes))


def from_transaction_hashes(header: bytes, coinbase: bytes, hashes: Sequence[bytes]) -> Submission:
    """Read a header, a coinbase and the hashes of all transactions, the coinbase's first.

    The hashes are in the byte order bitcoin displays. Raises as `from_bitcoin_block` does.
    """
    _check_hashes(hashes)
    branch = _branch([digest[::-1] for digest in hashes])
    return _new_submission(header, _transactions("transaction", coinbase)[0], branch)


def from_merkle_hashes(header: bytes, coinbase: bytes, hashes: Sequence[bytes]) -> Submission:
    """Read a header, a coinbase, its hash and the sibling hashes up to the Merkle root.

    The hashes are in the byte order they are hashed in. Raises as `from_bitcoin_block` does.
    """
    _check_hashes(hashes)
    return _new_submission(header, _transactions("transaction", coinbase)[0], hashes[1:])


def read_header(raw: bytes) -> BlockHeader | None:
    """A header of Bitcoin, not verified; None for other bytes."""
    from btclib.block.block_header import BlockHeader  # noqa: PLC0415  # which few nodes need
    from btclib.exceptions import BTClibException  # noqa: PLC0415

    try:
        return BlockHeader.parse(raw, check_validity=False)
    except BTClibException:
        return None


def _transactions(kind: str, raw: bytes) -> list[bytes]:
    # The transactions of a serialized block, or a single one, each serialized without its witness.
    # Only the encoding is checked, not Bitcoin's consensus rules.
    from btclib.block.block import Block  # noqa: PLC0415  # which few nodes need
    from btclib.exceptions import BTClibException  # noqa: PLC0415
    from btclib.tx import Tx  # noqa: PLC0415

    try:
        if kind == "block":
            parsed = Block.parse(raw, check_validity=False).transactions
        else:
            parsed = [Tx.parse(raw, check_validity=False)]
    except (BTClibException, ValueError, OverflowError) as error:
        raise InvalidInput(f"not a bitcoin {kind}: {str(error)[:200]}") from None
    return [tx.serialize(include_witness=False, check_validity=False) for tx in parsed]


def _check_header_size(raw: bytes) -> None:
    if len(raw) != HEADER_SIZE:
        raise InvalidInput(f"a bitcoin header has {HEADER_SIZE} bytes, this one {len(raw)}")


def _check_hashes(hashes: Sequence[bytes]) -> None:
    if not hashes:
        raise InvalidInput("the list of hashes is empty: give at least the coinbase's")
    for digest in hashes:
        if len(digest) != HASH_SIZE:
            raise InvalidInput(
                f"a hash has {HASH_SIZE} bytes, 0x{digest[:HASH_SIZE].hex()} has {len(digest)}"
            )


def _new_submission(header: bytes, coinbase: bytes, branch: Iterable[bytes]) -> Submission:
    _check_header_size(header)
    proof = b"".join(digest[::-1] for digest in branch)
    return _tagged_hash(coinbase), MergedMining(header, _compress(coinbase), proof)


def _tagged_hash(coinbase: bytes) -> bytes:
    if len(coinbase) > MAX_COINBASE_SIZE:
        raise InvalidInput(f"the coinbase has {len(coinbase)} bytes, more than {MAX_COINBASE_SIZE}")
    position = coinbase.rfind(TAG)
    if position < 0:
        raise InvalidInput(f"the coinbase does not carry the tag {TAG.decode()}")
    tagged = coinbase[position + len(TAG) :][:HASH_SIZE]
    if len(tagged) < HASH_SIZE:
        raise InvalidInput(
            f"{len(tagged)} bytes follow the tag {TAG.decode()}: want a hash of {HASH_SIZE}"
        )
    return tagged


def _branch(hashes: Sequence[bytes]) -> list[bytes]:
    level, siblings = list(hashes), []
    while len(level) > 1:
        if len(level) % 2:
            level.append(level[-1])
        siblings.append(level[1])
        pairs = zip(level[::2], level[1::2], strict=True)
        level = [double_sha256(left + right) for left, right in pairs]
    return siblings


def _compress(coinbase: bytes) -> bytes:
    size = coinbase.rfind(TAG) // CHUNK * CHUNK
    state = absorb(START, coinbase[:size])
    return size.to_bytes(8, "big") + struct.pack(">8L", *state) + coinbase[size:]


def _compressed_hash(compressed: bytes) -> bytes:
    state = struct.unpack(">8L", compressed[8:MIDSTATE_SIZE])
    return resume(state, int.from_bytes(compressed[:8], "big"), compressed[MIDSTATE_SIZE:])


# SHA-256

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
