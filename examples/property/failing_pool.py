"""A property of `Pool.sol` that does not hold: `pytest failing_pool.py` shows the smallest example.

The name of the file keeps pytest from collecting it with other tests.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devchain import strategies
from devchain.errors import VmError

RBTC = 10**18


@pytest.fixture
def pool(devchain, accounts):
    """A pool with one depositor, in which a share is worth three halves of a wei."""
    pool = devchain.deploy("Pool")
    pool.deposit(value=2 * RBTC, sender=accounts[1])
    pool.earn(value=RBTC)
    return pool


@given(data=st.data())
def test_strangers_get_nothing(pool, accounts, data):
    """Who has no shares cannot withdraw: Hypothesis finds who can, and how little it takes."""
    (amount,) = data.draw(strategies.arguments(pool.withdraw), label="amount")
    held = pool.contract.balance
    try:
        pool.withdraw(amount, sender=accounts[2])
    except VmError:
        return

    assert held - pool.contract.balance == 0
