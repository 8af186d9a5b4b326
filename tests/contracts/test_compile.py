"""devchain.contracts.compile"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import devchain
from devchain.config import Config
from devchain.contracts import compile as module
from devchain.contracts.compile import compile_stale, load, loads
from devchain.errors import CompilationFailed, ConfigError, ExecutionReverted, InvalidInput
from devchain.node import Node
from tests.contracts.compilers import inputs, program, solc
from tests.contracts.vault import FILE

VAULT = """# pragma version ^0.4.0
import fees

total: public(uint256)


@external
@payable
def put():
    assert msg.value > 5, "too little"
    self.total += msg.value - fees.of(msg.value)
"""
FEES = "@internal\ndef of(amount: uint256) -> uint256:\n    return amount // 10\n"
HARDHAT = """
import pathlib, sys
folder = pathlib.Path("artifacts/contracts/Vault.sol")
folder.mkdir(parents=True, exist_ok=True)
(folder / "Vault.json").write_text(
    '{"contractName": "Vault", "sourceName": "contracts/Vault.sol", "abi": [], '
    '"bytecode": "0x6001600055", "deployedBytecode": "0x6001"}'
)
pathlib.Path("runs").open("a").write(" ".join(sys.argv[1:]) + "\\n")
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory on a machine without compilers of Solidity, with its own cache."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


@pytest.fixture
def compiler(tmp_path: Path) -> Path:
    """A solc on the path, with the contracts Pair and Token in each source."""
    return solc(tmp_path / "bin" / "solc", "0.8.24", "Pair", "Token")


@pytest.fixture
def project(folder: Path) -> Path:
    """A project of Hardhat, whose tool compiles `contracts/Vault.sol`."""
    (folder / "contracts").mkdir()
    (folder / "contracts" / "Vault.sol").write_text("contract Vault {}")
    (folder / "hardhat.config.js").write_text("")
    program(folder / "node_modules" / ".bin" / "hardhat", HARDHAT)
    return folder


def runs(project: Path) -> list[str]:
    """How often the project's tool was run, with its arguments."""
    file = project / "runs"
    return file.read_text().splitlines() if file.exists() else []


class TestVyper:
    def test_load(self, folder: Path) -> None:
        """A contract with a module: it runs, and failures have their lines."""
        (folder / "vault.vy").write_text(VAULT)
        (folder / "fees.vy").write_text(FEES)

        with Node() as node:
            vault = node.deploy(devchain.load("vault.vy"))
            vault.put(value=100)
            with pytest.raises(ExecutionReverted, match="too little") as raised:
                vault.put(value=1)
            total, layout = vault.total(), node.artifacts.find_by_name("vault")[0].storage_layout

        assert total == 90
        trace = raised.value.source_trace
        assert trace is not None
        assert [frame.place for frame in trace.frames] == ["vault.vy:10"]
        assert layout is not None

    def test_error(self) -> None:
        """The error has the compiler's lines."""
        with pytest.raises(CompilationFailed) as raised:
            loads("x: uint256\n\n@external\ndef f() -> bool:\n    return self.x\n")

        first, *lines = str(raised.value).splitlines()
        assert first == "Contract.vy does not compile"
        assert "  ---> 5     return self.x" in lines

    def test_hardfork(self, folder: Path) -> None:
        """A node compiles for its own hardfork: before Arrowhead there is no PUSH0."""
        (folder / "v.vy").write_text("x: public(uint256)\n\n@external\ndef f():\n    self.x = 5\n")

        with Node(hardfork="iris") as node:
            contract = node.deploy("v.vy")
            contract.f()
            assert contract.x() == 5
        assert load("v.vy").runtime.template != load("v.vy", hardfork="iris").runtime.template

    def test_settings(self) -> None:
        """Settings are the compiler's."""
        text = "@external\ndef f(a: uint256) -> uint256:\n    return a + 2 * 3\n"
        plain, small = loads(text), loads(text, "Small", settings={"optimize": "none"})

        assert small.name == "Small"
        assert small.runtime.template != plain.runtime.template


class TestSolidity:
    def test_load(self, folder: Path, compiler: Path) -> None:
        """Of several contracts it is the one with the file's name, or the one named."""
        (folder / "Pair.sol").write_text("pragma solidity ^0.8.0;")

        assert load("Pair.sol").name == "Pair"
        assert load(folder / "Pair.sol:Token").name == "Token"
        assert load("Pair.sol").project == str(folder)
        assert len(inputs(compiler)) == 1  # the others were kept

    def test_which(self, folder: Path, compiler: Path) -> None:
        """Where several may be meant, the error names them."""
        (folder / "Other.sol").write_text("")

        with pytest.raises(InvalidInput, match=r"has Pair, Token: choose .Other.sol:NAME"):
            load("Other.sol")
        with pytest.raises(InvalidInput, match="is no source: give a file"):
            load("Other.json")
        with pytest.raises(ConfigError, match=r"None.sol cannot be read"):
            load("None.sol")

    def test_loads(self, compiler: Path) -> None:
        """A text with a contract in braces, or Solidity's pragma, is Solidity."""
        for text in ("contract Token {", "  abstract contract A is B {", "pragma solidity 0.8.24;"):
            assert loads(text, "Token").name == "Token"
        assert {*inputs(compiler)[0]["sources"]} == {"Token.sol"}

    def test_name_of_a_text(self, compiler: Path) -> None:
        """A text is named by its contract, if it has one that is not abstract."""
        one = loads("pragma solidity 0.8.24; abstract contract A {} contract Pair is A {}")

        assert one.source == "Pair.sol"
        with pytest.raises(InvalidInput, match=r"Contract.sol has Pair, Token: choose"):
            loads("contract Pair {}\ncontract Token {}")

    def test_kept_by_content(self, folder: Path, compiler: Path) -> None:
        """What was compiled is kept by the content of all sources, and by the settings."""
        (folder / "Pair.sol").write_text('import "./Lib.sol";')
        (folder / "Lib.sol").write_text("// one")
        load("Pair.sol")
        os.utime(folder / "Pair.sol")
        load("Pair.sol")
        assert len(inputs(compiler)) == 1
        (folder / "Lib.sol").write_text("// two")
        load("Pair.sol")
        load("Pair.sol", settings={"viaIR": True})

        assert len(inputs(compiler)) == 3

    def test_cache(self, folder: Path, compiler: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The oldest files go; damaged ones are made again; without a folder none are kept."""
        monkeypatch.setattr(module, "MAX_KEPT", 1)
        (folder / "Pair.sol").write_text("// one")
        (folder / "Token.sol").write_text("// two")
        load("Pair.sol")
        load("Token.sol")
        (kept,) = (folder.parent / "cache" / "devchain" / "compiled").iterdir()
        kept.write_text("{")
        load("Token.sol")
        assert len(inputs(compiler)) == 3
        monkeypatch.setenv("XDG_CACHE_HOME", str(kept))  # a file

        assert load("Token.sol").name == "Token"


class TestNode:
    def test_artifacts(self, folder: Path, compiler: Path) -> None:
        """A source may be named among the artifacts; it is read again when it changes."""
        (folder / "Pair.sol").write_text("")
        with Node(Config(artifacts=("Pair.sol",))) as node:
            assert node.artifacts.names() == ["Pair", "Token"]
            (folder / "Pair.sol").write_text("// longer")
            assert node.artifacts.refresh()

        assert len(inputs(compiler)) == 2


class TestStale:
    def test_project(self, project: Path) -> None:
        """A project's tool runs, its command shown, if a source is newer than what it wrote."""
        shown: list[str] = []
        assert compile_stale(["."], show=shown.append) == (".",)
        assert (shown, runs(project)) == (["npx hardhat compile"], ["compile"])
        compile_stale(["."], show=shown.append)
        assert len(runs(project)) == 1
        source = project / "contracts" / "Vault.sol"
        os.utime(source, (source.stat().st_mtime + 100,) * 2)
        compile_stale([str(project / "artifacts")], show=shown.append)

        assert len(runs(project)) == 2

    def test_not_written_again(self, project: Path) -> None:
        """A tool that writes nothing is not run again: a source was only touched."""
        compile_stale(["."])
        program(
            project / "node_modules" / ".bin" / "hardhat", "open('runs', 'a').write('again\\n')"
        )
        os.utime(project / "artifacts" / "contracts" / "Vault.sol" / "Vault.json", (1, 1))
        mark = next((project.parent / "cache" / "devchain" / "compiled").glob("*.run"))
        os.utime(mark, (1, 1))
        compile_stale(["."])
        compile_stale(["."])

        assert runs(project) == ["compile", "again"]

    def test_folder_of_sources(self, project: Path) -> None:
        """The sources of a project are compiled by its tool, and the project is known."""
        assert compile_stale(["contracts"]) == ("contracts", str(project))
        assert load("contracts/Vault.sol").creation.template == bytes.fromhex("6001600055")
        assert len(runs(project)) == 1

    def test_tool_fails(self, project: Path) -> None:
        """The error of a tool has its output."""
        program(project / "node_modules" / ".bin" / "hardhat", "raise SystemExit('HH600: bad')")

        with pytest.raises(CompilationFailed, match=r"`npx hardhat compile` in .* failed\nHH600: "):
            compile_stale(["."])

    def test_no_tool(self, project: Path) -> None:
        """A project whose tool is not installed is left as it is."""
        (project / "node_modules" / ".bin" / "hardhat").unlink()
        shown: list[str] = []

        assert compile_stale(["."], show=shown.append) == (".",)
        assert not shown

    def test_folder(self, folder: Path, compiler: Path) -> None:
        """Sources in a folder are compiled if they are new, each of Solidity once."""
        (folder / "Pair.sol").write_text('import "./Lib.sol";')
        (folder / "Lib.sol").write_text("// lib")
        (folder / "vault.vy").write_text(VAULT)
        (folder / "fees.vy").write_text(FEES)
        shown: list[str] = []
        found = compile_stale(["."], show=shown.append)

        assert [Path(each).name for each in found] == ["Pair.sol", "fees.vy", "vault.vy"]
        assert sorted(line.partition(" with ")[0] for line in shown) == [
            *("compiling Pair.sol", "compiling fees.vy", "compiling vault.vy")
        ]
        shown.clear()
        assert compile_stale(["."], show=shown.append) == found
        assert not shown
        with Node(Config(artifacts=found)) as node:
            assert {"Pair", "vault"} <= {*node.artifacts.names()}
            assert not node.artifacts.notices
        (folder / "other.json").write_text("{}")
        assert compile_stale(["."], show=shown.append) == (".", *found)

    def test_settings_of_folder(self, folder: Path, compiler: Path) -> None:
        """Settings of solc are in pyproject.toml; those of a call replace them."""
        (folder / "Pair.sol").write_text("pragma solidity ^0.8.0;")
        written = "[tool.devchain.solc]\nviaIR = true\n[tool.devchain.solc.optimizer]\nruns = 5\n"
        (folder / "pyproject.toml").write_text(written)

        compile_stale(["."])
        load("Pair.sol", settings={"viaIR": False})
        first, second = (each["settings"] for each in inputs(compiler))
        assert (first["viaIR"], second["viaIR"]) == (True, False)
        assert first["optimizer"] == second["optimizer"] == {"runs": 5}
        for wrong, text in (("solc = 1", "give a dict"), ("solc = ", "not valid TOML")):
            (folder / "pyproject.toml").write_text(f"[tool.devchain]\n{wrong}")
            with pytest.raises((ConfigError, InvalidInput), match=text):
                load("Pair.sol")

    def test_folder_without_compiler(self, folder: Path) -> None:
        """Sources that no compiler here compiles are left out, and named."""
        (folder / "Pair.sol").write_text("pragma solidity ^0.8.0;")
        shown: list[str] = []

        assert compile_stale(["."], show=shown.append) == (".",)
        assert shown[0].startswith("Pair.sol was not compiled: no solc here compiles ^0.8.0")
        assert '`npm install "solc@^0.8.0"`' in shown[0]
        (folder / "Token.sol").write_text("pragma solidity >=0.8.30;\n")
        (folder / "Pair.sol").write_text('pragma solidity ^0.8.0;\nimport "./Token.sol";\n')
        compile_stale(["."], show=shown.append)
        assert '`npm install "solc@^0.8.0 >=0.8.30"`' in shown[-1]

    def test_folder_with_unknown_hardfork(self, folder: Path) -> None:
        """A hardfork that there is not is named before something is compiled."""
        (folder / "Pair.sol").write_text("pragma solidity ^0.8.0;")

        with pytest.raises(InvalidInput, match=r"no hardfork pragu: did you mean prague\?"):
            compile_stale(["."], "pragu")

    def test_folder_with_artifacts(self, folder: Path) -> None:
        """A source is not named whose artifact is here, unless it has changed since."""
        for name in ("Vault.sol", "Vault.json"):
            (folder / name).write_bytes(FILE.with_name(name).read_bytes())
        shown: list[str] = []

        compile_stale(["."], show=shown.append)
        assert not shown
        with (folder / "Vault.sol").open("a") as source:
            source.write("// changed\n")
        compile_stale(["."], show=shown.append)
        assert shown[0].startswith("Vault.sol was not compiled: no solc here compiles")

    def test_folder_with_error(self, folder: Path) -> None:
        """A module that does not compile by itself is no error, a contract is one."""
        (folder / "a.vy").write_text("import b\nuses: b\n")
        (folder / "b.vy").write_text("x: uint256\n")

        with pytest.raises(CompilationFailed, match=r"a\.vy does not compile"):
            compile_stale(["."])

    def test_others_left_alone(self, project: Path, folder: Path) -> None:
        """Files are no folders; environments, packages and hidden folders are not searched."""
        (folder / "Vault.json").write_text("{}")
        for name in ("node_modules/a", ".git", "env"):
            (folder / name).mkdir(parents=True, exist_ok=True)
            (folder / name / "bad.vy").write_text("bad")
        (folder / "env" / "pyvenv.cfg").write_text("")
        compile_stale([str(folder / "Vault.json")])
        assert not runs(project)
        (project / "hardhat.config.js").unlink()
        (project / "contracts" / "Vault.sol").unlink()

        assert compile_stale(["."]) == (".",)

    def test_too_many(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A folder that is too large is refused."""
        monkeypatch.setattr(module, "MAX_SEARCHED", 0)
        (folder / "a.vy").write_text("")

        with pytest.raises(ConfigError, match="has more than 0 files and folders"):
            compile_stale(["."])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"optimizer": True}, "no option optimizer: the options are hardfork, settings, install; "),
        ({"settings": "optimized"}, "settings 'optimized': give a dict"),
        ({"hardfork": "lovel"}, "no hardfork lovel: did you mean lovell"),
    ],
)
def test_wrong_options(options: Any, text: str) -> None:
    """Options are checked before a compiler runs."""
    with pytest.raises(InvalidInput, match=text):
        loads("pragma solidity ^0.8.0;", **options)


@pytest.mark.parametrize("text", ["", " \n", "Vault.sol"])
def test_no_text(text: str) -> None:
    """A path is no text of a source."""
    with pytest.raises(InvalidInput, match=r"is no source: give its text, or its path to .*load"):
        loads(text)
