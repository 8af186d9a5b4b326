"""`devchain.contracts.artifact_files`"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from devchain.config import Config
from devchain.contracts import artifact_files, sources
from devchain.contracts.artifact_files import files_state, find_project, load_artifacts
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact
from devchain.contracts.code_map import CodeMap
from devchain.contracts.source_map import NOWHERE, instructions
from devchain.contracts.sources import texts_of
from devchain.errors import ConfigError, InvalidInput
from devchain.node import Node
from tests.contracts.vault import FILE, WRITTEN
from tests.failures.builds import BUILDS
from tests.testing.covered import CONTRACTS

SUB = 0x03
PROJECTS = Path(__file__).parent / "projects"
BUILD_INFO = next((PROJECTS / "hardhat2" / "artifacts" / "build-info").iterdir())
SOLIDITY = ["hardhat2", "hardhat3", "foundry", "foundry_build_info", "truffle"]


def copy_of(name: str, tmp_path: Path) -> Path:
    """A copy of a project, to be changed."""
    return Path(shutil.copytree(PROJECTS / name, tmp_path / name))


def jar(found: list[Artifact]) -> Artifact:
    """The one artifact of the contract `Jar`."""
    (artifact,) = (each for each in found if each.name == "Jar")
    return artifact


class TestFilesState:
    @pytest.mark.parametrize("name", [*SOLIDITY, "vyper"])
    def test_unchanged(self, name: str) -> None:
        """It is the same as long as the files are."""
        path = PROJECTS / name

        assert files_state(path) == files_state(path)
        assert files_state(path) != files_state(PROJECTS / "README.md")

    def test_compiled(self, tmp_path: Path) -> None:
        """It changes when a project is compiled first, with other projects around it too."""
        project = tmp_path / "inner"
        project.mkdir()
        (project / "hardhat.config.js").touch()
        states = {files_state(project), files_state(tmp_path)}
        assert len(states) == 1  # of no file
        (project / "artifacts").mkdir()
        shutil.copy(FILE, project / "artifacts")
        assert files_state(project) == files_state(tmp_path)
        assert files_state(project) not in states
        states.add(files_state(project))
        os.utime(project / "artifacts" / FILE.name, ns=(1, 1))

        assert files_state(project) not in states

    def test_file(self, tmp_path: Path) -> None:
        """That of a single file is its own, whatever is beside it."""
        file = Path(shutil.copy(FILE, tmp_path))
        before = files_state(file)
        shutil.copy(FILE, tmp_path / "Other.json")

        assert files_state(file) == before
        file.unlink()
        assert files_state(file) != before


def brownie(path: Path) -> dict[str, Any]:
    """A contract as Brownie writes it, made from the output of solc."""
    output = json.loads(BUILD_INFO.read_text())
    name = "contracts/Jar.sol"
    contract = output["output"]["contracts"][name]["Jar"]
    path.mkdir(parents=True, exist_ok=True)
    written = {
        "abi": contract["abi"],
        "allSourcePaths": {"0": name, "1": "contracts/Lid.sol"},
        "ast": output["output"]["sources"][name]["ast"],
        "bytecode": contract["evm"]["bytecode"]["object"],
        "compiler": {"optimizer": {"enabled": False, "runs": 200}, "version": "0.8.28"},
        "contractName": "Jar",
        "deployedBytecode": contract["evm"]["deployedBytecode"]["object"],
        "deployedSourceMap": contract["evm"]["deployedBytecode"]["sourceMap"],
        "language": "Solidity",
        "source": output["input"]["sources"][name]["content"],
        "sourceMap": contract["evm"]["bytecode"]["sourceMap"],
        "sourcePath": name,
    }
    (path / "Jar.json").write_text(json.dumps(written))
    return written


class TestProjects:
    """The root folder of a project, or the folder of its artifacts."""

    @pytest.mark.parametrize("name", SOLIDITY)
    @pytest.mark.parametrize("detailed", [False, True], ids=["plain", "detailed"])
    def test_each_contract_once(self, name: str, detailed: bool) -> None:
        """Build-info and files of a contract are one artifact; nothing is skipped."""
        notices: list[str] = []

        found = load_artifacts(PROJECTS / name, detailed=detailed, notices=notices)

        assert max(Counter(each.path for each in found).values()) == 1
        assert {"Jar", "Lid"} <= {each.name for each in found}
        assert notices == []

    @pytest.mark.parametrize("name", SOLIDITY)
    def test_detailed(self, name: str) -> None:
        """With details the source map, every source and its text are there."""
        artifact = jar(load_artifacts(PROJECTS / name, detailed=True))
        folder = "src" if "foundry" in name else "contracts"
        ids = {each.path.removeprefix("project/"): each for each in artifact.sources.values()}

        assert artifact.source == f"{folder}/Jar.sol"
        assert artifact.runtime.source_map
        assert artifact.creation.source_map
        assert "contract Jar" in ids[f"{folder}/Jar.sol"].text
        if name != "truffle":  # each of its files has one source alone
            assert "contract Lid" in ids[f"{folder}/Lid.sol"].text

    def test_best_of_each(self) -> None:
        """Hardhat's build-info knows where immutables are, its other files do not."""
        plain = jar(load_artifacts(PROJECTS / "hardhat2"))
        detailed = jar(load_artifacts(PROJECTS / "hardhat2", detailed=True))

        assert plain.runtime.guesses_immutables
        assert not detailed.runtime.guesses_immutables
        assert set(detailed.runtime.placeholders) <= set(plain.runtime.placeholders)
        assert detailed.runtime.template == plain.runtime.template

    def test_storage_layout(self) -> None:
        """A storage layout is kept if the compiler wrote one."""
        layout = jar(load_artifacts(PROJECTS / "foundry_build_info")).storage_layout

        assert layout
        assert [each["label"] for each in layout["storage"]] == ["open", "kept"]
        assert jar(load_artifacts(PROJECTS / "foundry")).storage_layout is None

    @pytest.mark.parametrize(
        ("name", "folder"),
        [("hardhat2", "artifacts"), ("foundry", "compiled"), ("truffle", "build/contracts"),
         ("truffle", "build")],
    )  # fmt: skip
    def test_folder_of_artifacts(self, name: str, folder: str) -> None:
        """The folder that a tool writes gives what the root of the project gives."""
        whole = load_artifacts(PROJECTS / name, detailed=True)

        assert load_artifacts(PROJECTS / name / folder, detailed=True) == whole

    def test_stale_build_info(self, tmp_path: Path) -> None:
        """A build-info of an earlier compilation adds no contracts."""
        project = copy_of("hardhat2", tmp_path)
        written = json.loads(BUILD_INFO.read_text())
        contract = written["output"]["contracts"]["contracts/Jar.sol"]["Jar"]
        contract["evm"]["bytecode"]["object"] = "00"
        contract["evm"]["deployedBytecode"]["object"] = "00"
        (project / "artifacts" / "build-info" / "00.json").write_text(json.dumps(written))

        assert jar(load_artifacts(project, detailed=True)).runtime.source_map

    def test_build_info_alone(self, tmp_path: Path) -> None:
        """Without other files the contracts are those of the build-info."""
        shutil.copytree(BUILD_INFO.parent, tmp_path / "build-info")

        found = load_artifacts(tmp_path)

        assert sorted(each.path for each in found) == [
            "contracts/Jar.sol:Jar",
            "contracts/Jar.sol:Twin",
            "contracts/Lid.sol:Lid",
            "contracts/deep/Twin.sol:Twin",
        ]

    def test_vyper_of_foundry(self) -> None:
        """Foundry's list of what it has compiled names the source, which vyper's output lacks."""
        found = load_artifacts(PROJECTS / "foundry", detailed=True)
        (box,) = (each for each in found if each.name == "Box")

        assert (box.source, box.language, box.optimized) == ("src/Box.vy", "Vyper", False)
        assert "def store" in box.sources[0].text

    @pytest.mark.parametrize("name", ["standard.json", "combined.json"])
    def test_vyper(self, name: str) -> None:
        """The outputs of vyper: the source is read from the folder of the file."""
        (box,) = load_artifacts(PROJECTS / "vyper" / name, detailed=True)

        assert (box.name, box.source, box.language) == ("Box", "Box.vy", "Vyper")
        assert "def store" in box.sources[0].text
        with Node(Config(artifacts=(str(PROJECTS / "vyper" / name),))) as node:
            contract = node.deploy("Box", 5)
            contract.store(4)
            assert contract.value() == 4

    def test_solc_combined(self, tmp_path: Path) -> None:
        """Combined JSON of solc, whose ABI was text in old versions."""
        output = json.loads(BUILD_INFO.read_text())["output"]
        contract = output["contracts"]["contracts/Jar.sol"]["Jar"]
        code, runtime = contract["evm"]["bytecode"], contract["evm"]["deployedBytecode"]
        written = {
            "contracts": {
                "contracts/Jar.sol:Jar": {
                    "abi": json.dumps(contract["abi"]),
                    "bin": code["object"],
                    "bin-runtime": runtime["object"],
                    "srcmap": code["sourceMap"],
                    "srcmap-runtime": runtime["sourceMap"],
                }
            },
            "sourceList": ["contracts/Jar.sol", "contracts/Lid.sol"],
            "version": "0.8.28",
        }
        (tmp_path / "combined.json").write_text(json.dumps(written))

        artifact = jar(load_artifacts(tmp_path))

        assert artifact.source == "contracts/Jar.sol"
        assert artifact.runtime.template.hex() == runtime["object"]
        assert artifact.runtime.source_map == runtime["sourceMap"]
        assert artifact.sources[1].path == "contracts/Lid.sol"

    def test_brownie(self, tmp_path: Path) -> None:
        """Brownie's `build/contracts`, in a project with or without its configuration file."""
        written = brownie(tmp_path / "build" / "contracts")

        artifact = jar(load_artifacts(tmp_path, detailed=True))

        assert artifact.source == "contracts/Jar.sol"
        assert artifact.creation.template.hex() == written["bytecode"]
        assert artifact.sources[0].text == written["source"]
        assert not artifact.optimized

    def test_ape(self, tmp_path: Path) -> None:
        """A manifest of ape in `.build`."""
        written = json.loads(
            (PROJECTS / "hardhat3" / "artifacts/contracts/Jar.sol/Jar.json").read_text()
        )
        contract = {
            "abi": written["abi"],
            "contractName": "Jar",
            "deploymentBytecode": {"bytecode": written["bytecode"]},
            "runtimeBytecode": {"bytecode": written["deployedBytecode"]},
            "sourceId": "contracts/Jar.sol",
        }  # fmt: skip
        (tmp_path / ".build").mkdir()
        manifest = {"manifest": "ethpm/3", "contractTypes": {"Jar": contract}, "sources": {}}
        (tmp_path / ".build" / "__local__.json").write_text(json.dumps(manifest))

        artifact = jar(load_artifacts(tmp_path))

        assert (artifact.source, artifact.file[-14:]) == ("contracts/Jar.sol", "__local__.json")
        assert artifact.creation.template.hex() == written["bytecode"][2:]

    def test_versions_and_profiles(self, tmp_path: Path) -> None:
        """A contract that Foundry compiled in several ways is one; the default is deployed."""
        project = copy_of("foundry", tmp_path)
        folder = project / "compiled" / "Jar.sol"
        written = json.loads((folder / "Jar.json").read_text())
        older = written | {"bytecode": {"object": "0x00"}, "deployedBytecode": {"object": "0x00"}}
        (folder / "Jar.0.8.20.json").write_text(json.dumps(older))
        os.utime(folder / "Jar.json", (0, 0))

        with Node(Config(artifacts=(str(project),))) as node:
            assert node.deploy("Jar", 5).cap() == 5
            assert node.artifacts.find_by_code(b"\x00").name == "Jar"  # type: ignore[union-attr]

    def test_two_tools(self, tmp_path: Path) -> None:
        """A project of two tools: what was written last is deployed."""
        project = copy_of("foundry", tmp_path)
        shutil.copytree(PROJECTS / "hardhat2" / "artifacts", project / "artifacts")
        for file in (project / "artifacts").rglob("*.json"):
            file.write_text(file.read_text().replace("contracts/", "src/"))
            os.utime(file, (2_000_000_000, 2_000_000_000))

        with Node(Config(artifacts=(str(project),))) as node:
            (found,) = node.artifacts.find_by_name("Jar")

        assert "artifacts" in Path(found.file).parts
        assert len([each for each in load_artifacts(project) if each.name == "Jar"]) == 2

    def test_projects_below(self, tmp_path: Path) -> None:
        """Of a repository with several projects each is read as one."""
        copy_of("hardhat2", tmp_path)
        project = copy_of("foundry", tmp_path)
        (project / "other.json").write_text(FILE.read_text())

        found = load_artifacts(tmp_path)

        assert len([each for each in found if each.name == "Jar"]) == 2
        assert "Vault" not in {each.name for each in found}

    def test_foundry_profile(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """`out` is that of the profile in force."""
        (tmp_path / "ci-out").mkdir()
        (tmp_path / "foundry.toml").write_text('[profile.ci]\nout = "ci-out"\n')

        monkeypatch.setenv("FOUNDRY_PROFILE", "ci")
        project = find_project(tmp_path)

        assert project
        assert project.folders == (tmp_path / "ci-out",)

    @pytest.mark.parametrize("content", ["= broken", "profile = 3", "[profile]\ndefault = 3"])
    def test_broken_foundry_toml(self, tmp_path: Path, content: str) -> None:
        """A broken configuration leaves the defaults."""
        (tmp_path / "out").mkdir()
        (tmp_path / "foundry.toml").write_text(content)

        project = find_project(tmp_path)

        assert project
        assert project.folders == (tmp_path / "out",)

    def test_not_compiled(self, tmp_path: Path) -> None:
        """A project without artifacts is a notice that names the command; so does the error."""
        (tmp_path / "hardhat.config.ts").touch()

        with Node(Config(artifacts=(str(tmp_path),))) as node:
            (notice,) = node.artifacts.notices
            assert "compile first, `npx hardhat compile`, or name the folder that" in notice
            with pytest.raises(InvalidInput, match="compile first, `npx hardhat compile`"):
                node.deploy("Jar")


class TestNames:
    """Only contracts that differ are ambiguous."""

    def test_by_full_name(self) -> None:
        """The error names each source once, and each of these names works."""
        with Node(Config(artifacts=(str(PROJECTS / "hardhat2"),))) as node:
            with pytest.raises(InvalidInput) as raised:
                node.deploy("Twin")
            wanted = ["contracts/Jar.sol:Twin", "contracts/deep/Twin.sol:Twin"]

            assert str(raised.value).endswith(f"say which, {' or '.join(wanted)}")
            assert [node.deploy(each).name for each in wanted] == ["Twin", "Twin"]
            assert node.deploy("deep/Twin.sol:Twin").two() == 2
            with pytest.raises(InvalidInput, match=r"no artifact is named eep/Twin\.sol:Twin"):
                node.deploy("eep/Twin.sol:Twin")

    def test_same_path_in_two_projects(self, tmp_path: Path) -> None:
        """Contracts of one name and path in two projects are distinguished by the project."""
        copies = [tmp_path / "one", tmp_path / "two"]
        for each in copies:
            shutil.copytree(PROJECTS / "hardhat2", each)
        changed = copies[1] / "artifacts" / "contracts" / "deep" / "Twin.sol" / "Twin.json"
        changed.write_text(changed.read_text().replace('"two"', '"deux"'))

        with Node(Config(artifacts=tuple(map(str, copies)))) as node:
            with pytest.raises(InvalidInput, match="say which") as raised:
                node.deploy("deep/Twin.sol:Twin")
            first, _, second = str(raised.value).partition("say which, ")[2].partition(" or ")

            assert first != second
            assert node.deploy(first).two() == 2
            assert node.deploy(second).deux is not None
            assert node.deploy("Jar", 5).cap() == 5


class TestSources:
    """Sources are read from disk where no file has them."""

    def test_changed(self, tmp_path: Path) -> None:
        """A source that was changed after it was compiled is not used; a notice says so, once."""
        project = copy_of("foundry", tmp_path)
        (project / "src" / "Lid.sol").write_text("contract Lid {}")
        notices: list[str] = []

        artifact = jar(load_artifacts(project, detailed=True, notices=notices))
        texts = {each.path: each.text for each in artifact.sources.values()}

        assert texts["src/Lid.sol"] == ""
        assert "contract Jar" in texts["src/Jar.sol"]
        assert notices == ["src/Lid.sol has changed since it was compiled: compile again"]

    def test_outside_the_project(self, tmp_path: Path) -> None:
        """A source outside the project is not read."""
        (tmp_path / "secret.vy").write_text("secret")
        project = tmp_path / "project"
        project.mkdir()
        written = (PROJECTS / "vyper" / "combined.json").read_text()
        (project / "out.json").write_text(written.replace("Box.vy", "../secret.vy"))

        (artifact,) = load_artifacts(project, detailed=True)

        assert artifact.sources[0].path == "../secret.vy"
        assert artifact.sources[0].text == ""

    def test_map_of_vyper_before_0_4(self) -> None:
        """Vyper 0.3 leaves instructions out of its map: the others have the ranges of their own."""
        file = CONTRACTS / "purse-0.3.json"
        written = json.loads(file.read_text())["output"]["contracts"]["Purse.vy"]["Purse"]
        places = written["evm"]["deployedBytecode"]["sourceMapFull"]["pc_pos_map"]

        [artifact] = (each for each in load_artifacts(file) if each.name == "Purse")

        found = [each for each in instructions(artifact.runtime) if each.source != NOWHERE]
        source = artifact.sources[0].text
        lines = {str(each.offset): source[: each.span[0]].count("\n") + 1 for each in found}
        assert lines == {offset: place[0] for offset, place in places.items()}

    def test_vyper_before_0_4(self, tmp_path: Path) -> None:
        """The only map of vyper 0.3 is that of the runtime code, by instructions."""
        [build] = (each for each in BUILDS if each.name == "vyper-0.3")
        path = "panics.vy"
        output = build.read()["output"]["contracts"][path]["panics"]
        code = output["evm"]["deployedBytecode"]
        text = build.read()["input"]["sources"][path]["content"]
        contract = {
            "abi": output["abi"],
            "bytecode": output["evm"]["bytecode"]["object"],
            "bytecode_runtime": code["object"],
            "source_map": {
                "pc_pos_map_compressed": re.sub(r":10:", ":0:", code["sourceMap"]),
                "error_map": code["sourceMapFull"]["error_map"],
            },
        }
        (tmp_path / path).write_text(text)
        (tmp_path / "out.json").write_text(json.dumps({path: contract, "version": "0.3.10"}))

        (artifact,) = load_artifacts(tmp_path, detailed=True)
        code_map = CodeMap(artifact, creating=False)
        subtractions = [
            position.text
            for each in instructions(artifact.runtime)
            if each.opcode == SUB and (position := code_map.statement_location(each.offset))
        ]

        assert artifact.creation.source_map == ""
        assert "safesub" in artifact.runtime.checks.values()
        assert subtractions == [
            "unsafe_sub(self.total, amount)",
            *["self.values.pop()"] * 3,
            "-self.lowest",
        ]


class TestHostile:
    """Files that are broken or made to do harm are skipped with a notice."""

    @pytest.mark.parametrize(
        "content",
        [
            b'{"abi": [',
            b'{"abi": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
            b'{"abi": [{"type": "function", "inputs": 3}]}',
            b'{"abi": [], "bytecode": "0xzz"}',
            b'{"abi": [], "contractName": "\\u001b[2J", "bytecode": "zz"}',
            b'{"abi": [], "deployedBytecode": {"object": "0x00", "linkReferences": {}, %b}}'
            % b'"immutableReferences": {"1": [{"start": 0, "length": 1000000000000}]}',
            b'{"abi": [], "bytecode": "0x0000", "linkReferences": {"a": {"b": [{"start": -5}]}}}',
            b'{"abi": [], "bytecode": "0' + b"__$" * 20 + b'"}',
            b'\xff\xfe{"abi": []}',
        ],
        ids=range(9),
    )
    def test_one_bad_file(self, tmp_path: Path, content: bytes) -> None:
        """Other files of the folder are read; the notice names the file on one plain line."""
        (tmp_path / "Vault.json").write_text(FILE.read_text())
        (tmp_path / "bad.json").write_bytes(content)
        notices: list[str] = []

        found = load_artifacts(tmp_path, notices=notices)

        assert [each.name for each in found] == ["Vault"]
        (notice,) = notices
        assert "bad.json" in notice
        assert notice.isprintable()

    @pytest.mark.parametrize(
        "replaced",
        [3, None, "x", [], [1], {}, {"a": 1}, True, {"0": "x"}],
        ids=repr,
    )
    @pytest.mark.parametrize("name", ["hardhat2", "foundry_build_info", "truffle", "vyper"])
    def test_wrong_types(self, name: str, replaced: object) -> None:
        """A value of another type anywhere leaves out a contract at most."""
        files = [each for each in (PROJECTS / name).rglob("*.json") if each.parent.name != "cache"]
        for file in files:
            written = json.loads(file.read_text())
            for parent, key in _members(written, depth=5):
                was, parent[key] = parent[key], replaced
                parse_artifacts(written)
                parent[key] = was

    def test_loop_of_links(self, tmp_path: Path) -> None:
        """A link to a folder above is not followed."""
        (tmp_path / "Vault.json").write_text(FILE.read_text())
        (tmp_path / "loop").symlink_to(tmp_path)

        assert len(load_artifacts(tmp_path)) == 1

    @pytest.mark.parametrize("name", ["node_modules", ".git", "cache", ".venv", "env"])
    def test_skipped_folders(self, tmp_path: Path, name: str) -> None:
        """Dependencies, caches and environments are not searched."""
        (tmp_path / name).mkdir()
        (tmp_path / name / "Vault.json").write_text(FILE.read_text())
        (tmp_path / name / "pyvenv.cfg").touch()

        assert load_artifacts(tmp_path) == []

    def test_too_large(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A folder with too many files is refused, with what to name in its place."""
        monkeypatch.setattr(artifact_files, "MAX_SEARCHED", 3)
        for index in range(4):
            (tmp_path / f"{index}.txt").touch()

        with pytest.raises(ConfigError, match="more than 3 files and folders: name the folder"):
            load_artifacts(tmp_path)

    def test_no_regular_file(self, tmp_path: Path) -> None:
        """A pipe that is named like an artifact is not opened."""
        os.mkfifo(tmp_path / "Vault.json")

        assert load_artifacts(tmp_path) == []

    def test_too_many_values(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """JSON that would take too much memory is not parsed: an empty object takes 64 bytes."""
        monkeypatch.setattr(artifact_files, "MAX_PARSED_SIZE", 100_000)
        (tmp_path / "Vault.json").write_text('{"abi": [' + "{}," * 1_000 + "{}]}")
        notices: list[str] = []

        assert load_artifacts(tmp_path, notices=notices) == []
        assert "too many values to be read" in notices[0]

    def test_too_many_sources(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Sources are read from disk until they are too many, and used until then."""
        monkeypatch.setattr(artifact_files, "MAX_SOURCES_SIZE", 1)
        found = load_artifacts(copy_of("foundry", tmp_path), detailed=True)
        monkeypatch.setattr(sources, "MAX_SOURCES_SIZE", 1)

        texts = {each.text for artifact in found for each in artifact.sources.values()}
        assert len(texts - {""}) == 1
        assert not any(map(texts_of, found))

    def test_bare_abi(self, tmp_path: Path) -> None:
        """A file that is an ABI, and nothing else, is named after the file."""
        (tmp_path / "IVault.json").write_text(json.dumps(WRITTEN["abi"]))

        (artifact,) = load_artifacts(tmp_path / "IVault.json")

        assert artifact.name == "IVault"
        assert artifact.abi.functions


def _members(value: Any, depth: int) -> list[tuple[Any, Any]]:
    """Every container in a JSON value down to a depth, with each of its keys."""
    if depth == 0 or not isinstance(value, dict | list):
        return []
    keys = list(value) if isinstance(value, dict) else list(range(min(len(value), 3)))
    found = [(value, key) for key in keys]
    for key in keys:
        found += _members(value[key], depth - 1)
    return found


@pytest.mark.parametrize("name", SOLIDITY)
def test_code_map(name: str) -> None:
    """Places in the source are known of the contracts of every tool, also those read lazily."""
    registry = Registry()
    registry.load(PROJECTS / name)
    artifact = jar(load_artifacts(PROJECTS / name))

    found = registry.code_map(artifact.creation.template, creating=True)

    assert found is not None
    assert [each.text for each in found.files.values() if "contract Jar" in each.text]


def test_sources_alone(tmp_path: Path) -> None:
    """A folder that has sources and nothing compiled says how to compile them."""
    (tmp_path / "Token.sol").write_text("contract Token {}")
    notices: list[str] = []

    assert load_artifacts(tmp_path, notices=notices) == []

    [notice] = notices
    assert f'deploy("{tmp_path / "Token.sol"}") compiles a source' in notice
