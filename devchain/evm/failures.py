"""Failed executions as typed values: py-evm's errors and revert payloads become a `Failure`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from eth import exceptions

from devchain.errors import ExecutionFailed, ExecutionOutOfGas, ExecutionReverted, VmError
from devchain.evm.missing_opcodes import advice_on
from devchain.evm.revert_reasons import ErrorNames, revert_message

MESSAGES: dict[type[exceptions.VMError], str] = {
    exceptions.OutOfGas: "out of gas",
    exceptions.InsufficientStack: "stack underflow",
    exceptions.FullStack: "stack overflow",
    exceptions.InvalidJumpDestination: "invalid jump destination",
    exceptions.InvalidInstruction: "invalid opcode",
    exceptions.InsufficientFunds: "insufficient balance for transfer",
    exceptions.StackDepthLimit: "call depth exceeded",
    exceptions.ContractCreationCollision: "contract address collision",
    exceptions.WriteProtection: "write in a static call",
    exceptions.OutOfBoundsRead: "return data out of bounds",
    exceptions.ReservedBytesInCode: "invalid contract code: starts with 0xef",
}
"""Messages of py-evm's errors; any other error has its own text."""


class FailureKind(StrEnum):
    """How an execution failed; the values are stored with receipts on disk."""

    REVERT = "revert"
    OUT_OF_GAS = "out of gas"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed execution: its kind, a readable message, and the revert payload."""

    kind: FailureKind
    message: str
    payload: bytes = b""

    def __str__(self) -> str:
        return self.message

    @classmethod
    def of(cls, error: exceptions.VMError, output: bytes) -> Failure:
        """The failure of a py-evm message that ended with that error and output."""
        if isinstance(error, exceptions.Revert):
            return cls(FailureKind.REVERT, revert_message(output), output)
        named = (message for kind, message in MESSAGES.items() if isinstance(error, kind))
        message = next(named, str(error).rstrip(".") or "execution failed")
        is_out_of_gas = isinstance(error, exceptions.OutOfGas)
        return cls(FailureKind.OUT_OF_GAS if is_out_of_gas else FailureKind.OTHER, message)

    @classmethod
    def of_computation(cls, computation: Any, error: exceptions.VMError, hardfork: str) -> Failure:
        """The same; names an opcode that the hardfork lacks, and a compiler setting without it."""
        failure = cls.of(error, computation.output)
        if isinstance(error, exceptions.InvalidInstruction):
            code = computation.code
            advice = advice_on(code[code.program_counter - 1], hardfork)
            return replace(failure, message=f"{failure.message}: {advice}") if advice else failure
        return failure

    def describe(self, artifacts: ErrorNames) -> str:
        """The message, with name and values of a custom error that an artifact has."""
        if self.kind is FailureKind.REVERT:
            return revert_message(self.payload, artifacts)
        return self.message

    def to_error(self) -> VmError:
        return ERRORS[self.kind](self.message, self.payload)


ERRORS: dict[FailureKind, type[VmError]] = {
    FailureKind.REVERT: ExecutionReverted,
    FailureKind.OUT_OF_GAS: ExecutionOutOfGas,
    FailureKind.OTHER: ExecutionFailed,
}
"""The exception of each kind of failure."""
