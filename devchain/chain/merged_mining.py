"""Merged mining: bitcoin blocks that commit to Rootstock blocks, mined, verified and read."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import count

from devchain.chain.bitcoin import (
    CHUNK,
    HASH_SIZE,
    START,
    absorb,
    check_header_size,
    double_sha256,
    read_block,
    read_coinbase,
    resume,
)
from devchain.errors import InvalidInput

TAG = b"RSKBLOCK:"
MIDSTATE_SIZE = 40
"""A compressed coinbase starts with a count of bytes (8) and the SHA-256 state after them (32)."""
MAX_AFTER_HASH = 128
MAX_PROOF_SIZE = 30 * HASH_SIZE
MAX_COINBASE_SIZE = 100_000
"""Far above what bitcoin miners use; it bounds the hashing that a submission can cause."""
MAX_SEAL_DIFFICULTY = 2**24
"""With a higher one the search for a nonce would take minutes."""

_LEAST_DIFFICULTY = 3  # keeps the top bit of the target clear


@dataclass(frozen=True, slots=True)
class MergedMining:
    """The proof of work of a Rootstock block, its three parts as the block carries them.

    `header` is bitcoin's, 80 bytes. `coinbase` is compressed: the bytes before the 64-byte chunk in
    which the tag begins are replaced by their SHA-256 state. `merkle_proof` has the sibling hashes
    from the coinbase up to the Merkle root (RSKIP92), in the byte order bitcoin displays.
    """

    header: bytes
    coinbase: bytes
    merkle_proof: bytes


Submission = tuple[bytes, MergedMining]
"""The `hashForMergedMining` that a bitcoin block commits to, and its proof."""


@lru_cache(64)
def target(difficulty: int) -> int:
    """The largest number that the bitcoin header's hash may be."""
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
_LAST_SMALL_NUMBER = 16


def seal(
    hash_for_merged_mining: bytes, *, number: int, timestamp: int, difficulty: int = 1
) -> MergedMining:
    """Mine a bitcoin block that commits to that hash; deterministic.

    Raises `InvalidInput` for a difficulty that would take minutes.
    """
    header = mine_header(hash_for_merged_mining, number, timestamp, difficulty)
    return own_proof(header, hash_for_merged_mining, number)


def own_proof(header: bytes, hash_for_merged_mining: bytes, number: int) -> MergedMining:
    """The proof of a header that `mine_header` made for that hash and number."""
    return MergedMining(header, _compress(_own_coinbase(hash_for_merged_mining, number)), b"")


def mine_header(
    hash_for_merged_mining: bytes, number: int, timestamp: int, difficulty: int
) -> bytes:
    """The header of the bitcoin block that `seal` makes; raises as it does."""
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
        # `_work`, without a call for each try
        if int.from_bytes(sha256(sha256(header).digest()).digest(), "little") <= limit:
            break
    return header


def _own_coinbase(tagged: bytes, height: int) -> bytes:
    commitment = TAG + tagged
    script = _push_number(height) + bytes([len(commitment)]) + commitment
    return _COINBASE_HEAD + bytes([len(script)]) + script + _COINBASE_TAIL


def _push_number(number: int) -> bytes:
    if number <= _LAST_SMALL_NUMBER:
        return bytes([0x50 + number]) if number else b"\0"
    size = number.bit_length() // 8 + 1
    return bytes([size]) + number.to_bytes(size, "little")


# Checking


def verify(hash_for_merged_mining: bytes, difficulty: int, merged_mining: MergedMining) -> None:
    """Verify a block's proof of work as the Rootstock node does; raises `InvalidInput`."""
    _check_header(merged_mining.header, difficulty)
    _check_proof_size(merged_mining.merkle_proof)
    _check_coinbase(merged_mining.coinbase, hash_for_merged_mining)
    leaf = _compressed_hash(merged_mining.coinbase)
    if _root(leaf, merged_mining.merkle_proof) != merged_mining.header[36:68]:
        raise InvalidInput(
            "the Merkle proof does not lead from the coinbase to the bitcoin header's Merkle root"
        )


def _check_header(header: bytes, difficulty: int) -> None:
    check_header_size(header)
    if _work(header) > target(difficulty):
        raise InvalidInput(
            f"the bitcoin header's hash is above the target of difficulty {difficulty}"
        )


def _check_proof_size(proof: bytes) -> None:
    if len(proof) > MAX_PROOF_SIZE:
        raise InvalidInput(f"the Merkle proof has {len(proof)} bytes, more than {MAX_PROOF_SIZE}")
    if len(proof) % HASH_SIZE:
        raise InvalidInput(
            f"the Merkle proof has {len(proof)} bytes, which is no whole number of hashes"
        )


def _check_coinbase(compressed: bytes, tagged: bytes) -> None:
    if len(compressed) < MIDSTATE_SIZE:
        raise InvalidInput(
            f"a compressed coinbase has at least {MIDSTATE_SIZE} bytes, this {len(compressed)}"
        )
    tail = compressed[MIDSTATE_SIZE:]
    position = tail.rfind(TAG + tagged)
    if position < 0:
        raise InvalidInput(
            f"the coinbase does not carry {TAG.decode()} and the hash 0x{tagged.hex()}"
        )
    # Otherwise a proof would have two encodings: with that chunk in the state, or in the tail.
    if position >= CHUNK:
        raise InvalidInput(
            f"the tag is at byte {position} of the coinbase's tail: want it below {CHUNK}"
        )
    if tail.rfind(TAG) != position:
        raise InvalidInput(
            f"another {TAG.decode()} comes after the one that carries the block's hash"
        )
    _check_lengths(compressed, after=len(tail) - position - len(TAG) - HASH_SIZE)


def _check_lengths(compressed: bytes, after: int) -> None:
    if after > MAX_AFTER_HASH:
        raise InvalidInput(
            f"{after} bytes follow the block's hash in the coinbase: at most {MAX_AFTER_HASH} may"
        )
    skipped = int.from_bytes(compressed[:8], "big")
    # The node accepts any count, and with it a second encoding of the same proof.
    if skipped % CHUNK or skipped >= 2**32:
        raise InvalidInput(f"the coinbase's SHA-256 state cannot be that after {skipped} bytes")
    # 64 bytes could be two hashes inside the Merkle tree.
    if (length := skipped + len(compressed) - MIDSTATE_SIZE) <= CHUNK:
        raise InvalidInput(f"a coinbase has more than {CHUNK} bytes, this one {length}")


def _root(leaf: bytes, proof: bytes) -> bytes:
    node = leaf
    for start in range(0, len(proof), HASH_SIZE):
        sibling = proof[start : start + HASH_SIZE][::-1]
        if _could_be_transaction(node[::-1] + sibling[::-1]):
            raise InvalidInput(
                "a pair of hashes in the Merkle proof can be read as a bitcoin transaction"
            )
        node = double_sha256(node + sibling)
    return node


def _could_be_transaction(pair: bytes) -> bool:
    # Whether the node would take 64 bytes for a transaction with one input and one output.
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

    Raises `InvalidInput` for bytes that are not a bitcoin block, and without a tag.
    """
    header, transactions = read_block(raw)
    hashes = [double_sha256(transaction) for transaction in transactions]
    return _new_submission(header, transactions[0], _branch(hashes))


def from_transaction_hashes(header: bytes, coinbase: bytes, hashes: Sequence[bytes]) -> Submission:
    """Read a header, a coinbase and the hashes of all transactions, the coinbase's first.

    The hashes are in the byte order bitcoin displays. Raises as `from_bitcoin_block` does.
    """
    _check_hashes(hashes)
    branch = _branch([digest[::-1] for digest in hashes])
    return _new_submission(header, read_coinbase(coinbase), branch)


def from_merkle_hashes(header: bytes, coinbase: bytes, hashes: Sequence[bytes]) -> Submission:
    """Read a header, a coinbase, its hash and the sibling hashes up to the Merkle root.

    The hashes are in the byte order they are hashed in. Raises as `from_bitcoin_block` does.
    """
    _check_hashes(hashes)
    return _new_submission(header, read_coinbase(coinbase), hashes[1:])


def _check_hashes(hashes: Sequence[bytes]) -> None:
    if not hashes:
        raise InvalidInput("the list of hashes is empty: it begins with the coinbase's own")
    for each in hashes:
        if len(each) != HASH_SIZE:
            raise InvalidInput(
                f"a hash has {HASH_SIZE} bytes, 0x{each[:HASH_SIZE].hex()} has {len(each)}"
            )


def _new_submission(header: bytes, coinbase: bytes, branch: Iterable[bytes]) -> Submission:
    check_header_size(header)
    proof = b"".join(each[::-1] for each in branch)
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


def _work(header: bytes) -> int:
    return int.from_bytes(double_sha256(header), "little")


def _compress(coinbase: bytes) -> bytes:
    size = coinbase.rfind(TAG) // CHUNK * CHUNK
    state = absorb(START, coinbase[:size])
    return size.to_bytes(8, "big") + struct.pack(">8L", *state) + coinbase[size:]


def _compressed_hash(compressed: bytes) -> bytes:
    state = struct.unpack(">8L", compressed[8:MIDSTATE_SIZE])
    return resume(state, int.from_bytes(compressed[:8], "big"), compressed[MIDSTATE_SIZE:])
