"""`devchain.testing.gas_report`"""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import ANY

import pytest

from devchain.config import Config
from devchain.contracts.abi import Abi
from devchain.contracts.artifacts import Artifact
from devchain.errors import ConfigError
from devchain.node import Node
from devchain.testing.gas_report import GasTable, compare, format_table, load, save
from devchain.types import TransactionRequest
from tests.accounts import ALICE, BOB
from tests.actions import deploy, run
from tests.conftest import GENESIS_TIME
from tests.contracts.vault import FILE
from tests.testing.test_plugin import run_suite

ROW = {"calls": 1, "min": 10, "mean": 10, "max": 10, "reverted": 0}


@pytest.fixture
def config() -> Config:
    """The configuration of a node with the artifacts of the example contracts."""
    return Config(network="test", fixed_clock=GENESIS_TIME, artifacts=(str(FILE.parent),))


@pytest.fixture
def table(node: Node) -> GasTable:
    """A table of the transactions of `node`."""
    listening = GasTable()
    node.chain.block_listeners.append(lambda block: listening.count(node, block))
    return listening


class TestGasTable:
    def test_rows(self, node: Node, table: GasTable) -> None:
        """Minimum, mean and maximum are those of the receipts; reverts are counted apart."""
        vault = node.deploy("Vault", 100)
        used = [vault.deposit(value=1, sender=each).gas_used for each in (ALICE, BOB, ALICE)]
        run(node, vault.address, vault.deposit.encode())

        row = table.rows()["Vault.deposit()"]

        assert used[2] < used[0]
        assert row == {
            "calls": 3,
            "min": min(used),
            "mean": round(sum(used) / 3),
            "max": max(used),
            "reverted": 1,
        }

    def test_names(self, node: Node, table: GasTable) -> None:
        """Creations, unknown selectors and unknown contracts have rows; plain transfers do not."""
        vault = node.deploy("Vault", 100)
        run(node, vault.address, b"\x01\x02\x03\x04")
        run(node, BOB, value=1)
        deploy(node, b"\x00")

        assert set(table.rows()) == {
            "Vault.constructor",
            "Vault.0x01020304",
            "unknown contract.constructor",
        }

    @pytest.mark.parametrize(
        ("data", "name"), [(b"", "Till.receive()"), (b"\x01\x02\x03\x04", "Till.fallback()")]
    )
    def test_default_functions(self, node: Node, table: GasTable, data: bytes, name: str) -> None:
        """Calls that are for no function have the one that takes them."""
        till = node.contract(
            Artifact("Till", Abi.from_json([{"type": "fallback"}, {"type": "receive"}])),
            deploy(node, b"\x00"),
        )
        run(node, till.address, data)

        assert name in table.rows()

    def test_what_counts(self, node: Node, table: GasTable) -> None:
        """A transaction reverted by a snapshot counts; calls and estimates do not."""
        vault = node.deploy("Vault", 100)
        with node.snapshot():
            vault.deposit(value=1)
        vault.owner()
        node.estimate(TransactionRequest(sender=ALICE, to=BOB))

        assert {name: row["calls"] for name, row in table.rows().items()} == {
            "Vault.constructor": 1,
            "Vault.deposit()": 1,
        }

    def test_add(self, node: Node, table: GasTable) -> None:
        """The figures of two processes are added up."""
        vault = node.deploy("Vault", 100)
        vault.deposit(value=1)
        both = GasTable()

        both.add(table)
        both.add(table)

        assert both.rows()["Vault.deposit()"]["calls"] == 2

    def test_always_reverted(self, node: Node, table: GasTable) -> None:
        """A function of which no call succeeded has no gas."""
        vault = node.deploy("Vault", 100)
        run(node, vault.address, vault.deposit.encode())

        assert table.rows()["Vault.deposit()"] == {
            "calls": 0,
            "min": None,
            "mean": None,
            "max": None,
            "reverted": 1,
        }


class TestCompare:
    """Two runs are compared by the calls that both made."""

    def test_increase(self) -> None:
        """More gas in a call of both runs is an increase, even one that the mean hides."""
        before = {"a": {"A.f()": [10] * 30}, "b": {"A.f()": [7], "A.g()": [1]}}
        now = {"a": {"A.f()": [10] * 30}, "b": {"A.f()": [8], "A.g()": [1]}}

        result = compare(now, before)

        assert result.increases == ["A.f(): mean 9.9 → 9.9, max 10 → 10; most in b (7 → 8)"]
        assert (result.functions, result.calls, result.apart) == (2, 32, [])

    def test_maximum(self) -> None:
        """A greater maximum is an increase even if all calls together use less."""
        result = compare({"a": {"A.f()": [1, 6]}}, {"a": {"A.f()": [5, 5]}})

        assert result.increases == ["A.f(): mean 5.0 → 3.5, max 5 → 6; most in a (5 → 6)"]

    def test_no_increase(self) -> None:
        """Less gas is no increase, nor is another order of the tests."""
        before = {"a": {"A.f()": [10]}, "b": {"A.f()": [20]}}

        assert compare({"b": {"A.f()": [20]}, "a": {"A.f()": [9]}}, before).increases == []

    def test_other_tests(self) -> None:
        """What one run alone called is not compared; examples are drawn anew in each run."""
        called = {"A.f()": [10], "A.g()": [1, 1]}
        before = {"a": {"A.f()": [10]}, "gone": called, "b (teardown)": called}
        drawn = {"a (examples)": {"A.f()": [99]}}
        now = {"a": {"A.f()": [10, 99], "A.new()": [1]}, "new": {"A.f()": [99]}, **drawn}

        result = compare(now, before)

        assert result.increases == []
        assert result.apart == ["a: A.f() ×2, before ×1", "a: A.new() ×1, before ×0"]
        assert result.alone == 3

    def test_fixtures(self) -> None:
        """A fixture may be set up more often, as with more workers."""
        before = {"fixture vault of the session": {"Vault.constructor": [10]}}
        now = {"fixture vault of the session": {"Vault.constructor": [10, 10]}}

        assert compare(now, before).apart == []


class TestSave:
    def test_saved_calls(self, node: Node, table: GasTable, tmp_path: Path) -> None:
        """A saved table has the figures for readers, and gives back the calls."""
        vault = node.deploy("Vault", 100)
        table.caller = 'test_a["x"]'
        vault.deposit(value=1)

        save(table, tmp_path / "gas.json")

        assert load(tmp_path / "gas.json") == table.calls
        assert json.loads((tmp_path / "gas.json").read_text())["functions"] == table.rows()

    @pytest.mark.parametrize("content", ["{", "[]", '{"A": {}}', '{"A": 1}', '{"calls": {"a": 1}}'])
    def test_other_files(self, tmp_path: Path, content: str) -> None:
        """A file that is not a saved table is an error."""
        file = tmp_path / "gas.json"
        file.write_text(content)

        with pytest.raises(ConfigError, match="is not a saved gas table"):
            load(file)


def test_format_table() -> None:
    """Columns are aligned, thousands separated; what always reverted has no gas."""
    reverted = {"calls": 0, "min": None, "mean": None, "max": None, "reverted": 1}
    table = {"Vault.deposit()": {**ROW, "max": 43_059}, "Vault.withdraw()": reverted}

    lines = list(format_table(table))

    assert lines == [
        "contract and function  calls  min  mean     max  reverted",
        "─────────────────────  ─────  ───  ────  ──────  ────────",
        "Vault.deposit()            1   10    10  43,059         0",
        "Vault.withdraw()           0    –     –       –         1",
    ]


SUITE = """
import pytest
@pytest.mark.parametrize("turn", range(2))
def test_it(vault, turn):
    vault.deposit(value=1)
"""


class TestOptions:
    """The `--devchain-gas` options, in a test suite run by `pytester`."""

    def test_shown(self, pytester: pytest.Pytester) -> None:
        """The table is shown at the end."""
        result = run_suite(pytester, "--devchain-gas", test_suite=SUITE)

        result.stdout.fnmatch_lines(["*devchain: gas*", "Vault.deposit()*2*43,059*"])

    def test_saved_and_compared(self, pytester: pytest.Pytester) -> None:
        """A run compared with a saved table fails if a function used more gas."""
        file = pytester.path / "gas.json"
        run_suite(pytester, f"--devchain-gas-save={file}", test_suite=SUITE)
        same = run_suite(pytester, f"--devchain-gas-compare={file}", test_suite=SUITE)
        file.write_text(file.read_text().replace("[43059]", "[43058]", 1))

        higher = run_suite(pytester, f"--devchain-gas-compare={file}", test_suite=SUITE)

        assert same.ret == pytest.ExitCode.OK
        same.stdout.fnmatch_lines(
            ["3 calls of 2 functions in both runs: no functions use more gas"]
        )
        same.stdout.no_fnmatch_line("not compared*")
        assert higher.ret == pytest.ExitCode.TESTS_FAILED
        assert "most in test_suite.py::test_it[0] (43,058 → 43,059)" in higher.stdout.str()
        higher.stdout.fnmatch_lines(
            [
                "3 calls of 2 functions in both runs: 1 function uses more gas",
                "more gas than before: Vault.deposit(): mean 43,058.5 → 43,059.0, max *",
            ]
        )

    @pytest.mark.parametrize("option", ["-q", "--no-summary", "-rN"])
    def test_last_line(self, pytester: pytest.Pytester, option: str) -> None:
        """The last line of pytest counts an increase as an error; its short summary names it."""
        file = pytester.path / "gas.json"
        run_suite(pytester, f"--devchain-gas-save={file}", test_suite=SUITE)
        file.write_text(file.read_text().replace("[43059]", "[43058]", 1))

        result = run_suite(pytester, f"--devchain-gas-compare={file}", option, test_suite=SUITE)

        assert result.ret == pytest.ExitCode.TESTS_FAILED
        assert "2 passed, 1 error in" in result.outlines[-1]
        if option not in {"--no-summary", "-rN"}:
            is_named = option != "-q" or pytest.version_tuple >= (9,)
            message = " - 1 function uses more gas*" if is_named else ""
            result.stdout.fnmatch_lines([f"ERROR --devchain-gas-compare{message}"])

    def test_other_tests(self, pytester: pytest.Pytester) -> None:
        """Tests, and the order of tests, may change: fixtures count for themselves."""
        file = pytester.path / "gas.json"
        test = "def test_{}(vault):\n    vault.deposit(value={})\n"
        run_suite(
            pytester,
            f"--devchain-gas-save={file}",
            test_suite=test.format("a", 1) + test.format("b", 1),
        )

        result = run_suite(
            pytester,
            f"--devchain-gas-compare={file}",
            test_suite=test.format("new", 2**90) + test.format("b", 1),
            conftest="""
import pytest
@pytest.fixture(autouse=True, scope="session")
def rich(devchain, accounts):
    devchain.set_balance(accounts[0], 2**99)
""",
        )

        assert result.ret == pytest.ExitCode.OK
        result.stdout.fnmatch_lines(
            [
                "2 calls of 2 functions in both runs: no functions use more gas",
                "not compared: 2 tests or fixtures of one run alone",
            ]
        )

    def test_examples(self, pytester: pytest.Pytester) -> None:
        """What examples call is drawn: it is neither saved nor compared, but fixtures are."""
        file = pytester.path / "gas.json"
        suite = """
from hypothesis import given, settings, strategies as st
@pytest.fixture
def used(vault):
    vault.deposit(value=1)
@given(st.integers(*LIMITS))
@settings(max_examples=2, database=None)
def test_drawn(vault, used, amount):
    vault.deposit(value=amount, sender=vault.contract.chain.funded_accounts[1])
    if amount > 9:
        vault.deposit(value=amount)
"""
        few, many = (f"import pytest\nLIMITS = {each}\n{suite}" for each in ((1, 2), (10, 20)))
        saving = run_suite(pytester, f"--devchain-gas-save={file}", test_suite=few)

        result = run_suite(pytester, f"--devchain-gas-compare={file}", test_suite=many)

        saving.assert_outcomes(passed=1)
        assert load(file) == {
            "fixture vault of test_suite.py": {"Vault.constructor": [ANY]},
            "test_suite.py::test_drawn": {"Vault.deposit()": [ANY]},
        }
        assert result.ret == pytest.ExitCode.OK
        result.stdout.fnmatch_lines(
            ["2 calls of 2 functions in both runs: no functions use more gas"]
        )
        result.stdout.no_fnmatch_line("not compared*")

    def test_teardown(self, pytester: pytest.Pytester) -> None:
        """What is called when a module ends does not count for its last test."""
        file = pytester.path / "gas.json"
        run_suite(
            pytester,
            f"--devchain-gas-save={file}",
            test_suite="""
@pytest.fixture(scope="module")
def used(vault):
    yield
    vault.deposit(value=1)
def test_it(used, vault):
    pass
""",
        )

        assert set(json.loads(file.read_text())["calls"]) == {
            "fixture vault of test_suite.py",
            "test_suite.py::test_it (teardown)",
        }
