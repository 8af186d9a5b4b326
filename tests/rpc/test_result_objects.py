"""`devchain.rpc.result_objects`"""

from __future__ import annotations

import pytest

from devchain.client.http import LocalClient
from devchain.node import Node
from devchain.types import Address
from tests.accounts import BOB
from tests.actions import deploy, send
from tests.bytecode import EMIT, word

PENDING_PLACE = {"blockHash", "blockNumber", "transactionIndex"}


@pytest.fixture
def emitter(node: Node) -> Address:
    """A contract that emits a log."""
    return deploy(node, EMIT)


@pytest.fixture
def sent(node: Node, emitter: Address) -> str:
    """A transaction with a log, in block 2."""
    return "0x" + send(node, emitter, word(1) + word(2) + b"data", gas_price=3).hex()


class TestBlockObject:
    def test_parallel_execution(self, client: LocalClient, node: Node) -> None:
        """No transactions are executed in parallel; the genesis block has no edges, as in rskj."""
        send(node, BOB)

        edges = [
            client.call("eth_getBlockByNumber", number)["rskPteEdges"] for number in ("0x0", "0x1")
        ]

        assert edges == [None, []]
        assert client.call("eth_getBlockByNumber", "0x1")["baseEvent"] is None

    @pytest.mark.parametrize("full", [True, False])
    def test_pending(self, client: LocalClient, node: Node, full: bool) -> None:
        """In the pending block number, hash, nonce and bloom are null, and nothing else."""
        node.miner.running = False
        send(node, BOB)

        block = client.call("eth_getBlockByNumber", "pending", full)

        nulls = {name for name, value in block.items() if value is None}
        assert nulls == {"number", "hash", "nonce", "logsBloom", "baseEvent"}
        assert len(block["transactions"]) == 1

    def test_totals(self, client: LocalClient, sent: str) -> None:
        """Gas, fees and difficulty agree with what is in the chain."""
        block = client.call("eth_getBlockByNumber", "latest")
        gas = int(client.call("eth_getTransactionReceipt", sent)["gasUsed"], 16)

        assert (block["gasUsed"], block["paidFees"]) == (hex(gas), hex(3 * gas))
        assert (block["totalDifficulty"], block["cumulativeDifficulty"]) == ("0x3", "0x1")


class TestTransactionObject:
    def test_in_the_pending_block(self, client: LocalClient, node: Node) -> None:
        """A transaction in the pending block has no position either."""
        node.miner.running = False
        send(node, BOB)

        (tx,) = client.call("eth_getBlockByNumber", "pending", True)["transactions"]

        assert {name for name, value in tx.items() if value is None} == PENDING_PLACE

    def test_signature(self, client: LocalClient, sent: str) -> None:
        """The node signs for its chain id (EIP-155)."""
        tx = client.call("eth_getTransactionByHash", sent)

        assert tx["v"] in {hex(35 + 2 * 31), hex(36 + 2 * 31)}


class TestReceiptObject:
    def test_cumulative_gas(self, client: LocalClient, node: Node) -> None:
        """Gas adds up over the transactions of a block."""
        node.miner.running = False
        hashes = ["0x" + send(node, BOB).hex() for _ in range(3)]
        node.miner.mine()

        receipts = [client.call("eth_getTransactionReceipt", each) for each in hashes]

        assert [each["cumulativeGasUsed"] for each in receipts] == [
            hex(21_000 * count) for count in (1, 2, 3)
        ]
        assert {each["gasUsed"] for each in receipts} == {hex(21_000)}


class TestLogObject:
    def test_one_shape(self, client: LocalClient, sent: str) -> None:
        """Receipts, `eth_getLogs` and filters return the same object."""
        installed = client.call("eth_newFilter", {"fromBlock": "0x0"})
        receipt = client.call("eth_getTransactionReceipt", sent)

        assert client.call("eth_getLogs", {}) == receipt["logs"]
        assert client.call("eth_getFilterLogs", installed) == receipt["logs"]
        assert client.call("eth_getFilterChanges", installed) == receipt["logs"]

    def test_pending(self, client: LocalClient, node: Node, emitter: Address) -> None:
        """In the pending block its position is null."""
        node.miner.running = False
        send(node, emitter, word(1) + word(2))

        (log,) = client.call("eth_getLogs", {"fromBlock": "pending", "toBlock": "pending"})

        nulls = {name for name, value in log.items() if value is None}
        assert nulls == {*PENDING_PLACE, "logIndex", "transactionHash"}

    def test_index(self, client: LocalClient, node: Node, emitter: Address) -> None:
        """Positions count through the whole block."""
        node.miner.running = False
        for _ in range(3):
            send(node, emitter, word(1) + word(2))
        node.miner.mine()

        logs = client.call("eth_getLogs", {})

        assert [(log["transactionIndex"], log["logIndex"]) for log in logs] == [
            ("0x0", "0x0"),
            ("0x1", "0x1"),
            ("0x2", "0x2"),
        ]
