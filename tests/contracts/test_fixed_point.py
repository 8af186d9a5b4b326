"""`devchain.contracts.value_types`: decimals of contracts compiled by vyper 0.4 and 0.3"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devchain import Config, Node, expect_emit, strategies
from devchain.contracts.abi import Param
from devchain.contracts.value_types import (
    PLACES,
    decimal_text,
    parse_number,
    parse_type,
    scaled,
    unscaled,
)
from devchain.errors import ExecutionReverted, InvalidInput
from tests.accounts import BOB

RATES = Path(__file__).with_name("rates.json")
OLD_RATES = Path(__file__).with_name("old_rates.json")
LOW, HIGH = parse_type("int168").bounds
QUICK = settings(max_examples=40, database=None, deadline=None)


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    """A node of these tests, each of which deploys its own contract."""
    with Node(Config()) as node:
        yield node


@QUICK
@given(st.integers(LOW, HIGH))
def test_round_trips(integer: int) -> None:
    """An integer is what its text and its `Decimal` are read as."""
    assert parse_number(decimal_text(integer), LOW, HIGH, PLACES) == integer
    assert unscaled(scaled(integer, PLACES), PLACES) == integer


@pytest.mark.parametrize(
    "text",
    [
        *("", ".", "-", "1.5.2", "0x10", "1e", "nan", "inf", "1,00", "1e9999", "0.00000000001"),
        *("1e60", "9" * 200, decimal_text(HIGH + 1), decimal_text(LOW - 1)),
    ],
)
def test_no_number(text: str) -> None:
    """Other text, more places and larger numbers are refused."""
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        parse_number(text, LOW, HIGH, PLACES)


@pytest.mark.parametrize("text", ["NaN", "Infinity", "1E-11", "1E+999999999", "1E-999999999"])
def test_no_decimal(text: str) -> None:
    """A `Decimal` without an integer of ten places is refused, in no time."""
    with pytest.raises(ValueError, match=re.escape(text)):
        unscaled(Decimal(text), PLACES)


class TestPython:
    """Contracts as Python objects: integers of the ABI are returned, numbers may be given."""

    @pytest.mark.parametrize(
        ("rate", "integer"),
        [
            (Decimal("1.5"), 15 * 10**9),
            (Decimal(2), 2 * 10**10),
            (2, 2),
            (Decimal("-0.0000000001"), -1),
            (HIGH, HIGH),
            (scaled(LOW, PLACES), LOW),
        ],
    )
    def test_argument(self, node: Node, rate: Decimal | int, integer: int) -> None:
        """A `Decimal` is the number, an integer the value in the ABI, as it is returned."""
        rates = node.deploy(RATES, rate)

        assert rates.rate() == integer
        with expect_emit(rates, "RateSet", rate=rate, before=integer):
            rates.set(rates.rate())
        assert rates.rate() == integer

    def test_nested(self, node: Node) -> None:
        """Both may be given in arrays and structs, and what is returned as it is."""
        rates = node.deploy(RATES, Decimal(1))

        share, pairs = rates.echo((BOB, Decimal("0.25")), [[Decimal(1), 2]])
        rates.set_all(pairs[0], (Decimal(1), pairs[0][1]), {"who": BOB, "part": Decimal("1.5")})

        assert (share, pairs) == ((BOB, 25 * 10**8), [[10**10, 2]])
        assert rates.echo(share, pairs) == (share, pairs)
        assert rates.rate() == 25 * 10**9 + 2

    def test_mock(self, node: Node) -> None:
        """So it is for what a mock returns, of a signature too."""
        rates = node.deploy(RATES, 0)

        node.mock_call(rates.rate, returns=Decimal("2.5"))
        assert rates.rate() == 25 * 10**9
        node.mock_call(rates.address, "rate()(decimal)", returns=Decimal("3.5"))
        assert rates.rate() == 35 * 10**9

    def test_before_vyper_0_4(self, node: Node) -> None:
        """Vyper's decimals were numbers before, as eth-abi has them."""
        rates = node.deploy(OLD_RATES, Decimal("1.5"))

        returned = rates.half(rates.rate())

        assert returned == Decimal("0.75")
        assert rates.half(returned) == Decimal("0.375")
        assert rates.half(1) == Decimal("0.5")

    @pytest.mark.parametrize("file", [RATES, OLD_RATES], ids=["0.4", "0.3"])
    @pytest.mark.parametrize(
        ("rate", "message"),
        [
            (1.5, r', got 1.5, a float: give a decimal.Decimal, such as Decimal\("1.5"\)$'),
            ("1.5", r", got '1.5', text: give a decimal.Decimal, such as Decimal"),
            (Decimal("1e-11"), "give a number with at most 10 digits behind the point, -187"),
            (Decimal(10**41), r"behind the point, .* to 187\d*595.9365500927$"),
            (Decimal("NaN"), r"got Decimal\('NaN'\): give a number"),
            (10**60, "give a number with at most 10 digits"),
        ],
    )
    def test_refused(self, node: Node, file: Path, rate: object, message: str) -> None:
        """Floats and text are refused with what to give, other numbers with the limits."""
        with pytest.raises(InvalidInput, match=message):
            node.deploy(file, rate)

    def test_other_integers(self) -> None:
        """A `Decimal` is no value of an integer type."""
        with pytest.raises(InvalidInput, match=r"want int168, got Decimal\('2'\)$"):
            Param.from_text("int168").encode(Decimal(2))

    @pytest.mark.parametrize("file", [RATES, OLD_RATES], ids=["0.4", "0.3"])
    def test_shown(self, node: Node, file: Path) -> None:
        """Texts have the number, in arrays and structs too."""
        rates = node.deploy(file, Decimal("2.5"))
        mined = rates.set_all([Decimal(3)], (Decimal(1), Decimal("1.5")), (BOB, Decimal(0)))

        tree = node.call_tree(mined)
        assert "history=[3.0], pair=[1.0, 1.5]" in tree
        assert "part=0.0" in tree
        with pytest.raises(ExecutionReverted) as failed:
            rates.below(Decimal("2.5"))
        assert failed.value.reason == "rate too high"


@pytest.mark.parametrize("file", [RATES, OLD_RATES], ids=["0.4", "0.3"])
def test_strategies(node: Node, file: Path) -> None:
    """What is drawn for a contract's function is taken and returned."""
    rates = node.deploy(file, 0)

    @QUICK
    @given(strategies.arguments(rates.echo))
    def check(drawn: tuple[Any, ...]) -> None:
        share, pairs = drawn
        returned = rates.echo(share, pairs[:2])  # more the contract refuses
        assert returned[0]["part"] == share[1]
        assert returned[1] == pairs[:2]

    check()
