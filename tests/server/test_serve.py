"""`devchain.server.serve`"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import socket
import threading
import time

import pytest

from devchain.config import Config
from devchain.errors import AddressInUse, ConfigError
from devchain.node import Node
from devchain.server import limits
from devchain.server.serve import bind, run, url_of
from tests.server.live import CHAIN_ID, CONFIG, HEAD, connected, post, serving


class TestBind:
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
        """The error for a port in use has the port and the remedy."""
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
        """A privileged port is refused with the reason."""

        def refuse(*_: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(socket.socket, "bind", refuse)
        with pytest.raises(ConfigError, match="above 1023"):
            bind("127.0.0.1", 80)


class TestStop:
    @pytest.mark.parametrize(
        "sent", [b"", HEAD.encode(), f"{HEAD}Content-Length: 50\r\n\r\n{{".encode()]
    )
    def test_open_connections(self, sent: bytes, caplog: pytest.LogCaptureFixture) -> None:
        """Idle connections and half-sent requests do not hold up the stop."""
        with serving() as number:
            sock = connected(number)
            sock.sendall(sent)
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
        """Either signal stops the server gracefully; the previous handlers are restored."""
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
        monkeypatch.setattr(limits, "INTERRUPT_SECONDS", 0.2)
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
        monkeypatch.setattr("devchain.server.serve._loop_factory", lambda _: None)
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
