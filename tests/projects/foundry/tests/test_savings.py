"""The facts of test/Savings.t.sol, from Python, with the artifacts that forge wrote."""

from __future__ import annotations

import pytest

from devchain.errors import ExecutionReverted

DAY = 24 * 3600


@pytest.fixture(scope="module")
def savings(devchain, accounts):
    """A contract with an interest of half a percent a day, and means to pay it."""
    return devchain.deploy("Savings", 50, sender=accounts[0], value=10**18)


def custom_error(raised):
    """The name and the arguments of a custom error."""
    error = raised.value.custom_error
    return error.name, list(error.named.values())


def test_deploys(devchain, savings, accounts):
    """The constructor's arguments and value arrive."""
    assert savings.owner() == accounts[0]
    assert savings.rate() == 50
    assert devchain.at().balance(savings) == 10**18


def test_deposits(devchain, savings, accounts):
    """A deposit is kept with its times, in an array of structs."""
    made = savings.deposit(60, sender=accounts[1], value=100)
    ((amount, since, until),) = savings.deposits(accounts[1])
    assert (amount, until) == (100, since + 60)
    assert since == made.block.timestamp
    assert savings.balanceOf(accounts[1]) == 100


def test_event(savings, accounts):
    """The event has the struct."""
    made = savings.deposit(60, sender=accounts[1], value=100)
    (event,) = savings.events("Deposited", made)
    assert event["owner"] == accounts[1]
    assert event["index"] == 0
    amount, *_ = event["deposit"]
    assert amount == 100


def test_nothing_to_deposit(savings):
    """A deposit of nothing fails with a reason."""
    with pytest.raises(ExecutionReverted, match="nothing to deposit"):
        savings.deposit(60)


def test_interest(devchain, savings, accounts):
    """Interest grows with time."""
    savings.deposit(60, sender=accounts[1], value=10_000)
    devchain.time_travel(2 * DAY)
    assert savings.interest(accounts[1], 0) == 100


def test_locked(savings, accounts):
    """A deposit cannot be withdrawn before its time."""
    savings.deposit(60, sender=accounts[1], value=100)
    with pytest.raises(ExecutionReverted) as raised:
        savings.withdraw(0, sender=accounts[1])
    name, (until, time) = custom_error(raised)
    assert name == "Locked"
    assert time < until


def test_withdraws(devchain, savings, accounts):
    """A withdrawal pays deposit and interest."""
    savings.deposit(60, sender=accounts[1], value=10_000)
    devchain.time_travel(DAY)
    before = devchain.at().balance(savings)
    savings.withdraw(0, sender=accounts[1])
    assert before - devchain.at().balance(savings) == 10_050
    assert savings.totalSupply() == 0


def test_unknown(savings, accounts):
    """A view function fails with a custom error."""
    with pytest.raises(ExecutionReverted) as raised:
        savings.interest(accounts[1], 3)
    name, (owner, index) = custom_error(raised)
    assert (name, index) == ("Unknown", 3)
    assert owner == accounts[1]


def test_rate_is_the_owners(savings, accounts):
    """OpenZeppelin's Ownable guards the rate."""
    with pytest.raises(ExecutionReverted) as raised:
        savings.setRate(1, sender=accounts[1])
    assert custom_error(raised)[0] == "OwnableUnauthorizedAccount"


def test_too_much_is_refused(savings):
    """The owner cannot set a rate above one percent."""
    with pytest.raises(ExecutionReverted, match="at most 1 % a day"):
        savings.setRate(101)
