"""Traces as lines of JSON, in the format of geth's `evm --json` and EIP-3155."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from devchain.tracing.options import Budget, TraceOptions
from devchain.tracing.struct_logger import Step
from devchain.tracing.trace_session import TraceSession
from devchain.types import MAX_UINT64

MAX_WORDS = 256 * 1024 * 1024
"""The size of a trace at which memory would run out."""


class JsonTrace:
    """Records one execution; `attach` it to py-evm's state, then read `lines`."""

    def __init__(
        self, *, memory: bool = False, stack: bool = True, return_data: bool = False
    ) -> None:
        """Record these of each opcode; of the memory always its size, of the storage nothing."""
        options = TraceOptions(
            disable_storage=True,
            enable_memory=memory,
            disable_stack=not stack,
            enable_return_data=return_data,
        )
        self._session = TraceSession(options, Budget(MAX_WORDS))

    def attach(self, state: Any) -> None:
        """Record what runs on that state."""
        self._session.attach(state, ())

    def lines(self) -> Iterator[dict[str, Any]]:
        """The objects to write: one for each opcode, then output and gas of the execution."""
        top = self._session.recorder.top
        if top is None:
            return
        steps = self._session.finish(top).steps
        for step in steps.steps if steps else ():
            yield _line(step)
        end = {"output": top.output.hex(), "gasUsed": hex(top.gas_used)}
        yield end | ({"error": top.failure.geth} if top.failure else {})


def _line(step: Step) -> dict[str, Any]:
    # Readers keep gas in 64 bits; what memory at a huge offset would cost does not fit.
    line: dict[str, Any] = {
        "pc": step.pc,
        "op": step.code,
        "gas": hex(step.gas),
        "gasCost": hex(min(step.cost, MAX_UINT64)),
    }
    if step.memory is not None:
        line["memory"] = f"0x{step.memory.hex()}"
    line["memSize"] = step.memory_size
    if step.stack is not None:
        line["stack"] = [hex(word) for word in step.stack]
    if step.return_data is not None:
        line["returnData"] = f"0x{step.return_data.hex()}"
    line |= {"depth": step.depth, "refund": step.refund, "opName": step.op}
    return line | ({"error": step.error} if step.error else {})
