"""`devchain.rpc.dispatch`"""

from __future__ import annotations

import itertools
import json
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from devchain.chain.slices import QUICK, SLOW, finish
from devchain.config import Config
from devchain.evm import deadline
from devchain.node import Node
from devchain.node.core import BLOCKS_PER_SLICE
from devchain.rpc.catalog import DEPRECATED, METHODS, UNSUPPORTED
from devchain.rpc.dispatch import (
    LARGE_BODY_BYTES,
    STEP_SECONDS,
    Call,
    Dispatcher,
)
from devchain.rpc.json_codec import PIECE, PIECE_BYTES, REFERENCE_BYTES, StreamedJson
from devchain.types import Address
from tests.accounts import ALICE, ALICE_HEX
from tests.clocks import Stopwatch
from tests.node.test_transaction_cost import calls_of

Ask = Callable[[object], Any]


def request(method: str = "eth_chainId", *params: object, **members: object) -> dict[str, Any]:
    """A request with id 1; `members` replace or add to its members."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params), **members}


def result(value: object, request_id: object = 1) -> dict[str, Any]:
    """The response to a request that succeeds."""
    return {"jsonrpc": "2.0", "id": request_id, "result": value}


def error(code: int, message: str, request_id: object = 1) -> dict[str, Any]:
    """The response to a request that is an error."""
    failure = {"code": code, "message": message}
    return {"jsonrpc": "2.0", "id": request_id, "error": failure}


@pytest.fixture
def config() -> Config:
    """A node without accounts, which is created quickly."""
    return Config(network="test", accounts=0)


@pytest.fixture
def ask(node: Node) -> Ask:
    """Sends a body, bytes or a value to serialize; returns the parsed response."""

    def send(body: object) -> Any:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        answer = Dispatcher(node).serve_now(raw)
        return None if answer is None else json.loads(answer)

    return send


class TestEnvelope:
    @pytest.mark.parametrize(
        "written",
        [
            b"0",
            b"1",
            b"-1",
            b"1.5",
            b"9223372036854775807",
            b"-9223372036854775808",
            b"18446744073709551615",
            b"18446744073709551616",
            b"-9223372036854775809",
            b"-0.0",
            b"1" * 300,
            b"null",
            b'""',
            b'"1"',
            b'"\\u0000"',
            '"é漢😀"'.encode(),
        ],
    )
    def test_id(self, node: Node, written: bytes) -> None:
        """An id that is a number, a string or null is returned."""
        body = b'{"jsonrpc":"2.0","method":"eth_chainId","id":' + written + b"}"
        answer = b'{"jsonrpc":"2.0","id":' + written + b',"result":"0x1f"}'
        wrong = b'{"jsonrpc":"2.0","method":1,"id":' + written + b"}"
        dispatcher = Dispatcher(node)

        assert dispatcher.serve_now(body) == answer
        assert dispatcher.serve_now(b"[%b, %b]" % (body, body)) == b"[%b,%b]" % (answer, answer)
        refused = dispatcher.serve_now(wrong)
        assert refused is not None
        assert refused.startswith(b'{"jsonrpc":"2.0","id":' + written + b',"error":')

    def test_unknown_members(self, ask: Ask) -> None:
        """Unknown members are ignored."""
        assert ask(request(extra=[1])) == result("0x1f")


class TestBatch:
    def test_yields(self, node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
        """`serve` yields between the requests of a batch, however short, that take their time."""
        monkeypatch.setattr(node.clock, "monotonic", itertools.count(0, STEP_SECONDS).__next__)
        serving = Dispatcher(node).serve(json.dumps([request("evm_mine")] * 2).encode())

        found = [(pause, node.chain.height) for pause in serving]

        assert found == [(QUICK, 0), (SLOW, 0), (QUICK, 1), (SLOW, 1)]

    def test_short(self, node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
        """What takes no longer than a step is answered in one, but for what may take long."""
        monkeypatch.setattr(node.clock, "monotonic", lambda: 0.0)
        body = json.dumps([request(), request("eth_call", {"to": ALICE_HEX}), 7] * 2).encode()

        assert list(Dispatcher(node).serve(body)) == [SLOW, SLOW]

    @pytest.mark.parametrize("seconds", [0.9, 1.1])
    def test_deadlines(self, node: Node, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
        """Each request of a batch has all of the time; the observer after it has no deadline."""
        clock, timeout = Stopwatch(), STEP_SECONDS / 10
        monkeypatch.setattr(node.clock, "monotonic", lambda: clock.seconds)
        monkeypatch.setattr(node.clock, "cpu_time", clock)
        object.__setattr__(node.config, "request_timeout", timeout)

        def addresses() -> list[Address]:
            clock.seconds += seconds * timeout
            return [ALICE] * (PIECE + 1)  # of a long list the deadline is checked

        monkeypatch.setattr(node.accounts, "addresses", addresses)
        observed: list[tuple[int | None, bool]] = []

        def observe(call: Call) -> None:
            clock.seconds += timeout
            observed.append((call.code, deadline.expired()))

        body = json.dumps([request("eth_accounts")] * 3).encode()
        Dispatcher(node, observe).serve_now(body)

        assert observed == [(None if seconds < 1 else -32011, False)] * 3

    def test_bug(self, node: Node, caplog: pytest.LogCaptureFixture) -> None:
        """A bug in one request of a batch is an incident, and the others are answered."""
        caplog.set_level(logging.CRITICAL)
        del node.miner.coinbase
        batch = [request(each) for each in ("eth_chainId", "eth_coinbase", "eth_chainId")]

        answers = json.loads(Dispatcher(node).serve_now(json.dumps(batch).encode()) or b"")

        assert [each.get("error", {}).get("code") for each in answers] == [None, -32603, None]

    def test_bad_requests(self, node: Node) -> None:
        """A bad request of a batch counts for the client before the next one is answered."""
        read = request("sco_peerList")
        batch = [read, request("eth_nothing"), read]

        answer = finish(Dispatcher(node).serve(json.dumps(batch).encode(), "192.0.2.1")) or b""

        first, _, last = json.loads(answer)
        assert [len(first["result"]), last["result"][0]["score"]] == [0, -1]

    def test_cost(self, node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
        """Another call in a batch takes few calls of Python functions."""
        monkeypatch.setattr(node.clock, "monotonic", lambda: 0.0)
        dispatcher = Dispatcher(node)
        batch = [request("eth_getBalance", ALICE_HEX, "latest")] * 11
        bodies = [json.dumps(each).encode() for each in (batch, batch[:1], batch)]

        _, one, all_ = [
            calls_of(lambda each=each: finish(dispatcher.serve(each, "127.0.0.1")))  # type: ignore[misc]
            for each in bodies
        ]

        assert (all_ - one) / 10 <= MAX_CALLS


MAX_CALLS = 23
"""A tenth above what was counted on CPython 3.11, with `calls_of`."""


class TestServe:
    @pytest.mark.parametrize(
        ("body", "pace"),
        [
            (request(), []),
            (request("eth_call", {"to": ALICE_HEX}), [SLOW]),
            (request("eth_getBalance", ALICE_HEX, "pending"), [SLOW]),
            (request("eth_getBalance", ALICE_HEX, "latest"), []),
            (request("eth_chainId", "x" * LARGE_BODY_BYTES), [SLOW]),
            ({"method": ["eth_call"]}, []),
            (request("evm_mine", {"blocks": 2 * BLOCKS_PER_SLICE}), [SLOW, SLOW]),
        ],
        ids=["quick", "slow", "pending", "latest", "large", "no-name", "slices"],
    )
    def test_pace(self, node: Node, body: object, pace: list[bool]) -> None:
        """A slice that may take long is announced: a contract, a pending block, a large body."""
        paces = list(Dispatcher(node).serve(json.dumps(body).encode()))

        assert paces[: len(pace)] == pace
        assert set(paces[len(pace) :]) <= {SLOW}

    def test_kept(self, node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
        """What a batch keeps until its end is counted: the parsed requests, and each response.

        The last one is sent at once.
        """
        monkeypatch.setattr(node.clock, "monotonic", itertools.count(0, STEP_SECONDS).__next__)
        body = json.dumps([request("web3_clientVersion")] * 3).encode()
        kept: list[int] = []
        steps = Dispatcher(node).serve(body, None, kept.append)

        next(steps)  # before the first
        next(steps)
        first, second = kept
        answer = json.loads(finish(steps) or b"")

        assert first > len(body)
        assert second > len(json.dumps(answer[0], separators=(",", ":")))
        assert kept[2:] == [second, second]

    def test_kept_of_one(self, node: Node) -> None:
        """What is kept of a long answer until it is sent is counted, too."""
        kept: list[int] = []
        body = json.dumps(request("evm_mine_detailed", {"blocks": 200})).encode()

        answer = finish(Dispatcher(node).serve(body, None, kept.append))

        assert isinstance(answer, StreamedJson)
        assert PIECE_BYTES < sum(kept) < 3 * PIECE_BYTES + 200 * REFERENCE_BYTES
        assert sum(map(len, answer.pieces)) > 2 * sum(kept)


HOSTILE = {
    "nothing": b"",
    "white space": b" \n",
    "half": b'{"jsonrpc":"2.0"',
    "single quotes": b"{'id':1}",
    "two values": b"{}{}",
    "trailing comma": b"[1,]",
    "comment": b"{} // x",
    "byte order mark": b"\xef\xbb\xbf" + json.dumps(request()).encode(),
    "UTF-16": json.dumps(request()).encode("utf-16"),
    "UTF-32": json.dumps(request()).encode("utf-32"),
    "not UTF-8": b'{"id":"\xff"}',
    "overlong UTF-8": b'{"id":"\xc0\x80"}',
    "surrogate in UTF-8": b'{"id":"\xed\xa0\x80"}',
    "lone high surrogate": b'{"id":1,"method":"\\ud800"}',
    "lone low surrogate": b'{"id":1,"method":"\\udc00x"}',
    "control character": b'{"id":"\x00"}',
    "NaN": b'{"id":NaN}',
    "Infinity": b"[Infinity]",
    "too large a float before NaN": b'{"id":1e999,"params":[NaN]}',
    "too large a float in too deep arrays": b"[" * 100_000 + b"1e999" + b"]" * 100_000,
    "too large a float before a bad one": b"[1e999,1.2.3]",
    "too large a float before half a string": b'[1e999,"1',
    "duplicate keys": b'{"id":1,"id":1,"method":"eth_chainId"}',
    "duplicate keys far inside": b'{"id":1,"method":"eth_chainId","params":[{"a":1,"\\u0061":2}]}',
    "arrays 100,000 deep": b"[" * 100_000 + b"]" * 100_000,
    "open arrays 100,000 deep": b"[" * 100_000,
    "objects 100,000 deep": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "arrays 5,000 deep in params": b'{"id":1,"method":"eth_call","params":'
    + b"[" * 5_000
    + b"]" * 5_000
    + b"}",
    "leading zero": b'{"id":01}',
    "hex number": b'{"id":0x1}',
}


class TestParse:
    @pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
    def test_hostile(self, ask: Ask, body: bytes) -> None:
        """A body that is not strict JSON, or too deep to be harmless, is a parse error."""
        actual = ask(body)

        assert (actual["id"], actual["error"]["code"]) == (None, -32700)
        assert actual["error"]["message"].startswith("the body is not valid JSON: ")

    @pytest.mark.parametrize("depth", [100, 1_000])
    def test_deep(self, ask: Ask, depth: int) -> None:
        """Deeply nested params are parsed and refused by type."""
        nested = b"[" * depth + b"]" * depth
        body = b'{"id":1,"method":"eth_getBalance","params":[' + nested + b"]}"

        assert ask(body) == error(
            -32602, "argument address: want DATA such as 0x12ab, got an array"
        )


class TestUnknownMethod:
    @pytest.mark.parametrize(
        ("name", "hint"),
        [
            ("eth_getBalnce", ", did you mean eth_getBalance?"),
            ("eth_nothingLikeIt", ""),
            ("eth_chainid", ", did you mean eth_chainId?"),
            ("evm_snapshoot", ", did you mean evm_snapshot?"),
            ("", ""),
            ("completely different", ""),
        ],
    )
    def test_hint(self, ask: Ask, name: str, hint: str) -> None:
        """The message suggests a similar name."""
        assert ask(request(name)) == error(
            -32601, f"the method {name} does not exist/is not available{hint}"
        )

    def test_long_name(self, ask: Ask) -> None:
        """A long name is shortened in the message."""
        assert ask(request("é" * 100_000))["error"] == {
            "code": -32601,
            "message": "the method " + r"\xe9" * 15 + " does not exist/is not available",
        }

    @pytest.mark.parametrize("name", [*UNSUPPORTED, *DEPRECATED])
    def test_every_refused_name(self, ask: Ask, name: str) -> None:
        """Every unsupported method is refused as such."""
        actual = ask(request(name))["error"]

        assert actual["code"] == -32601
        assert actual["message"].startswith(f"{name} is not supported: ")

    @pytest.mark.parametrize("name", ["__class__", "eth_", "rpc", "eth_chainId ", "ETH_CHAINID"])
    def test_no_luck(self, ask: Ask, name: str) -> None:
        """Only exact names of methods are methods."""
        assert ask(request(name))["error"]["code"] == -32601


class TestHosted:
    @pytest.fixture
    def config(self, config: Config) -> Config:
        """The hosted service."""
        return replace(config, hosted=True, api_key=("key",))

    @pytest.mark.parametrize("name", [name for name, each in METHODS.items() if not each.hosted])
    def test_not_offered(self, ask: Ask, name: str) -> None:
        """Methods outside the specification's first table are disabled."""
        assert ask(request(name)) == error(
            -32601,
            f"the hosted service does not offer {name}: start without --hosted to use it",
        )

    @pytest.mark.parametrize("name", [name for name, each in METHODS.items() if each.hosted])
    def test_offered(self, ask: Ask, name: str) -> None:
        """Methods of the table are enabled."""
        actual = ask(request(name))

        assert actual.get("error", {}).get("code") != -32601

    @pytest.mark.parametrize(
        ("name", "params"),
        [
            ("eth_getUncleCountByBlockNumber", ["pending"]),
            ("eth_getCode", [ALICE_HEX, "pending"]),
            ("eth_getBlockByNumber", ["pending", False]),
            ("eth_getTransactionByBlockNumberAndIndex", ["pending", "0x0"]),
        ],
    )
    def test_pending_refused(self, ask: Ask, name: str, params: list[object]) -> None:
        """`pending` is refused for the methods that the specification marks."""
        assert ask(request(name, *params)) == error(
            -32201, f"{name} does not take 'pending' on the hosted service: use 'latest'"
        )

    @pytest.mark.parametrize(
        ("name", "params"),
        [
            ("eth_getBalance", [ALICE_HEX, "pending"]),
            ("eth_getTransactionCount", [ALICE_HEX, "pending"]),
            ("eth_getStorageAt", [ALICE_HEX, "0x0", "pending"]),
            ("eth_getBlockTransactionCountByNumber", ["pending"]),
            ("eth_call", [{"to": ALICE_HEX}, "pending"]),
            ("eth_estimateGas", [{"to": ALICE_HEX}, "pending"]),
            ("eth_getLogs", [{"fromBlock": "pending"}]),
            ("eth_getBlockByNumber", ["latest"]),
            ("eth_getCode", [ALICE_HEX, "latest"]),
            ("eth_call", [{"to": ALICE_HEX}, "latest", {ALICE_HEX: {"balance": "0x1"}}]),
            ("eth_estimateGas", [{"to": ALICE_HEX}]),
            ("eth_getBalance", [ALICE_HEX]),
            ("eth_getTransactionCount", [ALICE_HEX]),
            ("eth_getStorageAt", [ALICE_HEX, "0x0", "latest"]),
            ("eth_getLogs", [{}]),
        ],
    )
    def test_accepted(self, ask: Ask, name: str, params: list[object]) -> None:
        """Other methods accept it; what the specification marks as optional may be left out."""
        assert "result" in ask(request(name, *params))

    @pytest.mark.parametrize(
        ("name", "params", "message"),
        [
            (
                "eth_call",
                [{"to": ALICE_HEX}],
                "eth_call takes (request, block, overrides?, block_overrides?): got 1 argument",
            ),
            (
                "eth_call",
                [{"to": ALICE_HEX}, None],
                "eth_call takes (request, block, overrides?, block_overrides?): got 1 argument",
            ),
            (
                "eth_call",
                [{"to": ALICE_HEX}, None, {}],
                (
                    "argument block: want a block number, tag or hash: want a QUANTITY such as "
                    "0x1f, got null; tags are latest, earliest, pending, safe, finalized"
                ),
            ),
            ("eth_call", [{"data": "0x00"}, "latest"], "argument request: to is required"),
            ("eth_call", [{"to": None}, "latest"], "argument request: to is required"),
            ("eth_call", [{"to": "0x"}, "latest"], "argument request: to is required"),
            ("eth_call", [[], "latest"], "argument request: want an object, got an array"),
            ("eth_estimateGas", [{"data": "0x00"}], "argument request: to is required"),
            (
                "eth_getCode",
                [ALICE_HEX],
                "eth_getCode takes (address, block): got 1 argument",
            ),
            (
                "eth_getStorageAt",
                [ALICE_HEX, "0x0"],
                "eth_getStorageAt takes (address, slot, block): got 2 arguments",
            ),
        ],
    )
    def test_required(self, ask: Ask, name: str, params: list[object], message: str) -> None:
        """What the specification requires is required."""
        assert ask(request(name, *params)) == error(-32602, message)


class TestNotHosted:
    @pytest.mark.parametrize(
        ("name", "params"),
        [
            ("eth_call", [{"data": "0x00"}]),
            ("eth_estimateGas", [{"data": "0x00"}]),
            ("eth_getCode", [ALICE_HEX]),
            ("eth_getStorageAt", [ALICE_HEX, "0x0"]),
        ],
    )
    def test_nothing_required(self, ask: Ask, name: str, params: list[object]) -> None:
        """A node that is not hosted has defaults where the specification requires a parameter."""
        assert "result" in ask(request(name, *params))


class TestIncident:
    @pytest.fixture
    def broken(self, node: Node) -> Dispatcher:
        """A dispatcher of a node with a bug."""
        del node.miner.coinbase
        return Dispatcher(node)

    def test_answer(self, broken: Dispatcher, caplog: pytest.LogCaptureFixture) -> None:
        """A bug is -32603 with the number under which the log has the traceback."""
        reply = broken.answer(request("eth_coinbase"))

        assert reply is not None
        number = reply["error"]["message"].split()[7]
        assert reply["error"] == {
            "code": -32603,
            "message": f"internal error: a bug in devchain, incident {number} in its log",
        }
        (record,) = caplog.records
        assert record.getMessage() == f"incident {number} in 'eth_coinbase'"
        assert record.exc_info is not None


class TestObserver:
    @pytest.fixture
    def seen(self) -> list[Call]:
        """The observed calls."""
        return []

    @pytest.fixture
    def watched(self, node: Node, seen: list[Call]) -> Dispatcher:
        """A dispatcher with an observer."""
        return Dispatcher(node, seen.append)

    def test_success(self, watched: Dispatcher, seen: list[Call]) -> None:
        """A successful call has no code."""
        watched.answer(request("eth_getBalance", ALICE_HEX))

        (call,) = seen
        assert (call.method, call.params, call.code, call.message) == (
            "eth_getBalance",
            [ALICE_HEX],
            None,
            "",
        )
        assert call.seconds >= 0

    def test_error(self, watched: Dispatcher, seen: list[Call]) -> None:
        """A failed call has the code and message of its response."""
        reply = watched.answer(request("eth_getBalance", params={}))

        (call,) = seen
        assert reply is not None
        assert {"code": call.code, "message": call.message} == reply["error"]
        assert call.params == []

    def test_batch(self, watched: Dispatcher, seen: list[Call]) -> None:
        """Every call of a batch is observed."""
        watched.serve_now(json.dumps([request("eth_chainId"), request("net_version")]).encode())

        assert [call.method for call in seen] == ["eth_chainId", "net_version"]
