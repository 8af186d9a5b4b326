"""`devchain.cli.commands.btc`"""

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
    def test_payment(self, devchain: Runner, node: Node) -> None:
        """An address is made, paid and shown."""
        address = devchain("btc", "address", "--type", "legacy").out.strip()
        txid = devchain("btc", "send", address, "1.5btc").out.strip()
        mined = devchain("btc", "mine", "2").out
        shown = devchain("btc", "tx", txid).out

        assert mined == f"Mined 2 blocks; the newest is {node.bitcoin.chain.tip.hash.hex()}.\n"
        assert devchain("btc", "balance", address).out == "1.5 BTC\n"
        assert "Confirmations" in shown
        assert f"1.5 BTC to {address}" in " ".join(shown.split())
        assert json.loads(devchain("btc", "tx", txid, "--json").out)["txid"] == txid

    @pytest.mark.parametrize("amount", ["", "x", "-1", "1.123456789", "1rbtc"])
    def test_amount(self, devchain: Runner, amount: str) -> None:
        """An amount that is none is a usage error."""
        result = devchain("btc", "send", "x", "--", amount)

        assert result.code == 2
        assert "write 1.5btc or 1000sat" in result.err

    def test_wallet(self, devchain: Runner) -> None:
        """The wallet has ten rewards at first."""
        assert devchain("btc", "balance").out == "500 BTC\n"
