"""`devchain.rpc.codec`"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from devchain.checksum import checksum
from devchain.config import Config
from devchain.node import Node
from devchain.rpc import codec
from devchain.rpc.codec import Loose, Number, decoder_for, encode
from devchain.rpc.errors import InvalidParams
from devchain.types import (
    Address,
    BlockHash,
    BlockRef,
    Hash32,
    LogQuery,
    MineRequest,
    StateOverride,
    Tag,
    TransactionRequest,
)
from tests.accounts import ALICE, ALICE_HEX, BOB, BOB_HEX

HASH = Hash32(bytes.fromhex("c0" * 32))
HASH_HEX = "0x" + "c0" * 32
UINT256 = 2**256 - 1


@pytest.fixture
def config() -> Config:
    """Decoding asks a node for its options alone; without accounts it is made in no time."""
    return Config(network="test", accounts=0)


def refusal(decode: Callable[..., object], value: object, *more: object) -> str:
    """The sentence with which a decoder refuses a value."""
    with pytest.raises(InvalidParams) as caught:
        decode(value, *more)
    return str(caught.value)


class TestEncode:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (None, None),
            (True, True),
            (False, False),
            ("text", "text"),
            (0, "0x0"),
            (15, "0xf"),
            (2**256, "0x1" + "0" * 64),
            (Number(7), 7),
            (b"", "0x"),
            (b"\x00\x0f", "0x000f"),
            (HASH, HASH_HEX),
            ([1, [b"\x01"], ()], ["0x1", ["0x01"], []]),
            ({"a": 1, "b": {"c": None}}, {"a": "0x1", "b": {"c": None}}),
        ],
    )
    def test_value(self, value: object, expected: object) -> None:
        """Integers leave as minimal hex, bytes as DATA, containers inside out, the rest as is."""
        actual = encode(value)

        assert actual == expected
        assert type(actual) is type(expected)


class TestQuantity:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            ("0x0", 0),
            ("0x1f", 31),
            ("0xABcd", 0xABCD),
            ("0x0000000001", 1),
            ("0x" + "0" * 500 + "1", 1),
            ("0x" + "f" * 64, UINT256),
            (0, 0),
            (31, 31),
            (2**64 - 1, 2**64 - 1),
        ],
    )
    def test_accepted(self, value: object, expected: int) -> None:
        """0x hex of any length up to 256 bits and JSON integers up to 64 bits are numbers."""
        actual = codec.quantity(value)

        assert actual == expected

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (None, "want a QUANTITY such as 0x1f, got null"),
            (True, "want a QUANTITY such as 0x1f, got true"),
            (False, "want a QUANTITY such as 0x1f, got false"),
            (1.0, "want a QUANTITY such as 0x1f, got a fraction"),
            (0.5, "want a QUANTITY such as 0x1f, got a fraction"),
            ([], "want a QUANTITY such as 0x1f, got an array"),
            ({}, "want a QUANTITY such as 0x1f, got an object"),
            ("", "want a QUANTITY such as 0x1f, got ''"),
            ("0x", "want a QUANTITY such as 0x1f, got '0x'"),
            ("12", "want a QUANTITY such as 0x1f, got '12'"),
            ("1f", "want a QUANTITY such as 0x1f, got '1f'"),
            ("-0x1", "want a QUANTITY such as 0x1f, got '-0x1'"),
            ("0x-1", "want a QUANTITY such as 0x1f, got '0x-1'"),
            ("0X1", "want a QUANTITY such as 0x1f, got '0X1'"),
            ("0x1.5", "want a QUANTITY such as 0x1f, got '0x1.5'"),
            ("0x1_0", "want a QUANTITY such as 0x1f, got '0x1_0'"),
            (" 0x1", "want a QUANTITY such as 0x1f, got ' 0x1'"),
            ("0x1\n", "want a QUANTITY such as 0x1f, got '0x1\\n'"),
            ("0x\u0661", "want a QUANTITY such as 0x1f, got '0x\\u0661'"),
            (-1, "-1 is negative"),
            (2**64, "a JSON integer of more than 64 bits loses digits: write it as 0x hex"),
        ],
    )
    def test_refused(self, value: object, expected: str) -> None:
        """Negative, fractional, decimal and otherwise strange numbers are refused in words."""
        actual = refusal(codec.quantity, value)

        assert actual == expected

    def test_more_than_256_bits(self) -> None:
        """A number of 257 bits is refused, its text cut."""
        actual = refusal(codec.quantity, "0x1" + "0" * 10_000)

        assert actual == f"'0x1{'0' * 73}... is larger than 256 bits hold"

    def test_limit(self) -> None:
        """A field of fewer bits says how many it holds."""
        actual = refusal(lambda value: codec.quantity(value, limit=2**64 - 1), "0x1" + "0" * 16)

        assert actual == "'0x10000000000000000' is larger than 64 bits hold"

    def test_long_negative(self) -> None:
        """A negative number of many digits is cut in the sentence that refuses it."""
        actual = refusal(codec.quantity, -(10**300))

        assert actual == f"-1{'0' * 75}... is negative"


class TestLoose:
    @pytest.mark.parametrize(
        ("value", "expected"), [("0x10", 16), (16, 16), ("16", 16), ("007", 7), ("0", 0)]
    )
    def test_accepted(self, node: Node, value: object, expected: int) -> None:
        """A loose number may be QUANTITY, JSON integer or decimal text."""
        actual = codec.loose(value, node)

        assert actual == expected

    @pytest.mark.parametrize(
        "value", ["", "-1", "1.5", "1e3", "\u0661", " 1", "0x", None, True, 1.5, -1, [1], "1" * 79]
    )
    def test_refused(self, node: Node, value: object) -> None:
        """Anything that is not a number from zero on is refused."""
        refusal(codec.loose, value, node)

    @pytest.mark.parametrize("value", ["0x" + "f" * 64, "9" * 78, str(2**64), hex(2**64)])
    def test_too_large(self, node: Node, value: str) -> None:
        """A loose number has at most 64 bits, in whatever way it is written."""
        actual = refusal(codec.loose, value, node)

        assert re.search(r"is larger than (64|256) bits hold\Z", actual)


class TestData:
    @pytest.mark.parametrize(
        ("value", "expected"), [("0x", b""), ("0x00", b"\0"), ("0xaBCd", b"\xab\xcd")]
    )
    def test_accepted(self, value: str, expected: bytes) -> None:
        """0x hex with two digits a byte, in any letter case, is DATA."""
        actual = codec.data(value)

        assert actual == expected

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (None, "want DATA such as 0x12ab, got null"),
            (1, "want DATA such as 0x12ab, got a number"),
            (True, "want DATA such as 0x12ab, got true"),
            ([], "want DATA such as 0x12ab, got an array"),
            ("", "want DATA: 0x and hex digits, got ''"),
            ("12", "want DATA: 0x and hex digits, got '12'"),
            ("0xzz", "want DATA: 0x and hex digits, got '0xzz'"),
            ("0x 0", "want DATA: 0x and hex digits, got '0x 0'"),
            ("0x1", "want an even number of hex digits, got 1"),
        ],
    )
    def test_refused(self, value: object, expected: str) -> None:
        """An odd number of digits and anything that is not hex is refused in words."""
        actual = refusal(codec.data, value)

        assert actual == expected

    def test_wrong_length(self, node: Node) -> None:
        """A value of fixed length must have it."""
        actual = refusal(codec.hash32, "0x" + "00" * 31, node)

        assert actual == "want 32 bytes, got 31"


class TestAddress:
    @pytest.mark.parametrize("text", [ALICE_HEX, ALICE_HEX.upper().replace("X", "x")])
    def test_letter_case(self, node: Node, text: str) -> None:
        """An address may be written in any letter case."""
        actual = codec.address(text, node)

        assert actual == ALICE

    def test_unchecked(self, node: Node) -> None:
        """Nobody looks at checksums unless told to."""
        actual = codec.address("0xF39fd6e51aad88f6f4ce6ab8827279cfffb92266", node)

        assert actual == ALICE

    @pytest.mark.parametrize("length", [0, 19, 21, 32])
    def test_wrong_length(self, node: Node, length: int) -> None:
        """An address is 20 bytes."""
        actual = refusal(codec.address, "0x" + "00" * length, node)

        assert actual == f"want 20 bytes, got {length}"


class TestChecksumAddress:
    @pytest.fixture
    def config(self, config: Config) -> Config:
        """A node that looks at checksums."""
        return replace(config, checksum_addresses=True)

    def test_right(self, node: Node) -> None:
        """The EIP-1191 form for the node's chain id is accepted."""
        actual = codec.address(checksum(ALICE, 31), node)

        assert actual == ALICE

    @pytest.mark.parametrize("text", [ALICE_HEX, "0x" + ALICE_HEX[2:].upper()])
    def test_no_checksum(self, node: Node, text: str) -> None:
        """An address in one letter case carries no checksum to be wrong."""
        actual = codec.address(text, node)

        assert actual == ALICE

    def test_of_another_chain(self, node: Node) -> None:
        """The checksum of another chain id is refused, and the sentence says for which one."""
        other = checksum(ALICE, 30)

        actual = refusal(codec.address, other, node)

        assert actual == f"{other} has a wrong checksum for chain id 31 (EIP-1191)"


class TestBoolean:
    @pytest.mark.parametrize("value", [True, False])
    def test_accepted(self, node: Node, value: bool) -> None:
        """A JSON boolean is itself."""
        assert codec.boolean(value, node) is value

    @pytest.mark.parametrize("value", [0, 1, "true", None, [], {}])
    def test_refused(self, node: Node, value: object) -> None:
        """Nothing else stands for a boolean."""
        actual = refusal(codec.boolean, value, node)

        assert actual.startswith("want true or false, got ")


class TestText:
    def test_accepted(self, node: Node) -> None:
        """A string is itself."""
        assert codec.text("word", node) == "word"

    def test_refused(self, node: Node) -> None:
        """A number is not a string."""
        assert refusal(codec.text, 1, node) == "want a string, got a number"


class TestBlockRef:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            ("0x0", 0),
            ("0x0010", 16),
            (16, 16),
            ("latest", Tag.LATEST),
            ("earliest", Tag.EARLIEST),
            ("pending", Tag.PENDING),
            ("safe", Tag.SAFE),
            ("finalized", Tag.FINALIZED),
            (HASH_HEX, BlockHash(HASH)),
            ({"blockNumber": "0x10"}, 16),
            ({"blockNumber": 16}, 16),
            ({"blockNumber": "0x10", "requireCanonical": True}, 16),
            ({"blockHash": HASH_HEX}, BlockHash(HASH)),
            ({"blockHash": HASH_HEX, "blockNumber": None}, BlockHash(HASH)),
            ({"blockHash": HASH_HEX, "requireCanonical": None}, BlockHash(HASH)),
            ({"blockHash": HASH_HEX, "requireCanonical": False}, BlockHash(HASH)),
            (
                {"blockHash": HASH_HEX, "requireCanonical": True},
                BlockHash(HASH, require_canonical=True),
            ),
        ],
    )
    def test_accepted(self, node: Node, value: object, expected: BlockRef) -> None:
        """A block is named by number, tag, 32-byte hash or an EIP-1898 map."""
        actual = codec.block_ref(value, node)

        assert actual == expected
        assert type(actual) is type(expected)

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            ({}, "want exactly one of blockHash and blockNumber"),
            ({"requireCanonical": True}, "want exactly one of blockHash and blockNumber"),
            (
                {"blockHash": HASH_HEX, "blockNumber": "0x1"},
                "want exactly one of blockHash and blockNumber",
            ),
            ({"blockHash": "0x12"}, "blockHash: want 32 bytes, got 1"),
            (
                {"blockNumber": "latest"},
                "blockNumber: want a QUANTITY such as 0x1f, got 'latest'",
            ),
            (
                {"blockHash": HASH_HEX, "requireCanonical": "true"},
                "requireCanonical: want true or false, got text",
            ),
            (
                {"number": "0x1"},
                "unknown member 'number': known are blockHash, blockNumber, requireCanonical",
            ),
        ],
    )
    def test_bad_map(self, node: Node, value: object, expected: str) -> None:
        """A map names one block; the sentence says what is wrong with it."""
        actual = refusal(codec.block_ref, value, node)

        assert actual == expected

    @pytest.mark.parametrize(
        "value", ["LATEST", "newest", "", "0x", "12", "0x1" + "0" * 16, None, True, 1.5, -1, []]
    )
    def test_refused(self, node: Node, value: object) -> None:
        """What names no block is refused with the tags there are."""
        actual = refusal(codec.block_ref, value, node)

        assert actual.startswith("want a block number, tag or hash: ")
        assert actual.endswith("; tags are latest, earliest, pending, safe, finalized")


class TestTransactionRequest:
    def test_empty(self, node: Node) -> None:
        """Every member may be left out."""
        actual = codec.transaction_request({}, node)

        assert actual == TransactionRequest()

    def test_whole(self, node: Node) -> None:
        """Every member is read, null ones as if they were absent."""
        given = {
            "from": ALICE_HEX,
            "to": BOB_HEX,
            "gas": "0x5208",
            "gasPrice": "0x1",
            "value": 2,
            "data": "0x12",
            "nonce": "0x3",
            "chainId": "0x1f",
            "input": None,
        }

        actual = codec.transaction_request(given, node)

        assert actual == TransactionRequest(ALICE, BOB, 21_000, 1, 2, b"\x12", 3, 31)

    def test_gas_limit(self, node: Node) -> None:
        """`gasLimit` stands for `gas` where that is absent."""
        actual = codec.transaction_request({"gasLimit": "0x7"}, node)

        assert actual.gas == 7

    def test_gas_first(self, node: Node) -> None:
        """`gas` goes before `gasLimit`."""
        actual = codec.transaction_request({"gas": "0x8", "gasLimit": "0x7"}, node)

        assert actual.gas == 8

    @pytest.mark.parametrize("to", [None, "0x"])
    def test_creation(self, node: Node, to: str | None) -> None:
        """A recipient that is null or empty means a contract creation."""
        actual = codec.transaction_request({"to": to, "data": "0x00"}, node)

        assert actual == TransactionRequest(data=b"\0")

    @pytest.mark.parametrize(
        "given",
        [{"data": "0x12"}, {"input": "0x12"}, {"data": "0x12", "input": "0x12"}],
        ids=["data", "input", "both"],
    )
    def test_data(self, node: Node, given: dict[str, Any]) -> None:
        """`data` and `input` are two names for one thing."""
        actual = codec.transaction_request(given, node)

        assert actual.data == b"\x12"

    def test_unknown_members(self, node: Node) -> None:
        """Members nobody knows are ignored, as the real node does."""
        actual = codec.transaction_request({"gasprice": "0x1", "": [], "kzg": {}}, node)

        assert actual == TransactionRequest()

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
            ({"authorizationList": [{}], "maxFeePerGas": "0x1"}, 4),
        ],
        ids=str,
    )
    def test_type(self, node: Node, given: dict[str, Any], expected: int | None) -> None:
        """The type is the one named, else the one that the members given belong to."""
        actual = codec.transaction_request(given, node)

        assert actual.type == expected

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
    def test_refused(self, node: Node, given: object, expected: str) -> None:
        """A bad member is refused by name."""
        actual = refusal(codec.transaction_request, given, node)

        assert actual == expected


class TestStateOverrides:
    def test_whole(self, node: Node) -> None:
        """An override set maps addresses to what they shall look like."""
        given = {
            ALICE_HEX: {"balance": "0x1", "nonce": "0x2", "code": "0x00"},
            BOB_HEX: {"stateDiff": {"0x0": "0x5", "0x" + "00" * 32: "0x06"}, "state": None},
        }

        actual = codec.state_overrides(given, node)

        assert actual == {
            ALICE: StateOverride(balance=1, nonce=2, code=b"\0"),
            BOB: StateOverride(state_diff={0: 6}),
        }

    def test_empty_state(self, node: Node) -> None:
        """An empty `state` clears all storage, which is not the same as none."""
        actual = codec.state_overrides({ALICE_HEX: {"state": {}}}, node)

        assert actual == {ALICE: StateOverride(state={})}

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            (
                {"movePrecompileToAddress": BOB_HEX},
                "movePrecompileToAddress is not supported: leave it out",
            ),
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
            ({"stateDiff": {"0x0": None}}, "stateDiff: want a QUANTITY such as 0x1f, got null"),
            (None, "want an object, got null"),
        ],
    )
    def test_refused(self, node: Node, given: object, expected: str) -> None:
        """A bad override is refused by address and member."""
        actual = refusal(codec.state_overrides, {ALICE_HEX: given}, node)

        assert actual == f"{ALICE_HEX}: {expected}"

    def test_bad_address(self, node: Node) -> None:
        """A key that is no address is refused."""
        assert refusal(codec.state_overrides, {"0x12": {}}, node) == "want 20 bytes, got 1"


class TestLogQuery:
    def test_empty(self, node: Node) -> None:
        """Every member may be left out or null."""
        given = dict.fromkeys(("fromBlock", "toBlock", "blockHash", "address", "topics"))

        actual = codec.log_query(given, node)

        assert actual == LogQuery()

    def test_range(self, node: Node) -> None:
        """Bounds are numbers or tags."""
        actual = codec.log_query({"fromBlock": "0x1", "toBlock": "latest"}, node)

        assert actual == LogQuery(from_block=1, to_block=Tag.LATEST)

    def test_block_hash(self, node: Node) -> None:
        """One block may be named by its hash; bounds of null do not contradict it."""
        actual = codec.log_query({"blockHash": HASH_HEX, "fromBlock": None}, node)

        assert actual == LogQuery(block_hash=HASH)

    @pytest.mark.parametrize("bound", ["fromBlock", "toBlock"])
    def test_block_hash_and_bound(self, node: Node, bound: str) -> None:
        """A block hash and a bound exclude each other."""
        actual = refusal(codec.log_query, {"blockHash": HASH_HEX, bound: "0x0"}, node)

        assert actual == (
            "cannot specify both blockHash and fromBlock/toBlock: choose one or the other"
        )

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            (ALICE_HEX, {ALICE}),
            ([ALICE_HEX], {ALICE}),
            ([ALICE_HEX, BOB_HEX], {ALICE, BOB}),
            ([], set()),
        ],
    )
    def test_address(self, node: Node, given: object, expected: set[Address]) -> None:
        """One address, several, or none for any."""
        actual = codec.log_query({"address": given}, node)

        assert actual.addresses == expected

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ([], ()),
            (HASH_HEX, (frozenset({HASH}),)),
            ([HASH_HEX], (frozenset({HASH}),)),
            ([None, HASH_HEX], (None, frozenset({HASH}))),
            ([[]], (None,)),
            ([[None, HASH_HEX]], (None,)),
            ([[HASH_HEX, "0x" + "00" * 32]], (frozenset({HASH, bytes(32)}),)),
        ],
    )
    def test_topics(self, node: Node, given: object, expected: object) -> None:
        """Each position takes null for anything, a topic, or a list of alternatives."""
        actual = codec.log_query({"topics": given}, node)

        assert actual.topics == expected

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
    def test_refused(self, node: Node, given: object, expected: str) -> None:
        """A bad member is refused by name."""
        actual = refusal(codec.log_query, given, node)

        assert actual == expected

    def test_bad_bound(self, node: Node) -> None:
        """A bound that names no block is refused by name."""
        actual = refusal(codec.log_query, {"fromBlock": "first"}, node)

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
    def test_accepted(self, node: Node, given: object, expected: MineRequest) -> None:
        """A timestamp, or a map of how many blocks and from when."""
        actual = codec.mine_request(given, node)

        assert actual == expected

    @pytest.mark.parametrize(
        "given",
        [True, [], 1.5, "soon", {"block": 1}, {"blocks": -1}, {"blocks": []}, {"timestamp": {}}],
    )
    def test_refused(self, node: Node, given: object) -> None:
        """Anything else is refused."""
        refusal(codec.mine_request, given, node)


class TestDecoderFor:
    def test_optional(self, node: Node) -> None:
        """`X | None` is decoded as X; null never gets that far."""
        actual = decoder_for(int | None)("0x2", node)

        assert actual == 2

    def test_optional_union(self, node: Node) -> None:
        """`BlockRef | None` is decoded as BlockRef though both are unions."""
        actual = decoder_for(BlockRef | None)("latest", node)

        assert actual is Tag.LATEST

    def test_list(self, node: Node) -> None:
        """`list[X]` is decoded item by item."""
        actual = decoder_for(list[int])(["0x1", 2], node)

        assert actual == [1, 2]

    def test_list_of_another_kind(self, node: Node) -> None:
        """A list wants an array."""
        actual = refusal(decoder_for(list[int]), "0x1", node)

        assert actual == "want an array, got text"

    def test_loose(self) -> None:
        """`Loose` has a decoder of its own."""
        assert decoder_for(Loose) is codec.loose

    @pytest.mark.parametrize("hint", [float, dict[str, int], object, int | str])
    def test_unknown_hint(self, hint: object) -> None:
        """A hint nobody can decode is a TypeError, so that it is found at import."""
        with pytest.raises(TypeError, match="no decoder for parameters of type"):
            decoder_for(hint)
