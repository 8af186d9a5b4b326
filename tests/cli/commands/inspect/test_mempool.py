"""`devchain.cli.commands.inspect.mempool`"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from tests.accounts import ALICE_HEX, BOB_HEX
from tests.cli.conftest import Ran, Runner
from tests.cli.scripted import ScriptedClient
from tests.conftest import GENESIS_TIME


@pytest.fixture
def config() -> Config:
    """A node that mines when told."""
    return Config(network="test", mining=False, fixed_clock=GENESIS_TIME)


class TestMempool:
    def test_empty(self, devchain: Runner) -> None:
        """An empty mempool is told as such."""
        assert devchain("inspect", "mempool").out == (
            "Pending · 0 transactions\nQueued · 0 transactions\n"
        )

    def test_kinds(self, devchain: Runner) -> None:
        """Pending transactions are those whose nonce is next, the others are queued."""
        first = devchain("send", BOB_HEX, "--value", "1rbtc", "--no-wait").out.strip()
        queued = devchain("send", BOB_HEX, "--nonce", "5", "--no-wait").out.strip()
        ran = devchain("inspect", "mempool")

        assert ran.out.startswith(f"Pending · 1 transaction\n  nonce 0     {first}\n")
        assert "              1 RBTC · gas limit 21,000 at 0 gwei\n" in ran.out
        assert f"Queued · 1 transaction\n  nonce 5     {queued}\n" in ran.out

    def test_json(self, devchain: Runner, client: LocalClient) -> None:
        """--json is `txpool_content` as the node answered it."""
        devchain("send", BOB_HEX, "--no-wait")
        found = json.loads(devchain("inspect", "mempool", "--json").out)

        assert found == client.call("txpool_content")

    def test_other_node(self, run_on: Callable[..., Ran]) -> None:
        """A node without `txpool_` is asked for its pending transactions."""
        tx = {"hash": "0xab", "from": ALICE_HEX, "to": None, "nonce": "0x1", "gas": "0x1"}
        ran = run_on(ScriptedClient(eth_pendingTransactions=[tx]), "inspect", "mempool")

        assert ran.out.startswith("Pending · 1 transaction\n  nonce 1     0xab\n")
        assert "    to        a new contract\n" in ran.out

    def test_rskj_shape(self, run_on: Callable[..., Ran]) -> None:
        """The real node's nonces hold lists."""
        tx = {"hash": "0xab", "from": ALICE_HEX, "to": BOB_HEX, "nonce": "0x1", "value": "0x00"}
        content = {"pending": {ALICE_HEX[2:]: {"1": [tx]}}, "queued": {}}

        assert "0xab" in run_on(ScriptedClient(txpool_content=content), "inspect", "mempool").out
