"""Defects found in other development chains, which devchain must not have.

Other defects are tested with the module concerned: foreign Host and Origin headers in
`tests/server/test_access.py`, state overrides in `tests/rpc/methods/eth/test_execute.py`,
removed snapshots in `tests/node/test_snapshots.py`, a killed node in
`tests/node/persistence/test_node_persistence.py`.
"""

from __future__ import annotations

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.node import Node
from tests.accounts import ALICE, ALICE_HEX, BOB, BOB_HEX
from tests.actions import deploy, fingerprint
from tests.bytecode import REVERT, error_payload
from tests.conftest import GENESIS_TIME

TRANSFER = {"from": ALICE_HEX, "to": BOB_HEX, "value": "0x1"}


def fees(hardfork: str) -> LocalClient:
    """A client of a node under that hardfork."""
    return LocalClient(Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME)))


class TestAnvil:
    def test_receipt_after_send(self, client: LocalClient) -> None:
        """A receipt is available when the hash is returned; with anvil in 124 of 200 runs."""
        for _ in range(50):
            sent = client.call("eth_sendTransaction", TRANSFER)
            assert client.call("eth_getTransactionReceipt", sent)["status"] == "0x1"

    def test_code_after_deployment(self, client: LocalClient) -> None:
        """The code of a created contract is available when the hash is returned."""
        init = "0x600160005360016000f3"
        sent = client.call("eth_sendTransaction", {"from": ALICE_HEX, "data": init})
        made = client.call("eth_getTransactionReceipt", sent)["contractAddress"]

        assert client.call("eth_getCode", made) == "0x01"

    def test_stale_snapshot(self, node: Node, client: LocalClient) -> None:
        """A revert to a snapshot that another revert removed is false and changes nothing."""
        first = client.call("evm_snapshot")
        client.call("evm_mine")
        second = client.call("evm_snapshot")
        client.call("evm_mine")
        assert client.call("evm_revert", first)
        before = fingerprint(node)

        assert client.call("evm_revert", second) is False
        assert fingerprint(node) == before
        assert client.call("eth_getBlockByNumber", "latest", False)["number"] == "0x0"

    def test_state_that_was_saved(self, node: Node, client: LocalClient) -> None:
        """A dump has old states, snapshots, pending transactions and the clock offset."""
        for _ in range(6):
            client.call("eth_sendTransaction", TRANSFER)
        snapshot = client.call("evm_snapshot")
        client.call("evm_increaseTime", 1_000)
        client.call("evm_stopMining")
        waiting = client.call("eth_sendTransaction", TRANSFER)
        dumped = client.call("anvil_dumpState")

        with Node(node.config) as other:
            loaded = LocalClient(other)
            loaded.call("anvil_loadState", dumped)
            funds = int(loaded.call("eth_getBalance", BOB_HEX, "0x0"), 16)

            for block in (2, 6):
                balance = int(loaded.call("eth_getBalance", BOB_HEX, hex(block)), 16)
                assert balance == funds + block
            assert loaded.call("eth_getTransactionByHash", waiting)["blockNumber"] is None
            assert other.clock.offset == node.clock.offset == 1_000
            assert loaded.call("evm_revert", snapshot) is True

    def test_mining_without_end(self, client: LocalClient) -> None:
        """Four million blocks are rejected at once; anvil and the others did not respond."""
        with pytest.raises(RpcFailure, match="at most"):
            client.call("hardhat_mine", "0x3d0900")

        assert client.call("eth_blockNumber") == "0x0"

    @pytest.mark.parametrize("hardfork", ["vetiver", "prague"])
    def test_no_gas_limit(self, hardfork: str) -> None:
        """A block gas limit of 0 is rejected; calls and the fee history work."""
        client = fees(hardfork)
        with pytest.raises(RpcFailure, match="out of range"):
            client.call("evm_setBlockGasLimit", "0x0")
        client.call("evm_setBlockGasLimit", "0x5208")
        client.call("eth_sendTransaction", {**TRANSFER, "gas": "0x5208"})

        assert client.call("eth_call", {"to": BOB_HEX}, "latest") == "0x"
        assert client.call("eth_feeHistory", "0x1", "latest", [])["gasUsedRatio"] == [1.0]


class TestHardhat:
    def test_hash_of_what_reverted(self, node: Node, client: LocalClient) -> None:
        """A transaction that reverts is mined, and its hash is returned."""
        contract = f"0x{deploy(node, REVERT).hex()}"
        sent = client.call(
            "eth_sendTransaction",
            {"from": ALICE_HEX, "to": contract, "data": f"0x{error_payload('no').hex()}"},
        )

        assert client.call("eth_getTransactionReceipt", sent)["status"] == "0x0"

    def test_unknown_filter(self, client: LocalClient) -> None:
        """Changes of an unknown filter are an error, not null."""
        with pytest.raises(RpcFailure, match="filter not found"):
            client.call("eth_getFilterChanges", "0x99")


class TestGanache:
    @pytest.mark.parametrize("nonce", [0, 1])
    def test_replay(self, node: Node, client: LocalClient, nonce: int) -> None:
        """A signed transaction is mined once."""
        for _ in range(nonce):
            client.call("eth_sendTransaction", TRANSFER)
        raw = client.call("eth_signTransaction", TRANSFER)["raw"]
        client.call("eth_sendRawTransaction", raw)
        with pytest.raises(RpcFailure, match="nonce too low"):
            client.call("eth_sendRawTransaction", raw)

        assert node.chain.state_at(node.chain.height).nonce(ALICE) == nonce + 1

    def test_nonce_gap(self, client: LocalClient) -> None:
        """A transaction with a nonce gap is queued and the request returns at once."""
        raw = client.call("eth_signTransaction", {**TRANSFER, "nonce": "0x1"})["raw"]
        queued = client.call("eth_sendRawTransaction", raw)
        assert client.call("eth_getTransactionReceipt", queued) is None

        client.call("eth_sendTransaction", TRANSFER)
        assert client.call("eth_getTransactionReceipt", queued)["status"] == "0x1"

    def test_no_internal_path(self, client: LocalClient) -> None:
        """An error has no path of the program in it."""
        with pytest.raises(RpcFailure) as caught:
            client.call("eth_sendTransaction", {**TRANSFER, "value": hex(10**30)})

        assert "/" not in caught.value.message
        assert caught.value.data is None


class TestEthTester:
    def test_custom_error_data(self, node: Node, client: LocalClient) -> None:
        """The payload of a custom error is hex in `data`; state overrides work."""
        payload = "0xea07e92f" + f"{42:064x}"
        override = {f"0x{BOB.hex()}": {"code": f"0x{REVERT.hex()}"}}
        with pytest.raises(RpcFailure) as caught:
            client.call("eth_call", {"to": BOB_HEX, "data": payload}, "latest", override)

        assert caught.value.data == payload
        assert node.chain.state_at(0).code(BOB) == b""
