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

from devchain.config import Config
from devchain.errors import Simulation
from devchain.node import Node
from devchain.rpc.catalog import METHODS
from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.errors import CODES
from devchain.rpc.method import Method, Parameter
from devchain.rpc.openrpc import COMPONENTS
from devchain.rpc.scalar_decoders import JsonMap, TypedData
from devchain.rpc.schemas import Schema
from devchain.rpc.wire_types import wire_type
from devchain.tracing.options import TRACERS
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


def resolved(schema: Schema) -> tuple[str, Schema]:
    """A schema and the name of its component, empty if it is none."""
    name = schema.get("$ref", "").rpartition("/")[2]
    return name, COMPONENTS[name] if name else schema


PLAIN: dict[str, Any] = {
    "GivenQuantity": "0x1",
    "LooseNumber": 1,
    "Data": "0x1234",
    "Address": ALICE_HEX,
    "Hash": HASH,
    "BlockParameter": "latest",
    "StateParameter": "latest",
    "Call": {"from": ALICE_HEX, "to": BOB_HEX},
    "SimulateOptions": {"blockStateCalls": [{}]},
    "LogRead": {"address": BOB_HEX},
    "MineOptions": {},
}
"""Valid values of components."""
PLAIN_OF_TYPE: dict[str, Any] = {
    "string": "text",
    "boolean": True,
    "number": 50,
    "integer": 1,
    "object": {},
}
KEYS = (BOB_HEX, "0x0")
"""Keys of objects with any names: addresses or numbers."""
ARTIFACT: Schema = {"properties": {"abi": {}, "bytecode": {}, "contracts": {}, "output": {}}}
TYPED: Schema = {"properties": {"types": {}, "primaryType": {}, "domain": {}, "message": {}}}
LOOSE_OBJECTS: dict[Any, Schema] = {JsonMap: ARTIFACT, JsonMap | None: ARTIFACT, TypedData: TYPED}
"""Objects that their schemas do not describe, by hint."""


def schema_of(parameter: Parameter) -> Schema:
    """The schema of a parameter."""
    return LOOSE_OBJECTS.get(parameter.hint) or wire_type(parameter.hint).schema


def plain(schema: Schema) -> Any:
    """A valid value."""
    name, schema = resolved(schema)
    if name in PLAIN:
        return PLAIN[name]
    if "anyOf" in schema:
        return plain(schema["anyOf"][0])
    if "prefixItems" in schema:
        return [plain(item) for item in schema["prefixItems"]]
    if "items" in schema:
        return [plain(schema["items"])]
    if "properties" in schema:
        return {name: plain(schema["properties"][name]) for name in schema.get("required", ())}
    return PLAIN_OF_TYPE[schema["type"]]


def shapes(schema: Schema, depth: int = 3) -> Iterator[Any]:
    """Valid values with `...` in one place; of members with equal schemas the first is taken."""
    yield ...
    _, schema = resolved(schema)
    if not depth:
        return
    for alternative in schema.get("anyOf", ()):
        yield from (shape for shape in shapes(alternative, depth) if shape is not ...)
    if "items" in schema:
        yield from ([shape] for shape in shapes(schema["items"], depth - 1))
    for index, item in enumerate(schema.get("prefixItems", ())):
        values = [plain(other) for other in schema["prefixItems"]]
        for shape in shapes(item, depth - 1):
            yield [*values[:index], shape, *values[index + 1 :]]
    by_schema = {str(member): name for name, member in schema.get("properties", {}).items()}
    for name in by_schema.values():
        for shape in shapes(schema["properties"][name], depth - 1):
            yield {**plain(schema), name: shape}
    if isinstance(schema.get("additionalProperties"), dict):
        for shape in shapes(schema["additionalProperties"], depth - 1):
            yield {KEYS["propertyNames" not in schema]: shape}


def fill(shape: Any, value: object) -> Any:
    """The shape with the value instead of `...`."""
    if shape is ...:
        return value
    if isinstance(shape, dict):
        return {name: fill(each, value) for name, each in shape.items()}
    return [fill(each, value) for each in shape] if isinstance(shape, list) else shape


def places(method: Method, value: object) -> Iterator[list[Any]]:
    """Parameter lists of a method with that value in one place, valid elsewhere."""
    good = [plain(schema_of(each)) for each in method.parameters]
    for index, parameter in enumerate(method.parameters):
        for shape in shapes(schema_of(parameter)):
            yield [*good[:index], fill(shape, value), *good[index + 1 :]]


BODIES = corpus("json")
STRINGS = corpus("string")
STRING_SHARE = 10
"""A place is tried with one of so many strings; all places together have every string."""
TRANSACTIONS = corpus("tx")

needs_corpus = pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not available")


@needs_corpus
class TestBodies:
    def test_everywhere(self, dispatcher: Dispatcher) -> None:
        """A hostile body is answered alone, in a batch, as params, member and parameter."""
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

        for row in BODIES:
            body = base64.b64decode(row["body"])
            for before, after in around:
                replies(dispatcher, before + body + after)


@needs_corpus
@pytest.mark.parametrize("method", METHODS_WITHOUT_ALIASES.values(), ids=METHODS_WITHOUT_ALIASES)
class TestStrings:
    def test_in_every_place(self, dispatcher: Dispatcher, method: Method) -> None:
        """A hostile string is answered in every place of every method; each place has a share."""
        # Any text is a valid passphrase, and encrypting a key with it is slow: a few suffice.
        share = 40 if method.name.startswith("personal_") else STRING_SHARE
        first = len(method.name)  # methods begin at different strings
        for number, row in enumerate(STRINGS, first):
            for place, params in enumerate(places(method, row["text"])):
                if (number + place) % share == 0:
                    replies(dispatcher, body_of(method.name, params))

    def test_as_a_key(self, dispatcher: Dispatcher, method: Method) -> None:
        """A hostile string is answered as the name of a member."""
        for row in STRINGS[::30]:
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
    def test_sent(self, dispatcher: Dispatcher) -> None:
        """An invalid transaction is refused; a valid one is decoded."""
        for row in TRANSACTIONS:
            (reply,) = replies(dispatcher, body_of("eth_sendRawTransaction", [row["rlp"]]))

            code = reply.get("error", {}).get("code")
            assert code in ({None, -32010} if row["valid"] else {-32602, -32010}), row["name"]

    @pytest.mark.parametrize("method", ["eth_call", "eth_estimateGas", "web3_sha3", "eth_sign"])
    def test_as_data(self, dispatcher: Dispatcher, method: str) -> None:
        """The bytes of a transaction are answered wherever DATA is accepted, as code too."""
        for number, row in enumerate(TRANSACTIONS):
            for place, params in enumerate(places(METHODS[method], row["rlp"])):
                if (number + place) % 4 == 0:
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
DRAWN: dict[str, st.SearchStrategy[Any]] = {
    "GivenQuantity": written,
    "LooseNumber": few | written,
    "Data": hexes,
    "Address": addresses | hexes,
    "Hash": hexes,
    "BlockParameter": blocks,
}
DRAWN_OF_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "string": texts | st.sampled_from([*TRACERS, ""]),
    "boolean": st.booleans(),
    "null": st.none(),
    "number": written,
    "integer": written,
    "object": st.dictionaries(texts | st.sampled_from(["onlyTopCall", "diffMode"]), hostile),
}


def drawn(schema: Schema) -> st.SearchStrategy[Any]:  # noqa: PLR0911  # by kind
    """Values under a schema, and some that are nearly."""
    name, schema = resolved(schema)
    if name in DRAWN:
        return DRAWN[name]
    if "anyOf" in schema:
        return st.one_of(*map(drawn, schema["anyOf"]))
    if "const" in schema or "enum" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    if "prefixItems" in schema:
        return st.tuples(*map(drawn, schema["prefixItems"])).map(list)
    if "items" in schema:
        return st.lists(drawn(schema["items"]), max_size=3)
    if "additionalProperties" in schema:
        keys = addresses if "propertyNames" in schema else written.map(str)
        return st.dictionaries(keys, drawn(schema["additionalProperties"]), max_size=3)
    if "properties" in schema:
        members = {name: drawn(member) for name, member in schema["properties"].items()}
        return st.fixed_dictionaries({}, optional=members)
    return DRAWN_OF_TYPE[schema["type"]] if "type" in schema else hostile


def argument(parameter: Parameter) -> st.SearchStrategy[Any]:
    """Mostly values of a parameter's type, sometimes others."""
    return st.integers(0, 4).flatmap(lambda dice: drawn(schema_of(parameter)) if dice else hostile)


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

        @settings(searching, max_examples=20)
        @given(parameters(method))
        def search(params: list[Any]) -> None:
            replies(dispatcher, body_of(method.name, params))

        search()

    @settings(searching, max_examples=30)
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

    @settings(searching, max_examples=150)
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
