"""`devchain.evm.rootstock.state`"""

from __future__ import annotations

import pytest
from eth._utils.address import generate_contract_address
from eth_utils.exceptions import ValidationError

from devchain.evm.rootstock.gas import InitCodeTooLarge
from devchain.types import Address
from tests.accounts import ALICE
from tests.bytecode import assemble, init_code
from tests.evm.rootstock.machine import (
    ABSENT,
    CONTRACT,
    GAS,
    MINER,
    OTHER,
    Machine,
    number_of,
    returning,
)

FUNDS = 10**18


class TestIntrinsicGas:
    @pytest.mark.parametrize(
        ("fork", "to", "data", "gas"),
        [
            ("vetiver", OTHER, b"", 21_000),
            ("vetiver", OTHER, b"\x00\x01", 21_000 + 4 + 16),
            ("fingerroot", OTHER, b"\x00\x01", 21_000 + 4 + 68),
            ("arrowhead", OTHER, b"\x00\x01", 21_000 + 4 + 16),
            ("vetiver", b"", b"", 53_000),
            ("vetiver", b"", bytes(33), 53_000 + 33 * 4 + 2 * 2),
            ("arrowhead", b"", bytes(33), 53_000 + 33 * 4),
            ("lovell", b"", bytes(33), 53_000 + 33 * 4 + 2 * 2),
        ],
    )
    def test_gas(self, fork: str, to: bytes, data: bytes, gas: int) -> None:
        """Intrinsic gas of transactions; calldata is cheaper since Arrowhead."""
        machine = Machine(fork)

        assert machine.mine(to, data, gas=gas).gas_used == gas
        with pytest.raises(ValidationError, match="Insufficient gas"):
            machine.mine(to, data, gas=gas - 1)


class TestMinedAndSimulated:
    @pytest.mark.parametrize(
        ("source", "value"),
        [
            ("1 0 SSTORE 0 0 SSTORE", 0),
            ("1 0 SSTORE INVALID", 0),
            ("1 0 SSTORE 0 0 REVERT", 0),
            (f"{number_of(ABSENT)} SELFDESTRUCT", 3),
            (f"0 0 0 0 1 {number_of(ABSENT)} GAS CALL", 3),
            ("32 0 0 CREATE", 3),
        ],
    )
    def test_same_gas(self, source: str, value: int) -> None:
        """A mined transaction uses the gas of its simulation."""
        mined, simulated = Machine(), Machine()
        for machine in (mined, simulated):
            machine.install(source)

        actual = mined.mine(value=value, gas_price=2)
        expected = simulated.run(value=value)

        assert (actual.gas_used, actual.succeeded) == (expected.gas_used, expected.succeeded)

    def test_creation(self) -> None:
        """A mined creation uses the gas of its simulation."""
        actual = Machine().mine(b"", init_code(b"\x01" * 40))
        expected = Machine().run(b"", init_code(b"\x01" * 40))

        assert actual.gas_used == expected.gas_used

    def test_local_call(self) -> None:
        """The transaction context has `local_call` False only for a mined transaction."""
        mined, simulated = Machine().mine(OTHER), Machine().run(OTHER)

        assert mined.computation.transaction_context.local_call is False
        assert simulated.computation.transaction_context.local_call is True


class TestRefund:
    @pytest.mark.parametrize(
        ("source", "used", "refund"),
        [
            # at most half of the gas used; on Ethereum a fifth, and 4800 for a slot
            ("0 1 SSTORE", 26_006, 13_003),
            ("0 1 SSTORE 1 0 SSTORE 1 2 SSTORE", 66_018, 15_000),
            (f"{number_of(OTHER)} SELFDESTRUCT", 26_003, 13_001),
        ],
    )
    def test_capped(self, source: str, used: int, refund: int) -> None:
        """The refund is at most half of the gas used."""
        assert Machine().execute(source, slot_1=5).gas_used == used - refund

    def test_failure(self) -> None:
        """A failing transaction gets no refund."""
        actual = Machine().execute("0 1 SSTORE 0 0 REVERT", slot_1=5)

        assert actual.gas_used == 26_006 + 6


class TestFees:
    def test_fee(self) -> None:
        """The miner gets the whole gas price; nothing is burned."""
        machine = Machine(minimum_gas_price=1)
        machine.mine(OTHER, value=9, gas_price=3)

        assert machine.state.get_balance(MINER) == 3 * 21_000
        assert machine.state.get_balance(ALICE) == FUNDS - 3 * 21_000 - 9
        assert machine.state.get_balance(OTHER) == 1 + 9

    def test_no_fee(self) -> None:
        """A transaction without a fee does not create the miner's account."""
        machine = Machine()
        machine.mine(OTHER)

        assert not machine.state.account_exists(MINER)

    def test_failed_creation(self) -> None:
        """A creation that fails costs the gas and the nonce, not the value."""
        machine = Machine()
        actual = machine.mine(b"", assemble("INVALID"), value=9, gas_price=1)

        assert (actual.succeeded, actual.gas_used) == (False, GAS)
        assert machine.state.get_nonce(ALICE) == 1
        assert machine.state.get_balance(ALICE) == FUNDS - GAS
        assert not machine.state.account_exists(Address(generate_contract_address(ALICE, 0)))

    def test_reverted_creation(self) -> None:
        """A creation that reverts gets unused gas back."""
        machine = Machine()
        actual = machine.mine(b"", assemble("0 0 REVERT"), value=9, gas_price=1)

        assert actual.gas_used == 53_000 + 3 * 16 + 2 * 4 + 2 + 6
        assert machine.state.get_balance(ALICE) == FUNDS - actual.gas_used


class TestAccounts:
    def test_empty_account(self) -> None:
        """Empty accounts are kept, unlike with EIP-161."""
        machine = Machine()
        machine.mine(ABSENT)

        assert machine.state.account_exists(ABSENT)

    @pytest.mark.parametrize(("number", "exists"), [(1, True), (0x01000016, True), (10, False)])
    def test_precompiles_exist(self, number: int, exists: bool) -> None:
        """A CALL to a precompiled contract does not pay for a new account."""
        source = f"0 0 0 0 0 {number} 0 CALL"
        actual = Machine().execute(source)

        assert actual.code_gas == 21 + 700 + (0 if exists else 25_000)


class TestTransientStorage:
    def test_ends_with_the_transaction(self) -> None:
        """Transient storage is cleared after each transaction."""
        machine = Machine()
        machine.install(returning("0 TLOAD 7 0 TSTORE 0 TLOAD ADD"))

        assert [machine.mine().word for _ in range(2)] == [7, 7]

    def test_reverts(self) -> None:
        """Transient storage is reverted with the call that changed it."""
        machine = Machine()
        machine.install("7 0 TSTORE 0 0 REVERT", OTHER)
        source = f"0 0 0 0 {number_of(OTHER)} GAS DELEGATECALL POP 0 TLOAD"

        assert machine.execute(returning(source)).word == 0


class TestInitCode:
    @pytest.mark.parametrize(("fork", "limited"), [("arrowhead", False), ("lovell", True)])
    def test_of_a_transaction(self, fork: str, limited: bool) -> None:
        """A transaction with more than 49152 bytes is rejected since Lovell (RSKIP438)."""
        machine, gas = Machine(fork), 5_000_000
        machine.mine(b"", bytes(49_152), gas=gas)
        if not limited:
            assert machine.mine(b"", bytes(49_153), gas=gas).succeeded
            return
        with pytest.raises(InitCodeTooLarge, match="49153 bytes, the limit is 49152"):
            machine.mine(b"", bytes(49_153), gas=gas)
        with pytest.raises(InitCodeTooLarge):
            machine.run(b"", bytes(49_153), gas=gas)

        assert machine.mine(CONTRACT, bytes(49_153), gas=gas).succeeded


class TestCreationAtUsedAddress:
    def test_by_transaction(self) -> None:
        """A creation by a transaction overwrites existing code."""
        machine = Machine()
        address = Address(generate_contract_address(ALICE, 0))
        machine.install("INVALID", address)
        actual = machine.mine(b"", init_code(b"\x00"))

        assert actual.created == address
        assert machine.state.get_code(address) == b"\x00"
