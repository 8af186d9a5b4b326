"""`devchain.server.websocket`, with a client library"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Opcode
from websockets.sync.client import ClientConnection, connect

from devchain.server import limits
from devchain.server.events import Event, RequestServed
from devchain.server.websocket import WebSocketConnection
from tests.server.live import CONFIG, EMIT_LOGS, GET_LOGS, LOGS, serving

Connect = Callable[..., ClientConnection]


@pytest.fixture
def events() -> list[Event]:
    """The events of the activity log."""
    return []


@pytest.fixture
def port(events: list[Event]) -> Iterator[int]:
    """A node that is served."""
    with serving(observe=events.append) as number:
        yield number


@pytest.fixture
def open_socket(port: int) -> Iterator[Connect]:
    """Connect to the node; every connection ends with the test."""
    with ExitStack() as stack:

        def open_one(path: str = "/", **options: Any) -> ClientConnection:
            client = connect(f"ws://127.0.0.1:{port}{path}", open_timeout=10, **options)
            return stack.enter_context(client)

        yield open_one


def call(client: ClientConnection, method: str, *params: object) -> Any:
    """The answer to one call; notifications before it are skipped."""
    client.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    while "id" not in (answer := json.loads(client.recv(timeout=10))):
        pass
    return answer.get("result", answer.get("error"))


def heads(client: ClientConnection, count: int) -> list[str]:
    """The numbers of that many new heads."""
    notifications = [json.loads(client.recv(timeout=10)) for _ in range(count)]
    return [each["params"]["result"]["number"] for each in notifications]


def ending(client: ClientConnection) -> int | None:
    """The code with which the node ends the connection, once all it sent has been read."""
    with suppress(ConnectionClosed):
        while True:
            client.recv(timeout=10)
    return client.close_code


class TestMessages:
    @pytest.mark.parametrize("path", ["/", "/key", "/test", "/test/key", "/?x=1"])
    def test_call(self, open_socket: Connect, path: str) -> None:
        """Every path answers calls."""
        assert call(open_socket(path), "eth_chainId") == "0x1f"

    def test_binary(self, open_socket: Connect) -> None:
        """A binary message is read like a text."""
        client = open_socket()
        client.send(b'{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')

        assert json.loads(client.recv(timeout=10))["result"] == "0x1f"

    def test_fragments(self, open_socket: Connect) -> None:
        """A message may come in fragments, also with a character split between two."""
        client = open_socket()
        text = '{"jsonrpc":"2.0","id":"é","method":"eth_chainId"}'
        client.send([text[:20], text[20:]])

        assert json.loads(client.recv(timeout=10))["id"] == "é"

    def test_many_fragments(self, open_socket: Connect) -> None:
        """Empty fragments take no memory: there may be any number of them."""
        client = open_socket()
        client.send(['{"id":1,', *[""] * 5_000, '"method":"eth_chainId"}'])

        assert json.loads(client.recv(timeout=10))["result"] == "0x1f"

    def test_order(self, open_socket: Connect) -> None:
        """Messages are answered in the order they came."""
        client = open_socket()
        for number in range(50):
            client.send(f'{{"jsonrpc":"2.0","id":{number},"method":"eth_blockNumber"}}')

        answers = [json.loads(client.recv(timeout=10))["id"] for _ in range(50)]

        assert answers == list(range(50))

    def test_log(self, open_socket: Connect, events: list[Event]) -> None:
        """The activity log names the transport."""
        call(open_socket(), "eth_chainId")

        assert [each.via for each in events if isinstance(each, RequestServed)] == ["ws"]

    def test_too_large(self, open_socket: Connect) -> None:
        """A message over the limit ends the connection with the code for it."""
        client = open_socket()

        client.send(" " * 300_000)

        assert ending(client) == 1009

    def test_long_answer(self, open_socket: Connect) -> None:
        """Logs come in fragments of one message, in a batch too; the next answer follows."""
        client = open_socket(max_size=None)
        client.send(EMIT_LOGS)
        client.recv(timeout=10)
        client.send(GET_LOGS)
        fragments = [*client.recv_streaming()]
        client.send(b"[%b,%b]" % (GET_LOGS, GET_LOGS))
        batch = json.loads(client.recv(timeout=10))

        logs = json.loads("".join(map(str, fragments)))["result"]

        assert len(logs) >= LOGS
        assert len(fragments) > 1
        assert [each["result"] for each in batch] == [logs, logs]
        assert call(client, "eth_chainId") == "0x1f"

    def test_ping(self, open_socket: Connect) -> None:
        """A ping is answered."""
        assert open_socket().ping().wait(10)

    def test_idle(self, open_socket: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
        """An idle connection is pinged."""
        monkeypatch.setattr(limits, "PING_SECONDS", 0.02)
        client, pinged = open_socket(), threading.Event()
        receive = client.protocol.recv_frame

        def receive_frame(frame: Any) -> None:
            if frame.opcode is Opcode.PING:
                pinged.set()
            receive(frame)

        client.protocol.recv_frame = receive_frame  # type: ignore[method-assign]

        assert pinged.wait(10)


class TestSubscriptions:
    def test_heads(self, open_socket: Connect) -> None:
        """A connection is notified of blocks mined by calls of another."""
        client, other = open_socket(), open_socket()
        call(client, "eth_subscribe", "newHeads")
        call(other, "evm_mine", {"blocks": 3})

        assert heads(client, 3) == ["0x1", "0x2", "0x3"]

    def test_answer_comes_first(self, open_socket: Connect) -> None:
        """The answer to a call comes before the notifications it causes."""
        client = open_socket()
        call(client, "eth_subscribe", "newHeads")

        assert call(client, "evm_mine") == "0x0"
        assert heads(client, 1) == ["0x1"]

    def test_interval(self, events: list[Event]) -> None:
        """Subscribers are notified of blocks that are mined by interval."""
        with (
            serving(replace(CONFIG, block_time=0.05)) as number,
            connect(f"ws://127.0.0.1:{number}") as client,
        ):
            call(client, "eth_subscribe", "newHeads")

            first, second = heads(client, 2)

        assert int(second, 16) == int(first, 16) + 1

    def test_end(self, open_socket: Connect) -> None:
        """An ended subscription has no notifications; one of another connection cannot be ended."""
        client, other = open_socket(), open_socket()
        name = call(client, "eth_subscribe", "newHeads")

        assert call(other, "eth_unsubscribe", name) is False
        assert call(client, "eth_unsubscribe", name) is True
        call(other, "evm_mine")
        assert call(client, "eth_blockNumber") == "0x1"

    def test_slow_reader(self, port: int, open_socket: Connect) -> None:
        """A client that does not read delays no other; it is dropped when too much waits for it."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(limits, "MAX_UNSENT_NOTIFICATIONS", 100)
            dropped: list[str] = []
            drop = WebSocketConnection.drop
            patch.setattr(
                WebSocketConnection,
                "drop",
                lambda connection, reason: (dropped.append(reason), drop(connection, reason)),
            )
            patch.setattr(limits, "CLOSE_SECONDS", 0.05)
            sock = socket.socket()
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            sock.connect(("127.0.0.1", port))
            slow, other = open_socket(sock=sock, max_queue=1), open_socket()
            for _ in range(20):
                call(slow, "eth_subscribe", "newHeads")

            mined = 0
            while not dropped and mined < 20_000:
                call(other, "evm_mine", {"blocks": 50})
                mined += 50

            assert dropped == ["the connection does not read its notifications"]
            assert call(other, "eth_blockNumber") == hex(mined)
            # The close frame is behind all that it has not read: it arrives in time or not at all.
            assert ending(slow) in {1006, 1008}


class TestAdmission:
    def test_key(self) -> None:
        """A key is required where one is configured."""
        with serving(replace(CONFIG, api_key=("secret",))) as number:
            with connect(f"ws://127.0.0.1:{number}/secret") as client:
                assert call(client, "eth_chainId") == "0x1f"
            with pytest.raises(InvalidStatus) as caught:
                connect(f"ws://127.0.0.1:{number}/wrong")

        assert caught.value.response.status_code == 401


class TestEnd:
    def test_stop(self) -> None:
        """The server sends a close frame when it stops."""
        with ExitStack() as stack:
            with serving() as number:
                client = stack.enter_context(connect(f"ws://127.0.0.1:{number}"))
                call(client, "eth_subscribe", "newHeads")

            assert ending(client) == 1001

    def test_client_closes(self, open_socket: Connect) -> None:
        """A close frame is answered with one."""
        client = open_socket()
        client.close(1000)

        assert client.close_code == 1000

    def test_client_vanishes(self, open_socket: Connect) -> None:
        """The subscriptions of a client that disconnects are removed; others are not affected."""
        client, other = open_socket(), open_socket()
        call(client, "eth_subscribe", "newHeads")
        client.socket.shutdown(socket.SHUT_RDWR)

        assert call(other, "evm_mine") == "0x0"
        # The next filter's id says that one was there; reading it says that it is gone.
        assert call(other, "eth_uninstallFilter", "0x1") is False

    def test_garbage(self, open_socket: Connect) -> None:
        """Frames that break the protocol end the connection with the code for it."""
        client = open_socket()
        client.socket.sendall(b"\xff\xff\xff\xff")

        assert ending(client) == 1002

    def test_a_bug_in_notifications(
        self, open_socket: Connect, caplog: pytest.LogCaptureFixture
    ) -> None:
        """A bug in a connection's notifications ends that connection alone."""
        client, other = open_socket(), open_socket()
        call(client, "eth_subscribe", "newHeads")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("devchain.rpc.subscriptions.head_object", lambda _: 1 / 0)

            assert call(other, "evm_mine") == "0x0"
            assert ending(client) == 1008

        assert "ZeroDivisionError" in caplog.text
