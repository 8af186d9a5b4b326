"""`devchain.rpc.methods.evm`"""

from __future__ import annotations

import pytest

from devchain.chain.slices import finish
from devchain.client.http import LocalClient
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.rpc.methods import evm
from devchain.types import MineRequest
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
    @pytest.mark.parametrize("timestamp", [GENESIS_TIME + 9, hex(GENESIS_TIME + 9)])
    def test_timestamp(self, node: Node, client: LocalClient, timestamp: object) -> None:
        """A timestamp is the block's, and the clock goes on from there."""
        client.call("evm_mine", timestamp)
        client.call("evm_mine")

        times = [node.chain.block(number).timestamp - GENESIS_TIME for number in (1, 2)]
        assert times == [9, 10]

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
    @pytest.mark.parametrize(
        "value", [-1, "-1", "", "1.5", 1.5, True, None, [], 2**63, hex(2**200)]
    )
    def test_refused(self, client: LocalClient, value: object) -> None:
        """Neither back nor beyond what a timestamp holds."""
        assert refused(client, "evm_increaseTime", value) == -32602
        assert client.call("evm_increaseTime", 0) == "0x0"
