"""`devchain.rpc.methods.evm`"""

from __future__ import annotations

import pytest

from devchain.chain.slices import finish
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.rpc.methods import evm
from devchain.rpc.methods.evm import (
    increase_time,
    reset,
    revert,
    snapshot,
    start_mining,
    stop_mining,
)
from devchain.rpc.scalar_decoders import Loose
from devchain.types import MineRequest
from tests.accounts import ALICE, ALICE_HEX, BOB, BOB_HEX, FUNDS
from tests.actions import send
from tests.conftest import GENESIS_TIME


def refused(client: LocalClient, method: str, *params: object) -> int:
    """The code with which a call is refused."""
    with pytest.raises(RpcFailure) as caught:
        client.call(method, *params)
    return caught.value.code


def mine(node: Node, request: MineRequest | None = None) -> str:
    """The result of `evm_mine`."""
    return finish(evm.mine(node, request))


class TestMine:
    def test_what_waits(self, node: Node) -> None:
        """What waits goes into the block."""
        node.miner.running = False
        send(node, BOB)

        mine(node)

        assert len(node.chain.head.transactions) == 1

    @pytest.mark.parametrize("timestamp", [GENESIS_TIME + 9, hex(GENESIS_TIME + 9)])
    def test_timestamp(self, node: Node, client: LocalClient, timestamp: object) -> None:
        """A timestamp is the block's, and the clock goes on from there."""
        client.call("evm_mine", timestamp)
        client.call("evm_mine")

        times = [node.chain.block(number).timestamp - GENESIS_TIME for number in (1, 2)]
        assert times == [9, 10]

    def test_blocks(self, node: Node) -> None:
        """Several blocks are made at once, the first at the timestamp."""
        mine(node, MineRequest(blocks=3, timestamp=GENESIS_TIME + 100))

        times = [node.chain.block(number).timestamp - GENESIS_TIME for number in (1, 2, 3)]
        assert times == [100, 101, 102]

    def test_no_block(self, client: LocalClient) -> None:
        """Zero blocks are none."""
        client.call("evm_mine", {"blocks": 0})

        assert client.call("eth_blockNumber") == "0x0"

    @pytest.mark.parametrize(
        "value", [-1, "soon", True, [], {"blocks": 10**9}, {"blocks": "x"}, {"block": 1}, 2**64]
    )
    def test_refused(self, client: LocalClient, value: object) -> None:
        """Anything else is refused and nothing is mined."""
        assert refused(client, "evm_mine", value) == -32602
        assert client.call("eth_blockNumber") == "0x0"


class TestIncreaseTime:
    def test_next_block(self, node: Node) -> None:
        """The next block, and those after it, have the new time."""
        increase_time(node, Loose(60))
        mine(node)
        mine(node)

        times = [node.chain.block(number).timestamp - GENESIS_TIME for number in (1, 2)]
        assert times == [60, 61]

    @pytest.mark.parametrize(
        "value", [-1, "-1", "", "1.5", 1.5, True, None, [], 2**63, hex(2**200)]
    )
    def test_refused(self, client: LocalClient, value: object) -> None:
        """Neither back nor beyond what a timestamp holds."""
        assert refused(client, "evm_increaseTime", value) == -32602
        assert client.call("evm_increaseTime", 0) == "0x0"


class TestRevert:
    def test_everything(self, node: Node, client: LocalClient) -> None:
        """What a caller can see is as it was."""
        node.miner.running = False
        send(node, BOB, value=1)
        taken = snapshot(node)
        node.accounts.lock(ALICE)
        increase_time(node, Loose(60))
        start_mining(node)

        assert revert(node, Loose(taken)) is True

        assert client.call("eth_blockNumber") == "0x0"
        assert client.call("txpool_status") == {"pending": 1, "queued": 0}
        assert client.call("eth_mining") is False
        assert client.call("evm_increaseTime", 0) == "0x0"
        assert int(client.call("eth_getBalance", BOB_HEX), 16) == FUNDS
        assert client.call("eth_sign", ALICE_HEX, "0x")


class TestReset:
    def test_dropped(self, node: Node, client: LocalClient) -> None:
        """Mempool, filters, snapshots and the clock's offset are dropped."""
        taken, installed = client.call("evm_snapshot"), client.call("eth_newBlockFilter")
        client.call("evm_increaseTime", 60)
        send(node, BOB, nonce=3)

        reset(node)

        assert client.call("evm_revert", taken) is False
        assert client.call("eth_uninstallFilter", installed) is False
        assert client.call("evm_increaseTime", 0) == "0x0"
        assert client.call("txpool_status") == {"pending": 0, "queued": 0}


class TestStartMining:
    def test_interval(self) -> None:
        """With mining by interval it waits for its turn."""
        node = Node(Config(block_time=1_000.0))
        stop_mining(node)
        send(node, BOB)

        start_mining(node)

        assert (node.miner.running, node.chain.height) == (True, 0)
