"""A block as bytes, and back, with all that can be read of it: what a file keeps of a chain."""

from __future__ import annotations

from typing import Any

import rlp
from eth.exceptions import OutOfGas
from eth_hash.auto import keccak

from devchain.chain.block import Block, Log, Receipt
from devchain.chain.merged_mining import MergedMining
from devchain.chain.receipts import bloom_of, encode_log
from devchain.chain.remasc import closing_transaction
from devchain.chain.transaction import SignedTransaction, Transaction, from_signed, legacy_class
from devchain.contracts.revert_reasons import REVERTED
from devchain.errors import DevchainError, InvalidInput
from devchain.evm.failures import MESSAGES, Failure, FailureKind
from devchain.evm.rules import HeaderFields, Rules
from devchain.state.rlp import encode_bytes, encode_int, encode_list, wrap
from devchain.types import ZERO_ADDRESS, ZERO_HASH, Address, Hash32

CLOSING = b"closing"
"""Stands for the transaction with which REMASC ends a block: its number tells all of it."""
YES, NO = b"\x01", b""


def encode_block(block: Block) -> bytes:
    """All of a sealed block, except the state it left."""
    proof = block.proof
    parts = (proof.header, proof.coinbase, proof.merkle_proof) if proof else ()
    return wrap(
        encode_bytes(block.raw_header)
        + encode_bytes(getattr(block.header, "fork_data", b""))
        + encode_int(block.total_difficulty)
        + encode_list(parts)
        + wrap(b"".join([_transaction(tx, block.number) for tx in block.transactions]))
        + wrap(b"".join(map(_receipt, block.receipts)))
    )


def _transaction(tx: Transaction, number: int) -> bytes:
    if tx.sender == ZERO_ADDRESS and tx == closing_transaction(number):
        return encode_list((CLOSING, b""))
    return encode_list((tx.raw, tx.sender))


def _receipt(receipt: Receipt) -> bytes:
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


class BlockReader:
    """Reads blocks back under the rules of their chain."""

    def __init__(self, rules: Rules, chain_id: int) -> None:
        """Read blocks of that chain."""
        self._rules = rules
        self._chain_id = chain_id
        first = HeaderFields(timestamp=1, coinbase=ZERO_ADDRESS, gas_limit=1, minimum_gas_price=0)
        self._header_class = type(rules.genesis_header(first, ZERO_HASH))

    def read(self, encoded: bytes) -> Block:
        """The block; raises `InvalidInput` for bytes that are none of this chain's."""
        try:
            return self._block(rlp.decode(encoded))
        except (DevchainError, ValueError, TypeError, IndexError, rlp.RLPException) as error:
            msg = f"not a block of this chain: {str(error)[:200]}"
            raise InvalidInput(msg) from error

    def _block(self, items: Any) -> Block:
        raw, fork_data, total, proof, transactions, receipts = items
        header: Any = rlp.decode(raw, self._header_class)
        if fork_data:
            header.fork_data = fork_data
        sent = tuple(self._transaction(each, header.block_number) for each in transactions)
        return Block(
            header=header,
            hash=Hash32(keccak(raw)),
            total_difficulty=_number(total),
            transactions=sent,
            receipts=tuple(_receipts(sent, receipts)),
            proof=MergedMining(*proof) if proof else None,
        )

    def _transaction(self, item: Any, number: int) -> Transaction:
        raw, sender = item
        if raw == CLOSING:
            return closing_transaction(number)
        return self.transaction(raw, Address(sender))

    def transaction(self, raw: bytes, sender: Address) -> Transaction:
        """The transaction of those bytes, which that account is known to have sent."""
        signed: Any = (
            rlp.decode(raw, legacy_class(self._rules))
            if raw[0] >= 0xC0  # the first byte of a list
            else self._rules.vm_class.get_transaction_builder().decode(raw)
        )
        return from_signed(SignedTransaction(signed, raw, sender), self._chain_id, self._rules)


def _receipts(sent: tuple[Transaction, ...], items: Any) -> list[Receipt]:
    made: list[Receipt] = []
    log_count = 0
    for tx, item in zip(sent, items, strict=True):
        succeeded, gas, cumulative, logs, created, price, fee, failure, payload, root = item
        found = tuple(_log(each) for each in logs)
        receipt = Receipt(
            transaction=tx,
            index=len(made),
            succeeded=succeeded == YES,
            gas_used=_number(gas),
            cumulative_gas_used=_number(cumulative),
            logs=found,
            first_log_index=log_count,
            bloom=bloom_of(found),
            contract_address=Address(created) if created else None,
            gas_price=_number(price),
            fee=_number(fee),
            failure=_failure(failure, payload) if failure else None,
            root=Hash32(root) if root else None,
        )
        log_count += len(found)
        made.append(receipt)
    return made


def _failure(items: list[bytes], payload: bytes) -> Failure:
    """The failure of a receipt: message and kind.

    Blocks written by early versions have the message alone: there the kind is read from it.
    """
    message = items[0].decode()
    if len(items) > 1:
        return Failure(FailureKind(items[1].decode()), message, payload)
    if message.startswith(REVERTED):
        return Failure(FailureKind.REVERT, message, payload)
    is_out_of_gas = message == MESSAGES[OutOfGas]
    return Failure(FailureKind.OUT_OF_GAS if is_out_of_gas else FailureKind.OTHER, message, payload)


def _log(item: Any) -> Log:
    address, topics, data = item
    return Log(Address(address), tuple(Hash32(each) for each in topics), data)


def _number(item: bytes) -> int:
    return int.from_bytes(item, "big")
