"""`devchain.node.expected_calls`"""

from __future__ import annotations

from pathlib import Path

import pytest

from devchain.contracts.contract import Contract
from devchain.errors import ExecutionReverted, LimitExceeded
from devchain.node import Node
from devchain.node.expected_calls import MAX_DATA, MAX_EXPECTED, ExpectedCall, Open
from devchain.types import address_of

CONTRACTS = Path(__file__).parents[2] / "examples" / "property" / "contracts"
ANYWHERE = b"\xab" * 20


@pytest.fixture
def bank(node: Node) -> Contract:
    """A bank."""
    return node.deploy(CONTRACTS / "Bank.json")


def deposits(bank: Contract, value: int | None = None, count: int | None = None) -> ExpectedCall:
    """Calls of `deposit`."""
    return ExpectedCall(address_of(bank), bank.deposit.encode(), value, count)


class TestExpectedCalls:
    def test_unmet(self, node: Node, bank: Contract) -> None:
        """Direct calls and those between contracts count, since an expectation was made."""
        customer = node.deploy(CONTRACTS / "Customer.json", bank)
        expected = node.expected_calls
        bank.deposit(value=9)
        for each in (deposits(bank), deposits(bank, 5), deposits(bank, 9), deposits(bank, None, 3)):
            expected.add(each)
        customer.deposit(value=5)
        bank.deposit(value=6)
        expected.add(deposits(bank, None, 0))

        assert expected.check() == [
            (Open(3, deposits(bank, 9), 3), 0),
            (Open(4, deposits(bank, None, 3), 3), 2),
        ]
        assert expected.check() == []

    def test_reverted_calls(self, node: Node, bank: Contract) -> None:
        """Calls that revert do not count."""
        node.expected_calls.add(ExpectedCall(address_of(bank), bank.withdraw.encode(), None, None))
        with pytest.raises(ExecutionReverted):
            bank.withdraw(gas=100_000)

        assert [found for _, found in node.expected_calls.check()] == [0]

    def test_snapshots_and_copies(self, node: Node, bank: Contract) -> None:
        """A revert removes what was expected since, and brings back what was checked since."""
        first = node.expected_calls.add(deposits(bank))
        snapshot = node.snapshots.take()
        second = node.expected_calls.add(deposits(bank, 7))
        with node.copy() as copied:
            assert [each.id for each, _ in copied.expected_calls.check()] == [first, second]
        assert [each.id for each, _ in node.expected_calls.check()] == [first, second]
        node.revert(snapshot)
        third = node.expected_calls.add(deposits(bank, 8))

        assert [each.id for each, _ in node.expected_calls.check()] == [first, third]
        assert (first, second, third) == (1, 2, 3)

    def test_limits(self, node: Node) -> None:
        """There are not too many, nor too much data."""
        expected = node.expected_calls
        with pytest.raises(LimitExceeded, match="devchain_checkExpectedCalls"):
            expected.add(ExpectedCall(ANYWHERE, bytes(MAX_DATA + 1), None, None))
        for _ in range(MAX_EXPECTED):
            expected.add(ExpectedCall(ANYWHERE, b"", None, None))
        with pytest.raises(LimitExceeded):
            expected.add(ExpectedCall(ANYWHERE, b"", None, None))

        assert len(expected.check()) == MAX_EXPECTED
