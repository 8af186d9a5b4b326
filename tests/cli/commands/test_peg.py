"""`devchain.cli.commands.peg`"""

from __future__ import annotations

import json

import pytest

from devchain.config import Config
from devchain.node import Node
from tests.cli.conftest import Runner


@pytest.fixture
def config() -> Config:
    """A network with Bitcoin."""
    return Config(network="local", fixed_clock=1_700_000_000)


class TestWalk:
    def test_both_ways(self, devchain: Runner, node: Node) -> None:
        """Bitcoins become RBTC, and RBTC bitcoins."""
        arrived = devchain("peg-in", "0", "1.5btc").out
        paid = devchain("peg-out", "0", "1btc").out
        status = " ".join(devchain("peg", "status").out.split())

        registered = devchain("inspect", "tx", arrived.split()[-1]).out.split()

        assert registered[registered.index("Bitcoin") + 1] == arrived.split()[5]
        assert "1.5 BTC locked by " in arrived
        assert "1.5 RBTC received in transaction 0x" in arrived
        assert "0.999628 BTC paid by " in " ".join(paid.split())
        assert "(2 of 3) has 0.5 BTC" in status
        assert f"has block {node.bitcoin.height} of {node.bitcoin.height}" in status
        assert "Sent 0 peg-outs Next batch from block 53 on" in status
        assert json.loads(devchain("peg", "status", "--json").out)["signing"] == []

    def test_sent(self, devchain: Runner, node: Node) -> None:
        """What waits in Bitcoin's mempool is shown, with outputs."""
        alice = node.funded_accounts[0]
        node.peg_in(alice, btc=2)
        node.peg_out(alice, btc=1)
        node.bitcoin.invalidate(node.bitcoin.block(node.bitcoin.height - 2).hash)

        (sent,) = json.loads(devchain("peg", "status", "--json").out)["sent"]
        signed = [tx for number in range(9) for tx in node.chain.block(number).transactions]
        shown = [devchain("inspect", "tx", f"0x{tx.hash.hex()}").out for tx in signed]
        released = next(text for text in shown if f"Bitcoin       {sent['txid']}" in text)
        words = " ".join(released.split(sent["txid"])[1].split())
        federation = json.loads(devchain("peg", "status", "--json").out)["federations"][0]
        assert words.startswith("0.999628 BTC to m")
        assert f" BTC to {federation['address']}" in words

    def test_no_funds(self, devchain: Runner) -> None:
        """What is refused is an error."""
        result = devchain("peg-out", "0", "1btc")

        assert result.code == 1
        assert "peg in first" in result.err
