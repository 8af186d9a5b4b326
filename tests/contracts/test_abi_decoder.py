"""`devchain.contracts.abi_decoder`, held to eth-abi, and its limits"""

from __future__ import annotations

import pytest
from eth_abi.abi import encode
from hypothesis import given, settings

from devchain.contracts.abi import Abi, Param, decode_event, decode_values, format_arguments
from devchain.contracts.abi_decoder import EXPANSION, Undecoded, are_decoded
from devchain.errors import InvalidInput
from tests.bytecode import word
from tests.contracts.abi_fuzzer import Case, cases, check, corpus


@pytest.mark.parametrize("name", corpus())
def test_corpus(name: str) -> None:
    """Data that once took gigabytes or minutes."""
    check(corpus()[name])


@settings(max_examples=10)
@given(cases)
def test_any_data(case: Case) -> None:
    """Data that Hypothesis draws; `python -m tests.fuzzing abi` draws more."""
    check(case)


class TestDecode:
    @pytest.mark.parametrize(
        ("kind", "value"),
        [
            ("string[]", ["", "déjà", "x" * 70]),
            ("bytes", b"\0" * 33),
            ("(uint8,(string,bool)[])[2]", [(1, [("a", True)]), (2, [])]),
            ("uint256[2][]", [[1, 2], [3, 4]]),
            ("(int16,bytes3)[2][1]", [[(-1, b"abc"), (2, b"def")]]),
            ("function", b"f" * 24),
            ("string[1][]", [["a"], ["b"]]),
            ("fixed16x2[]", []),
        ],
    )
    def test_nested(self, kind: str, value: object) -> None:
        """Values of types within types are those that were encoded."""
        data = encode(["uint8", kind], [7, value])

        assert decode_values([Param("", "uint8"), Param.from_text(kind)], data) == (7, value)

    @pytest.mark.parametrize(
        ("kind", "data"),
        [
            ("string", word(32) + word(1) + b"\xff" + bytes(31)),
            ("bytes", word(32) + word(1) + b"ab" + bytes(30)),
            ("bytes", word(32) + word(1) + b"a"),
            ("bytes", word(0) + word(1) + b"a" + bytes(31)),
            ("bytes", word(64) + word(1)),
            ("bool[]", word(32) + word(1) + word(2)),
            ("uint8[2]", word(1)),
            ("uint256[100000000000][]", word(32) + word(1) + word(1)),
            ("(bool,string)", word(32) + word(1) + word(0) + word(0)),
        ],
        ids=["utf-8", "padding", "cut", "into-head", "behind", "word", "short", "huge", "in-tuple"],
    )
    def test_malformed(self, kind: str, data: bytes) -> None:
        """What no encoder has written is not decoded."""
        assert decode_values([Param.from_text(kind)], data) is None


class TestLimit:
    KIND = "bytes[]"

    def data(self, times: int, size: int = 3_200) -> bytes:
        """An array whose elements all point at the same bytes."""
        return word(32) + word(times) + word(32 * times) * times + word(size) + b"\1" * size

    def test_a_few_times(self) -> None:
        """Values may share what they point at, as encoders that save space write them."""
        (values,) = decode_values([Param("", self.KIND)], self.data(EXPANSION)) or ()

        assert values == [b"\1" * 3_200] * EXPANSION

    def test_beyond(self) -> None:
        """What is many times as large as its data stays encoded; other values are decoded."""
        data = word(7) + word(64) + self.data(100)[32:]

        number, values = decode_values([Param("", "uint8"), Param("", self.KIND)], data) or ()

        assert (number, type(values), values) == (7, Undecoded, data)
        assert not are_decoded((number, values))

    def test_text(self) -> None:
        """People see the beginning of the data, and why there are no values."""
        param, data = Param("parts", self.KIND), self.data(100)

        text = format_arguments([param], decode_values([param], data) or ())

        assert text == f"parts=0x{data[:50].hex()}... ({len(data):,} bytes, too large to decode)"

    def test_types_within_types(self) -> None:
        """A type of more arrays within each other than any contract has is none."""
        with pytest.raises(InvalidInput, match="no ABI type"):
            Param.from_text("uint8" + "[1]" * 17)

    def test_anonymous_events(self) -> None:
        """A log whose data is too large to decode is of no anonymous event."""
        inputs = [{"name": "parts", "type": self.KIND}]
        entry = {"type": "event", "name": "Any", "anonymous": True, "inputs": inputs}

        assert decode_event(Abi.from_json([entry]), [], self.data(100)) is None
