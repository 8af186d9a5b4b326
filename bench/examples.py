"""Examples of property-based tests and calls of campaigns: what devchain itself takes for each.

An example goes back to the state at the start, sends a transfer of a token, reads a balance and
compares it: in mined blocks as a test with `@given` does, and in a sandbox. Hypothesis's own time
is not in it. A campaign's call is drawn, encoded and run on the same token, its coverage looked
at, and an invariant that reads a balance is checked after it.
"""

from __future__ import annotations

import tempfile

from bench.driver import SUPPLY
from bench.timing import MILLISECONDS, Measured, in_slices, timed
from bench.token_suite import Devchain
from devchain import Config, Node
from devchain.clock import Clock
from devchain.contracts.contract import Contract
from devchain.fuzzing import ContractMachine, invariant, sandbox

GROUP = "property-based tests"
EXAMPLES = 300
QUICK_EXAMPLES = 5
CALLS_OF_AN_EXAMPLE = 10
"""A campaign runs that many calls for each example of the other rows: it starts up each time."""


def measure(rounds: int, *, quick: bool) -> list[Measured]:
    """Milliseconds of an example in mined blocks and in a sandbox, and of a campaign's call."""
    count = QUICK_EXAMPLES if quick else EXAMPLES
    with Node(Config(), Clock.frozen(None)) as node:
        token = Devchain(node).token

        def mined() -> float:
            return timed(lambda size: _examples(node, token, size), count)

        def in_sandbox() -> float:
            with sandbox(node):
                return timed(lambda size: _examples(node, token, size), count)

        def in_campaign() -> float:
            with tempfile.TemporaryDirectory() as corpus:
                return _call_of_campaign(token, count * CALLS_OF_AN_EXAMPLE, corpus)

        runs = {"mined": mined, "sandbox": in_sandbox, "campaign, a call": in_campaign}
        return in_slices(GROUP, "an example", runs, rounds)


def _examples(node: Node, token: Contract, count: int) -> None:
    bob = node.funded_accounts[1]
    for value in range(1, count + 1):
        with node.snapshot():
            token.transfer(bob, value)
            if token.balanceOf(bob) != value:
                raise RuntimeError("the transfer of another example is still there")


def _call_of_campaign(token: Contract, calls: int, corpus: str) -> float:
    class TokenMachine(ContractMachine):
        targets = (token,)

        @invariant
        def no_more_than_supply(self) -> None:
            if token.balanceOf(self.senders[0]) > SUPPLY:
                raise RuntimeError("more coins than there are")

    report = TokenMachine.campaign(calls=calls, seed=1, corpus=corpus)
    return MILLISECONDS / report.calls_per_second
