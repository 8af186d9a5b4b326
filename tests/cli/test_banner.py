"""`devchain.cli.banner`"""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from devchain.chain.fork import ForkStatus
from devchain.cli.banner import MAX_SHOWN_ACCOUNTS, print_banner
from devchain.config import Config
from devchain.networks import RBTC
from devchain.node import Node
from devchain.upstream.queries import ForkBlock
from tests.cli.scripted import Terminal

URL = "http://127.0.0.1:4444"
KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
OWN = "legal winner thank year wave sausage worth useful legal winner thank yellow"


def served(accounts: int = 1, fork: ForkStatus | None = None, **options: Any) -> Node:
    """A node with so many accounts, as if it were that fork."""
    node = Node(Config(**{"network": "test", "accounts": accounts, **options}))
    if fork is not None:
        node.fork = SimpleNamespace(status=lambda: fork)  # type: ignore[assignment]
    return node


def banner(*nodes: Node, stream: io.StringIO | None = None) -> str:
    """The banner of those nodes."""
    stream = stream or io.StringIO()
    print_banner(stream, nodes, URL, "0.1.0")
    return stream.getvalue()


def network_json(text: str) -> dict[str, Any]:
    """What a banner in JSON says of the network."""
    described: dict[str, Any] = json.loads(text)["networks"]["test"]
    return described


class TestText:
    def test_hosted(self) -> None:
        """A hosted node shows no accounts and no keys: it signs nothing."""
        text = banner(served(0, network="local", hosted=True, api_key=("k",)))

        assert "Accounts" not in text
        assert "cow" not in text
        assert "key = keccak" not in text

    def test_everything(self) -> None:
        """The banner has rules, accounts, keys with a warning, mnemonic and the URL last."""
        assert banner(served()) == (
            "devchain 0.1.0\n"
            "\n"
            "Network          test (Rootstock test network rules), chain id 31\n"
            "Hardfork         vetiver\n"
            "Gas limit        6,800,000 a block\n"
            "Gas price        at least 0 wei\n"
            "Mining           automatic: a transaction is mined when it arrives\n"
            "\n"
            "Accounts\n"
            "========\n"
            "(0)  0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266  10,000 RBTC\n"
            "\n"
            "Private keys\n"
            "============\n"
            f"(0)  {KEY}\n"
            "\n"
            "These keys are public: anything sent to these accounts on a real network\n"
            "is lost.\n"
            "\n"
            "Mnemonic         test test test test test test test test test test test junk\n"
            "Derivation path  m/44'/60'/0'/0/\n"
            "\n"
            "Explorer         http://127.0.0.1:4444/explorer\n"
            "Listening on http://127.0.0.1:4444\n"
        )

    @pytest.mark.parametrize("network", ["main", "test", "dev", "local"])
    @pytest.mark.parametrize("block_time", [None, 2.5])
    def test_fits(self, network: str, block_time: float | None) -> None:
        """The banner has at most 80 columns and is ASCII."""
        text = banner(served(100, network=network, balance=10**12, block_time=block_time))

        assert max(map(len, text.splitlines())) <= 80
        assert text.isascii()

    def test_terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A terminal has the same text with styles."""
        for name, value in {"NO_COLOR": "", "TERM": "xterm", "COLUMNS": "40"}.items():
            monkeypatch.setenv(name, value)
        colored = banner(served(), stream=Terminal())

        assert "\x1b[1mdevchain 0.1.0\x1b[0m" in colored
        assert f"(0)  {KEY}\n" in colored

    def test_many_accounts(self) -> None:
        """Of many accounts the first are shown, then the number of the others."""
        text = banner(served(MAX_SHOWN_ACCOUNTS + 5))

        assert len(re.findall(r"^\(\d+\) +0x\w{40} ", text, re.MULTILINE)) == MAX_SHOWN_ACCOUNTS
        assert "and 5 more: eth_accounts lists them" in text

    def test_own_mnemonic(self) -> None:
        """A custom mnemonic and its keys are not shown, in JSON neither."""
        text = banner(served(mnemonic=OWN))
        described = network_json(banner(served(log_format="json", mnemonic=OWN)))

        assert not re.search(r"0x\w{64}|legal", text)
        assert "Mnemonic         your own; it and its keys are not shown\n" in text
        assert described["mnemonic"] is None
        assert described["accounts"][0]["privateKey"] is None

    def test_api_key(self) -> None:
        """The URL has a placeholder for the API key."""
        text = banner(served(api_key=("topsecret",)))

        assert text.endswith("Listening on http://127.0.0.1:4444/<API_KEY>\n")
        assert "topsecret" not in text

    @pytest.mark.parametrize(
        ("options", "mode"),
        [
            ({"mining": False}, "manual: blocks are mined by evm_mine"),
            ({"block_time": 2.5}, "a block every 2.5 seconds"),
            (
                {"mining": False, "block_time": 2.5},
                "manual, by evm_mine; after miner_start a block every 2.5 seconds",
            ),
        ],
    )
    def test_mining(self, options: dict[str, Any], mode: str) -> None:
        """The banner describes the mining mode."""
        assert f"Mining           {mode}\n" in banner(served(**options))

    def test_existing_data_dir(self, tmp_path: Path) -> None:
        """It says what is stored: balances, gas limit, mining mode, the block it goes on from."""
        with Node(Config(network="test", data_dir=str(tmp_path), accounts=2)) as node:
            assert f"Data dir         {tmp_path} (a new chain)\n" in banner(node)
            node.set_balance(node.funded_accounts[0], 5)
            node.mine(3)
            node.miner.set_automine(on=False)

        options = {"accounts": 3, "balance": 7, "gas_limit": 30_000_000}
        with Node(Config(network="test", data_dir=str(tmp_path), **options)) as node:
            text = banner(node)

        assert f"Data dir         {tmp_path} (goes on from block 3)\n" in text
        assert "Gas limit        6,800,000 a block\n" in text
        assert "Mining           manual: blocks are mined by evm_mine\n" in text
        balances = re.findall(r"^\(\d\)  0x\w{40}  (.*)$", text, re.MULTILINE)
        assert balances == ["5 wei", "10,000 RBTC", "0 RBTC"]

    def test_preset(self) -> None:
        """The banner names the node that devchain is like."""
        text = banner(served(like="rskj", network="local"))

        assert "Like             the Rootstock node rskj" in text
        assert "cow to cow9: 1,000,000,000,000 RBTC each, key = keccak-256 of the name" in text

    def test_eip1191(self) -> None:
        """Addresses have the checksum of EIP-1191 with the option for it."""
        text = banner(served(checksum_addresses=True))

        assert "(0)  0xf39FD6e51AAd88F6f4cE6Ab8827279CfFFB92266  10,000 RBTC\n" in text

    def test_several_networks(self) -> None:
        """Each network has its section and its URL; addresses are written alike."""
        text = banner(served(network="main"), served(network="test"))

        assert "chain id 30" in text
        assert "chain id 31" in text
        assert text.count("Private keys") == 1
        assert len({line for line in text.splitlines() if line.startswith("(0)  0x")}) == 2
        assert text.endswith(
            "\n"
            "main             http://127.0.0.1:4444/main\n"
            "test             http://127.0.0.1:4444/test\n"
            "Listening on http://127.0.0.1:4444\n"
        )


FORK = ForkStatus(
    address="https://node.example",
    block=ForkBlock(31, 7_000_000, b"\xab" * 32),
    newest=7_000_012,
    cache="forks.sqlite",
    hits=5,
    requests=3,
    round_trips=2,
)


class TestFork:
    def test_text(self) -> None:
        """Where the chain was forked is shown, no line longer than others."""
        text = banner(served(fork=FORK))
        assert (
            "Hardfork         vetiver\n"
            "Fork block       7,000,000 of chain 31, 12 blocks behind the newest\n"
            f"Fork hash     0x{'ab' * 32}\n"
            "Upstream         https://node.example\n"
            "Fork cache       forks.sqlite\n"
        ) in text
        assert max(map(len, text.splitlines())) <= 80

    def test_offline(self) -> None:
        """Without an upstream there are no requests and no distance."""
        text = banner(served(fork=replace(FORK, address=None, newest=None)))
        assert "Fork block       7,000,000 of chain 31\n" in text
        assert "Upstream         none: offline\n" in text

    def test_json(self) -> None:
        """The JSON banner has the same."""
        assert network_json(banner(served(fork=FORK, log_format="json")))["fork"] == {
            "url": "https://node.example",
            "chainId": 31,
            "blockNumber": 7_000_000,
            "blockHash": f"0x{'ab' * 32}",
            "newestBlock": 7_000_012,
            "hardfork": "vetiver",
            "cacheFile": "forks.sqlite",
            "cacheHits": 5,
            "upstreamRequests": 3,
            "upstreamRoundTrips": 2,
        }


class TestJson:
    def test_one_line(self) -> None:
        """The JSON banner is one object on one line."""
        [line] = banner(served(log_format="json")).splitlines()

        found = json.loads(line)
        assert (found["event"], found["url"], found["version"]) == ("listening", URL, "0.1.0")
        network = found["networks"]["test"]
        assert (network["chainId"], network["gasLimit"]) == (31, 6_800_000)
        assert network["accounts"] == [
            {
                "address": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                "balance": str(10_000 * RBTC),
                "privateKey": KEY,
            }
        ]

    def test_quiet(self) -> None:
        """Quiet prints only the URL, as text too."""
        assert banner(served(quiet=True)) == "Listening on http://127.0.0.1:4444\n"
        found = json.loads(banner(served(log_format="json", quiet=True)))

        assert found == {"event": "listening", "url": URL, "version": "0.1.0"}


class TestClosedPipe:
    def test_closed(self) -> None:
        """A closed pipe does not stop the start."""
        stream = io.StringIO()
        stream.close()

        print_banner(stream, [served()], URL, "0.1.0")
