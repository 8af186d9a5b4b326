"""`devchain.server.asgi`"""

from __future__ import annotations

import http.client
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from tests.server.live import serving

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


class TestLazyApp:
    def test_plain_requests(self) -> None:
        """JSON-RPC is answered without Quart and hypercorn; other requests load them."""
        subprocess.run([sys.executable, "-c", PLAIN_FIRST], check=True)

    def test_several_at_once(self) -> None:
        """The first requests that need the application, at the same time, share it."""
        with serving() as port, ThreadPoolExecutor(4) as pool:
            found = list(pool.map(health, [port] * 4))

        assert found == [200] * 4
