"""`devchain.source.coverage_source`: texts, paths, and sources without a syntax tree."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from devchain.contracts.artifact_files import load_artifacts
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.coverage_report import Report
from devchain.contracts.sources import StaleSource, display_path, is_dependency
from devchain.source.coverage import Coverage, build_report
from tests.contracts.test_artifact_files import PROJECTS

TEXT = "contract A {\n  one();\n  two(\n  );\n}\n"
CODE = "600160025500"  # PUSH1, PUSH1, SSTORE, STOP
PLACES = {each: f"{TEXT.index(each)}:{len(each)}:0" for each in ("one()", "two(\n  )", "A")}
SOURCE_MAP = ";".join([PLACES["A"], PLACES["one()"], PLACES["two(\n  )"], "-1:-1:-1"])


def build_info(path: str = "A.sol", text: str = TEXT, **source: Any) -> dict[str, Any]:
    """A build-info file of one contract."""
    deployed = {"object": CODE, "sourceMap": SOURCE_MAP, "immutableReferences": {}}
    contract = {"abi": [], "evm": {"deployedBytecode": deployed}}
    return {
        "input": {"sources": {path: {"content": text}}},
        "output": {"contracts": {path: {"A": contract}}, "sources": {path: {"id": 0, **source}}},
    }


def coverage_report(*files: Path, ran: tuple[int, ...] = (0, 2)) -> Report:
    """The report of artifacts in files after the instructions at some offsets ran."""
    found = [each for file in files for each in load_artifacts(file, detailed=True)]
    coverage = Coverage(Registry(found))
    coverage.counts(bytes.fromhex(CODE), creating=False).update(dict.fromkeys(ran, 1))
    return build_report([coverage])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


class TestSources:
    def test_without_a_tree(self, folder: Path) -> None:
        """Without a syntax tree, lines with an instruction of their own are measured."""
        (folder / "a.json").write_text(json.dumps(build_info()))

        one = coverage_report(folder / "a.json").files["A.sol"]

        assert (one.lines, one.functions) == ({1: 1, 2: 1}, {})

    def test_initializer(self) -> None:
        """The value of a state variable ran if the constructor did; its getter is no line."""
        text = 'contract A {\n string public name = "vault";\n}\n'
        declared, value = 'string public name = "vault"', '"vault"'
        source = f"{text.index(declared)}:{len(declared)}:0"
        variable = {
            "nodeType": "VariableDeclaration",
            "stateVariable": True,
            "name": "name",
            "src": source,
            "value": {"nodeType": "Literal", "src": f"{text.index(value)}:{len(value)}:0"},
        }
        tree = {"nodeType": "SourceUnit", "src": f"0:{len(text)}:0", "nodes": [variable]}
        info = build_info(text=text, ast=tree)
        code = {"object": CODE, "sourceMap": source, "immutableReferences": {}}
        info["output"]["contracts"]["A.sol"]["A"]["evm"] = {
            "bytecode": code,
            "deployedBytecode": {**code, "object": "5f5f5500"},
        }
        registry = Registry(parse_artifacts(info, outlined=True))

        def lines(*, creating: bool) -> dict[int, int]:
            coverage = Coverage(registry)
            ran = bytes.fromhex(CODE if creating else "5f5f5500")
            coverage.counts(ran, creating=creating).update({0: 1})
            return build_report([coverage]).files["A.sol"].lines

        assert lines(creating=True) == {2: 1}
        assert lines(creating=False) == {2: 0}

    def test_vyper_without_a_tree(self) -> None:
        """Vyper's combined JSON, which has no syntax trees, has the lines of standard JSON."""
        text = "owner: public(address)\n\n@external\ndef f():\n    self.owner = msg.sender\n"
        getter, body = "owner: public(address)", "self.owner = msg.sender"
        places = [f"{text.index(each)}:{len(each)}:0" for each in (getter, body)]
        code = {"object": CODE, "sourceMap": ";".join(places), "immutableReferences": {}}
        info = build_info("A.vy", text)
        info["input"]["language"] = "Vyper"
        info["output"]["contracts"]["A.vy"]["A"]["evm"] = {"deployedBytecode": code}
        coverage = Coverage(Registry(parse_artifacts(info, outlined=True)))
        coverage.counts(bytes.fromhex(CODE), creating=False).update({2: 1})

        assert build_report([coverage]).files["A.vy"].lines == {5: 1}

    def test_text_from_the_file(self, folder: Path) -> None:
        """A source text that the artifact lacks is read from the source's path."""
        (folder / "a.json").write_text(json.dumps(build_info(text="")))
        assert coverage_report(folder / "a.json").left_out == {"A.sol"}

        (folder / "A.sol").write_text(TEXT)

        assert coverage_report(folder / "a.json").files["A.sol"].lines == {1: 1, 2: 1}

    def test_hardhat_3(self, folder: Path) -> None:
        """Hardhat 3 has the sources in a separate file, with project paths."""
        both = build_info("project/contracts/A.sol")
        (folder / "contracts").mkdir()
        (folder / "contracts" / "A.sol").write_text(TEXT)
        (folder / "id.json").write_text(json.dumps({"input": both["input"]}))
        (folder / "id.output.json").write_text(json.dumps({"output": both["output"]}))

        assert coverage_report(folder / "id.output.json").files["contracts/A.sol"].lines == {
            1: 1,
            2: 1,
        }

    def test_foundry(self, folder: Path) -> None:
        """Foundry's artifact has the source id; the text is read from the source's path."""
        (folder / "src").mkdir()
        (folder / "src" / "A.sol").write_text(TEXT)
        statement = {"nodeType": "Return", "src": PLACES["two(\n  )"]}
        artifact = {
            "abi": [],
            "bytecode": {"object": "0x"},
            "deployedBytecode": {"object": CODE, "sourceMap": SOURCE_MAP},
            "metadata": {"settings": {"compilationTarget": {"src/A.sol": "A"}}},
            "id": 0,
            "ast": {"nodeType": "SourceUnit", "nodes": [statement]},
        }
        (folder / "A.json").write_text(json.dumps(artifact))

        assert coverage_report(folder / "A.json").files["src/A.sol"].lines == {3: 0}
        assert coverage_report(folder / "A.json", ran=(4,)).files["src/A.sol"].lines == {3: 1}

    def test_current_text(self, folder: Path) -> None:
        """Of two build-info files with a path, the one with the file's current text counts."""
        (folder / "A.sol").write_text(TEXT)
        (folder / "new.json").write_text(json.dumps(build_info()))
        (folder / "old.json").write_text(json.dumps(build_info(text="\n" + TEXT)))

        for order in (["new.json", "old.json"], ["old.json", "new.json"]):
            assert coverage_report(*(folder / each for each in order)).files["A.sol"].lines == {
                1: 1,
                2: 1,
            }

    def test_changed(self, folder: Path) -> None:
        """A source whose file has changed since it was compiled is reported as such."""
        project = shutil.copytree(PROJECTS / "foundry", folder / "foundry")
        (project / "src" / "Lid.sol").write_text("contract Lid {}")

        found = coverage_report(project)

        assert (found.stale, found.left_out) == ({StaleSource("src/Lid.sol")}, set())
        assert "src/Jar.sol" in found.files

    def test_dependencies(self, folder: Path) -> None:
        """Installed dependencies are left out."""
        (folder / "a.json").write_text(json.dumps(build_info("node_modules/x/A.sol")))

        found = coverage_report(folder / "a.json")

        assert (found.files, found.left_out) == ({}, {"node_modules/x/A.sol"})


def test_is_dependency() -> None:
    """A folder is a dependency by its name; a file of that name is not."""
    installed = ["lib/solady/A.sol", "@oz/A.sol", "npm/@oz@5/A.sol", "/home/node_modules/A.sol"]

    assert all(map(is_dependency, installed))
    assert not any(map(is_dependency, ["lib.sol", "src/lib/A.sol", "contracts/A.sol", "@A.sol"]))


def test_display_path(folder: Path) -> None:
    """Paths in the working directory are shown relative to it, others unchanged."""
    assert display_path(str(folder / "A.sol")) == "A.sol"
    assert display_path("/elsewhere/A.sol") == "/elsewhere/A.sol"
    assert display_path("project/A.sol") == "project/A.sol"
    assert display_path("\0") == "\0"
