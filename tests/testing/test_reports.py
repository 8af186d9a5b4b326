"""`devchain.testing.reports`, in test suites run by `pytester`"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.contracts.test_artifact_files import PROJECTS
from tests.contracts.test_changed_sources import edit, vyper_project
from tests.testing.covered import CONTRACTS
from tests.testing.test_plugin import run_suite

SUITE = """
import pytest

def test_price(devchain):
    till = devchain.deploy("Till")
    till.price(0)

def test_twins(devchain):
    devchain.deploy("Twins").second()
"""
DEPOSITS = """
@pytest.mark.parametrize("turn", range(2))
def test_deposit(vault, accounts, turn):
    vault.deposit(value=5, sender=accounts[1])
"""
TILL = f"--devchain-artifacts={CONTRACTS / 'till-plain.json'}"
COVERED = {"SF:contracts/Till.sol", "DA:55,1", "DA:130,1", "DA:126,0", "LH:8", "BRH:3"}


def run(pytester: pytest.Pytester, *options: str, suite: str = SUITE) -> pytest.RunResult:
    """Run a suite with those options."""
    pytester.makepyfile(suite)
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", *options)


def test_workers(pytester: pytest.Pytester) -> None:
    """Each worker of pytest-xdist has its own chain; what all have collected is added up."""
    project = shutil.copytree(PROJECTS / "foundry", pytester.path / "foundry")
    (project / "src" / "Lid.sol").write_text("contract Lid {}")
    options = ("--devchain-gas", "--devchain-gas-flame=gas.folded", "--devchain-coverage=out.info")
    suite = f"""{SUITE}
from hypothesis import given, strategies as st

@pytest.mark.parametrize("turn", range(2))
def test_own_chain(devchain, turn):
    assert devchain.block_number == 0
    devchain.deploy("Lid")

@given(amount=st.integers(1, 10**6))
def test_examples(devchain, amount):
    assert devchain.block_number == 0
    devchain.mine()
"""
    artifacts = f"--devchain-artifacts={project}"
    result = run(pytester, "-n2", TILL, artifacts, *options, suite=suite)

    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(["*devchain: gas*", "Lid.constructor * 2 *"])
    result.stdout.fnmatch_lines(["contracts/Till.sol *33 * 8 *24.2 *16 *3 *18.8"])
    assert set(Path("out.info").read_text().splitlines()) >= COVERED
    stacks = Path("gas.folded").read_text()
    assert all(name in stacks for name in ("Lid", "Till", "Twins.second"))
    assert result.outlines.count(TestStaleArtifacts.NOTICE) == 1


class TestCoverage:
    @pytest.mark.parametrize("options", [(), ("-p", "no:xdist")], ids=["xdist", "no xdist"])
    def test_shown_and_written(self, pytester: pytest.Pytester, options: tuple[str, ...]) -> None:
        """The summary has the table, the lcov file is written."""
        result = run(pytester, TILL, "--devchain-coverage=out.info", *options)

        result.assert_outcomes(passed=2)
        result.stdout.fnmatch_lines(
            ["*devchain: coverage*", "contracts/Till.sol *33 * 8 *24.2 *16 *3 *18.8"]
        )
        assert set(Path("out.info").read_text().splitlines()) >= COVERED

    @pytest.mark.parametrize("option", ["", "--devchain-coverage-all"])
    def test_not_deployed(self, pytester: pytest.Pytester, option: str) -> None:
        """Contracts that were not deployed are listed by an option of their own."""
        artifacts = f"--devchain-artifacts={CONTRACTS / 'bids-venom.json'}"
        result = run(pytester, TILL, artifacts, "--devchain-coverage", *filter(None, [option]))

        shown = "Bids.vy * 0 *" if option else "not listed: 1 file of contracts that were not *"
        result.stdout.fnmatch_lines([shown])

    def test_table_alone(self, pytester: pytest.Pytester) -> None:
        """Without a file name the table is shown and no file is written."""
        result = run(pytester, TILL, "--devchain-coverage")

        result.stdout.fnmatch_lines(["*devchain: coverage*", "*missed: *"])
        assert not [each for each in pytester.path.iterdir() if each.suffix not in {".py", ""}]

    def test_other_file(self, pytester: pytest.Pytester) -> None:
        """A file of tests that follows the option, whose value is optional, is not overwritten."""
        file = pytester.makepyfile("def test_it():\n    pass\n")
        before = file.read_text()

        result = pytester.runpytest_inprocess("--devchain-coverage", str(file))

        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["*exists and is no lcov file: name another one*"])
        assert file.read_text() == before


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("coverage=none/cover.info", "*cannot write the coverage file none/cover.info: No such*"),
        ("gas-flame=none/gas.json", "*cannot write the flame graph none/gas.json*"),
        ("gas-flame=gas.html", "*gas.html ends in .html, name it .json, or .folded or .txt*"),
        ("gas-compare=none.json", "*cannot read the gas table none.json*"),
        ("gas-save=none/gas.json", "*cannot write the gas table none/gas.json*"),
    ],
)
def test_files_that_cannot_be_used(pytester: pytest.Pytester, option: str, message: str) -> None:
    """A file that cannot be read or written is a usage error before any test runs."""
    result = run(pytester, f"--devchain-{option}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


class TestGasFlame:
    @pytest.mark.parametrize("columns", [60, 120])
    def test_speedscope(
        self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, columns: int
    ) -> None:
        """JSON for speedscope; rows of the summary fit the terminal, texts are shortened."""
        monkeypatch.setenv("COLUMNS", str(columns))
        result = run_suite(pytester, "--devchain-gas-flame=gas.json", test_suite=DEPOSITS)

        written = json.loads((pytester.path / "gas.json").read_text())
        assert "Vault.deposit" in {each["name"] for each in written["shared"]["frames"]}
        lines = result.stdout.lines
        start = next(at for at, each in enumerate(lines) if "gas by line" in each)
        end = next(at for at, each in enumerate(lines) if each.startswith("flame graph"))
        rows = lines[start + 1 : end]
        assert len(rows) > 2
        assert max(map(len, rows)) < columns
        assert any("(" in each for each in rows)

    def test_folded(self, pytester: pytest.Pytester) -> None:
        """The gas of all transactions by call stack, in lines."""
        result = run_suite(pytester, "--devchain-gas-flame=gas.folded", test_suite=DEPOSITS)

        result.assert_outcomes(passed=2)
        result.stdout.fnmatch_lines(["*devchain: gas by line*", "flame graph: gas.folded"])
        rows = dict(
            line.rsplit(" ", 1) for line in (pytester.path / "gas.folded").read_text().splitlines()
        )
        deposits = sum(int(gas) for name, gas in rows.items() if "Vault.deposit" in name)
        one_deposit = 20_000 + 375
        assert deposits > 2 * one_deposit
        assert int(rows["(intrinsic gas)"]) > 4 * 21_000


class TestStaleArtifacts:
    """Contracts that were compiled before their source changed."""

    SUITE = """
import pytest

@pytest.mark.parametrize("turn", range(3))
def test_it(devchain, turn):
    devchain.deploy("Lid")
"""
    NOTICE = "devchain: src/Lid.sol has changed since it was compiled: compile again"

    @pytest.mark.parametrize("source", ["Lid", "Jar"])
    def test_passing(self, pytester: pytest.Pytester, source: str) -> None:
        """Passing tests say it too, once, of sources that a deployed contract depends on."""
        project = shutil.copytree(PROJECTS / "foundry", pytester.path / "foundry")
        (project / "src" / f"{source}.sol").write_text(f"contract {source} {{}}")
        result = run(pytester, f"--devchain-artifacts={project}", suite=self.SUITE)

        result.assert_outcomes(passed=3)
        assert result.outlines.count(self.NOTICE) == (source == "Lid")
        assert ("has changed" in result.stdout.str()) == (source == "Lid")

    @pytest.mark.parametrize("hashed", [True, False])
    def test_vyper(self, pytester: pytest.Pytester, *, hashed: bool) -> None:
        """So it is where only the times of files tell, in words that leave it open."""
        folder = vyper_project(pytester.path, "combined.json", hashed=hashed)
        edit(folder / "a.vy")
        pytester.makeini("[pytest]\ndevchain_artifacts = a.json\n")
        suite = "def test_it(devchain):\n    devchain.deploy('a', 3)\n"
        result = run(pytester, "--devchain-coverage", suite=suite)

        newer = "a.vy is newer than a.json: if it has changed, compile again; places may be wrong"
        changed = "a.vy has changed since it was compiled: compile again"
        result.assert_outcomes(passed=1)
        assert f"devchain: {changed if hashed else newer}" in result.outlines
        assert (f"nothing to measure: {changed}" in result.outlines) == hashed
        assert (newer in result.outlines) != hashed
