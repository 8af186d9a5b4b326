"""Planted bugs found by comparison: `pytest failing_versions.py`.

With another version of a contract, with a model of it in Python, and in a loop of one's own. Each
takes seconds at most. The name of the file keeps pytest from collecting it with others.
"""

from __future__ import annotations

from devchain.fuzzing import ContractMachine, invariant, sandbox


def test_versions(devchain, tmp_path):
    """`PoolV2.sol` is to behave as `Pool.sol`, but lets anyone withdraw what others own."""
    pool, new_pool = devchain.deploy("Pool"), devchain.deploy("PoolV2")

    class Versions(ContractMachine):
        targets = (pool,)
        compared = ((pool, new_pool),)

    Versions.campaign(seconds=60, corpus=tmp_path)


def test_model(devchain, tmp_path):
    """`Pool.sol` burns fewer shares than the coins that it pays are worth."""
    pool = devchain.deploy("Pool")

    class Model(ContractMachine):
        targets = (pool,)

        def setup(self):
            self.coins, self.shares = 0, 0

        def after_call(self, call):
            if not call.succeeded:
                return
            if call.name == "deposit":
                worth = call.value * self.shares // self.coins if self.shares else call.value
                self.shares += worth
            elif call.name == "withdraw":
                (amount,) = call.arguments
                self.shares -= -(-amount * self.shares // self.coins)  # rounded up
                self.coins -= amount
            self.coins += call.value

        @invariant
        def agrees(self):
            assert (pool.contract.balance, pool.totalShares()) == (self.coins, self.shares)

    Model.campaign(seconds=60, corpus=tmp_path)


def test_loop(devchain, accounts):
    """In `Pool.sol` an amount costs a share, whatever the price: a thousand amounts at two."""
    pool = devchain.deploy("Pool")
    with sandbox(devchain):
        pool.deposit(value=10**6)
        for earned in (0, 10**6):
            pool.earn(value=earned)
            for amount in range(1, 1_000):
                before = pool.shares(accounts[0])
                with devchain.snapshot():
                    pool.withdraw(amount)
                    assert pool.shares(accounts[0]) < before, f"{amount} wei cost no share"
