"""The pytest option `--devchain-coverage`, in a test suite run by `pytester`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.testing.covered import CONTRACTS

SUITE = """
import pytest

def test_price(devchain):
    till = devchain.deploy("Till")
    till.price(0)

def test_twins(devchain):
    devchain.deploy("Twins").second()
"""


def run_suite(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    """Run `SUITE` with those options."""
    pytester.makepyfile(SUITE)
    common = ("-p", "no:cacheprovider", f"--devchain-artifacts={CONTRACTS / 'till-plain.json'}")
    return pytester.runpytest_inprocess(*common, *options)


class TestCoverage:
    @pytest.mark.parametrize(
        "options", [(), ("-n2",), ("-p", "no:xdist")], ids=["alone", "parallel", "no xdist"]
    )
    def test_shown_and_written(self, pytester: pytest.Pytester, options: tuple[str, ...]) -> None:
        """The summary has the table, the lcov file is written; counts of workers are added up."""
        result = run_suite(pytester, "--devchain-coverage=out.info", *options)

        result.assert_outcomes(passed=2)
        result.stdout.fnmatch_lines(
            ["*devchain: coverage*", "contracts/Till.sol *33 * 8 *24.2 *16 *3 *18.8"]
        )
        written = Path("out.info").read_text().splitlines()
        assert {"SF:contracts/Till.sol", "DA:55,1", "DA:130,1", "DA:126,0", "LH:8", "BRH:3"} <= set(
            written
        )

    def test_table_alone(self, pytester: pytest.Pytester) -> None:
        """Without a file name the table is shown and no file is written."""
        result = run_suite(pytester, "--devchain-coverage")

        result.stdout.fnmatch_lines(["*devchain: coverage*", "*missed: *"])
        assert not [each for each in pytester.path.iterdir() if each.suffix not in {".py", ""}]

    def test_off(self, pytester: pytest.Pytester) -> None:
        """Without the option there is no coverage report."""
        result = run_suite(pytester)

        result.assert_outcomes(passed=2)
        result.stdout.no_fnmatch_line("*coverage*")

    def test_other_file(self, pytester: pytest.Pytester) -> None:
        """A file of tests that follows the option, whose value is optional, is not overwritten."""
        file = pytester.makepyfile("def test_it():\n    pass\n")
        before = file.read_text()

        result = pytester.runpytest_inprocess("--devchain-coverage", str(file))

        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["*exists and is no lcov file: name another one*"])
        assert file.read_text() == before

    def test_file_that_cannot_be_written(self, pytester: pytest.Pytester) -> None:
        """A file that cannot be written is a usage error before any test runs."""
        result = run_suite(pytester, "--devchain-coverage=no/such/folder.info")

        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(
            ["*cannot write the coverage file no/such/folder.info: No such*"]
        )
