"""`devchain.node.sandboxed` and `devchain.chain.sandbox`"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devchain.config import Config
from devchain.contracts.contract import Contract
from devchain.contracts.expectations import expect_emit
from devchain.errors import ExecutionReverted, InvalidInput
from devchain.fuzzing import ContractMachine, handler, invariant
from devchain.node import Node
from devchain.node.sandboxed import new_sandbox, sandbox
from devchain.server.serve import serve_in_thread
from devchain.types import LogQuery, MineRequest, TransactionRequest
from tests.bytecode import CREATOR, DESTROY, ENVIRONMENT
from tests.contracts.vault import VAULT

ALICE = b"\xa1" * 20
PROPERTY = Path(__file__).parents[2] / "examples" / "property" / "contracts"


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

    def test_what_needs_blocks(self, node: Node) -> None:
        """It is refused by name."""
        request = TransactionRequest(node.accounts.addresses()[0], ALICE)
        uses: dict[str, Callable[[], object]] = {
            "copy": node.copy,
            "reset": node.reset,
            "dump": node.dump,
            "load": lambda: node.load(dumped),
            "estimate": lambda: node.estimate(request),
            "send": lambda: node.send(request),
            "revert": lambda: node.revert(1),
            "rollback": node.rollback,
            "deal": lambda: node.deal(ALICE, ALICE, 1),
            "a search of logs": lambda: node.logs(LogQuery(0, 0)),
            "the tree of calls": lambda: node.call_tree(bytes(32)),
            "gas_profile": lambda: node.gas_profile(bytes(32)),
            "mine with a MineRequest": lambda: node.mine(MineRequest(2, interval=5)),
        }
        dumped = node.dump()
        with sandbox(node):
            for name, use in uses.items():
                with pytest.raises(InvalidInput, match=f"{name} needs blocks"):
                    use()

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


class TestMocks:
    def test_in_a_sandbox(self, node: Node) -> None:
        """Mocks can be added and cleared in a sandbox; the node's are back after it."""
        bank = node.deploy(PROPERTY / "Bank.json")
        node.mock_call(bank.total, returns=5)
        edited = node.chain.edited_roots()
        with sandbox(node):
            assert bank.total() == 5
            with node.snapshot():
                node.mock_call(bank.total, returns=6)
                node.mock_revert(bank.deposit, error="closed")
                assert bank.total() == 6
                with pytest.raises(ExecutionReverted, match="closed"):
                    bank.deposit(value=1)
            assert bank.total() == 5
            node.clear_mocks()
            assert bank.total() == 0
            bank.deposit(value=7)
            assert bank.total() == 7
            node.mock_call(ALICE, returns=b"\x01")
            assert node.at().code(ALICE) == b"\0"

        assert (bank.total(), node.at().code(ALICE)) == (5, b"")
        assert node.chain.edited_roots() == edited

    def test_in_a_campaign(self, node: Node, tmp_path: Path) -> None:
        """A handler mocks what a target calls; each sequence starts with the node's mocks."""
        bank = node.deploy(PROPERTY / "Bank.json")
        customer = node.deploy(PROPERTY / "Customer.json", bank)
        node.mock_call(bank.deposit)

        class Customers(ContractMachine):
            targets = (customer,)
            functions = ("deposit",)

            @handler()
            def open_bank(self) -> None:
                self.node.clear_mocks()

            @invariant
            def is_empty(self) -> None:
                assert bank.total() == 0

        with pytest.raises(AssertionError) as raised:
            Customers.campaign(calls=10_000, seed=1, corpus=tmp_path)

        program = raised.value.__notes__[-1].splitlines()[1:]
        assert program == [
            "self.open_bank()",
            "customer.deposit(sender=accounts[0], value=1)",
            "bank.total()  # returned 1",
        ]

    def test_expectations(self, node: Node, vault: Contract) -> None:
        """What looks into blocks is refused: there are none."""
        with sandbox(node):
            with pytest.raises(InvalidInput, match="expect_call needs blocks"):
                node.expect_call(vault.deposit)
            with pytest.raises(InvalidInput, match="needs blocks"), expect_emit(vault, "Deposited"):
                vault.deposit(value=1)


class TestFork:
    def test_as_mined(self, tmp_path: Path) -> None:
        """A sandbox on a fork reads the upstream chain, and a campaign finds what is there."""
        with Node() as origin, serve_in_thread(origin) as url:
            bank = origin.deploy(PROPERTY / "Bank.json")
            customer = origin.deploy(PROPERTY / "Customer.json", bank)
            bank.deposit(value=5)
            with Node(
                Config(fork_url=(url,), storage_caching=False, artifacts=(str(PROPERTY),))
            ) as fork:
                forked = fork.contract("Bank", bank.address)
                caller = fork.contract("Customer", customer.address)
                with sandbox(fork) as opened:
                    first = opened.checkpoint()
                    forked.deposit(value=2, sender=fork.funded_accounts[1])
                    found = [forked.total(), forked.credit(fork.funded_accounts[1])]
                    opened.restore(first)
                    found.append(forked.total())
                assert found == [7, 2, 5]
                assert forked.total() == 5

                class Banks(ContractMachine):
                    targets = (forked, caller)

                    @invariant
                    def covers_its_books(self) -> None:
                        assert forked.contract.balance >= forked.total()

                with pytest.raises(AssertionError) as raised:
                    Banks.campaign(calls=20_000, seed=1, corpus=tmp_path)

        program = raised.value.__notes__[-1].splitlines()[1:]
        assert program[-3] == "customer.withdraw(1, sender=accounts[0])"
