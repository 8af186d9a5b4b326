"""`devchain.evm.rootstock.vm`"""

from __future__ import annotations

from typing import Any

import pytest
import rlp
from eth.vm.chain_context import ChainContext
from eth_account import Account
from eth_keys import keys
from eth_utils.exceptions import ValidationError

from devchain.evm.rootstock.header import RootstockHeader
from devchain.evm.rootstock.vm import (
    ChainView,
    RootstockTransaction,
    RootstockVM,
    upgrade_vm,
)
from devchain.networks import NEWEST
from devchain.networks import ROOTSTOCK as ROOTSTOCK_FORKS
from tests.accounts import ALICE, ALICE_KEY, BOB


class TestUpgradeVm:
    def test_newest(self) -> None:
        """The class of the newest upgrade is `RootstockVM` itself."""
        assert upgrade_vm(NEWEST) is RootstockVM

    @pytest.mark.parametrize("upgrade", ROOTSTOCK_FORKS)
    def test_name(self, upgrade: str) -> None:
        """`fork` is the name of the upgrade, and the class creates blocks of its own class."""
        vm_class = upgrade_vm(upgrade)
        block_class = vm_class.get_block_class()
        block = block_class(RootstockHeader(), (), ())

        assert vm_class.fork == upgrade
        assert vm_class.get_transaction_builder() is block_class.transaction_builder
        assert type(block) is block_class


class TestContext:
    def test_view(self) -> None:
        """With a view of the chain, precompiled contracts have access to earlier blocks."""
        view = ChainView(31, lambda _hash, _depth: None)
        context: Any = RootstockVM.create_execution_context(RootstockHeader(), (), view)

        assert (context.view, context.chain_id) == (view, 31)

    def test_no_view(self) -> None:
        """Without a view the context has the block only."""
        header = RootstockHeader(minimum_gas_price=5, difficulty=2)
        context = RootstockVM.create_execution_context(header, (), ChainContext(33))

        assert (context.chain_id, context.base_fee_per_gas, context.difficulty) == (33, 5, 2)


FIELDS = {"nonce": 0, "gas_price": 1, "gas": 30_000, "to": BOB, "value": 5, "data": b"\x01"}


def signed(chain_id: int | None) -> Any:
    """A transaction with those fields signed by Alice."""
    unsigned: Any = RootstockTransaction.create_unsigned_transaction(**FIELDS)
    by_py_evm = unsigned.as_signed_transaction(keys.PrivateKey(ALICE_KEY), chain_id)
    return RootstockTransaction.decode(by_py_evm.encode())


class TestSigning:
    @pytest.mark.parametrize("chain_id", [33, None])
    def test_sender(self, chain_id: int | None) -> None:
        """The sender is recovered with a chain id and without."""
        actual = signed(chain_id)

        assert (actual.sender, actual.chain_id) == (ALICE, chain_id)
        actual.validate()

    def test_as_eth_account(self) -> None:
        """The encoding equals that of eth-account."""
        wallet = Account.sign_transaction(
            {
                "nonce": 0,
                "gasPrice": 1,
                "gas": 30_000,
                "to": BOB,
                "value": 5,
                "data": b"\x01",
                "chainId": 33,
            },
            ALICE_KEY,
        )

        assert signed(33).encode() == bytes(wallet.raw_transaction)
        assert RootstockTransaction.decode(signed(33).encode()) == signed(33)


class TestIntrinsicGas:
    def test_of_an_upgrade(self) -> None:
        """Transactions have the calldata gas of their upgrade."""
        earlier = upgrade_vm("iris").get_transaction_builder()
        written = rlp.decode(signed(33).encode(), sedes=earlier)

        assert written.intrinsic_gas == 21_068
        assert signed(33).intrinsic_gas == 21_016

    def test_too_little(self) -> None:
        """A gas limit below the intrinsic gas is invalid."""
        low = signed(33).copy(gas=21_015)

        with pytest.raises(ValidationError, match="Insufficient gas"):
            low.validate()
