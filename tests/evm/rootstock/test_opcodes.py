"""`devchain.evm.rootstock.opcodes`"""

from __future__ import annotations

import pytest
from eth.constants import EMPTY_SHA3, UINT_256_MAX
from eth.vm import opcode_values as op
from eth.vm.forks.cancun.opcodes import CANCUN_OPCODES
from eth_hash.auto import keccak

from devchain.evm.rootstock.opcodes import DUPN, SWAPN, TXINDEX, opcode_table
from devchain.evm.rootstock.upgrades import rules_of
from devchain.networks import ROOTSTOCK as ROOTSTOCK_FORKS
from devchain.types import Address
from tests.bytecode import assemble
from tests.evm.rootstock.machine import ABSENT, CONTRACT, GAS, OTHER, Machine, number_of, returning

THERE, NOWHERE = number_of(OTHER), number_of(ABSENT)

# Below: each PUSH is 3 gas; under Cancun every account and slot but the contract itself is cold:
# 2600 for an account, 2100 for a slot, and 100 once it is warm.
FIGURES = [
    # PUSH; 200 | 2100
    pytest.param("0 SLOAD", 0, 3 + 200, 3 + 2100, id="SLOAD"),
    pytest.param("0 SLOAD 0 SLOAD", 0, 406, 3 + 2100 + 3 + 100, id="SLOAD-again"),
    # SSTORE is priced without the value before the transaction; slot 1 is 5
    pytest.param("1 0 SSTORE", 0, 6 + 20_000, 6 + 2100 + 20_000, id="SSTORE-set"),
    pytest.param("6 1 SSTORE", 0, 6 + 5_000, 6 + 2100 + 2900, id="SSTORE-change"),
    pytest.param("0 1 SSTORE", 0, 6 + 5_000, 6 + 2100 + 2900, id="SSTORE-clear"),
    pytest.param("0 0 SSTORE", 0, 6 + 5_000, 6 + 2100 + 100, id="SSTORE-zero-again"),
    pytest.param("5 1 SSTORE", 0, 6 + 5_000, 6 + 2100 + 100, id="SSTORE-same"),
    pytest.param(
        "1 0 SSTORE 2 0 SSTORE", 0, 12 + 20_000 + 5_000, 12 + 22_100 + 100, id="SSTORE-twice"
    ),
    pytest.param(
        "1 0 SSTORE 0 0 SSTORE 1 0 SSTORE",
        0,
        18 + 20_000 + 5_000 + 20_000,
        18 + 22_100 + 100 + 20_000,
        id="SSTORE-back-and-forth",
    ),
    pytest.param(f"{THERE} BALANCE", 0, 3 + 400, 3 + 2600, id="BALANCE"),
    pytest.param(
        f"{THERE} BALANCE {THERE} BALANCE", 0, 806, 3 + 2600 + 3 + 100, id="BALANCE-again"
    ),
    pytest.param(f"{THERE} EXTCODEHASH", 0, 3 + 400, 3 + 2600, id="EXTCODEHASH"),
    pytest.param(f"{THERE} EXTCODESIZE", 0, 3 + 700, 3 + 2600, id="EXTCODESIZE"),
    # four PUSHes, a word of memory, a word copied
    pytest.param(f"32 0 0 {THERE} EXTCODECOPY", 0, 12 + 700 + 6, 12 + 2600 + 6, id="EXTCODECOPY"),
    # seven PUSHes; the callee gets no gas and has no code
    pytest.param(f"0 0 0 0 0 {THERE} 0 CALL", 0, 21 + 700, 21 + 2600, id="CALL"),
    pytest.param(f"0 0 0 0 0 {NOWHERE} 0 CALL", 0, 21 + 25_700, 21 + 2600, id="CALL-absent"),
    # the stipend: on Rootstock it is charged to the caller and returned, on Ethereum it is free
    pytest.param(
        f"0 0 0 0 1 {THERE} 0 CALL", 1, 21 + 700 + 9000, 21 + 2600 + 9000 - 2300, id="CALL-value"
    ),
    pytest.param(
        f"0 0 0 0 1 {NOWHERE} 0 CALL",
        1,
        21 + 700 + 9000 + 25_000,
        21 + 2600 + 9000 + 25_000 - 2300,
        id="CALL-value-absent",
    ),
    pytest.param(f"0 0 0 0 0 {NOWHERE} 0 CALLCODE", 0, 21 + 700, 21 + 2600, id="CALLCODE"),
    pytest.param(
        f"0 0 0 0 1 {THERE} 0 CALLCODE",
        1,
        21 + 700 + 9000,
        21 + 2600 + 9000 - 2300,
        id="CALLCODE-value",
    ),
    pytest.param(f"0 0 0 0 {NOWHERE} 0 DELEGATECALL", 0, 18 + 700, 18 + 2600, id="DELEGATECALL"),
    pytest.param(f"0 0 0 0 {NOWHERE} 0 STATICCALL", 0, 18 + 700, 18 + 2600, id="STATICCALL"),
    # identity of nothing: 15; precompiled contracts are always warm on Ethereum
    pytest.param("0 0 0 0 0 4 100 CALL", 0, 21 + 700 + 15, 21 + 100 + 15, id="CALL-precompile"),
    pytest.param(f"{THERE} SELFDESTRUCT", 0, 3 + 5000, 3 + 5000 + 2600, id="SELFDESTRUCT"),
    # an absent beneficiary: 25000 always | only if the balance is not 0
    pytest.param(
        f"{NOWHERE} SELFDESTRUCT", 0, 3 + 30_000, 3 + 5000 + 2600, id="SELFDESTRUCT-absent"
    ),
    pytest.param(
        f"{NOWHERE} SELFDESTRUCT",
        1,
        3 + 30_000,
        3 + 30_000 + 2600,
        id="SELFDESTRUCT-absent-with-balance",
    ),
    # MODEXP of 32-byte operands, the exponent 255 bits long after its first, the modulus 0:
    # 32² * 255 / 20 = 13056 (EIP-198) | 4² * 255 / 3 = 1360 (EIP-2565)
    # around it: 27 + 12 for four MSTOREs, 18 for six PUSHes, 18 for six words of memory
    pytest.param(
        "32 0 MSTORE 32 32 MSTORE 32 64 MSTORE 0 NOT 128 MSTORE 0 0 192 0 5 20000 STATICCALL",
        0,
        27 + 12 + 18 + 18 + 700 + 13_056,
        27 + 12 + 18 + 18 + 100 + 1360,
        id="MODEXP",
    ),
    # Added by upgrades, with the same gas on both: 100 each, and 2 per word of init
    # code, with 6 per word for CREATE2's hash and 3 per word of memory
    pytest.param("1 0 TSTORE 0 TLOAD", 0, 6 + 100 + 3 + 100, 6 + 100 + 3 + 100, id="TSTORE-TLOAD"),
    pytest.param("SELFBALANCE", 0, 5, 5, id="SELFBALANCE"),
    pytest.param("32 0 0 CREATE", 0, 9 + 32_000 + 3 + 2, 9 + 32_000 + 3 + 2, id="CREATE"),
    pytest.param(
        "0 32 0 0 CREATE2", 0, 12 + 32_000 + 3 + 6 + 2, 12 + 32_000 + 3 + 6 + 2, id="CREATE2"
    ),
    # unchanged since Byzantium: 10 + 50 per byte, 30 + 6 per word, 375 + 375 per topic + 8 per byte
    pytest.param("256 2 EXP", 0, 6 + 10 + 100, 6 + 10 + 100, id="EXP"),
    pytest.param("33 0 KECCAK256", 0, 6 + 30 + 12 + 6, 6 + 30 + 12 + 6, id="KECCAK256"),
    pytest.param("7 1 0 LOG1", 0, 9 + 750 + 8 + 3, 9 + 750 + 8 + 3, id="LOG1"),
    pytest.param("0 BLOCKHASH", 0, 3 + 20, 3 + 20, id="BLOCKHASH"),
    pytest.param("32 0 0 MCOPY", 0, 9 + 3 + 3 + 3, 9 + 3 + 3 + 3, id="MCOPY"),
    # memory: 3 per word and words² / 512; 32 words are 96 + 2, 1024 are 3072 + 2048
    pytest.param("992 MLOAD", 0, 3 + 3 + 98, 3 + 3 + 98, id="memory-32-words"),
    pytest.param("32736 MLOAD", 0, 3 + 3 + 5120, 3 + 3 + 5120, id="memory-1024-words"),
]


TRANSITIONS = [
    # the original value, then what is stored; the gas beside that of the cold slot
    ((0, 0), 100, 0),
    ((1, 1), 100, 0),
    ((0, 1), 20_000, 0),
    ((1, 0), 2_900, 15_000),
    ((1, 2), 2_900, 0),
    ((0, 1, 0), 20_100, 19_900),
    ((0, 1, 2), 20_100, 0),
    ((0, 1, 1), 20_100, 0),
    ((1, 0, 1), 3_000, 2_800),
    ((1, 0, 2), 3_000, 0),
    ((1, 0, 0), 3_000, 15_000),
    ((1, 2, 0), 3_000, 15_000),
    ((1, 2, 1), 3_000, 2_800),
    ((1, 2, 3), 3_000, 0),
    ((1, 2, 2), 3_000, 0),
]


class TestGas:
    @pytest.mark.parametrize(("source", "balance", "rootstock", "ethereum"), FIGURES)
    @pytest.mark.filterwarnings("ignore:.*SELFDESTRUCT opcode present:DeprecationWarning")
    def test_gas(self, source: str, balance: int, rootstock: int, ethereum: int) -> None:
        """Gas of some code under Vetiver and under Ethereum's Cancun."""
        vetiver = Machine("vetiver").execute(source, balance, slot_1=5)
        cancun = Machine("cancun").execute(source, balance, slot_1=5)

        assert (vetiver.succeeded, cancun.succeeded) == (True, True)
        assert (vetiver.code_gas, cancun.code_gas) == (rootstock, ethereum)

    @pytest.mark.parametrize("fork", ROOTSTOCK_FORKS[:-1])
    def test_since_orchid(self, fork: str) -> None:
        """Accounts and storage cost the same until Vetiver."""
        source = f"0 SLOAD 1 0 SSTORE {THERE} BALANCE {THERE} EXTCODESIZE {THERE} SELFDESTRUCT"
        actual = Machine(fork).execute(source)

        assert actual.code_gas == 203 + 20_006 + 403 + 703 + 5_003

    @pytest.mark.parametrize("engine", ["fast", "reference"])
    @pytest.mark.parametrize(("values", "gas", "refund"), TRANSITIONS)
    def test_net_metering(
        self, engine: str, values: tuple[int, ...], gas: int, refund: int
    ) -> None:
        """A slot's values cost the same in one message and in nested ones (EIP-2200)."""
        original, *stored = values
        source = " ".join(f"{value} 1 SSTORE" for value in stored)
        calls = " ".join(
            f"{value} 0 MSTORE 0 0 32 0 0 0x{CONTRACT.hex()} GAS CALL" for value in stored
        )
        direct = Machine("next", engine=engine).execute(source, slot_1=original)
        nested = Machine("next", engine=engine)
        nested.install("0 CALLDATALOAD 1 SSTORE", slot_1=original)
        nested.install(calls, address=OTHER)

        assert direct.code_gas == 2_100 + gas + 6 * len(stored)
        assert direct.computation.get_gas_refund() == refund
        assert nested.run(OTHER).computation.get_gas_refund() == refund
        used = 21_000 + direct.code_gas
        assert direct.gas_used == used - min(refund, used // 2)

    @pytest.mark.parametrize("engine", ["fast", "reference"])
    def test_stipend(self, engine: str) -> None:
        """SSTORE fails with no more gas left than a call with value has, before it is charged."""
        source = "5 1 SSTORE"
        for before, spent, left, succeeds in (
            (source, 6, 2_300, False),
            (source, 6, 2_301, True),
            (source, 6, 4_400, True),
            ("1 SLOAD POP " + source, 3 + 2_100 + 2 + 6, 2_300, False),
        ):
            machine = Machine("next", engine=engine)
            machine.install(before, slot_1=5)
            run = machine.run(gas=21_000 + spent + left)
            assert run.succeeded is succeeds
            if left == 4_400:
                assert run.code_gas == 6 + 2_200


ADDED = [
    pytest.param("1 1 SHL", "wasabi", id="SHL"),
    pytest.param("1 1 SHR", "wasabi", id="SHR"),
    pytest.param("1 1 SAR", "wasabi", id="SAR"),
    pytest.param("0 0 0 0 CREATE2", "wasabi", id="CREATE2"),
    pytest.param("0 EXTCODEHASH", "papyrus", id="EXTCODEHASH"),
    pytest.param("SELFBALANCE", "papyrus", id="SELFBALANCE"),
    pytest.param("CHAINID", "papyrus", id="CHAINID"),
    pytest.param("PUSH0", "arrowhead", id="PUSH0"),
    pytest.param("BASEFEE", "arrowhead", id="BASEFEE"),
    pytest.param("0 0 0 MCOPY", "lovell", id="MCOPY"),
    pytest.param("0 TLOAD", "lovell", id="TLOAD"),
    pytest.param("0 0 TSTORE", "lovell", id="TSTORE"),
]

REMOVED = [
    pytest.param("1 0 DUPN INVALID", id="DUPN"),
    pytest.param("1 2 0 SWAPN INVALID", id="SWAPN"),
    pytest.param("TXINDEX", id="TXINDEX"),
]


class TestUpgrades:
    @pytest.mark.parametrize(("source", "since"), ADDED)
    def test_added(self, source: str, since: str) -> None:
        """An opcode exists since its upgrade and is invalid in the upgrade before."""
        first = ROOTSTOCK_FORKS.index(since)

        actual = [Machine(fork).execute(source).succeeded for fork in ROOTSTOCK_FORKS]

        assert actual == [index >= first for index in range(len(ROOTSTOCK_FORKS))]

    @pytest.mark.parametrize("source", REMOVED)
    def test_removed(self, source: str) -> None:
        """Iris removed three opcodes of Rootstock."""
        actual = {fork: Machine(fork).execute(source).succeeded for fork in ROOTSTOCK_FORKS}

        assert [name for name, runs in actual.items() if runs] == list(ROOTSTOCK_FORKS[:5])

    def test_newest(self) -> None:
        """Vetiver has Cancun's opcodes, except the two for blobs."""
        actual = set(opcode_table(rules_of("vetiver")))

        assert actual == set(CANCUN_OPCODES) - {op.BLOBHASH, op.BLOBBASEFEE}

    def test_oldest(self) -> None:
        """Orchid lacks the opcodes of later upgrades and has three of its own."""
        table = opcode_table(rules_of("orchid"))

        added = {assemble(case.values[0])[-1] for case in ADDED}
        assert set(CANCUN_OPCODES) - set(table) == added | {op.BLOBHASH, op.BLOBBASEFEE}
        assert set(table) - set(CANCUN_OPCODES) == {DUPN, SWAPN, TXINDEX}

    @pytest.mark.parametrize("source", ["0 BLOBHASH", "BLOBBASEFEE", "HEADER", "INVALID"])
    def test_unknown(self, source: str) -> None:
        """An unknown opcode uses all gas."""
        actual = Machine().execute(source)

        assert (actual.succeeded, actual.gas_used) == (False, GAS)


NO_CODE = int.from_bytes(EMPTY_SHA3)


class TestWords:
    @pytest.mark.parametrize(
        ("source", "fork", "word"),
        [
            ("DIFFICULTY", "vetiver", 7),  # not PREVRANDAO
            ("CHAINID", "vetiver", 33),
            # the code size of a precompiled contract, since its upgrade (RSKIP90)
            ("1 EXTCODESIZE", "orchid", UINT_256_MAX),
            ("0x01000006 EXTCODESIZE", "orchid", UINT_256_MAX),
            ("6 EXTCODESIZE", "twotothree", 0),
            ("6 EXTCODESIZE", "papyrus", UINT_256_MAX),
            ("0x01000017 EXTCODESIZE", "reed", UINT_256_MAX),
            ("10 EXTCODESIZE", "vetiver", 0),
            ("ADDRESS EXTCODESIZE", "vetiver", 10),
            (f"{THERE} EXTCODESIZE", "vetiver", 0),
            (f"{NOWHERE} EXTCODESIZE", "vetiver", 0),
            # accounts without code and precompiled contracts: the hash of the empty string
            ("1 EXTCODEHASH", "vetiver", NO_CODE),
            ("0x01000006 EXTCODEHASH", "vetiver", NO_CODE),
            (f"{THERE} EXTCODEHASH", "vetiver", NO_CODE),
            (f"{NOWHERE} EXTCODEHASH", "vetiver", 0),
            # the code of a precompiled contract is copied as zeros
            ("0 NOT 0 MSTORE 32 0 0 1 EXTCODECOPY 0 MLOAD", "vetiver", 0),
            # DUPN and SWAPN pop the depth and skip the byte after them
            ("5 6 7 0 DUPN INVALID", "papyrus", 7),
            ("5 6 7 2 DUPN INVALID", "papyrus", 5),
            ("5 6 7 0 SWAPN INVALID", "papyrus", 6),
            ("5 6 7 1 SWAPN INVALID", "papyrus", 5),
            ("TXINDEX", "papyrus", 0),
        ],
    )
    def test_word(self, source: str, fork: str, word: int) -> None:
        """Opcodes that differ from Ethereum's push that word."""
        assert Machine(fork).execute(returning(source)).word == word

    def test_base_fee(self) -> None:
        """BASEFEE is the block's minimum gas price (RSKIP412)."""
        assert Machine(minimum_gas_price=60).execute(returning("BASEFEE")).word == 60

    def test_hash_of_code(self) -> None:
        """Contracts have the hash of their code, an empty account that of no code."""
        machine = Machine()
        machine.install(b"\x00", OTHER)
        machine.mine(ABSENT)
        words = [machine.execute(returning(f"{at} EXTCODEHASH")).word for at in (THERE, NOWHERE)]

        assert words == [int.from_bytes(keccak(b"\x00")), NO_CODE]

    @pytest.mark.parametrize("source", ["1 1 DUPN", "1 2 1 SWAPN", "0 NOT DUPN"])
    def test_too_deep(self, source: str) -> None:
        """A depth beyond the stack is a stack underflow."""
        assert not Machine("papyrus").execute(source).succeeded

    def test_index(self) -> None:
        """TXINDEX is the index of the transaction in its block."""
        machine = Machine("papyrus")
        machine.install(returning("TXINDEX"))

        assert [machine.mine().word for _ in range(3)] == [0, 1, 2]


class TestStaticViolations:
    @pytest.mark.parametrize(
        "source",
        [
            "0 0 SSTORE",
            "0 0 TSTORE",
            "0 0 LOG0",
            "0 0 0 CREATE",
            "0 0 0 0 CREATE2",
            "0 SELFDESTRUCT",
            "0 0 0 0 1 0 0 CALL",
        ],
    )
    def test_write(self, source: str) -> None:
        """Opcodes that change the state fail in a STATICCALL and use all gas."""
        machine = Machine()
        machine.install(source, OTHER, balance=1)
        actual = machine.execute(returning(f"0 0 0 0 {THERE} 50000 STATICCALL"))

        assert actual.word == 0
        assert actual.code_gas == 50_000 + 18 + 700 + 3 + 3 + 3 + 6

    @pytest.mark.parametrize("source", ["0 0 0 0 0 0 0 CALL", "0 0 0 0 1 0 0 CALLCODE", "0 SLOAD"])
    def test_read(self, source: str) -> None:
        """Reading is allowed, and so are CALL without value and CALLCODE with value."""
        machine = Machine()
        machine.install(assemble(source), OTHER, balance=1)
        actual = machine.execute(returning(f"0 0 0 0 {THERE} 50000 STATICCALL"))

        assert actual.word == 1


class TestSelfdestruct:
    def test_old_contract(self) -> None:
        """A contract is deleted with its storage whenever it was created (no EIP-6780)."""
        machine = Machine()
        machine.install(f"{number_of(OTHER)} SELFDESTRUCT", balance=7, slot_1=1)
        machine.mine()

        assert not machine.state.account_exists(CONTRACT)
        assert machine.state.get_storage(CONTRACT, 1) == 0
        assert machine.state.get_balance(OTHER) == 8

    def test_own_beneficiary(self) -> None:
        """A balance that a contract sends to itself is burned with the contract."""
        machine = Machine()
        machine.install("ADDRESS SELFDESTRUCT", balance=7)
        machine.mine()

        assert not machine.state.account_exists(CONTRACT)
        assert machine.state.get_balance(CONTRACT) == 0

    def test_no_balance(self) -> None:
        """Without a balance the beneficiary is not created."""
        machine = Machine()
        machine.install(f"{number_of(ABSENT)} SELFDESTRUCT")
        machine.mine()

        assert not machine.state.account_exists(ABSENT)

    def test_call_after_selfdestruct(self) -> None:
        """A destroyed contract can still be called in the same transaction."""
        machine = Machine()
        machine.install("1 0 SLOAD ADD 0 SSTORE 0 SELFDESTRUCT", OTHER)
        call = f"0 0 0 0 0 {number_of(OTHER)} GAS CALL ADD"
        actual = machine.execute(returning(f"0 {call} {call}"))

        assert actual.word == 2

    def test_refund(self) -> None:
        """The refund is 24000 for each contract, however often it was destroyed."""
        machine = Machine()
        machine.install("0 SELFDESTRUCT", OTHER)
        machine.state.set_balance(Address(bytes(20)), 1)
        call = f"0 0 0 0 0 {number_of(OTHER)} GAS CALL"
        actual = machine.execute(f"{call} {call} 1 0 SSTORE")

        assert actual.code_gas == 2 * (20 + 700 + 5_003) + 20_006
        assert actual.gas_used == 21_000 + actual.code_gas - 24_000
