"""`devchain.cli.commands.check`"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from devchain.config import Config
from devchain.node import Node
from tests.actions import deploy
from tests.bytecode import REVERT, assemble
from tests.cli.conftest import Runner

NEWER = assemble("PUSH0 PUSH0 PUSH0 MCOPY STOP")
PUSH0 = "PUSH0 is not available before arrowhead"
MCOPY = "MCOPY is not available before lovell"


@pytest.fixture
def config() -> Config:
    return Config(hardfork="arrowhead")


@pytest.fixture
def artifact(tmp_path: Path) -> Path:
    """A contract with newer opcodes in its runtime code alone."""
    file = tmp_path / "Newer.json"
    code = {"bytecode": "0x00", "deployedBytecode": f"0x{NEWER.hex()}"}
    file.write_text(json.dumps({"contractName": "Newer", "abi": [], **code}))
    return file


class TestCheck:
    def test_deployed(self, devchain: Runner, node: Node) -> None:
        """A deployed contract is checked for the rules of its node."""
        address = f"0x{deploy(node, NEWER).hex()}"

        result = devchain("check", address)

        assert result.code == 1
        assert result.out == f"{address}: {MCOPY}; compile with evmVersion shanghai\n"
        assert devchain("check", address, "--hardfork", "Vetiver").code == 0
        assert PUSH0 in devchain("check", address, "--hardfork", "iris").out

    def test_without_any(self, devchain: Runner, node: Node) -> None:
        """Code without such opcodes is said to be right."""
        result = devchain("check", f"0x{deploy(node, REVERT).hex()}")

        assert (result.code, result.out, result.err) == (0, "", "arrowhead has all opcodes.\n")

    def test_artifact(self, devchain: Runner, artifact: Path) -> None:
        """An artifact is checked for the newest upgrade, or the one that is named."""
        assert devchain("check", str(artifact)).code == 0

        result = devchain("check", str(artifact), "--hardfork", "iris", "--json")

        assert result.code == 1
        assert json.loads(result.out) == [
            {"contract": str(artifact), "opcodes": ["PUSH0", "MCOPY"], "evmVersion": "paris"}
        ]

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            (["0x" + "12" * 20], "it has no code"),
            (["0x12"], "is not an address"),
            (["Nothing"], "there is no file Nothing"),
            (["Newer.json", "--hardfork", "nine"], "unknown hardfork 'nine'"),
        ],
    )
    def test_wrong(
        self,
        devchain: Runner,
        artifact: Path,
        monkeypatch: pytest.MonkeyPatch,
        arguments: list[str],
        problem: str,
    ) -> None:
        """What cannot be checked is an error that says why."""
        monkeypatch.chdir(artifact.parent)

        result = devchain("check", *arguments)

        assert result.code in {1, 2}
        assert problem in result.err.replace("\n", " ")
