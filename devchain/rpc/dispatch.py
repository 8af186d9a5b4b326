"""From the bytes of a request to the bytes of its answer."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from devchain.errors import DevchainError, PendingUnsupported
from devchain.evm import deadline
from devchain.node import Node
from devchain.node.peers import PeerEvent
from devchain.rpc.codec import encode
from devchain.rpc.enabled_methods import Offer
from devchain.rpc.errors import (
    CODES,
    INTERNAL_ERROR,
    InvalidParams,
    InvalidRequest,
    MethodNotFound,
    ParseFailed,
    error_object,
)
from devchain.rpc.json_text import dumps, parse
from devchain.rpc.method import Method
from devchain.rpc.subscriptions import Subscriptions

SENDING = {"eth_sendRawTransaction", "eth_sendTransaction", "personal_sendTransaction"}
EVENTS_BY_CODE = {
    CODES[ParseFailed]: PeerEvent.MALFORMED,
    CODES[InvalidRequest]: PeerEvent.MALFORMED,
    CODES[InvalidParams]: PeerEvent.MALFORMED,
    CODES[MethodNotFound]: PeerEvent.UNKNOWN_METHOD,
}


def peer_event_of(name: str, reply: dict[str, Any]) -> PeerEvent:
    """How a request counts; what could not be answered but was well asked is no fault."""
    error = reply.get("error")
    if name in SENDING:
        return PeerEvent.SENT_BAD if error else PeerEvent.SENT
    return EVENTS_BY_CODE.get(error["code"], PeerEvent.ANSWERED) if error else PeerEvent.ANSWERED


logger = logging.getLogger(__name__)

# What 64 bits hold, signed or not: the answer's writer takes no more.
SMALLEST_ID, LARGEST_ID = -(2**63), 2**64 - 1
SHOWN_NAME = 60


@dataclass(frozen=True, slots=True)
class Call:
    """One answered call, for whoever watches: `code` is None when it succeeded.

    `method` is empty for what was no call at all: not JSON, or not a request.
    """

    method: str
    params: list[Any]
    code: int | None
    message: str
    seconds: float


Observer = Callable[[Call], None]
Reply = dict[str, Any]


class Dispatcher:
    """Answers JSON-RPC requests with a node; an observer sees every call.

    A connection that lasts has a dispatcher of its own, with its subscriptions.
    """

    def __init__(
        self,
        node: Node,
        observe: Observer | None = None,
        subscriptions: Subscriptions | None = None,
    ) -> None:
        """Answer for that node; raises `ConfigError` when its options name unknown methods."""
        self._node = node
        self._offer = Offer(node.config)
        self._observe = observe
        self._subscriptions = subscriptions

    def serve(self, body: bytes, peer: str | None = None) -> Generator[None, None, bytes | None]:
        """Answer one body; the generator's value is the answer, None for notifications.

        It yields between the calls of a batch, so that a server can let others in. `peer` is the
        address of the client, whose score it goes to.
        """
        try:
            request = parse(body)
            if not isinstance(request, list):
                return _to_bytes(self.answer(request, peer))
            self._check_batch(request)
        except DevchainError as error:
            return _to_bytes(self._refuse(None, error, peer))
        replies = []
        for each in request:
            reply = self.answer(each, peer)
            if reply is not None:
                replies.append(reply)
            yield
        return dumps(replies) if replies else None

    def serve_now(self, body: bytes) -> bytes | None:
        """Answer one body at once."""
        serving = self.serve(body)
        while True:
            try:
                next(serving)
            except StopIteration as done:
                answer: bytes | None = done.value
                return answer

    def answer(self, request: object, peer: str | None = None) -> Reply | None:
        """The reply to one decoded request, None to a notification."""
        try:
            name, params, request_id, is_notification = _envelope(request)
        except InvalidRequest as error:
            return self._refuse(_id_of(request), error, peer)
        started = self._node.clock.monotonic()
        try:
            reply = {"jsonrpc": "2.0", "id": request_id, "result": self._call(name, params)}
        except DevchainError as error:
            reply = _failure(request_id, error_object(error, self._node.config))
        except Exception as error:  # noqa: BLE001  # outside the tree it is a bug
            reply = _failure(request_id, _incident(name, error))
        self._node.peers.record(peer, peer_event_of(name, reply))
        self._tell(name, params, reply, self._node.clock.monotonic() - started)
        return None if is_notification else reply

    def _refuse(self, request_id: object, error: DevchainError, peer: str | None) -> Reply:
        """The reply to what is no call at all."""
        reply = _failure(request_id, error_object(error, self._node.config))
        self._node.peers.record(peer, peer_event_of("", reply))
        self._tell("", [], reply, 0.0)
        return reply

    def _tell(self, name: str, params: object, reply: Reply, seconds: float) -> None:
        if self._observe:
            error = reply.get("error", {})
            listed = params if isinstance(params, list) else []
            self._observe(Call(name, listed, error.get("code"), error.get("message", ""), seconds))

    def _call(self, name: str, params: object) -> Any:
        method = self._method(name)
        if isinstance(params, dict):
            msg = f"{name} takes ({method.signature}) as an array: named params are not supported"
            raise InvalidParams(msg)
        if not isinstance(params, list):
            msg = "params must be an array"
            raise InvalidParams(msg)
        arguments = method.decode(params, self._node)
        if self._node.config.hosted and method.refuses_pending(arguments):
            msg = f"{name} does not take 'pending' on the hosted service: use 'latest'"
            raise PendingUnsupported(msg)
        subject = self._subscriptions if method.lasting else self._node
        try:
            with deadline.within(self._node.config.request_timeout, self._node.clock.monotonic):
                return encode(method.function(subject, *arguments))
        finally:
            self._node.persist()

    def _method(self, name: str) -> Method:
        method = self._offer.method(name)
        if method.lasting and self._subscriptions is None:
            msg = f"{name} needs a connection that lasts: use WebSocket (ws://) or IPC"
            raise MethodNotFound(msg)
        return method

    def _check_batch(self, batch: list[object]) -> None:
        most = self._node.config.max_batch
        if not batch:
            msg = "the batch is empty"
            raise InvalidRequest(msg)
        if len(batch) > most:
            msg = f"the batch has {len(batch)} calls: at most {most} are allowed (--max-batch)"
            raise InvalidRequest(msg)


def error_body(code: int, message: str) -> bytes:
    """A JSON-RPC error that answers no call in particular."""
    return dumps(_failure(None, {"code": code, "message": message}))


def _envelope(request: object) -> tuple[str, object, Any, bool]:
    """Method, params, id and whether it is a notification; raises `InvalidRequest`."""
    if not isinstance(request, dict):
        msg = "a request is an object with jsonrpc, method, params and id"
        raise InvalidRequest(msg)
    if request.get("jsonrpc", "2.0") != "2.0":
        msg = 'jsonrpc must be "2.0"'
        raise InvalidRequest(msg)
    name = request.get("method")
    if not isinstance(name, str):
        msg = "method must be a string that names a method"
        raise InvalidRequest(msg)
    request_id = request.get("id")
    if not _is_id(request_id):
        msg = "id must be a number of at most 64 bits, a string or null"
        raise InvalidRequest(msg)
    params = request.get("params")
    is_notification = request_id is None and "id" not in request
    return name, [] if params is None else params, request_id, is_notification


def _is_id(value: object) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return SMALLEST_ID <= value <= LARGEST_ID
    return value is None or isinstance(value, str | float)


def _id_of(request: object) -> Any:
    """The id of a request that is otherwise not one, so that its caller can tell."""
    found = request.get("id") if isinstance(request, dict) else None
    return found if _is_id(found) else None


def _failure(request_id: object, error: dict[str, Any]) -> Reply:
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def _incident(name: str, error: Exception) -> dict[str, Any]:
    """What a client learns of a bug: a number to look up in the log."""
    number = secrets.token_hex(4)
    logger.error("incident %s in %s", number, ascii(name)[:SHOWN_NAME], exc_info=error)
    text = f"internal error: a bug in devchain, incident {number} in its log"
    return {"code": INTERNAL_ERROR, "message": text}


def _to_bytes(reply: Reply | None) -> bytes | None:
    return None if reply is None else dumps(reply)
