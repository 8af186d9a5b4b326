"""`devchain.rpc.methods.bitcoin`"""

from __future__ import annotations

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.node import Node


@pytest.fixture
def config() -> Config:
    """A network with Bitcoin."""
    return Config(network="local", fixed_clock=1_700_000_000)


class TestWalk:
    def test_payment(self, client: LocalClient, node: Node) -> None:
        """An address is paid, and the block that has the payment proves it."""
        address = client.call("devchain_btcNewAddress", "legacy")
        txid = client.call("devchain_btcSend", address, 150_000_000)
        before = client.call("devchain_btcTransaction", txid)
        (block_hash,) = client.call("devchain_btcMine")
        after = client.call("devchain_btcTransaction", txid)

        assert client.call("devchain_btcBalance", address) == hex(150_000_000)
        assert (before["confirmations"], before["proof"]) == ("0x0", None)
        assert after["proof"]["blockHash"] == block_hash
        assert after["proof"]["tree"] == f"0x{node.bitcoin.proof(bytes.fromhex(txid)).tree.hex()}"
        assert {"address": address, "satoshis": hex(150_000_000)} in after["outputs"]

    @pytest.mark.parametrize(
        ("method", "params", "message"),
        [
            ("devchain_btcSend", ["x", 1], "not one of Bitcoin's regtest"),
            ("devchain_btcSend", ["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", 0], "amount"),
            ("devchain_btcTransaction", ["0x"], "not the id"),
            ("devchain_btcTransaction", ["00" * 32], "has no transaction"),
            ("devchain_btcNewAddress", ["p2tr"], "Unknown address type"),
            ("devchain_btcMine", [10_001], "give 0 to 10,000"),
        ],
    )
    def test_refused(
        self, client: LocalClient, method: str, params: list[object], message: str
    ) -> None:
        """Wrong parameters are refused by name."""
        with pytest.raises(RpcFailure, match=message):
            client.call(method, *params)
