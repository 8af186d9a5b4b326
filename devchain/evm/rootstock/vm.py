"""Rootstock's rules as a py-evm virtual machine: its blocks, its legacy transactions, its fees.

The opcodes and their gas are still Cancun's; Rootstock's own table takes their place in
`RootstockState.computation_class`.
"""

from __future__ import annotations

from typing import Any

from eth.abc import BlockHeaderAPI, SignedTransactionAPI, TransactionFieldsAPI
from eth.vm import opcode_values
from eth.vm.forks.byzantium.blocks import ByzantiumBlock
from eth.vm.forks.cancun import CancunVM
from eth.vm.forks.cancun.computation import CancunComputation
from eth.vm.forks.cancun.state import CancunState
from eth.vm.forks.homestead.validation import validate_homestead_transaction
from eth.vm.forks.istanbul.transactions import IstanbulTransaction
from rlp.sedes import CountableList

from devchain.evm.rootstock.header import RootstockHeader


class RootstockBlock(ByzantiumBlock):
    """A block of legacy transactions under a Rootstock header."""

    transaction_builder: Any = IstanbulTransaction
    fields: Any = (
        ("header", RootstockHeader),
        ("transactions", CountableList(IstanbulTransaction)),
        ("uncles", CountableList(RootstockHeader)),
    )


# py-evm's warns each time it runs, which would stop a caller who makes warnings errors.
_WARNING: Any = CancunComputation.opcodes[opcode_values.SELFDESTRUCT]
_OPCODES = {**CancunComputation.opcodes, opcode_values.SELFDESTRUCT: _WARNING.__wrapped__}


class RootstockComputation(CancunComputation):
    """Executes messages, SELFDESTRUCT without a warning that it is deprecated."""

    opcodes = _OPCODES


class RootstockState(CancunState):
    """State transitions without base fee burning: the whole gas price is the miner's."""

    computation_class: Any = RootstockComputation

    def set_system_contracts(self) -> None:
        """Rootstock has none of Ethereum's system contracts."""

    def get_tip(self, transaction: SignedTransactionAPI) -> int:
        """What the miner earns per gas, in wei."""
        return transaction.gas_price

    def get_gas_price(self, transaction: SignedTransactionAPI) -> int:
        """What the sender pays per gas, in wei."""
        return transaction.gas_price

    def get_transaction_context(self, transaction: SignedTransactionAPI) -> Any:
        """What GASPRICE and ORIGIN return."""
        return self.get_transaction_context_class()(
            gas_price=transaction.gas_price, origin=transaction.sender
        )

    def validate_transaction(self, transaction: SignedTransactionAPI) -> None:
        """Nonce, balance and signature; the minimum gas price is the mempool's to check."""
        validate_homestead_transaction(self, transaction)


class RootstockVM(CancunVM):
    """Rootstock's newest upgrade, Vetiver."""

    fork = "vetiver"
    block_class: Any = RootstockBlock
    _state_class: Any = RootstockState

    def increment_blob_gas_used(
        self, old_header: BlockHeaderAPI, transaction: TransactionFieldsAPI
    ) -> BlockHeaderAPI:
        """There are no blobs."""
        del transaction
        return old_header

    def block_preprocessing(self, block: Any) -> None:
        """No system call precedes a block's transactions."""
