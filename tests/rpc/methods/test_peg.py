"""`devchain.rpc.methods.peg`"""

from __future__ import annotations

import pytest

from devchain.client import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS
from devchain.node import Node
from tests.accounts import ALICE_HEX
from tests.conftest import GENESIS_TIME

BRIDGE = f"0x{ADDRESS.hex()}"


@pytest.fixture
def node() -> Node:
    return Node(Config(fixed_clock=GENESIS_TIME, mining=False))


@pytest.fixture
def client(node: Node) -> LocalClient:
    return LocalClient(node)


class TestWalks:
    def test_both_ways(self, client: LocalClient) -> None:
        """Both transactions of a peg-in and of a peg-out are named."""
        arrived = client.call("devchain_pegIn", ALICE_HEX, 2 * 10**8)
        paid = client.call("devchain_pegOut", ALICE_HEX, 10**8)

        receipt = client.call("eth_getTransactionReceipt", arrived["transactionHash"])
        locked = client.call("devchain_btcTransaction", arrived["txid"])
        outputs = client.call("devchain_btcTransaction", paid["txid"])["outputs"]
        assert receipt["to"] == BRIDGE
        assert locked["outputs"][0]["satoshis"] == "0xbebc200"
        assert paid["satoshis"] in [each["satoshis"] for each in outputs]

    def test_no_funds(self, client: LocalClient) -> None:
        """A peg-out that cannot be paid is refused."""
        with pytest.raises(RpcFailure, match="peg in first") as caught:
            client.call("devchain_pegOut", ALICE_HEX, 10**8)
        assert caught.value.code == -32602


class TestStatus:
    def test_peg_out(self, client: LocalClient) -> None:
        """A peg-out is requested, then waits for confirmations, then for signatures."""
        client.call("devchain_pegIn", ALICE_HEX, 10**8)
        request = {"from": ALICE_HEX, "to": BRIDGE, "value": hex(5 * 10**17), "gas": "0x186a0"}
        asked = client.call("eth_sendTransaction", request)
        client.call("evm_mine")
        states = [client.call("devchain_pegStatus")]
        for blocks in (1, 3):
            client.call("fed_updateBridge")
            for _ in range(blocks):
                client.call("evm_mine")
            states.append(client.call("devchain_pegStatus"))
        client.call("fed_updateBridge")
        client.call("evm_mine")
        ready = client.call("devchain_pegStatus")

        assert states[0]["requests"] == [{"satoshis": "0x2faf080", "transactionHash": asked}]
        assert [len(state["confirming"]) for state in (*states[:2], ready)] == [0, 1, 0]
        (signing,) = ready["signing"]
        assert signing["txid"] == states[1]["confirming"][0]["txid"]
        waiting = client.call("eth_bridgeState")["rskTxsWaitingForSignatures"]
        assert waiting == [signing["transactionHash"].removeprefix("0x")]
        assert ready["bridgeHeight"] == ready["bitcoinHeight"] == "0x71"
        (federation,) = ready["federations"]
        assert (federation["members"], federation["threshold"]) == ("0x3", "0x2")
