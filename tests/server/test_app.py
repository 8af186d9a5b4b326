"""`devchain.server.app`"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from quart import Quart
from werkzeug.datastructures import Headers

from devchain.config import Config
from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher
from devchain.server.app import create_app
from devchain.server.events import BlockMined, Event, Observer, RequestRefused, RequestServed

CHAIN_ID = {"jsonrpc": "2.0", "id": 1, "method": "eth_chainId", "params": []}
BASE = Config(network="test", fixed_clock=1_700_000_000, accounts=1)


@dataclass(frozen=True)
class Answer:
    """A response."""

    status: int
    headers: Headers
    body: bytes

    @property
    def error(self) -> dict[str, Any]:
        """The JSON-RPC error in it."""
        found: dict[str, Any] = json.loads(self.body)["error"]
        return found


@pytest.fixture
def node() -> Iterator[Node]:
    """A node on the test network."""
    with Node(BASE) as made:
        yield made


@pytest.fixture
def app(node: Node) -> Quart:
    """An application that serves that node alone, without keys."""
    return create_app({"test": node}, BASE)


def ask(
    app: Quart,
    path: str = "/",
    *,
    body: object = CHAIN_ID,
    method: str = "POST",
    headers: dict[str, str] | None = None,
    peer: str = "127.0.0.1",
) -> Answer:
    """One request to the application, without a socket, as if from that address."""

    async def asking() -> Answer:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        all_headers = {"Content-Type": "application/json", **(headers or {})}
        client: Any = app.test_client()
        scope = {"client": (peer, 50_000)}
        response = await client.open(
            path, method=method, data=raw, headers=all_headers, scope_base=scope
        )
        content = await response.get_data(as_text=False)
        return Answer(response.status_code, response.headers, content)

    return asyncio.run(asking())


class TestSeveralNetworks:
    @pytest.fixture
    def app(self, node: Node) -> Iterator[Quart]:
        """An application that serves main first and test beside it."""
        with Node(replace(BASE, network="main")) as main:
            yield create_app({"main": main, "test": node}, BASE)

    @pytest.mark.parametrize(
        ("path", "chain_id"),
        [
            ("/", "0x1e"),
            ("/key", "0x1e"),
            ("/main", "0x1e"),
            ("/test", "0x1f"),
            ("/test/k", "0x1f"),
        ],
    )
    def test_paths(self, app: Quart, path: str, chain_id: str) -> None:
        """The first network is the default, each has its name as path."""
        answer = ask(app, path)

        assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
        assert json.loads(answer.body) == {"jsonrpc": "2.0", "id": 1, "result": chain_id}

    def test_health(self, app: Quart) -> None:
        """Health has every network."""
        answer = ask(app, "/health", method="GET", body=b"")

        assert json.loads(answer.body) == {
            "status": "ok",
            "networks": {
                "main": {"chainId": "0x1e", "blockNumber": "0x0"},
                "test": {"chainId": "0x1f", "blockNumber": "0x0"},
            },
        }


class TestKeys:
    @pytest.fixture
    def app(self, node: Node) -> Quart:
        """An application with two keys."""
        return create_app({"test": node}, replace(BASE, api_key=("first", "second")))

    @pytest.mark.parametrize("path", ["/first", "/second", "/test/first"])
    def test_known(self, app: Quart, path: str) -> None:
        """A configured key is accepted."""
        assert ask(app, path).status == 200

    @pytest.mark.parametrize("path", ["/", "/third", "/test", "/test/third", "/FIRST"])
    def test_unknown(self, app: Quart, path: str) -> None:
        """Anything else is 401 with a JSON-RPC error."""
        answer = ask(app, path)

        assert answer.status == 401
        assert "API key" in answer.error["message"]


class TestBans:
    CLIENT = "203.0.113.7"

    def test_banned(self, node: Node, app: Quart) -> None:
        """A banned address gets 403 with a JSON-RPC error, others and loopback are answered."""
        before = ask(app, peer=self.CLIENT)
        node.peers.ban("203.0.113.0/24")
        answer = ask(app, peer=self.CLIENT)

        assert (before.status, answer.status) == (200, 403)
        assert answer.error["code"] == -32600
        assert answer.error["message"].startswith("address 203.0.113.7 is banned")
        assert ask(app, peer="198.51.100.1").status == ask(app).status == 200

    def test_forwarded(self, node: Node, app: Quart) -> None:
        """No header replaces the address of the socket."""
        node.peers.ban(self.CLIENT)
        headers = {"X-Forwarded-For": "127.0.0.1", "Forwarded": "for=127.0.0.1"}

        assert ask(app, peer=self.CLIENT, headers=headers).status == 403

    def test_bad_requests(self, node: Node) -> None:
        """Bad requests count for the address they come from, wrong keys too."""
        app = create_app({"test": node}, replace(BASE, api_key=("first",)))
        ask(app, "/first", peer=self.CLIENT)
        ask(app, "/wrong", peer=self.CLIENT)
        ask(app, "/first", body=b"{", peer=self.CLIENT)

        assert node.peers.bad_requests == {self.CLIENT: 2}


class TestRefusals:
    @pytest.mark.parametrize("path", ["/a/b", "/test/a/b", "/main/key"])
    @pytest.mark.parametrize("method", ["POST", "GET"])
    def test_path(self, app: Quart, path: str, method: str) -> None:
        """An unknown path is 404; the message has the valid ones."""
        answer = ask(app, path, method=method)

        assert answer.status == 404
        assert "POST to /" in answer.error["message"]

    @pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"])
    def test_verb(self, app: Quart, method: str) -> None:
        """Other methods are 405; the message has the right one."""
        answer = ask(app, method=method)

        assert answer.status == 405
        assert answer.headers["Allow"] == "POST, OPTIONS"
        assert "POST" in answer.error["message"]

    @pytest.mark.parametrize(
        ("path", "where"),
        [
            ("/", "/explorer"),
            ("/test", "/test/explorer"),
            ("/any-key/", "/any-key/explorer"),
            ("//evil.example", "/evil.example/explorer"),
        ],
    )
    def test_browser(self, app: Quart, path: str, where: str) -> None:
        """A browser that opens the address of the node is sent to the explorer."""
        answer = ask(app, path, method="GET", body=b"", headers={"Accept": "text/html,*/*"})

        assert (answer.status, answer.headers["Location"]) == (303, where)

    def test_browser_without_explorer(self) -> None:
        """Without an explorer there is nowhere to go: the refusal names none."""
        with Node(Config(explorer=False)) as node:
            answer = ask(
                create_app({"test": node}, node.config),
                method="GET",
                body=b"",
                headers={"Accept": "text/html"},
            )

        assert answer.status == 405
        assert answer.error["message"] == "'GET' is not answered here; send POST"

    @pytest.mark.parametrize(
        ("method", "path", "end"),
        [
            ("GET", "/", "; send POST, or open /explorer in a browser"),
            ("GET", "/any-key", "; send POST, or open /explorer below this path in a browser"),
            ("PUT", "/", "; send POST"),
        ],
    )
    def test_other_client(self, app: Quart, method: str, path: str, end: str) -> None:
        """A client that is no browser, such as curl, is referred to the explorer in words."""
        answer = ask(app, path, method=method, body=b"", headers={"Accept": "*/*"})

        assert answer.status == 405
        assert answer.error["message"] == f"'{method}' is not answered here{end}"

    def test_verb_of_health(self, app: Quart) -> None:
        """`/health` accepts only GET and HEAD."""
        answer = ask(app, "/health")

        assert answer.status == 405
        assert answer.headers["Allow"] == "GET, HEAD"

    def test_host_comes_first(self, app: Quart) -> None:
        """The Host is checked first, for health too."""
        assert ask(app, "/health", method="GET", headers={"Host": "evil.example"}).status == 403

    @pytest.mark.parametrize("host", ["localhost..", ".localhost", "a" * 5_000, "a" * 64])
    def test_no_host(self, app: Quart, host: str) -> None:
        """A name that DNS cannot have is refused like any other, which the host's check says."""
        answer = ask(app, "/health", method="GET", headers={"Host": host})

        assert answer.status == 403
        assert b"is not allowed; start with --allow-host NAME" in answer.body

    def test_bug(
        self, app: Quart, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A bug is 500 with an incident number; the traceback is in the log alone."""

        def broken(*_: object) -> None:
            raise ZeroDivisionError("boom")

        monkeypatch.setattr(Dispatcher, "serve", broken)
        with caplog.at_level(logging.ERROR, "devchain.server"):
            answer = ask(app)

        assert answer.status == 500
        assert answer.error["code"] == -32603
        assert "boom" not in answer.error["message"]
        assert "ZeroDivisionError: boom" in caplog.text
        assert caplog.records[0].getMessage().split()[1] in answer.error["message"]


class TestBrowsers:
    def test_refusal(self, app: Quart) -> None:
        """A page of this machine may read why it was refused."""
        answer = ask(app, "/a/b", headers={"Origin": "http://localhost:3000"})

        assert answer.status == 404
        assert answer.headers["Access-Control-Allow-Origin"] == "http://localhost:3000"

    def test_preflight(self, node: Node) -> None:
        """A preflight of a listed origin has the allowed method and headers; it needs no key."""
        config = replace(BASE, allow_origin=("https://dapp.example",), api_key=("secret",))
        app = create_app({"test": node}, config)
        headers = {
            "Origin": "https://dapp.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type",
            "Access-Control-Request-Private-Network": "true",
        }

        answer = ask(app, "/secret", method="OPTIONS", body=b"", headers=headers)

        assert (answer.status, answer.body) == (204, b"")
        assert answer.headers["Access-Control-Allow-Origin"] == "https://dapp.example"
        assert answer.headers["Access-Control-Allow-Methods"] == "POST"
        assert answer.headers["Access-Control-Allow-Headers"] == "Content-Type"
        assert answer.headers["Access-Control-Allow-Private-Network"] == "true"
        assert "Access-Control-Allow-Credentials" not in answer.headers


class TestObserver:
    def test_calls_and_refusals(self, node: Node) -> None:
        """Calls and refusals are reported as they happen, without keys."""
        events: list[Event] = []
        app = create_app({"test": node}, replace(BASE, api_key=("topsecret",)), events.append)

        ask(app, "/topsecret")
        ask(app, "/wrongsecret")

        served, refused = events
        assert isinstance(served, RequestServed)
        assert (served.network, served.method, served.code) == ("test", "eth_chainId", None)
        assert isinstance(refused, RequestRefused)
        assert refused.status == 401
        assert "secret" not in repr(events)


class TestIntervalMining:
    @staticmethod
    def serve_until(seen: asyncio.Event, observe: Observer | None = None) -> None:
        """Serve a node that mines by interval until an event."""

        async def serving(app: Quart) -> None:
            async with app.test_app(), asyncio.timeout(10):
                await seen.wait()

        with Node(replace(BASE, block_time=0.05)) as node:
            asyncio.run(serving(create_app({"test": node}, BASE, observe)))

    def test_blocks_appear(self) -> None:
        """A node with a block time mines while it is served, and the block is reported."""
        events: list[Event] = []
        seen = asyncio.Event()

        def observe(event: Event) -> None:
            events.append(event)
            seen.set()

        self.serve_until(seen, observe)

        assert isinstance(events[0], BlockMined)
        assert events[0].block.number == 1

    def test_a_bug_is_logged(
        self, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A failing block does not end the server."""
        seen = asyncio.Event()

        def broken(*_: object) -> None:
            seen.set()
            raise ZeroDivisionError("boom")

        monkeypatch.setattr(Node, "tick", broken)
        self.serve_until(seen)

        assert "interval mining on test failed" in caplog.text
