"""`--devchain-hardfork-diff`, in test suites run by `pytester`."""

from __future__ import annotations

import pytest

from tests.bytecode import assemble, init_code

COPIER = init_code(assemble("PUSH0 PUSH0 PUSH0 MCOPY STOP")).hex()
PLAIN = init_code(assemble("1 0 SSTORE STOP")).hex()
CATCHER = init_code(assemble("0 0 0 0 0 4 CALLDATALOAD 50000 CALL 0 MSTORE 32 0 RETURN")).hex()

SUITE = f"""
import pytest

def artifact(name, code, function, mutability="nonpayable", inputs=(), outputs=()):
    return {{
        "contractName": name,
        "bytecode": "0x" + code,
        "abi": [{{
            "type": "function", "name": function, "stateMutability": mutability,
            "inputs": [{{"name": "", "type": kind}} for kind in inputs],
            "outputs": [{{"name": "", "type": kind}} for kind in outputs],
        }}],
    }}

@pytest.fixture(scope="module")
def copier(devchain):
    return devchain.deploy(artifact("Copier", "{COPIER}", "copy"))

@pytest.fixture(scope="module")
def catcher(devchain):
    form = ("Catcher", "{CATCHER}", "attempt", "view", ["address"], ["bool"])
    return devchain.deploy(artifact(*form))

def test_copy(copier):
    copier.copy()
    copier.copy()

def test_plain(devchain):
    devchain.deploy(artifact("Plain", "{PLAIN}", "set")).set()

def test_attempt(copier, catcher):
    assert catcher.attempt(copier)

def test_transfer(devchain, accounts):
    devchain.transact(to=accounts[1], value=1)
"""


def run(pytester: pytest.Pytester, *options: str) -> str:
    """The report of a passing suite."""
    pytester.makepyfile(test_suite=SUITE)
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", *options)
    assert result.ret == 0
    return result.stdout.str().partition("devchain: upgrade")[2].partition("\n")[2]


# Init code costs 2 gas a word since lovell (RSKIP438).
PLANTED = """\
contract and function     calls  changed     gas    then    change  place
Copier.copy()                 2        2       0       0    +0.0 %
  2 with another status: invalid opcode: MCOPY is not available before lovell; compile with \
evmVersion shanghai
Catcher.attempt(address)      1        1  22,180  72,171  +225.4 %
  1 with another result
Catcher.constructor           1        1  58,500  58,496    -0.0 %
Copier.constructor            1        1  54,250  54,248    -0.0 %
Plain.constructor             1        1  54,454  54,452    -0.0 %
5 of 6 functions would change from vetiver to arrowhead, in 7 calls
"""


def test_planted(pytester: pytest.Pytester) -> None:
    """Each planted difference of status, result or gas is named, and nothing else."""
    assert run(pytester, "--devchain-hardfork-diff=vetiver..arrowhead").startswith(PLANTED)


def test_nothing(pytester: pytest.Pytester) -> None:
    """Upgrades that change nothing here are said to change nothing."""
    shown = run(pytester, "--devchain-hardfork-diff=lovell..reed")

    assert shown.startswith("0 of 6 functions would change from lovell to reed, in 7 calls")


def test_workers(pytester: pytest.Pytester) -> None:
    """The figures of all workers are one table."""
    shown = run(pytester, "--devchain-hardfork-diff=vetiver..arrowhead", "-n2")

    assert "2 with another status" in shown
    assert "5 of 6 functions would change" in shown


@pytest.mark.parametrize(
    ("option", "problem"),
    [
        ("vetiver", "takes two hardforks: OLD..NEW"),
        ("vetiver..none", "unknown hardfork 'none'"),
        ("vetiver..prague", "prague is of another chain than vetiver"),
    ],
)
def test_wrong(pytester: pytest.Pytester, option: str, problem: str) -> None:
    """Hardforks that cannot be compared are said to be wrong."""
    pytester.makepyfile(test_suite=SUITE)

    result = pytester.runpytest_inprocess(f"--devchain-hardfork-diff={option}")

    assert result.ret != 0
    assert problem in "\n".join([*result.outlines, *result.errlines])
