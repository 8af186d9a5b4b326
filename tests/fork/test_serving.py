"""A fork that is served: no other client waits while values are fetched."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from websockets.sync.client import connect as connect_websocket

from devchain.chain.slices import QUICK, Slices
from devchain.client.http import HttpClient
from devchain.config import Config
from devchain.errors import UpstreamUnreachable
from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher
from devchain.types import Address, Tag
from devchain.upstream.queries import UpstreamQuery
from tests.accounts import ALICE, BOB
from tests.actions import deploy, run, send
from tests.bytecode import COUNTER
from tests.chain.upstream import NodeUpstream
from tests.server.live import serving

STRANGER = "0x" + "77" * 20


class HeldUpstream(NodeUpstream):
    """An upstream that answers when it is let go; once it `fails`, with an error."""

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.is_asked, self.gate = threading.Event(), threading.Event()
        self.gate.set()
        self.fails = False

    def ask(self, cache: list[UpstreamQuery]) -> dict[UpstreamQuery, Any]:
        """The values, once the gate is open."""
        self.is_asked.set()
        assert self.gate.wait(60)
        if self.fails:
            return {
                each: UpstreamUnreachable("http://upstream.example gives no answer")
                for each in cache
            }
        return super().ask(cache)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Inside, it gives no answer; it is asked before the block of code ends."""
        self.is_asked.clear()
        self.gate.clear()
        yield
        self.gate.set()


@pytest.fixture
def node() -> Iterator[Node]:
    """The upstream's node."""
    with Node(network="local", fixed_clock=1_700_000_000) as node:
        yield node


@pytest.fixture
def upstream(node: Node) -> HeldUpstream:
    """The upstream that can be held."""
    send(node, bytes.fromhex(STRANGER[2:]), value=5)
    return HeldUpstream(node)


@pytest.fixture
def port(upstream: HeldUpstream) -> Iterator[int]:
    """Where a fork is served."""
    config = Config(fork_url=("http://upstream.example",), storage_caching=False)
    with patch("devchain.chain.fork.Upstream", lambda *_, **__: upstream), serving(config) as port:
        yield port


def over_http(port: int, method: str, *params: object) -> Any:
    """The result of a call on a connection of its own."""
    client = HttpClient(f"http://127.0.0.1:{port}")
    try:
        return client.call(method, *params)
    finally:
        client.close()


def over_websocket(port: int, method: str, *params: object) -> Any:
    """The result of a call on a WebSocket of its own."""
    with connect_websocket(f"ws://127.0.0.1:{port}") as socket:
        socket.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
        return json.loads(socket.recv())["result"]


def over_other_http(port: int, method: str, *params: object) -> Any:
    """The result of a call that Quart's application answers, since its head is unusual."""
    import httpx

    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return httpx.post(f"http://127.0.0.1:{port}/", json=body, timeout=60).json()["result"]


@pytest.mark.parametrize("ask", [over_http, over_websocket, over_other_http])
def test_others_are_served_meanwhile(
    upstream: HeldUpstream, port: int, ask: Callable[..., Any]
) -> None:
    """A client waits for the upstream, another gets its answer."""
    with ThreadPoolExecutor() as pool:
        with upstream.held():
            waiting: Future[Any] = pool.submit(ask, port, "eth_getBalance", STRANGER, "latest")
            assert upstream.is_asked.wait(60)
            assert over_http(port, "eth_blockNumber") == "0x1"
            assert over_websocket(port, "eth_blockNumber") == "0x1"
            assert not waiting.done()
        assert waiting.result(60) == "0x5"


def test_explorer(upstream: HeldUpstream, port: int) -> None:
    """A page of the explorer waits for the upstream, others are served; old blocks are marked."""
    import httpx

    url = f"http://127.0.0.1:{port}/explorer"
    with ThreadPoolExecutor() as pool:
        with upstream.held():
            waiting = pool.submit(httpx.get, f"{url}/address/{STRANGER}", timeout=60)
            assert upstream.is_asked.wait(60)
            assert over_http(port, "eth_blockNumber") == "0x1"
            assert not waiting.done()
        assert "5 wei" in waiting.result(60).text
    assert '<span class="tag">upstream</span>' in httpx.get(f"{url}/blocks", timeout=60).text
    assert "Success" in httpx.get(f"{url}/block/1", timeout=60).text


def test_a_transaction_is_mined_once(upstream: HeldUpstream, port: int) -> None:
    """A block that another client has mined meanwhile stays; the transaction comes after it."""
    request = {"from": f"0x{ALICE.hex()}", "to": STRANGER, "value": "0x2"}
    with ThreadPoolExecutor() as pool:
        with upstream.held():
            waiting = pool.submit(over_http, port, "eth_sendTransaction", request)
            assert upstream.is_asked.wait(60)
            over_http(port, "evm_mine")
        receipt = over_http(port, "eth_getTransactionReceipt", waiting.result(60))
    assert (receipt["status"], receipt["blockNumber"]) == ("0x1", "0x3")
    assert over_http(port, "eth_getBalance", STRANGER, "latest") == "0x7"
    assert over_http(port, "eth_blockNumber") == "0x3"


def test_mining_in_slices_goes_on(port: int) -> None:
    """Blocks of `hardhat_mine` are as many as were asked for, whatever was unknown."""
    over_http(port, "evm_setAutomine", False)
    over_http(
        port,
        "eth_sendTransaction",
        {"from": f"0x{BOB.hex()}", "to": "0x" + "78" * 20, "gas": "0x5208"},
    )
    over_http(port, "hardhat_mine", "0x4")
    assert over_http(port, "eth_blockNumber") == "0x5"


def test_an_upstream_that_fails_changes_nothing(upstream: HeldUpstream, port: int) -> None:
    """The request ends with the error; the next one asks again."""
    request = {"from": f"0x{ALICE.hex()}", "to": STRANGER, "value": "0x2"}
    upstream.fails = True
    with pytest.raises(Exception, match="gives no answer"):
        over_http(port, "eth_sendTransaction", request)
    assert over_http(port, "eth_blockNumber") == "0x1"
    assert over_http(port, "txpool_status")["pending"] in (0, "0x0")
    upstream.fails = False
    over_http(port, "eth_sendTransaction", request)
    assert over_http(port, "eth_blockNumber") == "0x2"


def test_calls_run_while_a_contract_is_read(node: Node) -> None:
    """In process values are waited for."""
    from tests.fork.upstreams import fork_of

    counter = deploy(node, COUNTER)
    run(node, counter)
    fork, asked = fork_of(node)
    assert run(fork, counter).succeeded
    assert asked.round_trips <= 4


def test_turns_keep_what_others_have_changed(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that needs a value in a later slice undoes nothing of what happened before it."""
    from tests.fork.upstreams import fork_of

    fork, _ = fork_of(node)

    def work() -> Slices[int]:
        yield QUICK
        return fork.chain.state_at(Tag.LATEST).balance(Address(b"w" * 20))

    dispatcher = Dispatcher(fork)
    monkeypatch.setattr(dispatcher, "_call", lambda *_: work())
    slices = dispatcher.serve(b'{"jsonrpc":"2.0","id":1,"method":"eth_getLogs"}')
    mined = 0
    for pause in slices:
        if isinstance(pause, Future):  # unless it is done already
            pause.result(60)
        else:
            fork.mine()
            mined += 1
    assert mined == 2  # it began anew
    assert fork.chain.height == node.chain.height + 2


def test_threads_are_apart(node: Node) -> None:
    """A copy in another thread reads what is true while the fork executes speculatively."""
    from tests.fork.upstreams import fork_of

    send(node, Address(b"w" * 20), value=7)
    fork, _ = fork_of(node)
    copy = fork.copy()
    assert fork.fork
    with ThreadPoolExecutor() as pool, fork.fork.speculation.execution(), fork.fork.deferring():
        balance = pool.submit(
            lambda: copy.chain.state_at(Tag.LATEST).balance(Address(b"w" * 20))
        ).result(60)
    assert balance == 7
