"""`devchain.rpc.json_text`"""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devchain.rpc.errors import ParseFailed
from devchain.rpc.json_text import dumps, parse

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc\u00e9\\"), inner),
    max_leaves=20,
)


class TestParse:
    @given(VALUES)
    def test_reads(self, value: object) -> None:
        """What JSON can say is read as it was written, integers of any size whole."""
        assert parse(json.dumps(value).encode()) == value

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"[1,]",
            b"NaN",
            b"-Infinity",
            b"1e999",
            b'"\\ud800"',
            b'"\xff"',
            b"\xef\xbb\xbf1",
            b"{'a': 1}",
            b"[" * 100_000 + b"]" * 100_000,
            b"1" * 5_000,
        ],
        ids=lambda body: repr(body[:12]),
    )
    def test_refuses(self, body: bytes) -> None:
        """What is no JSON, or could harm a parser, is refused."""
        with pytest.raises(ParseFailed, match="the body is not valid JSON"):
            parse(body)

    @pytest.mark.parametrize("size", [18, 19, 20, 21, 22, 23])
    def test_large_integers(self, size: int) -> None:
        """An integer of more than 64 bits is neither rounded nor taken for a fraction."""
        number = int("1234567890123456789012345"[:size])

        assert parse(b"[%d]" % number) == [number]
        assert isinstance(parse(b"%d" % number), int)

    @pytest.mark.parametrize("body", [b'{"a":1,"a":2}', b'[{"b":{"a":1,"\\u0061":1}}]'])
    def test_twice(self, body: bytes) -> None:
        """A key that comes twice is refused at any depth, however it is spelled."""
        with pytest.raises(ParseFailed, match="an object has the same key twice"):
            parse(body)


class TestDumps:
    def test_deep(self) -> None:
        """What nests deeper than the fast writer goes is written all the same."""
        deep: object = 1
        for _ in range(500):
            deep = [deep]

        assert dumps(deep) == b"[" * 500 + b"1" + b"]" * 500
