"""The class that invariant tests subclass, and the two ways to run it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from devchain.errors import InvalidInput
from devchain.testing.machine import Counts, Machine

if TYPE_CHECKING:
    from hypothesis import settings
    from hypothesis.database import ExampleDatabase

    from devchain.testing.campaign import CampaignReport

CORPUS = Path(".devchain") / "corpus"
"""The folder of the sequences that campaigns keep."""


class ContractMachine(Machine):
    """Contracts under test, those who call them, and what has to hold: subclass it in a test.

    `targets` are the contracts whose functions are called, all that are not `view` or `pure` unless
    `functions` has some, by name or as `vault.deposit` (`()` is none: handlers alone); `excluded`
    leaves some out. `senders` are accounts, contracts or any addresses; the first three accounts
    unless given. `max_value` is the most wei sent with a call, `max_seconds` how far time moves at
    once. Reverts are expected and counted; one whose reason contains a text of `forbidden_reverts`
    fails, such as `"panic"`. `compared` are pairs of a target and another contract, such as its
    next version, to which every call is sent too: success, output and logs have to be the same, and
    so do all view functions without arguments.

    For each sequence of calls there is a new object: its attributes are the ghost variables, which
    `setup` initializes and `after_call` updates. Methods marked `@invariant` are called after every
    step, those marked `@handler` are steps::

        class PoolMachine(ContractMachine):
            targets = [pool]

            @invariant
            def covers_shares(self):
                assert pool.contract.balance >= pool.totalShares()

        PoolMachine.check()                  # with Hypothesis
        PoolMachine.campaign(seconds=10)     # guided by coverage
    """

    @classmethod
    def check(cls, settings: settings | None = None) -> Counts:
        """Have Hypothesis look for a sequence after which an invariant fails, and shrink it.

        `settings` are Hypothesis's (`max_examples`, `stateful_step_count`). Methods may also have
        Hypothesis's own `@rule`, `@initialize` and `@precondition`. Returns the counts of calls.
        """
        _check_installed()
        from devchain.testing.hypothesis_machine import check_machine

        return check_machine(cls, settings)

    @classmethod
    def campaign(
        cls,
        seconds: float | None = None,
        *,
        calls: int | None = None,
        steps: int = 30,
        seed: int | None = None,
        corpus: ExampleDatabase | Path | str = CORPUS,
    ) -> CampaignReport:
        """Run sequences that are changed ones of those that reached new code, and check invariants.

        It ends after that many seconds (5 unless `calls` are given) or calls; a sequence has at
        most `steps`. Sequences that reached new blocks of code are kept in the folder `corpus`, or
        a database of Hypothesis, where the next campaign starts from them. Raises what an invariant
        raises, after the shortest sequence found, with a program that reproduces it.
        """
        __tracebackhide__ = True
        _check_installed()
        from devchain.testing.campaign import CampaignSettings, run_campaign

        return run_campaign(cls, CampaignSettings(corpus, seconds, calls, steps, seed))


def _check_installed() -> None:
    if find_spec("hypothesis") is None:
        raise InvalidInput(
            'a ContractMachine needs Hypothesis: pip install "devchain[fuzz]" '
            '(from a clone ".[fuzz]")'
        )
