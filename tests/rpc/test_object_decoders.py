"""`devchain.rpc.object_decoders`"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from devchain.errors import InvalidParams
from devchain.presets import PRESETS
from devchain.rpc import object_decoders as requests
from devchain.rpc.scalar_decoders import DecodeContext
from devchain.tracing.options import TRACERS, TraceOptions, TraceQuery
from devchain.types import (
    ZERO_HASH,
    Authorization,
    Hash32,
    LogQuery,
    MineRequest,
    StateOverride,
    Tag,
    TransactionRequest,
)
from tests.accounts import ALICE, ALICE_HEX, BOB, BOB_HEX
from tests.rpc.refusals import refusal

HASH = Hash32(bytes.fromhex("c0" * 32))
HASH_HEX = "0x" + "c0" * 32
TOPIC = frozenset({HASH})
SIGNED = {
    "chainId": "0x0",
    "address": ALICE_HEX,
    "nonce": "0x2",
    "yParity": "0x1",
    "r": "0x3",
    "s": "0x4",
}


class TestTransactionRequest:
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ({}, TransactionRequest()),
            (
                {
                    "from": ALICE_HEX,
                    "to": BOB_HEX,
                    "gas": "0x5208",
                    "gasPrice": "0x1",
                    "value": 2,
                    "data": "0x12",
                    "nonce": "0x3",
                    "chainId": "0x1f",
                    "input": None,
                },
                TransactionRequest(ALICE, BOB, 21_000, 1, 2, b"\x12", 3, 31),
            ),
            ({"gasLimit": "0x7"}, TransactionRequest(gas=7)),
            ({"gas": "0x8", "gasLimit": "0x7"}, TransactionRequest(gas=8)),
            ({"to": None, "data": "0x00"}, TransactionRequest(data=b"\0")),
            ({"to": "0x", "data": "0x00"}, TransactionRequest(data=b"\0")),
            ({"input": "0x12"}, TransactionRequest(data=b"\x12")),
            ({"data": "0x12", "input": "0x12"}, TransactionRequest(data=b"\x12")),
        ],
        ids=str,
    )
    def test_read(
        self, context: DecodeContext, given: dict[str, Any], expected: TransactionRequest
    ) -> None:
        """Null members are absent; `gas` and `gasLimit`, `data` and `input` are one member each."""
        assert requests.transaction_request(given, context) == expected

    def test_unknown_members(self, context: DecodeContext) -> None:
        """Unknown members are ignored, as by all nodes, also those that clients add."""
        names = requests.OTHER_CALL_MEMBERS - requests.CALL.kinds.keys()
        others = dict.fromkeys(names - {"blobVersionedHashes"}, 1)
        given = {**others, "": [], "x" * 10**6: 1, **dict.fromkeys(map(str, range(10**4)), 1)}

        assert requests.transaction_request(given, context) == TransactionRequest()

    @pytest.mark.parametrize(
        ("name", "meant"),
        [
            ("valeu", "value"),
            ("Value", "value"),
            ("gasprice", "gasPrice"),
            ("gas_price", "gasPrice"),
            ("gas_limit", "gasLimit"),
            ("form", "from"),
            ("dat", "data"),
            ("max_fee_per_gas", "maxFeePerGas"),
            ("accesslist", "accessList"),
        ],
    )
    def test_misspelt_members(self, context: DecodeContext, name: str, meant: str) -> None:
        """A misspelt member is refused: it would count as absent. Other nodes ignore it."""
        given = {"chain": 1, "to": ALICE_HEX, name: "0x1"}

        with pytest.raises(InvalidParams) as raised:
            requests.transaction_request(given, context)

        assert str(raised.value) == f"unknown member '{name}': did you mean {meant}?"
        for each in ("rskj", "hardhat", "anvil", "ganache"):
            like = replace(context, preset=PRESETS[each])
            assert requests.transaction_request(given, like).to == ALICE

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ({}, None),
            ({"type": "0x0"}, 0),
            ({"type": 2}, 2),
            ({"type": "0x0", "maxFeePerGas": "0x1"}, 0),
            ({"accessList": []}, None),
            ({"accessList": None}, None),
            ({"accessList": [{"address": "0x" + "11" * 20, "storageKeys": ["0x1"]}]}, 1),
            ({"maxFeePerGas": "0x0"}, 2),
            ({"maxPriorityFeePerGas": "0x0"}, 2),
            ({"blobVersionedHashes": ["0x"], "maxFeePerGas": "0x1"}, 3),
            ({"authorizationList": [SIGNED], "maxFeePerGas": "0x1"}, 4),
        ],
        ids=str,
    )
    def test_type(
        self, context: DecodeContext, given: dict[str, Any], expected: int | None
    ) -> None:
        """The type is the `type` member, else the one that another member implies."""
        actual = requests.transaction_request(given, context)

        assert actual.type == expected

    @pytest.mark.parametrize(
        ("parity", "expected"), [({"yParity": 1}, 1), ({"yParity": None, "v": "0x1b"}, 0)], ids=str
    )
    def test_authorizations(
        self, context: DecodeContext, parity: dict[str, Any], expected: int
    ) -> None:
        """Authorizations are read with all members, the parity under either name."""
        actual = requests.transaction_request(
            {"authorizationList": [{**SIGNED, **parity}]}, context
        )

        assert actual.authorizations == (Authorization(0, ALICE, 2, expected, 3, 4),)

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ({"data": "0x12", "input": "0x13"}, "data and input differ: give one of them"),
            ({"data": "0x", "input": "0x13"}, "data and input differ: give one of them"),
            ({"from": "0x12"}, "from: want 20 bytes, got 1"),
            ({"to": "0x12"}, "to: want 20 bytes, got 1"),
            ({"gas": "1"}, "gas: want a QUANTITY such as 0x1f, got '1'"),
            ({"gasLimit": "1"}, "gasLimit: want a QUANTITY such as 0x1f, got '1'"),
            ({"gasPrice": -1}, "gasPrice: -1 is negative"),
            ({"value": 1.5}, "value: want a QUANTITY such as 0x1f, got a fraction"),
            ({"nonce": hex(2**64)}, f"nonce: '{2**64:#x}' is larger than 64 bits hold"),
            ({"chainId": True}, "chainId: want a QUANTITY such as 0x1f, got true"),
            ({"input": "0x1"}, "input: want an even number of hex digits, got 1"),
            ([], "want an object, got an array"),
            ("0x", "want an object, got text"),
            (None, "want an object, got null"),
        ],
    )
    def test_refused(self, context: DecodeContext, given: object, expected: str) -> None:
        """A bad member is refused by name."""
        actual = refusal(requests.transaction_request, given, context)

        assert actual == expected


class TestStateOverrides:
    def test_whole(self, context: DecodeContext) -> None:
        """An override set maps addresses to the changes of their accounts."""
        given = {
            ALICE_HEX: {"balance": "0x1", "nonce": "0x2", "code": "0x00"},
            BOB_HEX: {"stateDiff": {"0x0": "0x5", "0x" + "00" * 31 + "01": "0x06"}, "state": None},
        }

        actual = requests.state_overrides(given, context)

        assert actual == {
            ALICE: StateOverride(balance=1, nonce=2, code=b"\0"),
            BOB: StateOverride(state_diff={0: 5, 1: 6}),
        }

    def test_empty_state(self, context: DecodeContext) -> None:
        """An empty `state` clears all storage, which is not the same as none."""
        actual = requests.state_overrides({ALICE_HEX: {"state": {}}}, context)

        assert actual == {ALICE: StateOverride(state={})}

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            (
                {"state": {}, "stateDiff": {}},
                "state and stateDiff exclude each other: give one of them",
            ),
            (
                {"storage": {}},
                (
                    "unknown member 'storage': known are balance, code, movePrecompileToAddress, "
                    "nonce, state, stateDiff"
                ),
            ),
            ({"balance": "1"}, "balance: want a QUANTITY such as 0x1f, got '1'"),
            ({"nonce": hex(2**64)}, f"nonce: '{2**64:#x}' is larger than 64 bits hold"),
            ({"code": "0x1"}, "code: want an even number of hex digits, got 1"),
            ({"state": []}, "state: want an object, got an array"),
            ({"stateDiff": {"a": "0x1"}}, "stateDiff: want a QUANTITY such as 0x1f, got 'a'"),
            (
                {"stateDiff": {"0x0": None}},
                "stateDiff: 0x0: want a QUANTITY such as 0x1f, got null",
            ),
            (
                {"stateDiff": {"0x0": "0x" + "00" * 33}},
                f"stateDiff: 0x0: want at most 32 bytes, got '0x{'00' * 33}'",
            ),
            (
                {"state": {"0x" + "00" * 33: "0x0"}},
                f"state: want at most 32 bytes, got '0x{'00' * 33}'",
            ),
            (
                {"state": {"0x0": "0x5", "0x00": "0x6"}},
                "state: '0x00' is given twice, in two spellings",
            ),
            (
                {"stateDiff": {"0xa": "0x5", "0xA": "0x5"}},
                "stateDiff: '0xA' is given twice, in two spellings",
            ),
            (None, "want an object, got null"),
        ],
    )
    def test_refused(self, context: DecodeContext, given: object, expected: str) -> None:
        """A bad override is refused by address and member."""
        actual = refusal(requests.state_overrides, {ALICE_HEX: given}, context)

        assert actual == f"{ALICE_HEX}: {expected}"

    def test_bad_address(self, context: DecodeContext) -> None:
        """A key that is no address is refused."""
        assert refusal(requests.state_overrides, {"0x12": {}}, context) == "want 20 bytes, got 1"

    def test_two_spellings(self, context: DecodeContext) -> None:
        """An address is there once, whatever the case of its letters."""
        given: dict[str, object] = {ALICE_HEX: {}, "0x" + ALICE_HEX[2:].upper(): {}}

        actual = refusal(requests.state_overrides, given, context)

        assert actual == f"'0x{ALICE_HEX[2:].upper()}' is given twice, in two spellings"


class TestLogQuery:
    def test_members(self, context: DecodeContext) -> None:
        """Misspelt members are refused, which would make the query another; others are ignored."""
        assert requests.log_query({"from": "0x1", "limit": 1}, context) == LogQuery()
        for name, meant in (("adress", "address"), ("fromblock", "fromBlock"), ("topic", "topics")):
            assert refusal(requests.log_query, {name: ALICE_HEX}, context) == (
                f"unknown member '{name}': did you mean {meant}?"
            )

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            (dict.fromkeys(("fromBlock", "toBlock", "blockHash", "address", "topics")), LogQuery()),
            ({"fromBlock": "0x1", "toBlock": "latest"}, LogQuery(1, Tag.LATEST)),
            ({"blockHash": HASH_HEX, "fromBlock": None}, LogQuery(block_hash=HASH)),
            ({"address": ALICE_HEX}, LogQuery(addresses=frozenset({ALICE}))),
            ({"address": [ALICE_HEX, BOB_HEX]}, LogQuery(addresses=frozenset({ALICE, BOB}))),
            ({"address": []}, LogQuery()),
            ({"topics": []}, LogQuery()),
            ({"topics": HASH_HEX}, LogQuery(topics=(TOPIC,))),
            ({"topics": [HASH_HEX]}, LogQuery(topics=(TOPIC,))),
            ({"topics": [None, HASH_HEX]}, LogQuery(topics=(None, TOPIC))),
            ({"topics": [[]]}, LogQuery(topics=(None,))),
            ({"topics": [[None, HASH_HEX]]}, LogQuery(topics=(None,))),
            ({"topics": [[HASH_HEX, "0x" + "00" * 32]]}, LogQuery(topics=(TOPIC | {ZERO_HASH},))),
        ],
    )
    def test_read(self, context: DecodeContext, given: object, expected: LogQuery) -> None:
        """Bounds or one block, one address or several, null or alternatives at each position."""
        assert requests.log_query(given, context) == expected

    @pytest.mark.parametrize("bound", ["fromBlock", "toBlock"])
    def test_block_hash_and_bound(self, context: DecodeContext, bound: str) -> None:
        """A block hash and a bound exclude each other."""
        actual = refusal(requests.log_query, {"blockHash": HASH_HEX, bound: "0x0"}, context)

        assert actual == (
            "cannot specify both blockHash and fromBlock/toBlock: choose one or the other"
        )

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ({"topics": [None] * 5}, "topics: a log has at most 4 topics, got 5"),
            ({"topics": ["0x12"]}, "topics: want 32 bytes, got 1"),
            ({"topics": [[[HASH_HEX]]]}, "topics: want DATA such as 0x12ab, got an array"),
            ({"topics": {}}, "topics: want DATA such as 0x12ab, got an object"),
            ({"address": "0x12"}, "address: want 20 bytes, got 1"),
            ({"address": [None]}, "address: want DATA such as 0x12ab, got null"),
            ({"blockHash": "0x12"}, "blockHash: want 32 bytes, got 1"),
            ([], "want an object, got an array"),
        ],
    )
    def test_refused(self, context: DecodeContext, given: object, expected: str) -> None:
        """A bad member is refused by name."""
        actual = refusal(requests.log_query, given, context)

        assert actual == expected

    def test_bad_bound(self, context: DecodeContext) -> None:
        """A bound that names no block is refused by name."""
        actual = refusal(requests.log_query, {"fromBlock": "first"}, context)

        assert actual.startswith("fromBlock: want a block number, tag or hash: ")


class TestMineRequest:
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ("0x10", MineRequest(timestamp=16)),
            (16, MineRequest(timestamp=16)),
            ("16", MineRequest(timestamp=16)),
            ({}, MineRequest()),
            ({"blocks": 3}, MineRequest(blocks=3)),
            ({"blocks": 0}, MineRequest(blocks=0)),
            ({"blocks": "0x3", "timestamp": "7"}, MineRequest(blocks=3, timestamp=7)),
        ],
    )
    def test_accepted(self, context: DecodeContext, given: object, expected: MineRequest) -> None:
        """A timestamp, or an object with number of blocks and timestamp."""
        actual = requests.mine_request(given, context)

        assert actual == expected

    @pytest.mark.parametrize(
        "given",
        [True, [], 1.5, "soon", {"block": 1}, {"blocks": -1}, {"blocks": []}, {"timestamp": {}}],
    )
    def test_refused(self, context: DecodeContext, given: object) -> None:
        """Anything else is refused."""
        refusal(requests.mine_request, given, context)


def mux(**parts: object) -> dict[str, object]:
    """Options for several tracers at once."""
    return {"tracer": "muxTracer", "tracerConfig": parts}


class TestTraceOptions:
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ({}, TraceOptions()),
            ({"tracer": None, "tracerConfig": None, "limit": None}, TraceOptions()),
            ({"tracer": ""}, TraceOptions()),
            ({"tracer": "RSKtracer"}, TraceOptions("rskTracer")),
            ({"disableStack": True, "limit": 5}, TraceOptions(disable_stack=True, limit=5)),
            ({"limit": "0x5", "enableMemory": "true"}, TraceOptions(enable_memory=True, limit=5)),
            ({"timeout": "5s", "reexec": 3, "disableStack": "false"}, TraceOptions()),
            (
                {"tracer": "callTracer", "tracerConfig": {"withLog": True}},
                TraceOptions("callTracer", with_log=True),
            ),
            (
                mux(callTracer={"withLog": True}, prestateTracer=None),
                TraceOptions(
                    "muxTracer",
                    parts=(
                        TraceOptions("callTracer", with_log=True),
                        TraceOptions("prestateTracer"),
                    ),
                ),
            ),
            (
                {"tracer": "callTracer", "onlyTopCall": True},
                TraceOptions("callTracer", only_top_call=True),
            ),
            ({"disableCode": None}, TraceOptions()),
            (
                {"stateOverrides": {ALICE_HEX: {"balance": "0x1"}}},
                TraceOptions(overrides={ALICE: StateOverride(balance=1)}),
            ),
        ],
    )
    def test_read(self, context: DecodeContext, given: object, expected: TraceOptions) -> None:
        """Options are read as clients of geth and of the real node write them."""
        assert requests.trace_options(given, context) == expected

    @pytest.mark.parametrize("name", TRACERS)
    def test_tracers(self, context: DecodeContext, name: str) -> None:
        """Each tracer goes by its name."""
        assert requests.trace_options({"tracer": name}, context).tracer == name

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ([], "want an object, got an array"),
            ({"tracer": "{step: function() {}}"}, "unknown tracer '{step: function() {}}': known"),
            ({"tracer": "noTracer"}, "known are callTracer, prestateTracer, 4byteTracer"),
            ({"tracer": "muxTracer"}, 'name its tracers as in {"tracerConfig": {"callTracer"'),
            (mux(muxTracer=mux(callTracer={})), "unknown tracer 'muxTracer'"),
            (mux(noTracer={}), "unknown tracer 'noTracer'"),
            (mux(callTracer=5), "want an object, got a number"),
            ({"tracer": 5}, "unknown tracer 5"),
            ({"tracerConfig": 5}, "want an object, got a number"),
            ({"limit": -1}, "limit: -1 is negative"),
            ({"withLog": 1}, "withLog: want true or false, got a number"),
            ({"withLog": "yes"}, "withLog: want true or false, got text"),
            ({"diffMode": True, "includeEmpty": True}, "diffMode and includeEmpty exclude"),
            ({"blockOverrides": {"height": 1}}, "unknown member 'height'"),
            ({"tracer": "x" * 1000}, "xxx...: known are"),
        ],
    )
    def test_refused(self, context: DecodeContext, given: object, expected: str) -> None:
        """Invalid options are refused; the message lists the valid ones."""
        assert expected in refusal(requests.trace_options, given, context)


class TestTraceQuery:
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ({}, TraceQuery()),
            ({"fromBlock": None, "count": None}, TraceQuery()),
            ({"fromBlock": "0x2", "toBlock": "latest"}, TraceQuery(2, Tag.LATEST)),
            ({"fromAddress": ALICE_HEX}, TraceQuery(senders=frozenset({ALICE}))),
            ({"toAddress": [ALICE_HEX, BOB_HEX]}, TraceQuery(receivers=frozenset({ALICE, BOB}))),
            ({"after": 3, "count": "0x2"}, TraceQuery(after=3, count=2)),
            ({"after": 10_000, "count": 10_000}, TraceQuery(after=10_000, count=10_000)),
        ],
    )
    def test_read(self, context: DecodeContext, given: object, expected: TraceQuery) -> None:
        """Bounds, accounts and a window, each optional."""
        most = context.max_traces
        assert requests.trace_query(given, context) == replace(
            expected, count=most if expected.count is None else expected.count
        )

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ("0x0", "Invalid trace_filter parameters. Want an object, got text"),
            ({"address": 1}, "Invalid trace_filter parameters. Unknown member 'address'"),
            ({"count": 10_001}, "Count value too big. Maximum 10000 traces allowed."),
            ({"after": 10_001}, "After value too big. Maximum 10000 traces allowed."),
            ({"after": -1}, "After value cannot be negative."),
            ({"count": "many"}, "count: want a QUANTITY"),
            ({"fromAddress": ["0x12"]}, "want 20 bytes, got 1"),
        ],
    )
    def test_refused(self, context: DecodeContext, given: object, expected: str) -> None:
        """The messages are the real node's, where it has one."""
        assert expected in refusal(requests.trace_query, given, context)
