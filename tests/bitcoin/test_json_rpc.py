"""`devchain.bitcoin.json_rpc`"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devchain.bitcoin import rpc_chain, rpc_wallet
from devchain.bitcoin.bitcoin_node import BitcoinNode
from devchain.bitcoin.json_rpc import METHODS, Request, answer, bitcoins, satoshis
from devchain.clock import Clock
from devchain.config import MNEMONIC

assert rpc_chain
assert rpc_wallet


@pytest.fixture
def request_of() -> Request:
    return Request(BitcoinNode(MNEMONIC, Clock(1_700_000_000)), None)


def ask(request: Request, call: Any) -> tuple[int, Any]:
    """Status and answer of a call."""
    status, body = answer(request, json.dumps(call).encode())
    return status, json.loads(body) if body else None


class TestForms:
    """Forms and statuses are those of Bitcoin Core's httprpc.cpp and rpc/request.cpp."""

    def test_first_version(self, request_of: Request) -> None:
        """Without a version both result and error are there, and an error is status 500."""
        good = ask(request_of, {"id": "a", "method": "getblockcount"})
        bad = ask(request_of, {"id": 1, "method": "getblockhash", "params": [-1]})

        assert good == (200, {"result": 110, "error": None, "id": "a"})
        error = {"code": -8, "message": "Block height out of range"}
        assert bad == (500, {"result": None, "error": error, "id": 1})

    def test_second_version(self, request_of: Request) -> None:
        """With 2.0 only one of them is there, and the status is 200."""
        status, answered = ask(request_of, {"jsonrpc": "2.0", "id": 1, "method": "no"})

        assert status == 200
        error = {"code": -32601, "message": "Method not found"}
        assert answered == {"jsonrpc": "2.0", "error": error, "id": 1}

    def test_notification(self, request_of: Request) -> None:
        """A call of 2.0 without an id has no answer."""
        call = {"jsonrpc": "2.0", "method": "getblockcount"}

        assert ask(request_of, call) == (204, None)

    def test_statuses(self, request_of: Request) -> None:
        assert ask(request_of, {"id": 1, "method": "no"})[0] == 404
        assert ask(request_of, {"id": 1})[0] == 400
        assert answer(request_of, b"{")[0] == 500

    def test_batch(self, request_of: Request) -> None:
        status, answers = ask(request_of, [{"id": 1, "method": "getblockcount"}, 5])

        assert status == 200
        assert [one["id"] for one in answers] == [1, None]
        assert answers[1]["error"]["code"] == -32600

    def test_named(self, request_of: Request) -> None:
        """Parameters can have names, and `args` those without."""
        call = {"id": 1, "method": "getblockhash", "params": {"height": 0}}
        mixed = {"id": 1, "method": "getblock", "params": {"args": [], "verbosity": 0}}
        other = {"id": 1, "method": "getblockhash", "params": {"number": 0}}

        assert ask(request_of, call)[1]["result"].startswith("0f9188f1")
        assert ask(request_of, mixed)[1]["error"] == {
            "code": -1,
            "message": "getblock blockhash ( verbosity )",
        }
        assert ask(request_of, other)[1]["error"]["code"] == -8
        assert ask(request_of, call | {"params": {"args": 5}})[1]["error"]["code"] == -1

    def test_types(self, request_of: Request) -> None:
        """A value of another type is refused as bitcoind refuses it."""
        call = {"id": 1, "method": "getblock", "params": [5]}

        error = ask(request_of, call)[1]["error"]

        assert error["code"] == -3
        assert "JSON value of type number is not of expected type string" in error["message"]


class TestAmounts:
    @given(st.integers(0, 21_000_000 * 10**8))
    def test_round_trip(self, amount: int) -> None:
        """Every amount is read back as it was written."""
        assert satoshis(float(bitcoins(amount))) == amount

    def test_written(self) -> None:
        """Amounts have eight decimals and no exponent."""
        NODE.restore(FIRST)
        NODE.chain.mine(b"\x51", [], 1 - 50 * 10**8, 0)
        call = {"id": 1, "method": "getblock", "params": [NODE.chain.tip.hash.hex(), 2]}

        _, body = answer(Request(NODE, None), json.dumps(call).encode())

        assert b'"value":0.00000001,' in body


HEX = ["00" * 32, "ff" * 80, "02000000" + "00" * 6, "cHNidP8BAAoAAAAAAAAAAAAAAA=="]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
NAMES = st.sampled_from(["txid", "vout", "data", "desc", "x"])
VALUES = st.recursive(
    SCALARS | st.sampled_from(HEX),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner),
    max_leaves=5,
)


class TestHostileInput:
    @given(st.sampled_from(sorted(METHODS)), st.lists(VALUES, max_size=6))
    def test_any_parameters(self, name: str, params: list[Any]) -> None:
        """Any parameters give a result or an error with bitcoind's codes."""
        request = Request(NODE, None)
        NODE.restore(FIRST)

        _, answered = ask(request, {"id": 1, "method": name, "params": params})

        assert answered["error"] is None or answered["error"]["code"] < 0

    @given(st.binary(max_size=300))
    def test_any_bytes(self, raw: bytes) -> None:
        """Any bytes as transaction give an error."""
        for name in ("sendrawtransaction", "fundrawtransaction", "decoderawtransaction"):
            call = {"id": 1, "method": name, "params": [raw.hex()]}
            assert ask(Request(NODE, None), call)[0] in {200, 500}


NODE = BitcoinNode(MNEMONIC, Clock(1_700_000_000))
FIRST = NODE.checkpoint()


class TestTime:
    def test_long_request(self) -> None:
        """A request ends after some seconds of CPU time, also within a batch."""
        ticks = iter(range(0, 10**6, 3))
        clock = Clock(1_700_000_000, cpu_time=lambda: float(next(ticks)))
        request = Request(BitcoinNode(MNEMONIC, clock), None)

        _, answers = ask(request, [{"id": at, "method": "getblockcount"} for at in range(9)])

        assert answers[0]["result"] == 110
        assert answers[-1]["error"]["message"] == "the request takes longer than 10 seconds"
