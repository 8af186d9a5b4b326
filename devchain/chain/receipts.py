"""Receipts as the trie under `receiptsRoot` holds them, and proofs of them."""

from __future__ import annotations

import rlp
from trie.hexary import HexaryTrie

from devchain.chain.block import Block, Log, Receipt
from devchain.encoding import encode_bytes, encode_int, encode_list, wrap

BLOOM_BYTES = 256
SUCCEEDED, FAILED = b"\x01", b""


def encode(receipt: Receipt) -> bytes:
    """A receipt as consensus has it: RLP of status or state root, cumulative gas, bloom and logs.

    That of a typed transaction has the type's byte before it (EIP-2718).
    """
    body = wrap(
        encode_bytes(outcome(receipt))
        + encode_int(receipt.cumulative_gas_used)
        + encode_bytes(receipt.bloom.to_bytes(BLOOM_BYTES, "big"))
        + wrap(b"".join(map(encode_log, receipt.logs)))
    )
    kind = receipt.transaction.type
    return bytes([kind]) + body if kind else body


def outcome(receipt: Receipt) -> bytes:
    """What a receipt begins with: the state root, under old rules, or whether it succeeded."""
    return receipt.root or (SUCCEEDED if receipt.succeeded else FAILED)


def encode_log(log: Log) -> bytes:
    """A log as a receipt has it."""
    return wrap(encode_bytes(log.address) + encode_list(log.topics) + encode_bytes(log.data))


def prove(block: Block, index: int) -> tuple[bytes, ...]:
    """The trie nodes from the block's `receiptsRoot` down to one of its receipts, as RLP.

    A receipt is too long for its node to be part of another: every node is listed.
    """
    trie = HexaryTrie({})
    for each in block.receipts:
        trie[rlp.encode(each.index)] = encode(each)
    key = rlp.encode(index)
    proof = trie.get_proof(key)  # type: ignore[no-untyped-call]  # trie is partly untyped
    return tuple(bytes(rlp.encode(node)) for node in proof)
