"""`devchain.rpc.methods.eth.mining`"""

from __future__ import annotations

import pytest

from devchain.client import LocalClient
from devchain.config import Config
from devchain.node import Node
from devchain.rpc.methods.eth.mining import coinbase, hashrate, mining
from tests.accounts import BOB, BOB_HEX


class TestCoinbase:
    def test_default(self, client: LocalClient) -> None:
        """The real node's regtest coinbase earns the fees."""
        assert client.call("eth_coinbase") == "0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d"

    def test_option(self) -> None:
        """`--coinbase` names another."""
        assert coinbase(Node(Config(coinbase=BOB_HEX))) == BOB


class TestMining:
    @pytest.mark.parametrize(
        ("config", "expected"),
        [(Config(), True), (Config(block_time=1.0), True), (Config(mining=False), False)],
        ids=["automatic", "interval", "manual"],
    )
    def test_modes(self, config: Config, expected: bool) -> None:
        """A node mines unless told not to."""
        assert mining(Node(config)) is expected

    def test_stopped(self, client: LocalClient) -> None:
        """It says so when it has been stopped."""
        client.call("evm_stopMining")

        assert client.call("eth_mining") is False


class TestHashrate:
    def test_none(self, node: Node) -> None:
        """Nothing is hashed to seal a block."""
        assert hashrate(node) == 0
