"""What one request may take: time, size of its answer, and slices in which others are served."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from typing import Any

import pytest

from devchain.chain.slices import finish
from devchain.chain.storage.block_store import LOGS_PER_CHECK, MAX_INDEXED_VALUES
from devchain.clock import Clock
from devchain.config import Config
from devchain.node import Node, cheats
from devchain.node.core import BLOCKS_PER_SLICE
from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.json_codec import PIECE_BYTES, StreamedJson
from devchain.types import LogQuery
from tests.actions import deploy, install_filter, run
from tests.bytecode import EMIT_MANY, word
from tests.clocks import Stopwatch, Ticks
from tests.conftest import GENESIS_TIME

LOGS = 2_000
EVERY_LOG = {"fromBlock": "0x0"}


def request(method: str, *params: object, request_id: int = 1) -> dict[str, Any]:
    """A request."""
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": list(params)}


def ask(node: Node, body: object) -> Any:
    """The parsed answer to a request or a batch."""
    return json.loads(Dispatcher(node).serve_now(json.dumps(body).encode()) or b"null")


def codes(answers: list[dict[str, Any]]) -> list[int | None]:
    """The error code of each answer, None of a result."""
    return [each.get("error", {}).get("code") for each in answers]


@pytest.fixture
def config() -> Config:
    """Options of a node whose blocks may have many logs."""
    return Config(network="test", fixed_clock=GENESIS_TIME, gas_limit=10**7)


@pytest.fixture
def small(config: Config) -> Node:
    """A node whose answers have at most 20 kB."""
    return Node(replace(config, max_response=20_000))


@pytest.fixture
def noisy(node: Node) -> Node:
    """A node with many logs in one block."""
    run(node, deploy(node, EMIT_MANY), word(LOGS), gas=9_000_000)
    return node


class TestAnswerSize:
    @pytest.mark.parametrize(
        ("method", "params"),
        [
            ("rpc.discover", ()),
            ("evm_mine_detailed", ({"blocks": 9},)),
        ],
    )
    def test_one_call(self, small: Node, method: str, params: tuple[object, ...]) -> None:
        """An answer that is too long is an error that names the limit or what to use instead."""
        run(small, deploy(small, EMIT_MANY), word(100), gas=10**6)

        answer = ask(small, request(method, *params))

        assert answer["error"]["code"] in {-32012, -32602}
        assert small.chain.height == 2

    def test_batch(self, small: Node) -> None:
        """The calls of a batch that come after too long answers are not executed."""
        block = request("eth_getBlockByNumber", "0x0", False)
        notification = {"jsonrpc": "2.0", "method": "evm_mine"}

        answers = ask(small, [*(block,) * 30, request("evm_mine", request_id=7), notification])

        found = codes(answers)
        assert set(found) == {None, -32012}
        assert found == sorted(found, key=lambda code: code is not None)
        assert (answers[-1]["id"], len(answers), small.chain.height) == (7, 31, 0)
        assert len(json.dumps(answers)) < 30_000

    def test_logs(self, small: Node) -> None:
        """Logs are sent in pieces whatever their size, in a batch too."""
        node = Node(replace(small.config, max_response=150_000))
        run(node, deploy(node, EMIT_MANY), word(500), gas=10**6)
        call = request("eth_getLogs", EVERY_LOG)

        one, batch = ask(node, call), ask(node, [request("eth_chainId"), call, call])

        assert len(one["result"]) == 500
        assert [each["result"] for each in batch] == ["0x1f", *[one["result"]] * 2]

    def test_kept_of_a_batch(self, small: Node) -> None:
        """What is kept of logs until a batch is sent counts, which is less than they take."""
        node = Node(replace(small.config, max_response=350_000))
        run(node, deploy(node, EMIT_MANY), word(1_500), gas=2 * 10**6)
        call = request("eth_getLogs", EVERY_LOG)

        assert codes(ask(node, [call] * 6)) == [None] * 4 + [-32012] * 2

    def test_one_of_a_batch(self, small: Node) -> None:
        """One long answer ends a batch, too."""
        short = request("eth_chainId")

        answers = ask(small, [short, request("rpc.discover"), short])

        assert codes(answers) == [None, -32012, -32012]

    def test_filter_changes(self, small: Node) -> None:
        """So are the changes of a filter, and all of its logs."""
        emitter = deploy(small, EMIT_MANY)
        installed = install_filter(small, LogQuery())
        run(small, emitter, word(60), gas=10**6)
        methods = ("eth_getFilterLogs", "eth_getFilterChanges", "eth_getFilterChanges")

        found = [ask(small, request(method, hex(installed)))["result"] for method in methods]

        assert [*map(len, found)] == [60, 60, 0]

    def test_memory(self, noisy: Node) -> None:
        """Logs become JSON while they are sent: what waits is a list of them and a piece or two."""
        body = json.dumps([request("eth_getLogs", EVERY_LOG)] * 10).encode()
        kept: list[int] = []
        answer = finish(Dispatcher(noisy).serve(body, None, kept.append))
        assert isinstance(answer, StreamedJson)

        tracemalloc.start()
        sent = sum(map(len, answer.pieces))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

        assert sent > 10 * LOGS * 300
        assert sum(kept) < sent / 8
        assert peak < 16 * PIECE_BYTES

    def test_without_pieces(self, noisy: Node) -> None:
        """Where an answer cannot be sent in pieces it may not be longer than others."""
        dispatcher = Dispatcher(noisy, streams=False)
        body = json.dumps(request("eth_getLogs", EVERY_LOG)).encode()
        whole = finish(dispatcher.serve(body))
        dispatcher._max_response = 10**5

        refused = finish(dispatcher.serve(body))

        assert isinstance(whole, bytes)
        assert isinstance(refused, bytes)
        assert len(json.loads(whole)["result"]) == LOGS
        assert json.loads(refused)["error"]["code"] == -32012


class TestBatchTime:
    def test_rest_is_not_executed(self, config: Config) -> None:
        """When the CPU time of a batch is used up, what is left of it is not executed."""
        clock = Clock(GENESIS_TIME, monotonic=Ticks(), cpu_time=Ticks())
        node = Node(replace(config, batch_timeout=20, request_timeout=0), clock)

        answers = ask(node, [request("evm_mine") for _ in range(9)])

        mined = node.chain.height
        assert 0 < mined < 9
        assert codes(answers) == [None] * mined + [-32011] * (9 - mined)
        assert "--batch-timeout" in answers[-1]["error"]["message"]

    def test_time_of_others(self, config: Config) -> None:
        """The time between the slices of a batch does not count: others are served then."""
        watch = Stopwatch()
        node = Node(
            replace(config, batch_timeout=10, request_timeout=5),
            Clock(GENESIS_TIME, monotonic=Ticks(), cpu_time=watch),
        )
        serving = Dispatcher(node).serve(json.dumps([request("evm_mine")] * 9).encode())

        answers, slices = [], 0
        while not answers:
            try:
                next(serving)
                slices += 1
                watch.seconds += 100
            except StopIteration as done:
                answers = json.loads(done.value)

        assert slices > 9
        assert codes(answers) == [None] * 9

    def test_off(self, config: Config) -> None:
        """0 is no limit."""
        clock = Clock(GENESIS_TIME, cpu_time=Ticks(step=10**6))
        node = Node(replace(config, batch_timeout=0, request_timeout=0), clock)

        assert codes(ask(node, [request("evm_mine")] * 5)) == [None] * 5


class TestTurns:
    """A slice is a few milliseconds of work; others are served between two of them."""

    def heights(self, node: Node, method: str, *params: object) -> list[int]:
        """The height of the chain after each slice of a request."""
        serving = Dispatcher(node).serve(json.dumps(request(method, *params)).encode())
        return [node.chain.height for _ in serving]

    @pytest.mark.parametrize("hardfork", ["vetiver", "prague"])
    @pytest.mark.parametrize(
        ("method", "params"),
        [
            ("hardhat_mine", ("0x12c",)),
            ("evm_mine", ({"blocks": 300},)),
            ("evm_mine_detailed", ({"blocks": 300},)),
        ],
    )
    def test_mining(self, hardfork: str, method: str, params: tuple[object, ...]) -> None:
        """Many blocks are mined some at a time, under the rules of either chain."""
        node = Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME))

        heights = [*self.heights(node, method, *params), node.chain.height]

        steps = [after - before for before, after in zip([0, *heights], heights, strict=False)]
        assert max(steps) <= BLOCKS_PER_SLICE
        assert heights[-1] == 300

    def test_logs(self, noisy: Node) -> None:
        """The logs that were found become JSON in slices."""
        assert len(self.heights(noisy, "eth_getLogs", EVERY_LOG)) == LOGS // LOGS_PER_CHECK
        serving = Dispatcher(noisy).serve(json.dumps(request("eth_getLogs", EVERY_LOG)).encode())
        answer = finish(serving)
        assert isinstance(answer, StreamedJson)
        assert max(map(len, answer.pieces)) < 2 * PIECE_BYTES

    def test_logs_that_do_not_match(self, noisy: Node) -> None:
        """A search that finds nothing is done in slices, too."""
        others = [hex(2**255 + number) for number in range(MAX_INDEXED_VALUES + 1)]

        pauses = self.heights(noisy, "eth_getLogs", {**EVERY_LOG, "topics": [others]})

        assert len([*pauses]) >= LOGS // LOGS_PER_CHECK

    def test_filters(self, noisy: Node) -> None:
        """A filter that begins in the past is installed after a search in slices."""
        object.__setattr__(noisy.config, "max_log_blocks", 1)

        assert len(self.heights(noisy, "eth_newFilter", EVERY_LOG)) >= LOGS // LOGS_PER_CHECK

    @pytest.mark.parametrize("method", ["eth_getLogs", "eth_getFilterChanges"])
    def test_reverted_meanwhile(self, node: Node, method: str) -> None:
        """Blocks that others remove during a search are not in its result."""
        installed = install_filter(node, LogQuery(from_block=0))
        emitter = deploy(node, EMIT_MANY)
        run(node, emitter, word(3), gas=10**6)
        node.mine(40)
        run(node, emitter, word(LOGS_PER_CHECK), gas=10**6)
        argument = EVERY_LOG if method == "eth_getLogs" else hex(installed)
        serving = Dispatcher(node).serve(json.dumps(request(method, argument)).encode())
        next(serving)

        cheats.rollback(node, 5)
        run(node, emitter, word(4), gas=10**6)

        answer = finish(serving)
        assert isinstance(answer, bytes)
        assert len(json.loads(answer)["result"]) == 7
        assert len(node.filters.changes(installed)) == (7 if method == "eth_getLogs" else 0)

    def test_read_meanwhile(self, node: Node) -> None:
        """Two polls of a filter at a time do not both return the same logs."""
        emitter = deploy(node, EMIT_MANY)
        installed = install_filter(node, LogQuery(from_block=0))
        run(node, emitter, word(LOGS_PER_CHECK), gas=10**6)
        body = json.dumps(request("eth_getFilterChanges", hex(installed))).encode()
        serving = Dispatcher(node).serve(body)
        next(serving)

        assert len(node.filters.changes(installed)) == LOGS_PER_CHECK
        answer = finish(serving)
        assert isinstance(answer, bytes)
        assert json.loads(answer)["result"] == []

    def test_deadline(self, config: Config) -> None:
        """The deadline of a search counts from its beginning, through all of its slices."""
        clock = Clock(GENESIS_TIME, monotonic=Ticks(step=0), cpu_time=Ticks(step=0))
        node = self.with_logs(replace(config, request_timeout=60), clock)
        body = json.dumps(request("eth_getLogs", EVERY_LOG)).encode()
        count = sum(1 for _ in Dispatcher(node).serve(body))
        node.clock.cpu_time, node.clock.monotonic = Ticks(step=120 / count), Ticks(step=120 / count)

        serving = Dispatcher(node).serve(body)
        [next(serving) for _ in range(count // 10)]

        answer = finish(serving)
        assert isinstance(answer, bytes)
        assert json.loads(answer)["error"] == {
            "code": -32011,
            "message": "execution timed out after 60 s (--request-timeout)",
        }

    def test_time_of_others(self, config: Config) -> None:
        """What passes between the slices of a search, for others, does not count."""
        cpu, wall = Stopwatch(), Stopwatch()
        clock = Clock(GENESIS_TIME, monotonic=wall, cpu_time=cpu)
        node = self.with_logs(replace(config, request_timeout=5), clock)
        serving = Dispatcher(node).serve(json.dumps(request("eth_getLogs", EVERY_LOG)).encode())
        for _ in range(3):
            next(serving)
            cpu.seconds += 6
            wall.seconds += 6

        assert isinstance(finish(serving), StreamedJson)

    def with_logs(self, config: Config, clock: Clock) -> Node:
        """A node with logs whose search takes ten slices."""
        node = Node(config, clock)
        run(node, deploy(node, EMIT_MANY), word(10 * LOGS_PER_CHECK), gas=9 * 10**6)
        return node

    def test_in_process(self, node: Node) -> None:
        """Without a server a request is answered at once."""
        answer = Dispatcher(node).answer(request("hardhat_mine", "0x12c"))

        assert (answer, node.chain.height) == ({"jsonrpc": "2.0", "id": 1, "result": True}, 300)
