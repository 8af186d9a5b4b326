"""`devchain.evm.rootstock.vm`"""

from __future__ import annotations

import pytest
from eth.vm.chain_context import ChainContext

from devchain.evm.rootstock.header import RootstockHeader
from devchain.evm.rootstock.upgrades import NEWEST, ROOTSTOCK_FORKS
from devchain.evm.rootstock.vm import ChainView, RootstockContext, RootstockVM, upgrade_vm


class TestUpgradeVm:
    def test_newest(self) -> None:
        """The newest upgrade has the plain class."""
        assert upgrade_vm(NEWEST) is RootstockVM

    @pytest.mark.parametrize("upgrade", ROOTSTOCK_FORKS)
    def test_name(self, upgrade: str) -> None:
        """Each class says which upgrade it is, and its blocks can be written."""
        vm_class = upgrade_vm(upgrade)
        block_class = vm_class.get_block_class()
        block = block_class(RootstockHeader(), (), ())

        assert vm_class.fork == upgrade
        assert vm_class.get_transaction_builder() is block_class.transaction_builder
        assert type(block) is block_class


class TestContext:
    def test_view(self) -> None:
        """With a view of the chain, precompiled contracts can reach earlier blocks."""
        view = ChainView(31, lambda _hash: None)
        context = RootstockVM.create_execution_context(RootstockHeader(), (), view)

        assert isinstance(context, RootstockContext)
        assert (context.view, context.chain_id) == (view, 31)

    def test_no_view(self) -> None:
        """Without one there is the block alone."""
        header = RootstockHeader(minimum_gas_price=5, difficulty=2)
        context = RootstockVM.create_execution_context(header, (), ChainContext(33))

        assert (context.chain_id, context.base_fee_per_gas, context.difficulty) == (33, 5, 2)
