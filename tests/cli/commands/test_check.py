"""`devchain.cli.commands.check`"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.node import Node
from tests.actions import deploy, run
from tests.bytecode import REVERT, assemble
from tests.cli.conftest import Result, Runner
from tests.cli.scripted import ScriptedClient
from tests.fork.upstreams import fork_of

NEWER = assemble("PUSH0 PUSH0 PUSH0 MCOPY STOP")
COMPILED = Path(__file__).parents[2] / "failures" / "compiled"
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
            {
                "contract": str(artifact),
                "opcodes": ["PUSH0", "MCOPY"],
                "evmVersion": "paris",
                "places": {},
            }
        ]

    def test_places(self, devchain: Runner, tmp_path: Path) -> None:
        """With a source map the first line that has the opcode is below."""
        file = tmp_path / "build.json"
        file.write_bytes(lzma.decompress((COMPILED / "vyper-0.4.json.xz").read_bytes()))
        shown = devchain("check", str(file), "--hardfork", "arrowhead").out
        rows = json.loads(devchain("check", str(file), "--hardfork", "arrowhead", "--json").out)

        assert f"reasons.vy:reasons: {MCOPY}; compile with evmVersion shanghai\n  MCOPY at" in shown
        (place,) = [row["places"]["MCOPY"] for row in rows if row["contract"].endswith(":reasons")]
        name, _, number = place.partition(":")
        source = (COMPILED.parent / "contracts" / name).read_text(encoding="utf-8")
        assert source.splitlines()[int(number) - 1].strip() == 'name: String[8] = "computed"'

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            (["0x" + "12" * 20], "it has no code"),
            (["0x12"], "is not an address"),
            (["Nothing"], "'Nothing' is no contract here"),
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


class TestUpgradeReport:
    def test_table(self, devchain: Runner, node: Node) -> None:
        """The functions that change are in a table, with the reason below."""
        contract = deploy(node, assemble("PUSH0 PUSH0 RETURN"))
        for data in (b"\x01\x02\x03\x04", b"\x01\x02\x03\x04", b""):
            run(node, contract, data)
        address = f"0x{contract.hex()}"

        result = devchain("upgrade-report", address, "--hardfork", "fingerroot")

        assert (result.code, result.err) == (0, "")
        assert [line.split() for line in result.out.splitlines() if address in line] == [
            [f"{address}.0x", *["1", "1", "0", "0", "+0.0", "%"]],
            [f"{address}.0x01020304", *["2", "2", "0", "0", "+0.0", "%"]],
        ]
        assert result.out.count(f"with another status: invalid opcode: {PUSH0}; compile") == 2
        assert result.out.endswith(
            "3 of 3 functions would change from the node's rules to fingerroot, in 4 calls\n"
        )

    def test_json(self, devchain: Runner, node: Node) -> None:
        """--json has the numbers; as many transactions are executed as were asked for."""
        contract = deploy(node, assemble("STOP"))
        used = [run(node, contract).gas_used for _ in range(2)]
        arguments = [f"0x{contract.hex()}", "--hardfork", "lovell", "--count", "1", "--json"]

        result = devchain("upgrade-report", *arguments)

        assert json.loads(result.out) == {
            f"0x{contract.hex()}.0x": {
                "calls": 1,
                "changed": 0,
                "gas": used[0],
                "newGas": used[0],
                "otherStatus": 0,
                "otherResult": 0,
                "reason": "",
                "place": "",
                "transaction": "",
            }
        }

    @pytest.mark.parametrize("answer", [[1], {"f": 1}, {"f": {"changed": 1}}, None])
    def test_other_answers(self, run_on: Callable[..., Result], answer: object) -> None:
        """An answer of another form is an error."""
        client = ScriptedClient(devchain_compareHardforks=answer)

        result = run_on(client, "upgrade-report", "0x" + "12" * 20, "--hardfork", "reed")

        assert (result.code, result.err) == (1, "error: the node's answer is no report\n")

    def test_since(self, run_on: Callable[..., Result]) -> None:
        """Of a fork transactions that left logs before it are compared with --since."""
        words = ["--hardfork", "lovell"]
        with Node(Config()) as upstream:
            logger = deploy(upstream, assemble("0 0 LOG0"))
            run(upstream, logger)
            fork, _ = fork_of(upstream)
            with fork:
                client = LocalClient(fork)
                words = ["upgrade-report", f"0x{logger.hex()}", *words]
                without, since = run_on(client, *words), run_on(client, *words, "--since", "1")

        assert without.out.endswith("in 0 calls\n")
        assert since.out.endswith("in 1 call\n")
