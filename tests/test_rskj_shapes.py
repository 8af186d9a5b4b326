"""`--like rskj` answers as the real node did when its answers were recorded, if they are there.

A recorded answer names what differs between two runs: `$T1` is a variable, `<quantity>` the sort of
a value. `rskj_differences.toml` lists the requests that are answered otherwise, with the reason;
`docs/how-true.md` shows it.
"""

from __future__ import annotations

import gzip
import json
import re
import tomllib
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import rlp

from devchain.config import Config
from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher
from tests.conftest import GENESIS_TIME
from tests.fork.upstreams import fork_of

RECORDED = Path(__file__).parents[2] / "shared/conformance/rskj/shapes.jsonl.gz"
DIFFERENCES = Path(__file__).with_name("rskj_differences.toml")
FUNDS = hex(10**16)
PEER = "127.0.0.1"
QUANTITY = re.compile(r"0x(0|[1-9a-f][0-9a-f]{0,31})")

Json = dict[str, Any]


@cache
def recorded() -> tuple[Json, list[Json]]:
    """The transactions to begin with, and the requests with their recorded answers."""
    with gzip.open(RECORDED, "rt") as file:
        setup, *shapes = map(json.loads, file)
    return setup, shapes


def differences() -> Json:
    """Why a request is answered otherwise than by the real node, by the request's id."""
    groups = tomllib.loads(DIFFERENCES.read_text())["difference"]
    return {f"shape-{case}": group["reason"] for group in groups for case in group["cases"]}


def yield_all(serving: Generator[None, None, bytes | None]) -> bytes | None:
    """What a dispatcher answers, without the pauses."""
    while True:
        try:
            next(serving)
        except StopIteration as done:
            body: bytes | None = done.value
            return body


class Player:
    """Sends the recorded requests to a node, with its own values for the variables."""

    def __init__(self, node: Node) -> None:
        self._dispatcher = Dispatcher(node)
        setup, _ = recorded()
        self._names = dict(setup["variables"])
        payer = self._ask("eth_accounts", [])["result"][0]
        request = {"from": payer, "to": setup["from"], "value": FUNDS, "gasPrice": "0x0"}
        self._ask("eth_sendTransaction", [request])
        for each in setup["txs"]:
            self._ask("eth_sendRawTransaction", [signed(each)])
        for name, transaction in setup["blocks"].items():
            receipt = self._ask("eth_getTransactionReceipt", [self._names[transaction]])["result"]
            self._names[f"${name}"] = receipt["blockNumber"]
            self._names[f"${name}Hash"] = receipt["blockHash"]

    def go_on_with(self, node: Node) -> None:
        """Send the requests to another node, which has the same transactions."""
        self._dispatcher = Dispatcher(node)

    def agrees(self, shape: Json) -> bool:
        """Whether the node answers a request as it was answered when that was recorded."""
        response = self._ask(shape["method"], self._filled(shape["params"]))
        actual = {key: response[key] for key in ("result", "error") if key in response}
        if "save" in shape and isinstance(actual.get("result"), str):
            self._names[shape["save"]] = actual["result"]
        if shape.get("mask") == "kinds" and "result" in actual:
            return sorts(actual["result"]) == shape["answer"].get("result")
        return self._matches(shape["answer"], actual)

    def _ask(self, method: str, params: list[Any]) -> Json:
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        body = yield_all(self._dispatcher.serve(json.dumps(request).encode(), PEER))
        response: Json = json.loads(body or b"null")
        return response

    def _filled(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {self._filled(name): self._filled(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self._filled(each) for each in value]
        return self._names.get(value, value) if isinstance(value, str) else value

    def _matches(self, expected: Any, actual: Any) -> bool:
        if isinstance(expected, dict) and isinstance(actual, dict):
            return expected.keys() == actual.keys() and all(
                self._matches(each, actual[name]) for name, each in expected.items()
            )
        if isinstance(expected, list) and isinstance(actual, list):
            return len(expected) == len(actual) and all(map(self._matches, expected, actual))
        if isinstance(expected, str) and expected.startswith("<"):
            return sort(actual) == expected
        if isinstance(expected, str) and expected in self._names:
            return bool(self._names[expected] == actual)
        return type(expected) is type(actual) and bool(expected == actual)


def signed(transaction: Json) -> str:
    """A recorded transaction as signed bytes, in hex."""
    signature = bytes.fromhex(transaction["sig"][2:])
    numbers = [int(transaction[name], 16) for name in ("gasPrice", "gas", "value")]
    data = [bytes.fromhex((transaction[name] or "0x")[2:]) for name in ("to", "data")]
    values = [
        transaction["nonce"],
        numbers[0],
        numbers[1],
        data[0],
        numbers[2],
        data[1],
        signature[64],
        int.from_bytes(signature[:32], "big"),
        int.from_bytes(signature[32:64], "big"),
    ]
    return "0x" + rlp.encode(values).hex()


def sort(value: Any) -> str:
    """What sort of value it is, as the recorded answers name it."""
    if not isinstance(value, str):
        return f"<{type(value).__name__}>"
    if re.fullmatch("0x[0-9a-f]{64}", value):
        return "<32 bytes>"
    if len(value) == 42:
        return "<address>"
    if QUANTITY.fullmatch(value):
        return "<quantity>"
    return "<data>" if value.startswith("0x") else "<text>"


def sorts(value: Any) -> Any:
    """The sorts of all values in an answer; a list has that of its first element."""
    if isinstance(value, dict):
        return {name: sorts(each) for name, each in value.items()}
    if isinstance(value, list):
        return [sorts(value[0])] if value else []
    return "<text>" if isinstance(value, str) and not value.startswith("0x") else sort(value)


@pytest.fixture(scope="class", params=["fast", "reference", "fork"])
def answered(request: pytest.FixtureRequest) -> Iterator[dict[str, bool]]:
    """Whether each recorded request is answered alike, by its id.

    A fork is asked for blocks, transactions, receipts and states that its upstream has.
    """
    engine = "fast" if request.param == "fork" else request.param
    config = Config(like="rskj", engine=engine, fixed_clock=GENESIS_TIME)
    with Node(config) as node, ExitStack() as stack:
        player = Player(node)
        if request.param == "fork":
            fork, _ = fork_of(node, like="rskj", fixed_clock=GENESIS_TIME)
            player.go_on_with(stack.enter_context(fork))
        yield {each["id"]: player.agrees(each) for each in recorded()[1]}


@pytest.mark.skipif(not RECORDED.is_file(), reason="the recorded answers are not available")
class TestShapes:
    def test_agree(self, answered: dict[str, bool]) -> None:
        """Every request is answered as by the real node but the listed ones."""
        known = differences()

        assert [each for each, alike in answered.items() if not alike and each not in known] == []

    def test_listed(self, answered: dict[str, bool]) -> None:
        """Every listed difference is there."""
        assert [each for each in differences() if answered.get(each, True)] == []
