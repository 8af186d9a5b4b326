"""`devchain.testing.rootdir`"""

from __future__ import annotations

from pathlib import Path

import pytest

WARNING = "*PytestConfigWarning: --devchain-*"
OPTIONS = [
    ("--devchain-gas-compare", "gas.json"),
    ("--devchain-gas-save", "gas.json"),
    ("--devchain-artifacts", "out"),
]


@pytest.fixture
def elsewhere(pytester: pytest.Pytester) -> Path:
    """A folder beside the project; the tests of the project find its pytest.ini in force or not."""
    folder = pytester.path / "elsewhere"
    (folder / "out").mkdir(parents=True)
    (folder / "gas.json").write_text('{"version": 2, "calls": {}}')
    project = pytester.path / "project"
    (project / "tests").mkdir(parents=True)
    (project / "pytest.ini").write_text("[pytest]\ndevchain_network = dev\n")
    (project / "tests" / "test_it.py").write_text(
        "def test_it(pytestconfig):\n    assert pytestconfig.getini('devchain_network') == 'dev'\n"
    )
    pytester.chdir()
    return folder


def run(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, *given: str
) -> pytest.RunResult:
    """Run pytest in the project's folder."""
    monkeypatch.chdir(pytester.path / "project")
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", *given)


class TestWarning:
    """An option's value that moved the rootdir is named."""

    @pytest.mark.parametrize(("option", "value"), OPTIONS)
    def test_moved(
        self,
        pytester: pytest.Pytester,
        monkeypatch: pytest.MonkeyPatch,
        elsewhere: Path,
        option: str,
        value: str,
    ) -> None:
        """The value as an argument of its own loses the project's pytest.ini, and is warned of."""
        given = str(elsewhere / value)
        moved = run(pytester, monkeypatch, option, given)
        kept = run(pytester, monkeypatch, f"{option}={given}")

        moved.assert_outcomes(failed=1, warnings=1)
        moved.stdout.fnmatch_lines([f"*write {option}={given}, with an equals sign*"])
        kept.assert_outcomes(passed=1)
        kept.stdout.no_fnmatch_line(WARNING)

    def test_error(
        self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, elsewhere: Path
    ) -> None:
        """Where warnings are errors it is a usage error."""
        result = run(
            pytester, monkeypatch, "-W", "error", "--devchain-artifacts", str(elsewhere / "out")
        )

        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["ERROR: --devchain-artifacts */out has made *"])

    def test_environment(
        self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, elsewhere: Path
    ) -> None:
        """Options of `PYTEST_ADDOPTS` are looked at, too."""
        monkeypatch.setenv("PYTEST_ADDOPTS", f"--devchain-artifacts {elsewhere / 'out'}")

        run(pytester, monkeypatch).stdout.fnmatch_lines([WARNING])

    def test_other_configuration(
        self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, elsewhere: Path
    ) -> None:
        """A pytest.ini that the value brought into force is named."""
        (elsewhere / "pytest.ini").write_text("[pytest]\n")
        (pytester.path / "project" / "pytest.ini").unlink()

        result = run(pytester, monkeypatch, "--devchain-artifacts", str(elsewhere / "out"))

        result.stdout.fnmatch_lines([f"*so {elsewhere / 'pytest.ini'} is in force: write*"])

    @pytest.mark.parametrize(
        "given",
        [
            ("tests", "--devchain-artifacts", "{elsewhere}/out"),
            ("tests/test_it.py::test_it", "--devchain-artifacts", "{elsewhere}/out"),
            ("-c", "pytest.ini", "--devchain-artifacts", "{elsewhere}/out"),
            ("--devchain-artifacts", "tests"),
            ("--devchain-artifacts", "{elsewhere}/none"),
        ],
    )
    def test_not_moved(
        self,
        pytester: pytest.Pytester,
        monkeypatch: pytest.MonkeyPatch,
        elsewhere: Path,
        given: tuple[str, ...],
    ) -> None:
        """Where the configuration is the project's all the same there is no warning."""
        filled = [each.format(elsewhere=elsewhere) for each in given]

        result = run(pytester, monkeypatch, *filled)

        result.assert_outcomes(passed=1)
        result.stdout.no_fnmatch_line(WARNING)
