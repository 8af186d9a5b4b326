"""`hardhat_reset` and `anvil_reset`: to the fork's block, to another block or node, to no fork."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect as connect_websocket

from devchain.chain.slices import finish
from devchain.client.http import HttpClient, connect
from devchain.errors import ForkCacheMiss, RpcFailure
from devchain.node import Node
from devchain.node.forking import return_to_beginning
from devchain.rpc.dispatch import Dispatcher
from devchain.server.serve import serve_in_thread
from devchain.types import Address, LogQuery, Tag
from tests.accounts import ALICE, BOB
from tests.actions import deploy, fingerprint, run, send
from tests.bytecode import EMIT, word
from tests.chain.upstream import NodeUpstream
from tests.fork.upstreams import fork_of
from tests.upstream.server import FakeUpstream, serve

PRESENT = {"jsonRpcUrl": "http://upstream.example"}
STRANGER = Address(b"\x77" * 20)
UNCACHED = {"storage_caching": False, "retries": 0}


@pytest.fixture
def upstream() -> Iterator[Node]:
    """A node to fork, at block 5."""
    with Node(fixed_clock=1_700_000_000) as node:
        node.mine(4)
        send(node, STRANGER, value=7)
        yield node


@pytest.fixture
def other() -> Iterator[tuple[Node, str]]:
    """Another chain, at block 3, with the test network's id, and its URL."""
    with Node(network="test", fixed_clock=1_800_000_000) as node, serve_in_thread(node) as url:
        node.mine(2)
        send(node, STRANGER, value=9)
        yield node, url


def balance(node: Node, address: Address = STRANGER) -> int:
    """What an account has at the head."""
    return node.chain.state_at(Tag.LATEST).balance(address)


class TestPresentFork:
    @pytest.mark.parametrize(
        "parameters",
        [
            [{"forking": {}}],
            [{"forking": {"blockNumber": None}}],
            [{"forking": {"blockNumber": 3}}],
            [{"forking": {**PRESENT, "blockNumber": 3}}],
            [{"forking": {**PRESENT, "blockNumber": "0x3"}}],
        ],
    )
    def test_its_block(self, upstream: Node, parameters: list[object]) -> None:
        """The fork that the chain is may be named; the upstream is not asked."""
        fork, asked = fork_of(upstream, fork_block_number=3)
        fork.mine(4)
        before = asked.requests
        assert connect(fork).call("hardhat_reset", *parameters) is True
        assert (fork.block_number, asked.requests) == (3, before)

    def test_filters(self, upstream: Node) -> None:
        """Filters that have read logs are dropped without a search before the fork."""
        fork, asked = fork_of(upstream)
        fork.filters.watch_logs(LogQuery(0), 0, from_now=False, for_subscription=True)
        emit = deploy(fork, EMIT)
        run(fork, emit, word(1) * 3)
        assert len(fork.filters.changes(1)) == 1
        searched = asked.methods().count("eth_getLogs")
        fork.reset()
        assert asked.methods().count("eth_getLogs") == searched


class TestAnotherFork:
    def test_block(self, upstream: Node) -> None:
        """Another block of the same node."""
        with serve_in_thread(upstream) as url, Node(fork_url=url, **UNCACHED) as fork:
            assert (fork.block_number, balance(fork)) == (5, 7)
            fork.mine(2)
            client = connect(fork)
            client.call("anvil_reset", {"forking": {"blockNumber": 4}})
            assert (fork.block_number, balance(fork)) == (4, 0)
            upstream.mine(3)
            client.call("hardhat_reset", {"forking": {"jsonRpcUrl": url}})
            assert (fork.block_number, balance(fork)) == (8, 7)

    def test_node(self, upstream: Node, other: tuple[Node, str]) -> None:
        """Another chain: its id, rules, gas limit, state and time; accounts are funded."""
        there, url = other
        fork, asked = fork_of(upstream, retries=0, accounts=2)
        fork.mine(2)
        client = connect(fork)
        snapshot = client.call("evm_snapshot")
        polled = client.call("eth_newBlockFilter")
        client.call("evm_setAutomine", False)
        client.call("eth_sendTransaction", {"from": f"0x{ALICE.hex()}", "to": f"0x{BOB.hex()}"})
        instance = client.call("hardhat_metadata")["instanceId"]

        client.call("hardhat_reset", {"forking": {"jsonRpcUrl": url, "blockNumber": 3}})

        assert client.call("eth_chainId") == hex(there.config.effective_chain_id)
        assert fork.config.hardfork == there.config.hardfork
        assert (fork.block_number, balance(fork)) == (3, 9)
        assert balance(fork, ALICE) == 10_000 * 10**18
        assert fork.chain.state_at(Tag.LATEST).nonce(ALICE) == 1
        assert client.call("evm_revert", snapshot) is False
        with pytest.raises(RpcFailure, match="filter not found"):
            client.call("eth_getFilterChanges", polled)
        assert client.call("txpool_status") == {"pending": 0, "queued": 0}
        assert fork.miner.automatic
        assert client.call("hardhat_metadata")["instanceId"] != instance
        assert client.call("devchain_getFork")["url"] == url
        sent = client.call(
            "eth_sendTransaction", {"from": f"0x{ALICE.hex()}", "to": f"0x{BOB.hex()}"}
        )
        mined = client.call("eth_getTransactionReceipt", sent)
        assert mined["blockNumber"] == "0x4"
        assert 0 < fork.chain.head.timestamp - there.chain.head.timestamp < 60
        assert client.call("evm_snapshot") > snapshot
        assert not asked.is_closed  # to return to
        return_to_beginning(fork)
        assert (fork.block_number, balance(fork)) == (5, 7)
        fork.close()
        assert asked.is_closed

    def test_from_a_chain_of_its_own(self, other: tuple[Node, str]) -> None:
        """A node that was no fork becomes one, and its own chain again without `forking`."""
        there, url = other
        with Node(network="local", fixed_clock=1_700_000_000, **UNCACHED) as node:
            node.mine(2)
            copy = node.copy()
            genesis = node.chain.block(0).hash
            client = connect(node)
            client.call("hardhat_reset", {"forking": {"jsonRpcUrl": url, "blockNumber": 3}})
            assert node.chain.block(3).hash == there.chain.block(3).hash
            assert copy.chain.block(0).hash == genesis
            forked = node.copy()
            for parameters in ([], [{}], [{"forking": None}]):
                client.call("hardhat_reset", *parameters)
                assert (node.block_number, node.chain.block(0).hash) == (0, genesis)
                assert client.call("eth_chainId") == "0x21"
                assert node.fork is None
            assert balance(forked) == 9
            connect(forked).call("anvil_reset")
            assert forked.block_number == 0

    def test_from_a_fork_to_none(self, upstream: Node) -> None:
        """The chain is the one that the node has without a fork."""
        fork, _ = fork_of(upstream, network="test")
        connect(fork).call("anvil_reset")
        with Node(network="test") as plain:
            assert fork.config.effective_chain_id == plain.config.effective_chain_id
            assert (fork.block_number, balance(fork), fork.fork) == (0, 0, None)
            assert balance(fork, ALICE) == balance(plain, ALICE)

    def test_headers(self, upstream: Node) -> None:
        """Those of the start are not sent to the URL of a client, those that it gives are."""
        fork, _ = fork_of(upstream, fork_header=("Authorization: Bearer KEY",), retries=0)
        with serve(FakeUpstream()) as fake:
            forking = {"jsonRpcUrl": fake.url, "blockNumber": 100}
            for headers in (None, {"X-Mine": "1"}):
                with pytest.raises(RpcFailure):  # it has no such block
                    connect(fork).call(
                        "hardhat_reset", {"forking": {**forking, "httpHeaders": headers}}
                    )
            assert [each.get("authorization") for each in fake.headers] == [None, None]
            assert fake.headers[-1]["x-mine"] == "1"


class TestSetRpcUrl:
    def test_asked_instead(self, upstream: Node) -> None:
        """What is not cached is asked at the new URL from then on; the head stays."""
        fork, first = fork_of(upstream, retries=0)
        fork.mine()
        head = fork.chain.head.hash
        with serve_in_thread(upstream) as url:
            assert connect(fork).call("anvil_setRpcUrl", url) is True
            before = first.requests

            assert balance(fork) == 7
            assert (first.requests, first.is_closed) == (before, True)
            assert fork.chain.head.hash == head
            assert connect(fork).call("devchain_getFork")["url"] == url
            connect(fork).call("anvil_reset", {"forking": {"blockNumber": 4}})
            assert (fork.block_number, balance(fork)) == (4, 0)

    def test_another_chain(self, upstream: Node, other: tuple[Node, str]) -> None:
        """A node that lacks the fork block gives no answers."""
        fork, _ = fork_of(upstream, retries=0)
        connect(fork).call("hardhat_setRpcUrl", other[1])

        with pytest.raises(RpcFailure, match="does not have block 5") as caught:
            connect(fork).call("eth_getBalance", f"0x{STRANGER.hex()}")
        assert caught.value.code == -32002

    def test_headers(self, upstream: Node) -> None:
        """The headers of the URL before are not sent to it, nor after a reset to another block."""
        fork, _ = fork_of(upstream, fork_header=("Authorization: Bearer KEY",), retries=0)
        client = connect(fork)
        with serve(FakeUpstream()) as fake:
            client.call("anvil_setRpcUrl", fake.url)
            for method, parameter in (
                ("eth_getBalance", f"0x{STRANGER.hex()}"),
                ("hardhat_reset", {"forking": {"blockNumber": 100}}),
            ):
                with pytest.raises(RpcFailure):  # it has no such block
                    client.call(method, parameter)
            assert [each.get("authorization") for each in fake.headers] == [None, None]

    @pytest.mark.parametrize("url", ["", "x", "ftp://host.example/SECRET"])
    def test_no_url(self, upstream: Node, url: str) -> None:
        """What is no URL is refused, and the upstream stays."""
        fork, asked = fork_of(upstream)
        with pytest.raises(RpcFailure) as caught:
            connect(fork).call("anvil_setRpcUrl", url)

        assert (caught.value.code, asked.is_closed) == (-32602, False)
        assert "SECRET" not in caught.value.message
        assert balance(fork) == 7


class TestRefused:
    @pytest.mark.parametrize(
        "forking",
        [
            {**PRESENT, "blockNumber": "three"},
            {**PRESENT, "blockNumber": [3]},
            {**PRESENT, "blockNumber": True},
            {**PRESENT, "blockNumber": -3},
            {"jsonRpcUrl": [1], "blockNumber": 3},
            {"jsonRpcUrl": "ftp://host.example/SECRET"},
            {"jsonRpcUrl": "http://host.example", "httpHeaders": ["a: b"]},
            {"jsonRpcUrl": "http://host.example", "httpHeaders": {"a\r\nb": "c"}},
            "http://upstream.example",
        ],
    )
    def test_values(self, upstream: Node, forking: object) -> None:
        """Nothing has changed, and no key is quoted."""
        fork, _ = fork_of(upstream, fork_block_number=3)
        fork.mine(4)
        before = fingerprint(fork)
        with pytest.raises(RpcFailure, match="forking: ") as refused:
            connect(fork).call("anvil_reset", {"forking": forking})
        assert refused.value.code == -32602
        assert "SECRET" not in refused.value.message
        assert fingerprint(fork) == before

    def test_unknown_block(self, other: tuple[Node, str]) -> None:
        """The error is the upstream's."""
        with Node(**UNCACHED) as node:
            forking = {"jsonRpcUrl": other[1], "blockNumber": 99}
            with pytest.raises(RpcFailure, match="does not have block 99") as refused:
                connect(node).call("hardhat_reset", {"forking": forking})
            assert refused.value.code == -32002
            assert node.fork is None

    def test_data_dir(self, upstream: Node, tmp_path: Path) -> None:
        """A data dir keeps one chain."""
        fork, _ = fork_of(upstream, data_dir=str(tmp_path))
        for parameters in ([], [{"forking": {**PRESENT, "blockNumber": 2}}]):
            with pytest.raises(RpcFailure, match="the data dir keeps one chain"):
                connect(fork).call("hardhat_reset", *parameters)
        fork.mine()
        connect(fork).call("hardhat_reset", {"forking": {}})
        assert fork.block_number == 5
        fork.close()

    def test_hosted(self) -> None:
        """Clients of a hosted node may not let it send requests."""
        with (
            Node(hosted=True, api_key=("key",)) as node,
            pytest.raises(RpcFailure, match="the hosted service does not offer"),
        ):
            connect(node).call("hardhat_reset", {"forking": PRESENT})


class TestServed:
    def test_others_are_served_meanwhile(self, other: tuple[Node, str]) -> None:
        """While the other fork is opened slices of others see the chain as it was."""
        with Node(**UNCACHED) as node:
            node.mine(2)
            body = {"jsonrpc": "2.0", "id": 1, "method": "hardhat_reset"}
            body["params"] = [{"forking": {"jsonRpcUrl": other[1], "blockNumber": 3}}]
            heights = []
            slices = Dispatcher(node).serve(json.dumps(body).encode())
            for pause in slices:
                heights.append(node.block_number)
                if isinstance(pause, Future):
                    pause.result(60)
            assert set(heights) == {2}
            assert (node.block_number, balance(node)) == (3, 9)

    def test_a_request_that_waits(self, upstream: Node, other: tuple[Node, str]) -> None:
        """It begins anew on the other fork, whose upstream is not waited for either."""
        fork, _ = fork_of(upstream, retries=0)
        reset = {"forking": {"jsonRpcUrl": other[1], "blockNumber": 3}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "eth_getBalance"}
        body["params"] = [f"0x{STRANGER.hex()}", "latest"]
        waiting: Future[None] = Future()
        first: Any = fork.fork and fork.fork.cache
        first.fetch_in_background = lambda _: waiting
        slices = Dispatcher(fork).serve(json.dumps(body).encode())
        assert next(pause for pause in slices if isinstance(pause, Future)) is waiting

        connect(fork).call("hardhat_reset", reset)
        second: Any = fork.fork and fork.fork.cache
        begun: list[ForkCacheMiss] = []
        fetch = second.fetch_in_background
        second.fetch_in_background = lambda missing: begun.append(missing) or fetch(missing)
        waiting.set_result(None)

        answer = finish(slices)
        assert answer
        assert json.loads(answer)["result"] == "0x9"
        assert begun
        fork.close()

    def test_a_client_that_disconnects(self, upstream: Node) -> None:
        """Nothing has changed, and the other fork is closed."""
        gate, asked = threading.Event(), NodeUpstream(upstream)
        monkeypatch = pytest.MonkeyPatch()

        def held(*_: object, **__: object) -> NodeUpstream:
            assert gate.wait(60)
            return asked

        with Node(**UNCACHED) as node, monkeypatch.context() as patched:
            patched.setattr("devchain.chain.fork.Upstream", held)
            body = {"jsonrpc": "2.0", "id": 1, "method": "hardhat_reset"}
            body["params"] = [{"forking": PRESENT}]
            slices = Dispatcher(node).serve(json.dumps(body).encode())
            opening: Any = next(pause for pause in slices if isinstance(pause, Future))
            slices.close()
            gate.set()
            opening.result(60)
            assert node.fork is None
            closed = Future[None]()
            opening.add_done_callback(lambda _: closed.set_result(None))
            closed.result(60)
            assert asked.is_closed

    def test_subscriptions_go_on(self, other: tuple[Node, str]) -> None:
        """They are of the new chain: what it had before the reset is not sent."""
        with (
            Node(**UNCACHED) as node,
            serve_in_thread(node) as url,
            connect_websocket(url.replace("http", "ws")) as socket,
        ):

            def ask(method: str, *params: object) -> Any:
                body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
                socket.send(json.dumps(body))
                return json.loads(socket.recv())

            ask("eth_subscribe", "newHeads")
            ask("eth_subscribe", "logs", {})
            client = HttpClient(url)
            client.call("hardhat_reset", {"forking": {"jsonRpcUrl": other[1], "blockNumber": 3}})
            client.call("evm_mine")
            found = json.loads(socket.recv(60))["params"]["result"]
            client.close()
            head = f"0x{other[0].chain.head.hash.hex()}"
            assert (found["number"], found["parentHash"]) == ("0x4", head)
