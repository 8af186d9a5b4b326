"""`devchain.contracts.expectations`: `reverts` and `expect_emit`"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from eth_hash.auto import keccak

import devchain
from devchain import Config, Node, expect_emit, reverts
from devchain.contracts.contract import Contract
from devchain.errors import ExecutionFailed, InvalidInput
from devchain.types import Address, checksum
from tests.accounts import ALICE, BOB

ODD = Path(__file__).with_name("odd.json")
REASON, CUSTOM, PAIRED, PANIC, EMPTY = range(5)


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    """A node of these tests."""
    with Node(Config()) as node:
        yield node


@pytest.fixture(scope="module")
def odd(node: Node) -> Contract:
    """A contract that reverts in every way."""
    return node.deploy(ODD)


def expected(*given: Any, **named: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of `reverts` or `expect_emit`."""
    return given, named


PAIR = {"left": 1, "right": ALICE}
MET = [
    (REASON, expected()),
    (REASON, expected("not now")),
    (REASON, expected(re.compile("^not"))),
    (CUSTOM, expected("NotOwner")),
    (CUSTOM, expected("NotOwner(address,uint256)")),
    (CUSTOM, expected("NotOwner", ALICE)),
    (CUSTOM, expected("NotOwner", ..., 5)),
    (CUSTOM, expected("NotOwner", caller=checksum(ALICE).lower(), code=5)),
    (CUSTOM, expected("NotOwner", caller_=ALICE)),
    (PAIRED, expected("Paired", PAIR, "0x6162")),
    (PAIRED, expected("Paired", (1, ALICE), mark=b"ab")),
    (PANIC, expected(0x11)),
    (EMPTY, expected()),
]
NOT_MET = [
    (REASON, expected("not"), "expected a revert with 'not', got: execution reverted: not now"),
    (REASON, expected(re.compile("later")), "whose reason matches 'later', got"),
    (REASON, expected("not now", 5), r"expected not now\(5\), got"),
    (REASON, expected(0x11), r"a panic with code 0x11 \(arithmetic overflow or underflow\), got"),
    (CUSTOM, expected("NotOwner", BOB), r"got: .*NotOwner\(caller=0x"),
    (CUSTOM, expected("NotOwner", code=6), r"expected NotOwner\(code=6\), got"),
    (CUSTOM, expected("NotOwner", code="x"), r"expected NotOwner\(code='x'\), got"),
    (CUSTOM, expected("NotOwne"), r"revert with 'NotOwne', got: .*; did you mean NotOwner\?$"),
    (CUSTOM, expected("NotOwner()"), r"revert with 'NotOwner\(\)', .*; did you mean NotOwner\?$"),
    (CUSTOM, expected("Unrelated"), r"got: .*\)$"),
    (REASON, expected("now"), r'; for a part of the text write reverts\(re.compile\("now"\)\)$'),
    (PANIC, expected(0x12), "expected a panic with code 0x12"),
    (EMPTY, expected("not now"), "got: execution reverted"),
]


class TestReverts:
    """`reverts` expects a revert, with what is said of it."""

    @pytest.mark.parametrize(("kind", "wanted"), MET)
    @pytest.mark.parametrize("how", ["call", "transact"])
    def test_met(self, odd: Contract, kind: int, wanted: Any, how: str) -> None:
        """Reasons, custom errors with arguments in any form, panics."""
        positional, named = wanted

        with reverts(*positional, **named) as caught:
            getattr(odd.fail, how)(kind)

        assert caught.error.args

    @pytest.mark.parametrize(("kind", "wanted", "message"), NOT_MET)
    def test_not_met(self, odd: Contract, kind: int, wanted: Any, message: str) -> None:
        """Another revert is an assertion that shows both."""
        positional, named = wanted

        with pytest.raises(AssertionError, match=message), reverts(*positional, **named):
            odd.fail(kind)

    def test_nothing_reverted(self, odd: Contract) -> None:
        """A block without a revert is an assertion."""
        with (
            pytest.raises(AssertionError, match=r"nothing reverted, expected NotOwner\(code=5\)"),
            reverts("NotOwner", code=5),
        ):
            odd.name()

    def test_other_errors(self, odd: Contract) -> None:
        """What is no revert is raised as it is, but `reverts()` expects any failure."""
        with pytest.raises(ExecutionFailed, match="out of gas"), reverts("NotOwner"):
            odd.move(BOB, 1, gas=22_000)
        with reverts() as caught:
            odd.move(BOB, 1, gas=22_000)
        assert isinstance(caught.error, ExecutionFailed)
        with pytest.raises(ZeroDivisionError), reverts():
            _ = 1 / 0

    def test_misuse(self, odd: Contract) -> None:
        """Unknown names of arguments and arguments without a name are refused."""
        with (
            pytest.raises(InvalidInput, match=r"caller.* has no argument caler") as caught,
            reverts("NotOwner", caler=1),
        ):
            odd.fail(CUSTOM)
        assert caught.value.__suppress_context__  # nor the revert, nor its traceback
        with pytest.raises(InvalidInput, match="has 2 arg"), reverts("NotOwner", 1, 2, 3):
            odd.fail(CUSTOM)
        with pytest.raises(InvalidInput, match="only a custom error has arguments"):
            reverts(0x11, 5)

    @pytest.mark.parametrize("wrong", [len, ["X"], True, re.compile(b"x"), ValueError], ids=repr)
    def test_no_reason(self, wrong: Any) -> None:
        """What no revert can have as its reason is refused at once."""
        with pytest.raises(InvalidInput, match="is no reason of a revert: give the name") as raised:
            reverts(wrong)

        assert str(raised.value).endswith("pytest.raises(ValueError) expects an exception") == (
            wrong is ValueError
        )

    def test_of_the_node(self, node: Node, odd: Contract) -> None:
        """In tests, where `devchain` is the node, it is a method of that."""
        with node.reverts("not now"):
            odd.fail(REASON)
        with node.expect_emit(odd, "Transfer"):
            odd.move(BOB, 5)

        assert devchain.reverts is reverts
        assert devchain.expect_emit is expect_emit


class TestExpectEmit:
    """`expect_emit` expects an event in the blocks mined meanwhile."""

    @pytest.mark.parametrize(
        "wanted",
        [
            expected("Transfer"),
            expected("Transfer(address,address,uint256)"),
            expected("Transfer", ALICE, BOB, 5),
            expected("Transfer", ..., value=5),
            expected("Transfer", from_=ALICE, to=checksum(BOB).lower()),
        ],
    )
    def test_met(self, odd: Contract, wanted: Any) -> None:
        """Arguments by position and name; the events that fit can be read."""
        (name, *positional), named = wanted

        with expect_emit(odd, name, *positional, **named) as emitted:
            odd.chain()
            odd.move(BOB, 5)

        assert [each["value"] for each in emitted.events] == [5]

    @pytest.mark.parametrize("value", ["chain", keccak(b"chain")], ids=["text", "hash"])
    def test_hashed(self, odd: Contract, value: object) -> None:
        """An indexed text is in the log as a hash, and may be given as text."""
        with expect_emit(odd, "Named", value, b"\x01"):
            odd.chain()
        with pytest.raises(AssertionError), expect_emit(odd, "Named", "other"):
            odd.chain()

    def test_not_met(self, odd: Contract) -> None:
        """The assertion lists what was emitted, and nothing of earlier blocks."""
        odd.move(BOB, 6)

        with (
            pytest.raises(
                AssertionError, match=r"did not emit Transfer\(value=6\), but Transfer\("
            ),
            expect_emit(odd, "Transfer", value=6),
        ):
            odd.move(BOB, 5)
        with (
            pytest.raises(AssertionError, match=r"nor any other event$"),
            expect_emit(odd, "Transfer"),
        ):
            pass

    def test_accounts(self, odd: Contract, node: Node) -> None:
        """An account and a contract that were expected are shown as events show addresses."""
        account = node.funded_accounts[2]
        for expected, address in ((account, account.canonical), (odd, odd.address)):
            shown = checksum(Address(bytes(address)))
            with (
                pytest.raises(AssertionError, match=rf"did not emit Transfer\({shown}\), but"),
                expect_emit(odd, "Transfer", expected),
            ):
                odd.move(BOB, 5)

    def test_of_another_contract(self, odd: Contract, node: Node) -> None:
        """The event of another contract is none."""
        other = node.deploy(ODD)

        with (
            pytest.raises(AssertionError, match="nor any other event"),
            expect_emit(other, "Transfer"),
        ):
            odd.move(BOB, 5)

    def test_errors_inside(self, odd: Contract) -> None:
        """An error in the block is raised as it is."""
        with pytest.raises(ZeroDivisionError), expect_emit(odd, "Transfer"):
            _ = 1 / 0

    def test_unknown_event(self, odd: Contract) -> None:
        """An event that the ABI does not have is refused at once."""
        with pytest.raises(InvalidInput, match="Odd has no event Transfered: did you mean Trans"):
            expect_emit(odd, "Transfered")

    @pytest.mark.parametrize(
        ("wanted", "message"),
        [
            (expected(to=1), "want address to, got 1"),
            (expected(value="zero"), "want uint256 value, got 'zero'"),
            (expected(..., ..., -1), "want uint256 value, got -1"),
            (expected(amount=1), r"has no argument amount"),
            (expected(1, 2, 3, 4), "has 3 arguments, got 4"),
        ],
        ids=["address", "text", "position", "name", "count"],
    )
    def test_wrong_arguments(self, odd: Contract, wanted: Any, message: str) -> None:
        """Values that the event cannot have are refused at once."""
        positional, named = wanted

        with pytest.raises(InvalidInput, match=message):
            expect_emit(odd, "Transfer", *positional, **named)
