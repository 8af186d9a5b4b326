"""`devchain.evm.rootstock.opcodes`: calls and creations"""

from __future__ import annotations

import pytest
from eth._utils.address import generate_contract_address, generate_safe_contract_address
from hypothesis import given
from hypothesis import strategies as st

from devchain.evm.rootstock.gas import InitCodeTooLarge
from devchain.evm.rootstock.opcodes import contract_address
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
    storing,
)

ENGINES = ["reference", "fast"]
THERE = number_of(OTHER)
GAS_LEFT = returning("GAS")
ANSWER = "32 0 RETURN"
COUNT_CALLS = "0 SLOAD 1 ADD 0 SSTORE 0 0 0 0 0 ADDRESS GAS CALL STOP"
"""Counts its calls in slot 0, then calls itself with all its gas."""


def gas_seen(source: str, fork: str = "vetiver", balance: int = 0) -> int:
    """The gas that a callee reads with GAS (2)."""
    machine = Machine(fork)
    machine.install(GAS_LEFT, OTHER)
    return machine.execute(f"{source} {ANSWER}", balance).word + 2


class TestCallGas:
    def test_no_63_64_rule(self) -> None:
        """A caller that requests more than its gas passes all of it on, not 63/64."""
        # 1000000 - 21000 intrinsic - 7 operands (20: GAS is 2) - 700 - a word of memory
        remaining = gas_seen(f"32 0 0 0 0 {THERE} GAS CALL")
        maximum = gas_seen(f"32 0 0 0 0 {THERE} 0 NOT CALL")

        assert remaining == 979_000 - 20 - 700 - 3
        assert maximum == 979_000 - 24 - 700 - 3

    def test_as_requested(self) -> None:
        """A caller that requests less passes on what it requested."""
        assert gas_seen(f"32 0 0 0 0 {THERE} 5000 CALL") == 5000

    def test_stipend(self) -> None:
        """With value the callee gets 2300 more, charged to the caller."""
        machine = Machine()
        machine.install("INVALID", OTHER)
        actual = machine.execute(f"0 0 0 0 1 {THERE} 1000 CALL", balance=1)

        assert gas_seen(f"32 0 0 0 1 {THERE} 1000 CALL", balance=1) == 3300
        assert actual.code_gas == 21 + 700 + 9000 + 3300

    def test_no_gas_for_the_stipend(self) -> None:
        """A call with value that leaves less than 2300 runs out of gas."""
        machine = Machine()
        machine.install(f"0 0 0 0 1 {THERE} 0 CALL STOP", balance=1)
        enough = 21_000 + 21 + 700 + 9000 + 2300

        assert machine.run(gas=enough).succeeded
        assert not machine.run(gas=enough - 1).succeeded

    def test_call_creates_account(self) -> None:
        """A call without value creates the account, so the next call is cheaper."""
        source = f"0 0 0 0 0 {number_of(ABSENT)} 0 CALL POP"
        machine = Machine()
        actual = machine.execute(f"{source} {source}")

        assert actual.code_gas == 2 * (21 + 700 + 2) + 25_000
        assert machine.state.account_exists(ABSENT)

    def test_static_call_creates_account(self) -> None:
        """A STATICCALL to an absent account creates it without a charge."""
        machine = Machine()
        machine.execute(f"0 0 0 0 {number_of(ABSENT)} 0 STATICCALL")

        assert machine.state.account_exists(ABSENT)


class TestCallDepth:
    def test_gas_comes_back(self) -> None:
        """A call beyond the limit costs only the CALL."""
        machine = Machine()
        machine.install(COUNT_CALLS)
        actual = machine.run(gas=100_000_000)

        # each frame: 200 + 14 for the counter's operands, 5000 for it (20000 the first time),
        # 5 operands of 3, ADDRESS 2, GAS 2, 700
        assert actual.code_gas == 401 * (203 + 6 + 3 + 5000 + 15 + 4 + 700) + 15_000


class TestCallResult:
    def test_failure_burns_child_gas(self) -> None:
        """A failing callee uses all of its gas, and no more."""
        machine = Machine()
        machine.install("INVALID", OTHER)
        actual = machine.execute(returning(f"0 0 0 0 0 {THERE} 5000 CALL"))

        assert actual.word == 0
        assert actual.code_gas == 21 + 700 + 5000 + 15

    def test_too_poor(self) -> None:
        """A call with more value than the balance fails and costs only the CALL."""
        machine = Machine()
        actual = machine.execute(returning(f"0 0 0 0 1 {THERE} 5000 CALL"))

        assert actual.word == 0
        assert actual.code_gas == 21 + 700 + 9000 + 15

    def test_output_is_cut(self) -> None:
        """The output is cut to the caller's buffer; a longer buffer is not cleared."""
        machine = Machine()
        machine.install("0 NOT 0 MSTORE 32 0 RETURN", OTHER)
        call = f"{{}} 0 0 0 0 {THERE} 5000 CALL POP 64 0 RETURN"

        cut = machine.execute(call.format(8)).computation.output
        whole = machine.execute(call.format(64)).computation.output

        assert (cut, whole) == (b"\xff" * 8 + bytes(56), b"\xff" * 32 + bytes(32))

    def test_delegate_to_precompile(self) -> None:
        """A precompiled contract can be called with DELEGATECALL."""
        source = "7 0 MSTORE 32 32 32 0 4 5000 DELEGATECALL POP 32 32 RETURN"

        assert Machine().execute(source).word == 7

    def test_delegate_keeps_sender_and_value(self) -> None:
        """DELEGATECALL executes with the caller's sender and value."""
        machine = Machine()
        machine.install("CALLVALUE CALLER ADD 0 MSTORE 32 0 RETURN", OTHER)
        machine.install(f"32 0 0 0 {THERE} 5000 DELEGATECALL {ANSWER}")
        actual = machine.run(value=7)

        assert actual.word == int.from_bytes(actual.computation.msg.sender, "big") + 7


class TestCallReturnData:
    @pytest.mark.parametrize(("fork", "size"), [("fingerroot", 0), ("papyrus", 32)])
    @pytest.mark.parametrize("call", [f"0 {number_of(ABSENT)} 0 CALL", f"1 {THERE} 0 CALL"])
    def test_of_nothing(self, fork: str, size: int, call: str) -> None:
        """A call that runs no code, or without funds, clears it; not before Iris (RSKIP171)."""
        machine = Machine(fork)
        machine.install(GAS_LEFT, OTHER)
        source = f"0 0 0 0 0 {THERE} 5000 CALL 0 0 0 0 {call} RETURNDATASIZE"

        assert machine.execute(returning(source)).word == size

    def test_of_a_revert(self) -> None:
        """A revert payload is return data, as on Ethereum."""
        machine = Machine()
        machine.install("7 0 MSTORE 32 0 REVERT", OTHER)
        source = f"0 0 0 0 0 {THERE} 5000 CALL 32 0 0 RETURNDATACOPY"
        actual = machine.execute(f"{source} {ANSWER}")

        assert actual.word == 7


class TestPrecompileFailures:
    # a point that is not on the curve: (1, 1)
    BAD_POINT = "1 0 MSTORE 1 32 MSTORE 0 0 64 0 6 50000 STATICCALL"

    def test_rest_of_the_gas_comes_back(self) -> None:
        """A precompiled contract that fails costs what it charged, no more."""
        actual = Machine().execute(returning(self.BAD_POINT))

        assert actual.word == 0
        assert actual.code_gas == 2 * 12 + 18 + 700 + 150 + 12

    def test_too_little_gas(self) -> None:
        """A precompiled contract that runs out of gas uses all of it."""
        actual = Machine().execute(returning("0 0 0 0 6 149 STATICCALL"))

        assert actual.word == 0
        assert actual.code_gas == 18 + 700 + 149 + 15

    @pytest.mark.parametrize("engine", ENGINES)
    def test_of_a_transaction(self, engine: str) -> None:
        """A transaction whose precompile refuses succeeds without effect, for its gas limit."""
        point = (1).to_bytes(32, "big") * 2
        machine = Machine(engine=engine)
        actual = machine.mine(bytes(19) + b"\x06", point, value=5, gas_price=1)

        # 62 bytes of zero and two of one
        assert (actual.succeeded, actual.gas_used) == (True, 21_000 + 62 * 4 + 2 * 16 + 150)
        assert actual.computation.output == b""
        assert machine.state.get_balance(bytes(19) + b"\x06") == 0
        assert machine.state.get_balance(ALICE) == 10**18 - GAS
        assert machine.state.get_balance(MINER) == GAS

    @pytest.mark.parametrize(("fork", "succeeded"), [("iris", True), ("papyrus", False)])
    def test_of_a_native_contract(self, fork: str, succeeded: bool) -> None:
        """Before Iris the failure of a native contract fails its caller (RSKIP197)."""
        actual = Machine(fork).execute("0xffffffff 0 MSTORE 0 0 4 28 0x01000009 50000 STATICCALL")

        assert actual.succeeded is succeeded


@pytest.mark.parametrize("engine", ENGINES)
class TestMemoryOfACall:
    """The ranges of input and output are charged for; memory grows where it is used."""

    @pytest.mark.parametrize(
        ("number", "limit"),
        [(1, 128), (6, 128), (7, 96), (9, 213), (0x01000016, 128), (0x01000017, 96)],
    )
    def test_limited_input(self, engine: str, number: int, limit: int) -> None:
        """Since Reed memory grows no further than a precompiled contract reads (RSKIP516)."""
        source = returning(f"0 0 256 0 {number} 50000 STATICCALL POP MSIZE")
        before, since = (
            Machine(fork, engine=engine).execute(source).word for fork in ("lovell", "reed")
        )

        assert (before, since) == (256, 32 * ((limit + 31) // 32))

    @pytest.mark.parametrize(
        ("call", "size"),
        [
            *((f"0 0 256 0 {number} 50000 STATICCALL", 256) for number in (2, 3, 4, 5, 8)),
            ("0 0 40 0 1 50000 STATICCALL", 64),
            ("32 0 256 0 1 2 50000 CALL", 32),
            (f"32 0 256 0 1 {THERE} 50000 CALL", 256),
        ],
    )
    def test_size(self, engine: str, call: str, size: int) -> None:
        """Other contracts read all, and input within the limit as it is.

        That of a precompiled contract is not read if the value cannot be paid, unlike an account's.
        """
        assert Machine(engine=engine).execute(returning(f"{call} POP MSIZE")).word == size

    def test_charged_again(self, engine: str) -> None:
        """The whole input is charged for, and again when the memory beyond the limit is used."""
        source = "0 0 256 0 1 3000 STATICCALL POP 224 MLOAD POP"
        actual = Machine(engine=engine).execute(source)

        # 6 operands, the call, 8 words, its gas; POP; MLOAD of the 5th to 8th word; POP
        assert actual.code_gas == 18 + 700 + 24 + 3000 + 2 + (6 + 3 * 4) + 2

    @pytest.mark.parametrize("to", ["ADDRESS", "4"])
    def test_too_deep(self, engine: str, to: str) -> None:
        """At the depth limit no input is read."""
        machine = Machine(engine=engine)
        # Every frame calls itself, then with input, and counts in slot 0: innermost frame first.
        machine.install(
            "0 0 0 0 0 ADDRESS 60000 GAS SUB CALL POP "
            f"32 0 256 0 0 {to} 30 CALL POP "
            "0 SLOAD 1 ADD DUP1 0 SSTORE MSIZE SWAP1 SSTORE STOP"
        )
        machine.run(gas=100_000_000)
        sizes = [machine.state.get_storage(CONTRACT, slot) for slot in range(4)]

        assert sizes == [401, 32, 256, 256]


@pytest.mark.parametrize("engine", ENGINES)
class TestWordOfAPrecompile:
    """A precompiled contract is called by a word whose upper 12 bytes are zero."""

    WIDE = f"0x{2**160 + 4:064x}"

    @pytest.mark.parametrize("opcode", ["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"])
    def test_other_words(self, engine: str, opcode: str) -> None:
        """Any other word means an account without code: it returns nothing and all gas."""
        value = "0 " if opcode in {"CALL", "CALLCODE"} else ""
        call = f"7 0 MSTORE 32 32 32 0 {value}{{}} 50000 {opcode} RETURNDATASIZE ADD"
        machine = Machine(engine=engine)
        there, wide = (machine.execute(returning(call.format(to))) for to in ("4", self.WIDE))

        assert (there.word, wide.word) == (1 + 32, 1)
        assert there.code_gas - wide.code_gas == 15 + 3

    def test_value(self, engine: str) -> None:
        """Value arrives at the precompiled contract's account."""
        machine = Machine(engine=engine)
        machine.execute(f"0 0 0 0 5 {self.WIDE} 0 CALL", balance=5)

        assert machine.state.get_balance(bytes(19) + b"\x04") == 5

    def test_code_size(self, engine: str) -> None:
        """EXTCODESIZE of such a word is 0."""
        machine = Machine(engine=engine)
        sizes = [machine.execute(returning(f"{to} EXTCODESIZE")).word for to in ("4", self.WIDE)]

        assert sizes == [2**256 - 1, 0]

    def test_return_data_before_iris(self, engine: str) -> None:
        """Before Iris a call that runs no code leaves the return data as they were (RSKIP171)."""
        source = f"0 0 32 0 4 50000 STATICCALL 0 0 32 0 {self.WIDE} 50000 STATICCALL RETURNDATASIZE"
        sizes = [
            Machine(fork, engine=engine).execute(returning(source)).word
            for fork in ("papyrus", "iris")
        ]

        assert sizes == [32, 0]


class TestStaticCallWithValue:
    SOURCE = f"0 0 0 0 1 {THERE} 0 STATICCALL"

    def test_orchid(self) -> None:
        """In Orchid STATICCALL pops a value, charges for it and transfers it."""
        machine = Machine("orchid")
        actual = machine.execute(self.SOURCE, balance=1)

        assert machine.state.get_balance(OTHER) == 2
        assert actual.code_gas == 21 + 700 + 9000

    def test_since(self) -> None:
        """Since RSKIP103 STATICCALL pops no value: one operand stays on the stack."""
        machine = Machine("orchid060")
        # six parameters: the gas is 0, the recipient THERE, the 1 is where the input starts
        actual = machine.execute(f"{self.SOURCE} POP", balance=1)

        assert machine.state.get_balance(OTHER) == 1
        assert actual.code_gas == 21 + 700 + 2


RUNTIME = assemble("1 0 MSTORE 32 0 RETURN")
DEPLOY = init_code(RUNTIME)
REVERTING = assemble("7 0 MSTORE 32 0 REVERT")
CREATE = f"{len(DEPLOY)} 0 0 CREATE"
CREATE2 = f"5 {len(DEPLOY)} 0 0 CREATE2"


def create(code: bytes, endowment: int = 0) -> str:
    """Assembly that creates a contract from init code of at most 32 bytes."""
    return f"{storing(code)} {len(code)} 0 {endowment} CREATE"


@given(creator=st.binary(min_size=20, max_size=20), nonce=st.integers(0, 2**64 - 1))
def test_contract_address(creator: bytes, nonce: int) -> None:
    """Contract addresses equal those of py-evm."""
    account = Address(creator)

    assert contract_address(account, nonce) == generate_contract_address(account, nonce)


class TestCreationAddress:
    def test_create(self) -> None:
        """A contract created by a transaction starts with nonce 0."""
        machine = Machine()
        parent = machine.run(b"", init_code(assemble(returning(create(b""))))).created
        actual = [Address(machine.run(parent).computation.output[-20:]) for _ in range(2)]

        assert actual == [generate_contract_address(parent, nonce) for nonce in (0, 1)]

    def test_create_by_a_created(self) -> None:
        """A contract created by a contract starts with nonce 1 (RSKIP125)."""
        machine = Machine()
        maker = assemble(returning("0 0 0 CREATE"))
        machine.install(f"{storing(init_code(maker))} {12 + len(maker)} 0 0 CREATE")
        machine.run()
        child = generate_contract_address(CONTRACT, 0)

        actual = machine.run(child).computation.output[-20:]

        assert actual == generate_contract_address(child, 1)

    def test_create2(self) -> None:
        """CREATE2 gives Ethereum's addresses."""
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


class TestCreationGas:
    def test_child_gets_all(self) -> None:
        """Init code gets all remaining gas, not 63/64."""
        init = assemble("GAS 0 SSTORE")
        machine = Machine()
        machine.execute(create(init))

        seen = machine.state.get_storage(generate_contract_address(CONTRACT, 0), 0)

        # 979000 - MSTORE with operands and memory 12 - operands 9 - 32000 - a word 2 - GAS 2
        assert seen == 979_000 - 12 - 9 - 32_002 - 2

    def test_code_deposit(self) -> None:
        """Each byte of deployed code costs 200."""
        empty = Machine().execute(create(assemble("0 0 RETURN")))
        one = Machine().execute(create(assemble("1 0 RETURN")))

        assert one.code_gas - empty.code_gas == 200 + 3

    @pytest.mark.parametrize(("fork", "words"), [("arrowhead", 0), ("lovell", 2 * 2)])
    def test_init_code(self, fork: str, words: int) -> None:
        """A word of init code costs 2 since Lovell; hashing it for CREATE2 costs 6."""
        create_gas = Machine(fork).execute("33 0 0 CREATE").code_gas
        create2_gas = Machine(fork).execute("0 33 0 0 CREATE2").code_gas

        assert create_gas == 9 + 32_000 + 6 + words
        assert create2_gas == 12 + 32_000 + 6 + 12 + words

    def test_failure_burns_all(self) -> None:
        """Failing init code uses all gas."""
        actual = Machine().execute(f"{create(assemble('INVALID'))} 0 SSTORE")

        assert (actual.succeeded, actual.gas_used) == (False, GAS)

    def test_revert_gives_back(self) -> None:
        """Init code that reverts returns the remaining gas."""
        actual = Machine().execute(returning(create(REVERTING)))

        # 12 to put the init code into memory, 18 to run it, 12 to return
        assert actual.word == 0
        assert actual.code_gas == 12 + 9 + 32_002 + 18 + 12


class TestInitCodeSize:
    @pytest.mark.parametrize("opcode", ["{} 0 0 CREATE", "0 {} 0 0 CREATE2"])
    def test_limit(self, opcode: str) -> None:
        """More than 49152 bytes of init code fail the caller, since Lovell (RSKIP438)."""
        largest = Machine().execute(opcode.format(49_152))
        larger = Machine().execute(opcode.format(49_153))
        earlier = Machine("arrowhead").execute(opcode.format(49_153))

        assert (largest.succeeded, earlier.succeeded) == (True, True)
        assert (larger.succeeded, larger.gas_used) == (False, GAS)
        assert isinstance(larger.computation.error, InitCodeTooLarge)


class TestCreationReturnData:
    def test_after_a_revert(self) -> None:
        """The revert payload of init code is not return data, unlike on Ethereum."""
        actual = Machine().execute(returning(f"{create(REVERTING)} RETURNDATASIZE"))
        contrast = Machine("cancun").execute(returning(f"{create(REVERTING)} RETURNDATASIZE"))

        assert (actual.word, contrast.word) == (0, 32)

    def test_after_a_refusal(self) -> None:
        """A creation without funds keeps the return data of the call before."""
        call = "1 0 MSTORE 0 0 32 0 4 5000 STATICCALL POP 0 0 1 CREATE POP RETURNDATASIZE"

        actual = Machine().execute(returning(call))
        contrast = Machine("cancun").execute(returning(call))

        assert (actual.word, contrast.word) == (32, 0)


class TestAddressCollision:
    def test_with_code(self) -> None:
        """A creation at a used address fails and uses all gas (RSKIP125)."""
        machine = Machine()
        machine.install(RUNTIME, Address(generate_contract_address(CONTRACT, 0)))
        actual = machine.execute(f"{create(DEPLOY)} STOP")

        assert (actual.succeeded, actual.gas_used) == (True, GAS)
        assert machine.state.get_nonce(CONTRACT) == 1

    def test_again(self) -> None:
        """A second CREATE2 with the same code and salt fails."""
        machine = Machine()
        source = f"{storing(DEPLOY)} {CREATE2}"
        machine.install(f"{source} 0 SSTORE {source} 1 SSTORE")
        first = machine.run()
        kept = [machine.state.get_storage(CONTRACT, slot) for slot in (0, 1)]

        assert first.succeeded is False
        assert kept == [0, 0]

    @pytest.mark.parametrize(("fork", "created"), [("orchid060", True), ("wasabi", False)])
    def test_before_wasabi(self, fork: str, created: bool) -> None:
        """Before Wasabi a contract at the address was overwritten."""
        machine = Machine(fork)
        place = Address(generate_contract_address(CONTRACT, 0))
        machine.install("INVALID", place, balance=3)
        machine.execute(create(DEPLOY))

        assert (machine.state.get_code(place) == RUNTIME) is created
        assert machine.state.get_balance(place) == 3

    def test_destroyed_in_the_block(self) -> None:
        """A contract destroyed in a block cannot be created again in that block."""
        machine = Machine()
        machine.install(f"{storing(init_code(assemble('CALLER SELFDESTRUCT')))} 5 14 0 0 CREATE2")
        machine.mine()
        child = Address(
            generate_safe_contract_address(CONTRACT, 5, init_code(assemble("CALLER SELFDESTRUCT")))
        )
        before = machine.state.get_code(child)
        machine.mine(child)
        again = machine.mine()

        assert before == assemble("CALLER SELFDESTRUCT")
        assert machine.state.get_code(child) == b""
        assert (again.succeeded, again.gas_used) == (True, GAS)


class TestCreationThatCannotStart:
    def test_too_poor(self) -> None:
        """A creation with more value than the balance gives 0 and keeps nonce and gas."""
        machine = Machine()
        actual = machine.execute(returning("0 0 1 CREATE"))

        assert (actual.word, machine.state.get_nonce(CONTRACT)) == (0, 0)
        assert actual.code_gas == 9 + 32_000 + 15

    def test_endowment(self) -> None:
        """A contract without code receives the value too."""
        machine = Machine()
        machine.execute("0 0 1 CREATE", balance=1)
        child = generate_contract_address(CONTRACT, 0)

        assert machine.state.get_balance(child) == 1
        assert machine.state.get_balance(CONTRACT) == 0
