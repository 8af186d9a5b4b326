"""`devchain.evm.rootstock.logic`"""

from __future__ import annotations

import pytest
from eth.constants import EMPTY_SHA3, UINT_256_MAX
from eth_hash.auto import keccak

from devchain.types import Address
from tests.evm.rootstock.machine import ABSENT, CONTRACT, OTHER, Machine, number_of, returning

NO_CODE = int.from_bytes(EMPTY_SHA3, "big")


class TestExtcodesize:
    @pytest.mark.parametrize(
        ("address", "fork", "size"),
        [
            ("1", "orchid", UINT_256_MAX),
            ("0x01000006", "orchid", UINT_256_MAX),
            ("6", "twotothree", 0),
            ("6", "papyrus", UINT_256_MAX),
            ("0x01000017", "reed", UINT_256_MAX),
            ("10", "vetiver", 0),
            ("ADDRESS", "vetiver", 10),
            (number_of(OTHER), "vetiver", 0),
            (number_of(ABSENT), "vetiver", 0),
        ],
    )
    def test_size(self, address: str, fork: str, size: int) -> None:
        """A precompiled contract has the largest number for its size, once it exists (RSKIP90)."""
        assert Machine(fork).execute(returning(f"{address} EXTCODESIZE")).word == size


class TestExtcodehash:
    @pytest.mark.parametrize(
        ("address", "value"),
        [
            ("1", NO_CODE),
            ("0x01000006", NO_CODE),
            (number_of(OTHER), NO_CODE),
            (number_of(ABSENT), 0),
        ],
    )
    def test_hash(self, address: str, value: int) -> None:
        """Accounts without code have the hash of nothing, precompiled contracts too."""
        assert Machine().execute(returning(f"{address} EXTCODEHASH")).word == value

    def test_of_code(self) -> None:
        """Contracts have the hash of their code."""
        machine = Machine()
        machine.install(b"\x00", OTHER)
        actual = machine.execute(returning(f"{number_of(OTHER)} EXTCODEHASH"))

        assert actual.word == int.from_bytes(keccak(b"\x00"), "big")

    def test_empty_account(self) -> None:
        """An account that holds nothing is an account nevertheless."""
        machine = Machine()
        machine.mine(ABSENT)
        actual = machine.execute(returning(f"{number_of(ABSENT)} EXTCODEHASH"))

        assert actual.word == NO_CODE


class TestExtcodecopy:
    def test_of_a_precompile(self) -> None:
        """There are no bytes behind a precompiled contract's size."""
        source = "0 NOT 0 MSTORE 32 0 0 1 EXTCODECOPY 32 0 RETURN"

        assert Machine().execute(source).word == 0


class TestSelfdestruct:
    def test_old_contract(self) -> None:
        """A contract is deleted with its storage whenever it was created, no EIP-6780."""
        machine = Machine()
        machine.install(f"{number_of(OTHER)} SELFDESTRUCT", balance=7, slot_1=1)
        machine.mine()

        assert not machine.state.account_exists(CONTRACT)
        assert machine.state.get_storage(CONTRACT, 1) == 0
        assert machine.state.get_balance(OTHER) == 8

    def test_in_its_own_favour(self) -> None:
        """What a contract leaves to itself is gone, as is the contract."""
        machine = Machine()
        machine.install("ADDRESS SELFDESTRUCT", balance=7)
        machine.mine()

        assert not machine.state.account_exists(CONTRACT)
        assert machine.state.get_balance(CONTRACT) == 0

    def test_nothing_to_inherit(self) -> None:
        """Without a balance the beneficiary does not come into being."""
        machine = Machine()
        machine.install(f"{number_of(ABSENT)} SELFDESTRUCT")
        machine.mine()

        assert not machine.state.account_exists(ABSENT)

    def test_runs_until_the_end_of_the_transaction(self) -> None:
        """A destroyed contract can still be called in the same transaction."""
        machine = Machine()
        machine.install("1 0 SLOAD ADD 0 SSTORE 0 SELFDESTRUCT", OTHER)
        call = f"0 0 0 0 0 {number_of(OTHER)} GAS CALL ADD"
        actual = machine.execute(returning(f"0 {call} {call}"))

        assert actual.word == 2

    def test_refund(self) -> None:
        """24000 come back for each contract, however often it was destroyed."""
        machine = Machine()
        machine.install("0 SELFDESTRUCT", OTHER)
        machine.state.set_balance(Address(bytes(20)), 1)
        call = f"0 0 0 0 0 {number_of(OTHER)} GAS CALL"
        actual = machine.execute(f"{call} {call} 1 0 SSTORE")

        assert actual.code_gas == 2 * (20 + 700 + 5_003) + 20_006
        assert actual.gas_used == 21_000 + actual.code_gas - 24_000


class TestWithdrawn:
    @pytest.mark.parametrize(
        ("source", "value"),
        [
            ("5 6 7 0 DUPN INVALID", 7),
            ("5 6 7 2 DUPN INVALID", 5),
            ("5 6 7 0 SWAPN INVALID", 6),
            ("5 6 7 1 SWAPN INVALID", 5),
        ],
    )
    def test_deep(self, source: str, value: int) -> None:
        """DUPN and SWAPN take the depth from the stack and skip the byte after them."""
        assert Machine("papyrus").execute(returning(source)).word == value

    @pytest.mark.parametrize("source", ["1 1 DUPN", "1 2 1 SWAPN", "0 NOT DUPN"])
    def test_too_deep(self, source: str) -> None:
        """Beyond the stack there is nothing."""
        assert not Machine("papyrus").execute(source).succeeded

    def test_index(self) -> None:
        """TXINDEX counts the transactions of a block; a call is as the first."""
        machine = Machine("papyrus")
        machine.install(returning("TXINDEX"))

        assert [machine.mine().word for _ in range(3)] == [0, 1, 2]
        assert Machine("papyrus").execute(returning("TXINDEX")).word == 0
