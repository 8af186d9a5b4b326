"""`devchain.chain.upstream_blocks`"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from devchain.chain.storage.block_store import MemoryBlockStore
from devchain.chain.upstream_blocks import UpstreamBlocks
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import (
    ForkBlockReorganized,
    NotInForkCache,
    RpcFailure,
    UpstreamAnswerInvalid,
)
from devchain.node import Node
from devchain.types import Hash32, LogQuery, MineRequest
from devchain.upstream.fork_cache import ForkCache
from tests.accounts import ALICE_HEX, BOB
from tests.actions import deploy, receipt_of, send
from tests.bytecode import EMIT, REVERT, word
from tests.chain.upstream import NodeUpstream, complete, upstream_blocks, with_upstream_history
from tests.conftest import GENESIS_TIME

UNKNOWN = Hash32(b"\xab" * 32)
HARDFORKS = ["vetiver", "orchid", "byzantium", "prague"]


def busy_node(hardfork: str = "vetiver") -> Node:
    """A node with some blocks: logs, creations, a failure, a block of several transactions."""
    node = Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME))
    emitter = deploy(node, EMIT)
    send(node, deploy(node, REVERT), gas=100_000)
    node.miner.running = False
    for number in range(3):
        send(node, emitter, word(number) * 3)
    node.start_mining()
    node.mine(MineRequest(blocks=3))
    send(node, emitter, word(9) * 3)
    return node


@pytest.fixture(params=HARDFORKS)
def upstream(request: pytest.FixtureRequest) -> Iterator[Node]:
    """A busy node of each kind of rules."""
    with busy_node(request.param) as node:
        yield node


def questions(node: Node) -> Iterator[tuple[str, list[Any]]]:
    """Every question about the history of a node that a method answers."""
    chain = node.chain
    for block in chain.blocks_after(-1):
        number, own_hash = hex(block.number), "0x" + block.hash.hex()
        for full in (False, True):
            yield "eth_getBlockByNumber", [number, full]
            yield "eth_getBlockByHash", [own_hash, full]
        yield "eth_getBlockReceipts", [number]
        yield "eth_getBlockTransactionCountByHash", [own_hash]
        yield "eth_getUncleCountByBlockNumber", [number]
        yield "eth_getTransactionByBlockHashAndIndex", [own_hash, "0x0"]
        yield "eth_getRawTransactionByBlockNumberAndIndex", [number, "0x0"]
        yield "eth_getLogs", [{"blockHash": own_hash}]
        yield "eth_feeHistory", ["0x4", number, [10, 90]]
        yield "debug_traceBlockByNumber", [number, {"tracer": "callTracer"}]
        if chain.rules.has_merged_mining:
            yield "rsk_getRawBlockHeaderByNumber", [number]
        for tx in block.transactions:
            tx_hash = "0x" + tx.hash.hex()
            yield "eth_getTransactionByHash", [tx_hash]
            yield "eth_getTransactionReceipt", [tx_hash]
            yield "eth_getRawTransactionByHash", [tx_hash]
            yield "debug_traceTransaction", [tx_hash]
            yield "trace_transaction", [tx_hash]
            if chain.rules.has_merged_mining:
                yield "rsk_getRawTransactionReceiptByHash", [tx_hash]
    for first, last in ((0, chain.height), (1, 2), (3, chain.height), (2, 2)):
        bounds = {"fromBlock": hex(first), "toBlock": hex(last)}
        yield "eth_getLogs", [bounds]
        yield "eth_getLogs", [{**bounds, "topics": [None, "0x" + word(1).hex()]}]
        yield "trace_filter", [{**bounds, "fromAddress": [ALICE_HEX]}]
    yield "eth_getLogs", [{"fromBlock": "earliest", "address": "0x" + "00" * 20}]
    yield "eth_getBlockByHash", ["0x" + UNKNOWN.hex(), True]
    yield "eth_getTransactionReceipt", ["0x" + UNKNOWN.hex()]
    yield "eth_getBlockByNumber", ["earliest", True]


def answers(node: Node, asked: list[tuple[str, list[Any]]]) -> list[Any]:
    """What a node answers to these questions, or its error."""
    client = LocalClient(node)
    found: list[Any] = []
    for method, params in asked:
        try:
            found.append((method, params, client.call(method, *params)))
        except RpcFailure as error:
            found.append((method, params, error.code, error.message))
    return found


class TestHistoryIsTheSame:
    """A node whose history is read from another answers as that one does."""

    @pytest.mark.parametrize("back", [0, 1, 4])
    def test_every_method(self, upstream: Node, back: int) -> None:
        """Whatever block the fork is at; the blocks above it were mined alike on both."""
        number = upstream.chain.height - back
        asked = list(questions(upstream))
        fork = with_upstream_history(upstream, number)
        for block in upstream.chain.blocks_after(number):
            fork.chain.append_block(block)

        assert answers(fork, asked) == answers(upstream, asked)

    @pytest.mark.parametrize(
        ("theirs", "ours"), [("orchid", "vetiver"), ("iris", "arrowhead"), ("byzantium", "prague")]
    )
    def test_replays_have_the_rules_of_their_block(self, theirs: str, ours: str) -> None:
        """Call data costs 68 or 16 gas: a trace before the fork has the gas of its time."""
        with busy_node(theirs) as node:
            send(node, BOB, b"\1" * 100)
            fork = with_upstream_history(node, node.chain.height, hardfork=ours)
            asked = [each for each in questions(node) if "trace" in each[0] or "Raw" in each[0]]

            assert answers(fork, asked) == answers(node, asked)

            tx = receipt_of(fork, send(fork, BOB, b"\1" * 100))
            assert tx.gas_used < 21_000 + 100 * 68


@pytest.fixture
def node() -> Iterator[Node]:
    """A busy node under the newest rules of Rootstock."""
    with busy_node() as made:
        yield made


@pytest.fixture
def source(node: Node) -> NodeUpstream:
    """The upstream that plays it."""
    return NodeUpstream(node)


@pytest.fixture
def cache(node: Node, source: NodeUpstream) -> ForkCache:
    """ForkCache of its chain."""
    return upstream_blocks(node, source, node.chain.height)[0]


@pytest.fixture
def blocks(node: Node, cache: ForkCache) -> UpstreamBlocks:
    """Its blocks."""
    return UpstreamBlocks(cache, cache.fork, node.chain.rules)


@pytest.fixture
def store(blocks: UpstreamBlocks) -> MemoryBlockStore:
    """A store on top of them."""
    return MemoryBlockStore(blocks)


class TestRequests:
    """What is asked for, and when."""

    def test_nothing_before_it_is_read(self, store: MemoryBlockStore, source: NodeUpstream) -> None:
        """Neither a block by number nor the fork block's hash."""
        assert store.blocks[3].number == 3
        assert len(store.blocks) == len(store.blocks[3:]) + 3 or source.asked
        assert store.blocks[-1].hash
        assert source.methods() in ([], ["eth_getBlockByNumber"] * len(source.asked))

    def test_hash_of_the_parent(
        self, blocks: UpstreamBlocks, source: NodeUpstream, node: Node
    ) -> None:
        """It is in the block that was read."""
        assert blocks[5].gas_limit
        assert blocks[4].hash == node.chain.block(4).hash
        assert blocks.find(node.chain.block(4).hash) is blocks[4]
        assert source.methods() == ["eth_getBlockByNumber"]

    def test_receipts_only_when_they_are_read(
        self, blocks: UpstreamBlocks, source: NodeUpstream, node: Node
    ) -> None:
        """Transactions come with the block; receipts in one batch."""
        busiest = max(node.chain.blocks_after(-1), key=lambda block: len(block.transactions))
        block = blocks[busiest.number]
        assert block.transactions == busiest.transactions
        assert source.methods() == ["eth_getBlockByNumber"]

        assert block.receipts == busiest.receipts

        assert set(source.methods()[1:]) == {"eth_getTransactionReceipt"}
        assert source.round_trips == 2

    def test_receipt_by_hash(
        self, store: MemoryBlockStore, source: NodeUpstream, node: Node
    ) -> None:
        """With its transaction in one round trip, without its block."""
        tx = node.chain.block(2).transactions[0]

        found = store.receipt(tx.hash)

        assert found
        assert found[1] == receipt_of(node, tx.hash)
        assert (found[0].number, found[0].hash) == (2, node.chain.block(2).hash)
        assert (source.round_trips, len(source.asked)) == (1, 2)

    def test_unknown_hashes_are_asked_for_once(
        self, store: MemoryBlockStore, source: NodeUpstream
    ) -> None:
        """Blocks and transactions."""
        for _ in range(3):
            assert store.receipt(UNKNOWN) is None
            assert store.find(UNKNOWN) is None
        assert len(source.asked) == 3

    def test_logs_are_one_request(self, node: Node, source: NodeUpstream) -> None:
        """However many blocks they are searched in."""
        node.mine(MineRequest(blocks=300))
        source = NodeUpstream(node)
        fork = with_upstream_history(node, node.chain.height, source)

        shown = LocalClient(fork).call("eth_getLogs", {"fromBlock": "0x0", "toBlock": "latest"})

        assert len(shown) == 4
        assert source.methods().count("eth_getLogs") == 1
        assert len(source.asked) <= 2

    def test_logs_are_those_of_the_node(
        self, store: MemoryBlockStore, source: NodeUpstream, node: Node
    ) -> None:
        """A log found upstream equals the one of the node itself; its block is not read."""
        query = LogQuery(0, node.chain.height)
        found = [log for log in store.search(query) if log is not None]
        assert source.methods() == ["eth_getLogs"]

        for mined, own in zip(found, node.chain.logs(query), strict=True):
            assert (mined.log, mined.index) == (own.log, own.index)
            assert mined.transaction_hash == own.transaction_hash
            assert mined.transaction_index == own.transaction_index
            assert mined.block.hash == own.block.hash

    def test_neighbours_are_read_ahead(self, node: Node) -> None:
        """From block to block: twice as many at once each time."""
        node.mine(MineRequest(blocks=200))
        source = NodeUpstream(node)
        cache, blocks = upstream_blocks(node, source, node.chain.height)
        number = node.chain.height

        def hashes() -> list[Hash32]:
            return [blocks[number - depth].hash for depth in range(150)]

        found, attempts = complete(cache, hashes)

        assert found == [node.chain.block(number - depth).hash for depth in range(150)]
        assert attempts == source.round_trips + 1
        assert source.round_trips <= 10
        assert len(source.asked) <= 150


class TestDeferred:
    """While the upstream must not be waited for, what is missing is fetched, then all is redone."""

    def test_receipts_of_a_block(
        self, blocks: UpstreamBlocks, cache: ForkCache, node: Node
    ) -> None:
        """Two steps: the block, then its receipts."""
        found, attempts = complete(cache, lambda: blocks[1].receipts)

        assert (found, attempts) == (node.chain.block(1).receipts, 3)


class TestUncles:
    """Blocks here have none, blocks of other nodes have."""

    @pytest.fixture
    def uncle(self, source: NodeUpstream, node: Node) -> dict[str, Any]:
        """Block 2 as the uncle of every block."""
        client = LocalClient(node)
        found: dict[str, Any] = client.call("eth_getBlockByNumber", "0x2", False)
        source.answers["eth_getUncleByBlockHashAndIndex"] = found
        block = client.call("eth_getBlockByNumber", "0x8", True)
        source.answers["eth_getBlockByNumber"] = {**block, "uncles": [found["hash"]]}
        return found

    def test_by_index(self, node: Node, source: NodeUpstream, uncle: dict[str, Any]) -> None:
        """It is shown as upstream, without transactions; beyond the last there is null."""
        client = LocalClient(with_upstream_history(node, 8, source))

        shown = client.call("eth_getUncleByBlockNumberAndIndex", "0x8", "0x0")

        assert shown == {**uncle, "transactions": []}
        assert client.call("eth_getUncleByBlockNumberAndIndex", "0x8", "0x1") is None
        assert client.call("eth_getUncleCountByBlockNumber", "0x8") == "0x1"

    def test_of_another_hash(
        self, blocks: UpstreamBlocks, source: NodeUpstream, uncle: dict[str, Any]
    ) -> None:
        """An uncle is the one that the block lists."""
        source.answers["eth_getUncleByBlockHashAndIndex"] = {**uncle, "hash": "0x" + "ee" * 32}

        with pytest.raises(UpstreamAnswerInvalid, match="its hash is 0xeeee"):
            blocks[8].uncle(0)


class TestWrongUpstream:
    """What cannot be is an error that says so."""

    def test_reorganised(self, blocks: UpstreamBlocks, source: NodeUpstream, node: Node) -> None:
        """A block that is not the parent of the one after it."""
        assert blocks[5].gas_limit
        answer = LocalClient(node).call("eth_getBlockByNumber", "0x4", True)
        own_hash = "0x" + "ee" * 32
        moved = [{**tx, "blockHash": own_hash} for tx in answer["transactions"]]
        source.answers["eth_getBlockByNumber"] = {**answer, "hash": own_hash, "transactions": moved}

        with pytest.raises(ForkBlockReorganized, match="block 4 of the upstream"):
            _ = blocks[4].gas_limit

    def test_block_that_is_not_of_the_chain(
        self, blocks: UpstreamBlocks, source: NodeUpstream, node: Node
    ) -> None:
        """Nodes also answer the hash of a block beside their chain."""
        answer = LocalClient(node).call("eth_getBlockByNumber", "0x4", False)
        source.answers["eth_getBlockByHash"] = {**answer, "hash": "0x" + "ee" * 32}

        assert blocks.find(Hash32(b"\xee" * 32)) is None

    def test_later_than_the_fork(self, node: Node) -> None:
        """What the upstream has mined since is not there."""
        source = NodeUpstream(node)
        _, blocks = upstream_blocks(node, source, 3)
        later = node.chain.head

        assert blocks.receipt(later.transactions[0].hash) is None
        assert blocks.find(later.hash) is None
        assert list(blocks.search(LogQuery(4, 9))) == []

    @pytest.mark.parametrize("change", [{"blockNumber": "0x63"}, {"logIndex": "0x0"}])
    def test_logs_out_of_order(
        self, blocks: UpstreamBlocks, source: NodeUpstream, node: Node, change: dict[str, str]
    ) -> None:
        """Outside the range, or twice the same."""
        query = {"fromBlock": "0x0", "toBlock": hex(node.chain.height)}
        logs = LocalClient(node).call("eth_getLogs", query)
        source.answers["eth_getLogs"] = [logs[0], {**logs[0], **change}]

        with pytest.raises(UpstreamAnswerInvalid, match="not in order"):
            list(blocks.search(LogQuery(0, node.chain.height)))

    def test_logs_that_do_not_match(
        self, blocks: UpstreamBlocks, source: NodeUpstream, node: Node
    ) -> None:
        """They are left out."""
        query = {"fromBlock": "0x0", "toBlock": hex(node.chain.height)}
        source.answers["eth_getLogs"] = LocalClient(node).call("eth_getLogs", query)

        wanted = LogQuery(0, node.chain.height, topics=(frozenset({UNKNOWN}),))

        assert list(blocks.search(wanted)) == []

    def test_receipt_of_another_block(
        self, blocks: UpstreamBlocks, source: NodeUpstream, node: Node
    ) -> None:
        """The receipts of a block are of that block."""
        tx = node.chain.block(1).transactions[0]
        answer = LocalClient(node).call("eth_getTransactionReceipt", "0x" + tx.hash.hex())
        with_one = next(each for each in node.chain.blocks_after(1) if len(each.transactions) == 1)
        sent = "0x" + with_one.transactions[0].hash.hex()
        source.answers["eth_getTransactionReceipt"] = {**answer, "transactionHash": sent}

        with pytest.raises(UpstreamAnswerInvalid, match="it is of transaction 0 of block"):
            _ = blocks[with_one.number].receipts

    def test_offline(self, node: Node) -> None:
        """What has not been read is named."""
        _facts, blocks = upstream_blocks(node, None, node.chain.height)
        with pytest.raises(NotInForkCache, match="block 2 "):
            _ = blocks[2].timestamp
        with pytest.raises(NotInForkCache, match="receipt of transaction 0xabab"):
            blocks.receipt(UNKNOWN)

    def test_header_of_another_form(
        self, blocks: UpstreamBlocks, source: NodeUpstream, node: Node
    ) -> None:
        """Its bytes are those that the upstream gives, if they have its hash."""
        own = node.chain.block(4)
        answer = LocalClient(node).call("eth_getBlockByNumber", "0x4", True)
        source.answers["eth_getBlockByNumber"] = {**answer, "extraData": "0x1234"}
        assert blocks[4].raw_header == own.raw_header

        source.answers["rsk_getRawBlockHeaderByHash"] = "0x1234"
        cache, others = upstream_blocks(node, source, node.chain.height)
        assert cache
        with pytest.raises(UpstreamAnswerInvalid, match="header of block 4"):
            _ = others[4].raw_header
