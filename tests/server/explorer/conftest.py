"""A node with a chain that has something of everything, and requests to its explorer."""

from __future__ import annotations

import asyncio
import atexit
import lzma
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest
from quart import Quart
from werkzeug.datastructures import Headers

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.contracts.abi import Abi
from devchain.node import Node
from devchain.server.app import create_app
from devchain.server.explorer.routes import TOKEN
from devchain.types import TransactionRequest

FOLDER = Path(__file__).parent
CONFIG = Config(network="test", fixed_clock=1_700_000_000, accounts=4)
HOSTILE = (
    "</title><script>alert(1)</script><img src=x onerror=alert(2)>\"'`{{7*7}}{% raw %}"
    "\u202eevil\u2066\u200b\x1b[2J\r\nline"
)
ETHER = 10**18

_runner = asyncio.Runner()  # the turns of an application go on from request to request
atexit.register(_runner.close)


@dataclass(frozen=True)
class Page:
    """A response of the explorer."""

    status: int
    headers: Headers
    text: str


Get = Callable[..., Page]


@dataclass
class Market:
    """A token and a vault, and what was done with them: hashes of transactions by name."""

    node: Node
    token: Any
    vault: Any
    hashes: dict[str, str] = field(default_factory=dict)

    def note(self, name: str, tx_hash: bytes) -> None:
        """Remember a transaction by a name."""
        self.hashes[name] = f"0x{tx_hash.hex()}"


def unlinked(text: str) -> str:
    """A page without its links and without groups of digits, so that texts are in one piece."""
    return re.sub(
        r'</?a\b[^>]*>|<i></i>|<span class="digits">([^<]*(?:<i></i>[^<]*)*)</span>',
        lambda found: (found[1] or "").replace("<i></i>", ""),
        text,
    )


def visit(
    app: Quart,
    path: str,
    method: str = "GET",
    form: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Page:
    """One request to an application, without a socket."""

    async def asking() -> Page:
        client: Any = app.test_client(use_cookies=False)
        given = {"Host": "127.0.0.1:4444", **(headers or {})}
        data = None
        if form is not None:
            data = urlencode(form).encode()
            given["Content-Type"] = "application/x-www-form-urlencoded"
        scope = {"client": ("127.0.0.1", 50_000)}
        response = await client.open(
            path, method=method, data=data, headers=given, scope_base=scope
        )
        text = await response.get_data(as_text=True)
        return Page(response.status_code, response.headers, text)

    return _runner.run(asking())


def artifacts() -> dict[str, Any]:
    """The compiled contracts of `contracts/Market.sol`."""
    found: dict[str, Any] = orjson.loads(lzma.decompress((FOLDER / "market.json.xz").read_bytes()))
    return found


def fill(node: Node) -> Market:
    """Deploy the contracts and use them: calls that pass, that fail, and hostile text."""
    LocalClient(node).call("devchain_addArtifacts", artifacts())
    first, second, third, _ = node.accounts.addresses()
    token = node.deploy("Token", "Dollar on Chain", 1_000_000 * ETHER, sender=first)
    vault = node.deploy("Vault", token, sender=first)
    market = Market(node, token, vault)
    market.note("transfer", node.send(TransactionRequest(first, second, value=3 * ETHER)))
    market.note("tokens", token.transfer(second, 500, sender=first).hash)
    token.approve(vault, 2**200, sender=second)
    market.note("deposit", vault.deposit(100, "first deposit", sender=second).hash)
    market.note("rename", token.rename(HOSTILE, sender=first).hash)
    market.note("long", vault.deposit(1, HOSTILE + "W" * 100_000, sender=second).hash)

    def fail(name: str, contract: Any, function: str, *arguments: object) -> None:
        entry = Abi.from_json(contract.abi).functions_named(function)[0]
        data = entry.selector + entry.encode(arguments)
        request = TransactionRequest(third, contract.address, gas=2_000_000, data=data)
        market.note(name, node.send(request))

    fail("too much", vault, "withdraw", 1)
    fail("no tokens", vault, "deposit", 5, "x")
    fail("custom", token, "transfer", bytes(second), 7)
    return market


@pytest.fixture
def node() -> Iterator[Node]:
    """A node without blocks."""
    with Node(CONFIG) as made:
        yield made


@pytest.fixture
def market(node: Node) -> Market:
    """What was done on that node."""
    return fill(node)


@pytest.fixture
def app(node: Node) -> Quart:
    """An application that serves the node."""
    return create_app({"test": node}, CONFIG)


@pytest.fixture
def get(app: Quart) -> Get:
    """Ask for a page below `/explorer`."""

    def ask(path: str = "", **more: Any) -> Page:
        return visit(app, f"/explorer{path}", **more)

    return ask


@pytest.fixture
def post(app: Quart) -> Get:
    """Send a form of the explorer, with the token unless another is given."""

    def send(path: str, **form: str) -> Page:
        return visit(app, f"/explorer{path}", "POST", {"token": TOKEN, **form})

    return send
