"""Blocks as bytes in RLP, with their receipts: how data dirs and dumps keep them.

block        header, fork data, total difficulty, merged mining proof, transactions, receipts
transaction  raw bytes, sender
receipt      status, gas used, cumulative gas used, logs, created contract, gas price, fee,
             failure (message, kind), revert payload, state root
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import rlp
from eth_hash.auto import keccak

from devchain.chain.block import Block, Log, Receipt
from devchain.chain.merged_mining import MergedMining
from devchain.chain.receipts import bloom_of, encode_log
from devchain.chain.remasc import closing_transaction, is_closing
from devchain.chain.transaction import SignedTransaction, Transaction, from_signed, legacy_class
from devchain.errors import DevchainError, InvalidInput
from devchain.evm.failures import Failure, FailureKind
from devchain.evm.rules import HeaderFields, Rules
from devchain.state.rlp import encode_bytes, encode_int, encode_list, wrap
from devchain.types import ZERO_ADDRESS, ZERO_HASH, Address, Hash32

CLOSING = b"closing"  # in place of REMASC's transaction, which follows from the number
YES, NO = b"\x01", b""


def encode_block(block: Block) -> bytes:
    proof = block.proof
    parts = (proof.header, proof.coinbase, proof.merkle_proof) if proof else ()
    transactions = [
        encode_list((CLOSING, b"") if is_closing(tx) else (tx.raw, tx.sender))
        for tx in block.transactions
    ]
    return wrap(
        encode_bytes(block.raw_header)
        + encode_bytes(getattr(block.header, "fork_data", b""))
        + encode_int(block.total_difficulty)
        + encode_list(parts)
        + wrap(b"".join(transactions))
        + wrap(b"".join(map(_encode_receipt, block.receipts)))
    )


def _encode_receipt(receipt: Receipt) -> bytes:
    failure = receipt.failure
    return wrap(
        encode_bytes(YES if receipt.succeeded else NO)
        + encode_int(receipt.gas_used)
        + encode_int(receipt.cumulative_gas_used)
        + wrap(b"".join(map(encode_log, receipt.logs)))
        + encode_bytes(receipt.contract_address or b"")
        + encode_int(receipt.gas_price)
        + encode_int(receipt.fee)
        + encode_list((failure.message.encode(), failure.kind.encode()) if failure else ())
        + encode_bytes(failure.payload if failure else b"")
        + encode_bytes(receipt.root or b"")
    )


class BlockDecoder:
    """Decodes blocks and transactions under the rules of their chain."""

    def __init__(self, rules: Rules, chain_id: int) -> None:
        self._rules = rules
        self._chain_id = chain_id
        first = HeaderFields(timestamp=1, coinbase=ZERO_ADDRESS, gas_limit=1, minimum_gas_price=0)
        self._header_class = type(rules.genesis_header(first, ZERO_HASH))

    def decode_block(self, encoded: bytes) -> Block:
        """The block; raises `InvalidInput` for bytes that are no block of this chain."""
        try:
            return self._block(rlp.decode(encoded))
        except (DevchainError, ValueError, TypeError, IndexError, rlp.RLPException) as error:
            raise InvalidInput(f"not a block of this chain: {str(error)[:200]}") from error

    def _block(self, items: Any) -> Block:
        raw, fork_data, total_difficulty, proof, transactions, receipts = items
        header: Any = rlp.decode(raw, self._header_class)
        if fork_data:
            header.fork_data = fork_data
        decoded = tuple(
            closing_transaction(header.block_number)
            if tx == CLOSING
            else self.decode_transaction(tx, Address(sender))
            for tx, sender in transactions
        )
        return Block(
            header=header,
            hash=Hash32(keccak(raw)),
            total_difficulty=_number(total_difficulty),
            transactions=decoded,
            receipts=tuple(_decode_receipts(decoded, receipts)),
            proof=MergedMining(*proof) if proof else None,
        )

    def decode_transaction(self, raw: bytes, sender: Address) -> Transaction:
        signed: Any = (
            rlp.decode(raw, legacy_class(self._rules.vm_class))
            if raw[0] >= 0xC0  # the first byte of a list
            else self._rules.vm_class.get_transaction_builder().decode(raw)
        )
        return from_signed(SignedTransaction(signed, raw, sender), self._chain_id, self._rules)


def _decode_receipts(transactions: tuple[Transaction, ...], items: Any) -> Iterator[Receipt]:
    log_count = 0
    for index, (tx, item) in enumerate(zip(transactions, items, strict=True)):
        succeeded, gas, cumulative, log_items, created, price, fee, failure, payload, root = item
        logs = tuple(
            Log(Address(address), tuple(map(Hash32, topics)), data)
            for address, topics, data in log_items
        )
        yield Receipt(
            transaction=tx,
            index=index,
            succeeded=succeeded == YES,
            gas_used=_number(gas),
            cumulative_gas_used=_number(cumulative),
            logs=logs,
            first_log_index=log_count,
            bloom=bloom_of(logs),
            contract_address=Address(created) if created else None,
            gas_price=_number(price),
            fee=_number(fee),
            failure=Failure(FailureKind(failure[1].decode()), failure[0].decode(), payload)
            if failure
            else None,
            root=Hash32(root) if root else None,
        )
        log_count += len(logs)


def _number(item: bytes) -> int:
    return int.from_bytes(item, "big")
