"""`devchain.rpc.method`"""

from __future__ import annotations

import pytest

from devchain.errors import InvalidParams
from devchain.node import Node
from devchain.rpc.method import Method, rpc
from devchain.rpc.scalar_decoders import DecodeContext
from devchain.types import Address, BlockRef, Tag
from tests.accounts import ALICE, ALICE_HEX


@rpc("test_read", hosted=True, hosted_pending=False)
def read(node: Node, address: Address, slot: int, block: BlockRef = Tag.LATEST) -> int:
    """Read something
    from somewhere.

    More about it.
    """
    del node, address, block
    return slot


@pytest.fixture
def method() -> Method:
    """A method with two required parameters and an optional one."""
    return Method.from_function(read, "Chapter")


class TestRpc:
    def test_function_stays_plain(self, node: Node) -> None:
        """A marked function can be called as before."""
        assert read(node, ALICE, 7) == 7


class TestMethod:
    def test_mark(self, method: Method) -> None:
        """A method has the wire name, chapter and hosted options of its mark."""
        actual = (method.name, method.chapter, method.hosted, method.hosted_pending)

        assert actual == ("test_read", "Chapter", True, False)

    def test_defaults(self) -> None:
        """By default a method is not hosted."""

        @rpc("test_plain")
        def plain(node: Node) -> None:
            """Do nothing."""

        method = Method.from_function(plain, "Chapter")

        assert (method.hosted, method.hosted_pending) == (False, True)

    def test_signature(self, method: Method) -> None:
        """Optional parameters are marked with a question mark."""
        assert method.signature == "address, slot, block?"

    def test_summary(self, method: Method) -> None:
        """The summary is the first sentence on one line."""
        assert method.summary == "Read something from somewhere."

    def test_documentation(self, method: Method) -> None:
        """The documentation is the whole docstring without its indentation."""
        assert method.documentation.endswith("\n\nMore about it.")

    def test_unknown_hint(self) -> None:
        """An unknown type hint is an error at import, not on a call."""

        @rpc("test_strange")
        def strange(node: Node, what: float) -> None:
            """Has a parameter that cannot be decoded."""

        with pytest.raises(TypeError, match="no wire type for the hint <class 'float'>"):
            Method.from_function(strange, "Chapter")


class TestDecode:
    @pytest.mark.parametrize(
        ("params", "expected"),
        [
            ([ALICE_HEX, "0x1"], [ALICE, 1]),
            ([ALICE_HEX, "0x1", None], [ALICE, 1]),
            ([ALICE_HEX, "0x1", None, None, None], [ALICE, 1]),
            ([ALICE_HEX, "0x1", "0x2"], [ALICE, 1, 2]),
            ([ALICE_HEX, "0x1", "0x2", None], [ALICE, 1, 2]),
        ],
        ids=["absent", "null", "nulls beyond the last", "given", "given and a null"],
    )
    def test_positions(
        self, method: Method, context: DecodeContext, params: list[object], expected: list[object]
    ) -> None:
        """Trailing nulls count as absent; absent parameters are left to the function's default."""
        actual = method.decode(params, context)

        assert actual == expected

    def test_null_in_the_middle(self, context: DecodeContext) -> None:
        """A null before another parameter means the default."""

        @rpc("test_middle")
        def middle(node: Node, first: int = 7, second: int = 8) -> None:
            """Take two numbers."""

        actual = Method.from_function(middle, "Chapter").decode([None, "0x1"], context)

        assert actual == [7, 1]

    @pytest.mark.parametrize(
        ("params", "count"),
        [
            ([], "0 arguments"),
            ([ALICE_HEX], "1 argument"),
            ([ALICE_HEX, None], "1 argument"),
            ([ALICE_HEX, "0x1", "0x2", "0x3"], "4 arguments"),
        ],
    )
    def test_wrong_count(
        self, method: Method, context: DecodeContext, params: list[object], count: str
    ) -> None:
        """Too few or too many are refused with the names of all parameters."""
        with pytest.raises(InvalidParams) as caught:
            method.decode(params, context)

        assert str(caught.value) == f"test_read takes (address, slot, block?): got {count}"

    @pytest.mark.parametrize(
        ("params", "expected"),
        [
            (["0x12", "0x1"], "argument address: want 20 bytes, got 1"),
            ([None, "0x1"], "argument address: want DATA such as 0x12ab, got null"),
            ([ALICE_HEX, True], "argument slot: want a QUANTITY such as 0x1f, got true"),
            (
                [ALICE_HEX, "0x1", {"blockHash": "0x"}],
                "argument block: blockHash: want 32 bytes, got 0",
            ),
        ],
    )
    def test_bad_argument(
        self, method: Method, context: DecodeContext, params: list[object], expected: str
    ) -> None:
        """A wrong parameter is refused with its name."""
        with pytest.raises(InvalidParams) as caught:
            method.decode(params, context)

        assert str(caught.value) == expected


class TestRefusesPending:
    @pytest.mark.parametrize(
        ("block", "expected"), [(Tag.PENDING, True), (Tag.LATEST, False), (0, False)]
    )
    def test_marked(self, method: Method, block: BlockRef, expected: bool) -> None:
        """A method with `hosted_pending=False` refuses `pending`."""
        assert method.refuses_pending([ALICE, 0, block]) is expected

    def test_not_marked(self) -> None:
        """Other methods accept it."""

        @rpc("test_any")
        def anything(node: Node, block: BlockRef) -> None:
            """Take any block."""

        assert not Method.from_function(anything, "Chapter").refuses_pending([Tag.PENDING])
