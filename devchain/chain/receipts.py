"""Receipts in their consensus encoding, and the trie roots and blooms of block headers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from eth.constants import BLANK_ROOT_HASH

from devchain.chain.block import Block, Log, Receipt
from devchain.evm.rootstock.header import RootstockHeader
from devchain.evm.rootstock.vm import LARGEST_TYPE
from devchain.state.keccak import keccak
from devchain.state.rlp import encode_bytes, encode_int, wrap
from devchain.state.trie import Trie
from devchain.types import Hash32

_FIRST_PATH = bytes.fromhex("822080")  # RLP of the path "80" (index 0) with a leaf's flag
_CACHED_BLOOMS = 4_096


def list_root(values: Sequence[bytes]) -> Hash32:
    """The root of the Merkle-Patricia trie that has those values under the RLP of their indices."""
    if not values:
        return Hash32(BLANK_ROOT_HASH)
    if len(values) == 1:  # a leaf
        return Hash32(keccak(wrap(_FIRST_PATH + encode_bytes(values[0]))))
    return list_trie(values).root_hash


def list_trie(values: Sequence[bytes]) -> Trie:
    return Trie().update((encode_int(index), value) for index, value in enumerate(values))


def bloom_of(logs: Iterable[Log]) -> int:
    bloom = 0
    for log in logs:
        bloom |= bloom_bits(log.address)
        for topic in log.topics:
            bloom |= bloom_bits(topic)
    return bloom


@lru_cache(_CACHED_BLOOMS)
def bloom_bits(value: bytes) -> int:
    """The three bits of a bloom that an address or a topic sets (yellow paper, 4.3.1)."""
    digest = keccak(value)
    first, second, third = (int.from_bytes(digest[at : at + 2], "big") for at in (0, 2, 4))
    return 1 << first % 2048 | 1 << second % 2048 | 1 << third % 2048


BLOOM_BYTES = 256
_BLOOM_HEAD = b"\xb9\x01\x00"
_NO_LOGS = _BLOOM_HEAD + bytes(BLOOM_BYTES) + wrap(b"")
_ADDRESS_HEAD, _HASH_HEAD = b"\x94", b"\xa0"
SUCCEEDED, FAILED = b"\x01", b""
NO_GAS = b"\0"  # 0 in the gas used of rskj's receipts: the RLP of one zero byte


def encode(receipt: Receipt, header: Any) -> bytes:
    """A receipt as the receipts trie of that header's block has it.

    It is typed as EIP-2718 has it. In legacy ones of Rootstock, and those of its own types, the gas
    used and the outcome follow.
    """
    first = encode_bytes(outcome(receipt))
    logs = _NO_LOGS
    if receipt.logs:
        bloom = _BLOOM_HEAD + receipt.bloom.to_bytes(BLOOM_BYTES)
        logs = bloom + wrap(b"".join(map(encode_log, receipt.logs)))
    fields = first + encode_int(receipt.cumulative_gas_used) + logs
    kind = receipt.transaction.type
    is_namespaced = kind > LARGEST_TYPE
    prefix = kind.to_bytes(1 + is_namespaced) if kind else b""
    if isinstance(header, RootstockHeader) and (is_namespaced or not kind):
        gas_used = encode_int(receipt.gas_used) if receipt.gas_used else NO_GAS
        return prefix + wrap(fields + gas_used + first)
    return prefix + wrap(fields)


def outcome(receipt: Receipt) -> bytes:
    """The first field of a receipt: the state root before Byzantium, the status since."""
    return receipt.root or (SUCCEEDED if receipt.succeeded else FAILED)


def encode_log(log: Log) -> bytes:
    topics = wrap(b"".join([_HASH_HEAD + topic for topic in log.topics]))
    return wrap(_ADDRESS_HEAD + log.address + topics + encode_bytes(log.data))


def has_own_roots(block: Block) -> bool:
    """Whether a block's header, which its hash covers, has the roots of its contents."""
    header = block.header
    receipts = [encode(receipt, header) for receipt in block.receipts]
    roots = list_root([tx.raw for tx in block.transactions]), list_root(receipts)
    return roots == (header.transaction_root, header.receipt_root)


def prove(block: Block, index: int) -> tuple[bytes, ...]:
    """The trie nodes from the block's `receiptsRoot` down to one of its receipts, as RLP."""
    receipts = [encode(receipt, block.header) for receipt in block.receipts]
    return list_trie(receipts).proof(encode_int(index))
