"""`devchain.evm.rootstock.creation`"""

from __future__ import annotations

import pytest
from eth._utils.address import generate_contract_address, generate_safe_contract_address
from hypothesis import given
from hypothesis import strategies as st

from devchain.evm.rootstock.creation import contract_address
from devchain.evm.rootstock.exceptions import InitCodeTooLarge
from devchain.types import Address
from tests.evm.rootstock.machine import (
    CONTRACT,
    GAS,
    Machine,
    assemble,
    deploying,
    returning,
    storing,
)

RUNTIME = assemble("1 0 MSTORE 32 0 RETURN")
DEPLOY = deploying(RUNTIME)
REVERTING = assemble("7 0 MSTORE 32 0 REVERT")
CREATE = f"{len(DEPLOY)} 0 0 CREATE"
CREATE2 = f"5 {len(DEPLOY)} 0 0 CREATE2"


def create(code: bytes, endowment: int = 0) -> str:
    """The text that creates a contract from init code of 32 bytes at most."""
    return f"{storing(code)} {len(code)} 0 {endowment} CREATE"


@given(creator=st.binary(min_size=20, max_size=20), nonce=st.integers(0, 2**64 - 1))
def test_contract_address(creator: bytes, nonce: int) -> None:
    """The address of a contract is py-evm's."""
    account = Address(creator)

    assert contract_address(account, nonce) == generate_contract_address(account, nonce)


class TestAddress:
    def test_create(self) -> None:
        """A contract that a transaction created starts to count its creations at 0."""
        machine = Machine()
        parent = machine.run(b"", deploying(assemble(returning(create(b""))))).created
        actual = [Address(machine.run(parent).computation.output[-20:]) for _ in range(2)]

        assert actual == [generate_contract_address(parent, nonce) for nonce in (0, 1)]

    def test_create_by_a_created(self) -> None:
        """A contract that a contract created starts at 1 (RSKIP125)."""
        machine = Machine()
        maker = assemble(returning("0 0 0 CREATE"))
        machine.install(f"{storing(deploying(maker))} {12 + len(maker)} 0 0 CREATE")
        machine.run()
        child = generate_contract_address(CONTRACT, 0)

        actual = machine.run(child).computation.output[-20:]

        assert actual == generate_contract_address(child, 1)

    def test_create2(self) -> None:
        """CREATE2 has Ethereum's addresses."""
        actual = Machine().execute(returning(f"{storing(DEPLOY)} {CREATE2}"))

        assert actual.computation.output[-20:] == generate_safe_contract_address(
            CONTRACT, 5, DEPLOY
        )

    @pytest.mark.parametrize(("fork", "nonce"), [("orchid060", 0), ("wasabi", 1), ("vetiver", 1)])
    def test_nonce(self, fork: str, nonce: int) -> None:
        """Contracts created by contracts have nonce 1 since Wasabi."""
        machine = Machine(fork)
        machine.execute(create(DEPLOY))

        assert machine.state.get_nonce(generate_contract_address(CONTRACT, 0)) == nonce


class TestGas:
    def test_child_gets_all(self) -> None:
        """The init code has all the gas that is left, not 63/64 of it."""
        init = assemble("GAS 0 SSTORE")
        machine = Machine()
        machine.execute(create(init))

        seen = machine.state.get_storage(generate_contract_address(CONTRACT, 0), 0)

        # 979000 - MSTORE with operands and memory 12 - operands 9 - 32000 - a word 2 - GAS 2
        assert seen == 979_000 - 12 - 9 - 32_002 - 2

    def test_code_deposit(self) -> None:
        """Each byte of the code that stays costs 200."""
        empty = Machine().execute(create(assemble("0 0 RETURN")))
        one = Machine().execute(create(assemble("1 0 RETURN")))

        assert one.code_gas - empty.code_gas == 200 + 3

    @pytest.mark.parametrize(("fork", "words"), [("arrowhead", 0), ("lovell", 2 * 2)])
    def test_init_code(self, fork: str, words: int) -> None:
        """A word of init code costs 2 since Lovell; CREATE2 hashes it for 6 as ever."""
        create_gas = Machine(fork).execute("33 0 0 CREATE").code_gas
        create2_gas = Machine(fork).execute("0 33 0 0 CREATE2").code_gas

        assert create_gas == 9 + 32_000 + 6 + words
        assert create2_gas == 12 + 32_000 + 6 + 12 + words

    def test_failure_burns_all(self) -> None:
        """Init code that fails burns what it was given: everything."""
        actual = Machine().execute(f"{create(assemble('INVALID'))} 0 SSTORE")

        assert (actual.succeeded, actual.gas_used) == (False, GAS)

    def test_revert_gives_back(self) -> None:
        """Init code that reverts gives back what is left of it."""
        actual = Machine().execute(returning(create(REVERTING)))

        # 12 to put the init code into memory, 18 to run it, 12 to return
        assert actual.word == 0
        assert actual.code_gas == 12 + 9 + 32_002 + 18 + 12


class TestSize:
    @pytest.mark.parametrize("opcode", ["{} 0 0 CREATE", "0 {} 0 0 CREATE2"])
    def test_limit(self, opcode: str) -> None:
        """More than 49152 bytes of init code fail the creator, since Lovell (RSKIP438)."""
        largest = Machine().execute(opcode.format(49_152))
        larger = Machine().execute(opcode.format(49_153))
        earlier = Machine("arrowhead").execute(opcode.format(49_153))

        assert (largest.succeeded, earlier.succeeded) == (True, True)
        assert (larger.succeeded, larger.gas_used) == (False, GAS)
        assert isinstance(larger.computation.error, InitCodeTooLarge)


class TestReturnData:
    def test_after_a_revert(self) -> None:
        """The payload of reverted init code is lost: the node keeps another result's output."""
        actual = Machine().execute(returning(f"{create(REVERTING)} RETURNDATASIZE"))
        contrast = Machine("cancun").execute(returning(f"{create(REVERTING)} RETURNDATASIZE"))

        assert (actual.word, contrast.word) == (0, 32)

    def test_after_a_refusal(self) -> None:
        """A creation that cannot be paid leaves the return data of the call before."""
        call = "1 0 MSTORE 0 0 32 0 4 5000 STATICCALL POP 0 0 1 CREATE POP RETURNDATASIZE"

        actual = Machine().execute(returning(call))
        contrast = Machine("cancun").execute(returning(call))

        assert (actual.word, contrast.word) == (32, 0)


class TestCollision:
    def test_with_code(self) -> None:
        """Where a contract is, none is created; the gas for it is gone (RSKIP125)."""
        machine = Machine()
        machine.install(RUNTIME, Address(generate_contract_address(CONTRACT, 0)))
        actual = machine.execute(f"{create(DEPLOY)} STOP")

        assert (actual.succeeded, actual.gas_used) == (True, GAS)
        assert machine.state.get_nonce(CONTRACT) == 1

    def test_again(self) -> None:
        """CREATE2 does not create twice from the same code and salt."""
        machine = Machine()
        source = f"{storing(DEPLOY)} {CREATE2}"
        machine.install(f"{source} 0 SSTORE {source} 1 SSTORE")
        first = machine.run()
        kept = [machine.state.get_storage(CONTRACT, slot) for slot in (0, 1)]

        assert first.succeeded is False
        assert kept == [0, 0]

    @pytest.mark.parametrize(("fork", "created"), [("orchid060", True), ("wasabi", False)])
    def test_before_wasabi(self, fork: str, created: bool) -> None:
        """Before Wasabi a contract in the way was overwritten."""
        machine = Machine(fork)
        place = Address(generate_contract_address(CONTRACT, 0))
        machine.install("INVALID", place, balance=3)
        machine.execute(create(DEPLOY))

        assert (machine.state.get_code(place) == RUNTIME) is created
        assert machine.state.get_balance(place) == 3

    def test_destroyed_in_the_block(self) -> None:
        """What an earlier transaction of the block destroyed cannot be created again in it."""
        machine = Machine()
        machine.install(f"{storing(deploying(assemble('CALLER SELFDESTRUCT')))} 5 14 0 0 CREATE2")
        machine.mine()
        child = Address(
            generate_safe_contract_address(CONTRACT, 5, deploying(assemble("CALLER SELFDESTRUCT")))
        )
        before = machine.state.get_code(child)
        machine.mine(child)
        again = machine.mine()

        assert before == assemble("CALLER SELFDESTRUCT")
        assert machine.state.get_code(child) == b""
        assert (again.succeeded, again.gas_used) == (True, GAS)


class TestRefusal:
    def test_too_poor(self) -> None:
        """An endowment the creator does not have: 0, and neither nonce nor gas is gone."""
        machine = Machine()
        actual = machine.execute(returning("0 0 1 CREATE"))

        assert (actual.word, machine.state.get_nonce(CONTRACT)) == (0, 0)
        assert actual.code_gas == 9 + 32_000 + 15

    def test_endowment(self) -> None:
        """The endowment is the new contract's, even without any code."""
        machine = Machine()
        machine.execute("0 0 1 CREATE", balance=1)
        child = generate_contract_address(CONTRACT, 0)

        assert machine.state.get_balance(child) == 1
        assert machine.state.get_balance(CONTRACT) == 0

    def test_depth(self) -> None:
        """At the depth limit nothing is created; up to there creations nest as calls do."""
        machine = Machine()
        # each contract copies its own code into the init code of the next
        init = assemble("1 0 SSTORE CODESIZE 0 0 CODECOPY CODESIZE 0 0 CREATE POP")
        parent = machine.run(b"", init, gas=100_000_000).created
        created, address = 0, Address(generate_contract_address(parent, 0))
        while machine.state.get_storage(address, 0):
            created += 1
            address = Address(generate_contract_address(address, 1))

        assert created == 400
