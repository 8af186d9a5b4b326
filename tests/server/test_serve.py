"""`devchain.server.serve`"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from devchain.config import Config
from devchain.errors import AddressInUse, ConfigError
from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher
from devchain.server import app as server_app
from devchain.server import door
from devchain.server.serve import bind, run, url_of
from tests.server.live import CHAIN_ID, CONFIG, HEAD, connected, exchange, post, serving

UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
DESCRIPTORS = Path("/proc/self/fd")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a node that is served."""
    with serving() as number:
        yield number


class TestBind:
    def test_free_port(self) -> None:
        """Port 0 takes a free one, and the URL names it."""
        with bind("127.0.0.1", 0) as sock:
            port = sock.getsockname()[1]

            assert port > 0
            assert url_of(sock) == f"http://127.0.0.1:{port}"

    @pytest.mark.parametrize("host", ["::1", "[::1]"])
    def test_ipv6(self, host: str) -> None:
        """An IPv6 address may have brackets; in the URL it has."""
        try:
            sock = bind(host, 0)
        except ConfigError:
            pytest.skip("no IPv6 here")
        with sock:
            assert url_of(sock).startswith("http://[::1]:")

    def test_in_use(self) -> None:
        """A port that is taken is named, with the way out."""
        with bind("127.0.0.1", 0) as sock:
            port = sock.getsockname()[1]

            with pytest.raises(AddressInUse) as caught:
                bind("127.0.0.1", port)

        assert str(caught.value) == (
            f"port {port} on 127.0.0.1 is in use by another process;"
            " choose another with --port, or --port 0 for a free one"
        )

    @pytest.mark.parametrize("host", ["203.0.113.7", "no.such.host.invalid"])
    def test_not_here(self, host: str) -> None:
        """An address of another machine cannot be listened on."""
        with pytest.raises(ConfigError, match=f"cannot listen on {host}: .*--host"):
            bind(host, 0)

    def test_not_allowed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A port for administrators only is refused in a sentence."""

        def refuse(*_: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(socket.socket, "bind", refuse)
        with pytest.raises(ConfigError, match="above 1023"):
            bind("127.0.0.1", 80)


class TestServe:
    def test_keep_alive(self, port: int) -> None:
        """One connection carries many requests."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)

        answers = {post(connection, CHAIN_ID) for _ in range(20)}

        assert answers == {(200, b'{"jsonrpc":"2.0","id":1,"result":"0x1f"}')}
        connection.close()

    def test_notification(self, port: int) -> None:
        """A 204 has neither body nor type nor length."""
        body = b'{"jsonrpc":"2.0","method":"eth_chainId"}'
        with connected(port) as sock:
            sock.sendall(f"{HEAD}Content-Length: {len(body)}\r\n\r\n".encode() + body)

            said = sock.recv(65_536).lower()

        assert said.startswith(b"http/1.1 204")
        assert b"content-" not in said
        assert said.endswith(b"\r\n\r\n")

    def test_without_host(self, port: int) -> None:
        """HTTP/1.0 knows no Host."""
        head = f"POST / HTTP/1.0\r\nContent-Length: {len(CHAIN_ID)}\r\n\r\n"

        said = exchange(port, head.encode() + CHAIN_ID)

        assert b" 200 " in said
        assert said.endswith(b'"0x1f"}')

    def test_chunked(self, port: int) -> None:
        """A body may come in chunks."""
        chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(CHAIN_ID), CHAIN_ID)

        said = exchange(port, f"{HEAD}Transfer-Encoding: chunked\r\n\r\n".encode() + chunks)

        assert said.endswith(b'"0x1f"}')

    @pytest.mark.parametrize("size", [100_001, 3_000_000])
    def test_too_large(self, port: int, size: int) -> None:
        """Who sends too much gets to read why, even after sending all of it."""
        said = exchange(port, f"{HEAD}Content-Length: {size}\r\n\r\n".encode() + b" " * size)

        assert b" 413 " in said
        assert b"larger than 100000 bytes" in said

    def test_too_large_in_chunks(self, port: int) -> None:
        """Without a length the limit holds as well."""
        chunk = b"%x\r\n%s\r\n" % (60_000, b" " * 60_000)

        said = exchange(
            port, f"{HEAD}Transfer-Encoding: chunked\r\n\r\n".encode() + chunk * 2 + b"0\r\n\r\n"
        )

        assert b" 413 " in said

    def test_too_large_announced(self, port: int) -> None:
        """A length over the limit is refused though the body never comes."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(server_app, "LINGER_SECONDS", 0.05)

            said = exchange(port, f"{HEAD}Content-Length: 999999999\r\n\r\n".encode())

        assert b" 413 " in said

    def test_slow_body(self, port: int) -> None:
        """Who does not send the body in time is told so; others are served meanwhile."""
        with pytest.MonkeyPatch.context() as patch, connected(port) as slow:
            patch.setattr(server_app, "BODY_SECONDS", 0.3)
            slow.sendall(f"{HEAD}Content-Length: 50\r\n\r\n{{".encode())
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            assert post(connection, CHAIN_ID)[0] == 200
            connection.close()

            said = slow.recv(65_536)

        assert b" 408 " in said

    def test_bad_length(self, port: int) -> None:
        """A request that is not HTTP is 400 and says so."""
        said = exchange(port, b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n")

        assert b" 400 " in said
        assert "not HTTP/1.1" in json.loads(said.partition(b"\r\n\r\n")[2])["error"]["message"]

    def test_large_headers(self, port: int) -> None:
        """Headers beyond all measure are 431 and say so."""
        said = exchange(port, f"{HEAD}X: {'x' * 70_000}\r\n".encode())

        assert b" 431 " in said
        assert "too large" in json.loads(said.partition(b"\r\n\r\n")[2])["error"]["message"]

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
        """A WebSocket is held to the rules of every request, and a refusal is no error."""
        said = exchange(port, UPGRADE.replace(b"Host: localhost", line))

        assert b" 403 " in said
        assert hint in said
        assert caplog.text == ""

    def test_half_a_websocket(self, port: int) -> None:
        """An upgrade without a key is refused."""
        said = exchange(port, UPGRADE.replace(b"Sec-WebSocket-Key", b"X-Key"))

        assert b" 400 " in said

    def test_pipelining(self, port: int) -> None:
        """Requests sent without waiting are answered in order."""
        asked = b"".join(
            f"{HEAD}Content-Length: 62\r\n\r\n".encode()
            + b'{"jsonrpc":"2.0","id":%d,"method":"eth_chainId","params":[]}   ' % number
            for number in range(5)
        )

        with connected(port) as sock:
            sock.sendall(asked + b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            said = b""
            while b"chainId" not in said:
                said += sock.recv(65_536)

        assert [int(each) for each in re.findall(rb'"id":(\d)', said)] == list(range(5))
        assert said.endswith(b"}}}")

    def test_pipelining_half_closed(self, port: int) -> None:
        """Who sends no more still gets every answer, then the end."""
        request = f"{HEAD}Content-Length: {len(CHAIN_ID)}\r\n\r\n".encode() + CHAIN_ID
        with connected(port) as sock:
            sock.sendall(request * 5)
            sock.shutdown(socket.SHUT_WR)
            said = b""
            while received := sock.recv(65_536):
                said += received

        assert said.count(b'"result":"0x1f"') == 5

    def test_half_closed_in_full(self, port: int) -> None:
        """The full server too ends the connection of who sends no more with its answer."""
        with connected(port) as sock:
            sock.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            sock.shutdown(socket.SHUT_WR)
            said = b""
            while received := sock.recv(65_536):
                said += received

        assert said.endswith(b"}}}")

    def test_too_much_waits(self, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
        """Requests beyond what may wait are left unread until there is room; none is lost."""
        monkeypatch.setattr(door, "MOST_WAITING", 1_000)
        request = f"{HEAD}Content-Length: {len(CHAIN_ID)}\r\n\r\n".encode() + CHAIN_ID
        with connected(port) as sock:
            sock.sendall(request * 100 + b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            said = b""
            while b"chainId" not in said:
                said += sock.recv(65_536)

        assert said.count(b'"result":"0x1f"') == 100

    def test_empty_head(self, port: int, caplog: pytest.LogCaptureFixture) -> None:
        """Empty lines where a request should begin are refused, and no error of ours."""
        assert b" 400 " in exchange(port, b"\r\n\r\n")
        assert caplog.text == ""

    def test_no_host(self, port: int) -> None:
        """HTTP/1.1 wants a Host."""
        head = f"POST / HTTP/1.1\r\nContent-Length: {len(CHAIN_ID)}\r\n\r\n"

        assert b" 400 " in exchange(port, head.encode() + CHAIN_ID)

    @pytest.mark.parametrize("more", ["", "Connection: close\r\n"], ids=["plain", "in full"])
    @pytest.mark.parametrize("body", [CHAIN_ID, CHAIN_ID.replace(b'"id":1,', b"")])
    def test_allowed_origin(self, port: int, body: bytes, more: str) -> None:
        """Pages of an allowed origin may read that a notification was taken, as any answer."""
        head = f"{HEAD}{more}Origin: http://localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        with connected(port) as sock:
            sock.sendall(head.encode() + body)

            said = sock.recv(65_536).lower()

        assert b"\r\nvary: origin\r\n" in said
        assert b"\r\naccess-control-allow-origin: http://localhost\r\n" in said

    def test_slow_sender(self, port: int) -> None:
        """A request may come byte by byte."""
        request = f"{HEAD}Content-Length: {len(CHAIN_ID)}\r\n\r\n".encode() + CHAIN_ID
        with connected(port) as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for place in range(len(request)):
                sock.sendall(request[place : place + 1])

            said = sock.recv(65_536)

        assert said.endswith(b'"0x1f"}')

    def test_large_body(self, port: int) -> None:
        """A body of many pieces is answered like a small one."""
        with serving(replace(CONFIG, max_body=5_000_000)) as number:
            said = exchange(
                number,
                f"{HEAD}Content-Length: 3000000\r\n\r\n".encode() + CHAIN_ID.ljust(3_000_000),
            )

        assert said.endswith(b'"0x1f"}')

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
        """A connection that its client has closed holds no file descriptor any longer."""
        before = len(list(DESCRIPTORS.iterdir()))

        for _ in range(100):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("POST", "/", CHAIN_ID, {"Content-Type": "application/json"})
            connection.getresponse().read()
            connection.close()

        assert len(list(DESCRIPTORS.iterdir())) - before < 50

    def test_gone_client(self, port: int) -> None:
        """A client that leaves in the middle of a request disturbs nobody."""
        with connected(port) as sock:
            sock.sendall(f"{HEAD}Content-Length: 50\r\n\r\n{{".encode())
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)

        assert post(connection, CHAIN_ID)[0] == 200
        connection.close()


class TestStop:
    @pytest.mark.parametrize(
        "said", [b"", HEAD.encode(), f"{HEAD}Content-Length: 50\r\n\r\n{{".encode()]
    )
    def test_open_connections(self, said: bytes, caplog: pytest.LogCaptureFixture) -> None:
        """Idle connections and half-sent requests do not hold up the stop."""
        with serving() as number:
            sock = connected(number)
            sock.sendall(said)
            keep_alive = http.client.HTTPConnection("127.0.0.1", number, timeout=10)
            post(keep_alive, CHAIN_ID)
            started = time.monotonic()
        took = time.monotonic() - started

        assert took < 1.9
        assert caplog.text == ""
        assert b"200" not in b"".join(iter(lambda: sock.recv(65_536), b""))
        sock.close()
        keep_alive.close()


class TestRun:
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_signals(self, number: signal.Signals) -> None:
        """Either signal ends it in order, and the handlers before are back."""
        before = signal.getsignal(number)
        heard: list[str] = []

        def ready(url: str) -> None:
            heard.append(url)
            asyncio.get_running_loop().call_later(0.2, os.kill, os.getpid(), number)

        with Node(CONFIG) as node:
            run({"test": node}, Config(network="test", port=0), ready)

        assert heard[0].startswith("http://127.0.0.1:")
        assert signal.getsignal(number) is before

    def test_a_call_that_does_not_end(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A call that keeps the loop busy is interrupted after a while."""
        monkeypatch.setattr("devchain.server.serve.PATIENCE_SECONDS", 0.2)
        ticks: list[float] = []

        def endless(_: Node) -> None:
            ticks.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)
            while time.monotonic() < ticks[0] + 5:
                pass

        with Node(CONFIG) as node:
            monkeypatch.setattr(node, "tick", lambda: endless(node))
            run({"test": node}, Config(network="test", port=0), lambda _: None)

        assert time.monotonic() < ticks[0] + 4

    def test_without_uvloop(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The standard event loop serves too."""
        monkeypatch.setattr("devchain.server.serve._loop_factory", lambda: None)
        answers: list[object] = []

        def call(url: str) -> None:
            connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
            answers.append(json.loads(post(connection, CHAIN_ID)[1])["result"])
            connection.close()
            os.kill(os.getpid(), signal.SIGTERM)

        with Node(CONFIG) as node:
            run(
                {"test": node},
                Config(network="test", port=0),
                lambda url: threading.Thread(target=call, args=(url,)).start(),
            )

        assert answers == ["0x1f"]
