"""`devchain.evm.compiler.instructions`"""

from __future__ import annotations

from typing import Any

import pytest
from eth.vm import opcode_values as op

from devchain.evm.compiler.instructions import (
    Layout,
    Operation,
    instruction_at,
    operations_of,
)
from devchain.evm.hardforks import rules_for
from devchain.networks import HARDFORKS


def operations(fork: str) -> tuple[dict[int, Any], dict[int, Operation | None]]:
    """The opcode table of a hardfork, and what the compiler makes of it."""
    computation = rules_for(fork).vm_class.get_state_class().computation_class
    return computation.opcodes, operations_of(computation.opcodes, computation.opcode_rules)


class TestInstructions:
    def test_push(self) -> None:
        """A PUSH has its number; one that the end of the code cuts off is padded with zeros."""
        code = bytes([op.PUSH1 + 1, 1, 2, op.PUSH1 + 1, 3])

        assert (instruction_at(code, 0).push_value, instruction_at(code, 0).next_pc) == (0x102, 3)
        assert instruction_at(code, 3).push_value == 0x300

    def test_past_the_end(self) -> None:
        """Past the end of the code there is a STOP."""
        assert instruction_at(b"\x01", 1).opcode == op.STOP

    def test_destinations(self) -> None:
        """A 0x5b in the data of a PUSH is no destination, also in a PUSH that is cut off."""
        assert Layout.of(bytes.fromhex("5b605b5b7f5b5b")).destinations == {0, 3}
        assert Layout.of(b"").destinations == frozenset()


class TestOperations:
    @pytest.mark.parametrize("fork", HARDFORKS)
    def test_known(self, fork: str) -> None:
        """Common opcodes are operations under every hardfork, with the hardfork's gas price."""
        table, known = operations(fork)
        for opcode in (op.ADD, op.MLOAD, op.SLOAD, op.SSTORE, op.JUMPI, op.JUMPDEST, op.LOG1):
            operation = known[opcode]
            assert operation is not None
            assert operation.gas == table[opcode].gas_cost

    def test_unknown(self) -> None:
        """Opcodes that the compiler does not know are None."""
        assert operations("vetiver")[1][op.CALL] is None
        assert operations("orchid")[1][0xA8] is None
