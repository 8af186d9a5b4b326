"""JSON-RPC clients: `HttpClient` for a node at a URL, `LocalClient` for one in this process."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from devchain.errors import ConfigError, ConnectionFailed, InvalidInput, RpcFailure
from devchain.upstream.http import HEADERS, error_text

if TYPE_CHECKING:
    from devchain.node import Node

DEFAULT_URL = "http://127.0.0.1:4444"
DEFAULT_TIMEOUT = 60.0
MAX_BATCH = 100
MAX_BYTES = 256 * 1024 * 1024  # the largest answer that is read: a trace may be long
ADVICE_IN_PYTHON = "start one with `devchain start`, or give the URL of another: connect(url)"
Call = tuple[object, ...]  # one call of a batch: the method's name, then its parameters


class Client(Protocol):
    """A client that calls a node's JSON-RPC methods."""

    def call(self, method: str, *params: object) -> Any:
        """The result of one call. Raises `RpcFailure` for an error of the node."""

    def batch(self, calls: Sequence[Call]) -> list[Any]:
        """The results of several calls, in order. A failed call gives its `RpcFailure`."""


def all_results(node: Client, calls: Sequence[Call]) -> list[Any]:
    """The results of several calls; raises the `RpcFailure` of the first that failed."""
    results = node.batch(calls)
    for result in results:
        if isinstance(result, RpcFailure):
            raise result
    return results


class _JsonRpcClient(ABC):
    def __init__(self) -> None:
        self._ids = count(1)

    def call(self, method: str, *params: object) -> Any:
        return _result(self._exchange(self._request((method, *params))))

    def batch(self, calls: Sequence[Call]) -> list[Any]:
        results: list[Any] = []
        for start in range(0, len(calls), MAX_BATCH):
            requests = [self._request(call) for call in calls[start : start + MAX_BATCH]]
            replies = self._exchange(requests)
            if isinstance(replies, list):
                by_id = {reply.get("id"): reply for reply in replies if isinstance(reply, dict)}
                results += [_outcome(by_id.get(request["id"])) for request in requests]
            else:  # the node takes no batches, or only shorter ones
                results += [_outcome(self._exchange(request)) for request in requests]
        return results

    def _request(self, call: object) -> dict[str, object]:
        if not isinstance(call, tuple | list) or not call or not isinstance(call[0], str):
            raise InvalidInput(
                f"{call!r:.60} is no call: write the method and its parameters as a tuple, "
                'batch([("eth_getBalance", address), ("eth_chainId",)])'
            )
        method, *params = call
        return {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}

    @abstractmethod
    def _exchange(self, request: object) -> Any:
        """The reply to a request, or the list of those to a batch."""


def connect(where: str | Node = DEFAULT_URL, timeout: float = DEFAULT_TIMEOUT) -> Client:
    """A client for the node at a URL, or for a node in this process.

    Over HTTP a call fails after `timeout` seconds without an answer. Nothing is sent yet. Raises
    `ConfigError` if the URL is wrong.
    """
    return HttpClient(where, timeout) if isinstance(where, str) else LocalClient(where)


class HttpClient(_JsonRpcClient):
    """Calls a node over HTTP or HTTPS and keeps the connection open between calls.

    Raises `ConnectionFailed` when no node answers; its message ends with `advice`.
    """

    def __init__(
        self, url: str, timeout: float = DEFAULT_TIMEOUT, advice: str = ADVICE_IN_PYTHON
    ) -> None:
        from devchain.upstream.exchange import Connections

        super().__init__()
        self.address, path = _split_url(url)
        """The node's URL without the path, which may hold an API key."""
        self._timeout = _checked_timeout(timeout)
        self._url = self.address + path
        self._connections = Connections(is_encrypted=self.address.startswith("https"))
        self._advice = advice
        self.headers = dict(HEADERS)
        """Headers of every request."""

    def close(self) -> None:
        """Close the connection; the next call opens another."""
        self._connections.close()

    def _exchange(self, request: object) -> Any:
        import httpcore

        from devchain.upstream.exchange import AnswerRefused, Exchange

        try:
            text = json.dumps(request).encode()
        except (TypeError, ValueError) as error:
            raise _no_json(error) from None
        try:
            exchange = Exchange(self._timeout, MAX_BYTES)
            response = self._connections.post(self._url, self.headers, text, exchange)
        except AnswerRefused as refusal:
            raise self._connection_failed(str(refusal)) from None
        except httpcore.TimeoutException:
            problem = f"gives no answer within {self._timeout:g} s"
            raise self._connection_failed(problem) from None
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            is_absent = isinstance(_cause(error), ConnectionError | None)
            problem = "" if is_absent else f"cannot be reached ({error_text(error)})"
            raise self._connection_failed(problem) from None
        try:
            reply = _parsed(response.body)
        except ValueError:
            problem = f"answers HTTP {response.status} without JSON"
            raise self._connection_failed(problem) from None
        is_batch = isinstance(request, list) and isinstance(reply, list)
        if not is_batch and not (isinstance(reply, dict) and reply.keys() & {"result", "error"}):
            raise self._connection_failed("answers something that is not JSON-RPC")
        return reply

    def _connection_failed(self, problem: str) -> ConnectionFailed:
        opening = f"{self.address} {problem}" if problem else f"no node answers at {self.address}"
        return ConnectionFailed(f"{opening}: {self._advice}")


class LocalClient(_JsonRpcClient):
    """Calls a node in this process through JSON text, as a remote client would."""

    def __init__(self, node: Node) -> None:
        from devchain.node.core import NodeCore
        from devchain.rpc.dispatch import Dispatcher
        from devchain.rpc.json_codec import dump_json, load_json

        super().__init__()
        if not isinstance(node, NodeCore):
            raise InvalidInput(f"{node!r:.80} is no node: give a devchain.Node or a URL")
        self._serve = Dispatcher(node).serve_now
        self._dump, self._load = dump_json, load_json

    def _exchange(self, request: object) -> Any:
        try:
            text = self._dump(request)
        except (TypeError, ValueError) as error:
            raise _no_json(error) from None
        # Of an error response some presets have a subclass, which orjson does not read.
        return self._load(bytes(self._serve(text) or b"null"))


def _no_json(error: Exception) -> InvalidInput:
    return InvalidInput(
        f"the call is no JSON ({error}): give text, numbers, lists and dictionaries, bytes as hex "
        "text"
    )


def _checked_timeout(timeout: object) -> float:
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or timeout <= 0:
        raise ConfigError(f"timeout {timeout!r:.60} is no number of seconds above 0")
    return timeout


def _split_url(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        parts, port = urlsplit(""), None
    if port is None or not parts.hostname or not url.isascii():
        raise ConfigError(f"{url!r} is not the URL of a node; write it like {DEFAULT_URL}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{host}:{port}", (parts.path or "/") + query


def _cause(error: BaseException | None) -> OSError | None:
    # The error of the system; None if a node broke off in the middle of HTTP.
    while error is not None and not isinstance(error, OSError):
        error = error.__cause__ or error.__context__
    return error


def _parsed(body: bytes) -> Any:
    import orjson

    try:
        orjson.loads(body)  # refuses deep nesting, which can crash CPython 3.11 in the next line
        return json.loads(body)
    except (ValueError, RecursionError):
        from devchain.rpc.json_codec import load_json

        return load_json(body)


def _outcome(reply: dict[str, Any] | None) -> Any:
    if reply is None:
        return RpcFailure(-32603, "the node left this call of a batch unanswered")
    try:
        return _result(reply)
    except RpcFailure as failure:
        return failure.with_traceback(None)  # whose frames would have the failure


def _result(reply: dict[str, Any]) -> Any:
    error = reply.get("error")
    if error is None:
        return reply.get("result")
    if not isinstance(error, dict):
        raise RpcFailure(-32603, str(error))
    code = error.get("code")
    message = str(error.get("message", "the node gave no message"))
    raise RpcFailure(code if isinstance(code, int) else -32603, message, error.get("data"))
