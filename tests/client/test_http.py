"""`devchain.client.http`"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from devchain.client import http
from devchain.client.http import LocalClient, connect
from devchain.errors import ConfigError, ConnectionFailed, InvalidInput, RpcFailure
from tests.accounts import ALICE_HEX


class Answering(BaseHTTPRequestHandler):
    """Answers every POST with the server's next reply; keeps requests and client ports."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer with the next reply, (status, body); the last one is repeated."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.client_address[1], self.path, body))  # type: ignore[attr-defined]  # ours
        replies: list[tuple[int, bytes]] = self.server.replies  # type: ignore[attr-defined]  # ours
        status, content = replies.pop(0) if len(replies) > 1 else replies[0]
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        if status >= 500:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def serving(*replies: tuple[int, bytes]) -> Iterator[ThreadingHTTPServer]:
    """A server on a free port that gives these replies."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        server.seen, server.replies = [], list(replies)  # type: ignore[attr-defined]  # ours
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def url_of(server: ThreadingHTTPServer, path: str = "") -> str:
    """The URL of a test's server."""
    return f"http://127.0.0.1:{server.server_port}{path}"


def reply(result: object) -> tuple[int, bytes]:
    """HTTP 200 with a JSON-RPC result."""
    return 200, json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode()


def failure(status: int, code: int, message: str, data: object = None) -> tuple[int, bytes]:
    """An HTTP status with a JSON-RPC error."""
    error = {"code": code, "message": message, "data": data}
    return status, json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()


def seen(server: ThreadingHTTPServer) -> list[Any]:
    """Client port, path and body of every request."""
    return server.seen  # type: ignore[attr-defined,no-any-return]  # ours


class TestHttpClient:
    def test_result(self) -> None:
        """A call posts one JSON-RPC request to the URL's path and returns the result."""
        with serving(reply("0x1f")) as server:
            client = connect(url_of(server, "/KEY"))
            result = client.call("eth_getBalance", ALICE_HEX, "latest")
            client.close()

            assert result == "0x1f"
            [(_, path, body)] = seen(server)
            assert path == "/KEY"
            assert body == {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "eth_getBalance",
                "params": [ALICE_HEX, "latest"],
            }

    def test_keep_alive(self) -> None:
        """Calls after each other share one connection."""
        with serving(reply(1)) as server:
            client = connect(url_of(server))
            client.call("a")
            client.call("b")
            client.close()

            assert len({port for port, _, _ in seen(server)}) == 1

    def test_connection_the_node_closed(self) -> None:
        """A kept connection that the node has closed is replaced before the next call."""
        with serving(failure(503, -32000, "later"), reply(2)) as server:
            client = connect(url_of(server))
            with pytest.raises(RpcFailure):
                client.call("a")

            assert client.call("b") == 2
            client.close()

    def test_error(self) -> None:
        """A JSON-RPC error is raised with its code, message and data."""
        with serving(failure(200, -32015, "reverted", "0x08")) as server:
            client = connect(url_of(server))
            with pytest.raises(RpcFailure, match="reverted") as caught:
                client.call("eth_call")
            client.close()

        assert (caught.value.code, caught.value.data) == (-32015, "0x08")

    @pytest.mark.parametrize("status", [401, 403, 404, 413])
    def test_error_below_json_rpc(self, status: int) -> None:
        """The JSON-RPC error in the body of an HTTP error counts."""
        with serving(failure(status, -32000, "wrong API key")) as server:
            client = connect(url_of(server))
            with pytest.raises(RpcFailure, match="wrong API key"):
                client.call("eth_chainId")
            client.close()

    @pytest.mark.parametrize(
        "body",
        [b"<html>", b"[]", b"7", b'{"hello": 1}', b"[" * 100_000],
        ids=["html", "array", "number", "other json", "deep"],
    )
    def test_no_json_rpc(self, body: bytes) -> None:
        """An answer that is not JSON-RPC is a failed connection."""
        with serving((200, body)) as server:
            client = connect(url_of(server))
            with pytest.raises(ConnectionFailed, match="JSON"):
                client.call("eth_chainId")
            client.close()

    def test_deep(self) -> None:
        """The trace of 500 calls that are in one another nests deeper than other replies."""
        depth = 500
        body = b'{"id":1,"result":' + b'{"calls":[' * depth + b"1" + b"]}" * depth + b"}"
        with serving((200, body)) as server:
            client = connect(url_of(server))
            result = client.call("debug_traceTransaction")
            client.close()

        for _ in range(depth):
            (result,) = result["calls"]
        assert result == 1

    @pytest.mark.parametrize(
        "error", ["no way", {"code": "?", "data": 1}], ids=["text", "bad code"]
    )
    def test_malformed_error(self, error: object) -> None:
        """An error of another shape is still an `RpcFailure`."""
        with serving((200, json.dumps({"error": error}).encode())) as server:
            client = connect(url_of(server))
            with pytest.raises(RpcFailure) as caught:
                client.call("eth_chainId")
            client.close()

        assert caught.value.code == -32603

    def test_no_node(self) -> None:
        """Where nothing listens the message says how to start a node; the path stays secret."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]

            with pytest.raises(ConnectionFailed) as caught:
                connect(f"http://127.0.0.1:{port}/SECRET").call("eth_chainId")

        assert str(caught.value) == (
            f"no node answers at http://127.0.0.1:{port}: "
            "start one with `devchain start`, or give the URL of another: connect(url)"
        )

    @pytest.mark.parametrize("timeout", ["60", 0, -1, True, None])
    def test_wrong_timeout(self, timeout: Any) -> None:
        """A timeout is a number of seconds."""
        with pytest.raises(ConfigError, match="is no number of seconds above 0"):
            connect("http://127.0.0.1:1", timeout=timeout)

    def test_too_large(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """An answer without end is not read to its end."""
        monkeypatch.setattr(http, "MAX_BYTES", 1_000)
        with serving(reply("x" * 2_000)) as server:
            client = connect(url_of(server))
            with pytest.raises(ConnectionFailed, match="answers more than 1,000 bytes"):
                client.call("eth_chainId")
            client.close()

    def test_slow(self) -> None:
        """A node that sends one line after the other, for ever, gives no answer in time."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            client = connect(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=0.2)

            def drip() -> None:
                connection, _ = listener.accept()
                with connection, suppress(OSError):
                    connection.sendall(b"HTTP/1.1 200 OK\r\n")
                    while not is_over.wait(0.01):
                        connection.sendall(b"X: y\r\n")

            is_over = threading.Event()
            thread = threading.Thread(target=drip)
            thread.start()
            with pytest.raises(ConnectionFailed, match=r"no answer within 0\.2 s"):
                client.call("eth_chainId")
            is_over.set()
            thread.join()

    def test_timeout(self) -> None:
        """A node that does not answer in time is a failed connection."""
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]

            with pytest.raises(ConnectionFailed, match=r"no answer within 0\.05 s"):
                connect(f"http://127.0.0.1:{port}", timeout=0.05).call("eth_chainId")

    def test_unknown_host(self) -> None:
        """A host that does not exist is named with the reason."""
        with pytest.raises(ConnectionFailed, match="cannot be reached"):
            connect("http://node.invalid").call("eth_chainId")

    @pytest.mark.parametrize(
        "url", ["", "ftp://node", "http://", "http://a:port", "http://[", "http://bücher"]
    )
    def test_no_url(self, url: str) -> None:
        """What cannot be a node's URL is refused before anything is sent."""
        with pytest.raises(ConfigError, match="not the URL of a node"):
            connect(url)

    @pytest.mark.parametrize(
        ("url", "address"),
        [
            ("localhost:4444", "http://localhost:4444"),
            ("https://node.example/key?x=1", "https://node.example:443"),
            ("http://[::1]:4444", "http://[::1]:4444"),
        ],
    )
    def test_address(self, url: str, address: str) -> None:
        """`http://` may be left out; the address is without the path."""
        assert connect(url).address == address


class TestBatch:
    def test_any_order(self) -> None:
        """Results come in the order of the calls, whatever order the node answers in."""
        answers = [{"id": 2, "result": "b"}, {"id": 1, "result": "a"}]
        with serving((200, json.dumps(answers).encode())) as server:
            client = connect(url_of(server))

            assert client.batch([("x",), ("y", 1)]) == ["a", "b"]
            client.close()

    @pytest.mark.parametrize("calls", ["eth_chainId", ["eth_chainId"], [()], [(5,)], [{}]], ids=str)
    def test_no_calls(self, calls: Any) -> None:
        """A call of a batch is a tuple: a text alone is not read letter by letter."""
        with pytest.raises(InvalidInput, match="is no call: write the method and its parameters"):
            connect("http://127.0.0.1:1").batch(calls)

    def test_failures(self) -> None:
        """A failed or unanswered call gives its `RpcFailure`, the others their results."""
        answers = [{"id": 1, "error": {"code": -32601, "message": "no"}}, {"id": 3, "result": 3}]
        with serving((200, json.dumps(answers).encode())) as server:
            client = connect(url_of(server))
            first, second, third = client.batch([("x",), ("y",), ("z",)])
            client.close()

        assert isinstance(first, RpcFailure)
        assert first.code == -32601
        assert isinstance(second, RpcFailure)
        assert third == 3

    def test_refused(self) -> None:
        """To a node that refuses batches the calls go one by one."""
        no_batch, no_method = failure(200, -32600, "no batches"), failure(200, -32601, "no")
        with serving(no_batch, reply("a"), no_method) as server:
            client = connect(url_of(server))
            first, second = client.batch([("x", 1), ("y",)])
            client.close()

            assert first == "a"
            assert isinstance(second, RpcFailure)
            assert seen(server)[1][2]["params"] == [1]

    def test_many(self, client: LocalClient) -> None:
        """More calls than fit into one batch are split."""
        assert client.batch([("eth_chainId",)] * 250) == ["0x1f"] * 250

    def test_none(self, client: LocalClient) -> None:
        """No calls give no results, without a request."""
        assert client.batch([]) == []


class TestLocalClient:
    def test_error(self, client: LocalClient) -> None:
        """An error of the node is an `RpcFailure`."""
        with pytest.raises(RpcFailure) as caught:
            client.call("eth_nothing")

        assert caught.value.code == -32601
