"""`devchain.testing.gas_report`"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from devchain.config import Config
from devchain.errors import ConfigError
from devchain.node import Node
from devchain.testing.gas_report import GasTable, format_table, increases, load
from devchain.types import TransactionRequest
from tests.accounts import ALICE, BOB
from tests.actions import deploy, run
from tests.bytecode import assemble
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
    listening.listen_to(node)
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

    def test_known_cost(self, node: Node, table: GasTable) -> None:
        """A call that stores 1 in an empty slot: 21000, two pushes of 3, 20000 for the slot."""
        storing = deploy(node, assemble("1 0 SSTORE STOP"))
        run(node, storing)

        name = f"0x{storing.hex()}.0x"
        assert table.rows()[name]["mean"] == 21_000 + 3 + 3 + 20_000

    def test_names(self, node: Node, table: GasTable) -> None:
        """Creations, unknown selectors and unknown contracts have rows; plain transfers do not."""
        vault = node.deploy("Vault", 100)
        run(node, vault.address, b"\x01\x02\x03\x04")
        run(node, BOB, value=1)
        deploy(node, b"\x00")

        assert set(table.rows()) == {
            "Vault.constructor",
            "Vault.fallback",
            "unknown contract.constructor",
        }

    def test_reverted_transactions_count(self, node: Node, table: GasTable) -> None:
        """A transaction reverted by a snapshot counts."""
        vault = node.deploy("Vault", 100)
        with node.snapshot():
            vault.deposit(value=1)

        assert table.rows()["Vault.deposit()"]["calls"] == 1

    def test_calls_do_not_count(self, node: Node, table: GasTable) -> None:
        """Calls and estimates do not count."""
        vault = node.deploy("Vault", 100)
        vault.owner()
        node.estimate(TransactionRequest(sender=ALICE, to=BOB))

        assert set(table.rows()) == {"Vault.constructor"}

    def test_add(self, node: Node, table: GasTable) -> None:
        """The figures of two processes are added up, also after JSON."""
        vault = node.deploy("Vault", 100)
        vault.deposit(value=1)
        both = GasTable()

        both.add(table.figures())
        both.add(json.loads(json.dumps(table.figures())))

        assert both.rows()["Vault.deposit()"]["calls"] == 2


class TestIncreases:
    def test_increase(self) -> None:
        """Mean and maximum are compared; new and removed functions are no increase."""
        now = {"A.f()": {**ROW, "mean": 11, "max": 12}, "A.new()": ROW}
        before = {"A.f()": ROW, "A.gone()": ROW}

        assert increases(now, before) == [
            "A.f(): mean 10 → 11 (+1 gas)",
            "A.f(): max 10 → 12 (+2 gas)",
        ]

    def test_no_increase(self) -> None:
        """Less gas is no increase, nor is a function whose calls all reverted before."""
        none = {**ROW, "calls": 0, "mean": 0, "max": 0, "min": 0}

        assert increases({"A.f()": {**ROW, "mean": 9}}, {"A.f()": ROW}) == []
        assert increases({"A.f()": ROW}, {"A.f()": none}) == []


@pytest.mark.parametrize("content", ["{", "[]", '{"A": {}}', '{"A": 1}'], ids=repr)
def test_load_rejects_other_files(tmp_path: Path, content: str) -> None:
    """A file that is not a saved table is an error."""
    file = tmp_path / "gas.json"
    file.write_text(content)

    with pytest.raises(ConfigError, match="is not a saved gas table"):
        load(file)


def test_format_table() -> None:
    """Columns are aligned, thousands separated."""
    lines = list(format_table({"Vault.deposit()": {**ROW, "max": 43_059}}))

    assert lines == [
        "contract and function  calls  min  mean     max  reverted",
        "─────────────────────  ─────  ───  ────  ──────  ────────",
        "Vault.deposit()            1   10    10  43,059         0",
    ]


SUITE = """
import pytest
@pytest.mark.parametrize("turn", range(2))
def test_it(vault, turn):
    vault.deposit(value=1)
"""


class TestOptions:
    """The `--devchain-gas` options, in a test suite run by `pytester`."""

    @pytest.mark.parametrize(
        "options", [(), ("-n2",), ("-p", "no:xdist")], ids=["alone", "parallel", "no xdist"]
    )
    def test_shown(self, pytester: pytest.Pytester, options: tuple[str, ...]) -> None:
        """The table is shown at the end; figures of workers are added up."""
        result = run_suite(pytester, "--devchain-gas", *options, test_suite=SUITE)

        result.stdout.fnmatch_lines(["*devchain: gas*", "Vault.deposit()*2*43,059*"])

    def test_saved_and_compared(self, pytester: pytest.Pytester) -> None:
        """A run compared with a saved table fails if a function used more gas."""
        file = pytester.path / "gas.json"
        run_suite(pytester, f"--devchain-gas-save={file}", test_suite=SUITE)
        same = run_suite(pytester, f"--devchain-gas-compare={file}", test_suite=SUITE)
        rows = json.loads(file.read_text())
        rows["Vault.deposit()"]["max"] -= 1
        file.write_text(json.dumps(rows))

        higher = run_suite(pytester, f"--devchain-gas-compare={file}", test_suite=SUITE)

        assert same.ret == pytest.ExitCode.OK
        assert higher.ret == pytest.ExitCode.TESTS_FAILED
        higher.stdout.fnmatch_lines(["more gas than before: Vault.deposit(): max 43058 → 43059*"])

    def test_missing_file(self, pytester: pytest.Pytester) -> None:
        """A missing file to compare with is a usage error."""
        result = run_suite(pytester, "--devchain-gas-compare=none.json", test_suite=SUITE)

        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["*cannot read the gas table none.json*"])
