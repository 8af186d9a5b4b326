"""`devchain.testing.mutation`, in test suites run by `pytester`."""

from __future__ import annotations

import pytest

from tests.contracts.vault import FILE

SUITE = f"""
import pytest
from devchain.errors import ExecutionReverted

@pytest.fixture(scope="module")
def vault(devchain, accounts):
    return devchain.deploy({str(FILE)!r}, 100, sender=accounts[0])

def test_deposit(vault, accounts):
    vault.deposit(sender=accounts[1], value=1)
    assert vault.deposits(accounts[1]) == 1

def test_closed(vault, accounts):
    with pytest.raises(ExecutionReverted, match="closed"):
        vault.withdraw(sender=accounts[0])

def test_owner(vault, accounts):
    with pytest.raises(ExecutionReverted, match="NotOwner"):
        vault.withdraw(sender=accounts[1])
"""
NOTHING = """
def test_nothing(vault, accounts):
    with pytest.raises(ExecutionReverted, match="nothing"):
        vault.deposit(sender=accounts[1])
"""


def run(pytester: pytest.Pytester, text: str, *options: str) -> str:
    pytester.makepyfile(test_vault=text)
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", *options)
    assert result.ret == 0
    return result.stdout.str()


def test_survivors(pytester: pytest.Pytester) -> None:
    """Changes that no test notices are shown as diffs; others are counted."""
    shown = run(pytester, SUITE, "--devchain-mutate")

    assert '+        require(msg.value >= 0, "nothing to deposit");' in shown
    assert "-        emit Deposited(msg.sender, msg.value);" in shown
    assert "no test reaches 30, 31" in shown
    assert "12 mutants: 6 killed, 4 survived, 2 reached by no test" in shown


def test_another_test(pytester: pytest.Pytester) -> None:
    """With a test of the requirement its mutants are killed."""
    shown = run(pytester, SUITE + NOTHING, "--devchain-mutate=Vault")

    assert "require(msg.value >= 0" not in shown
    assert "12 mutants: 8 killed" in shown


@pytest.mark.parametrize("workers", ["0", "2"])
@pytest.mark.parametrize(("least", "code"), [("50", 0), ("50.1", 1)])
def test_fail_under(pytester: pytest.Pytester, least: str, code: int, workers: str) -> None:
    """A run fails in which a smaller part of the mutants is killed, here 6 of 12."""
    pytester.makepyfile(test_vault=SUITE)
    options = ("--devchain-mutate", f"--devchain-mutate-fail-under={least}", "-n", workers)

    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *options)

    assert result.ret == code
    assert (f"less than {least} % of the mutants killed" in result.stdout.str()) == bool(code)


CAMPAIGN = """
def test_campaign(vault):
    from devchain.fuzzing import ContractMachine

    class Deposits(ContractMachine):
        targets = (vault,)
        functions = ("deposit",)

        def after_call(self, call):
            assert call.succeeded == (call.value > 0)
            ran.append(call)

    ran = []
    report = Deposits.campaign(calls=500, seed=1)
    assert len(ran) == report.counts.calls
    print(f"\\nran {len(ran)} calls")
"""


def test_campaigns(pytester: pytest.Pytester) -> None:
    """With mutants a campaign runs its corpus alone, and adds nothing to it."""
    text = SUITE + CAMPAIGN

    shown = run(pytester, text, "--devchain-mutate", "-s")
    calls = [int(line.split()[-2]) for line in shown.splitlines() if line.endswith(" calls")]
    kept = [file.read_bytes() for file in pytester.path.rglob("corpus/*/*")]

    assert "require(msg.value >= 0" not in shown
    assert calls[0] > 400 > 5 * max(calls[1:])
    assert run(pytester, text, "--devchain-mutate")
    assert kept == [file.read_bytes() for file in pytester.path.rglob("corpus/*/*")]


def test_another_contract(pytester: pytest.Pytester) -> None:
    """A name that no contract has is an error that says which there are."""
    pytester.makepyfile(test_vault=SUITE)
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "--devchain-mutate=Valut")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    wanted = "--devchain-mutate=Valut: the tests run no contract of that name, but Vault"
    result.stderr.fnmatch_lines([f"*{wanted}"])


def test_workers(pytester: pytest.Pytester) -> None:
    """Workers of pytest-xdist share the mutants."""
    pytester.makepyfile(test_vault=SUITE)

    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--devchain-mutate", "-n", "2")

    assert "12 mutants: 6 killed, 4 survived, 2 reached by no test" in result.stdout.str()


def test_failing(pytester: pytest.Pytester) -> None:
    """Tests that fail without a mutant take no part."""
    pytester.makepyfile(test_vault=SUITE + "\ndef test_wrong(devchain):\n    assert False\n")

    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "--devchain-mutate")

    assert "left out 1 test that failed without a mutant" in result.stdout.str()
