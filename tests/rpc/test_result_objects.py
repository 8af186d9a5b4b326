"""`devchain.rpc.result_objects`"""

from __future__ import annotations

import re
from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.node import Node
from devchain.types import Address
from tests.accounts import BOB
from tests.actions import deploy, send
from tests.bytecode import EMIT, word

QUANTITY = r"0x(0|[1-9a-f][0-9a-f]*)"
DATA = r"0x([0-9a-f]{2})*"
DATA_8, DATA_20, DATA_32, DATA_256 = (rf"0x[0-9a-f]{{{2 * size}}}" for size in (8, 20, 32, 256))

BLOCK = {
    "number": QUANTITY,
    "hash": DATA_32,
    "parentHash": DATA_32,
    "mixHash": DATA_32,
    "nonce": DATA_8,
    "sha3Uncles": DATA_32,
    "logsBloom": DATA_256,
    "transactionsRoot": DATA_32,
    "stateRoot": DATA_32,
    "receiptsRoot": DATA_32,
    "miner": DATA_20,
    "difficulty": QUANTITY,
    "totalDifficulty": QUANTITY,
    "cumulativeDifficulty": QUANTITY,
    "extraData": DATA,
    "size": QUANTITY,
    "gasLimit": QUANTITY,
    "gasUsed": QUANTITY,
    "timestamp": QUANTITY,
    "minimumGasPrice": QUANTITY,
    "bitcoinMergedMiningHeader": DATA,
    "bitcoinMergedMiningCoinbaseTransaction": DATA,
    "bitcoinMergedMiningMerkleProof": DATA,
    "hashForMergedMining": DATA_32,
    "paidFees": QUANTITY,
}
"""The table of the specification, and `mixHash`."""

BESIDE = ("transactions", "uncles", "rskPteEdges", "baseEvent")
"""The other members of a block."""

TRANSACTION = {
    "blockHash": DATA_32,
    "blockNumber": QUANTITY,
    "from": DATA_20,
    "to": DATA_20,
    "gas": QUANTITY,
    "gasPrice": QUANTITY,
    "hash": DATA_32,
    "input": DATA,
    "nonce": QUANTITY,
    "transactionIndex": QUANTITY,
    "value": QUANTITY,
    "v": QUANTITY,
    "r": QUANTITY,
    "s": QUANTITY,
    "type": QUANTITY,
}

RECEIPT = {
    "transactionHash": DATA_32,
    "transactionIndex": QUANTITY,
    "blockHash": DATA_32,
    "blockNumber": QUANTITY,
    "from": DATA_20,
    "to": DATA_20,
    "cumulativeGasUsed": QUANTITY,
    "gasUsed": QUANTITY,
    "contractAddress": DATA_20,
    "logsBloom": DATA_256,
    "effectiveGasPrice": QUANTITY,
    "type": QUANTITY,
    "status": QUANTITY,
}
"""The table of the specification; `logs` beside it."""

LOG = {
    "logIndex": QUANTITY,
    "transactionIndex": QUANTITY,
    "transactionHash": DATA_32,
    "blockHash": DATA_32,
    "blockNumber": QUANTITY,
    "address": DATA_20,
    "data": DATA,
}
"""The table of the specification; `removed` and `topics` beside it."""

PENDING_BLOCK = {"number", "hash", "nonce", "logsBloom"}
PENDING_PLACE = {"blockHash", "blockNumber", "transactionIndex"}


def misfits(
    found: dict[str, Any], kinds: dict[str, str], *, null: set[str] = frozenset()
) -> list[str]:  # type: ignore[assignment]  # an empty set
    """The members of the wrong type, the missing and the unknown ones."""
    odd = sorted(kinds.keys() ^ found.keys())
    for name, kind in kinds.items():
        value = found.get(name)
        fits = value is None if name in null else re.fullmatch(kind, str(value))
        if not fits:
            odd.append(name)
    return odd


def without(found: dict[str, Any], *names: str) -> dict[str, Any]:
    """The object without some of its fields."""
    return {name: value for name, value in found.items() if name not in names}


@pytest.fixture
def emitter(node: Node) -> Address:
    """A contract that emits a log."""
    return deploy(node, EMIT)


@pytest.fixture
def sent(node: Node, emitter: Address) -> str:
    """A transaction with a log, in block 2."""
    return "0x" + send(node, emitter, word(1) + word(2) + b"data", gas_price=3).hex()


class TestBlockObject:
    @pytest.mark.usefixtures("sent")
    @pytest.mark.parametrize("number", ["0x0", "0x1", "0x2"])
    def test_fields(self, client: LocalClient, number: str) -> None:
        """A block has every field of the specification, each of its kind."""
        block = client.call("eth_getBlockByNumber", number)

        assert misfits(without(block, *BESIDE), BLOCK) == []
        assert block["uncles"] == []

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

        rest = without(block, *BESIDE)
        assert misfits(rest, BLOCK, null=PENDING_BLOCK) == []
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

        assert misfits(tx, TRANSACTION, null=PENDING_PLACE) == []

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

        place = {"logIndex", "transactionIndex", "transactionHash", "blockHash", "blockNumber"}
        assert misfits(without(log, "removed", "topics"), LOG, null=place) == []

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
