"""`devchain.contracts.artifacts`"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devchain.contracts.artifact_files import load_artifacts
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.contracts.artifacts import metadata_range
from devchain.errors import ConfigError
from tests.contracts.vault import VAULT, WRITTEN

RUNTIME = WRITTEN["deployedBytecode"]
CREATION = WRITTEN["bytecode"]
COMPILER_ERROR = {
    "severity": "error",
    "type": "StructureException",
    "message": "no sense\n\x1b",
    "sourceLocation": {"file": "bad.vy"},
}
PLACEHOLDERS = [each[0] for each in VAULT.runtime.placeholders]


def standard(path: str = "src/Vault.sol", **deployed: Any) -> dict[str, Any]:
    """The vault in the standard JSON output of solc."""
    evm = {
        "bytecode": {"object": CREATION[2:], "sourceMap": "0:1:0"},
        "deployedBytecode": {"object": RUNTIME[2:], "sourceMap": "1:2:0", **deployed},
    }
    return {
        "contracts": {path: {"Vault": {"abi": WRITTEN["abi"], "evm": evm}}},
        "sources": {path: {"id": 0}},
    }


def deployed(fill: bytes = b"\x11") -> bytes:
    """The vault's deployed code, with immutables filled in."""
    code = bytearray.fromhex(RUNTIME[2:])
    for start in PLACEHOLDERS:
        code[start : start + 32] = fill * 32
    return bytes(code)


class TestRead:
    """`parse_artifacts` reads the JSON of each tool."""

    def test_solc(self) -> None:
        """Solc's standard JSON output is read without its input."""
        (artifact,) = parse_artifacts(standard(immutableReferences={}))

        assert (artifact.name, artifact.source) == ("Vault", "src/Vault.sol")
        assert not artifact.matches_code(deployed())

    def test_vyper_appends_immutables(self) -> None:
        """Vyper's code is recognised with immutables appended."""
        (artifact,) = parse_artifacts(
            standard("Vault.vy", sourceMap={"pc_pos_map_compressed": "3:4"})
        )
        plain = bytes.fromhex(RUNTIME[2:])

        assert artifact.language == "Vyper"
        assert artifact.runtime.source_map == "3:4"
        assert artifact.matches_code(plain + b"\x07" * 64)

    def test_library_with_parameters_in_storage(self) -> None:
        """Functions that solc 0.4 lists though only contracts can call them are left out."""
        written = standard()
        abi = [
            {
                "type": "function",
                "name": "spend",
                "inputs": [{"name": "book", "type": "Ledger.Book storage"}],
            },
            {"type": "function", "name": "limit", "inputs": [{"name": "", "type": "uint256"}]},
        ]
        written["contracts"]["src/Vault.sol"]["Vault"]["abi"] = abi

        [found] = parse_artifacts(written)

        assert [each.signature for each in found.abi.functions.values()] == ["limit(uint256)"]


class TestLoad:
    """`load_artifacts` reads a file or a folder."""

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (None, "no such file"),
            ("{", "is not JSON, '{': "),
            ("{}", "holds no contract"),
            ("", "is not JSON, '': "),
            ("Error compiling: bad.vy\n\n", "is not JSON, 'Error compiling: bad.vy"),
            ("\x1b[2J" + "long " * 100, r"is not JSON, '\\\\x1b\[2Jlong [long .]{,75}': "),
            (
                json.dumps({"errors": [{"severity": "warning", "message": "old"}, COMPILER_ERROR]}),
                r"no contract but errors .*: bad.vy: StructureException: no sense \\x1b$",
            ),
            (json.dumps({"output": {"errors": [{"severity": "error"}]}}), "compiler: error$"),
            (json.dumps({"errors": [7, {}]}), "holds no contract: want an artifact with an abi$"),
        ],
        ids=["absent", "broken", "other", "empty", "text", "hostile", "errors", "output", "none"],
    )
    def test_no_artifact(self, tmp_path: Path, content: str | None, message: str) -> None:
        """A missing file, and a file without an artifact, is an error that names the reason."""
        file = tmp_path / "Vault.json"
        if content is not None:
            file.write_text(content)

        with pytest.raises(ConfigError, match=message):
            load_artifacts(file)


class TestCode:
    """Deployed code is compared without placeholders."""

    def test_ignores_metadata(self) -> None:
        """Code with other metadata matches."""
        code = bytearray(deployed())
        start, size = metadata_range(bytes(code))
        code[start + 10] ^= 0xFF

        assert size > 2
        assert VAULT.runtime.matches(bytes(code))

    def test_other_code(self) -> None:
        """Code with another byte or another length does not match."""
        code = deployed()

        assert not VAULT.runtime.matches(code + b"\x00")
        assert not VAULT.runtime.matches(b"\x61" + code[1:])


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ({"bytecode": "0x600"}, "its bytecode is not pairs of hex digits"),
        (
            {"abi": [{**WRITTEN["abi"][0], "inputs": [{"type": "uint257"}]}]},
            "'uint257' is no ABI type",
        ),
    ],
)
def test_malformed(tmp_path: Path, part: dict[str, Any], why: str) -> None:
    """A damaged artifact is said to be damaged, and in which part."""
    file = tmp_path / "Vault.json"
    file.write_text(json.dumps({**WRITTEN, **part}))

    with pytest.raises(ConfigError, match=f"holds a contract that cannot be read: .*{why}"):
        load_artifacts(file)


def test_list_is_no_artifact(tmp_path: Path) -> None:
    """A JSON list of artifacts is not an artifact."""
    file = tmp_path / "list.json"
    file.write_text(json.dumps([WRITTEN]))

    with pytest.raises(ConfigError, match="holds no contract"):
        load_artifacts(file)
