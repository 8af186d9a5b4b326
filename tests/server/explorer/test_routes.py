"""`devchain.server.explorer.routes`"""

from __future__ import annotations

from dataclasses import replace

import pytest
from quart import Quart

from devchain.node import Node
from devchain.server.app import create_app
from devchain.server.explorer import chain_pages
from devchain.types import TransactionRequest
from tests.server.explorer.conftest import CONFIG, Get, Market, visit

KEY = "secret-key"


class TestHeaders:
    def test_policy(self, get: Get) -> None:
        """No script or style but the explorer's files runs; no other page frames or reads it."""
        headers = get(headers={"Origin": "http://localhost:3000"}).headers

        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"
        assert "Access-Control-Allow-Origin" not in headers

    def test_errors_have_them_too(self, get: Get) -> None:
        """A page that does not exist is HTML with the same headers."""
        page = get("/nothing")

        assert page.status == 404
        assert "Content-Security-Policy" in page.headers
        assert page.headers["Content-Type"].startswith("text/html")

    @pytest.mark.parametrize(
        ("accept", "kind"), [("text/html,*/*", "text/plain"), ("*/*", "application/json")]
    )
    def test_refusal(self, get: Get, accept: str, kind: str) -> None:
        """Why a host is refused is words for a browser, and JSON for other clients."""
        page = get(headers={"Host": "<b>evil", "Accept": accept})

        assert page.status == 403
        assert page.headers["Content-Type"].startswith(kind)
        assert "is not allowed; start with --allow-host" in page.text
        assert page.text.startswith("{") is (kind != "text/plain")
        assert page.headers.get("X-Content-Type-Options", "nosniff") == "nosniff"

    def test_bug(self, get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
        """A bug is a page with a number, under which the log has the traceback."""

        def broken(reader: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(chain_pages, "gas_price", broken)
        page = get()

        assert page.status == 500
        assert "internal error, incident" in page.text

    def test_out_of_time(self, get: Get, market: Market, node: Node) -> None:
        """A page has the deadline of a request."""
        app = create_app({"test": node}, CONFIG)
        object.__setattr__(node.config, "request_timeout", 1e-9)

        page = visit(app, f"/explorer/tx/{market.hashes['too much']}")

        assert page.status == 503
        assert "Out of time" in page.text


class TestStatic:
    @pytest.mark.parametrize(
        ("name", "kind"),
        [
            ("explorer.css", "text/css; charset=utf-8"),
            ("explorer.js", "text/javascript; charset=utf-8"),
            ("icon.svg", "image/svg+xml"),
            ("htmx-LICENSE.txt", "text/plain; charset=utf-8"),
        ],
    )
    def test_files(self, get: Get, name: str, kind: str) -> None:
        """Files have their content type, and are kept by browsers."""
        page = get(f"/static/{name}")

        assert (page.status, page.headers["Content-Type"]) == (200, kind)
        assert "immutable" in page.headers["Cache-Control"]

    @pytest.mark.parametrize("name", ["../routes.py", "%2e%2e/routes.py", "nothing.js", ""])
    def test_others(self, get: Get, name: str) -> None:
        """Nothing else is read from the disk."""
        assert get(f"/static/{name}").status == 404


class TestOff:
    @pytest.fixture
    def app(self, node: Node) -> Quart:
        """An application without the explorer."""
        return create_app({"test": node}, replace(CONFIG, explorer=False))

    def test_no_explorer(self, get: Get) -> None:
        """Without it, nothing is served there."""
        page = get("/blocks")

        assert page.status == 404
        assert "jsonrpc" in page.text


class TestKeys:
    @pytest.fixture
    def app(self, node: Node) -> Quart:
        """An application with an API key."""
        return create_app({"test": node}, replace(CONFIG, api_key=(KEY,)))

    def test_required(self, app: Quart) -> None:
        """Without the key there is no page, with it every link has it."""
        refused = visit(app, "/explorer")
        page = visit(app, f"/{KEY}/explorer")

        assert refused.status == 401
        assert KEY not in refused.text
        assert page.status == 200
        assert f'href="/{KEY}/explorer/blocks"' in page.text
        assert 'href="/explorer' not in page.text

    def test_static_and_live_need_it(self, app: Quart) -> None:
        """So do files and the stream."""
        for path in ("static/explorer.js", "live"):
            assert visit(app, f"/explorer/{path}").status == 401


class TestNetworks:
    @pytest.fixture
    def app(self, node: Node) -> Quart:
        """An application that serves main first and test beside it."""
        main = Node(replace(CONFIG, network="main"))
        return create_app({"main": main, "test": node}, CONFIG)

    def test_paths(self, app: Quart, node: Node) -> None:
        """Each network has its explorer, which links to the others."""
        sender = node.accounts.addresses()[0]
        tx_hash = f"0x{node.send(TransactionRequest(sender, sender)).hex()}"

        main, test = visit(app, "/explorer").text, visit(app, "/test/explorer").text

        assert "chain id 30" in main
        assert "chain id 31" in test
        assert 'href="/test/explorer"' in main
        assert f'href="/test/explorer/tx/{tx_hash}"' in test
        assert visit(app, f"/explorer/tx/{tx_hash}").status == 404
        assert visit(app, f"/test/explorer/tx/{tx_hash}").status == 200


class TestHosted:
    @pytest.fixture
    def app(self, node: Node) -> Quart:
        """An application of the hosted service."""
        config = replace(CONFIG, hosted=True, api_key=(KEY,))
        return create_app({"test": Node(config)}, config)

    def test_shows(self, app: Quart) -> None:
        """It shows what its methods show, without a token or a form that changes something."""
        text = visit(app, f"/{KEY}/explorer").text

        assert 'method="post"' not in text
        assert 'name="token"' not in text

    def test_account(self, app: Quart) -> None:
        """An account has no history, for which the chain would be replayed."""
        page = visit(app, f"/{KEY}/explorer/address/0x{'12' * 20}")

        assert page.status == 200
        assert "keeps no history" in page.text

    @pytest.mark.parametrize("path", ["txs", "block/0", "tokens", "contracts", "accounts"])
    def test_lists(self, app: Quart, path: str) -> None:
        """Its lists need no history."""
        page = visit(app, f"/{KEY}/explorer/{path}")

        assert page.status in {200, 403}
        assert 'method="post"' not in page.text

    @pytest.mark.parametrize("path", ["mempool", "control"])
    def test_disabled_methods(self, app: Quart, path: str) -> None:
        """A page whose method is not offered says why."""
        page = visit(app, f"/{KEY}/explorer/{path}")

        assert page.status == 403
        assert "hosted service does not offer" in page.text

    def test_writes_nothing(self, app: Quart) -> None:
        """Forms are refused, with any token."""
        page = visit(app, f"/{KEY}/explorer/do/mine", "POST", {"token": ""})

        assert page.status == 403


class TestForms:
    def test_mine(self, post: Get, node: Node) -> None:
        """A form becomes a JSON-RPC request, and leads back to its page."""
        page = post("/do/mine", blocks="3", back="/explorer/blocks")

        assert (page.status, page.headers["Location"]) == (303, "/explorer/blocks?done=mine")
        assert node.chain.height == 3

    def test_confirmation(self, get: Get) -> None:
        """The page that a form leads to says what was done, in words of its own."""
        assert '<p class="note good" role="status">Mined.</p>' in get("/control?done=mine").text
        assert 'role="status">' not in get("/control?done=<b>all</b>").text.partition("<main")[2]

    @pytest.mark.parametrize("token", ["", "wrong", "\u2028"])
    def test_token(self, post: Get, node: Node, token: str) -> None:
        """Without the token of this process nothing happens."""
        page = post("/do/mine", token=token)

        assert page.status == 403
        assert node.chain.height == 0

    def test_get_changes_nothing(self, get: Get, node: Node) -> None:
        """A link cannot mine."""
        assert get("/do/mine").status == 404
        assert node.chain.height == 0

    @pytest.mark.parametrize(
        "origin", ["http://localhost:3000", "http://evil.example", "null", "https://127.0.0.1:4444"]
    )
    def test_other_origin(self, app: Quart, node: Node, origin: str) -> None:
        """Pages of other origins cannot send a form, even those that may call JSON-RPC."""
        from devchain.server.explorer.routes import TOKEN

        page = visit(app, "/explorer/do/mine", "POST", {"token": TOKEN}, {"Origin": origin})

        assert page.status == 403
        assert node.chain.height == 0

    def test_own_origin(self, app: Quart, node: Node) -> None:
        """Its own pages can."""
        from devchain.server.explorer.routes import TOKEN

        headers = {"Origin": "http://127.0.0.1:4444"}
        page = visit(app, "/explorer/do/mine", "POST", {"token": TOKEN}, headers)

        assert (page.status, node.chain.height) == (303, 1)

    @pytest.mark.parametrize(
        "back", ["http://evil.example", "//evil.example", "/explorer\\@evil", "/explorers", ""]
    )
    def test_leads_back_inside(self, post: Get, back: str) -> None:
        """A form leads to a page of the explorer alone."""
        assert post("/do/mine", back=back).headers["Location"] == "/explorer?done=mine"

    def test_wrong_value(self, post: Get, node: Node) -> None:
        """A wrong value is a page that says what is expected."""
        page = post("/do/mine", blocks="many", back="/explorer/control")

        assert page.status == 400
        assert "blocks must be a whole number" in page.text
        assert '<a href="/explorer/control">Back to the form</a>' in page.text

    def test_refused_call(self, post: Get, node: Node) -> None:
        """What JSON-RPC refuses is shown in its words."""
        page = post("/do/mine", blocks="1000000000")

        assert page.status == 400
        assert "at most 100000 blocks at once" in page.text

    def test_unknown(self, post: Get) -> None:
        """A form that does not exist is not found."""
        assert post("/do/nothing").status == 404
