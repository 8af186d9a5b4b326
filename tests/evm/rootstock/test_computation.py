"""`devchain.evm.rootstock.computation`"""

from __future__ import annotations

import pytest
from eth._utils.address import generate_contract_address
from eth.exceptions import OutOfGas, ReservedBytesInCode

from devchain.evm.rootstock.gas import CodeTooLarge
from devchain.networks import ROOTSTOCK as ROOTSTOCK_FORKS
from devchain.types import Address
from tests.accounts import ALICE
from tests.bytecode import assemble, init_code
from tests.evm.rootstock.machine import CONTRACT, GAS, OTHER, Machine, number_of, returning, storing

CHILD = Address(generate_contract_address(CONTRACT, 0))
RESERVED = bytes.fromhex("60ef60005360016000f3")
"""Init code that returns the code 0xef."""

HUGE = "{} 0 RETURN"
"""Init code that returns that many zero bytes."""


class TestCreationByTransaction:
    def test_nonce(self) -> None:
        """A contract that a transaction creates has nonce 0, under every upgrade."""
        for fork in ROOTSTOCK_FORKS:
            machine = Machine(fork)
            created = machine.run(b"", init_code(b"\x00")).created

            assert machine.state.get_code(created) == b"\x00"
            assert machine.state.get_nonce(created) == 0

    @pytest.mark.parametrize(
        ("init", "error"),
        [
            (RESERVED, ReservedBytesInCode),
            (assemble(HUGE.format(24_577)), CodeTooLarge),
            (assemble(HUGE.format(10_000)), OutOfGas),
        ],
        ids=["reserved", "too-large", "too-dear"],
    )
    def test_refused_code(self, init: bytes, error: type[Exception]) -> None:
        """A creation whose code is rejected uses all gas and leaves no account."""
        machine = Machine()
        gas = 10_000_000 if error is CodeTooLarge else GAS
        actual = machine.run(b"", init, value=5, gas=gas)

        assert isinstance(actual.computation.error, error)
        assert (actual.succeeded, actual.gas_used) == (False, gas)
        assert not machine.state.account_exists(actual.created)

    def test_largest(self) -> None:
        """24576 bytes of code are allowed."""
        actual = Machine().run(b"", assemble(HUGE.format(24_576)), gas=10_000_000)

        assert actual.succeeded

    @pytest.mark.parametrize(("fork", "succeeded"), [("reed810", True), ("vetiver", False)])
    def test_reserved_since_vetiver(self, fork: str, succeeded: bool) -> None:
        """Code that starts with 0xef is rejected since Vetiver (RSKIP544)."""
        assert Machine(fork).run(b"", RESERVED).succeeded is succeeded

    @pytest.mark.parametrize(("fork", "kept"), [("papyrus", 0), ("iris", 5)])
    def test_balance_of_the_address(self, fork: str, kept: int) -> None:
        """Since Iris a contract keeps the balance its address had (RSKIP174)."""
        machine = Machine(fork)
        address = Address(generate_contract_address(ALICE, 0))
        machine.state.set_balance(address, 5)
        actual = machine.run(b"", init_code(b"\x00"), value=2)

        assert (actual.created, machine.state.get_balance(address)) == (address, kept + 2)

    def test_without_code(self) -> None:
        """Without init code an account is created."""
        machine = Machine()
        actual = machine.run(b"", value=5)

        assert (actual.code_gas, machine.state.get_balance(actual.created)) == (0, 5)


class TestInnerCreation:
    @pytest.mark.parametrize(
        "init", [RESERVED, assemble(HUGE.format(24_577))], ids=["reserved", "too-large"]
    )
    def test_refused_code(self, init: bytes) -> None:
        """A CREATE whose code is rejected gives 0, leaves no account and uses all gas."""
        machine = Machine()
        machine.install(f"{storing(init)} {len(init)} 0 0 CREATE STOP")
        actual = machine.run(gas=10_000_000)

        assert (actual.succeeded, actual.gas_used) == (True, 10_000_000)
        assert not machine.state.account_exists(CHILD)

    @pytest.mark.parametrize(("fork", "created"), [("arrowhead", True), ("lovell", False)])
    def test_before_lovell(self, fork: str, created: bool) -> None:
        """Before Lovell a contract whose code was rejected stayed without code (RSKIP453)."""
        machine = Machine(fork)
        init = assemble(f"1 0 SSTORE {HUGE.format(24_577)}")
        actual = machine.execute(f"{returning(f'{storing(init)} {len(init)} 0 0 CREATE')}")

        assert (machine.state.account_exists(CHILD), bool(actual.word)) == (created, created)
        assert machine.state.get_storage(CHILD, 0) == int(created)
        assert machine.state.get_code(CHILD) == b""
        assert (actual.gas_used < GAS) is created


class TestRefund:
    CLEAR = "1 0 SSTORE 0 0 SSTORE 1 1 SSTORE"
    """Costs 45018 gas and has a refund of 15000."""

    def test_of_a_call(self) -> None:
        """Slots that a callee clears are refunded."""
        machine = Machine()
        machine.install(self.CLEAR, OTHER)
        actual = machine.execute(f"0 0 0 0 0 {number_of(OTHER)} GAS CALL")

        assert actual.gas_used == 21_000 + 20 + 700 + 45_018 - 15_000

    def test_of_a_reverted_call(self) -> None:
        """A reverted call gives no refund."""
        machine = Machine()
        machine.install(f"{self.CLEAR} 0 0 REVERT", OTHER)
        actual = machine.execute(f"0 0 0 0 0 {number_of(OTHER)} GAS CALL")

        assert actual.gas_used == 21_000 + 20 + 700 + 45_018 + 6

    def test_of_a_creation(self) -> None:
        """Refunds of init code executed by CREATE are lost, as in rskj."""
        init = assemble(self.CLEAR)
        actual = Machine().execute(f"{storing(init)} {len(init)} 0 0 CREATE")

        assert actual.gas_used == 21_000 + 12 + 9 + 32_002 + 45_018

    def test_of_a_creation_by_transaction(self) -> None:
        """Refunds of init code executed by a transaction are kept."""
        actual = Machine().run(b"", assemble(self.CLEAR))
        # 53000, 15 bytes of init code of which 3 are zero, one word of it
        intrinsic = 53_000 + 12 * 16 + 3 * 4 + 2

        assert actual.gas_used == intrinsic + 45_018 - 15_000


class TestCodeHeader:
    @pytest.mark.parametrize(
        ("header", "runs"),
        [
            ("fc000000", True),
            ("fc010203ffffff", True),
            ("fc0000", False),
            ("fc0000ff", False),
            ("00fc0000", None),
        ],
    )
    def test_skipped(self, header: str, runs: bool | None) -> None:
        """A code header (0xfc) is skipped at the start of code and invalid elsewhere."""
        machine = Machine()
        machine.install(bytes.fromhex(header) + assemble("7 0 SSTORE"))
        actual = machine.run()

        assert actual.succeeded is (runs is not False)
        assert machine.state.get_storage(CONTRACT, 0) == (7 if runs else 0)
