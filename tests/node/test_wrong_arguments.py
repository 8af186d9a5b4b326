"""Wrong values for every argument of the Python API: one sentence says what to give."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from devchain import connect, expect_emit, reverts
from devchain.errors import DevchainError
from devchain.node import Node
from devchain.types import TransactionRequest
from tests.accounts import BOB
from tests.contracts.vault import FILE

WRONG = (
    None, "0x…", "0x12", "nope", "", "latest", "0x" + "zz" * 20, b"", b"\0" * 19, b"\0" * 32,
    1.5, float("nan"), -1, 2**300, True, [], {}, ("a",), {"to": BOB}, object(), int, len,
)  # fmt: skip
MAX_MESSAGE = 400

OPTIONS = ("sender", "value", "gas", "gas_price", "nonce", "sendr")


class World:
    """A node with a vault, and a transaction of it."""

    def __init__(self) -> None:
        self.node = Node(artifacts=str(FILE))
        self.vault = self.node.deploy("Vault", 60)
        self.mined = self.vault.deposit(value=3)
        self.request = TransactionRequest(to=BOB, sender=self.node.funded_accounts[0].canonical)

    def in_block(self, expected: Any) -> None:
        """Run something that reverts and emits in the `with` block of an expectation."""
        with expected, reverts():
            self.vault.deposit(value=1)
            self.vault.withdraw(sender=self.node.funded_accounts[1])


Call = Callable[[World, Any], object]

CALLS: dict[str, Call] = {
    "Node.balance": lambda w, x: w.node.balance(x),
    "Node.balance block": lambda w, x: w.node.balance(BOB, x),
    "Node.deploy": lambda w, x: w.node.deploy(x),
    "Node.deploy argument": lambda w, x: w.node.deploy("Vault", x),
    "Node.contract": lambda w, x: w.node.contract(x, w.vault),
    "Node.contract address": lambda w, x: w.node.contract("Vault", x),
    "Node.transact": lambda w, x: w.node.transact(x),
    "Node.transact and options": lambda w, x: w.node.transact(x, value=1),
    "Node.transact to": lambda w, x: w.node.transact(to=x),
    "Node.transact data": lambda w, x: w.node.transact(to=BOB, data=x),
    "Node.call_tree": lambda w, x: w.node.call_tree(x),
    "Node.gas_profile": lambda w, x: w.node.gas_profile(x),
    "Node.console": lambda w, x: w.node.console(x),
    "Node.reverts": lambda w, x: w.in_block(w.node.reverts(x)),
    "Node.reverts argument": lambda w, x: w.in_block(w.node.reverts("NotOwner", x)),
    "Node.expect_emit": lambda w, x: w.in_block(expect_emit(x, "Deposited")),
    "Node.expect_emit event": lambda w, x: w.in_block(expect_emit(w.vault, x)),
    "Node.expect_emit argument": lambda w, x: w.in_block(expect_emit(w.vault, "Deposited", x)),
    "Node.impersonate": lambda w, x: w.node.impersonate(x),
    "Node.time_travel": lambda w, x: w.node.time_travel(x),
    "Node.time_travel to": lambda w, x: w.node.time_travel(to=x),
    "Node.mock_call": lambda w, x: w.node.mock_call(x, returns=b""),
    "Node.mock_call call": lambda w, x: w.node.mock_call(BOB, x, returns=b""),
    "Node.mock_call returns": lambda w, x: w.node.mock_call(w.vault.deposits, returns=x),
    "Node.mock_call arguments": lambda w, x: w.node.mock_call(w.vault.deposits, arguments=x),
    "Node.mock_call value": lambda w, x: w.node.mock_call(BOB, b"", returns=b"", value=x),
    "Node.mock_revert": lambda w, x: w.node.mock_revert(x),
    "Node.mock_revert error": lambda w, x: w.node.mock_revert(w.vault.deposits, error=x),
    "Node.expect_call": lambda w, x: w.in_block(w.node.expect_call(x)),
    "Node.expect_call call": lambda w, x: w.in_block(w.node.expect_call(BOB, x)),
    "Node.set_balance": lambda w, x: w.node.set_balance(x, 1),
    "Node.set_balance amount": lambda w, x: w.node.set_balance(BOB, x),
    "Node.add_balance": lambda w, x: w.node.add_balance(x, 1),
    "Node.add_balance amount": lambda w, x: w.node.add_balance(BOB, x),
    "Node.set_nonce": lambda w, x: w.node.set_nonce(x, 1),
    "Node.set_nonce nonce": lambda w, x: w.node.set_nonce(BOB, x),
    "Node.set_code": lambda w, x: w.node.set_code(x, b"\0"),
    "Node.set_code code": lambda w, x: w.node.set_code(BOB, x),
    "Node.set_storage": lambda w, x: w.node.set_storage(x, 0, 0),
    "Node.set_storage slot": lambda w, x: w.node.set_storage(BOB, x, 0),
    "Node.set_storage value": lambda w, x: w.node.set_storage(BOB, 0, x),
    "Node.deal": lambda w, x: w.node.deal(x, BOB, 1),
    "Node.deal owner": lambda w, x: w.node.deal(w.vault, x, 1),
    "Node.deal amount": lambda w, x: w.node.deal(w.vault, BOB, x),
    "Node.rollback": lambda w, x: w.node.rollback(x),
    "Node.at": lambda w, x: w.node.at(x).balance(BOB),
    "Node.call": lambda w, x: w.node.call(x),
    "Node.call block": lambda w, x: w.node.call(w.request, x),
    "Node.call overrides": lambda w, x: w.node.call(w.request, 0, x),
    "Node.call block override": lambda w, x: w.node.call(w.request, 0, None, x),
    "Node.estimate": lambda w, x: w.node.estimate(x),
    "Node.estimate block": lambda w, x: w.node.estimate(w.request, x),
    "Node.send": lambda w, x: w.node.send(x),
    "Node.send_raw": lambda w, x: w.node.send_raw(x),
    "Node.nonce": lambda w, x: w.node.nonce(x, 0),
    "Node.nonce block": lambda w, x: w.node.nonce(BOB, x),
    "Node.logs": lambda w, x: w.node.logs(x),
    "Node.mine": lambda w, x: w.node.mine(x if x != 2**300 else -2),
    "Node.load": lambda w, x: w.node.load(x),
    "BlockState.balance": lambda w, x: w.node.at().balance(x),
    "BlockState.nonce": lambda w, x: w.node.at().nonce(x),
    "BlockState.code": lambda w, x: w.node.at().code(x),
    "BlockState.storage": lambda w, x: w.node.at().storage(x, 0),
    "BlockState.storage slot": lambda w, x: w.node.at().storage(BOB, x),
    "BlockState.call": lambda w, x: w.node.at().call(x),
    "Contract[]": lambda w, x: w.vault[x],
    "ContractApi.function": lambda w, x: w.vault.contract.function(x),
    "ContractApi.at": lambda w, x: w.vault.at(x).owner(),
    "ContractApi.events": lambda w, x: w.vault.events(x),
    "ContractApi.events where": lambda w, x: w.vault.events(None, x),
    "ContractApi.events from_block": lambda w, x: w.vault.events(None, None, x),
    "Function.call": lambda w, x: w.vault.deposits.call(x),
    "Function.transact": lambda w, x: w.vault.deposits.transact(x),
    "Function.estimate": lambda w, x: w.vault.deposits.estimate(x),
    "Function.encode": lambda w, x: w.vault.deposits.encode(x),
    "connect": lambda _, x: connect(x),
    "Client.call": lambda w, x: connect(w.node).call(x),
    "Client.call parameter": lambda w, x: connect(w.node).call("eth_getBalance", x),
    **{
        f"{name} {option}": lambda w, x, make=make, option=option: make(w)(**{option: x})
        for name, make in {
            "Node.transact": lambda w: lambda **given: w.node.transact(to=BOB, **given),
            "Function.estimate": lambda w: w.vault.deposit.estimate,
        }.items()
        for option in OPTIONS
    },
}
"""What takes an argument, with the argument that is wrong."""

NO_ARGUMENTS = frozenset(
    {"clear_mocks", "close", "copy", "dump", "function_names", "gas_price", "reset", "snapshot"}
)


@pytest.fixture
def world() -> Iterator[World]:
    """A node that each test has for itself."""
    made = World()
    with made.node:
        yield made


@pytest.mark.parametrize("what", CALLS)
def test_wrong(world: World, what: str) -> None:
    """Whatever is given, a call works or raises an error of devchain's, of one sentence."""
    messages: list[str] = []
    for value in WRONG:
        with world.node.snapshot(), warnings.catch_warnings(action="ignore"):
            try:
                CALLS[what](world, value)
            except (DevchainError, AssertionError) as error:
                messages.append(str(error))
            except Exception as error:
                raise AssertionError(f"{what} of {value!r}: {error!r}") from error

    assert [each for each in messages if "\n" in each or not 8 < len(each) < MAX_MESSAGE] == []


TITLES = {
    "`devchain.Node`": "Node",
    "`node.at(block)`": "BlockState",
    "`token.contract`": "ContractApi",
    "A function: `token.transfer`": "Function",
}
"""Sections of the reference with the names of the table."""


def test_all_are_there() -> None:
    """Every method of the reference that takes an argument is in the table."""
    page = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
    sections = {each.partition("\n")[0]: each for each in page.split("\n### ")[1:]}
    wanted = {
        f"{name}.{method}"
        for title, name in TITLES.items()
        for method in re.findall(r"^\| `(\w+)\(", sections[title], re.MULTILINE)
        if method not in NO_ARGUMENTS
    }

    assert wanted - {each.split()[0] for each in CALLS} == set()


class TestMessages:
    """What the errors say."""

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda w: w.node.transact("0x…", value=1), "give a request, or what to send by name"),
            (
                lambda w: w.node.call({"to": BOB}),
                r"is a dict: give a TransactionRequest, `from devchain import TransactionRequest`$",
            ),
            (lambda w: w.node.transact({"to": BOB}), r"is a dict: give a TransactionRequest, or"),
            (lambda w: w.node.balance(BOB, "newest"), "'newest' is no block: give its number, its"),
            (lambda w: w.vault.events("Deposit"), "no event Deposit: did you mean Deposited"),
            (lambda w: w.vault[3], "3 is a int: give the name of a function, or its signature"),
            (lambda w: expect_emit(BOB, "Deposited"), "is no contract: give the one that emits"),
            (lambda w: connect(3), "3 is no node: give a devchain.Node or a URL"),
            (lambda w: connect(w.node).call("eth_call", BOB), "give text, .* bytes as hex text"),
        ],
        ids=range(9),
    )  # fmt: skip
    def test_says_what_to_give(
        self, world: World, call: Callable[[World], object], message: str
    ) -> None:
        """The value is shown, and what to give in its place."""
        with pytest.raises(DevchainError, match=message):
            call(world)

    def test_values_of_events(self, world: World) -> None:
        """A value that an event does not have is a `KeyError` or `IndexError` that names it."""
        (event,) = world.mined.events

        with pytest.raises(KeyError, match=r"no value 'amnt': it is Deposited\(address from, uint"):
            event["amnt"]
        with pytest.raises(IndexError, match="Deposited has no value 2"):
            event[2]
        assert event[-1] == event["amount"] == 3


class TestBlocks:
    """Blocks may be given by tags and hashes as text too."""

    def test_text(self, world: World) -> None:
        """A tag's name and a hash, as bytes or hex, are the block that they name."""
        node, block = world.node, world.mined.block_hash

        assert node.balance(world.vault, "latest") == node.balance(world.vault, block) == 3
        assert node.at(f"0x{block.hex()}").balance(world.vault) == 3
        assert world.vault.at("earliest").contract.balance == 0
        assert len(world.vault.events(from_block="latest")) == 1

    def test_pending_nonce(self, world: World) -> None:
        """The nonce of `pending`, as text, counts what is in the mempool."""
        with world.node.snapshot():
            world.node.miner.set_automine(on=False)
            world.node.send(world.request)
            sender = world.node.funded_accounts[0]

            assert world.node.nonce(sender, "pending") == world.node.nonce(sender, "latest") + 1
