"""The Quart application: HTTP requests in, JSON-RPC answers of one or more nodes out."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

import orjson
from quart import Quart, Request, Response, has_websocket_context, request
from werkzeug.exceptions import HTTPException

from devchain.config import Config
from devchain.peers import Conduct
from devchain.rpc.dispatch import Dispatcher, error_body
from devchain.server import access
from devchain.server.checks import (
    HEALTH,
    JSON,
    NO_KEY,
    NO_WEBSOCKET,
    WRONG_KEY,
    Refused,
    check_content_type,
    check_host,
    check_origin,
    check_peer,
    not_found,
    peer_of,
    too_large,
    too_slow,
    wrong_verb,
)
from devchain.server.events import NodeWatch, Observer, refused_event

if TYPE_CHECKING:
    from devchain.node import Node

BODY_SECONDS = 30.0
"""How long a client may take to send a request."""

LINGER_SECONDS = 2.0
"""How long the rest of a refused body is read, so that its sender gets to see the answer."""

TURN_SECONDS = 0.02
OTHERS_SECONDS = 0.002  # a connection needs several rounds of the loop to be answered
"""How long a batch runs before other connections get a turn."""

POLL_SECONDS = 0.1
"""How soon a change of the mining interval is noticed."""

INVALID_REQUEST = -32600
INTERNAL_ERROR = -32603

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Front:
    """What every request is checked against and answered from."""

    config: Config
    nodes: Mapping[str, Node]
    dispatchers: Mapping[str, Dispatcher]
    observe: Observer | None


def create_app(nodes: Mapping[str, Node], config: Config, observe: Observer | None = None) -> Quart:
    """An application that serves nodes by network name; the first is the default.

    `observe` is told of every request and of what was mined.
    """
    watches = {name: NodeWatch(name, node, observe) for name, node in nodes.items()}
    dispatchers = {name: Dispatcher(nodes[name], watches[name].served) for name in nodes}
    front = Front(config, nodes, dispatchers, observe)
    app = Quart(__name__, static_folder=None)
    app.config.update(PROVIDE_AUTOMATIC_OPTIONS=False, MAX_CONTENT_LENGTH=None)
    app.url_map.strict_slashes = app.url_map.merge_slashes = False
    _add_routes(app, front)
    _add_checks(app, front)
    _add_refusals(app, front)
    _add_mining(app, nodes, watches)
    return app


def _add_routes(app: Quart, front: Front) -> None:
    @app.get("/health")
    async def health() -> Response:
        return _answer(orjson.dumps(_health(front)))

    @app.post("/", defaults={"path": ""})
    @app.post("/<path:path>")
    async def call(path: str) -> Response:
        peer = peer_of(request.scope)
        network = _admitted(path, front, peer).network
        check_content_type(request.headers)
        body = await _body(request, front.config.max_body)
        return _answer(await _served(front.dispatchers[network], body, peer))


def _add_checks(app: Quart, front: Front) -> None:
    @app.before_request
    async def check() -> Response | None:
        check_host(request.headers, front.config)
        check_origin(request.headers, front.config)
        return _preflight(request)

    @app.after_request
    async def share(response: Response) -> Response:
        _share(request, response, front.config)
        return response


def _add_refusals(app: Quart, front: Front) -> None:
    def answer(refusal: Refused) -> Response:
        if front.observe:
            front.observe(refused_event(refusal.status, refusal.message))
        return _answer(error_body(INVALID_REQUEST, refusal.message), refusal)

    @app.errorhandler(Refused)
    async def refused(error: Refused) -> Response:
        return answer(error)

    @app.errorhandler(HTTPException)
    async def unrouted(error: HTTPException) -> Response:
        if has_websocket_context():
            return answer(Refused(404, NO_WEBSOCKET))
        return answer(_unrouted(request, error, front))

    @app.errorhandler(Exception)
    async def failed(error: Exception) -> Response:
        incident = secrets.token_hex(4)
        log.error("incident %s", incident, exc_info=error)
        text = f"internal error, incident {incident}: see devchain's log"
        return Response(error_body(INTERNAL_ERROR, text), 500, content_type=JSON)


def _add_mining(app: Quart, nodes: Mapping[str, Node], watches: Mapping[str, NodeWatch]) -> None:
    @app.while_serving
    async def mine() -> AsyncGenerator[None, None]:
        tasks = [asyncio.create_task(_mine_when_due(nodes[name], watches[name])) for name in nodes]
        yield
        for task in tasks:
            task.cancel()


async def _mine_when_due(node: Node, watch: NodeWatch) -> None:
    """Make a node's interval blocks, for ever."""
    while True:
        due = node.miner.seconds_until_due()
        await asyncio.sleep(POLL_SECONDS if due is None else min(max(due, 0), POLL_SECONDS))
        try:
            node.tick()
            watch.look()
        except Exception:
            log.exception("interval mining on %s failed", node.config.network)
            await asyncio.sleep(1)


def _answer(body: bytes | None, refusal: Refused | None = None) -> Response:
    if body is None:
        response = Response(b"", 204)
        del response.headers["Content-Type"], response.headers["Content-Length"]
        return response
    if refusal is None:
        return Response(body, content_type=JSON)
    return Response(body, refusal.status, refusal.headers, content_type=JSON)


def _health(front: Front) -> dict[str, object]:
    networks = {
        name: {
            "chainId": hex(node.config.effective_chain_id),
            "blockNumber": hex(node.chain.height),
        }
        for name, node in front.nodes.items()
    }
    return {"status": "ok", "networks": networks}


async def _served(dispatcher: Dispatcher, body: bytes, peer: str | None) -> bytes | None:
    """The answer to one body; between the calls of a batch others get their turn."""
    steps = dispatcher.serve(body, peer)
    since = time.monotonic()
    while True:
        try:
            next(steps)
        except StopIteration as end:
            answer: bytes | None = end.value
            return answer
        if time.monotonic() - since > TURN_SECONDS:
            await asyncio.sleep(OTHERS_SECONDS)
            since = time.monotonic()


async def _body(asked: Request, limit: int) -> bytes:
    """The request's body; it is never held beyond the limit."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            if (asked.content_length or 0) <= limit:
                async for chunk in asked.body:
                    body += chunk
                    if len(body) > limit:
                        break
                else:
                    return bytes(body)
    except TimeoutError:
        raise too_slow(BODY_SECONDS) from None
    body.clear()
    await _linger(asked)
    raise too_large(limit)


async def _linger(asked: Request) -> None:
    try:
        async with asyncio.timeout(LINGER_SECONDS):
            async for _ in asked.body:
                pass
    except TimeoutError:
        pass


def _admitted(path: str, front: Front, peer: str | None) -> access.Target:
    if path == HEALTH:
        raise wrong_verb("POST", "/health")
    target = access.resolve(path, front.nodes)
    if target is None:
        raise not_found(front.nodes)
    peers = front.nodes[target.network].peers
    check_peer(peers, peer)
    if not access.key_accepted(target.key, front.config.api_key):
        peers.record(peer, Conduct.REFUSED)
        raise Refused(401, WRONG_KEY if target.key else NO_KEY)
    return target


def _preflight(asked: Request) -> Response | None:
    """The answer to a browser that asks whether a page may call."""
    if asked.method != "OPTIONS" or "Origin" not in asked.headers:
        return None
    response = _answer(None)
    response.headers["Access-Control-Allow-Methods"] = "POST"
    response.headers["Access-Control-Allow-Headers"] = "Content-Type"
    response.headers["Access-Control-Max-Age"] = "600"
    if asked.headers.get("Access-Control-Request-Private-Network") == "true":
        response.headers["Access-Control-Allow-Private-Network"] = "true"
    return response


def _share(asked: Request, response: Response, config: Config) -> None:
    """Let pages of an allowed origin read the answer; never with credentials."""
    response.headers["Vary"] = "Origin"
    origin = asked.headers.get("Origin")
    if origin and access.origin_accepted(origin, config.allow_origin):
        response.headers["Access-Control-Allow-Origin"] = origin


def _unrouted(asked: Request, error: HTTPException, front: Front) -> Refused:
    status = error.code or 500
    if status == 405 and access.resolve(asked.path, front.nodes):
        return wrong_verb(asked.method, asked.path)
    if status in {404, 405}:
        return not_found(front.nodes)
    return Refused(status, HTTPStatus(status).phrase)
