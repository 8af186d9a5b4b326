"""`devchain.server.http`, over a real socket"""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from devchain.chain.block import MinedLog
from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.json_codec import PIECE_BYTES
from devchain.rpc.result_objects import LogObject, log_object
from devchain.server import limits
from devchain.server.asgi import LazyApp
from devchain.server.connection import ConnectionRegistry
from devchain.server.http import HttpConnection
from devchain.server.router import Router
from devchain.server.scheduler import Scheduler
from tests.clocks import Stopwatch
from tests.server.live import (
    CHAIN_ID,
    CONFIG,
    EMIT_LOGS,
    GET_LOGS,
    HEAD,
    LOGS,
    connected,
    exchange,
    post,
    serving,
)

UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
DESCRIPTORS = Path("/proc/self/fd")


@pytest.fixture(scope="module", params=["direct"])
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    """The port of a node that is served."""
    with serving(replace(CONFIG, server=request.param)) as number:
        yield number


both_servers = pytest.mark.parametrize("port", ["direct", "hypercorn"], indirect=True)


@both_servers
class TestRequests:
    def test_keep_alive(self, port: int) -> None:
        """One connection carries many requests."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)

        answers = {post(connection, CHAIN_ID) for _ in range(20)}

        assert answers == {(200, b'{"jsonrpc":"2.0","id":1,"result":"0x1f"}')}
        connection.close()

    def test_notification(self, port: int) -> None:
        """The response is 204, without body, content type and length."""
        body = b'{"jsonrpc":"2.0","method":"eth_chainId"}'
        with connected(port) as sock:
            sock.sendall(f"{HEAD}Content-Length: {len(body)}\r\n\r\n".encode() + body)

            received = sock.recv(65_536).lower()

        assert received.startswith(b"http/1.1 204")
        assert b"content-" not in received
        assert received.endswith(b"\r\n\r\n")

    def test_chunked(self, port: int) -> None:
        """A body may come in chunks."""
        chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(CHAIN_ID), CHAIN_ID)

        received = exchange(port, f"{HEAD}Transfer-Encoding: chunked\r\n\r\n".encode() + chunks)

        assert received.endswith(b'"0x1f"}')

    @pytest.mark.parametrize("size", [100_001, 3_000_000])
    def test_too_large(self, port: int, size: int) -> None:
        """A client that sends too large a body can read the error, even after sending all of it."""
        received = exchange(port, f"{HEAD}Content-Length: {size}\r\n\r\n".encode() + b" " * size)

        assert b" 413 " in received
        assert b"larger than 100000 bytes" in received

    def test_too_large_in_chunks(self, port: int) -> None:
        """Without a length the limit holds as well."""
        chunk = b"%x\r\n%s\r\n" % (60_000, b" " * 60_000)

        received = exchange(
            port, f"{HEAD}Transfer-Encoding: chunked\r\n\r\n".encode() + chunk * 2 + b"0\r\n\r\n"
        )

        assert b" 413 " in received

    def test_too_large_announced(self, port: int) -> None:
        """A length over the limit is refused though the body never comes."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(limits, "LINGER_SECONDS", 0.05)

            received = exchange(port, f"{HEAD}Content-Length: 999999999\r\n\r\n".encode())

        assert b" 413 " in received

    def test_slow_body(self, port: int) -> None:
        """A body that does not arrive in time is 408; others are served meanwhile."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(limits, "BODY_SECONDS", 0.3)
            slow = connected(port)
            slow.sendall(f"{HEAD}Content-Length: 50\r\n\r\n{{".encode())
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            assert post(connection, CHAIN_ID)[0] == 200
            connection.close()

            received = slow.recv(65_536)
            slow.close()

        assert b" 408 " in received

    @pytest.mark.parametrize(
        ("line", "hint"),
        [
            (b"Host: localhost\r\nOrigin: http://evil.example", b"--allow-origin"),
            (b"Host: evil.example", b"--allow-host"),
        ],
    )
    def test_websocket(
        self, port: int, line: bytes, hint: bytes, caplog: pytest.LogCaptureFixture
    ) -> None:
        """A WebSocket handshake has the access rules of every request; a refusal logs no error."""
        received = exchange(port, UPGRADE.replace(b"Host: localhost", line))

        assert b" 403 " in received
        assert hint in received
        assert caplog.text == ""

    @pytest.mark.parametrize(
        ("origin", "status"), [("Titanoboa", 200), ("https://dapp.example", 403), ("null", 403)]
    )
    def test_origin(self, port: int, origin: str, status: int) -> None:
        """Pages of other origins may not call; a program may send its name as the origin."""
        head = HEAD.replace("\r\n", f"\r\nOrigin: {origin}\r\n", 1)
        length = f"Connection: close\r\nContent-Length: {len(CHAIN_ID)}\r\n\r\n"

        received = exchange(port, (head + length).encode() + CHAIN_ID)

        assert received.startswith(f"HTTP/1.1 {status} ".encode())
        assert b"access-control-allow-origin" not in received.lower()
        assert (b"--allow-origin " + origin.encode() in received) == (status == 403)

    def test_pipelining(self, port: int) -> None:
        """Requests sent without waiting are answered in order."""
        requests = b"".join(
            f"{HEAD}Content-Length: 62\r\n\r\n".encode()
            + b'{"jsonrpc":"2.0","id":%d,"method":"eth_chainId","params":[]}   ' % number
            for number in range(5)
        )

        with connected(port) as sock:
            sock.sendall(requests + b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            received = b""
            while b"chainId" not in received:
                received += sock.recv(65_536)

        assert [int(each) for each in re.findall(rb'"id":(\d)', received)] == list(range(5))
        assert received.endswith(b"}}}")

    @pytest.mark.parametrize("more", ["", "Connection: close\r\n"], ids=["keep-alive", "close"])
    @pytest.mark.parametrize("body", [CHAIN_ID, CHAIN_ID.replace(b'"id":1,', b"")])
    def test_allowed_origin(self, port: int, body: bytes, more: str) -> None:
        """The response to a notification has CORS headers like any other."""
        head = f"{HEAD}{more}Origin: http://localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        with connected(port) as sock:
            sock.sendall(head.encode() + body)

            received = sock.recv(65_536).lower()

        assert b"\r\nvary: origin\r\n" in received
        assert b"\r\naccess-control-allow-origin: http://localhost\r\n" in received

    def test_large_body(self, port: int) -> None:
        """A body of many pieces is answered like a small one."""
        with serving(replace(CONFIG, max_body=5_000_000)) as number:
            received = exchange(
                number,
                f"{HEAD}Content-Length: 3000000\r\n\r\n".encode() + CHAIN_ID.ljust(3_000_000),
            )

        assert received.endswith(b'"0x1f"}')

    def test_continue(self, port: int) -> None:
        """A client that sends `Expect: 100-continue` gets 100 Continue."""
        head, _, body = PLAIN.partition(b"\r\n\r\n")
        with connected(port) as sock:
            sock.sendall(head + b"\r\nExpect: 100-continue\r\n\r\n")
            leave = sock.recv(65_536)
            sock.sendall(body)

            received = b""
            while not received.endswith(b'"0x1f"}'):
                received += sock.recv(65_536)
        assert leave.startswith(b"HTTP/1.1 100 ")

    @pytest.mark.parametrize(
        ("kind", "body", "words"),
        [
            ("application/json", b"{", b" 200 "),
            ("text/plain", CHAIN_ID, b'"0x1f"}'),
            ("application/x-www-form-urlencoded", CHAIN_ID, b"-H 'content-type: application/json'"),
        ],
    )
    def test_content(self, port: int, kind: str, body: bytes, words: bytes) -> None:
        """A JSON-RPC error is an HTTP success; a body that is no JSON is refused with a hint."""
        head = f"{HEAD}Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"

        assert words in exchange(port, head.encode() + body)


@both_servers
class TestLongAnswers:
    """Logs become JSON while they are sent, in chunks."""

    @pytest.fixture(autouse=True)
    def logs(self, port: int) -> None:
        """A transaction with many logs."""
        exchange(port, f"{HEAD}Content-Length: {len(EMIT_LOGS)}\r\n\r\n".encode() + EMIT_LOGS)

    def test_chunked(self, port: int) -> None:
        """A call and a batch are answered whole, and the connection carries the next request."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)

        status, one = post(connection, GET_LOGS)
        _, batch = post(connection, b"[%b]" % b",".join([CHAIN_ID, GET_LOGS, CHAIN_ID, GET_LOGS]))

        logs = json.loads(one)["result"]
        assert (status, post(connection, CHAIN_ID)[0]) == (200, 200)
        assert len(logs) >= LOGS
        assert [each["result"] for each in json.loads(batch)] == ["0x1f", logs, "0x1f", logs]
        connection.close()

    def test_http_1_0(self, port: int) -> None:
        """Which has no chunks: the answer ends with the connection."""
        head = "POST / HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        with connected(port) as sock:
            sock.sendall(f"{head}Content-Length: {len(GET_LOGS)}\r\n\r\n".encode() + GET_LOGS)
            received = b""
            while data := sock.recv(65_536):
                received += data

        lines, _, body = received.partition(b"\r\n\r\n")
        assert b"chunked" not in lines.lower()
        assert len(json.loads(body)["result"]) >= LOGS


class NeverRead:
    """A transport whose client reads nothing; records how it ends."""

    protocol: HttpConnection

    def __init__(self) -> None:
        self.unsent = 0
        self.ends: list[str] = []

    def write(self, data: bytes) -> None:
        """Keep it: the client does not read."""
        self.unsent += len(data)
        self.protocol.pause_writing()

    def get_write_buffer_size(self) -> int:
        """How much is kept."""
        return self.unsent

    def get_extra_info(self, _: str) -> None:
        """Nothing is known of the client."""

    def is_closing(self) -> bool:
        """Whether it has ended."""
        return bool(self.ends)

    def pause_reading(self) -> None:
        """It sends nothing more."""

    def close(self) -> None:
        """End once all is sent."""
        self.ends.append("close")

    def abort(self) -> None:
        """End at once."""
        self.ends.append("abort")


class TestSlowReader:
    @pytest.mark.parametrize(("read", "ends"), [(0, ["abort"]), (100, [])])
    def test_long_answer(self, monkeypatch: pytest.MonkeyPatch, read: int, ends: list[str]) -> None:
        """What a client does not read is not made; if it reads nothing it is disconnected."""
        made: list[MinedLog] = []

        def make(log: MinedLog) -> LogObject:
            made.append(log)
            return log_object(log)

        monkeypatch.setattr("devchain.rpc.methods.filter.log_object", make)
        clock, transport = Stopwatch(), NeverRead()

        async def run(node: Node) -> None:
            router = Router.of({"test": node}, CONFIG, None)
            router.default.dispatcher.serve_now(EMIT_LOGS)
            registry = ConnectionRegistry(Scheduler(clock))
            connection = HttpConnection(router, LazyApp(router), registry, {})
            transport.protocol = connection
            connection.connection_made(cast(asyncio.Transport, transport))
            length = f"Content-Length: {len(GET_LOGS)}\r\n\r\n"
            connection.data_received(f"{HEAD}{length}".encode() + GET_LOGS)
            for _ in range(2):
                connection._look_at_clock()
                clock.seconds += limits.IDLE_SECONDS + 1
                transport.unsent -= read
            assert connection.held_bytes() < 5 * PIECE_BYTES
            connection.set_timer(None)

        with Node(CONFIG) as node:
            asyncio.run(run(node))

        assert transport.ends == ends
        assert 0 < len(made) < LOGS / 5


class TestHttpConnection:
    def test_status_by_code(self) -> None:
        """Like rskj a request that is wrong gets 400; its connection stays, others get 200."""
        wrong = CHAIN_ID.replace(b"eth_chainId", b"eth_call")
        large = wrong + b" " * 1_000_000  # comes in pieces

        with serving(replace(CONFIG, like="rskj", max_body=2 * len(large))) as port:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            statuses = [
                post(connection, each)[0] for each in (CHAIN_ID, wrong, wrong, large, CHAIN_ID)
            ]
            connection.close()

        assert statuses == [200, 400, 400, 400, 200]

    def test_half_a_websocket(self, port: int) -> None:
        """An upgrade without a key is refused."""
        received = exchange(port, UPGRADE.replace(b"Sec-WebSocket-Key", b"X-Key"))

        assert b" 400 " in received

    def test_pipelining_half_closed(self, port: int) -> None:
        """A client that has closed its sending side gets every answer, then the end."""
        health = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"

        received = conversation(port, PLAIN * 5 + health)

        assert received.count(b'"result":"0x1f"') == 5
        assert received.endswith(b"}}}")

    def test_empty_head(self, port: int, caplog: pytest.LogCaptureFixture) -> None:
        """Empty lines where a request should begin are refused, and no error is logged."""
        assert b" 400 " in exchange(port, b"\r\n\r\n")
        assert caplog.text == ""

    def test_slow_sender(self, port: int) -> None:
        """A request may come byte by byte."""
        request = f"{HEAD}Content-Length: {len(CHAIN_ID)}\r\n\r\n".encode() + CHAIN_ID
        with connected(port) as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for place in range(len(request)):
                sock.sendall(request[place : place + 1])

            received = sock.recv(65_536)

        assert received.endswith(b'"0x1f"}')

    def test_a_bug(self, caplog: pytest.LogCaptureFixture) -> None:
        """A bug is 500 with an incident number here too."""

        def broken(*_: object) -> Iterator[None]:
            raise ZeroDivisionError("boom")
            yield

        with pytest.MonkeyPatch.context() as patch, serving() as number:
            patch.setattr(Dispatcher, "serve", broken)
            connection = http.client.HTTPConnection("127.0.0.1", number, timeout=10)
            status, body = post(connection, CHAIN_ID)
            connection.close()

        assert status == 500
        assert json.loads(body)["error"]["message"].split()[3].rstrip(":") in caplog.text

    @pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="needs Linux's /proc")
    def test_closed_connections(self, port: int) -> None:
        """A connection that its client has closed releases its file descriptor."""
        before = len(list(DESCRIPTORS.iterdir()))

        for _ in range(100):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("POST", "/", CHAIN_ID, {"Content-Type": "application/json"})
            connection.getresponse().read()
            connection.close()

        assert len(list(DESCRIPTORS.iterdir())) - before < 50


def conversation(port: int, *parts: bytes) -> bytes:
    """The bytes that the server sends until it closes the connection, to requests sent in parts."""
    with connected(port) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for part in parts:
            sock.sendall(part)
        sock.shutdown(socket.SHUT_WR)
        received = b""
        while data := sock.recv(65_536):
            received += data
        return received


PLAIN = f"{HEAD}Content-Length: {len(CHAIN_ID)}\r\n\r\n".encode() + CHAIN_ID


class TestHeads:
    def test_escapes(self, port: int) -> None:
        """Escapes in a path are decoded, and a query is no part of it."""
        received = exchange(port, PLAIN.replace(b"POST / ", b"POST /%74est/key?a=1 "))

        assert received.endswith(b'"0x1f"}')

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            (b" / ", b" /\xc3\xa9 "),
            (b"Host: localhost", b"Host localhost"),
            (b"Host: localhost", b"Host : localhost"),
            (b"Host: localhost", b"Host: local\x00host"),
            (b"Host: localhost\r\n", b"Host: localhost\nTransfer-Encoding: chunked\r\n"),
            (b"Host: localhost", b"Host: localhost\rX: y"),
            (b"Content-Length: 47", b"Content-Length: 47\r\nContent-Length: 47"),
            (b"Content-Length: 47", b"Content-Length: 47\r\nTransfer-Encoding: chunked"),
            (b"Host: localhost", b"Host: localhost\r\nHost: localhost"),
            (b"Content-Length: 47", b"Transfer-Encoding: chunked\r\nContent-Length: 47"),
            (b"Content-Length: 47", b"Content-Length: 47, 47"),
            (b"Content-Length: 47", b"Transfer-Encoding: gzip, chunked"),
            (b"Content-Length: 47", b"Transfer-Encoding: chunked, chunked"),
            (b"Content-Length: 47", b"Transfer-Encoding:\r\n chunked"),
            (b"Content-Length: 47", b"X: a\r\n b\r\nContent-Length: 47"),
            (b"/ HTTP/1.1", b"/#fragment HTTP/1.1"),
            (b"/ HTTP/1.1", b"ftp://localhost/ HTTP/1.1"),
            (b"/ HTTP/1.1", b"http:/// HTTP/1.1"),
            (b"POST / ", b"POST * "),
            (b"HTTP/1.1", b"HTTP/0.9"),
            (b"HTTP/1.1", b"HTTP/2.0"),
            (b"Host: localhost\r\n", b""),
            (b"Content-Length: 47", b"Content-Length: x"),
            (b"Content-Length: 47", b"Content-Length: +47"),
            (b"Content-Length: 47", b"Content-Length: " + b"1" * 30),
            (b"1.1\r\nHost: localhost\r\nContent-Length: 47", b"1.0\r\nTransfer-Encoding: chunked"),
        ],
    )
    def test_ambiguous(self, port: int, old: bytes, new: bytes) -> None:
        """Requests that two servers could parse differently are 400, and nothing after is read."""
        assert old in PLAIN

        received = conversation(port, PLAIN.replace(old, new) + PLAIN)

        assert re.findall(rb"HTTP/1.1 (\d+)", received) == [b"400"]
        assert b"\r\nconnection: close\r\n" in received
        assert b"this is not HTTP/1.1: check the request line" in received

    @pytest.mark.parametrize(
        ("target", "status"),
        [
            (b"http://localhost/", b" 200 "),
            (b"HTTP://127.0.0.1:80/test", b" 200 "),
            (b"http://[::1]", b" 200 "),
            (b"http://evil.example/", b" 403 "),
            (b"http://localhost@evil.example/", b" 403 "),
        ],
    )
    @pytest.mark.parametrize("method", [b"POST", b"GET"])
    def test_absolute_target(self, port: int, target: bytes, status: bytes, method: bytes) -> None:
        """The host of an absolute target has the rules of the Host header, for every method."""
        request = PLAIN.replace(b"POST / ", method + b" " + target + b" ")
        if method == b"GET" and status == b" 200 ":
            status = b" 405 "

        assert status in conversation(port, request)[:14]

    @pytest.mark.parametrize("size", [16_000, 17_000, 70_000])
    @pytest.mark.parametrize("method", [b"POST", b"GET"])
    def test_large_head(self, port: int, size: int, method: bytes) -> None:
        """A head over the limit is 431 also when it arrives complete in one read."""
        request = PLAIN.replace(b"POST", method).replace(
            b"Host", b"X: " + b"x" * size + b"\r\nHost"
        )

        received = conversation(port, request)

        assert (b" 431 " in received[:14]) is (size > 16_384)

    def test_answer_is_not_lost(self, port: int) -> None:
        """A client that goes on sending reads the answer: the connection is not reset."""
        request = f"{HEAD}X: ".encode() + b"x" * 20_000_000

        received = conversation(port, request)

        assert b" 431 " in received[:14]
        assert received.endswith(b"}")

    @pytest.mark.parametrize(
        "chunks",
        [
            b"5\n{}\r\n0\r\n\r\n",
            b"2;a\nb\r\n{}\r\n0\r\n\r\n",
            b"2\r\n{}0\r\n\r\n",
            b"+2\r\n{}\r\n0\r\n\r\n",
            b"2 \r\n{}\r\n0\r\n\r\n",
            b"0\r\nX: y\n\r\n",
            b"\r\n{}\r\n0\r\n\r\n",
        ],
    )
    def test_ambiguous_chunks(self, port: int, chunks: bytes) -> None:
        """Chunks that two servers could parse differently are 400, and nothing after is read."""
        head = f"{HEAD}Transfer-Encoding: chunked\r\n\r\n".encode()

        received = conversation(port, head + chunks + PLAIN)

        assert re.findall(rb"HTTP/1.1 (\d+)", received) == [b"400"]

    def test_chunk_extensions_and_trailers(self, port: int) -> None:
        """Both are read over; the next request is answered."""
        head = f"{HEAD}Transfer-Encoding: chunked\r\n\r\n".encode()
        size = b"%X" % len(CHAIN_ID)
        chunked = head + size + b" ;a=b\r\n" + CHAIN_ID + b"\r\n00\r\nX: y\r\n\r\n"

        assert conversation(port, chunked + PLAIN).count(b'"result":"0x1f"') == 2

    def test_large_framing(self, port: int) -> None:
        """Chunk extensions and trailers are limited like a body."""
        head = f"{HEAD}Transfer-Encoding: chunked\r\n\r\n".encode()

        received = exchange(port, head + b"0\r\nX: " + b"x" * 200_000)

        assert b" 431 " in received[:14]

    @pytest.mark.parametrize(
        "line", [b"Expect: 100-continue", b"Upgrade: h2c", b"Connection: close", b"X: y"]
    )
    def test_other_headers(self, port: int, line: bytes) -> None:
        """A request with `Expect`, `Upgrade`, `Connection` or an unknown header is answered."""
        received = conversation(port, PLAIN.replace(b"\r\n\r\n", b"\r\n" + line + b"\r\n\r\n"))

        assert received.endswith(b'"0x1f"}')

    @pytest.mark.parametrize("line", ["BREW /", "CONNECT localhost:80"])
    def test_unknown_method(self, port: int, line: str) -> None:
        """A method that HTTP or the server does not have is 405 and closes the connection."""
        received = conversation(port, f"{line} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())

        assert b" 405 " in received
        assert b"\r\nallow: POST, OPTIONS\r\n" in received

    def test_head(self, port: int) -> None:
        """HEAD has the headers of GET and no body."""
        received = conversation(port, b"HEAD /health HTTP/1.1\r\nHost: localhost\r\n\r\n")

        assert b" 200 " in received
        assert received.endswith(b"\r\n\r\n")

    def test_body_of_a_refused_request(self, port: int) -> None:
        """A refused request closes its connection: its body is never read as a request."""
        refused = PLAIN.replace(b" / ", b" /a/b ").replace(
            b"Length: 47", b"Length: %d" % len(PLAIN)
        )
        head, _, _ = refused.partition(b"\r\n\r\n")
        with connected(port) as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            received = b""
            for part in (PLAIN, head + b"\r\n\r\n", PLAIN, PLAIN):
                sock.sendall(part)
                if part is not PLAIN or not received:
                    received += sock.recv(65_536)
            sock.shutdown(socket.SHUT_WR)
            while data := sock.recv(65_536):
                received += data

        assert received.count(b'"result":"0x1f"') == 1
        assert received.count(b" 404 ") == 1
        assert b"\r\nconnection: close\r\n" in received

    def test_keep_alive_of_http_1_0(self, port: int) -> None:
        """HTTP/1.0 connections close after an answer."""
        received = conversation(port, PLAIN.replace(b"HTTP/1.1", b"HTTP/1.0") + PLAIN)

        assert received.count(b'"result":"0x1f"') == 1
