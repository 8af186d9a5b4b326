"""bitcoind's JSON-RPC: requests of versions 1.0, 1.1 and 2.0, batches, parameters, error codes.

Codes and messages are those of Bitcoin Core 29.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from http import HTTPStatus
from inspect import Parameter, signature
from math import inf
from types import UnionType
from typing import Any, NamedTuple, NewType, Union, get_args, get_origin, get_type_hints

import orjson
from btclib.exceptions import BTClibException

from devchain.bitcoin.bitcoin_node import BitcoinNode
from devchain.bitcoin.chain import MAX_MONEY, SATOSHIS
from devchain.errors import BitcoinRejected, DevchainError, InvalidInput, LimitExceeded, NotFound

Hash = NewType("Hash", bytes)  # 32 bytes, written as Bitcoin displays them
Hex = NewType("Hex", bytes)
Amount = NewType("Amount", int)  # satoshis, written in bitcoins
Level = NewType("Level", int)  # how much is shown; true is 1

MISC, WRONG_TYPE, WALLET_ERROR, BAD_ADDRESS, INSUFFICIENT_FUNDS = -1, -3, -4, -5, -6
BAD_PARAMETER, WALLET_NOT_FOUND, BAD_ENCODING, REJECTED, ALREADY_KNOWN = -8, -18, -22, -26, -27
INVALID_REQUEST, UNKNOWN_METHOD, PARSE_ERROR, INTERNAL = -32600, -32601, -32700, -32603
MAX_BATCH, MAX_SECONDS = 1_000, 10
REJECTION_CODES = {
    "Insufficient funds": INSUFFICIENT_FUNDS,
    "TX decode failed": BAD_ENCODING,
    "txn-already-known": ALREADY_KNOWN,
}
ADDRESS_ERRORS = ("Invalid address", "Unknown address", "Invalid private")
NAMES = {str: "string", bool: "bool", list: "array", dict: "object", type(None): "null"}
KINDS: dict[Any, type] = {Hash: str, Hex: str, Level: int}
STATUS = {INVALID_REQUEST: HTTPStatus.BAD_REQUEST, UNKNOWN_METHOD: HTTPStatus.NOT_FOUND}


class RpcError(Exception):
    """An error with bitcoind's code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Request(NamedTuple):
    """The node that a request is for, and the name of the wallet in its path, if it has one.

    `ends` is the CPU time at which its work ends.
    """

    node: BitcoinNode
    wallet: str | None
    ends: float = inf

    def check_time(self) -> None:
        """Raise `RpcError` if the request has taken too long."""
        if self.node.clock.cpu_time() > self.ends:
            raise RpcError(MISC, f"the request takes longer than {MAX_SECONDS} seconds")


Method = Callable[..., Any]
METHODS: dict[str, Method] = {}


def method(function: Method) -> Method:
    """Make a function a method of its name; its parameters have bitcoind's names."""
    METHODS[function.__name__] = function
    return function


def answer(request: Request, body: bytes) -> tuple[int, bytes]:
    """The HTTP status and the body of the answer to a call or a batch."""
    try:
        calls = orjson.loads(body)
    except orjson.JSONDecodeError:
        return _response(None, 1, error=RpcError(PARSE_ERROR, "Parse error"))
    request = request._replace(ends=request.node.clock.cpu_time() + MAX_SECONDS)
    if not isinstance(calls, list):
        return _answer_one(request, calls)
    if len(calls) > MAX_BATCH:
        message = f"a batch has at most {MAX_BATCH:,} calls"
        return _response(None, 1, error=RpcError(INVALID_REQUEST, message))
    answers = [found for call in calls if (found := _answer_one(request, call)[1])]
    return HTTPStatus.OK, b"[" + b",".join(answers) + b"]"


def _answer_one(request: Request, call: Any) -> tuple[int, bytes]:
    if not isinstance(call, dict):
        return _response(None, 1, error=RpcError(INVALID_REQUEST, "Invalid Request object"))
    call_id, version = call.get("id"), 2 if call.get("jsonrpc") == "2.0" else 1
    name, params = call.get("method"), call.get("params")
    try:
        if not isinstance(name, str):
            raise RpcError(INVALID_REQUEST, "Method must be a string" if name else "Missing method")
        if not isinstance(params, list | dict | None):
            raise RpcError(INVALID_REQUEST, "Params must be an array or object")
        request.check_time()
        answered = _response(call_id, version, result=run(request, name, params or []))
    except RpcError as error:
        answered = _response(call_id, version, error=error)
    is_notification = version == 2 and "id" not in call
    return (HTTPStatus.NO_CONTENT, b"") if is_notification else answered


def failure(message: str) -> tuple[int, bytes]:
    return _response(None, 1, error=RpcError(INTERNAL, message))


def _response(
    call_id: Any, version: int, *, result: Any = None, error: RpcError | None = None
) -> tuple[int, bytes]:
    shown = {"code": error.code, "message": str(error)} if error else None
    if version == 2:
        answered = {"jsonrpc": "2.0"} | ({"error": shown} if error else {"result": result})
        return HTTPStatus.OK, orjson.dumps(answered | {"id": call_id}, _written)
    status = STATUS.get(error.code, HTTPStatus.INTERNAL_SERVER_ERROR) if error else HTTPStatus.OK
    return status, orjson.dumps({"result": result, "error": shown, "id": call_id}, _written)


def run(request: Request, name: str, params: list[Any] | Mapping[str, Any]) -> Any:
    """The result of a method; raises `RpcError`."""
    function = METHODS.get(name)
    if function is None:
        raise RpcError(UNKNOWN_METHOD, "Method not found")
    try:
        return function(request, *_arguments(name, function, params))
    except BitcoinRejected as error:
        raise RpcError(REJECTION_CODES.get(error.reason, REJECTED), str(error)) from None
    except NotFound as error:
        raise RpcError(BAD_ADDRESS, str(error)) from None
    except BTClibException as error:  # an amount or a script that no transaction can have
        raise RpcError(BAD_PARAMETER, f"Invalid parameter, {str(error)[:200]}") from None
    except LimitExceeded as error:
        raise RpcError(WALLET_ERROR, str(error)) from None
    except DevchainError as error:
        is_address = str(error).startswith(ADDRESS_ERRORS)
        raise RpcError(BAD_ADDRESS if is_address else BAD_PARAMETER, str(error)) from None


# Parameters


@cache
def _parameters(function: Method) -> list[tuple[Parameter, Any]]:
    hints = get_type_hints(function)
    parameters = list(signature(function).parameters.values())[1:]
    return [(one, hints[one.name]) for one in parameters]


def _arguments(name: str, function: Method, params: list[Any] | Mapping[str, Any]) -> list[Any]:
    parameters = _parameters(function)
    names = [one.name for one, _ in parameters]
    named = {**params} if isinstance(params, Mapping) else {"args": params}
    given = named.pop("args", [])
    given = given if isinstance(given, list) else []
    values = dict(zip(names, given, strict=False)) | named
    if unknown := values.keys() - {*names}:
        raise InvalidInput(f"Unknown named parameter {min(unknown):.60}")
    needed = [one.name for one, _ in parameters if one.default is Parameter.empty]
    lacking = [one for one in needed if values.get(one) is None]
    if len(given) > len(names) or lacking:
        optional = f"( {' '.join(names[len(needed) :])} )" if names[len(needed) :] else ""
        raise RpcError(MISC, " ".join([name, *needed, optional]).strip())
    return [
        one.default
        if (value := values.get(one.name)) is None
        else _converted(value, hint, one.name, position)
        for position, (one, hint) in enumerate(parameters)
    ]


def _converted(value: Any, hint: Any, name: str, position: int = 0) -> Any:
    kind = get_args(hint)[0] if get_origin(hint) in {UnionType, Union} else hint
    if kind is Any:
        return value
    if kind is Amount:
        return satoshis(value)
    wanted = KINDS.get(kind, kind)
    wanted = get_origin(wanted) or wanted
    if not isinstance(value, wanted) or (isinstance(value, bool) and kind is int):
        shown, expected = NAMES.get(type(value), "number"), NAMES.get(wanted, "number")
        text = f"JSON value of type {shown} is not of expected type {expected}"
        place = f'    "Position {position + 1} ({name})": "{text}"'
        raise RpcError(WRONG_TYPE, f"Wrong type passed:\n{{\n{place}\n}}")
    if wanted is int and not -(2**31) <= value < 2**32:
        raise RpcError(MISC, "JSON integer out of range")
    if kind is Hash:
        return hash_of(value, name)
    return hex_of(value, name) if kind is Hex else value


def hash_of(text: Any, name: str) -> bytes:
    """The bytes of a hash that has 64 hex digits; raises `InvalidInput`."""
    if not isinstance(text, str) or len(text) != 64:
        size = len(text) if isinstance(text, str) else 0
        raise InvalidInput(f"{name} must be of length 64 (not {size}, for '{text!s:.100}')")
    return hex_of(text, name)


def hex_of(text: Any, name: str) -> bytes:
    """The bytes of hex digits; raises `InvalidInput`."""
    if not isinstance(text, str) or not re.fullmatch("([0-9a-fA-F]{2})*", text):
        if name == "hexstring":
            raise BitcoinRejected("TX decode failed")
        raise InvalidInput(f"{name} must be hexadecimal string (not '{text!s:.100}')")
    return bytes.fromhex(text)


def satoshis(value: Any) -> int:
    """The satoshis of an amount in bitcoins, a number or a string; raises `RpcError`."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise RpcError(WRONG_TYPE, "Amount is not a number or string")
    if not re.fullmatch(r"\d{1,12}(\.\d{1,8})?|\d(\.\d+)?e-0?\d", text := str(value).lower()):
        raise RpcError(WRONG_TYPE, "Amount out of range" if text[:1] == "-" else "Invalid amount")
    amount = Decimal(text) * SATOSHIS
    if amount != int(amount) or amount > MAX_MONEY:
        raise RpcError(WRONG_TYPE, "Amount out of range")
    return int(amount)


def bitcoins(amount: int) -> Decimal:
    """An amount of satoshis, which is written in JSON with eight decimals."""
    return Decimal(amount) / SATOSHIS


def _written(amount: Decimal) -> orjson.Fragment:
    return orjson.Fragment(f"{amount:.8f}")
