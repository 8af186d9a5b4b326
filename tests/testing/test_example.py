"""`examples/pytest`, run with its settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "pytest"


def run(pytester: pytest.Pytester, path: Path, *options: str) -> pytest.RunResult:
    """Run pytest on a path with the settings of the example."""
    settings = ("-c", str(EXAMPLE / "pytest.ini"), "-p", "no:cacheprovider")
    return pytester.runpytest_inprocess(*settings, str(path), *options)


def test_passes(pytester: pytest.Pytester) -> None:
    """Every test passes, and the gas table names the contract's functions."""
    result = run(pytester, EXAMPLE, "--devchain-gas")

    result.assert_outcomes(passed=9)
    result.stdout.fnmatch_lines(["Vault.constructor *", "Vault.deposit() *", "Vault.withdraw() *"])


def test_failing_tests(pytester: pytest.Pytester) -> None:
    """Reports of failing tests have the reason, the line of the source and the call tree."""
    result = run(pytester, EXAMPLE / "failing_vault.py")

    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "*devchain: where it failed*",
            "*custom error NotOwner(caller=0x7099*",
            "  at Vault.withdraw()  Vault.sol:27",
            "     > 27 * revert NotOwner(msg.sender);",
            "*devchain: transaction 0x*",
            "* Vault.withdraw() * Vault.sol:28",
            "*reverted: the vault is still closed",
            "   > 28 * require(block.timestamp >= opensAt*",
        ]
    )


def test_artifact() -> None:
    """The artifact has the source that lies beside it."""
    artifact = json.loads((ROOT / "examples" / "contracts" / "Vault.json").read_text())

    assert artifact["source"] == (ROOT / "examples" / "contracts" / "Vault.sol").read_text()


def test_peg(pytester: pytest.Pytester) -> None:
    """The tests of the peg pass."""
    settings = ("-c", str(ROOT / "examples" / "peg" / "pytest.ini"), "-p", "no:cacheprovider")
    result = pytester.runpytest_inprocess(*settings, str(ROOT / "examples" / "peg"))

    result.assert_outcomes(passed=3)
