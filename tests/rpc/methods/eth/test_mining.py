"""`devchain.rpc.methods.eth.mining`"""

from __future__ import annotations

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.rpc.methods.eth.mining import mining
from tests.bitcoin import BitcoinBlock
from tests.conftest import GENESIS_TIME

NONCE, DIGEST = "0x0000000000000001", "0x" + "cd" * 32


class TestMining:
    @pytest.mark.parametrize(
        ("config", "expected"),
        [(Config(), True), (Config(block_time=1.0), True), (Config(mining=False), False)],
        ids=["automatic", "interval", "manual"],
    )
    def test_modes(self, config: Config, expected: bool) -> None:
        """A node mines by default."""
        assert mining(Node(config)) is expected


class TestNetHashrate:
    def test_number(self) -> None:
        """The rate is the last hour's difficulty divided by 3600, as a JSON number."""
        client = LocalClient(Node(Config(hardfork="berlin", fixed_clock=GENESIS_TIME)))
        response = [client.call("eth_netHashrate")]
        client.call("evm_mine")
        response.append(client.call("eth_netHashrate"))
        client.call("evm_increaseTime", 3_601)

        assert [*response, client.call("eth_netHashrate")] == [0, 36, 0]


class TestGetWork:
    def test_members(self, client: LocalClient) -> None:
        """It is the hash of the block to be sealed, no seed, and the easiest boundary."""
        pending = client.call("eth_getBlockByNumber", "pending", False)

        assert client.call("eth_getWork") == [
            pending["hashForMergedMining"],
            "0x" + "00" * 32,
            "0x" + "ff" * 32,
        ]

    def test_same_as_merged_mining(self, client: LocalClient) -> None:
        """`eth_getWork` and `mnr_getWork` return the same block."""
        own, _, _ = client.call("eth_getWork")

        response = client.call("mnr_getWork")
        mined = BitcoinBlock.mine(bytes.fromhex(own[2:]))
        client.call("mnr_submitBitcoinBlock", *mined.whole())

        assert response["blockHashForMergedMining"] == own
        assert client.call("eth_submitWork", NONCE, own, DIGEST) is False
        assert client.call("eth_blockNumber") == "0x1"


class TestSubmitWork:
    @pytest.mark.parametrize(
        ("params", "text"),
        [
            (["0x01", DIGEST, DIGEST], "argument nonce: want 8 bytes, got 1"),
            ([NONCE, "0x01", DIGEST], "argument header_hash: want 32 bytes, got 1"),
            ([NONCE, DIGEST, "0x"], "argument mix_digest: want 32 bytes, got 0"),
        ],
    )
    def test_malformed(self, client: LocalClient, params: list[str], text: str) -> None:
        """Lengths are those of the specification."""
        with pytest.raises(RpcFailure, match=text) as caught:
            client.call("eth_submitWork", *params)
        assert caught.value.code == -32602


class TestBridgeState:
    @pytest.mark.parametrize(
        ("network", "height"), [("main", 499_968), ("test", 1_413_216), ("local", 0)]
    )
    def test_height(self, network: str, height: int) -> None:
        """The height is a JSON number, that of the network's first bitcoin block."""
        client = LocalClient(Node(Config(network=network)))

        response = client.call("eth_bridgeState")

        assert response == {
            "rskTxsWaitingForSignatures": [],
            "btcBlockchainBestChainHeight": height,
        }

    def test_as_the_contract(self, client: LocalClient) -> None:
        """It is what the Bridge answers to a call."""
        bridge = {"to": "0x0000000000000000000000000000000001000006", "data": "0x14c89c01"}

        response = client.call("eth_bridgeState")["btcBlockchainBestChainHeight"]

        assert int(client.call("eth_call", bridge, "latest"), 16) == response

    def test_ethereum(self) -> None:
        """Under Ethereum's rules there is no Bridge."""
        client = LocalClient(Node(Config(hardfork="shanghai")))

        with pytest.raises(RpcFailure, match="eth_bridgeState is Rootstock's") as caught:
            client.call("eth_bridgeState")
        assert caught.value.code == -32601
