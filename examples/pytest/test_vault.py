"""Test a contract with pytest: the chain lives in the test's own process.

Run `pytest examples/pytest`. The fixtures `devchain`, `accounts` and `w3` come with devchain, and
pytest.ini says where the compiled contracts are. Every test starts from the vault of the fixture
below: what a test does is reverted when it ends.
"""

from __future__ import annotations

import pytest

from devchain.errors import ExecutionReverted

DAY = 24 * 60 * 60
RBTC = 10**18


@pytest.fixture(scope="module")
def vault(devchain, accounts):
    """A vault of the first account that opens after a day, deployed once for all tests."""
    return devchain.deploy("Vault", DAY, sender=accounts[0])


@pytest.fixture
def alice(accounts):
    """An account that is not the owner."""
    return accounts[1]


def test_deposit(vault, alice):
    """A deposit is stored and emits an event."""
    mined = vault.deposit(sender=alice, value=RBTC)

    assert vault.deposits(alice) == RBTC
    (event,) = vault.events("Deposited", mined)
    assert event["from"] == alice
    assert event["amount"] == RBTC


@pytest.mark.parametrize("amount", [1, RBTC])
def test_isolation(vault, alice, devchain, amount):
    """Deposits of other tests are reverted."""
    assert vault.deposits(alice) == 0

    vault.deposit(sender=alice, value=amount)

    assert devchain.at().balance(vault) == amount


def test_reverts_with_text(vault, alice, devchain):
    """`require` fails with a text."""
    with devchain.reverts("nothing to deposit"):
        vault.deposit(sender=alice)


def test_reverts_with_a_custom_error(vault, alice, devchain):
    """A custom error has a name and values."""
    with devchain.reverts("NotOwner", caller=alice):
        vault.withdraw(sender=alice)


def test_time_travel(vault, alice, accounts, devchain):
    """The vault is closed for a day, then it pays its owner."""
    vault.deposit(sender=alice, value=2 * RBTC)
    with pytest.raises(ExecutionReverted, match="still closed"):
        vault.withdraw()

    devchain.time_travel(DAY)
    before = devchain.at().balance(accounts[0])
    vault.withdraw(gas_price=0)

    assert devchain.at().balance(accounts[0]) - before == 2 * RBTC


def test_snapshot_and_copy(vault, alice, devchain):
    """Changes after a snapshot are reverted, changes of a copy do not affect the node."""
    with devchain.snapshot():
        vault.deposit(sender=alice, value=RBTC)
    assert vault.deposits(alice) == 0

    copy = devchain.copy()
    copy.contract("Vault", vault).deposit(sender=alice, value=RBTC)
    assert vault.deposits(alice) == 0


def test_impersonation(vault, devchain):
    """Impersonation sends from any address, once it can pay for its gas."""
    sender = "0x" + "5e" * 20
    devchain.set_balance(sender, RBTC)

    with devchain.impersonate(sender):
        vault.deposit(sender=sender, value=1)

    assert vault.deposits(sender) == 1


def test_with_web3py(vault, alice, w3):
    """web3.py talks to the same chain, without a socket."""
    contract = w3.eth.contract(address=vault.address, abi=vault.abi)

    contract.functions.deposit().transact({"from": alice.address, "value": 5})

    assert contract.functions.deposits(alice.address).call() == vault.deposits(alice) == 5
