"""devchain.contracts.vyper_calls"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from typing import Any

import pytest

from devchain.contracts.compile import loads
from devchain.errors import CompilationFailed, ExecutionReverted, InvalidInput
from devchain.node import Node
from tests.contracts.vault import VAULT

SOURCE = """
from ethereum.ercs import IERC20

struct Order:
    amount: uint256
    who: address

RATE: immutable(uint256)
total: public(uint256)
orders: DynArray[Order, 4]
text: String[70]

@deploy
def __init__():
    RATE = 42
    self.total = 5
    self.orders.append(Order(amount=1, who=msg.sender))
    self.text = "abc"

@internal
def _fee(amount: uint256, rate: uint256 = 3) -> uint256:
    '''
    @notice Its body does not begin behind the colon
    '''
    assert amount > 1, "small"
    return amount * rate + self.total

@internal
def _two(who: address) -> (uint256, address):  # two values
    return RATE, who

@internal
def _caller() -> address:
    return msg.sender

@internal
def _set():
    self.total = 9
"""


@pytest.fixture(scope="module")
def contract() -> Iterator[Any]:
    """A contract in Vyper."""
    with Node() as node:
        yield node.deploy(loads(SOURCE))


def test_internal(contract: Any) -> None:
    """Internal functions return values, of immutables too; what they change is lost."""
    assert (contract.internal._fee(2), contract.internal._fee(2, 5)) == (11, 15)
    assert contract.internal._two(contract) == (42, contract)
    assert contract.internal._set() is None
    assert contract.total() == 5
    assert dir(contract.internal) == ["_caller", "_fee", "_set", "_two"]
    assert repr(contract.internal) == "<internal functions of Contract: _fee, _two, _caller, _set>"
    assert contract.internal._fee(2) == copy(contract.internal)._fee(2)


def test_sender(contract: Any) -> None:
    """The caller is that of transactions, unless it is named."""
    accounts = contract.contract.chain.funded_accounts

    assert contract.internal._caller() == accounts[0]
    assert contract.internal._caller(sender=accounts[3]) == accounts[3]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("self.total + RATE", 47),
        ("self.text", "abc"),
        ("self.orders[0].amount", 1),
        ("self.total > 3", True),
        ("slice(b'abcd', 1, 2)", b"bc"),
    ],
)
def test_eval(contract: Any, expression: str, value: object) -> None:
    """Expressions have values of any type."""
    assert contract.eval(expression) == value


def test_eval_objects(contract: Any) -> None:
    """Structs, lists of them, interfaces and the contract itself."""
    sender = contract.contract.sender

    assert contract.eval("self.orders") == [(1, sender)]
    assert contract.eval("self.orders[0]").who == sender
    assert (contract.eval("self"), contract.eval("IERC20(self)")) == (contract, contract)


def test_without_vyper(contract: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Vyper's package the error says how to install it."""
    monkeypatch.setattr("devchain.contracts.compile.find_spec", lambda _: None)

    with pytest.raises(CompilationFailed, match=r"Vyper is missing here: `pip install"):
        contract.eval("self.orders")


def test_errors(contract: Any) -> None:
    """Errors of the compiler and of the contract are raised; names are known."""
    with pytest.raises(CompilationFailed, match="'x' has not been declared") as raised:
        contract.eval("self.x")
    assert str(raised.value).startswith("self.x does not compile\n")
    with pytest.raises(ExecutionReverted, match="small"):
        contract.internal._fee(1)
    text = r"wrong arguments of _fee\(uint256\): want uint256 amount, got 'x'"
    with pytest.raises(InvalidInput, match=text):
        contract.internal._fee("x")
    with pytest.raises(AttributeError, match=r"Contract has no internal function fee: .* _fee\?"):
        contract.internal.fee()


@pytest.mark.parametrize(
    ("arguments", "options", "problem"),
    [
        ((), {}, " cannot be called with 0 arguments"),
        ((1, 2, 3), {}, " cannot be called with 3 arguments"),
        ((2,), {"value": 1}, ": give arguments by position; the one option is sender"),
        ((), {"amount": 1}, ": give arguments by position; the one option is sender"),
    ],
)
def test_wrong_arguments(contract: Any, arguments: Any, options: Any, problem: str) -> None:
    """An error names the function as its source has it."""
    shown = re.escape(f"_fee(amount: uint256, rate: uint256=3){problem}")
    with pytest.raises(InvalidInput, match=shown):
        contract.internal._fee(*arguments, **options)


def test_no_source() -> None:
    """A contract in Solidity, or without a source, has none of this."""
    with Node() as node:
        vault = node.deploy(VAULT, 100)
        with pytest.raises(InvalidInput, match="Vault has no source in Vyper that is known here"):
            vault.eval("1")
        with pytest.raises(InvalidInput, match="Vault has no source in Vyper"):
            assert vault.internal
