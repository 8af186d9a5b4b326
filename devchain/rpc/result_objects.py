"""JSON objects of results: blocks, transactions, receipts, logs, proofs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NewType

from devchain.chain.block import Block, MinedLog, Receipt, mined_logs
from devchain.chain.remasc import ClosingTransaction
from devchain.chain.transaction import DYNAMIC_FEE_TYPES, Transaction
from devchain.evm.headers import header_fields
from devchain.evm.rootstock.vm import LARGEST_TYPE, RootstockTransaction, RootstockTypedTransaction
from devchain.rpc.json_codec import Number
from devchain.state.state_view import AccountProof
from devchain.types import ZERO_HASH

JsonObject = dict[str, Any]

BlockObject = NewType("BlockObject", JsonObject)
TransactionObject = NewType("TransactionObject", JsonObject)
ReceiptObject = NewType("ReceiptObject", JsonObject)
LogObject = NewType("LogObject", JsonObject)
ProofObject = NewType("ProofObject", JsonObject)
"""Type hints of results, each with a label and a schema in `wire_types`."""


BLOOM_LENGTH = 256
OF_ROOTSTOCK = (RootstockTransaction, RootstockTypedTransaction, ClosingTransaction)
SET_CODE_TYPE = 4


def block_object(block: Block, *, full: bool) -> BlockObject:
    """A block with the hashes of its transactions, or with transaction objects if `full`.

    In the pending block `hash`, `nonce` and `logsBloom` are null; `number` too on Rootstock, but
    not on Ethereum, as in geth.
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
            "logsBloom": block.bloom.to_bytes(BLOOM_LENGTH, "big") if sealed else None,
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
            "transactions": [
                transaction_object(tx, block, index) if full else tx.hash
                for index, tx in enumerate(block.transactions)
            ],
            "uncles": [],
            **_own_members(block),
        }
    )


def _own_members(block: Block) -> JsonObject:
    if block.answered is not None:
        edges = block.answered.get("rskPteEdges")
        return (
            {**block.answered, "rskPteEdges": [Number(edge) for edge in edges]}
            if edges
            else {**block.answered}
        )
    return _rootstock_members(block) if block.has_merged_mining else _ethereum_members(block)


def _rootstock_members(block: Block) -> JsonObject:
    # Those of merged mining are empty if no bitcoin block commits to the block. `rskPteEdges` says
    # that no transactions were executed in parallel, and is null in the genesis block. `baseEvent`,
    # which the Union Bridge sets on other nodes, is null.
    header, merged = block.header, block.merged_mining
    return {
        "minimumGasPrice": header.minimum_gas_price,
        "bitcoinMergedMiningHeader": header.bitcoin_merged_mining_header,
        "bitcoinMergedMiningCoinbaseTransaction": merged.coinbase if merged else b"",
        "bitcoinMergedMiningMerkleProof": merged.merkle_proof if merged else b"",
        "hashForMergedMining": header.hash_for_merged_mining,
        "paidFees": header.paid_fees,
        "cumulativeDifficulty": header.difficulty,
        "rskPteEdges": [] if block.number else None,
        "baseEvent": None,
        **({"baseFeePerGas": 0} if header.shows_base_fee else {}),
    }


ETHEREUM_MEMBERS = {
    "baseFeePerGas": "base_fee_per_gas",
    "withdrawalsRoot": "withdrawals_root",
    "blobGasUsed": "blob_gas_used",
    "excessBlobGas": "excess_blob_gas",
    "parentBeaconBlockRoot": "parent_beacon_block_root",
    "requestsHash": "requests_hash",
}
"""Members of Ethereum blocks: header field, which depends on the hardfork."""


def _ethereum_members(block: Block) -> JsonObject:
    fields = header_fields(block.header)
    members: JsonObject = {
        name: getattr(block.header, field)
        for name, field in ETHEREUM_MEMBERS.items()
        if field in fields
    }
    return {**members, "withdrawals": []} if "withdrawals_root" in fields else members


def transaction_object(
    tx: Transaction, block: Block | None = None, index: int | None = None
) -> TransactionObject:
    """A transaction; block hash, block number and index are null while it is pending."""
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
            "gasPrice": _gas_price(tx, block, index),
            "value": tx.value,
            "input": tx.data,
            "v": tx.v,
            "r": tx.r,
            "s": tx.s,
            "type": _type_of(tx),
            **(_ethereum_members_of(tx, block) if tx.answered is None else tx.answered),
        }
    )


def _type_of(tx: Transaction) -> int | bytes:
    return tx.type if tx.type <= LARGEST_TYPE else tx.type.to_bytes(2)  # one of Rootstock's own


def _gas_price(tx: Transaction, block: Block | None, index: int | None) -> int:
    # A transaction before a fork has its own beside it: reading its receipt would be a request.
    if block is None or index is None or tx.answered is not None:
        return tx.gas_price
    return block.receipts[index].gas_price


def _ethereum_members_of(tx: Transaction, block: Block | None) -> JsonObject:
    signed = tx.signed
    members: JsonObject = {}
    if not isinstance(signed, OF_ROOTSTOCK):
        members["blockTimestamp"] = block.timestamp if block and block.sealed else None
    if not tx.type or isinstance(signed, RootstockTransaction):
        return members
    members |= {
        "chainId": signed.chain_id,
        "yParity": tx.v,
        "accessList": access_list_object(signed.access_list),
    }
    if tx.type in DYNAMIC_FEE_TYPES:
        members["maxFeePerGas"] = signed.max_fee_per_gas
        members["maxPriorityFeePerGas"] = tx.priority_fee
    if tx.type == SET_CODE_TYPE:
        members["authorizationList"] = [
            {
                "chainId": authorization.chain_id,
                "address": authorization.address,
                "nonce": authorization.nonce,
                "yParity": authorization.y_parity,
                "r": authorization.r,
                "s": authorization.s,
            }
            for authorization in signed.authorization_list
        ]
    return members


def access_list_object(access_list: Iterable[tuple[bytes, Iterable[int]]]) -> list[JsonObject]:
    return [
        {"address": address, "storageKeys": [slot.to_bytes(32, "big") for slot in slots]}
        for address, slots in access_list
    ]


def pool_transaction_object(tx: Transaction) -> TransactionObject:
    """A transaction in the shape of `txpool_content`: its block hash is zero instead of null."""
    return TransactionObject({**transaction_object(tx), "blockHash": ZERO_HASH})


def receipt_object(block: Block, receipt: Receipt) -> ReceiptObject:
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
            "logs": [log_object(log) for log in mined_logs(block, receipt)],
            "from": tx.sender,
            "to": tx.to,
            **({"root": receipt.root} if receipt.root else {"status": int(receipt.succeeded)}),
            "logsBloom": receipt.bloom.to_bytes(BLOOM_LENGTH, "big"),
            "type": _type_of(tx),
            "effectiveGasPrice": receipt.gas_price,
            **(receipt.answered or {}),
        }
    )


def log_object(mined: MinedLog) -> LogObject:
    """A log; `removed` if a revert removed its block. It has no position in a pending block."""
    block, sealed = mined.block, mined.block.sealed
    timestamp = block.log_timestamp
    return LogObject(
        {
            "removed": mined.removed,
            "logIndex": mined.index if sealed else None,
            "transactionIndex": mined.transaction_index if sealed else None,
            "transactionHash": mined.transaction_hash if sealed else None,
            "blockHash": block.hash if sealed else None,
            "blockNumber": block.number if sealed else None,
            **({} if timestamp is None else {"blockTimestamp": timestamp if sealed else None}),
            "address": mined.log.address,
            "data": mined.log.data,
            "topics": list(mined.log.topics),
        }
    )


def proof_object(proof: AccountProof, keys: Sequence[str | None]) -> ProofObject:
    """An account and storage slots of it, with their Merkle proofs (EIP-1186).

    `keys` are the texts to show for the slots, None for a QUANTITY.
    """
    return ProofObject(
        {
            "address": proof.address,
            "balance": proof.balance,
            "codeHash": proof.code_hash,
            "nonce": proof.nonce,
            "storageHash": proof.storage_root,
            "accountProof": list(proof.nodes),
            "storageProof": [
                {
                    "key": slot.slot if key is None else key,
                    "value": slot.value,
                    "proof": list(slot.nodes),
                }
                for slot, key in zip(proof.slots, keys, strict=True)
            ],
        }
    )
