"""A fork of a node that answers badly, or not at once, is the same fork."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import cycle, islice
from random import Random
from typing import Any

import pytest

from devchain.client.http import HttpClient, connect
from devchain.config import Config
from devchain.networks import HARDFORKS
from devchain.node import Node
from devchain.upstream.queries import BLOCK_PARAMETER, upstream_query
from tests.accounts import ALICE_HEX, BOB_HEX, CAROL_HEX, DAVE_HEX
from tests.actions import deploy
from tests.bytecode import COUNTER, STORE_AT, word
from tests.fork.pairs import (
    CLOCK,
    SCENARIOS,
    Call,
    Pair,
    Requests,
    answer,
    everything,
    perform,
    prepare,
    settle,
)
from tests.fork.upstreams import ServedNode, fork_over_http
from tests.server.live import serving
from tests.upstream.server import Failure, Fault, Reply, batches_above, serve

pytestmark = pytest.mark.filterwarnings("ignore:SELFDESTRUCT opcode")  # a warning of py-evm

STATE = frozenset(BLOCK_PARAMETER) - {"eth_getBlockByNumber"}
FAULTS = (
    Reply(429, b"{}"),
    Reply(429, b"slow down", {"Retry-After": "0"}),
    Reply(body=b'{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"limit exceeded"}}'),
    Reply(body=b'[{"jsonrpc":"2.0","id":0,"resu'),
    Reply(body=b"[]"),
    Reply(503, b"<html>unavailable</html>"),
    Reply(body=b"<html>200</html>"),
    Reply(status=0),  # the connection is closed
)
"""What a node, or the proxy before it, answers instead of the truth, now and then."""


def often(rng: Random) -> Fault:
    """A fault of every third HTTP request."""
    lock, replies = threading.Lock(), cycle(FAULTS)

    def fault(_: Any) -> Reply | None:
        with lock:
            return next(replies) if rng.random() < 1 / 3 else None

    return fault


class AwkwardNode(ServedNode):
    """A node whose answers have been passed through `changes`, by method.

    It has dropped the states of blocks before `oldest`.
    """

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.changes: dict[str, Callable[[Any], Any]] = {}
        self.oldest = 0

    def answer(self, call: dict[str, Any]) -> dict[str, Any]:
        """The response to one call."""
        number = upstream_query(call["method"], *call["params"]).block_number
        if call["method"] in STATE and number is not None and number < self.oldest:
            error = {"code": -32000, "message": "missing trie node 0123 (path )"}
            return {"jsonrpc": "2.0", "id": call["id"], "error": error}
        response = super().answer(call)
        if "result" in response and call["method"] in self.changes:
            response["result"] = self.changes[call["method"]](response["result"])
        return response


def short_word(value: str) -> str:
    """A storage word as rskj writes it: without leading zeros."""
    return hex(int(value, 16))


def refused(*methods: str) -> Callable[[AwkwardNode], None]:
    """A node without those methods."""

    def apply(node: AwkwardNode) -> None:
        node.results |= dict.fromkeys(methods, Failure(-32601, "the method is not available"))

    return apply


def storage_unpadded(node: AwkwardNode) -> None:
    """A node that writes slots as quantities."""
    node.changes["eth_getStorageAt"] = short_word


def storage_empty(node: AwkwardNode) -> None:
    """A node that writes zero as no data."""
    node.changes["eth_getStorageAt"] = lambda value: value if int(value, 16) else "0x"


def single_calls(node: AwkwardNode) -> None:
    """A gateway that takes no batches."""
    node.faults.append(batches_above(1, Reply(400, b"batches are not supported")))


def small_batches(node: AwkwardNode) -> None:
    """A gateway that takes ten calls at a time."""
    body = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch too large"}}'
    node.faults.append(batches_above(10, Reply(body=body)))


def unreliable(node: AwkwardNode) -> None:
    """A node behind a bad connection and a rate limit."""
    node.faults.append(often(Random(7)))  # noqa: S311  # the same in every run


SEEDS = range(SCENARIOS or 1)
AWKWARD: dict[str, Callable[[AwkwardNode], None]] = {
    "unpadded": storage_unpadded,
    "empty": storage_empty,
    "single": single_calls,
    "small": small_batches,
    "unreliable": unreliable,
}


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> Random:
    """Random numbers of a test, the same in every run."""
    return Random(request.node.name)  # noqa: S311  # the same in every run


@pytest.fixture
def node(rng: Random) -> Iterator[Node]:
    """A node with random contracts, under a random hardfork."""
    hardfork = rng.choice(HARDFORKS)
    with Node(fixed_clock=CLOCK, hardfork=hardfork) as node:
        prepare(node, Requests(rng, hardfork), 3)
        yield node


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", AWKWARD)
def test_the_same_answers(kind: str, rng: Random, node: Node, seed: int) -> None:
    """Whatever has to be tried again, asked for otherwise or read leniently."""
    del seed
    hardfork = node.config.hardfork
    upstream = AwkwardNode(node)
    AWKWARD[kind](upstream)
    first = node.chain.height
    options = {"fixed_clock": CLOCK, "hardfork": hardfork, "retries": 50}
    with fork_over_http(upstream, **options) as fork:
        settle(node, fork)
        pair = Pair(node, connect(fork))
        requests = Requests(rng, hardfork)
        for _ in range(5):
            perform(pair.check, requests.change())
            pair.check(*requests.read(range(first - 2, node.chain.height + 1)))
        for each in islice(everything(pair.theirs, first - 2), 0, None, 1 if SCENARIOS else 4):
            pair.check(*each)


@pytest.mark.parametrize("seed", SEEDS)
def test_states_that_were_dropped(rng: Random, node: Node, seed: int) -> None:
    """What can be known is the node's, anything else an error that names what is missing."""
    del seed
    requests = Requests(rng, node.config.hardfork)
    upstream = AwkwardNode(node)
    upstream.oldest = first = node.chain.height
    failures = 0
    with fork_over_http(upstream, fixed_clock=CLOCK, hardfork=node.config.hardfork) as fork:
        settle(node, fork)
        theirs, ours = connect(node), connect(fork)
        reads = [requests.read(range(first - 3, first + 1)) for _ in range(30)]
        for method, params in [*reads, *islice(everything(theirs, first), 100)]:
            found = answer(ours, method, *params)
            if isinstance(found, tuple) and "any more" in found[1]:
                failures += 1
                assert "at block" in found[1]
            elif params[-1:] != ["latest"]:
                assert found == answer(theirs, method, *params), (method, params)
    assert failures


def clients(port: int, count: int, work: Callable[[HttpClient, int], None]) -> None:
    """Have several clients of a node work at the same time."""

    def run(number: int) -> None:
        with closing(HttpClient(f"http://127.0.0.1:{port}")) as client:
            work(client, number)

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(run, range(count)))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["single", "unreliable"])
def test_clients_at_the_same_time(kind: str, rng: Random, node: Node, seed: int) -> None:
    """Each gets the answers of the node, while values are missing that others wait for too."""
    del seed
    hardfork = node.config.hardfork
    requests = Requests(rng, hardfork)
    theirs = connect(node)
    first = node.chain.height
    asked: list[Call] = [requests.read(range(first - 2, first + 1)) for _ in range(15)]
    later = {"eth_feeHistory", "eth_gasPrice", "txpool_content", "eth_accounts"}
    asked += [
        each
        for each in everything(theirs, first)
        if each[0] not in later and each[1][-1:] != ["pending"]
    ][::10]
    rng.shuffle(asked)
    expected = [answer(theirs, method, *params) for method, params in asked]
    upstream = AwkwardNode(node)
    AWKWARD[kind](upstream)

    def read(client: HttpClient, number: int) -> None:
        for place in islice(cycle(range(len(asked))), 10 * number, 10 * number + len(asked)):
            method, params = asked[place]
            assert answer(client, method, *params) == expected[place], asked[place]

    with serve(upstream) as served:
        config = Config(
            fork_url=(served.url,),
            storage_caching=False,
            hardfork=hardfork,
            fixed_clock=CLOCK,
            retries=50,
            fork_retry_backoff=0.001,
        )
        with serving(config) as port:
            clients(port, 4, read)


def test_transactions_at_the_same_time() -> None:
    """Each of several clients mines its own, once, whatever is fetched meanwhile."""
    with Node() as node:
        counter, store = (f"0x{deploy(node, code).hex()}" for code in (COUNTER, STORE_AT))
        upstream = AwkwardNode(node)
        unreliable(upstream)
        senders = (ALICE_HEX, BOB_HEX, CAROL_HEX, DAVE_HEX)

        def send(client: HttpClient, number: int) -> None:
            for each in range(6):
                data = f"0x{(word(number * 100 + each) + word(each + 1)).hex()}"
                for to in (counter, store):
                    request = {"from": senders[number], "to": to, "data": data, "gas": "0x30d40"}
                    mined = client.call("eth_sendTransaction", request)
                    receipt = client.call("eth_getTransactionReceipt", mined)
                    assert receipt["status"] == "0x1"

        with serve(upstream) as served:
            options: dict[str, Any] = {"retries": 50, "fork_retry_backoff": 0.001}
            config = Config(fork_url=(served.url,), storage_caching=False, **options)
            with serving(config) as port:
                clients(port, len(senders), send)
                with closing(HttpClient(f"http://127.0.0.1:{port}")) as client:
                    assert int(client.call("eth_blockNumber"), 16) == node.chain.height + 48
                    counted = client.call("eth_getStorageAt", counter, "0x0", "latest")
                    assert int(counted, 16) == 24
                    for number, sender in enumerate(senders):
                        nonce = client.call("eth_getTransactionCount", sender, "latest")
                        known = node.chain.state_at(node.chain.height).nonce(
                            bytes.fromhex(sender[2:])
                        )
                        assert int(nonce, 16) == known + 12
                        slot = hex(number * 100 + 5)
                        assert int(client.call("eth_getStorageAt", store, slot, "latest"), 16) == 6
