"""`devchain.node.filters`, and the node's methods that install and read them"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from devchain.chain.block import MinedLog
from devchain.chain.slices import finish
from devchain.clock import Clock
from devchain.config import Config
from devchain.errors import BlockNotFound, FilterNotFound, InvalidInput, LimitExceeded
from devchain.node import Node
from devchain.rpc.subscriptions import Subscriptions
from devchain.types import Address, BlockRef, Hash32, LogQuery, MineRequest, Tag, TransactionRequest
from tests.accounts import ALICE, BOB
from tests.actions import deploy, install_filter, run, send
from tests.bytecode import EMIT, EMIT_MANY, word
from tests.clocks import Stopwatch
from tests.conftest import GENESIS_TIME


@pytest.fixture
def watch() -> Stopwatch:
    """The clock that measures how long a filter has been idle."""
    return Stopwatch()


@pytest.fixture
def node(watch: Stopwatch) -> Node:
    """A node with filters that live for 300 seconds of `watch`."""
    return Node(Config(network="test"), Clock(fixed=GENESIS_TIME, monotonic=watch))


@pytest.fixture
def emitter(node: Node) -> Address:
    """A contract that emits two topics and data, deployed in block 1."""
    return deploy(node, EMIT)


def emit(node: Node, emitter: Address, number: int, second: int = 0) -> None:
    """Mine a block with one log, whose topics are those numbers."""
    run(node, emitter, word(number) + word(second))


def topics(logs: Sequence[Any]) -> list[int]:
    """The first topic of each log, negative when the log was removed."""
    found = []
    for each in logs:
        assert isinstance(each, MinedLog), each
        first = int.from_bytes(each.log.topics[0], "big")
        found.append(-first if each.removed else first)
    return found


def filter_logs(node: Node, filter_id: int) -> list[Any]:
    """Every log that a filter matches."""
    return list(finish(node.search.filter_logs_in_slices(filter_id)))


class TestBlocks:
    def test_new_ones(self, node: Node) -> None:
        """Each poll brings the hashes of the blocks since the last one."""
        node.mine(MineRequest())
        watching = node.filters.watch_blocks()
        assert node.filters.changes(watching) == []

        node.mine(MineRequest(blocks=2))

        assert node.filters.changes(watching) == [node.chain.block(n).hash for n in (2, 3)]
        assert node.filters.changes(watching) == []


class TestPendingTransactions:
    def test_arrivals(self, node: Node) -> None:
        """Each poll brings what became pending, also what has been mined already."""
        watching = node.filters.watch_pending()
        mined = send(node, BOB)
        node.miner.running = False
        waiting = send(node, BOB)

        assert node.filters.changes(watching) == [mined, waiting]
        assert node.filters.changes(watching) == []

    def test_queued_ones_come_later(self, node: Node) -> None:
        """A queued transaction is reported when it becomes pending."""
        watching = node.filters.watch_pending()
        later = send(node, BOB, nonce=1)
        assert node.filters.changes(watching) == []

        sooner = send(node, BOB, nonce=0)

        assert node.filters.changes(watching) == [sooner, later]


class TestLogs:
    def test_from_now_on(self, node: Node, emitter: Address) -> None:
        """Without a first block the filter reports what comes after its installation."""
        emit(node, emitter, 1)
        watching = install_filter(node, LogQuery())
        assert node.filters.changes(watching) == []

        emit(node, emitter, 2)
        emit(node, emitter, 3)

        assert topics(node.filters.changes(watching)) == [2, 3]
        assert node.filters.changes(watching) == []

    @pytest.mark.parametrize(
        ("first", "expected"), [(0, [1, 2, 3]), (3, [2, 3]), (4, [3]), (Tag.EARLIEST, [1, 2, 3])]
    )
    def test_from_the_past(
        self, node: Node, emitter: Address, first: BlockRef, expected: list[int]
    ) -> None:
        """A first block in the past brings what has been mined since, on the first poll."""
        emit(node, emitter, 1)
        emit(node, emitter, 2)
        watching = install_filter(node, LogQuery(from_block=first))
        emit(node, emitter, 3)

        assert topics(node.filters.changes(watching)) == expected
        assert node.filters.changes(watching) == []

    @pytest.mark.parametrize(
        ("first", "last", "expected"),
        [
            (None, 3, [2]),
            (2, 3, [1, 2]),
            (4, None, [3, 4]),
            (4, 4, [3]),
            (0, 1, []),
            (5, 4, []),
            (None, Tag.LATEST, [2, 3, 4]),
            (None, Tag.EARLIEST, []),
            (Tag.PENDING, Tag.PENDING, [2, 3, 4]),
        ],
    )
    def test_bounds_ahead(
        self,
        node: Node,
        emitter: Address,
        first: BlockRef | None,
        last: BlockRef | None,
        expected: list[int],
    ) -> None:
        """Bounds may lie ahead of the head: the filter begins and ends with those blocks."""
        emit(node, emitter, 1)
        watching = install_filter(node, LogQuery(first, last))
        seen = []
        for number in (2, 3, 4):
            emit(node, emitter, number)
            seen += topics(node.filters.changes(watching))

        assert [number for number in seen if number > 1 or first == 2] == expected

    def test_of_one_block(self, node: Node, emitter: Address) -> None:
        """A filter on a block hash reports that block's logs, once."""
        emit(node, emitter, 1)
        watching = install_filter(node, LogQuery(block_hash=node.chain.head.hash))
        emit(node, emitter, 2)

        assert topics(node.filters.changes(watching)) == [1]
        assert node.filters.changes(watching) == []

    def test_conditions(self, node: Node, emitter: Address) -> None:
        """Addresses and topics narrow the filter as they do a query."""
        other = deploy(node, EMIT)
        one = frozenset({Hash32(word(1))})
        by_address = install_filter(node, LogQuery(addresses=frozenset({other})))
        by_topic = install_filter(node, LogQuery(topics=(None, one)))
        for contract, first, second in ((emitter, 5, 1), (other, 6, 2), (other, 7, 1)):
            emit(node, contract, first, second)

        assert topics(node.filters.changes(by_address)) == [6, 7]
        assert topics(node.filters.changes(by_topic)) == [5, 7]

    def test_all_of_them(self, node: Node, emitter: Address) -> None:
        """`filter_logs` gives every log since the filter began, polled or not."""
        watching = install_filter(node, LogQuery())
        for number in (1, 2):
            emit(node, emitter, number)
            node.filters.changes(watching)

        assert topics(filter_logs(node, watching)) == [1, 2]

    def test_only_of_log_filters(self, node: Node) -> None:
        """Other kinds of filters have no logs."""
        for watching in (node.filters.watch_blocks(), node.filters.watch_pending()):
            with pytest.raises(InvalidInput, match="not a log filter"):
                filter_logs(node, watching)

    def test_unknown_block(self) -> None:
        """Under Ethereum's rules a filter on an unknown block is refused and not installed."""
        node = Node(Config(hardfork="prague"))
        with pytest.raises(BlockNotFound):
            install_filter(node, LogQuery(block_hash=Hash32(bytes(32))))
        assert node.filters.watch_blocks() == 1


class TestRemoval:
    def test_uninstall(self, node: Node) -> None:
        """An uninstalled filter is unknown; doing it twice is false."""
        watching = node.filters.watch_blocks()

        assert [node.filters.uninstall(watching) for _ in range(2)] == [True, False]
        for read in (node.filters.changes, partial(filter_logs, node)):
            with pytest.raises(FilterNotFound, match=r"^filter not found$"):
                read(watching)

    @pytest.mark.parametrize("unknown", [0, 1, -1, 2**256])
    def test_unknown(self, node: Node, unknown: int) -> None:
        """An id that was never returned is unknown."""
        with pytest.raises(FilterNotFound):
            node.filters.changes(unknown)
        assert not node.filters.uninstall(unknown)

    @pytest.mark.parametrize(("idle", "is_there"), [(299, True), (300, True), (301, False)])
    def test_idle(self, node: Node, watch: Stopwatch, idle: float, is_there: bool) -> None:
        """A filter that was not polled within the timeout is removed."""
        watching = node.filters.watch_blocks()
        watch.seconds += idle

        assert node.filters.uninstall(watching) is is_there

    def test_polling_keeps_it(self, node: Node, watch: Stopwatch) -> None:
        """Each poll restarts the timeout."""
        watching = node.filters.watch_blocks()
        for _ in range(5):
            watch.seconds += 250
            node.filters.changes(watching)

        watch.seconds += 301
        with pytest.raises(FilterNotFound):
            node.filters.changes(watching)

    def test_a_snapshot_does_not_bring_back_an_expired_one(
        self, node: Node, watch: Stopwatch
    ) -> None:
        """Reverts neither bring back an expired filter nor let one live longer."""
        snapshot = node.snapshots.take()
        for _ in range(4):
            for _ in range(10):
                node.filters.watch_blocks()
            watch.seconds += 200
            node.revert(snapshot)

        assert [each for each in range(1, 41) if node.filters.uninstall(each)] == [*range(31, 41)]


class TestRetraction:
    def test_removed_once_then_the_new_chain(self, node: Node, emitter: Address) -> None:
        """Logs that were read come back as removed, newest first, once; then the new ones."""
        watching = install_filter(node, LogQuery())
        emit(node, emitter, 1)
        node.filters.changes(watching)
        snapshot = node.snapshots.take()
        emit(node, emitter, 2)
        emit(node, emitter, 3)
        node.filters.changes(watching)
        node.revert(snapshot)
        emit(node, emitter, 4)

        assert topics(node.filters.changes(watching)) == [-3, -2, 4]
        assert node.filters.changes(watching) == []

    def test_a_first_block_that_was_named_stays(self, node: Node, emitter: Address) -> None:
        """A filter from a named block on keeps waiting for that block."""
        snapshot = node.snapshots.take()
        node.mine(MineRequest(blocks=5))
        watching = install_filter(node, LogQuery(from_block=node.chain.height))
        named = node.chain.height
        node.revert(snapshot)
        while node.chain.height <= named:
            emit(node, emitter, node.chain.height + 1)

        assert topics(node.filters.changes(watching)) == [named, named + 1]

    def test_block_by_hash(self, node: Node, emitter: Address) -> None:
        """A filter on a removed block does not return logs of another block of that number."""
        snapshot = node.snapshots.take()
        emit(node, emitter, 1)
        watching = install_filter(node, LogQuery(block_hash=node.chain.head.hash))
        node.filters.changes(watching)
        node.revert(snapshot)
        emit(node, emitter, 2)

        assert topics(node.filters.changes(watching)) == [-1]


class TestLimits:
    """`max_logs` counts only in a range of more than `max_log_blocks` blocks."""

    @pytest.fixture
    def node(self, limits: tuple[int, int]) -> Node:
        """A node with tight limits and five logs, in blocks 1 to 5."""
        max_blocks, max_logs = limits
        node = Node(
            Config(
                network="test",
                fixed_clock=GENESIS_TIME,
                max_log_blocks=max_blocks,
                max_logs=max_logs,
            )
        )
        many = deploy(node, EMIT_MANY)
        run(node, many, word(2))
        run(node, many, word(3))
        node.mine(MineRequest(blocks=2))
        return node

    @pytest.mark.parametrize(
        ("limits", "bounds", "found"),
        [
            pytest.param((3, 4), (2, 4), 5, id="narrow-enough"),
            pytest.param((3, 4), (2, 5), None, id="one-block-too-wide"),
            pytest.param((3, 5), (0, 5), 5, id="as-many-logs-as-allowed"),
            pytest.param((3, 4), (0, 2), 2, id="few-logs"),
            pytest.param((0, 4), (0, 5), 5, id="blocks-off"),
            pytest.param((3, 0), (0, 5), 5, id="logs-off"),
            pytest.param((3, 4), (2, 99), None, id="bound-ahead-of-the-head"),
            pytest.param((4, 4), (2, 99), 5, id="bound-ahead-is-cut-at-the-head"),
            pytest.param((1, 1), (5, 2), 0, id="reversed"),
        ],
    )
    def test_edges(
        self, node: Node, limits: tuple[int, int], bounds: tuple[int, int], found: int | None
    ) -> None:
        """Queries and filters have the same limits."""
        query = LogQuery(*bounds)

        if found is None:
            with pytest.raises(LimitExceeded, match=f"more than {limits[1]} logs over a range"):
                node.logs(query)
            with pytest.raises(LimitExceeded):
                install_filter(node, query)
            assert node.filters.watch_blocks() == 1
        else:
            assert len(node.logs(query)) == found
            assert install_filter(node, query) == 1


class TestPendingLogs:
    def test_in_a_query(self, node: Node, emitter: Address) -> None:
        """A query up to `pending` includes the logs of pending transactions."""
        emit(node, emitter, 1)
        node.miner.running = False
        node.send(TransactionRequest(ALICE, emitter, gas=100_000, data=word(2) + word(0)))

        assert topics(node.logs(LogQuery(0, Tag.PENDING))) == [1, 2]
        assert topics(node.logs(LogQuery(Tag.PENDING, Tag.PENDING))) == [2]
        assert topics(node.logs(LogQuery(0, Tag.LATEST))) == [1]


class TestRoom:
    """Bounds on what filters of one client, and of all, may hold."""

    @pytest.fixture
    def node(self) -> Node:
        """A node that keeps at most six filters, four of them of one client."""
        return Node(Config(max_filters=6, max_client_filters=4, max_log_values=60))

    def test_of_a_client(self, node: Node) -> None:
        """A client that has all it may have is refused, and another one is not."""
        filters = node.filters
        filters.client = "10.0.0.1"
        installed = [filters.watch_blocks() for _ in range(4)]
        with pytest.raises(LimitExceeded, match="--max-client-filters"):
            filters.watch_pending()
        filters.client = "10.0.0.2"
        filters.watch_blocks()

        filters.client = "10.0.0.1"
        filters.uninstall(installed[0])
        filters.watch_blocks()

    def test_of_all(self, node: Node) -> None:
        """All clients and subscriptions together have a limit, too."""
        for number in range(6):
            node.filters.client = f"10.0.0.{number}"
            node.filters.watch_blocks(for_subscription=number > 3)

        for for_subscription in (False, True):
            with pytest.raises(LimitExceeded, match=r"at most 6 .* \(--max-filters\)"):
                node.filters.watch_blocks(for_subscription=for_subscription)
        node.reset()
        assert [node.filters.watch_blocks() for _ in range(4)] == [7, 8, 9, 10]

    def test_many_values(self, node: Node) -> None:
        """A filter with many addresses and topics counts as several."""
        addresses = frozenset(Address(bytes([each]) * 20) for each in range(49))
        watching = install_filter(node, LogQuery(addresses=addresses))
        node.filters.watch_blocks()
        with pytest.raises(LimitExceeded, match="--max-filters"):
            node.filters.watch_blocks()

        node.filters.uninstall(watching)
        assert install_filter(node, LogQuery(addresses=addresses)) == 3

    @pytest.mark.parametrize(
        ("query", "what"),
        [
            (
                LogQuery(addresses=frozenset(Address(bytes([n]) * 20) for n in range(61))),
                "addresses",
            ),
            (
                LogQuery(topics=(None, frozenset(Hash32(bytes([n]) * 32) for n in range(61)))),
                "topics at position 1",
            ),
        ],
    )
    def test_values_of_a_query(self, node: Node, query: LogQuery, what: str) -> None:
        """Filters and subscriptions, which are kept, may not have too many; searches may."""
        assert node.logs(query) == []
        for use in (partial(install_filter, node), partial(Subscriptions(node).subscribe, "logs")):
            with pytest.raises(LimitExceeded, match=rf"61 {what}: at most 60 .*--max-log-values"):
                use(query)
