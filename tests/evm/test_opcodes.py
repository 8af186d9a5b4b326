"""`devchain.evm.opcodes`"""

from __future__ import annotations

import doctest

import pytest
from eth.vm import opcode_values
from eth.vm.forks.prague.computation import PragueComputation

from devchain.evm import opcodes
from devchain.evm.opcodes import (
    ENDS,
    OBSERVERS,
    OPCODES,
    PUSHES,
    block_starts,
    name_of,
    observes_gas,
    walk,
)


class TestTable:
    def test_numbers_are_those_of_py_evm(self) -> None:
        """Every opcode of py-evm is in the table, under its number and its name."""
        renamed = {"SHA3": "KECCAK256", "PREVRANDAO": "DIFFICULTY"}
        known = {
            renamed.get(name, name): number
            for name, number in vars(opcode_values).items()
            if name.isupper()
        }

        assert {opcode.name: int(opcode) for opcode in OPCODES.values()} == known | {
            "CLZ": 0x1E,
            "INVALID": 0xFE,
        }

    def test_every_opcode_of_ethereum(self) -> None:
        """All that a VM class runs is in the table."""
        assert PragueComputation.opcodes.keys() <= OPCODES.keys()

    def test_effects(self) -> None:
        """A SWAP touches one word more than its number, a DUP leaves one more."""
        assert (OPCODES[0x92].pops, OPCODES[0x92].pushes) == (4, 4)
        assert (OPCODES[0x82].pops, OPCODES[0x82].pushes) == (3, 4)

    def test_ends(self) -> None:
        """What ends a basic block without falling through."""
        assert {name_of(each) for each in ENDS} == {
            *("STOP", "JUMP", "RETURN", "REVERT", "INVALID", "SELFDESTRUCT")
        }

    def test_numbers_without_an_opcode(self) -> None:
        """They are named as geth names them."""
        assert name_of(0xC) == "opcode 0xc not defined"
        assert name_of(0) == "STOP"


class TestWalk:
    def test_data_of_pushes(self) -> None:
        """Bytes that a PUSH pushes are no instructions, at the end of the code fewer than named."""
        code = bytes.fromhex("5b617f5b00627f")

        assert [(each.offset, name_of(each.opcode), each.operand.hex()) for each in walk(code)] == [
            (0, "JUMPDEST", ""),
            (1, "PUSH2", "7f5b"),
            (4, "STOP", ""),
            (5, "PUSH3", "7f"),
        ]
        assert range(0x60, 0x80) == PUSHES


def test_examples() -> None:
    """The examples in the documentation of the module are true."""
    assert doctest.testmod(opcodes).failed == 0


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("", False, id="no-code"),
        pytest.param("6001600055", False, id="sstore"),
        pytest.param("5a", True, id="gas"),
        pytest.param("605a50", False, id="pushed"),
        pytest.param("625a5a5a5a", True, id="behind-a-push"),
        pytest.param("7f" + 32 * "f1", False, id="pushed-32"),
        pytest.param("61f1", False, id="pushed-past-the-end"),
        pytest.param("00f1", False, id="behind-the-end"),
        pytest.param("fe5af15bf1", True, id="jumped-to"),
        pytest.param("0060605b5a", True, id="jumped-to-behind-a-push"),
        pytest.param("00605bf1", False, id="no-jumpdest"),
        pytest.param("600057f1", True, id="conditional-jump"),
        *(pytest.param(f"{each:02x}", True, id=f"{each:02x}") for each in OBSERVERS),
        *(pytest.param(f"{each:02x}f1", False, id=f"{each:02x}-f1") for each in sorted(ENDS)),
        pytest.param("ef0100" + 20 * "00", True, id="delegation"),
        pytest.param("0a5a", True, id="newline"),
    ],
)
def test_observes_gas(code: str, expected: bool) -> None:
    """Only instructions that can be reached count, and bytes of a PUSH are none."""
    assert observes_gas(bytes.fromhex(code)) is expected


def test_block_starts() -> None:
    """A block begins behind a JUMPI, and at a JUMPDEST."""
    # PUSH1 5 JUMP, INVALID, INVALID, JUMPDEST PUSH0 PUSH0 JUMPI STOP
    assert block_starts(bytes.fromhex("600556fefe5b5f5f5700")) == [0, 5, 9]
