"""`devchain.testing.mutation`, in test suites run by `pytester`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.contracts.vault import FILE

BRANCHES = Path(__file__).parent / "contracts" / "branches.json"
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
    progress = shown.partition("the tests run once more, then with 12 mutants\n")[2]
    assert Counter(progress.splitlines()[0]) == {".": 6, "S": 4, "-": 2}


def test_same_state_for_each_mutant(pytester: pytest.Pytester) -> None:
    """What a test did with one mutant is undone before the next, with fixtures of modules too."""
    test = """
def test_first_deposit(vault, accounts):
    assert vault.balance == 0
    vault.deposit(sender=accounts[1], value=1)
"""
    shown = run(pytester, SUITE + test, "--devchain-mutate")

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


def test_several_contracts(pytester: pytest.Pytester) -> None:
    """Of the contracts that the option names when it is given twice, each has to be there."""
    pytester.makepyfile(test_vault=SUITE)
    options = ("--devchain-mutate=Safe", "--devchain-mutate=Vault")
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", *options)

    result.stderr.fnmatch_lines(["*--devchain-mutate=Safe: *no contract of that name, but Vault"])


def test_another_contract(pytester: pytest.Pytester) -> None:
    """A name that no contract has is an error that says which there are."""
    pytester.makepyfile(test_vault=SUITE)
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "--devchain-mutate=Valut")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    wanted = "--devchain-mutate=Valut: the tests run no contract of that name, but Vault"
    result.stderr.fnmatch_lines([f"*{wanted}"])


def test_helpers(pytester: pytest.Pytester) -> None:
    """Contracts in folders of tests are changed only if they are named, or there are no others."""
    artifact = pytester.path / "branches.json"
    artifact.write_text(BRANCHES.read_text().replace("Branches.sol", "tests/Branches.sol"))
    helper = f"""
def test_helper(devchain):
    assert devchain.deploy({str(artifact)!r}).checked(1)
"""

    assert "12 mutants: 6 killed" in run(pytester, SUITE + helper, "--devchain-mutate")
    named = ("--devchain-mutate", "--devchain-mutate=Branches")
    for suite, options in ((SUITE + helper, named), (helper, named[:1])):
        shown = run(pytester, suite, *options)
        assert "tests/Branches.sol: no test reaches" in shown
        assert "Vault.sol" not in shown


def test_other_reports(pytester: pytest.Pytester) -> None:
    """Other reports have what the tests do with the contracts as they are, and change no mutant."""
    options = ("--devchain-mutate", "--devchain-coverage=c.lcov", "--devchain-gas")
    shown = run(pytester, SUITE, *options)

    assert "12 mutants: 6 killed" in shown
    [row] = [line for line in shown.splitlines() if line.startswith("Vault.constructor")]
    assert row.split()[1] == "1"


def test_workers(pytester: pytest.Pytester) -> None:
    """Workers of pytest-xdist share the mutants."""
    pytester.makepyfile(test_vault=SUITE)

    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--devchain-mutate", "-n", "2")

    assert "12 mutants: 6 killed, 4 survived, 2 reached by no test" in result.stdout.str()


def test_empty_corpus(pytester: pytest.Pytester) -> None:
    """A campaign whose corpus is not kept has nothing to run: the report says so."""
    text = SUITE + CAMPAIGN.replace("seed=1", "seed=1, corpus=tmp_path")
    text = text.replace("test_campaign(vault)", "test_campaign(vault, tmp_path)")

    assert "Deposits ran nothing: its corpus is empty" in run(pytester, text, "--devchain-mutate")


def test_failing(pytester: pytest.Pytester) -> None:
    """Tests that fail without a mutant take no part."""
    wrong = "\ndef test_wrong(devchain):\n    assert False\n"
    pytester.makepyfile(test_vault=SUITE + wrong, test_other=wrong)

    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "--devchain-mutate")

    names = "test_other.py::test_wrong, test_vault.py::test_wrong"
    assert f"left out 2 tests that failed without a mutant: {names}" in result.stdout.str()


@pytest.mark.parametrize(("more", "count"), [("owner", 1 + 3), ("deposit", 1 + 3 + 6 + 1)])
def test_fixtures(pytester: pytest.Pytester, more: str, count: int) -> None:
    """A fixture of a module is set up again for each mutant that it reaches, and after these."""
    text = SUITE.replace("return devchain.deploy", "print('\\nset up\\n'); made = devchain.deploy")
    call = "made.owner()" if more == "owner" else "made.deposit(sender=accounts[2], value=1)"
    text = text.replace(
        "accounts[0])\n\ndef", f"accounts[0])\n    {call}\n    return made\n\ndef", 1
    )

    shown = run(pytester, text, "--devchain-mutate", "-s")

    assert shown.count("set up") == count


GIVEN = """
from hypothesis import given, settings, strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase

@pytest.fixture
def start():
    print("\\nstart")

@settings(database=DirectoryBasedExampleDatabase("kept"), max_examples=20)
@given(value=st.integers(1, 10**9))
def test_given(start, vault, accounts, value):
    print("\\nexample")
    vault.deposit(sender=accounts[1], value=value)
    assert vault.deposits(accounts[1]) == value
"""


def test_examples(pytester: pytest.Pytester) -> None:
    """With a mutant the first example that fails ends a test: it is neither shrunk nor kept."""
    shown = run(
        pytester, SUITE.replace("def test_dep", "def no_dep") + GIVEN, "--devchain-mutate", "-s"
    )
    counts = [part.count("example\n") for part in shown.split("start\n")[1:]]

    assert counts[:2] == [20, 20]
    assert min(counts) < max(counts[2:]) == 20
    assert all(count == 20 or count <= 3 for count in counts)
    assert not list(pytester.path.rglob("kept/*/*"))
