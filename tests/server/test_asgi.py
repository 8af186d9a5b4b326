"""`devchain.server.asgi`"""

from __future__ import annotations

import asyncio
import http.client
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from devchain.config import Config
from devchain.node import Node
from devchain.server import limits
from devchain.server.router import Router
from devchain.server.serve import bind, serve
from tests.server.live import HEAD, serving

CONFIG = Config(network="test", fixed_clock=1_700_000_000, accounts=1)

PLAIN_FIRST = """
import http.client, sys
from devchain import Config, Node
from devchain.server.serve import serve_in_thread

SLOW = {"quart", "hypercorn", "werkzeug"}
with serve_in_thread(Node(Config(accounts=1))) as url:
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
    body = b'{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
    connection.request("POST", "/", body, {"Content-Type": "application/json"})
    assert b'"0x21"' in connection.getresponse().read()
    assert not SLOW & sys.modules.keys(), "loaded for a plain request"
    connection.request("GET", "/health")
    assert connection.getresponse().status == 200
    assert SLOW <= sys.modules.keys()
"""


def health(port: int) -> int:
    """The status of `GET /health`."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("GET", "/health")
        return connection.getresponse().status


async def tasks_after_stop(body: bytes) -> list[asyncio.Task[object]]:
    """What is left of a request under way when the server has stopped."""
    stop = asyncio.Event()
    with Node(CONFIG) as node, bind("127.0.0.1", 0) as sock:
        router = Router.of({"test": node}, CONFIG, None)
        served = asyncio.create_task(serve(router, sock, stop))
        _, writer = await asyncio.open_connection(*sock.getsockname())
        head = f"{HEAD}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        while not node.chain.height:  # noqa: ASYNC110  # the node has no event
            await asyncio.sleep(0)
        stop.set()
        await served
        writer.close()
        return [each for each in asyncio.all_tasks() if each is not asyncio.current_task()]


class TestLazyApp:
    def test_plain_requests(self) -> None:
        """JSON-RPC is answered without Quart and hypercorn; other requests load them."""
        subprocess.run([sys.executable, "-c", PLAIN_FIRST], check=True)

    def test_several_at_once(self) -> None:
        """The first requests that need the application, at the same time, share it."""
        with serving() as port, ThreadPoolExecutor(4) as pool:
            found = list(pool.map(health, [port] * 4))

        assert found == [200] * 4

    def test_stop(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nothing of a request goes on when the server has stopped."""
        monkeypatch.setattr(limits, "GRACE_SECONDS", 0.0)
        call = b'{"id":1,"method":"hardhat_mine","params":["0x186a0"]}'

        assert asyncio.run(tasks_after_stop(b"[%b]" % call)) == []
