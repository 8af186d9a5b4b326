"""bitcoind's JSON-RPC over HTTP, on a port of its own: `/` and `/wallet/NAME`, basic access."""

from __future__ import annotations

from hmac import compare_digest
from http import HTTPStatus

from quart import Quart, Response, request
from werkzeug.exceptions import HTTPException

from devchain.bitcoin import json_rpc, rpc_chain, rpc_wallet
from devchain.chain.slices import SLOW, Slices
from devchain.errors import DevchainError
from devchain.server.access_control import JSON, Refused, incident, peer_of
from devchain.server.router import NetworkService, Router, read_body
from devchain.server.scheduler import answer_in_slices

TEXT = "text/plain; charset=utf-8"
MODULES = (rpc_chain, rpc_wallet)  # whose methods are registered
UNAUTHORIZED = {"WWW-Authenticate": 'Basic realm="jsonrpc"'}


def bitcoin_app(router: Router) -> Quart:
    """An application that serves the Bitcoin node of the default network."""
    app, service = Quart(__name__, static_folder=None), router.default
    app.config.update(PROVIDE_AUTOMATIC_OPTIONS=False, MAX_CONTENT_LENGTH=None)

    @app.post("/", defaults={"wallet": None})
    @app.post("/wallet/", defaults={"wallet": ""})
    @app.post("/wallet/<path:wallet>")
    async def call(wallet: str | None) -> Response:
        config, given = router.config, request.authorization
        known = f"{config.bitcoin_user}:{config.bitcoin_password}".encode()
        user, password = (given.username, given.password) if given else (None, None)
        if not compare_digest(f"{user}:{password}".encode(), known):
            return Response("", HTTPStatus.UNAUTHORIZED, UNAUTHORIZED, content_type=TEXT)
        peer = peer_of(request.scope.get("client"))
        body = await read_body(request, config.max_body)
        steps = _answer(service, wallet, body)
        status, text = await answer_in_slices(router.scheduler, steps, peer)
        return Response(text, status, content_type=JSON)

    @app.errorhandler(Refused)
    async def refuse(refusal: Refused) -> Response:
        return Response(refusal.message, refusal.status, refusal.headers, content_type=TEXT)

    @app.errorhandler(HTTPException)
    async def unrouted(error: HTTPException) -> Response:
        text = "JSONRPC server handles only POST requests" if error.code == 405 else ""
        return Response(text, error.code or 500, content_type=TEXT)

    return app


def _answer(service: NetworkService, wallet: str | None, body: bytes) -> Slices[tuple[int, bytes]]:
    yield SLOW
    node = service.node
    try:
        answer = json_rpc.answer(json_rpc.Request(node.bitcoin, wallet), body)
        node.persist()
    except DevchainError as error:  # the disk is full
        return json_rpc.failure(str(error))
    except Exception as error:  # noqa: BLE001  # a bug
        return json_rpc.failure(incident(error))
    service.notify()
    return answer
