"""`devchain.evm.rootstock.precompiles.native_contract`"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from eth_abi.abi import encode as reference

from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS
from devchain.evm.rootstock.precompiles.native_contract import Event, decode, encode, int32
from tests.bytecode import word
from tests.evm.rootstock.precompiles.bridge.calls import topic


class TestDecode:
    @pytest.mark.parametrize(
        ("kinds", "values"),
        [
            (["int256", "bool"], (-5, True)),
            (["bytes", "int256", "string"], (b"abc", 7, "déjà")),
            (["bytes32", "bytes32[]"], (b"\1" * 32, [b"\2" * 32, b"\3" * 32])),
            (["bytes[]", "bytes"], ([b"", b"a" * 40], b"b")),
            (["int256", "bytes[]"], (2, [])),
        ],
        ids=lambda value: ",".join(value) if isinstance(value, list) else "",
    )
    def test_as_solidity(self, kinds: list[str], values: tuple[Any, ...]) -> None:
        """Arguments encoded as in Solidity are decoded."""
        assert decode(kinds, reference(kinds, values)) == values

    def test_address(self) -> None:
        """An address is the last 20 bytes of its word."""
        assert decode(["address"], b"\xff" * 12 + b"\1" * 20) == (b"\1" * 20,)

    def test_signed(self) -> None:
        """Integers are decoded as signed, `uint256` too."""
        assert decode(["uint256"], b"\xff" * 32) == (-1,)

    def test_bool(self) -> None:
        """A boolean is true if any of the low 32 bits is set."""
        assert decode(["bool", "bool"], word(2**32) + word(2)) == (False, True)

    def test_nothing(self) -> None:
        """Missing arguments are zero or empty."""
        assert decode(["int256", "uint256"], b"") == (0, 0)
        assert decode(["bytes[]"], b"") == ([],)

    @pytest.mark.parametrize(
        ("kinds", "payload"),
        [
            (["int256"], b"\0" * 31),
            (["bytes"], word(32) + word(1)),
            (["bytes"], word(2**31) + word(0)),
            (["bytes"], word(32) + word(2**32 - 1) + word(0)),
            (["bytes[]"], word(32) + word(33) + word(0)),
            (["bytes[]"], word(32) + word(2**32 - 1) + word(0)),
            (["bytes"], b""),
            (["int256", "bytes[]"], b""),
        ],
        ids=["word", "bytes", "offset", "size", "list", "negative list", "nothing", "second"],
    )
    def test_too_short(self, kinds: list[str], payload: bytes) -> None:
        """Arguments beyond the payload are an error."""
        with pytest.raises(ValueError, match="payload"):
            decode(kinds, payload)

    def test_cut_offset(self) -> None:
        """Of an offset, bytes beyond the payload are zero."""
        assert decode(["int256", "bytes"], bytes(63)) == (0, b"")

    def test_wide_offset(self) -> None:
        """Only the low 32 bits of offsets and sizes are read."""
        assert decode(["bytes"], word(2**32 + 32) + word(2**40 + 1) + b"x") == (b"x",)


class TestEncode:
    @pytest.mark.parametrize(
        ("kind", "value"),
        [
            ("int256", -1),
            ("uint256", 2**256 - 1),
            ("bool", True),
            ("bytes", b"abc"),
            ("string", "é"),
        ],
    )
    def test_as_solidity(self, kind: str, value: Any) -> None:
        """Values are encoded as Solidity does."""
        assert encode(kind, value) == reference([kind], [value])

    def test_empty(self) -> None:
        """Empty bytes are padded to a word, unlike in Solidity."""
        assert encode("bytes", b"") == word(32) + word(0) + word(0)


class TestInt32:
    @pytest.mark.parametrize(
        ("number", "cut"), [(0, 0), (2**31, -(2**31)), (-1, -1), (2**32 + 5, 5)]
    )
    def test_cut(self, number: int, cut: int) -> None:
        """The low 32 bits are kept as a signed number."""
        assert int32(number) == cut


def test_emit() -> None:
    """Indexed values are topics, the others are data, encoded as Solidity encodes them."""
    found: list[Any] = []
    call: Any = SimpleNamespace(
        computation=SimpleNamespace(add_log_entry=lambda *entry: found.append(entry))
    )
    event = Event(ADDRESS, "e(address indexed a,string s,int256 n,bytes b,bool indexed c)")

    event.emit(call, b"\1" * 20, "text", -2, b"raw", True)

    data = reference(["string", "int256", "bytes"], ["text", -2, b"raw"])
    topics = (topic("e(address,string,int256,bytes,bool)"), int.from_bytes(b"\1" * 20, "big"), 1)
    assert found == [(ADDRESS, topics, data)]
