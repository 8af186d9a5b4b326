"""JSON-RPC dispatch: from the bytes of a request to the bytes of its response."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import chain
from types import GeneratorType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from devchain.chain.slices import QUICK, SLOW, Slices, finish
from devchain.errors import (
    AnswerTooLarge,
    BatchTimedOut,
    BatchTooLarge,
    DevchainError,
    ForkCacheMiss,
    InvalidParams,
    InvalidRequest,
    LimitExceeded,
    MethodNotFound,
    ParseFailed,
    PendingUnsupported,
)
from devchain.evm import deadline
from devchain.node import Node
from devchain.presets.fields import ResultInstead
from devchain.rpc.block_parameter import TRANSACTION_INDEX
from devchain.rpc.enabled_methods import MAX_SHOWN_NAME, EnabledMethods
from devchain.rpc.errors import CODES, INTERNAL_ERROR, error_object, preset_row
from devchain.rpc.json_codec import (
    LISTS,
    Converted,
    StreamedJson,
    begin_list,
    dump_json,
    encode,
    encode_long,
    list_pieces,
    parse_json,
)
from devchain.rpc.scalar_decoders import DecodeContext
from devchain.rpc.subscriptions import Subscriptions
from devchain.types import Tag

if TYPE_CHECKING:
    from devchain.chain.fork import Fork

logger = logging.getLogger(__name__)

LARGE_BODY_BYTES = 32_768  # a body that takes longer to parse than a slice may be larger than this
STEP_SECONDS = 0.0002  # how long the calls of a batch take together before others may be served
BYTES_OVERHEAD = 40  # the memory of a `bytes` object besides its contents
PENDING = str(Tag.PENDING)

ID_TYPES = (int, str, float)

BAD_REQUESTS = frozenset(
    CODES[kind] for kind in (ParseFailed, InvalidRequest, InvalidParams, MethodNotFound)
)
"""Codes of errors that count as bad requests of the client (`sco_peerList`)."""

Response = dict[str, Any]
Result = TypeVar("Result")


class RefusalBytes(bytes):
    """A response that HTTP sends with another status than 200 (`Preset.http_status`)."""

    status: int


@dataclass(frozen=True, slots=True)
class Call:
    """A finished call, for the activity log: `code` is None if it succeeded.

    `method` is empty for a body that is not JSON or not a request.
    """

    method: str
    params: list[Any]
    code: int | None
    message: str
    seconds: float


Observer = Callable[[Call], None]
Keep = Callable[[int], object]  # called with the size of what a request begins to keep


Answer = bytes | StreamedJson


class BatchAnswers:
    """The responses to a batch as JSON, in order; `left` is how many bytes more may be kept."""

    __slots__ = ("_keep", "left", "texts")

    def __init__(self, max_bytes: int, keep: Keep) -> None:
        self.left = max_bytes
        self.texts: list[Answer] = []
        self._keep = keep

    def add(self, response: Response) -> None:
        """Append a response, or the error in its place if it does not fit."""
        text: Answer
        if type(response.get("result")) is StreamedJson:
            text = _streamed(response)
            size = text.size
        else:
            text = dump_json(response)
            size = len(text)
        self.left -= size + 1
        if self.left < 0:
            text = dump_json(_too_large(response))
            size = len(text)
        self.texts.append(text)
        self._keep(size + BYTES_OVERHEAD)

    def joined(self) -> Answer:
        if StreamedJson not in map(type, self.texts):
            return b"[%b]" % b",".join(cast(list[bytes], self.texts))
        return StreamedJson(list_pieces(self.texts), 0)


class Dispatcher:
    """Answers the JSON-RPC requests to a node; the observer is called after every call.

    A persistent connection has its own dispatcher, with its subscriptions. `revert_code` replaces
    the configured code of a revert. Without `streams` no answer is longer than `--max-response`.
    Raises `ConfigError` for options that name unknown methods.
    """

    def __init__(
        self,
        node: Node,
        observe: Observer | None = None,
        subscriptions: Subscriptions | None = None,
        *,
        revert_code: int | None = None,
        streams: bool = True,
    ) -> None:
        self._node = node
        self._enabled = EnabledMethods(node.config)
        self._methods = self._enabled.by_name
        self._slow = frozenset(name for name, method in self._methods.items() if method.slow)
        self._quick = {
            name: method
            for name, method in self._methods.items()
            if not (method.slow or method.in_slices or method.subscribes)
        }
        self._config = node.config
        self._decode_context = DecodeContext.from_config(node.config)
        self._observe = observe
        self._subscriptions = subscriptions
        self._revert_code = revert_code
        self._streams = streams
        self._max_response = node.config.max_response
        http_status = node.config.preset.http_status
        self._dump = partial(_dump_with_status, http_status) if http_status else dump_json

    def serve(
        self, body: bytes, peer: str | None = None, keep: Keep = int
    ) -> Slices[Answer | None]:
        """Answer a body, a request or a batch; returns the response, None if there is none.

        Yields where others may be served, `SLOW` before what may take longer than a slice. `peer`
        is the client's address, for the peer scores. `keep` gets the bytes kept between slices.
        """
        if len(body) > LARGE_BODY_BYTES:
            yield SLOW
        try:
            request = parse_json(body)
            if isinstance(request, list):
                self._check_batch(request)
                # A parsed text or list takes some 60 bytes, and an object with members 200.
                parts = 64 * (body.count(b",") + body.count(b"[")) + 200 * body.count(b"{")
                keep(len(body) + parts)
                limit = self._limited_to(self._node.config.batch_timeout)
                answer = self._serve_batch(request, limit, peer, keep)
                return (yield from limit.own_time(answer))
        except DevchainError as error:
            return self._dump(self._refuse(None, error, peer))
        response = yield from self._respond(request, peer, self._max_response, keep)
        if response is None:
            return None
        if type(response.get("result")) is StreamedJson:
            streamed = _streamed(response)
            keep(streamed.size)
            return streamed
        text = self._dump(response)
        return text if len(text) <= self._max_response else self._dump(_too_large(response))

    def _serve_batch(
        self, batch: list[object], limit: deadline.Deadline, peer: str | None, keep: Keep
    ) -> Slices[Answer | None]:
        now = self._node.clock.monotonic
        answers = BatchAnswers(self._max_response, keep)
        step_ends = now() + STEP_SECONDS
        is_late = False
        index = 0
        while index < len(batch):
            if not is_late and _method_named_in(batch[index]) in self._quick:
                index = self._answer_quick(batch, index, answers, peer, step_ends)
                if index == len(batch):
                    break
            request = batch[index]
            if now() >= step_ends:
                yield QUICK
                step_ends = now() + STEP_SECONDS
                is_late = limit.has_passed()
            response = None
            if answers.left >= 0 and not is_late:
                response = yield from self._respond(request, peer, answers.left, keep)
            elif not isinstance(request, dict) or "id" in request:  # no notification
                error = AnswerTooLarge() if answers.left < 0 else BatchTimedOut(limit.seconds)
                response = self._refuse(_id_of(request), error, peer)
            if response is not None:
                answers.add(response)
            index += 1
        return answers.joined() if answers.texts or not batch else None

    def _answer_quick(
        self, batch: list[object], start: int, answers: BatchAnswers, peer: str | None, ends: float
    ) -> int:
        # Answers calls up to one that is slow or in slices, is refused before its method runs,
        # comes after the time `ends` or does not fit into the response. Most calls are none of
        # these: they need no generator each, and share one deadline: the last begins before `ends`.
        node, quick, context = self._node, self._quick, self._decode_context
        if node.fork is not None or node.config is not self._config:
            return start
        node.filters.client = peer
        now, hosted = node.clock.monotonic, node.config.hosted
        is_unobserved = self._observe is None
        with self._deadline() as limit:
            for index in range(start, len(batch)):
                started = now()
                if started >= ends or answers.left < 0:
                    return index
                try:
                    name, params, request_id, is_notification = _read_request(batch[index])
                    method = quick.get(name)
                    if method is None or type(params) is not list or _needs_replay(params):
                        return index
                    arguments = method.decode(params, context)
                except Exception:  # noqa: BLE001  # `_respond` finds it again, and answers
                    return index
                if hosted and method.refuses_pending(arguments):
                    return index
                try:
                    try:
                        result = encode(method.function(node, *arguments), answers.left)
                    finally:
                        node.persist()
                    response = {"jsonrpc": "2.0", "id": request_id, "result": result}
                except Exception as error:  # noqa: BLE001  # `_failure` logs a bug
                    limit.suspend()
                    response = self._failure(name, request_id, error)
                if not is_unobserved or "error" in response:
                    limit.suspend()
                    self._record(name, params, response, peer, now() - started)
                    limit.restart()
                if not is_notification:
                    answers.add(response)
        return len(batch)

    def serve_now(self, body: bytes) -> bytes | None:
        """Answer a body without a pause between the requests of a batch."""
        answer = finish(self.serve(body))
        return b"".join(answer.pieces) if isinstance(answer, StreamedJson) else answer

    def answer(self, request: object, peer: str | None = None) -> Response | None:
        """The response to one parsed request, of any size; None to a notification."""
        return finish(self._respond(request, peer, None, int))

    def _respond(
        self, request: object, peer: str | None, limit: int | None, keep: Keep
    ) -> Slices[Response | None]:
        try:
            name, params, request_id, is_notification = _read_request(request)
        except InvalidRequest as error:
            return self._refuse(_id_of(request), error, peer)
        # A pending block may have to be built, and transactions before another one run.
        if name in self._slow or _needs_replay(params):
            yield SLOW
        node = self._node
        node.filters.client = peer
        now = node.clock.monotonic
        started = now()
        try:
            if node.fork is None:
                result = self._call(name, params, limit)
                if type(result) is GeneratorType:  # decided by one comparison
                    result = yield from self._run(result, limit, keep)
            else:
                result = yield from self._result_on_fork(node.fork, name, params, limit, keep)
            response = {"jsonrpc": "2.0", "id": request_id, "result": result}
        except Exception as error:  # noqa: BLE001  # `_failure` logs a bug
            response = self._failure(name, request_id, error)
        if self._observe is not None or "error" in response:
            self._record(name, params, response, peer, now() - started)
        return None if is_notification else response

    def _result_on_fork(
        self, fork: Fork, name: str, params: object, limit: int | None, keep: Keep
    ) -> Slices[Any]:
        # Others are served while it is fetched, of whom one may reset the node to another fork.
        while True:
            fork = self._node.fork or fork
            try:
                with fork.deferring():
                    result = self._call_undone_if_missing(name, params, limit)
                if type(result) is GeneratorType:
                    result = yield from self._run(result, limit, keep)
            except ForkCacheMiss as missing:
                yield from (self._node.fork or fork).fetch_in_slices(missing)
            else:
                return result

    def run(self, function: Callable[[Node], Slices[Result]]) -> Slices[Result]:
        """The result of a function that reads the node in slices, run as a slow call is.

        It has a request's deadline; on a fork it is begun anew whenever a value is unknown.
        """
        yield SLOW
        node = self._node
        while True:
            try:
                return cast(Result, (yield from self._slices(function(node))))
            except ForkCacheMiss as missing:
                assert node.fork  # noqa: S101  # nothing else raises it
                yield from node.fork.fetch_in_slices(missing)

    def _deadline(self) -> deadline.Deadline:
        return self._limited_to(self._node.config.request_timeout)

    def _limited_to(self, seconds: float) -> deadline.Deadline:
        clock = self._node.clock
        return deadline.within(seconds, clock.cpu_time, clock.monotonic)

    def check_enabled(self, name: str) -> None:
        """Raise `MethodNotFound`, with the reason, for a method that is not enabled."""
        self._enabled.method(name)

    def _call_undone_if_missing(self, name: str, params: object, limit: int | None) -> Any:
        # Not what slices have changed, between which others change the node: a method that changes
        # it in slices undoes the one that needs a value.
        components = self._node.components
        before = components.checkpoint()
        try:
            with self._node.chain.atomic():  # nothing that is undone is ever on disk
                try:
                    return self._call(name, params, limit)
                except ForkCacheMiss:
                    if components.have_changed_since(before):
                        components.restore(before)
                    raise
        finally:
            self._node.persist()

    def _run(self, work: Slices[Any], limit: int | None, keep: Keep) -> Slices[Any]:
        result = yield from self._slices(work)
        if limit is None or not isinstance(result, LISTS):
            return encode(result, limit)
        if self._streams and isinstance(result, Converted):
            return begin_list(result, limit)
        return (yield from encode_long(result, limit, keep))

    def _slices(self, work: Slices[Any]) -> Slices[Any]:
        limit = self._deadline()
        return (yield from limit.own_time(self._limited_slices(work, limit)))

    def _limited_slices(self, work: Slices[Any], limit: deadline.Deadline) -> Slices[Any]:
        # On a fork none waits for the upstream.
        while True:
            fork = self._node.fork
            try:
                with fork.deferring() if fork else nullcontext(), limit:
                    next_turn = next(work)
            except StopIteration as done:
                return done.value
            finally:
                self._node.persist()
            yield next_turn

    def _failure(self, name: str, request_id: object, error: Exception) -> Response:
        # Any exception but a `DevchainError` is a bug, and logged.
        if not isinstance(error, DevchainError):
            number = secrets.token_hex(4)
            logger.error("incident %s in %s", number, ascii(name)[:MAX_SHOWN_NAME], exc_info=error)
            message = f"internal error: a bug in devchain, incident {number} in its log"
            return _error_response(request_id, {"code": INTERNAL_ERROR, "message": message})
        config = self._node.config
        instead = preset_row(error, config.preset, name)
        if isinstance(instead, ResultInstead):
            return {"jsonrpc": "2.0", "id": request_id, "result": instead.value}
        return _error_response(request_id, error_object(error, config, self._revert_code, name))

    def _refuse(self, request_id: object, error: DevchainError, peer: str | None) -> Response:
        response = _error_response(request_id, error_object(error, self._node.config))
        self._record("", [], response, peer, 0.0)
        return response

    def _record(
        self, name: str, params: object, response: Response, peer: str | None, seconds: float
    ) -> None:
        error = response.get("error", {})
        if error and error["code"] in BAD_REQUESTS:
            self._node.peers.count_bad_request(peer)
        if self._observe:
            listed = params if isinstance(params, list) else []
            self._observe(Call(name, listed, error.get("code"), error.get("message", ""), seconds))

    def _call(self, name: str, params: object, limit: int | None) -> Any:
        # Of a method that works in slices the work is returned.
        method = self._methods.get(name) or self._enabled.method(name)
        target: object = self._node
        if method.subscribes:
            if self._subscriptions is None:
                raise MethodNotFound(
                    f"{name} needs a persistent connection: use WebSocket (ws://) or IPC"
                )
            target = self._subscriptions
        if not isinstance(params, list):
            raise InvalidParams(
                f"{name} takes ({method.signature}) as an array: named params are not supported"
                if isinstance(params, dict)
                else "params must be an array"
            )
        config = self._node.config
        if config is not self._config:  # the node was reset to another chain
            self._config, self._decode_context = config, DecodeContext.from_config(config)
        arguments = method.decode(params, self._decode_context)
        if config.hosted and method.refuses_pending(arguments):
            raise PendingUnsupported(
                f"{name} does not take 'pending' on the hosted service: use 'latest'"
            )
        clock = self._node.clock
        try:
            with deadline.within(config.request_timeout, clock.cpu_time, clock.monotonic):
                result = method.function(target, *arguments)
                return result if method.in_slices else encode(result, limit)
        finally:
            self._node.persist()

    def _check_batch(self, batch: list[object]) -> None:
        limit = self._node.config.max_batch
        if not batch and self._node.config.preset.empty_batch_is_request:
            raise InvalidRequest("the batch is empty")
        if len(batch) > limit:
            raise BatchTooLarge(
                f"the batch has {len(batch)} calls: at most {limit} are allowed (--max-batch)",
                limit=limit,
            )


def _dump_with_status(status_by_code: Mapping[int, int], response: Response) -> bytes:
    body = dump_json(response)
    status = status_by_code.get(response["error"]["code"]) if "error" in response else None
    if status is None:
        return body
    refusal = RefusalBytes(body)
    refusal.status = status
    return refusal


def _too_large(response: Response) -> Response:
    error = AnswerTooLarge()
    code = CODES[LimitExceeded]
    return _error_response(response["id"], {"code": code, "message": str(error)})


def _streamed(response: Response) -> StreamedJson:
    result: StreamedJson = response["result"]
    head = dump_json({**response, "result": None}).removesuffix(b"null}")
    return StreamedJson(chain((head,), result.pieces, (b"}",)), result.size)


def error_body(code: int, message: str) -> bytes:
    """The bytes of an error response without id, for a request that was not read."""
    return dump_json(_error_response(None, {"code": code, "message": message}))


def _method_named_in(request: object) -> str:
    name = request.get("method") if isinstance(request, dict) else None
    return name if isinstance(name, str) else ""


def _needs_replay(params: object) -> bool:
    if type(params) is not list or not params:
        return False
    last = params[-1]
    return PENDING in params or (type(last) is dict and TRANSACTION_INDEX in last)


def _read_request(request: object) -> tuple[str, object, Any, bool]:
    if not isinstance(request, dict):
        raise InvalidRequest("a request is an object with jsonrpc, method, params and id")
    if request.get("jsonrpc", "2.0") != "2.0":
        raise InvalidRequest('jsonrpc must be "2.0"')
    name = request.get("method")
    if not isinstance(name, str):
        raise InvalidRequest("method must be a string that names a method")
    request_id = request.get("id")
    if type(request_id) is not int and not _is_id(request_id):  # most are integers
        raise InvalidRequest("id must be a number, a string or null")
    params = request.get("params")
    is_notification = request_id is None and "id" not in request
    return name, [] if params is None else params, request_id, is_notification


def _is_id(value: object) -> bool:
    return value is None or (isinstance(value, ID_TYPES) and not isinstance(value, bool))


def _id_of(request: object) -> Any:
    # The id of an invalid request, so that the client can match the error; None without one.
    request_id = request.get("id") if isinstance(request, dict) else None
    return request_id if _is_id(request_id) else None


def _error_response(request_id: object, error: dict[str, Any]) -> Response:
    return {"jsonrpc": "2.0", "id": request_id, "error": error}
