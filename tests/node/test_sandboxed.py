"""`devchain.node.sandboxed` and `devchain.chain.sandbox`"""

from __future__ import annotations

from typing import Any

import pytest

from devchain.chain.sandbox import Sandbox
from devchain.config import Config
from devchain.contracts.contract import Contract
from devchain.errors import ExecutionReverted, InvalidInput
from devchain.node import Node
from devchain.node.sandboxed import new_sandbox, sandbox
from devchain.types import TransactionRequest
from tests.bytecode import CREATOR, DESTROY, ENVIRONMENT
from tests.contracts.vault import VAULT

ALICE = b"\xa1" * 20


@pytest.fixture
def vault(node: Node) -> Contract:
    """A vault that opens after a day."""
    return node.deploy(VAULT, 86_400)


class TestSandboxedNode:
    def test_as_in_blocks(self, node: Node, vault: Contract) -> None:
        """Contracts, time, balances, events and errors are what they are in blocks."""

        def story() -> list[Any]:
            owner, alice = node.funded_accounts[:2]
            mined = vault.deposit(value=5, sender=alice)
            found: list[Any] = [mined.events[0].arguments, mined.gas_used, mined.block_number]
            found += [vault.deposits(alice), node.block_number, vault.contract.balance]
            with pytest.raises(ExecutionReverted) as raised:
                vault.withdraw(sender=alice)
            found += [str(raised.value), raised.value.custom_error, node.block_number]
            node.time_travel(86_400)
            node.mine(3)
            before, nonce = node.balance(owner), owner.nonce
            vault.withdraw(sender=owner)
            found += [node.balance(owner) - before, owner.nonce - nonce, owner.balance]
            found += [node.at().storage(vault, 0), node.at().code(vault), node.at().nonce(alice)]
            with node.snapshot():
                node.transact(to=ALICE, value=9)
                found.append(node.balance(ALICE))
            found.append(node.balance(ALICE))
            created = node.deploy(VAULT, 5)
            return [*found, created.opensAt() - node.timestamp]

        with sandbox(node):
            in_sandbox = story()
        assert (node.block_number, vault.contract.balance) == (1, 0)
        in_blocks = story()

        assert in_sandbox == in_blocks

    def test_accounts_without_keys(self, node: Node, vault: Contract) -> None:
        """Every account sends, and accounts are set as on the node."""
        with sandbox(node):
            node.set_balance(ALICE, 10)
            node.add_balance(ALICE, 5)
            with node.impersonate(ALICE):
                vault.deposit(value=15, sender=ALICE)
            assert (vault.deposits(ALICE), node.balance(ALICE)) == (15, 0)
            with pytest.raises(ExecutionReverted):
                vault.deposit(value=0, sender=ALICE)
            node.set_nonce(ALICE, 7)
            node.set_code(ALICE, b"\x00")
            node.set_storage(ALICE, 1, 2)
            state = node.at()
            assert (state.nonce(ALICE), state.code(ALICE), state.storage(ALICE, 1)) == (7, b"\0", 2)

        assert node.at().nonce(ALICE) == 0
        assert type(node) is Node

    @pytest.mark.parametrize("name", ["copy", "reset", "dump", "estimate", "send"])
    def test_what_needs_blocks(self, node: Node, name: str) -> None:
        """It is refused by name."""
        with sandbox(node), pytest.raises(InvalidInput, match="needs blocks"):
            getattr(node, name)()

    def test_wrong_times(self, node: Node) -> None:
        """Time goes ahead alone."""
        with sandbox(node):
            node.time_travel(to=node.timestamp + 9)
            for wrong in ({}, {"seconds": 0}, {"seconds": 1, "to": 2}, {"to": 5}):
                with pytest.raises(InvalidInput):
                    node.time_travel(**wrong)

    def test_earlier_blocks(self, node: Node, vault: Contract) -> None:
        """Calls on blocks of the chain see these."""
        with sandbox(node):
            vault.deposit(value=5)
            assert vault.at(1).deposits(node.funded_accounts[0]) == 0
            assert node.balance(vault, 1) == 0
            assert node.at(1).balance(vault) == 0

    def test_one_at_a_time(self, node: Node) -> None:
        """A sandbox has none of its own."""
        with sandbox(node), pytest.raises(InvalidInput, match="in a sandbox"), sandbox(node):
            pass

    def test_reference_engine(self) -> None:
        """The reference engine has none."""
        with (
            Node(Config(engine="reference")) as node,
            pytest.raises(InvalidInput, match="fast engine"),
            sandbox(node),
        ):
            pass


class TestSandbox:
    def test_many_checkpoints(self, node: Node, vault: Contract) -> None:
        """Checkpoints are restored across transactions, again and again, with their time."""
        opened = new_sandbox(node)
        sender = bytes(node.funded_accounts[1].canonical)
        request = TransactionRequest(
            sender, bytes(vault.address), value=1, data=vault.deposit.encode()
        )
        outer, number = opened.checkpoint(), opened.number
        opened.transact(request)
        inner = opened.checkpoint()
        for _ in range(3):
            opened.transact(request)
            opened.transact(request)
            assert opened.accounts.get_balance(bytes(vault.address)) == 3
            inner = opened.restore(inner)
            assert opened.accounts.get_balance(bytes(vault.address)) == 1
        opened.restore(outer)

        assert opened.accounts.get_balance(bytes(vault.address)) == 0
        assert opened.number == number
        assert opened.accounts.get_storage(bytes(vault.address), 0) == 0

    def test_unaffordable(self, node: Node) -> None:
        """A transaction that no block could have changes nothing."""
        opened = new_sandbox(node)
        number = opened.number

        outcome = opened.transact(TransactionRequest(ALICE, ALICE, value=1))
        assert (outcome.is_valid, outcome.logs, outcome.created) == (False, (), None)
        assert opened.number == number

    @pytest.mark.filterwarnings("ignore:SELFDESTRUCT:DeprecationWarning")  # py-evm's
    @pytest.mark.parametrize("hardfork", ["vetiver", "london", "prague"])
    @pytest.mark.parametrize(
        "code", [CREATOR, DESTROY, ENVIRONMENT], ids=["create", "destroy", "env"]
    )
    def test_as_mined(self, hardfork: str, code: bytes) -> None:
        """Creation, destruction and the environment are those of a block, under all rules."""
        with Node(Config(hardfork=hardfork, fixed_clock=1_800_000_000)) as node:
            node.set_code(ALICE, code)
            node.set_balance(ALICE, 10)
            sender = node.funded_accounts[0]
            data = b"\x22".rjust(32, b"\0")

            def observed() -> list[int]:
                state = node.at()
                return [
                    state.balance(ALICE),
                    state.nonce(ALICE),
                    len(state.code(ALICE)),
                    state.balance(b"\x22".rjust(20, b"\0")),
                ]

            with sandbox(node):
                used = node.transact(to=ALICE, data=data, sender=sender).gas_used
                inside = observed()
            assert node.transact(to=ALICE, data=data, sender=sender).gas_used == used
            assert observed() == inside


def test_is_a_class(node: Node) -> None:
    """A sandbox can be used without the node's Python API."""
    assert isinstance(new_sandbox(node), Sandbox)
