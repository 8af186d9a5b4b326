"""`devchain.testing.gas_flame`"""

from __future__ import annotations

import json

import pytest

from tests.testing.test_plugin import run_suite

SUITE = """
@pytest.mark.parametrize("turn", range(2))
def test_deposit(vault, accounts, turn):
    vault.deposit(value=5, sender=accounts[1])
"""


class TestGasFlame:
    @pytest.mark.parametrize("columns", [60, 80, 120])
    def test_width(
        self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, columns: int
    ) -> None:
        """Rows fit the terminal: texts of lines are shortened."""
        monkeypatch.setenv("COLUMNS", str(columns))
        result = run_suite(pytester, "--devchain-gas-flame=gas.json", test_suite=SUITE)

        lines = result.stdout.lines
        start = next(at for at, each in enumerate(lines) if "gas by line" in each)
        end = next(at for at, each in enumerate(lines) if each.startswith("flame graph"))
        rows = lines[start + 1 : end]
        assert len(rows) > 2
        assert max(map(len, rows)) < columns
        assert any("(" in each for each in rows)

    @pytest.mark.parametrize(
        "options", [(), ("-n2",), ("-p", "no:xdist")], ids=["alone", "parallel", "no xdist"]
    )
    def test_folded(self, pytester: pytest.Pytester, options: tuple[str, ...]) -> None:
        """The gas of all transactions by call stack; that of workers is added up."""
        result = run_suite(pytester, "--devchain-gas-flame=gas.folded", *options, test_suite=SUITE)

        result.assert_outcomes(passed=2)
        result.stdout.fnmatch_lines(["*devchain: gas by line*", "flame graph: gas.folded"])
        rows = dict(
            line.rsplit(" ", 1) for line in (pytester.path / "gas.folded").read_text().splitlines()
        )
        deposits = sum(int(gas) for name, gas in rows.items() if "Vault.deposit" in name)
        one_deposit = 20_000 + 375
        assert deposits > 2 * one_deposit
        assert int(rows["(intrinsic gas)"]) > 4 * 21_000

    def test_speedscope(self, pytester: pytest.Pytester) -> None:
        """Any other name is JSON for speedscope."""
        result = run_suite(pytester, "--devchain-gas-flame=gas.json", test_suite=SUITE)

        result.assert_outcomes(passed=2)
        written = json.loads((pytester.path / "gas.json").read_text())
        assert "Vault.deposit" in {each["name"] for each in written["shared"]["frames"]}

    def test_other_format(self, pytester: pytest.Pytester) -> None:
        """A name of another format is an error before the tests."""
        result = run_suite(pytester, "--devchain-gas-flame=gas.html", test_suite=SUITE)

        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["*gas.html ends in .html, name it .json, or .folded or .txt*"])

    def test_not_writable(self, pytester: pytest.Pytester) -> None:
        """A folder that does not exist is an error before the tests."""
        result = run_suite(pytester, "--devchain-gas-flame=none/gas.json", test_suite=SUITE)

        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["*cannot write the flame graph none/gas.json*"])
