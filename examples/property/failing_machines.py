"""Three contracts with planted bugs, found by campaigns: `pytest failing_machines.py`.

Each takes seconds at most. The name of the file keeps pytest from collecting it with others.
"""

from __future__ import annotations

from devchain.fuzzing import ContractMachine, invariant


def test_rounding(devchain, tmp_path):
    """`Pool.sol` rounds in favour of who withdraws: the others' shares lose value."""
    pool = devchain.deploy("Pool")

    class PoolMachine(ContractMachine):
        targets = (pool,)

        def setup(self):
            self.price = (0, 1)  # coins, shares: a ghost variable

        @invariant
        def price_never_falls(self):
            coins, shares = pool.contract.balance, pool.totalShares()
            if shares:
                assert coins * self.price[1] >= self.price[0] * shares
                self.price = (coins, shares)

    PoolMachine.campaign(seconds=60, corpus=tmp_path)


def test_access_control(devchain, accounts, tmp_path):
    """Anyone may become the owner of `Safe.sol`, in two steps, with a constant of its code."""
    safe = devchain.deploy("Safe", sender=accounts[0])

    class SafeMachine(ContractMachine):
        targets = (safe,)
        senders = accounts[1:3]

        @invariant
        def owner_stays(self):
            assert safe.owner() == accounts[0]

    SafeMachine.campaign(seconds=60, corpus=tmp_path)


def test_reentrancy(devchain, tmp_path):
    """`Bank.sol` pays before it books: a contract among the targets takes what others own."""
    bank = devchain.deploy("Bank")
    customer = devchain.deploy("Customer", bank)

    class BankMachine(ContractMachine):
        targets = (bank, customer)

        @invariant
        def covers_its_books(self):
            assert bank.contract.balance >= bank.total()

    BankMachine.campaign(seconds=60, corpus=tmp_path)
