"""`devchain.evm.rootstock.precompiles.secp256k1`"""

from __future__ import annotations

import pytest

from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed
from tests.bytecode import word
from tests.evm.rootstock.precompiles.calling import Machine

ADD, MULTIPLY = 0x01000016, 0x01000017
PRIME = 2**256 - 2**32 - 977
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141

ONE = 1, 29896722852569046015560700294576055776214335159245303116488692907525646231534
TWICE = (
    90462569716653277674664832038037428010367175520031690655826237506178777087235,
    30122570767565969031174451675354718271714177419582540229636601003470726681395,
)
NINEFOLD = (
    46171929588085016379679198610744759757996296651373714437564035753833216770329,
    4076329532618667641907419885981677362511359868272295070859229146922980867493,
)
INFINITY = 0, 0
RED = 4, 40508090799132825824753983223610497876805216745196355809233758402754120847507
BLUE = (
    1624070059937464756887933993293429854168590106605707304006200119738501412969,
    48810817106871756219742442189260392858217846784043974224646271552914041676099,
)
PURPLE = (
    59470963110652214182270290319243047549711080187995156844066669631124720856270,
    75549874947483386113764723043915448105868538368156141886808196158351727282824,
)
OFF_CURVE = 2 * (b"\x11" * 32)


def raw(*points: tuple[int, int]) -> bytes:
    """Encode points as words."""
    return b"".join(word(number) for point in points for number in point)


@pytest.fixture
def machine() -> Machine:
    """The newest upgrade."""
    return Machine()


class TestAdd:
    @pytest.mark.parametrize(
        ("payload", "total"),
        [
            (raw(ONE, ONE), TWICE),
            (raw(RED, BLUE), PURPLE),
            (raw(ONE, INFINITY), ONE),
            (raw(INFINITY, ONE), ONE),
            (raw(ONE), ONE),
            (raw(ONE, (1, PRIME - ONE[1])), INFINITY),
            (raw(INFINITY, INFINITY), INFINITY),
            (b"", INFINITY),
            (raw(ONE, ONE, RED), TWICE),
        ],
        ids=[
            "double",
            "sum",
            "plus infinity",
            "infinity plus",
            "short",
            "opposite",
            "infinities",
            "empty",
            "long",
        ],
    )
    def test_vectors(self, machine: Machine, payload: bytes, total: tuple[int, int]) -> None:
        """Test vectors of rskj; missing input is zero."""
        outcome = machine.call(ADD, payload)

        assert (outcome.output, outcome.gas) == (raw(total), 150)

    def test_bad_point(self, machine: Machine) -> None:
        """A point that is not on the curve fails and costs the gas of the contract."""
        outcome = machine.call(ADD, raw(ONE) + OFF_CURVE)

        assert isinstance(outcome.error, PrecompileFailed)
        assert str(outcome.error) == f"not a point of secp256k1: 0x{OFF_CURVE.hex()}"
        assert outcome.gas == 150

    def test_unreduced(self, machine: Machine) -> None:
        """A coordinate has to be less than the field's prime."""
        assert machine.call(ADD, raw((1 + PRIME, ONE[1]))).error is not None


class TestMultiply:
    @pytest.mark.parametrize(
        ("factor", "product"),
        [
            (0, INFINITY),
            (1, ONE),
            (2, TWICE),
            (9, NINEFOLD),
            (ORDER, INFINITY),
            (ORDER + 2, TWICE),
            (
                2**256 - 1,
                (
                    68306631035792818416930554521980007078198693994042647901813352646899028694565,
                    763410389832780290161227297165449309800016629866253823160953352172730927280,
                ),
            ),
        ],
        ids=["0", "1", "2", "9", "order", "order + 2", "2**256 - 1"],
    )
    def test_vectors(self, machine: Machine, factor: int, product: tuple[int, int]) -> None:
        """Test vectors of rskj; scalars may exceed the curve's order."""
        outcome = machine.call(MULTIPLY, raw(ONE) + word(factor))

        assert (outcome.output, outcome.gas) == (raw(product), 3000)

    def test_infinity(self, machine: Machine) -> None:
        """The product of infinity, and of empty input, is infinity."""
        assert machine.call(MULTIPLY, raw(INFINITY) + word(5)).output == raw(INFINITY)
        assert machine.call(MULTIPLY).output == raw(INFINITY)

    def test_bad_point(self, machine: Machine) -> None:
        """A point that is not on the curve fails for any scalar."""
        assert isinstance(machine.call(MULTIPLY, OFF_CURVE).error, PrecompileFailed)
