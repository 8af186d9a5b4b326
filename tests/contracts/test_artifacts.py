"""Artifacts of the common tools, read from their files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devchain.contracts.artifacts import Code, load_artifacts, metadata_range, parse_artifacts
from devchain.errors import ConfigError
from tests.contracts.vault import FILE, VAULT, WRITTEN

RUNTIME = WRITTEN["deployedBytecode"]
CREATION = WRITTEN["bytecode"]
HOLES = [each[0] for each in VAULT.runtime.placeholders]


def standard(path: str = "src/Vault.sol", **deployed: Any) -> dict[str, Any]:
    """Solc's standard JSON output for the vault."""
    evm = {
        "bytecode": {"object": CREATION[2:], "sourceMap": "0:1:0"},
        "deployedBytecode": {"object": RUNTIME[2:], "sourceMap": "1:2:0", **deployed},
    }
    return {
        "contracts": {path: {"Vault": {"abi": WRITTEN["abi"], "evm": evm}}},
        "sources": {path: {"id": 0}},
    }


def deployed(fill: bytes = b"\x11") -> bytes:
    """The vault's code as it is on a chain, its immutables filled in."""
    code = bytearray.fromhex(RUNTIME[2:])
    for start in HOLES:
        code[start : start + 32] = fill * 32
    return bytes(code)


class TestRead:
    """`read` knows the files of the tools."""

    def test_hardhat(self) -> None:
        """Hardhat's artifact has name, source, ABI and code; immutables are zero pushes in it."""
        assert (VAULT.name, VAULT.source) == ("Vault", "Vault.sol")
        assert VAULT.creation.template.hex() == CREATION[2:]
        assert VAULT.matches_code(deployed())

    def test_foundry(self) -> None:
        """Foundry's says where immutables are and names the contract in its metadata."""
        holes = {"3": [{"start": each, "length": 32} for each in HOLES]}
        written = {
            "abi": WRITTEN["abi"],
            "bytecode": {"object": CREATION, "sourceMap": "0:1:0", "linkReferences": {}},
            "deployedBytecode": {"object": RUNTIME, "immutableReferences": holes},
            "metadata": {"settings": {"compilationTarget": {"src/Vault.sol": "Vault"}}},
        }

        (artifact,) = parse_artifacts(written)

        assert (artifact.name, artifact.source) == ("Vault", "src/Vault.sol")
        assert artifact.creation.source_map == "0:1:0"
        assert artifact.matches_code(deployed())

    def test_build_info(self) -> None:
        """Hardhat's build-info has the sources too."""
        given = {"sources": {"src/Vault.sol": {"content": "contract Vault {}"}}}

        (artifact,) = parse_artifacts({"input": given, "output": standard()})

        assert artifact.sources[0].text == "contract Vault {}"
        assert artifact.runtime.source_map == "1:2:0"

    def test_solc(self) -> None:
        """Solc's standard output alone does."""
        (artifact,) = parse_artifacts(standard(immutableReferences={}))

        assert (artifact.name, artifact.source) == ("Vault", "src/Vault.sol")
        assert not artifact.matches_code(deployed())

    def test_vyper_keeps_immutables_behind_the_code(self) -> None:
        """Vyper's code is recognised with what its constructor put behind it."""
        (artifact,) = parse_artifacts(
            standard("Vault.vy", sourceMap={"pc_pos_map_compressed": "3:4"})
        )
        plain = bytes.fromhex(RUNTIME[2:])

        assert artifact.language == "Vyper"
        assert artifact.runtime.source_map == "3:4"
        assert artifact.matches_code(plain + b"\x07" * 64)

    def test_linked_library(self) -> None:
        """The places of libraries match any address."""
        marked = "73" + "__$aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa$__" + "00"
        links = {"L.sol": {"L": [{"start": 1, "length": 20}]}}
        written = {"abi": [], "deployedBytecode": {"object": marked, "linkReferences": links}}

        (artifact,) = parse_artifacts(written)

        assert not artifact.runtime.is_linked
        assert artifact.matches_code(b"\x73" + b"\x22" * 20 + b"\x00")
        assert not artifact.matches_code(b"\x73" + b"\x22" * 20 + b"\x01")

    @pytest.mark.parametrize(
        "written",
        [
            None,
            [],
            {},
            {"abi": "none"},
            {"abi": [{"type": "function", "inputs": 3}]},
            {"abi": [], "bytecode": "0xzz"},
            {"contracts": {"a.sol": {"A": None}}},
            {"output": {"contracts": {"a.sol": None}}},
        ],
        ids=repr,
    )
    def test_none_in_other_json(self, written: object) -> None:
        """What is not an artifact gives none."""
        assert list(parse_artifacts(written)) == []


class TestLoad:
    """`load` reads a file or a folder."""

    def test_a_folder(self, tmp_path: Path) -> None:
        """Every artifact below a folder is found; other files are passed over."""
        (tmp_path / "deep").mkdir()
        (tmp_path / "deep" / "Vault.json").write_text(FILE.read_text())
        (tmp_path / "package.json").write_text("{}")
        (tmp_path / "node_modules").mkdir()
        (tmp_path / "node_modules" / "Other.json").write_text(FILE.read_text())

        assert [each.name for each in load_artifacts(tmp_path)] == ["Vault"]

    @pytest.mark.parametrize(
        ("content", "says"),
        [(None, "no such file"), ("{", "is not JSON"), ("{}", "holds no contract")],
        ids=["absent", "broken", "other"],
    )
    def test_says_what_is_wrong(self, tmp_path: Path, content: str | None, says: str) -> None:
        """A file that is named must be an artifact."""
        file = tmp_path / "Vault.json"
        if content is not None:
            file.write_text(content)

        with pytest.raises(ConfigError, match=says):
            load_artifacts(file)

    def test_refuses_unreadable_files(self, tmp_path: Path) -> None:
        """A dangling link is named as absent."""
        link = tmp_path / "Vault.json"
        link.symlink_to(tmp_path / "nowhere.json")

        with pytest.raises(ConfigError, match="no such file"):
            load_artifacts(link)


class TestCode:
    """Deployed code is recognised by all that is not filled in later."""

    def test_ignores_metadata(self) -> None:
        """The same code compiled from differently commented source is the same."""
        code = bytearray(deployed())
        start, size = metadata_range(bytes(code))
        code[start + 10] ^= 0xFF

        assert size > 2
        assert VAULT.runtime.matches(bytes(code))

    def test_tells_other_code(self) -> None:
        """One byte more or another byte is another contract."""
        code = deployed()

        assert not VAULT.runtime.matches(code + b"\x00")
        assert not VAULT.runtime.matches(b"\x61" + code[1:])

    def test_no_code_is_nothing(self) -> None:
        """An interface has no code and matches none."""
        assert not Code().matches(b"")


def test_artifact_files_are_json(tmp_path: Path) -> None:
    """A list of artifacts is no artifact."""
    file = tmp_path / "list.json"
    file.write_text(json.dumps([WRITTEN]))

    with pytest.raises(ConfigError, match="holds no contract"):
        load_artifacts(file)
