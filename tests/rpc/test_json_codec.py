"""`devchain.rpc.json_codec`"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devchain.errors import AnswerTooLarge, ParseFailed
from devchain.rpc.json_codec import (
    PIECE,
    PIECE_BYTES,
    REFERENCE_BYTES,
    Converted,
    Encoded,
    Number,
    StreamedJson,
    begin_list,
    dump_json,
    encode,
    load_json,
    parse_json,
)
from devchain.types import Hash32

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc\u00e9\\"), inner),
    max_leaves=20,
)


HASH = Hash32(bytes.fromhex("c0" * 32))
HASH_HEX = "0x" + "c0" * 32


class TestParseJson:
    @given(VALUES)
    def test_reads(self, value: object) -> None:
        """JSON values are read exactly, integers of any size too."""
        assert parse_json(json.dumps(value).encode()) == value

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"[1,]",
            b"NaN",
            b"-Infinity",
            b"[1e999,NaN]",
            b"1e999",
            b"1" * 5_000,
            b'"\\ud800"',
            b'"\xff"',
            b"\xef\xbb\xbf1",
            b"{'a': 1}",
            b"[" * 100_000 + b"]" * 100_000,
        ],
        ids=lambda body: repr(body[:12]),
    )
    def test_refuses(self, body: bytes) -> None:
        """Bodies that are not JSON or could harm a parser are refused."""
        with pytest.raises(ParseFailed, match="the body is not valid JSON"):
            parse_json(body)

    @pytest.mark.parametrize("size", [18, 19, 20, 21, 22, 23])
    def test_large_integers(self, size: int) -> None:
        """An integer of more than 64 bits is neither rounded nor read as a float."""
        number = int("1234567890123456789012345"[:size])

        assert parse_json(b"[%d]" % number) == [number]
        assert isinstance(parse_json(b"%d" % number), int)

    @pytest.mark.parametrize("body", [b'{"a":1,"a":2}', b'[{"b":{"a":1,"\\u0061":1}}]'])
    def test_twice(self, body: bytes) -> None:
        """A key that comes twice is refused at any depth, however it is spelled."""
        with pytest.raises(ParseFailed, match="an object has the same key twice"):
            parse_json(body)

    def test_surrogate_pair(self) -> None:
        """An escaped surrogate pair is one character."""
        assert parse_json(b'"\\ud83d\\ude00"') == "😀"


class TestDumpJson:
    def test_deep(self) -> None:
        """Values that nest deeper than orjson and the standard library support are serialized."""
        depth = 2_000
        deep: object = "é"
        for _ in range(depth):
            deep = {"a": 2**64, "calls": [deep, (), {}]}

        text = '{"a":18446744073709551616,"calls":[' * depth + '"é"' + ",[],{}]}" * depth
        assert dump_json(deep).decode() == text


class TestLoadJson:
    @pytest.mark.parametrize(
        "value",
        [
            {"id": 1, "result": "0x" + "12" * 32},
            2**64,
            [-(2**70), 10**30],
            {"a": {"b": 10**18}, "c": [0.5, None, True, "[123456789012345678901"]},
        ],
    )
    def test_exact(self, value: object) -> None:
        """Integers of any size are as they were."""
        assert load_json(dump_json(value)) == value

    @pytest.mark.parametrize(
        "text", [b"[" * 10**6, b'{"a":' * 10**6, b"[" * 1_000 + b"1" + b"]" * 999, b'[{"a" 1}]']
    )
    def test_refused(self, text: bytes) -> None:
        """What is no JSON, or deeper than any trace, is an error and no crash."""
        with pytest.raises(ValueError):  # noqa: PT011  # of several kinds
            load_json(text)


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

    @pytest.mark.parametrize("kind", [list, tuple, lambda items: Converted(int, items)])
    def test_piece_by_piece(self, kind: Callable[[list[int]], object]) -> None:
        """A long list within a limit has the same text as without one."""
        value = {"items": kind([*range(3 * PIECE + 1)]), "inside": [[*range(PIECE + 1)]]}

        assert dump_json(encode(value, 10_000)) == dump_json(encode(value))

    def test_limit(self) -> None:
        """A list of which the text is longer than the limit is refused while it is made."""
        items = Converted(lambda item: seen.append(item) or b"\xff" * 100, [*range(100 * PIECE)])
        seen: list[int] = []

        with pytest.raises(AnswerTooLarge):
            encode(items, 5_000)

        assert len(seen) <= PIECE_BYTES // 200 + 1

    def test_long_inside_deep(self) -> None:
        """A long list inside what nests deeper than the fast serializer takes is written, too."""
        value: object = [*range(2 * PIECE)]
        for _ in range(300):
            value = [value]

        assert json.loads(dump_json(encode(value, 10_000))) == encode(value)

    def test_encoded(self) -> None:
        """What has been encoded before is not encoded again."""
        assert encode(Encoded({"already": 7})) == {"already": 7}


class TestConverted:
    def test_as_a_collection(self) -> None:
        """It reads as a collection of the converted items."""
        converted = Converted(str, [1, 2, 3])

        assert (len(converted), "3" in converted, 3 in converted) == (3, True, False)
        assert [*converted] == ["1", "2", "3"]


class TestBeginList:
    @pytest.mark.parametrize("count", [0, 1, 50])
    def test_short(self, count: int) -> None:
        """A list of one piece is encoded at once."""
        items = [*range(count)]

        assert dump_json(begin_list(Converted(int, items), 1_000)) == dump_json(encode(items))

    @pytest.mark.parametrize(("size", "count"), [(10, 10_000), (PIECE_BYTES * 10, 5)])
    def test_long(self, size: int, count: int) -> None:
        """Of a longer one two pieces are, of which each has one item at least."""
        made: list[bytes] = []

        def make(item: bytes) -> bytes:
            made.append(item)
            return item

        items = [bytes(size)] * count
        begun = begin_list(Converted(make, items), 10**9)

        assert isinstance(begun, StreamedJson)
        text = len(dump_json(encode(items[:1]))) - 1
        assert len(made) <= 2 * (PIECE_BYTES // (text - 1) + 2)
        assert begun.size < 2 * (PIECE_BYTES + text) + count * REFERENCE_BYTES
        pieces = [*begun.pieces]
        assert b"".join(pieces) == dump_json(encode(items))
        assert max(map(len, pieces)) < 2 * PIECE_BYTES + text
