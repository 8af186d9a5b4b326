"""The clients people use, each in its own words, on a node of its own."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.clients.conftest import ROOT, Run

KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
SENDER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
RBTC = 10**18
QUIETLY = ("--no-audit", "--no-fund")


class TestExamples:
    @pytest.mark.parametrize("name", ["ethers", "hardhat"])
    def test_npm_example(self, npm: Run, name: str) -> None:
        """An example's own test suite passes."""
        folder = ROOT / "examples" / name
        npm(folder, "ci", *QUIETLY)

        printed = npm(folder, "test")

        assert "not ok" not in printed


class TestJavascript:
    def test_npm_clients(self, npm: Run) -> None:
        """Ethers and viem subscribe and read traces; OpenRPC's own schema knows the document."""
        folder = ROOT / "tests" / "clients" / "javascript"
        npm(folder, "install", "--no-package-lock", *QUIETLY)

        printed = npm(folder, "test")

        assert "not ok" not in printed


class TestCast:
    def test_contract(self, npm: Run, url: str) -> None:
        """Cast deploys, sends, calls, finds the log and tells of a revert."""
        folder = ROOT / "tests" / "clients" / "cast"
        # Pinned to the digit, and its binaries with it: a lock file would name every platform.
        npm(folder, "install", "--no-package-lock", *QUIETLY)
        program = str(folder / "node_modules" / ".bin" / "cast")
        signed = ("--rpc-url", url, "--private-key", KEY, "--json")
        artifact = json.loads((ROOT / "examples" / "contracts" / "Vault.json").read_text())

        def cast(*arguments: str) -> str:
            return npm(folder, *arguments, program=program).strip()

        code = artifact["bytecode"]
        deployed = json.loads(
            cast("send", *signed, "--create", code, "constructor(uint256)", "86400")
        )
        vault = deployed["contractAddress"]
        cast("send", *signed, vault, "deposit()", "--value", str(RBTC))
        deposits = cast("call", "--rpc-url", url, vault, "deposits(address)(uint256)", SENDER)
        logs = cast("logs", "--rpc-url", url, "--from-block", "0", "--address", vault, "--json")
        failed = subprocess.run(
            [program, "call", "--rpc-url", url, "--from", SENDER, vault, "withdraw()"],
            capture_output=True,
            text=True,
            check=False,
        )

        assert deposits.split()[0] == str(RBTC)
        assert int(json.loads(logs)[0]["data"], 16) == RBTC
        assert "execution reverted: the vault is still closed" in failed.stderr

    def test_traces(self, npm: Run, url: str) -> None:
        """Cast reads traces, and runs a transaction again in its own machine."""
        folder = ROOT / "tests" / "clients" / "cast"
        npm(folder, "install", "--no-package-lock", *QUIETLY)
        program = str(folder / "node_modules" / ".bin" / "cast")
        signed = ("--rpc-url", url, "--private-key", KEY, "--json")
        code = json.loads((ROOT / "examples" / "contracts" / "Vault.json").read_text())["bytecode"]

        def cast(*arguments: str) -> str:
            return npm(folder, *arguments, program=program).strip()

        created = cast("send", *signed, "--create", code, "constructor(uint256)", "86400")
        vault = json.loads(created)["contractAddress"]
        # Cast knows Ethereum's prices alone, so it needs more gas than Rootstock takes.
        ample = ("--value", "7", "--gas-limit", "200000")
        sent = json.loads(cast("send", *signed, vault, "deposit()", *ample))["transactionHash"]
        tracer = json.dumps({"tracer": "callTracer", "tracerConfig": {"withLog": True}})
        told = cast("rpc", "--rpc-url", url, "debug_traceTransaction", sent, tracer)
        ran = cast("run", "--rpc-url", url, sent)

        trace = json.loads(told)
        assert (trace["to"], trace["value"], len(trace["logs"])) == (vault.lower(), "0x7", 1)
        assert trace["logs"][0]["topics"][0] in ran
        assert "Transaction successfully executed" in ran
