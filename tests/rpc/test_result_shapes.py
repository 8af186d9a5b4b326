"""`devchain.rpc.result_shapes`: results in the shapes of other nodes"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import rlp

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.node import Node
from devchain.presets import PRESETS
from devchain.rpc.catalog import METHODS
from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.result_shapes import SHAPES
from devchain.rpc.subscriptions import Subscriptions
from tests.accounts import ALICE_HEX, BOB_HEX
from tests.conftest import GENESIS_TIME

EMIT = "0x60006000a000"
"""Init code that emits a log without topics and data."""
LOG = ["logIndex", "blockNumber", "blockHash", "transactionHash", "transactionIndex"]
LOG += ["address", "data", "topics"]
LATEST = ("eth_getBlockByNumber", "latest", False)
ZERO_NONCE = "0x0000000000000000"


@pytest.fixture
def node() -> Iterator[Node]:
    """A node like rskj."""
    with Node(Config(like="rskj", fixed_clock=GENESIS_TIME)) as node:
        yield node


@pytest.fixture
def client(node: Node) -> LocalClient:
    """A client of the node."""
    return LocalClient(node)


def send(client: LocalClient, **members: Any) -> str:
    """Send a transaction from Alice; its hash."""
    request = {"from": ALICE_HEX, "gas": "0x186a0", **members}
    transaction_hash: str = client.call("eth_sendTransaction", request)
    return transaction_hash


class TestTable:
    def test_names(self) -> None:
        """Presets name shapes that exist, for methods and notifications that exist."""
        for preset in PRESETS.values():
            named = {*preset.result_shapes.values(), *preset.notification_shapes.values()}
            assert named <= set(SHAPES)
            assert set(preset.result_shapes) <= set(METHODS)
            assert set(preset.notification_shapes) <= {"newHeads", "logs"}


class TestBlocks:
    def test_mined(self, client: LocalClient) -> None:
        """A block ends with its edges, all transactions but REMASC's in one list, and no event."""
        send(client, to=BOB_HEX)

        block = client.call("eth_getBlockByNumber", "latest", False)

        assert list(block)[-2:] == ["rskPteEdges", "baseEvent"]
        assert (block["rskPteEdges"], block["baseEvent"]) == ([1], None)
        assert len(block["transactions"]) == 2
        assert client.call("eth_getBlockByHash", block["hash"], False) == block

    def test_genesis(self, client: LocalClient) -> None:
        """The genesis block has one zero byte for each part of the merged-mining proof."""
        block = client.call("eth_getBlockByNumber", "earliest", False)

        assert block["bitcoinMergedMiningHeader"] == "0x00"
        assert block["bitcoinMergedMiningCoinbaseTransaction"] == "0x00"
        assert block["bitcoinMergedMiningMerkleProof"] == "0x00"
        assert block["rskPteEdges"] is None

    def test_pending(self, client: LocalClient) -> None:
        """The pending block has no number, hash and miner; its transactions have their places."""
        client.call("evm_stopMining")
        sent = send(client, to=BOB_HEX)

        block = client.call("eth_getBlockByNumber", "pending", True)

        assert {block[name] for name in ("number", "hash", "miner", "logsBloom")} == {None}
        assert (block["nonce"], block["totalDifficulty"]) == (ZERO_NONCE, "0x0")
        first, last = block["transactions"]
        assert (first["hash"], first["blockNumber"], first["transactionIndex"]) == (
            sent,
            "0x1",
            "0x0",
        )
        assert last["transactionIndex"] == "0x1"
        assert first["blockHash"] == last["blockHash"] is not None
        assert client.call("eth_getBlockTransactionCountByNumber", "pending") == "0x1"
        by_hash = client.call("eth_getBlockByNumber", "pending", False)
        assert by_hash["transactions"][0] == sent


class TestPendingBlock:
    """The pending block, as other nodes answer it: recorded on the versions of `tests/peers`."""

    def pending(self, like: str | None, *, full: bool = False) -> tuple[dict[str, Any], int]:
        """The pending block with one transaction, after the first block, and the newest height."""
        with Node(Config(like=like, fixed_clock=GENESIS_TIME)) as node:
            client = LocalClient(node)
            client.call("evm_mine")
            client.call("evm_setAutomine", False)
            sender, recipient = client.call("eth_accounts")[:2]
            gas = {"gas": "0x5208", "gasPrice": hex(2 * 10**9)}
            client.call("eth_sendTransaction", {"from": sender, "to": recipient, **gas})
            block: dict[str, Any] = client.call("eth_getBlockByNumber", "pending", full)
            return block, node.block_number

    def test_by_default(self) -> None:
        """By the specification these members are null."""
        block, _ = self.pending(None)

        nulls = ("number", "hash", "nonce", "logsBloom")
        assert [block[name] for name in nulls] == [None] * 4

    def test_hardhat(self) -> None:
        """Hardhat's has hash and bloom, and no number."""
        block, _ = self.pending("hardhat")

        assert [block[name] for name in ("number", "nonce", "mixHash")] == [None] * 3
        assert (len(block["hash"]), len(block["logsBloom"])) == (66, 514)
        assert len(block["transactions"]) == 1

    def test_anvil(self) -> None:
        """Anvil's is like a mined block, which ethers and cast can read."""
        block, height = self.pending("anvil", full=True)

        assert block["number"] == hex(height + 1)
        assert (len(block["hash"]), len(block["logsBloom"])) == (66, 514)
        assert block["nonce"] == ZERO_NONCE
        [transaction] = block["transactions"]
        assert transaction["blockNumber"] == block["number"]
        assert transaction["blockHash"] == block["hash"]

    def test_ganache(self) -> None:
        """Ganache answers the newest block."""
        block, height = self.pending("ganache", full=True)

        assert (block["number"], block["transactions"]) == (hex(height), [])
        assert block["hash"] is not None

    @pytest.mark.parametrize("like", ["hardhat", "anvil", "ganache"])
    def test_other_blocks(self, like: str) -> None:
        """Other blocks, and those that do not exist, are as ever."""
        with Node(Config(like=like, fixed_clock=GENESIS_TIME)) as node:
            client = LocalClient(node)
            client.call("evm_mine")

            by_hash = client.call("eth_getBlockByHash", client.call(*LATEST)["hash"], False)
            assert client.call(*LATEST) == by_hash
            assert "nonce" in by_hash


class TestLogs:
    def test_results(self, client: LocalClient) -> None:
        """Logs have no `removed`, in results and receipts."""
        log_filter = client.call("eth_newFilter", {})
        sent = send(client, data=EMIT)

        found = [
            client.call("eth_getLogs", {}),
            client.call("eth_getFilterLogs", log_filter),
            client.call("eth_getFilterChanges", log_filter),
            client.call("eth_getTransactionReceipt", sent)["logs"],
        ]

        assert [list(each[0]) for each in found if each] == [LOG] * 4

    def test_removed(self, client: LocalClient) -> None:
        """Logs that a revert removed are not returned again."""
        log_filter = client.call("eth_newFilter", {})
        snapshot = client.call("evm_snapshot")
        send(client, data=EMIT)
        assert len(client.call("eth_getFilterChanges", log_filter)) == 1

        client.call("evm_revert", snapshot)

        assert client.call("eth_getFilterChanges", log_filter) == []

    def test_hashes(self, client: LocalClient) -> None:
        """The hashes of other filters stay as they are."""
        block_filter = client.call("eth_newBlockFilter")
        client.call("evm_mine")
        client.call("evm_stopMining")

        head = client.call("eth_getBlockByNumber", "latest", False)
        assert client.call("eth_getFilterChanges", block_filter) == [head["hash"]]


class TestRawReceipt:
    @pytest.mark.parametrize(("data", "status"), [(EMIT, b"\1"), ("0xfe", b"")])
    def test_members(self, client: LocalClient, data: str, status: bytes) -> None:
        """A receipt has gas used and status after its logs."""
        client.call("evm_stopMining")
        sent = send(client, data=data)
        client.call("evm_mine")

        raw = client.call("rsk_getRawTransactionReceiptByHash", sent)

        receipt = client.call("eth_getTransactionReceipt", sent)
        members = rlp.decode(bytes.fromhex(raw[2:]))
        assert len(members) == 6
        assert (members[0], members[5]) == (status, status)
        assert int.from_bytes(members[4]) == int(receipt["gasUsed"], 16)

    def test_no_gas(self, client: LocalClient) -> None:
        """No gas, as REMASC's, is one zero byte."""
        client.call("evm_mine")
        (closing,) = client.call("eth_getBlockByNumber", "latest", False)["transactions"]

        raw = client.call("rsk_getRawTransactionReceiptByHash", closing)

        assert raw.endswith("c00001")


class TestFilters:
    def test_polling_mines(self, client: LocalClient) -> None:
        """With automatic mining a poll mines a block first."""
        block_filter = client.call("eth_newBlockFilter")

        (mined,) = client.call("eth_getFilterChanges", block_filter)

        assert client.call("eth_getBlockByNumber", "0x1", False)["hash"] == mined
        client.call("evm_stopMining")
        assert client.call("eth_getFilterChanges", block_filter) == []

    def test_history(self, client: LocalClient) -> None:
        """`eth_getFilterLogs` has every hash that a filter has found, polled or not."""
        blocks = client.call("eth_newBlockFilter")
        transactions = client.call("eth_newPendingTransactionFilter")
        sent = [send(client, to=BOB_HEX), send(client, to=BOB_HEX)]
        first, second = (client.call("eth_getBlockByNumber", n, False) for n in ("0x1", "0x2"))
        client.call("evm_stopMining")
        client.call("eth_getFilterChanges", blocks)

        assert client.call("eth_getFilterLogs", blocks) == [first["hash"], second["hash"]]
        assert client.call("eth_getFilterLogs", transactions) == sent

    @pytest.mark.parametrize(
        ("topics", "found"),
        [
            ([None], True),
            ([[]], True),
            ([None, None, None, None, None], True),
            ([[None], []], True),
            (["0x" + "00" * 32], False),
            ([None, "0x" + "00" * 32], False),
            ([[None, "0x" + "00" * 32]], False),
        ],
        ids=str,
    )
    def test_topics(self, client: LocalClient, topics: list[Any], found: bool) -> None:
        """Nulls at the end match logs with fewer topics; a null alternative is none."""
        send(client, data=EMIT)

        assert len(client.call("eth_getLogs", {"topics": topics})) == found


class TestNotifications:
    def test_shapes(self, node: Node, client: LocalClient) -> None:
        """Heads have no nonce, and an empty event; logs have `removed`, and a byte for no data."""
        subscriptions = Subscriptions(node)
        dispatcher = Dispatcher(node, subscriptions=subscriptions)
        for kind in (["newHeads"], ["logs", {}]):
            request = {"jsonrpc": "2.0", "id": 1, "method": "eth_subscribe", "params": kind}
            dispatcher.serve_now(json.dumps(request).encode())

        send(client, data=EMIT)

        head, log = (each["params"]["result"] for each in subscriptions.notifications())
        assert head["baseEvent"] == "0x00"
        assert {"nonce", "mixHash", "minimumGasPrice"}.isdisjoint(head)
        assert len(head) == 15
        assert list(log) == [*LOG, "removed"]
        assert (log["data"], log["removed"]) == ("0x00", False)


class TestPool:
    def test_content(self, client: LocalClient) -> None:
        """Addresses are without 0x, a nonce has a list, amounts are the bytes of Java's."""
        client.call("evm_stopMining")
        sent = send(client, to=BOB_HEX, value="0xff")

        content = client.call("txpool_content")

        ((tx,),) = content["pending"][ALICE_HEX[2:]].values()
        assert (tx["hash"], tx["to"]) == (sent, BOB_HEX)
        assert (tx["value"], tx["gasPrice"]) == ("0x00ff", "0x00")
        assert {"v", "r", "s", "type"}.isdisjoint(tx)
        assert content["queued"] == {}

    def test_creation(self, client: LocalClient) -> None:
        """A creation has one zero byte for its recipient."""
        client.call("evm_stopMining")
        send(client, data=EMIT)

        ((tx,),) = client.call("txpool_content")["pending"][ALICE_HEX[2:]].values()
        assert tx["to"] == "0x00"

    def test_inspect(self, client: LocalClient) -> None:
        """A transaction is a list of one line."""
        client.call("evm_stopMining")
        send(client, to=BOB_HEX, gas="0x5208", nonce="0x1")

        summary = client.call("txpool_inspect")

        text = f"{BOB_HEX[2:]}: 0 wei + 21000 x 0 gas"
        assert summary == {"pending": {}, "queued": {ALICE_HEX[2:]: {"1": [text]}}}

    def test_pending_transactions(self, client: LocalClient) -> None:
        """Pending transactions have no block hash, and a queued one is not found."""
        client.call("evm_stopMining")
        pending, queued = send(client, to=BOB_HEX), send(client, to=BOB_HEX, nonce="0x5")

        (tx,) = client.call("eth_pendingTransactions")

        assert (tx["hash"], tx["blockHash"]) == (pending, None)
        assert client.call("eth_getTransactionByHash", pending)["hash"] == pending
        assert client.call("eth_getTransactionByHash", queued) is None


class TestTracer:
    def test_default(self, client: LocalClient) -> None:
        """A trace without a tracer is in the shape of rskTracer."""
        sent = send(client, data=EMIT)
        block = client.call("eth_getBlockByNumber", "latest", False)["hash"]

        traces = [
            client.call("debug_traceTransaction", sent),
            client.call("debug_traceTransaction", sent, {"disableStack": True}),
            client.call("debug_traceBlockByHash", block)[0],
        ]

        assert [set(trace) & {"structLogs", "currentStorage"} for trace in traces] == [
            {"structLogs", "currentStorage"}
        ] * 3
        assert "stack" not in traces[1]["structLogs"][0]
