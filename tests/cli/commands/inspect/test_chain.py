"""`devchain.cli.commands.inspect.chain`"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from devchain.client.http import LocalClient, connect
from devchain.config import Config
from devchain.node import Node
from tests.accounts import ALICE, ALICE_HEX, BOB_HEX
from tests.actions import send
from tests.cli.conftest import Result, Runner
from tests.cli.scripted import ScriptedClient
from tests.conftest import GENESIS_TIME
from tests.fork.upstreams import fork_of


class TestChain:
    def test_ours(self, devchain: Runner, client: LocalClient) -> None:
        """The node's network, version, latest block and mempool are shown."""
        devchain("mine", "3")
        outcome = devchain("inspect", "chain")

        assert outcome.out.startswith(
            "Chain 31 · Rootstock test network rules\nNode          devchain/"
        )
        assert "Newest block  3\n" in outcome.out
        assert "Mempool       0 pending, 0 queued\n" in outcome.out
        assert "Accounts      10\n" in outcome.out

    def test_other_node(self, run_on: Callable[..., Result]) -> None:
        """Values that another node does not return are left out."""
        outcome = run_on(ScriptedClient(eth_chainId="0x1", eth_syncing={}), "inspect", "chain")

        assert outcome == Result(0, "Chain 1\nSyncing       no\n", "")

    def test_refusing_node(self, run_on: Callable[..., Result]) -> None:
        """A node that rejects every call, as for a wrong API key, is an error."""
        assert run_on(ScriptedClient(), "inspect", "chain").code == 1

    def test_age(self, devchain: Runner, node: Node) -> None:
        """The age of a block is relative to the chain's time, not to the wall clock."""
        assert " · just now · " in devchain("inspect", "chain").out
        send(node, ALICE)
        hash_text = f"0x{node.chain.head.transactions[0].hash.hex()}"
        node.time_travel(86_400)

        for words in (("block", "1"), ("tx", hash_text)):
            assert " · 1 d ago · " in devchain("inspect", *words).out

    def test_fork(self, run_on: Callable[..., Result]) -> None:
        """Of a fork its block, and what was read of the upstream, are shown."""
        with Node(fixed_clock=GENESIS_TIME) as upstream:
            upstream.mine(20)
            fork, asked = fork_of(upstream, fork_block_number=-3)
            out = run_on(connect(fork), "inspect", "chain").out
        assert (
            "Fork block    17 of chain 33, 3 behind the newest at start\n"
            f"              0x{fork.chain.head.hash.hex()}\n"
            "Hardfork      vetiver\n"
            "Upstream      http://upstream.example\n"
            f"Asked so far  {asked.requests} requests in {asked.round_trips} round trips\n"
            "Cache hits    0\n"
        ) in out

    def test_json(self, devchain: Runner, client: LocalClient) -> None:
        """--json prints the node's results unchanged."""
        found = json.loads(devchain("inspect", "chain", "--json").out)

        assert found["chainId"] == "0x1f"
        assert found["block"] == client.call("eth_getBlockByNumber", "latest", False)


class TestMempool:
    @pytest.fixture
    def config(self) -> Config:
        """A node that mines only on request."""
        return Config(network="test", mining=False, fixed_clock=GENESIS_TIME)

    def test_empty(self, devchain: Runner) -> None:
        """An empty mempool has two empty lists."""
        assert devchain("inspect", "mempool").out == (
            "Pending · 0 transactions\nQueued · 0 transactions\n"
        )

    def test_kinds(self, devchain: Runner) -> None:
        """Transactions with the next nonce are pending, the others queued."""
        first = devchain("send", BOB_HEX, "--value", "1rbtc", "--no-wait").out.strip()
        queued = devchain("send", BOB_HEX, "--nonce", "5", "--no-wait").out.strip()
        outcome = devchain("inspect", "mempool")

        assert outcome.out.startswith(f"Pending · 1 transaction\n  nonce 0     {first}\n")
        assert "              1 RBTC · gas limit 21,000 at 0 wei\n" in outcome.out
        assert (
            f"Queued · 1 transaction\n  nonce 5     {queued}\n"
            "    waits     for nonce 1 of its sender\n" in outcome.out
        )
        assert outcome.out.count("waits") == 1

    def test_json(self, devchain: Runner, client: LocalClient) -> None:
        """--json prints the result of `txpool_content`."""
        devchain("send", BOB_HEX, "--no-wait")
        found = json.loads(devchain("inspect", "mempool", "--json").out)

        assert found == client.call("txpool_content")

    def test_other_node(self, run_on: Callable[..., Result]) -> None:
        """Without `txpool_content` the result of `eth_pendingTransactions` is shown."""
        tx = {"hash": "0xab", "from": ALICE_HEX, "to": None, "nonce": "0x1", "gas": "0x1"}
        outcome = run_on(ScriptedClient(eth_pendingTransactions=[tx]), "inspect", "mempool")

        assert outcome.out.startswith("Pending · 1 transaction\n  nonce 1     0xab\n")
        assert "    to        a new contract\n" in outcome.out

    def test_rskj_shape(self, run_on: Callable[..., Result]) -> None:
        """Lists of transactions per nonce, as in rskj, are shown."""
        tx = {"hash": "0xab", "from": ALICE_HEX, "to": BOB_HEX, "nonce": "0x1", "value": "0x00"}
        content = {"pending": {ALICE_HEX[2:]: {"1": [tx]}}, "queued": {}}

        assert "0xab" in run_on(ScriptedClient(txpool_content=content), "inspect", "mempool").out
