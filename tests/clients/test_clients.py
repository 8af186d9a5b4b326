"""Other programs as clients: ethers, viem, Hardhat, Truffle, forge, cast; each on its own node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.clients.conftest import ROOT, Run

KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
SENDER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
RBTC = 10**18
QUIETLY = ("--no-audit", "--no-fund")
NO_MODULES = shutil.ignore_patterns("node_modules")


class TestExamples:
    @pytest.mark.parametrize("name", ["ethers", "hardhat"])
    def test_npm_example(self, npm: Run, name: str) -> None:
        """An example's own test suite passes."""
        folder = ROOT / "examples" / name
        npm(folder, "ci", *QUIETLY)

        printed = npm(folder, "test")

        assert "not ok" not in printed

    @pytest.mark.parametrize("options", [["--network", "local"]])
    def test_peg(self, npm: Run) -> None:
        """The script of the peg runs."""
        printed = npm(ROOT / "examples" / "peg", "peg.mjs", program="node")

        assert printed.endswith("the federation has 0.5 BTC\n")


class TestJavascript:
    def test_npm_clients(self, npm: Run) -> None:
        """Ethers and viem subscribe and read traces; the OpenRPC document is valid."""
        folder = ROOT / "tests" / "clients" / "javascript"
        npm(folder, "install", "--no-package-lock", *QUIETLY)

        printed = npm(folder, "test")

        assert "not ok" not in printed


class TestPeg:
    @pytest.fixture
    def options(self, free_tcp_port: int) -> list[str]:
        """Bitcoind's JSON-RPC on a port of its own, and federators that work by themselves."""
        peg = ["--automatic-peg", "--bitcoin", "--bitcoin-port", str(free_tcp_port)]
        return ["--network", "local", *peg]

    def test_rootstock_libraries(self, npm: Run, options: list[str]) -> None:
        """flyover-sdk and the parsers of 2wp-api follow a peg-in and a peg-out."""
        folder = ROOT / "tests" / "clients" / "peg"
        npm(folder, "install", "--no-package-lock", *QUIETLY)

        printed = npm(folder, "test", DEVCHAIN_BITCOIN_PORT=options[-1])

        assert "not ok" not in printed


TILL = str(ROOT / "tests" / "testing" / "contracts" / "till-plain.json")


class TestErrors:
    @pytest.mark.parametrize(
        "options",
        [["--like", each, "--artifacts", TILL] for each in ("hardhat", "anvil", "ganache")],
        ids=["hardhat", "anvil", "ganache"],
    )
    def test_decoded(self, npm: Run, options: list[str]) -> None:
        """Ethers and viem decode failures as with each node; a stack trace beside is ignored."""
        folder = ROOT / "tests" / "clients" / "javascript"
        npm(folder, "install", "--no-package-lock", *QUIETLY)

        npm(folder, "--test", "errors.test.js", program="node", DEVCHAIN_LIKE=options[1])


ETHEREUM = ["--hardfork", "prague"]
NEXT = ["--hardfork", "next"]


class TestHardhat:
    @pytest.mark.parametrize(
        "options",
        [["--like", "hardhat"], ["--like", "hardhat", *ETHEREUM], ["--like", "hardhat", *NEXT]],
        ids=["rootstock", "prague", "next"],
    )
    def test_network_helpers(self, npm: Run, options: list[str]) -> None:
        """All of Hardhat's network helpers and its chai matchers work with `--like hardhat`."""
        folder = ROOT / "tests" / "clients" / "helpers"
        npm(folder, "install", "--no-package-lock", *QUIETLY)

        npm(folder, "test", DEVCHAIN_RULES="" if "prague" in options else "rootstock")


class TestTruffle:
    @pytest.mark.parametrize(
        "options", [["--like", "ganache"], ["--like", "ganache", *NEXT]], ids=["ganache", "next"]
    )
    def test_contracts(self, npm: Run, options: list[str]) -> None:
        """Truffle's contract objects and web3.js 1 and 4 work as on ganache."""
        folder = ROOT / "tests" / "clients" / "truffle"
        npm(folder, "install", "--no-package-lock", *QUIETLY)

        printed = npm(folder, "test", DEVCHAIN_RULES="next" if "next" in options else "")

        assert "not ok" not in printed


class TestFoundry:
    @pytest.mark.parametrize(
        "options",
        [
            ["--like", "anvil", "--network", "test"],
            ["--like", "anvil", *ETHEREUM],
            ["--like", "anvil", "--network", "local", *NEXT],
        ],
        ids=["rootstock", "prague", "next"],
    )
    def test_script(self, npm: Run, url: str, tmp_path: Path) -> None:
        """Forge deploys and sends in a script, without options for the type of transactions."""
        folder = tmp_path / "project"
        shutil.copytree(ROOT / "tests" / "clients" / "foundry", folder, ignore=NO_MODULES)
        npm(folder, "install", "--no-package-lock", *QUIETLY)
        programs = folder / "node_modules" / ".bin"
        connected = ("--rpc-url", url, "--private-key", KEY)

        def run(program: str, *arguments: str) -> str:
            return npm(folder, *arguments, program=str(programs / program), HOME=str(tmp_path))

        run("forge", "script", "--offline", *connected, "--broadcast", "script/Deploy.s.sol:Deploy")
        counter = json.loads(run("cast", "rpc", "--rpc-url", url, "eth_getBlockReceipts", "0x1"))
        address = counter[0]["contractAddress"]
        count = run("cast", "call", "--rpc-url", url, address, "count()(uint256)")
        created = run(
            "forge", "create", "--offline", *connected, "--broadcast", "src/Counter.sol:Counter"
        )

        assert count.strip() == "5"
        assert "Deployed to: 0x" in created


class TestRequests:
    @pytest.mark.parametrize("options", [ETHEREUM], ids=["prague"])
    def test_viem(self, npm: Run) -> None:
        """Every test action of viem works, and transactions of ethers and viem are accepted."""
        folder = ROOT / "tests" / "clients" / "viem"
        npm(folder, "install", "--no-package-lock", *QUIETLY)

        npm(folder, "test")

    def test_rootstock(self, npm: Run) -> None:
        """On Rootstock ethers and viem send legacy transactions by default."""
        folder = ROOT / "tests" / "clients" / "viem"
        npm(folder, "install", "--no-package-lock", *QUIETLY)

        npm(folder, "--test", "ethers.test.js", program="node", DEVCHAIN_RULES="rootstock")

    @pytest.mark.parametrize("options", [["--network", "test", *NEXT]], ids=["next"])
    def test_next(self, npm: Run) -> None:
        """Under the next upgrade they send types 1, 2 and 4 as on Ethereum."""
        folder = ROOT / "tests" / "clients" / "viem"
        npm(folder, "install", "--no-package-lock", *QUIETLY)

        npm(folder, "--test", "ethers.test.js", program="node", DEVCHAIN_RULES="next")


class TestCast:
    @pytest.mark.parametrize(
        "options", [["--network", "test"], ["--network", "local", *NEXT]], ids=["rootstock", "next"]
    )
    def test_contract(self, npm: Run, url: str) -> None:
        """Cast deploys, sends, calls, finds the log and shows a revert."""
        folder = ROOT / "tests" / "clients" / "cast"
        # Pinned exactly, its binaries too: a lock file would list every platform.
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

    @pytest.mark.parametrize("options", [ETHEREUM], ids=["prague"])
    def test_cheats(self, npm: Run, url: str) -> None:
        """`cast rpc` calls anvil's methods with numbers and strings as it encodes its arguments."""
        folder = ROOT / "tests" / "clients" / "cast"
        npm(folder, "install", "--no-package-lock", *QUIETLY)
        program = str(folder / "node_modules" / ".bin" / "cast")
        whale = "0x00000000000000000000000000000000000000bb"

        def rpc(*arguments: str) -> str:
            return npm(folder, "rpc", "--rpc-url", url, *arguments, program=program).strip()

        rpc("anvil_setBalance", whale, "1000000000000000000")
        rpc("anvil_impersonateAccount", whale)
        sent = rpc("eth_sendTransaction", json.dumps({"from": whale, "to": SENDER, "value": "0x5"}))
        rpc("anvil_mine", "3", "12")
        rpc("evm_setNextBlockTimestamp", "4000000000")
        rpc("evm_mine")

        assert json.loads(rpc("eth_getTransactionReceipt", sent.strip('"')))["from"] == whale
        assert json.loads(rpc("anvil_nodeInfo"))["currentBlockTimestamp"] == 4_000_000_000
        assert json.loads(rpc("eth_blockNumber")) == "0x5"

    def test_traces(self, npm: Run, url: str, tmp_path: Path) -> None:
        """Cast reads traces, and replays a transaction in its own EVM.

        Without the names of events that it knows from earlier builds of forge.
        """
        folder = ROOT / "tests" / "clients" / "cast"
        npm(folder, "install", "--no-package-lock", *QUIETLY)
        program = str(folder / "node_modules" / ".bin" / "cast")
        signed = ("--rpc-url", url, "--private-key", KEY, "--json")
        code = json.loads((ROOT / "examples" / "contracts" / "Vault.json").read_text())["bytecode"]

        def cast(*arguments: str) -> str:
            return npm(folder, *arguments, program=program, HOME=str(tmp_path)).strip()

        created = cast("send", *signed, "--create", code, "constructor(uint256)", "86400")
        vault = json.loads(created)["contractAddress"]
        # `cast run` charges Ethereum's gas costs, which are higher than Rootstock's here.
        ample = ("--value", "7", "--gas-limit", "200000")
        sent = json.loads(cast("send", *signed, vault, "deposit()", *ample))["transactionHash"]
        tracer = json.dumps({"tracer": "callTracer", "tracerConfig": {"withLog": True}})
        answer = cast("rpc", "--rpc-url", url, "debug_traceTransaction", sent, tracer)
        ran = cast("run", "--rpc-url", url, sent)

        trace = json.loads(answer)
        assert (trace["to"], trace["value"], len(trace["logs"])) == (vault.lower(), "0x7", 1)
        assert trace["logs"][0]["topics"][0] in ran
        assert "Transaction successfully executed" in ran
