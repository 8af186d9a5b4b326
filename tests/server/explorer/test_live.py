"""`devchain.server.explorer.live`"""

from __future__ import annotations

import asyncio
import http.client
import json
from time import monotonic
from typing import Any

import pytest

from devchain.errors import LimitExceeded
from devchain.node import Node
from devchain.server.explorer import live
from devchain.server.explorer.routes import TOKEN
from devchain.server.router import Router
from tests.server.live import post, serving


def data_of(event: bytes | None) -> dict[str, Any]:
    """The data of an event."""
    assert event
    found: dict[str, Any] = json.loads(event.partition(b"data: ")[2])
    return found


class TestLivePage:
    def test_nothing_new(self, node: Node) -> None:
        """Without a change there is no event."""
        assert live.LivePage(node).event() is None

    def test_new_block(self, node: Node) -> None:
        """An event has the new height, and comes once."""
        page = live.LivePage(node)
        node.mine(2)

        assert data_of(page.event()) == {
            "height": 2,
            "head": f"0x{node.chain.head.hash.hex()}",
            "pending": 0,
            "removed": [],
        }
        assert page.event() is None

    def test_removed(self, node: Node) -> None:
        """Blocks that were taken back are named, even where others took their place."""
        node.mine(2)
        snapshot = node.snapshots.take()
        node.mine(2)
        hashes = [f"0x{node.chain.block(number).hash.hex()}" for number in (3, 4)]
        page = live.LivePage(node)
        node.revert(snapshot)
        node.clock.advance(50)
        node.mine(1)

        assert data_of(page.event())["removed"] == hashes
        node.reset()
        assert len(data_of(page.event())["removed"]) == 3


class TestStream:
    def test_events(self, node: Node) -> None:
        """A stream sends an event when a call has changed the chain, and ends with its page."""
        service = Router.of({"test": node}, node.config, None).default

        async def read() -> list[bytes]:
            events = live.stream(service)
            first = await anext(events)
            waiting = asyncio.ensure_future(anext(events))
            await asyncio.sleep(0)
            node.mine()
            service.notify()
            second = await waiting
            await events.aclose()  # type: ignore[attr-defined]
            return [first, second]

        first, second = asyncio.run(read())

        assert first == b"retry: 2000\n\n"
        assert second.startswith(b'event: chain\ndata: {"height":1,')
        assert service.subscribers == []

    def test_limit(self, node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
        """No more live pages are served than the limit."""
        monkeypatch.setattr(live, "MAX_STREAMS", 0)

        with pytest.raises(LimitExceeded, match="0 live pages are open"):
            live.check_streams()

    def test_closed_page(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A page that was closed is forgotten soon, though nothing happens on the chain."""
        monkeypatch.setattr(live, "KEEP_ALIVE_SECONDS", 0.05)
        with serving() as port:
            page = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            page.request("GET", "/explorer/live")
            response = page.getresponse()
            response.readline()
            was_open = len(live._open)
            response.close()
            page.close()
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            ends = monotonic() + 60
            while live._open and monotonic() < ends:
                post(client, b'{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}')
            client.close()

            assert (was_open, len(live._open)) == (1, 0)

    def test_form_over_http(self) -> None:
        """A form reaches the explorer, though it is no JSON; elsewhere it is refused."""
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        statuses = []
        with serving() as port:
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            for path in ("/explorer/do/mine", "/test/explorer/do/mine", "/key", "/a/b/c/d"):
                client.request("POST", path, f"token={TOKEN}", kind)
                response = client.getresponse()
                response.read()
                statuses.append(response.status)
            client.close()

        assert statuses == [303, 303, 415, 404]

    def test_over_http(self) -> None:
        """A page that listens gets an event of a block that another connection mined."""
        with serving() as port:
            page = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            page.request("GET", "/explorer/live")
            response = page.getresponse()
            started = response.readline()
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            post(client, b'{"jsonrpc":"2.0","id":1,"method":"evm_mine"}')
            lines = [response.readline() for _ in range(3)]
            page.close()
            client.close()

        assert response.headers["Content-Type"] == "text/event-stream"
        assert started == b"retry: 2000\n"
        assert lines[1] == b"event: chain\n"
        assert b'"height":1' in lines[2]
