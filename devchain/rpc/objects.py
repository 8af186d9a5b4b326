"""The objects of the specification as they leave: blocks, transactions, receipts, logs."""

from __future__ import annotations

from typing import Any, NewType, Protocol

from devchain.chain.block import Block, MinedLog, Receipt
from devchain.chain.transaction import DYNAMIC_FEE_TYPES, Transaction
from devchain.evm.rules import header_fields
from devchain.state.proof import AccountProof
from devchain.types import ZERO_HASH

JsonObject = dict[str, Any]

BlockObject = NewType("BlockObject", JsonObject)
TransactionObject = NewType("TransactionObject", JsonObject)
ReceiptObject = NewType("ReceiptObject", JsonObject)
LogObject = NewType("LogObject", JsonObject)
ProofObject = NewType("ProofObject", JsonObject)
"""Objects by the names they have in the docs and in the OpenRPC document."""


class SetCodeAuthorization(Protocol):
    """One entry of a type 4 transaction's list (EIP-7702)."""

    chain_id: int
    address: bytes
    nonce: int
    y_parity: int
    r: int
    s: int


BLOOM_BYTES = 256
SET_CODE = 4


def block_object(block: Block, *, full: bool) -> BlockObject:
    """A block with its transactions' hashes, or with the transactions themselves if `full`.

    `number`, `hash`, `nonce` and `logsBloom` are null in a block nobody has mined; of Ethereum's
    such a block has its number, as geth shows it.
    """
    header, sealed = block.header, block.sealed
    return BlockObject(
        {
            "number": block.number if sealed or not block.has_merged_mining else None,
            "hash": block.hash if sealed else None,
            "parentHash": block.parent_hash,
            "mixHash": header.mix_hash,
            "nonce": header.nonce if sealed else None,
            "sha3Uncles": header.uncles_hash,
            "logsBloom": block.bloom.to_bytes(BLOOM_BYTES, "big") if sealed else None,
            "transactionsRoot": header.transaction_root,
            "stateRoot": header.state_root,
            "receiptsRoot": header.receipt_root,
            "miner": header.coinbase,
            "difficulty": header.difficulty,
            "totalDifficulty": block.total_difficulty,
            "extraData": header.extra_data,
            "size": block.size,
            "gasLimit": block.gas_limit,
            "gasUsed": block.gas_used,
            "timestamp": block.timestamp,
            "transactions": _transactions(block, full=full),
            "uncles": [],
            **(rootstock_fields(block) if block.has_merged_mining else ethereum_fields(block)),
        }
    )


def rootstock_fields(block: Block) -> JsonObject:
    """What a Rootstock block has beyond an Ethereum one.

    The merged-mining fields are empty in a block that no bitcoin block commits to.
    """
    header, mined = block.header, block.merged_mining
    return {
        "minimumGasPrice": header.minimum_gas_price,
        "bitcoinMergedMiningHeader": header.bitcoin_merged_mining_header,
        "bitcoinMergedMiningCoinbaseTransaction": mined.coinbase if mined else b"",
        "bitcoinMergedMiningMerkleProof": mined.merkle_proof if mined else b"",
        "hashForMergedMining": header.hash_for_merged_mining,
        "paidFees": header.paid_fees,
        "cumulativeDifficulty": header.difficulty,
    }


ETHEREUM_FIELDS = {
    "baseFeePerGas": "base_fee_per_gas",
    "withdrawalsRoot": "withdrawals_root",
    "blobGasUsed": "blob_gas_used",
    "excessBlobGas": "excess_blob_gas",
    "parentBeaconBlockRoot": "parent_beacon_block_root",
    "requestsHash": "requests_hash",
}
"""Members of Ethereum's block objects by the header field they show, where a header has it."""


def ethereum_fields(block: Block) -> JsonObject:
    """What an Ethereum block of its hardfork has beyond the common members."""
    fields = header_fields(block.header)
    shown: JsonObject = {
        name: getattr(block.header, field)
        for name, field in ETHEREUM_FIELDS.items()
        if field in fields
    }
    return {**shown, "withdrawals": []} if "withdrawals_root" in fields else shown


def _transactions(block: Block, *, full: bool) -> list[Any]:
    if not full:
        return [tx.hash for tx in block.transactions]
    return [transaction_object(tx, block, index) for index, tx in enumerate(block.transactions)]


def transaction_object(
    tx: Transaction, block: Block | None = None, index: int | None = None
) -> TransactionObject:
    """A transaction; its place is null while it is pending."""
    mined = block is not None and block.sealed
    return TransactionObject(
        {
            "hash": tx.hash,
            "nonce": tx.nonce,
            "blockHash": block.hash if block is not None and mined else None,
            "blockNumber": block.number if block is not None and mined else None,
            "transactionIndex": index if mined else None,
            "from": tx.sender,
            "to": tx.to,
            "gas": tx.gas,
            "gasPrice": _paid_price(tx, block, index),
            "value": tx.value,
            "input": tx.data,
            "v": tx.v,
            "r": tx.r,
            "s": tx.s,
            "type": tx.type,
            **typed_fields(tx),
        }
    )


def _paid_price(tx: Transaction, block: Block | None, index: int | None) -> int:
    """What a unit of gas cost, in wei; while it waits, what it may cost at most."""
    return block.receipts[index].gas_price if block and index is not None else tx.gas_price


def typed_fields(tx: Transaction) -> JsonObject:
    """What a typed transaction (EIP-2718) has beyond a legacy one."""
    if not tx.type:
        return {}
    signed = tx.signed
    shown: JsonObject = {
        "chainId": signed.chain_id,
        "yParity": tx.v,
        "accessList": [
            {"address": address, "storageKeys": [slot.to_bytes(32, "big") for slot in slots]}
            for address, slots in signed.access_list
        ],
    }
    if tx.type in DYNAMIC_FEE_TYPES:
        shown["maxFeePerGas"] = tx.gas_price
        shown["maxPriorityFeePerGas"] = tx.priority_fee
    if tx.type == SET_CODE:
        shown["authorizationList"] = [_authorization(each) for each in signed.authorization_list]
    return shown


def _authorization(signed: SetCodeAuthorization) -> JsonObject:
    return {
        "chainId": signed.chain_id,
        "address": signed.address,
        "nonce": signed.nonce,
        "yParity": signed.y_parity,
        "r": signed.r,
        "s": signed.s,
    }


def waiting_object(tx: Transaction) -> TransactionObject:
    """A transaction of the mempool as the pool methods show it: its block hash is zero."""
    return TransactionObject({**transaction_object(tx), "blockHash": ZERO_HASH})


def receipt_object(block: Block, receipt: Receipt) -> ReceiptObject:
    """A receipt with its logs."""
    tx = receipt.transaction
    return ReceiptObject(
        {
            "transactionHash": tx.hash,
            "transactionIndex": receipt.index,
            "blockHash": block.hash,
            "blockNumber": block.number,
            "cumulativeGasUsed": receipt.cumulative_gas_used,
            "gasUsed": receipt.gas_used,
            "contractAddress": receipt.contract_address,
            "logs": [
                log_object(MinedLog(log, block, receipt, receipt.first_log_index + position))
                for position, log in enumerate(receipt.logs)
            ],
            "from": tx.sender,
            "to": tx.to,
            **({"root": receipt.root} if receipt.root else {"status": int(receipt.succeeded)}),
            "logsBloom": receipt.bloom.to_bytes(BLOOM_BYTES, "big"),
            "type": tx.type,
            "effectiveGasPrice": receipt.gas_price,
        }
    )


def log_object(mined: MinedLog) -> LogObject:
    """A log; `removed` is true when a revert has taken its block back.

    Its place is null in a block nobody has mined.
    """
    block, sealed = mined.block, mined.block.sealed
    return LogObject(
        {
            "removed": mined.removed,
            "logIndex": mined.index if sealed else None,
            "transactionIndex": mined.receipt.index if sealed else None,
            "transactionHash": mined.receipt.transaction.hash if sealed else None,
            "blockHash": block.hash if sealed else None,
            "blockNumber": block.number if sealed else None,
            "address": mined.log.address,
            "data": mined.log.data,
            "topics": list(mined.log.topics),
        }
    )


def proof_object(proof: AccountProof) -> ProofObject:
    """An account with its proof and those of the slots asked for (EIP-1186)."""
    return ProofObject(
        {
            "address": proof.address,
            "balance": proof.balance,
            "codeHash": proof.code_hash,
            "nonce": proof.nonce,
            "storageHash": proof.storage_root,
            "accountProof": list(proof.nodes),
            "storageProof": [
                {"key": slot.slot, "value": slot.value, "proof": list(slot.nodes)}
                for slot in proof.slots
            ],
        }
    )
