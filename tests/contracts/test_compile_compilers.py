"""devchain.contracts.compile: finding and running compilers"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from devchain.contracts import compile as module
from devchain.contracts.compile import (
    CompilerMissing,
    Solc,
    find_solc,
    run_compiler,
    vyper_version,
)
from devchain.errors import CompilationFailed
from tests.contracts.compilers import program, solc


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without compilers, whose path is the folder `bin`."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("SOLCX_BINARY_PATH", raising=False)
    return tmp_path


def package(folder: Path, version: str) -> Path:
    """A package `solc` of npm, without content."""
    found = folder / "node_modules" / "solc"
    found.mkdir(parents=True)
    (found / "package.json").write_text(json.dumps({"version": version}))
    return found


class TestFindSolc:
    def test_newest(self, home: Path) -> None:
        """Of all compilers that the pragmas accept it is the newest, of py-solc-x or Foundry."""
        solc(home / ".solcx" / "solc-v0.8.20", "0.8.20")
        newest = solc(home / ".svm" / "0.8.28" / "solc-0.8.28", "0.8.28")
        on_path = solc(home / "bin" / "solc", "0.7.6")

        assert find_solc(home, ["^0.8.0", ">=0.8.4"]) == Solc((0, 8, 28), newest)
        assert str(find_solc(home, ["^0.8.0 <0.8.21"])) == "0.8.20"
        assert find_solc(home, ["^0.7.0"]) == Solc((0, 7, 6), on_path)
        assert str(find_solc(home, [])) == "0.8.28"

    def test_package(self, home: Path) -> None:
        """Npm's package is found in a node_modules above, if there is Node.js."""
        found = package(home, "0.8.24")
        with pytest.raises(CompilerMissing):
            find_solc(home / "a" / "b", ["^0.8.0"])
        program(home / "bin" / "node", "")

        assert find_solc(home / "a" / "b", ["^0.8.0"]) == Solc((0, 8, 24), found, is_package=True)

    @pytest.mark.parametrize("written", ["", "[]", '{"version": 8}', "{}"])
    def test_damaged_package(self, home: Path, written: str) -> None:
        """A package without a version is none."""
        program(home / "bin" / "node", "")
        (package(home, "0.8.24") / "package.json").write_text(written)

        with pytest.raises(CompilerMissing):
            find_solc(home, [])

    def test_missing(self, home: Path) -> None:
        """The error says what is wanted, what there is, and what to install."""
        solc(home / ".solcx" / "solc-v0.7.6", "0.7.6")
        advice = r"\^0.8.0 \(installed: 0.7.6\): run `npm install \"solc@\^0.8.0\"` in"

        with pytest.raises(CompilerMissing, match=advice):
            find_solc(home, ["^0.8.0"])

    def test_install(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """py-solc-x installs one if asked, and only if there is none."""
        module, asked = ModuleType("solcx"), []

        def install_solc_pragma(pragma: str) -> None:
            asked.append(pragma)
            solc(home / ".solcx" / "solc-v0.8.21", "0.8.21")

        module.install_solc_pragma = install_solc_pragma  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "solcx", module)

        for _ in range(2):
            assert str(find_solc(home, ["^0.8.0"], install=True)) == "0.8.21"
        assert asked == ["^0.8.0"]

    def test_install_fails(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without py-solc-x, or without a network, the error says so."""
        for solcx in (None, ModuleType("solcx")):
            monkeypatch.setitem(sys.modules, "solcx", solcx)
            with pytest.raises(CompilerMissing, match=r"devchain\[solidity\] .* cannot install"):
                find_solc(home, [], install=True)


class TestRun:
    def test_no_vyper(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without Vyper's package the error says what to install."""
        monkeypatch.setattr(module, "find_spec", lambda _: None)

        with pytest.raises(CompilerMissing, match=r"pip install .devchain\[vyper\]"):
            vyper_version()

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("print('no')", "solc 0.8.1 wrote no JSON\nno"),
            ("import sys; sys.exit('bad\\x07')", "solc 0.8.1 failed\nbad\\x07"),
        ],
    )
    def test_fails(self, home: Path, text: str, message: str) -> None:
        """A compiler that fails, or writes something else, is an error with its output."""
        found = Solc((0, 8, 1), program(home / "bin" / "solc", text))

        with pytest.raises(CompilationFailed) as raised:
            run_compiler(found, {}, home)
        assert str(raised.value) == message

    def test_not_runnable(self, home: Path) -> None:
        """A file that is no program is an error."""
        with pytest.raises(CompilationFailed, match=r"solc 0.8.1 cannot be run: "):
            run_compiler(Solc((0, 8, 1), home / "none"), {}, home)

    def test_package(self, home: Path) -> None:
        """Npm's package is run by Node.js, which gets its folder."""
        program(
            home / "bin" / "node", 'import sys; print(\'note {"folder": "%s"}\' % sys.argv[-1])'
        )
        found = Solc((0, 8, 1), home / "solc", is_package=True)

        assert run_compiler(found, {}, home) == {"folder": str(home / "solc")}
