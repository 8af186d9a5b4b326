"""Fuzzing: no request makes the node raise, answer -32603 or anything but JSON-RPC."""

from __future__ import annotations

import base64
import json
import lzma
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devchain.chain.block import Log
from devchain.config import Config
from devchain.errors import Simulation
from devchain.node import Node
from devchain.rpc.catalog import METHODS
from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.errors import CODES
from devchain.rpc.method import Method, Parameter
from devchain.rpc.scalar_decoders import (
    Amount,
    JsonMap,
    Loose,
    Milliseconds,
    Percentile,
    StorageKey,
    TypedData,
)
from devchain.tracing.options import TRACERS, TraceOptions, TraceQuery
from devchain.types import (
    Address,
    BlockOverride,
    BlockRef,
    Hash32,
    LogQuery,
    MineRequest,
    PlacedTransaction,
    SimulateRequest,
    StateOverrides,
    StateRef,
    TransactionRequest,
)
from tests.accounts import ALICE_HEX, BOB_HEX, UNFUNDED_HEX
from tests.conftest import GENESIS_TIME

METHODS_WITHOUT_ALIASES = {name: method for name, method in METHODS.items() if not method.is_alias}
CORPUS = Path(__file__).parents[2] / "shared/conformance/robustness/corpus.jsonl.xz"
KNOWN_CODES = {*CODES.values(), *Simulation}
HASH = "0x" + "ab" * 32


def corpus(kind: str) -> list[dict[str, Any]]:
    """The hostile inputs of a kind; none if the corpus is not available."""
    if not CORPUS.exists():
        return []
    with lzma.open(CORPUS) as lines:
        rows = [json.loads(line) for line in lines]
    return [row for row in rows if row["kind"] == kind]


@pytest.fixture
def config() -> Config:
    """A node with a low gas limit, so that no code runs for long."""
    return Config(network="test", fixed_clock=GENESIS_TIME, gas_limit=200_000, accounts=2)


@pytest.fixture
def dispatcher(node: Node) -> Dispatcher:
    """The dispatcher of that node."""
    return Dispatcher(node)


def replies(dispatcher: Dispatcher, body: bytes) -> list[dict[str, Any]]:
    """The checked responses to a body."""
    answer = dispatcher.serve_now(body)
    if answer is None:
        return []
    decoded = json.loads(answer)
    found = decoded if isinstance(decoded, list) else [decoded]
    for reply in found:
        check(reply, body)
    return found


def check(reply: Any, body: bytes) -> None:
    """Fail unless it is a JSON-RPC response: a result, or an error with a known code."""
    details = f"{body[:500]!r} was answered {str(reply)[:500]}"
    assert isinstance(reply, dict), details
    assert set(reply) in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"}), details
    assert reply["jsonrpc"] == "2.0", details
    if "error" in reply:
        assert set(reply["error"]) <= {"code", "message", "data"}, details
        assert reply["error"]["code"] in KNOWN_CODES, details
        assert reply["error"]["message"], details
        assert len(reply["error"]["message"]) < 2_000, details


def body_of(method: str, params: object) -> bytes:
    """A request as bytes, lone surrogates escaped."""
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return json.dumps(request).encode()


PLAIN: dict[Any, Any] = {
    int: "0x1",
    bytes: "0x1234",
    bool: True,
    str: "text",
    Loose: 1,
    Amount: "0x1",
    Amount | None: "0x1",
    Milliseconds: 1000,
    list[Percentile] | None: [50],
    TypedData: {"types": {}, "domain": {}, "message": {}},
    str | None: "text",
    list[PlacedTransaction]: [["0x1234", 0]],
    list[TransactionRequest]: [{"to": BOB_HEX}],
    list[Log]: [{"address": BOB_HEX}],
    list[Address]: [ALICE_HEX],
    Address: ALICE_HEX,
    Address | None: ALICE_HEX,
    Hash32: HASH,
    BlockRef: "latest",
    StateRef: "latest",
    TransactionRequest: {"from": ALICE_HEX, "to": BOB_HEX},
    StateOverrides: {BOB_HEX: {"balance": "0x1"}},
    StateOverrides | None: {},
    BlockOverride | None: {"number": "0x1"},
    LogQuery: {"fromBlock": "0x0"},
    LogQuery | bool | None: True,
    JsonMap: {"abi": []},
    JsonMap | None: {},
    MineRequest | None: {},
    SimulateRequest: {"blockStateCalls": [{}]},
    Loose | None: 1,
    list[int]: ["0x0"],
    list[int] | None: ["0x0"],
    list[StorageKey]: ["0x0"],
    TraceOptions: {"tracer": "callTracer"},
    TraceQuery: {"fromBlock": "0x0"},
}
"""A valid value for each type of parameter."""


def plain(parameter: Parameter) -> Any:
    """A valid value for a parameter."""
    return PLAIN[parameter.hint]


NESTED: dict[Any, list[Any]] = {
    StateRef: [
        {"blockHash": ..., "transactionIndex": 0},
        {"blockNumber": ..., "transactionIndex": 0},
        {"blockNumber": 0, "transactionIndex": ...},
    ],
    BlockRef: [
        {"blockHash": ...},
        {"blockNumber": ...},
        {"blockNumber": 0, "requireCanonical": ...},
    ],
    TransactionRequest: [
        {**PLAIN[TransactionRequest], name: ...}
        for name in ("from", "to", "gas", "gasPrice", "value", "nonce", "data", "type", "chainId")
    ],
    StateOverrides | None: [
        {BOB_HEX: {name: ...}} for name in ("balance", "nonce", "code", "state", "stateDiff")
    ]
    + [{BOB_HEX: {"state": {"0x0": ...}}}, {BOB_HEX: ...}],
    BlockOverride | None: [
        {name: ...}
        for name in ("number", "time", "gasLimit", "feeRecipient", "prevRandao", "baseFeePerGas")
    ]
    + [{"blockHash": ...}, {"blockHash": {"0x0": ...}}],
    JsonMap: [
        {"abi": ...},
        {"abi": [{"inputs": [...]}]},
        {"abi": [{"inputs": [{"type": ...}]}]},
        {"abi": [], "bytecode": ...},
        {"contracts": {"a.sol": {"A": ...}}},
        {"output": ...},
    ],
    LogQuery: [
        {"fromBlock": ...},
        {"toBlock": ...},
        {"blockHash": ...},
        {"address": ...},
        {"address": [...]},
        {"topics": ...},
        {"topics": [...]},
        {"topics": [[...]]},
    ],
    list[TransactionRequest]: [[...], [{"to": ...}], [{"to": BOB_HEX, "data": ...}]],
    list[Log]: [
        [...],
        [{"address": ...}],
        [{"address": BOB_HEX, "topics": ...}],
        [{"address": BOB_HEX, "topics": [...], "data": ...}],
    ],
    list[Address]: [[...]],
    list[PlacedTransaction]: [[...], [["0x", ...]], [[..., 0]], [[{"to": ...}, 0]]],
    Milliseconds: [[...], [1000, ...]],
    list[Percentile] | None: [[...]],
    TypedData: [{"types": ...}, {"types": {}, "primaryType": ..., "domain": {}, "message": {}}],
    MineRequest | None: [{"blocks": ...}, {"timestamp": ...}],
    SimulateRequest: [
        {"blockStateCalls": ...},
        {"blockStateCalls": [...]},
        {"blockStateCalls": [{"calls": ..., "stateOverrides": {}}]},
        {"blockStateCalls": [{"calls": [...], "blockOverrides": {}}]},
        {"blockStateCalls": [{"blockOverrides": ...}], "validation": ...},
    ],
    list[int]: [[...]],
    list[int] | None: [[...]],
    list[StorageKey]: [[...]],
    TraceOptions: [
        {"tracer": ...},
        {"tracerConfig": ...},
        {"tracerConfig": {"withLog": ...}},
        {"limit": ...},
        {"disableStack": ...},
        {"stateOverrides": ...},
    ],
    TraceQuery: [{name: ...} for name in ("fromBlock", "toBlock", "fromAddress", "after", "count")],
}
"""Values of nested parameters with `...` in the place of the hostile value."""


def fill(shape: Any, value: object) -> Any:
    """The shape with the value instead of `...`."""
    if shape is ...:
        return value
    if isinstance(shape, dict):
        return {name: fill(each, value) for name, each in shape.items()}
    return [fill(each, value) for each in shape] if isinstance(shape, list) else shape


def places(method: Method, value: object) -> Iterator[list[Any]]:
    """Parameter lists of a method with that value in one place, valid elsewhere."""
    good = [plain(each) for each in method.parameters]
    for index, parameter in enumerate(method.parameters):
        for shape in (..., *NESTED.get(parameter.hint, [])):
            yield [*good[:index], fill(shape, value), *good[index + 1 :]]


def test_every_type_of_parameter_is_tried() -> None:
    """There is a valid value and a strategy for each type of parameter."""
    hints = {each.hint for method in METHODS.values() for each in method.parameters}

    assert hints <= PLAIN.keys()
    assert hints <= STRATEGIES.keys()


BODIES = corpus("json")
STRINGS = corpus("string")
TRANSACTIONS = corpus("tx")

needs_corpus = pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not available")


@needs_corpus
class TestBodies:
    @pytest.mark.parametrize("row", BODIES, ids=[row["name"] for row in BODIES])
    def test_everywhere(self, dispatcher: Dispatcher, row: dict[str, Any]) -> None:
        """A hostile body is answered alone, in a batch, as params, member and parameter."""
        body = base64.b64decode(row["body"])
        around = [
            (b"", b""),
            (b"[", b"]"),
            (b'{"id":1,"method":"eth_call","params":', b"}"),
            (b'{"id":', b',"method":"eth_chainId"}'),
            (b'{"id":1,"method":', b"}"),
            (b'{"id":1,"method":"eth_chainId","jsonrpc":', b"}"),
            *(
                (f'{{"id":1,"method":"{name}","params":['.encode(), b"]}")
                for name in ("eth_call", "eth_getBalance", "eth_getLogs", "evm_mine", "web3_sha3")
            ),
        ]

        for before, after in around:
            replies(dispatcher, before + body + after)


@needs_corpus
@pytest.mark.parametrize("method", METHODS_WITHOUT_ALIASES.values(), ids=METHODS_WITHOUT_ALIASES)
class TestStrings:
    def test_in_every_place(self, dispatcher: Dispatcher, method: Method) -> None:
        """A hostile string is answered in every place of every method."""
        # Any text is a valid passphrase, and encrypting a key with it is slow: a few suffice.
        rows = STRINGS[::40] if method.name.startswith("personal_") else STRINGS
        for row in rows:
            for params in places(method, row["text"]):
                replies(dispatcher, body_of(method.name, params))

    def test_as_a_key(self, dispatcher: Dispatcher, method: Method) -> None:
        """A hostile string is answered as the name of a member."""
        for row in STRINGS[::10]:
            for params in places(method, {row["text"]: row["text"]}):
                replies(dispatcher, body_of(method.name, params))


@needs_corpus
class TestNames:
    def test_as_a_method(self, dispatcher: Dispatcher) -> None:
        """A hostile string is not a method."""
        for row in STRINGS:
            for reply in replies(dispatcher, body_of(row["text"], [])):
                assert reply["error"]["code"] in {-32601, -32700}

    def test_as_an_id(self, dispatcher: Dispatcher) -> None:
        """A hostile string as id is returned unchanged."""
        for row in STRINGS:
            body = json.dumps({"id": row["text"], "method": "eth_chainId"}).encode()
            for reply in replies(dispatcher, body):
                assert reply["id"] in {row["text"], None}


@needs_corpus
class TestTransactions:
    @pytest.mark.parametrize("row", TRANSACTIONS, ids=[row["name"] for row in TRANSACTIONS])
    def test_sent(self, dispatcher: Dispatcher, row: dict[str, Any]) -> None:
        """An invalid transaction is refused; a valid one is decoded."""
        (reply,) = replies(dispatcher, body_of("eth_sendRawTransaction", [row["rlp"]]))

        code = reply.get("error", {}).get("code")
        assert code in ({None, -32010} if row["valid"] else {-32602, -32010})

    @pytest.mark.parametrize("method", ["eth_call", "eth_estimateGas", "web3_sha3", "eth_sign"])
    def test_as_data(self, dispatcher: Dispatcher, method: str) -> None:
        """The bytes of a transaction are answered wherever DATA is accepted, as code too."""
        for row in TRANSACTIONS:
            for params in places(METHODS[method], row["rlp"]):
                replies(dispatcher, body_of(method, params))


# Random parameters by type

edges = st.sampled_from(
    [0, 1, 2, 21_000, 2**31, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**255, 2**256 - 1, 2**256]
)
numbers = st.one_of(edges, st.integers(0, 64))
written = st.one_of(
    numbers.map(hex),
    numbers.map(str),
    numbers,
    numbers.map(lambda number: f"0x{number:066x}"),
    numbers.map(lambda number: -number),
)
few = st.sampled_from([0, 1, 3, "0x2", "3", 100_001, 2**64 - 1, 2**64, "-1", -1, 1.5, None])
hexes = st.one_of(
    st.binary(max_size=80).map(lambda raw: "0x" + raw.hex()),
    st.sampled_from([0, 1, 19, 20, 21, 31, 32, 33, 256]).map(lambda size: "0x" + "5b" * size),
    st.text("0123456789abcdefABCDEFxX", max_size=70).map(lambda text: "0x" + text),
)
addresses = st.sampled_from(
    [ALICE_HEX, BOB_HEX, UNFUNDED_HEX, *(f"0x{number:040x}" for number in range(12))]
)
blocks = st.one_of(
    st.sampled_from(["latest", "earliest", "pending", "safe", "finalized", "", "Latest"]),
    written,
    hexes,
    st.fixed_dictionaries(
        {}, optional={"blockHash": hexes, "blockNumber": written, "requireCanonical": st.booleans()}
    ),
)
texts = st.one_of(st.text(max_size=30), st.text(string.printable, max_size=30))
hostile = st.recursive(
    st.one_of(st.none(), st.booleans(), written, hexes, texts, st.floats(allow_nan=False)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(texts | addresses, inner, max_size=4)
    ),
    max_leaves=8,
)
slots = st.dictionaries(written.map(str), written, max_size=3)
overrides = st.fixed_dictionaries(
    {},
    optional={
        "balance": written,
        "nonce": written,
        "code": hexes,
        "state": slots,
        "stateDiff": slots,
    },
)
topics = st.lists(st.one_of(st.none(), hexes, st.lists(hexes | st.none(), max_size=3)), max_size=5)
STRATEGIES: dict[Any, st.SearchStrategy[Any]] = {
    int: written,
    bytes: hexes,
    bool: st.booleans(),
    str: texts,
    Loose: written,
    Amount: written,
    Amount | None: st.none() | written,
    Milliseconds: written | st.lists(written, max_size=3),
    list[Percentile] | None: st.lists(hostile, max_size=2),
    TypedData: st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("types", "primaryType", "domain", "message"), hostile)
    ),
    str | None: st.none() | texts,
    Loose | None: written,
    Address: addresses | hexes,
    Address | None: addresses | st.none(),
    Hash32: hexes,
    BlockRef: blocks,
    StateRef: st.one_of(
        blocks, st.fixed_dictionaries({"blockNumber": blocks, "transactionIndex": written})
    ),
    TransactionRequest: st.fixed_dictionaries(
        {},
        optional={
            "from": addresses,
            "to": st.one_of(addresses, hexes, st.none()),
            "gas": written,
            "gasPrice": written,
            "value": written,
            "data": hexes,
            "nonce": written,
            "chainId": written,
            "type": written,
            "accessList": hostile,
        },
    ),
    StateOverrides | None: st.dictionaries(addresses, overrides, max_size=3),
    BlockOverride | None: st.fixed_dictionaries(
        {},
        optional={
            "number": written,
            "time": written,
            "gasLimit": written,
            "coinbase": addresses,
            "random": hexes,
            "baseFee": written,
            "blockHash": st.dictionaries(
                st.sampled_from(["0x0", "0x1", "1", ""]), hexes, max_size=2
            ),
        },
    ),
    JsonMap: st.recursive(
        hostile,
        lambda inner: st.dictionaries(
            st.sampled_from(["abi", "bytecode", "contracts", "output", "sources", "evm", "type"]),
            inner | st.lists(inner, max_size=2),
            max_size=4,
        ),
        max_leaves=8,
    ),
    JsonMap | None: st.none() | st.dictionaries(texts, hostile, max_size=2),
    list[TransactionRequest]: st.lists(
        st.fixed_dictionaries({}, optional={"to": addresses, "data": hexes}), max_size=3
    ),
    list[Log]: st.lists(
        st.fixed_dictionaries({"address": addresses}, optional={"topics": topics, "data": hexes}),
        max_size=3,
    ),
    list[Address]: st.lists(addresses, max_size=3),
    list[PlacedTransaction]: st.lists(st.tuples(hexes, few).map(list), max_size=2),
    LogQuery | bool | None: st.none() | st.booleans() | st.fixed_dictionaries({}),
    LogQuery: st.fixed_dictionaries(
        {},
        optional={
            "fromBlock": blocks,
            "toBlock": blocks,
            "blockHash": hexes,
            "address": addresses | st.lists(addresses, max_size=3),
            "topics": topics,
        },
    ),
    SimulateRequest: st.fixed_dictionaries(
        {
            "blockStateCalls": st.lists(
                st.fixed_dictionaries(
                    {},
                    optional={
                        "blockOverrides": written,
                        "stateOverrides": written,
                        "calls": written,
                    },
                ),
                max_size=3,
            )
        },
        optional={"validation": st.booleans(), "traceTransfers": st.booleans()},
    ),
    MineRequest | None: written
    | st.fixed_dictionaries({}, optional={"blocks": few, "timestamp": written}),
    list[int]: st.lists(written, max_size=4),
    list[int] | None: st.none() | st.lists(written, max_size=4),
    list[StorageKey]: st.lists(written, max_size=4),
    TraceOptions: st.fixed_dictionaries(
        {},
        optional={
            "tracer": st.sampled_from([*TRACERS, ""]),
            "tracerConfig": st.dictionaries(
                st.sampled_from(["onlyTopCall", "withLog", "diffMode", "includeEmpty"]),
                st.booleans(),
            ),
            "limit": few,
            "enableMemory": st.booleans(),
            "stateOverrides": st.dictionaries(addresses, overrides, max_size=2),
        },
    ),
    TraceQuery: st.fixed_dictionaries(
        {},
        optional={
            "fromBlock": blocks,
            "toBlock": blocks,
            "fromAddress": addresses | st.lists(addresses, max_size=2),
            "after": few,
            "count": few,
        },
    ),
}


def argument(parameter: Parameter) -> st.SearchStrategy[Any]:
    """Mostly values of a parameter's type, sometimes others."""
    return st.integers(0, 4).flatmap(
        lambda dice: STRATEGIES[parameter.hint] if dice else hostile | st.just(plain(parameter))
    )


def parameters(method: Method) -> st.SearchStrategy[list[Any]]:
    """Parameter lists of a method, some too short or too long."""
    whole = st.tuples(*(argument(each) for each in method.parameters)).map(list)
    return st.one_of(
        whole,
        whole,
        st.tuples(whole, st.integers(0, 3)).map(lambda pair: pair[0][: pair[1]]),
        st.tuples(whole, st.lists(hostile, max_size=2)).map(lambda pair: [*pair[0], *pair[1]]),
    )


calls = st.sampled_from([name for name in METHODS if name != "personal_newAccount"]).flatmap(
    lambda name: st.tuples(st.just(name), parameters(METHODS[name]))
)

searching = settings(
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)


class TestRandom:
    @pytest.mark.parametrize(
        "method", METHODS_WITHOUT_ALIASES.values(), ids=METHODS_WITHOUT_ALIASES
    )
    def test_params(self, dispatcher: Dispatcher, method: Method) -> None:
        """Every method answers almost valid parameters."""

        @settings(searching, max_examples=40)
        @given(parameters(method))
        def search(params: list[Any]) -> None:
            replies(dispatcher, body_of(method.name, params))

        search()

    @settings(searching, max_examples=60)
    @given(st.lists(calls, max_size=25))
    def test_session(self, session: list[tuple[str, list[Any]]]) -> None:
        """Each call of a random session is answered, and a refused one changes nothing."""
        node = Node(Config(fixed_clock=GENESIS_TIME, gas_limit=200_000, accounts=2))
        dispatcher = Dispatcher(node)
        for name, params in session:
            before = visible_state(node)
            found = replies(dispatcher, body_of(name, params))
            assert "result" in found[0] or visible_state(node) == before, (name, params)

        (last,) = replies(dispatcher, body_of("eth_getBlockByNumber", ["pending", True]))
        assert "result" in last

    @settings(searching, max_examples=300)
    @given(st.lists(hostile, max_size=3) | st.dictionaries(texts, hostile, max_size=4) | hostile)
    def test_body(self, body: object) -> None:
        """Any JSON is answered."""
        replies(Dispatcher(NODE), json.dumps(body).encode())

    @settings(searching, max_examples=300)
    @given(st.binary(max_size=200))
    def test_bytes(self, body: bytes) -> None:
        """Any bytes are answered."""
        replies(Dispatcher(NODE), body)


NODE = Node(Config(fixed_clock=GENESIS_TIME))
"""A node for random bodies, which never name a method and so do not change it."""


def visible_state(node: Node) -> tuple[object, ...]:
    """The parts of a node that a refused request might have changed."""
    return (
        node.chain.head.hash,
        [tx.hash for tx in node.mempool.pending()],
        [tx.hash for tx in node.mempool.queued()],
        node.accounts.addresses(),
        node.clock.now(),
        node.miner.running,
    )
