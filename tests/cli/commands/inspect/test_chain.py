"""`devchain.cli.commands.inspect.chain`"""

from __future__ import annotations

import json
from collections.abc import Callable

from devchain.client.http import LocalClient
from tests.cli.conftest import Ran, Runner
from tests.cli.scripted import ScriptedClient


class TestChain:
    def test_ours(self, devchain: Runner, client: LocalClient) -> None:
        """The node's network, version, newest block and mempool are shown."""
        devchain("mine", "3")
        ran = devchain("inspect", "chain")

        assert ran.out.startswith(
            "Chain 31 · Rootstock test network rules\nNode          devchain/"
        )
        assert "Newest block  3\n" in ran.out
        assert "Mempool       0 pending, 0 queued\n" in ran.out
        assert "Accounts      10\n" in ran.out

    def test_other_node(self, run_on: Callable[..., Ran]) -> None:
        """What another node does not answer is left out."""
        ran = run_on(ScriptedClient(eth_chainId="0x1", eth_syncing={}), "inspect", "chain")

        assert ran == Ran(0, "Chain 1\nSyncing       no\n", "")

    def test_refusing_node(self, run_on: Callable[..., Ran]) -> None:
        """A node that answers nothing, to a wrong API key say, is an error."""
        assert run_on(ScriptedClient(), "inspect", "chain").code == 1

    def test_json(self, devchain: Runner, client: LocalClient) -> None:
        """--json has the node's answers unchanged."""
        found = json.loads(devchain("inspect", "chain", "--json").out)

        assert found["chainId"] == "0x1f"
        assert found["block"] == client.call("eth_getBlockByNumber", "latest", False)
