"""`devchain.evm.rootstock.calls`"""

from __future__ import annotations

import pytest

from tests.accounts import ALICE
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

THERE = number_of(OTHER)
GAS_LEFT = returning("GAS")
ANSWER = "32 0 RETURN"
COUNT_CALLS = "0 SLOAD 1 ADD 0 SSTORE 0 0 0 0 0 ADDRESS GAS CALL STOP"
"""counts itself in slot 0, then calls itself with all its gas"""


def gas_seen(source: str, fork: str = "vetiver", balance: int = 0) -> int:
    """What a callee that looks at its gas finds after its GAS (2) opcode."""
    machine = Machine(fork)
    machine.install(GAS_LEFT, OTHER)
    return machine.execute(f"{source} {ANSWER}", balance).word + 2


class TestGas:
    def test_all_but_nothing(self) -> None:
        """A caller that asks for more than there is hands over all of it, not 63/64."""
        # 1000000 - 21000 intrinsic - 7 operands (20: GAS is 2) - 700 - a word of memory
        asked = gas_seen(f"32 0 0 0 0 {THERE} GAS CALL")
        most = gas_seen(f"32 0 0 0 0 {THERE} 0 NOT CALL")

        assert asked == 979_000 - 20 - 700 - 3
        assert most == 979_000 - 24 - 700 - 3

    def test_as_requested(self) -> None:
        """A caller that asks for less hands over what it asked for."""
        assert gas_seen(f"32 0 0 0 0 {THERE} 5000 CALL") == 5000

    def test_the_stipend_is_the_callers(self) -> None:
        """With value the callee gets 2300 more, and the caller pays for them."""
        machine = Machine()
        machine.install("INVALID", OTHER)
        actual = machine.execute(f"0 0 0 0 1 {THERE} 1000 CALL", balance=1)

        assert gas_seen(f"32 0 0 0 1 {THERE} 1000 CALL", balance=1) == 3300
        assert actual.code_gas == 21 + 700 + 9000 + 3300

    def test_no_gas_for_the_stipend(self) -> None:
        """A transfer that leaves less than 2300 runs out of gas."""
        machine = Machine()
        machine.install(f"0 0 0 0 1 {THERE} 0 CALL STOP", balance=1)
        enough = 21_000 + 21 + 700 + 9000 + 2300

        assert machine.run(gas=enough).succeeded
        assert not machine.run(gas=enough - 1).succeeded

    def test_absent_account_comes_into_being(self) -> None:
        """A call without value makes an account, so that the next one is cheaper."""
        source = f"0 0 0 0 0 {number_of(ABSENT)} 0 CALL POP"
        machine = Machine()
        actual = machine.execute(f"{source} {source}")

        assert actual.code_gas == 2 * (21 + 700 + 2) + 25_000
        assert machine.state.account_exists(ABSENT)

    def test_static_call_makes_the_account_too(self) -> None:
        """A STATICCALL to an absent account brings it into being, at no charge."""
        machine = Machine()
        machine.execute(f"0 0 0 0 {number_of(ABSENT)} 0 STATICCALL")

        assert machine.state.account_exists(ABSENT)


class TestDepth:
    @pytest.mark.parametrize(
        ("fork", "calls"), [("wasabi", 1025), ("twotothree", 401), ("vetiver", 401)]
    )
    def test_limit(self, fork: str, calls: int) -> None:
        """Calls nest 400 deep, 1024 before the upgrade twoToThree; the next one fails."""
        machine = Machine(fork)
        machine.install(COUNT_CALLS)
        machine.run(gas=100_000_000)

        assert machine.state.get_storage(CONTRACT, 0) == calls

    def test_gas_comes_back(self) -> None:
        """The call that is too deep costs what it costs to try."""
        machine = Machine()
        machine.install(COUNT_CALLS)
        actual = machine.run(gas=100_000_000)

        # each frame: 200 + 14 for the counter's operands, 5000 for it (20000 the first time),
        # 5 operands of 3, ADDRESS 2, GAS 2, 700
        assert actual.code_gas == 401 * (203 + 6 + 3 + 5000 + 15 + 4 + 700) + 15_000


class TestResult:
    def test_failure_burns_what_was_given(self) -> None:
        """A callee that fails keeps the gas it was given and nothing more."""
        machine = Machine()
        machine.install("INVALID", OTHER)
        actual = machine.execute(returning(f"0 0 0 0 0 {THERE} 5000 CALL"))

        assert actual.word == 0
        assert actual.code_gas == 21 + 700 + 5000 + 15

    def test_too_poor(self) -> None:
        """A transfer the caller cannot afford fails and costs no more than the attempt."""
        machine = Machine()
        actual = machine.execute(returning(f"0 0 0 0 1 {THERE} 5000 CALL"))

        assert actual.word == 0
        assert actual.code_gas == 21 + 700 + 9000 + 15

    def test_output_is_cut(self) -> None:
        """No more is written than the caller has room for, and no more than there is."""
        machine = Machine()
        machine.install("0 NOT 0 MSTORE 32 0 RETURN", OTHER)
        call = f"{{}} 0 0 0 0 {THERE} 5000 CALL POP 64 0 RETURN"

        cut = machine.execute(call.format(8)).computation.output
        whole = machine.execute(call.format(64)).computation.output

        assert (cut, whole) == (b"\xff" * 8 + bytes(56), b"\xff" * 32 + bytes(32))

    def test_delegate_keeps_sender_and_value(self) -> None:
        """DELEGATECALL runs with the caller's caller and value."""
        machine = Machine()
        machine.install("CALLVALUE CALLER ADD 0 MSTORE 32 0 RETURN", OTHER)
        machine.install(f"32 0 0 0 {THERE} 5000 DELEGATECALL {ANSWER}")
        actual = machine.run(value=7)

        assert actual.word == int.from_bytes(actual.computation.msg.sender, "big") + 7


class TestReturnData:
    @pytest.mark.parametrize(("fork", "size"), [("fingerroot", 0), ("papyrus", 32)])
    def test_of_an_account_without_code(self, fork: str, size: int) -> None:
        """A call that runs nothing empties the return data; before Iris it left it (RSKIP171)."""
        machine = Machine(fork)
        machine.install(GAS_LEFT, OTHER)
        source = f"0 0 0 0 0 {THERE} 5000 CALL 0 0 0 0 0 {number_of(ABSENT)} 0 CALL"
        actual = machine.execute(returning(f"{source} RETURNDATASIZE"))

        assert actual.word == size

    @pytest.mark.parametrize(("fork", "size"), [("fingerroot", 0), ("papyrus", 32)])
    def test_of_a_call_too_dear(self, fork: str, size: int) -> None:
        """So it is when the value cannot be paid."""
        machine = Machine(fork)
        machine.install(GAS_LEFT, OTHER)
        source = f"0 0 0 0 0 {THERE} 5000 CALL 0 0 0 0 1 {THERE} 0 CALL"
        actual = machine.execute(returning(f"{source} RETURNDATASIZE"))

        assert actual.word == size

    def test_of_a_revert(self) -> None:
        """What a callee reverts with is return data, as on Ethereum."""
        machine = Machine()
        machine.install("7 0 MSTORE 32 0 REVERT", OTHER)
        source = f"0 0 0 0 0 {THERE} 5000 CALL 32 0 0 RETURNDATACOPY"
        actual = machine.execute(f"{source} {ANSWER}")

        assert actual.word == 7


class TestPrecompileFailures:
    # a point that is not on the curve: (1, 1)
    BAD_POINT = "1 0 MSTORE 1 32 MSTORE 0 0 64 0 6 50000 STATICCALL"

    def test_rest_of_the_gas_comes_back(self) -> None:
        """A precompiled contract that refuses its input keeps what it charges, no more."""
        actual = Machine().execute(returning(self.BAD_POINT))

        assert actual.word == 0
        assert actual.code_gas == 2 * 12 + 18 + 700 + 150 + 12

    def test_too_little_gas(self) -> None:
        """One that cannot be paid keeps all it was given."""
        actual = Machine().execute(returning("0 0 0 0 6 149 STATICCALL"))

        assert actual.word == 0
        assert actual.code_gas == 18 + 700 + 149 + 15

    def test_of_a_transaction(self) -> None:
        """A transaction that calls it pays its gas limit, whatever the receipt says it used."""
        point = (1).to_bytes(32, "big") * 2
        machine = Machine()
        actual = machine.mine(bytes(19) + b"\x06", point, value=5, gas_price=1)

        # 62 bytes of zero and two of one
        assert (actual.succeeded, actual.gas_used) == (False, 21_000 + 62 * 4 + 2 * 16 + 150)
        assert machine.state.get_balance(ALICE) == 10**18 - GAS
        assert machine.state.get_balance(MINER) == GAS

    @pytest.mark.parametrize(("fork", "succeeded"), [("iris", True), ("papyrus", False)])
    def test_of_a_native_contract(self, fork: str, succeeded: bool) -> None:
        """Before Iris the failure of a native contract was its caller's (RSKIP197)."""
        actual = Machine(fork).execute("0xffffffff 0 MSTORE 0 0 4 28 0x01000009 50000 STATICCALL")

        assert actual.succeeded is succeeded


class TestStaticCallWithValue:
    SOURCE = f"0 0 0 0 1 {THERE} 0 STATICCALL"

    def test_orchid(self) -> None:
        """In Orchid STATICCALL took a value, charged for it and sent it."""
        machine = Machine("orchid")
        actual = machine.execute(self.SOURCE, balance=1)

        assert machine.state.get_balance(OTHER) == 2
        assert actual.code_gas == 21 + 700 + 9000

    def test_since(self) -> None:
        """Since then (RSKIP103) that word stays where it is."""
        machine = Machine("orchid060")
        # six parameters: the gas is 0, the recipient THERE, the 1 is where the input starts
        actual = machine.execute(f"{self.SOURCE} POP", balance=1)

        assert machine.state.get_balance(OTHER) == 1
        assert actual.code_gas == 21 + 700 + 2


class TestCode:
    def test_delegate_to_precompile(self) -> None:
        """A precompiled contract can be called on one's own behalf."""
        source = "7 0 MSTORE 32 32 32 0 4 5000 DELEGATECALL POP 32 32 RETURN"

        assert Machine().execute(source).word == 7
