"""Call frames: a tree with one for every call, creation and self-destruct of a transaction.

The texts of failures are those of geth and Parity: tools compare with them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from eth import exceptions

from devchain.chain.block import Log
from devchain.evm import revert_reasons
from devchain.evm.opcodes import name_of
from devchain.evm.rootstock.gas import CODE_LIMIT, CodeTooLarge, InitCodeTooLarge
from devchain.tracing.paths import Path, Stop
from devchain.types import SELECTOR_SIZE, Address


@dataclass(frozen=True, slots=True)
class FrameFailure:
    """Why a frame failed: geth's text, Parity's if it differs, and an opcode that did not run."""

    geth: str
    own_parity: str = ""
    opcode: int | None = None

    @property
    def parity(self) -> str:
        return self.own_parity or self.geth


REVERTED = FrameFailure(revert_reasons.REVERTED, "Reverted")
OUT_OF_GAS = FrameFailure("out of gas", "Out of gas")
CODE_TOO_LARGE = FrameFailure("max code size exceeded", "Out of gas")
CODE_UNAFFORDABLE = FrameFailure("contract creation code storage out of gas", "Out of gas")
DEPTH_EXCEEDED = FrameFailure("max call depth exceeded")
INSUFFICIENT_BALANCE = FrameFailure("insufficient balance for transfer")
ADDRESS_COLLISION = FrameFailure("contract address collision")
NONCE_OVERFLOW = FrameFailure("nonce uint64 overflow")

FAILURES: dict[type[exceptions.VMError], FrameFailure] = {
    exceptions.Revert: REVERTED,
    exceptions.OutOfGas: OUT_OF_GAS,
    exceptions.InsufficientStack: FrameFailure("stack underflow", "Stack underflow"),
    exceptions.FullStack: FrameFailure("stack limit reached 1024 (1023)", "Out of stack"),
    exceptions.InvalidJumpDestination: FrameFailure(
        "invalid jump destination", "Bad jump destination"
    ),
    exceptions.InvalidInstruction: FrameFailure("invalid opcode", "Bad instruction"),
    exceptions.InsufficientFunds: INSUFFICIENT_BALANCE,
    exceptions.StackDepthLimit: DEPTH_EXCEEDED,
    exceptions.ContractCreationCollision: ADDRESS_COLLISION,
    exceptions.WriteProtection: FrameFailure("write protection", "Mutable Call In Static Context"),
    exceptions.OutOfBoundsRead: FrameFailure("return data out of bounds", "Out of bounds"),
    exceptions.ReservedBytesInCode: FrameFailure("invalid code: must not begin with 0xef"),
    CodeTooLarge: CODE_TOO_LARGE,
    InitCodeTooLarge: FrameFailure("max initcode size exceeded"),
}
"""The texts of py-evm's errors; any other error has its own."""

RAISED_BEFORE_RUNNING = (exceptions.OutOfGas, exceptions.InsufficientStack, exceptions.FullStack)
"""Errors that keep an opcode from running at all; others are raised while it runs."""


def failure_of(error: exceptions.VMError) -> FrameFailure:
    named = (failure for kind, failure in FAILURES.items() if isinstance(error, kind))
    return next(named, None) or FrameFailure(str(error).rstrip(".") or "execution failed")


def failure_of_computation(computation: Any) -> FrameFailure:
    """The texts of a computation's failure; two kinds need more than the error to tell apart."""
    error = computation.error
    if isinstance(error, exceptions.InvalidInstruction):
        opcode = computation.code[computation.code.program_counter - 1]
        return FrameFailure(f"invalid opcode: {name_of(opcode)}", "Bad instruction", opcode)
    if isinstance(error, exceptions.OutOfGas) and computation.msg.is_create:
        stored = computation._output  # noqa: SLF001  # `output` hides what a failure returned
        if stored:
            return CODE_TOO_LARGE if len(stored) > CODE_LIMIT else CODE_UNAFFORDABLE
    return failure_of(error)


CREATIONS = frozenset({"CREATE", "CREATE2"})
DELEGATECALL = "DELEGATECALL"
DELEGATIONS = frozenset({DELEGATECALL, "CALLCODE"})  # run on the storage of their caller
SELFDESTRUCT = "SELFDESTRUCT"


@dataclass(frozen=True, slots=True)
class FrameLog(Log):
    """A log of a frame, its index in the block, and the number of the frame's calls before it."""

    index: int
    position: int


@dataclass(slots=True)
class Frame:
    """A message and its result; the recorder fills it in while the message runs.

    `kind` is the opcode that sent it, SELFDESTRUCT too; `value` is None for a static call, `input`
    the init code of a creation. `call_site` is where its caller sent it, `path` how it failed, if
    paths are recorded. `is_top` if it is the message of a transaction.
    """

    kind: str
    sender: Address
    to: Address
    gas: int
    input: bytes
    value: int | None
    gas_used: int = 0
    output: bytes = b""
    failure: FrameFailure | None = None
    precompiled: bool = False
    calls: list[Frame] = field(default_factory=list)
    logs: list[FrameLog] = field(default_factory=list)
    is_top: bool = False
    call_site: Stop | None = field(default=None, repr=False)
    path: Path | None = field(default=None, repr=False)

    @property
    def error(self) -> str | None:
        return self.failure.geth if self.failure else None

    @property
    def parity_error(self) -> str | None:
        return self.failure.parity if self.failure else None

    @property
    def reverted(self) -> bool:
        return self.failure is REVERTED

    @property
    def is_creation(self) -> bool:
        return self.kind in CREATIONS

    @property
    def transferred(self) -> int:
        """The value that it transfers, in wei: a delegate call has its caller's and sends none."""
        return 0 if self.kind == DELEGATECALL else self.value or 0

    def walk(self, *, succeeded: bool = False) -> Iterator[Frame]:
        """This frame and all below, callers first; with `succeeded` without failed ones."""
        waiting = [self]
        while waiting:
            frame = waiting.pop()
            if succeeded and frame.failure:
                continue
            yield frame
            waiting.extend(reversed(frame.calls))

    def drop_logs(self) -> None:
        self.logs.clear()
        for call in self.calls:
            for frame in call.walk(succeeded=True):  # those that failed have none any more
                frame.logs.clear()


@dataclass(frozen=True, slots=True)
class FlatFrame:
    """A frame, the path that leads to it from the top, and how many frames it called."""

    frame: Frame
    path: tuple[int, ...]
    subtraces: int


def flatten(
    frame: Frame, path: tuple[int, ...] = (), *, precompiles: bool = False
) -> Iterator[FlatFrame]:
    """A frame and all below it; plain calls of precompiled contracts only with `precompiles`."""
    calls = [
        call
        for call in frame.calls
        if precompiles or not (call.precompiled and call.kind in {"CALL", "STATICCALL"})
    ]
    yield FlatFrame(frame, path, len(calls))
    for index, call in enumerate(calls):
        yield from flatten(call, (*path, index), precompiles=precompiles)


def selectors(top: Frame) -> dict[tuple[bytes, int], int]:
    """How often each selector came with so many bytes of arguments; precompiles do not count."""
    return Counter(
        (frame.input[:SELECTOR_SIZE], len(frame.input) - SELECTOR_SIZE)
        for frame in top.walk()
        if len(frame.input) >= SELECTOR_SIZE
        and not (frame.precompiled or frame.is_creation or frame.kind == SELFDESTRUCT)
    )
