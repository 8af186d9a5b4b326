"""Rootstock's rules as py-evm virtual machines, one for each upgrade."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eth.abc import BlockHeaderAPI, ChainContextAPI, ExecutionContextAPI, TransactionFieldsAPI
from eth.vm.chain_context import ChainContext
from eth.vm.execution_context import ExecutionContext
from eth.vm.forks.byzantium.blocks import ByzantiumBlock
from eth.vm.forks.cancun import CancunVM
from eth.vm.forks.frontier.constants import MAX_REFUND_QUOTIENT
from rlp.sedes import CountableList

from devchain.evm.rootstock.header import RootstockHeader
from devchain.evm.rootstock.state import RootstockState, state_class
from devchain.evm.rootstock.transactions import RootstockTransaction, transaction_class
from devchain.evm.rootstock.upgrades import NEWEST, rules_of
from devchain.types import Hash32


class ChainView(ChainContext):
    """The chain id, and the blocks of the chain by hash."""

    def __init__(self, chain_id: int, find_block: Callable[[Hash32], Any]) -> None:
        """`find_block` gives a block with its `header` and merged-mining data, or None."""
        super().__init__(chain_id)
        self.find_block = find_block


class RootstockContext(ExecutionContext):
    """An execution context from which precompiled contracts reach earlier blocks."""

    def __init__(self, view: ChainView, **values: Any) -> None:
        """Add a view of the chain to what py-evm's context holds."""
        super().__init__(chain_id=view.chain_id, **values)
        self.view = view


def _block_fields(transaction: Any) -> Any:
    return (
        ("header", RootstockHeader),
        ("transactions", CountableList(transaction)),
        ("uncles", CountableList(RootstockHeader)),
    )


class RootstockBlock(ByzantiumBlock):
    """A block of legacy transactions under a Rootstock header."""

    transaction_builder: Any = RootstockTransaction
    fields: Any = _block_fields(RootstockTransaction)


class RootstockVM(CancunVM):
    """The rules of the newest upgrade."""

    fork = NEWEST
    block_class: Any = RootstockBlock
    _state_class: Any = RootstockState

    @classmethod
    def create_execution_context(
        cls, header: BlockHeaderAPI, prev_hashes: Any, chain_context: ChainContextAPI
    ) -> ExecutionContextAPI:
        """What opcodes and precompiled contracts can learn of the block and its chain."""
        values: dict[str, Any] = {
            "coinbase": header.coinbase,
            "timestamp": header.timestamp,
            "block_number": header.block_number,
            "difficulty": header.difficulty,
            "mix_hash": header.mix_hash,
            "gas_limit": header.gas_limit,
            "prev_hashes": prev_hashes,
            "base_fee_per_gas": header.base_fee_per_gas,
        }
        if isinstance(chain_context, ChainView):
            return RootstockContext(chain_context, **values)
        return ExecutionContext(chain_id=chain_context.chain_id, **values)

    @classmethod
    def calculate_net_gas_refund(cls, consumed_gas: int, gross_refund: int) -> int:
        """Refunds are worth up to half of the gas consumed."""
        return min(gross_refund, consumed_gas // MAX_REFUND_QUOTIENT)

    def increment_blob_gas_used(
        self, old_header: BlockHeaderAPI, transaction: TransactionFieldsAPI
    ) -> BlockHeaderAPI:
        """There are no blobs."""
        del transaction
        return old_header

    def block_preprocessing(self, block: Any) -> None:
        """No system call precedes a block's transactions."""


def upgrade_vm(upgrade: str) -> type[RootstockVM]:
    """The virtual machine of that upgrade."""
    if upgrade == NEWEST:
        return RootstockVM
    transaction = transaction_class(rules_of(upgrade))
    block = type(
        "RootstockBlock",
        (RootstockBlock,),
        {"transaction_builder": transaction, "fields": _block_fields(transaction)},
    )
    vm: type[RootstockVM] = RootstockVM.configure(
        __name__=f"RootstockVM:{upgrade}",
        fork=upgrade,
        block_class=block,
        _state_class=state_class(upgrade),
    )
    return vm
