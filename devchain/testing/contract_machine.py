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

CORPUS = Path(".devchain") / "corpus"  # sequences that campaigns keep


class ContractMachine(Machine):
    """Contracts under test, their callers, and invariants: subclass it in a test.

    `targets` are the contracts whose functions are called: all that are not `view` or `pure`.
    `functions` names some instead, as text or as `vault.deposit`; `()` is none. `excluded` leaves
    some out. `senders` are accounts, contracts or any addresses, by default the first three
    accounts. `max_value` is the most wei sent with a call, `max_seconds` the longest step of time.

    Reverts are expected and counted. A revert fails if its reason contains a text of
    `forbidden_reverts`, such as `"panic"`. `compared` are pairs of a target and another contract,
    such as its next version: every call is sent to both. Success, output, logs and view functions
    without arguments have to be the same.

    Each sequence of calls has a new object. Its attributes are ghost variables: `setup` initializes
    them, `after_call` updates them. `@invariant` methods are called after every step, `@handler`
    methods are steps::

    class PoolMachine(ContractMachine): targets = [pool]

    @invariant def covers_shares(self): assert pool.contract.balance >= pool.totalShares()

    PoolMachine.check() # with Hypothesis PoolMachine.campaign(seconds=10) # guided by coverage
    """

    @classmethod
    def check(cls, settings: settings | None = None) -> Counts:
        """Let Hypothesis look for a sequence of calls that breaks an invariant, and shrink it.

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
        """Look for a failing sequence of calls, guided by the code that sequences reach.

        It ends after that many seconds (5 unless `calls` are given) or calls. A sequence has at
        most `steps`. Sequences that reached new code are kept in `corpus`, a folder or a database
        of Hypothesis; the next campaign starts from them. `seed` repeats a campaign that
        starts from the same corpus, such as an empty folder. Raises the invariant's error after the
        shortest sequence found, with a program that reproduces it.
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
