"""The planted bugs in titanoboa, as its users write stateful tests: `PLANTED_SEED` is Hypothesis's.

A sequence starts from the deployed contracts (`boa.env.anchor`).
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import boa
from boa.test import strategy
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

FOLDER = Path(__file__).parent
SEED = int(os.environ.get("PLANTED_SEED", "1"))
EXAMPLES = int(os.environ.get("PLANTED_EXAMPLES", "2000"))
SENDERS = [boa.env.generate_address() for _ in range(3)]
senders = st.sampled_from(SENDERS)
values = st.integers(0, 10 * 10**18)


class Machine(RuleBasedStateMachine):
    """A sequence of calls; what it changes is undone when it ends."""

    def __init__(self):
        super().__init__()
        self.anchor = boa.env.anchor()
        self.anchor.__enter__()

    def teardown(self):
        self.anchor.__exit__(None, None, None)

    def send(self, function, *arguments, sender, value=0):
        """Call a function; reverts are expected."""
        boa.env.set_balance(sender, value)
        with boa.env.prank(sender), suppress(boa.BoaError):
            function(*arguments, value=value)


def find(machine):
    """Run a machine until an invariant fails."""
    run_state_machine_as_test(
        seed(SEED)(machine),
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=30,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink),
        ),
    )


def test_rounding():
    """Shares are rounded in favour of who withdraws."""
    pool = boa.load(FOLDER / "pool.vy")

    class PoolMachine(Machine):
        def __init__(self):
            super().__init__()
            self.price = (0, 1)

        @rule(sender=senders, value=values)
        def deposit(self, sender, value):
            self.send(pool.deposit, sender=sender, value=value)

        @rule(sender=senders, value=values)
        def earn(self, sender, value):
            self.send(pool.earn, sender=sender, value=value)

        @rule(sender=senders, amount=strategy("uint256"))
        def withdraw(self, sender, amount):
            self.send(pool.withdraw, amount, sender=sender)

        @invariant()
        def price_never_falls(self):
            coins, shares = boa.env.get_balance(pool.address), pool.totalShares()
            if shares:
                assert coins * self.price[1] >= self.price[0] * shares
                self.price = (coins, shares)

    find(PoolMachine)


def test_access_control():
    """Anyone may become the owner, with a constant of the code."""
    safe = boa.load(FOLDER / "safe.vy")
    owner = safe.owner()

    class SafeMachine(Machine):
        @rule(sender=senders, next_=st.one_of(senders, strategy("address")))
        def propose(self, sender, next_):
            self.send(safe.propose, next_, sender=sender)

        @rule(sender=senders, code=strategy("uint256"))
        def accept(self, sender, code):
            self.send(safe.accept, code, sender=sender)

        @invariant()
        def owner_stays(self):
            assert safe.owner() == owner

    find(SafeMachine)


def test_reentrancy():
    """A contract withdraws again while it is being paid."""
    bank = boa.load(FOLDER / "bank.vy")
    customer = boa.load(FOLDER / "customer.vy", bank.address)

    class BankMachine(Machine):
        @rule(sender=senders, value=values)
        def deposit(self, sender, value):
            self.send(bank.deposit, sender=sender, value=value)

        @rule(sender=senders)
        def withdraw(self, sender):
            self.send(bank.withdraw, sender=sender)

        @rule(sender=senders, value=values)
        def customer_deposit(self, sender, value):
            self.send(customer.deposit, sender=sender, value=value)

        @rule(sender=senders, again=strategy("uint256"))
        def customer_withdraw(self, sender, again):
            self.send(customer.withdraw, again, sender=sender)

        @invariant()
        def covers_its_books(self):
            assert boa.env.get_balance(bank.address) >= bank.total()

    find(BankMachine)
