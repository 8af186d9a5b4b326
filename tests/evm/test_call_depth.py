"""`devchain.evm.bounded`: calls as deep as the EVM allows, on every Python."""

from __future__ import annotations

import pytest
from eth.vm.computation import BaseComputation
from eth.vm.opcode_values import ADD, CALL, CREATE

from devchain.evm.bounded import opcode_object
from devchain.evm.hardforks import rules_for
from tests.bytecode import assemble
from tests.evm.compiler.engines import Engine, address
from tests.evm.compiler.programs import SELF
from tests.evm.rootstock.machine import Machine

RECURSIVE_CALL = assemble("""
    JUMPDEST 1 0 SLOAD ADD 0 SSTORE 0 1 SSTORE 0 0 LOG0
    0 0 0 0 0 ADDRESS 70000 GAS SUB CALL 0 MSTORE 32 0 RETURN
""")
"""Counts in slot 0, clears slot 1 for a refund, logs, calls itself with nearly all its gas."""
RECURSIVE_CREATE = assemble("CODESIZE 0 0 CODECOPY 0 0 LOG0 CODESIZE 0 0 CREATE")
"""Init code that logs and creates a contract with itself as its init code."""


class TestDepth:
    @pytest.mark.parametrize(
        ("fork", "calls", "engine"),
        [("homestead", 1_025, "fast"), ("wasabi", 1_025, "fast"), ("wasabi", 1_025, "reference"),
         ("twotothree", 401, "fast"), ("vetiver", 401, "fast"), ("vetiver", 401, "reference")],
    )  # fmt: skip
    def test_calls(self, fork: str, calls: int, engine: str) -> None:
        """Calls nest to the limit; the effects of all of them are collected."""
        machine = Engine(fork, RECURSIVE_CALL, engine, 2)
        result = machine.call(b"", 10**11)

        assert result["error"] is None
        assert machine.state.get_storage(address(SELF), 0) == calls
        assert len(result["logs"]) == calls
        assert result["refund"] == 15_000

    @pytest.mark.parametrize(
        ("fork", "limit", "engine"),
        [("homestead", 1_024, "fast"), ("wasabi", 1_024, "fast"), ("homestead", 1_024, "reference"),
         ("vetiver", 400, "fast"), ("vetiver", 400, "reference")],
    )  # fmt: skip
    def test_creations(self, fork: str, limit: int, engine: str) -> None:
        """Creations nest to the limit."""
        result = Engine(fork, b"", engine, 2).create(RECURSIVE_CREATE, 10**9)

        depth, below = 0, result["children"]
        while below:
            depth, below = depth + 1, below[0][-1]
        assert result["error"] is None
        assert depth == limit


class TestTable:
    @pytest.mark.parametrize("fork", ["prague", "vetiver"])
    def test_opcodes(self, fork: str) -> None:
        """Calls and creations are methods of py-evm's opcodes, others are unchanged."""
        table = rules_for(fork).vm_class.get_state_class().computation_class.opcodes

        assert opcode_object(table[CALL]).mnemonic == "CALL"
        assert opcode_object(table[CREATE]).mnemonic == "CREATE"
        assert opcode_object(table[ADD]) is table[ADD]


class TestCollecting:
    def test_as_py_evm_does(self) -> None:
        """Logs, refunds and deletions are collected as by py-evm, without those of failed calls."""
        machine = Machine()
        succeeding, failing, reverting = (
            f"0 0 0 0 0 {number} 99999 CALL POP" for number in (0xA1, 0xA2, 0xA3)
        )
        machine.install("0 0 SSTORE 0 0 LOG0 ADDRESS SELFDESTRUCT", address(0xA1), slot_0=1)
        machine.install(f"{succeeding} 0 0 LOG0 INVALID", address(0xA2))
        machine.install("0 0 SSTORE 0 0 LOG0 0 0 REVERT", address(0xA3), slot_0=1)
        found = machine.execute(f"0 0 LOG0 {failing} {reverting} {succeeding} 0 0 LOG0").computation

        assert len(found.get_raw_log_entries()) == 3
        assert found.get_raw_log_entries() == BaseComputation.get_raw_log_entries(found)
        assert found.get_gas_refund() == BaseComputation.get_gas_refund(found) > 0
        for name in ("get_accounts_for_deletion", "get_self_destruct_beneficiaries"):
            assert getattr(found, name)() == getattr(BaseComputation, name)(found)
