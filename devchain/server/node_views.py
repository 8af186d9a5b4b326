"""Views of a node's own blocks and transactions (`client.views`), for its log and the explorer."""

from __future__ import annotations

from dataclasses import replace

from devchain.chain.block import Block, Receipt
from devchain.client.views import BlockView, Notation, TransactionView
from devchain.evm.revert_reasons import reason_of_message
from devchain.node.core import NodeCore
from devchain.rpc.result_objects import transaction_object
from devchain.types import Address


def notation_of(node: NodeCore) -> Notation:
    config = node.config
    return Notation(config.effective_chain_id, config.checksum_addresses)


def block_view(block: Block, notation: Notation) -> BlockView:
    header = {
        "number": block.number,
        "hash": block.hash,
        "miner": Address(block.header.coinbase),
        "timestamp": block.timestamp,
        "gasUsed": block.gas_used,
        "gasLimit": block.gas_limit,
        "transactions": list(block.transactions),
    }
    return BlockView.of(header, notation)


def mined_view(
    block: Block, receipt: Receipt, notation: Notation, called: str, failure: str | None
) -> TransactionView:
    """A mined transaction without its logs; `failure` is why it failed, with names in it."""
    tx = transaction_object(receipt.transaction, block, receipt.index)
    mined = {  # what a view takes from a `rpc.result_objects.receipt_object`
        "status": int(receipt.succeeded),
        "contractAddress": receipt.contract_address,
        "blockHash": block.hash,
        "gasUsed": receipt.gas_used,
        "effectiveGasPrice": receipt.gas_price,
    }
    view = TransactionView.of(tx, mined, notation, called, block.timestamp)
    return view if failure is None else replace(view, reason=reason_of_message(failure))
