"""`devchain.testing.hypothesis_examples`, in test suites run by `pytester`."""

from __future__ import annotations

import pytest

from tests.contracts.vault import FILE

SUITE = f"""
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

@pytest.fixture
def vault(devchain):
    return devchain.deploy({str(FILE)!r}, 60)
"""


def run_suite(pytester: pytest.Pytester, text: str, *options: str) -> pytest.RunResult:
    """Run a test suite of one module after `SUITE`."""
    pytester.makepyfile(test_suite=SUITE + text)
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:randomly", *options)


class TestIsolation:
    def test_every_example_starts_anew(self, pytester: pytest.Pytester) -> None:
        """Examples do not see what others sent, in functions and in methods; nor do later tests."""
        result = run_suite(
            pytester,
            """
@given(amount=st.integers(1, 10**6))
def test_one(devchain, vault, accounts, amount):
    assert devchain.block_number == 1
    vault.deposit(value=amount)
    assert vault.deposits(accounts[0]) == amount
class TestOne:
    @pytest.mark.parametrize("turn", [1, 2])
    @given(amount=st.integers(1, 10**6))
    def test_two(self, vault, accounts, turn, amount):
        vault.deposit(value=amount)
        assert vault.deposits(accounts[0]) == amount
def test_three(devchain):
    assert devchain.block_number == 0
""",
        )

        result.assert_outcomes(passed=4)

    def test_time_stands_still(self, pytester: pytest.Pytester) -> None:
        """Every example sees the same time, which callers alone move."""
        result = run_suite(
            pytester,
            """
seen = set()
@settings(max_examples=30)
@given(seconds=st.integers(1, 100))
def test_time(devchain, vault, seconds):
    seen.add(devchain.clock.now())
    before = devchain.timestamp
    devchain.time_travel(seconds)
    assert devchain.timestamp == before + seconds
    assert len(seen) == 1
""",
        )

        result.assert_outcomes(passed=1)

    def test_fixtures_of_the_test(self, pytester: pytest.Pytester) -> None:
        """Hypothesis does not refuse fixtures of a test, whose state of the chain is restored."""
        result = run_suite(
            pytester,
            """
@given(x=st.integers())
def test_vault(vault, x):
    assert vault.deposit(value=1).block_number == 2
""",
        )

        result.assert_outcomes(passed=1)

    def test_reverting_further(self, pytester: pytest.Pytester) -> None:
        """An example that resets the chain is an error that says so."""
        result = run_suite(
            pytester,
            """
@given(x=st.integers())
def test_reset(devchain, vault, x):
    devchain.reset()
""",
        )

        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["*reverted the chain to before its test*"])


class TestFailure:
    def test_reproducer(self, pytester: pytest.Pytester) -> None:
        """A failure shows the smallest example as a program, and reprs of one line."""
        result = run_suite(
            pytester,
            """
@given(data=st.data())
def test_small(devchain, vault, accounts, data):
    function = data.draw(st.sampled_from([vault.deposit]))
    mined = function(value=data.draw(st.integers(1, 10**6)), sender=accounts[2])
    data.draw(st.just(mined))
    devchain.time_travel(100)
    vault.withdraw(sender=accounts[1])
""",
        )

        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(
            [
                "*Draw 1: <Vault.deposit()>*",
                "*Draw 2: 1*",
                "*Draw 3: <Mined 0x* in block 2, * gas>*",
                "*devchain: reproducer*",
                'vault = devchain.deploy("Vault", 60, sender=accounts[[]0])',
                "vault.deposit(sender=accounts[[]2], value=1)",
                "devchain.time_travel(100)",
                "vault.withdraw(sender=accounts[[]1])  # failed: *NotOwner(caller=0x7099*",
                "*devchain: where it failed*",
            ]
        )

    @pytest.mark.parametrize("shown", ["auto", "all"])
    def test_set_up(self, pytester: pytest.Pytester, shown: str) -> None:
        """What succeeded before the example is in the program alone, unless all is asked for."""
        suite = """
@given(x=st.integers(0, 3))
def test_it(vault, accounts, x):
    vault.deposit(sender=accounts[0], value=5)
    assert x < 2
"""
        result = run_suite(pytester, suite, f"--devchain-trace={shown}")

        result.stdout.fnmatch_lines(["*devchain: reproducer*", "*transaction 0x* in block 2*"])
        assert ("in block 1" in str(result.stdout)) == (shown == "all")

    @pytest.mark.parametrize("shown", ["auto", "all"])
    def test_set_up_of_a_campaign(self, pytester: pytest.Pytester, shown: str) -> None:
        """So it is of a campaign, whose calls are undone; what failed without notice is shown."""
        suite = """
from devchain.fuzzing import ContractMachine, invariant
from devchain.types import TransactionRequest

def test_it(devchain, vault, accounts):
    sender = devchain.accounts.addresses()[0]
    devchain.send(TransactionRequest(sender, vault.address, 90_000, value=1))

    class Machine(ContractMachine):
        targets = (vault,)

        @invariant
        def is_empty(self):
            assert vault.contract.balance == 0

    Machine.campaign(seconds=10)
"""
        result = run_suite(pytester, suite, f"--devchain-trace={shown}")

        result.stdout.fnmatch_lines(["*the shortest sequence found:", "*in block 2*"])
        assert ("in block 1" in str(result.stdout)) == (shown == "all")
