"""What compiled code calls: the parts of an opcode that are too long to be written out each time.

`gas` is always what is left after everything up to the next opcode that can see it; whoever
charges more hands back what is left then, and raises `OutOfGas` when it is not enough.
"""

from __future__ import annotations

from typing import Any

from eth.constants import (
    GAS_COPY,
    GAS_LOGDATA,
    GAS_LOGTOPIC,
    GAS_MEMORY,
    GAS_MEMORY_QUADRATIC_DENOMINATOR,
    GAS_SRESET,
    GAS_SSET,
    REFUND_SCLEAR,
)
from eth.exceptions import (
    InvalidInstruction,
    InvalidJumpDestination,
    OutOfBoundsRead,
    OutOfGas,
    WriteProtection,
)
from eth.vm.forks.berlin.constants import COLD_SLOAD_COST, WARM_STORAGE_READ_COST
from eth.vm.opcode_values import JUMPDEST

from devchain.evm import deadline

WATCH_EVERY = 200_000
"""How much gas may be spent between two looks at the deadline."""
SSTORE_SENTRY = 2_300
_QUADRATIC = GAS_MEMORY_QUADRATIC_DENOMINATOR


def watch(gas: int) -> int:
    """Called when gas falls under the mark: the next mark, unless there is none left."""
    if gas < 0:
        raise OutOfGas("Out of gas")
    deadline.check()
    return max(0, gas - WATCH_EVERY)


def out_of_gas() -> OutOfGas:
    """The error of code that has spent its gas."""
    return OutOfGas("Out of gas")


def grow(memory: bytearray, end: int, gas: int) -> int:
    """Make the memory reach to `end`; the gas left."""
    before, after = len(memory) >> 5, end + 31 >> 5
    if after <= before:
        return gas
    gas -= (
        GAS_MEMORY * (after - before) + after * after // _QUADRATIC - before * before // _QUADRATIC
    )
    if gas < 0:
        raise OutOfGas("Out of gas: expanding memory")
    memory += bytes(after - before << 5)
    return gas


def copy(memory: bytearray, to: int, source: bytes, start: int, size: int, gas: int) -> int:
    """Copy into memory; what lies past the end of the source is zeros. The gas left."""
    gas -= GAS_COPY * ((size + 31) // 32)
    if gas < 0:
        raise OutOfGas("Out of gas: copying")
    if size:
        gas = grow(memory, to + size, gas)
        memory[to : to + size] = source[start : start + size].ljust(size, b"\0")
    return gas


def copy_within(memory: bytearray, to: int, start: int, size: int, gas: int) -> int:
    """Copy from memory to memory; the gas left."""
    gas -= GAS_COPY * ((size + 31) // 32)
    if gas < 0:
        raise OutOfGas("Out of gas: copying")
    if size:
        gas = grow(memory, max(to, start) + size, gas)
        memory[to : to + size] = memory[start : start + size]
    return gas


def copy_returned(
    memory: bytearray, gas: int, source: bytes, to: int, start: int, size: int
) -> int:
    """Copy what a call returned into memory; unlike other sources it has an end. The gas left."""
    if start + size > len(source):
        raise OutOfBoundsRead("Return data length is not sufficient to satisfy request")
    return copy(memory, to, source, start, size, gas)


def log(computation: Any, memory: bytearray, start: int, size: int, gas: int, topics: Any) -> int:
    """Emit a log; the gas left."""
    gas -= GAS_LOGDATA * size + GAS_LOGTOPIC * len(topics)
    if gas < 0:
        raise OutOfGas("Out of gas: logging")
    if size:
        gas = grow(memory, start + size, gas)
    data = bytes(memory[start : start + size])
    computation.add_log_entry(computation.msg.storage_address, topics, data)
    return gas


def refuse_static(computation: Any) -> None:
    """Raise `WriteProtection` in a static call."""
    if computation.msg.is_static:
        raise WriteProtection("Cannot modify state while inside of a STATICCALL context")


def bad_jump(code: bytes, to: int) -> Exception:
    """The error of a jump to a place that is no destination."""
    if to < len(code) and code[to] == JUMPDEST:
        return InvalidInstruction("Jump resulted in invalid instruction")
    return InvalidJumpDestination("Invalid Jump Destination")


def sload_access(computation: Any, slot: int, gas: int) -> tuple[int, int]:
    """Read storage, for less the second time (EIP-2929); the word and the gas left."""
    state, address = computation.state, computation.msg.storage_address
    if state.is_storage_warm(address, slot):
        gas -= WARM_STORAGE_READ_COST
    else:
        state.mark_storage_warm(address, slot)
        gas -= COLD_SLOAD_COST
    if gas < 0:
        raise OutOfGas("Out of gas: SLOAD")
    return state.get_storage(address, slot), gas


def sstore_plain(computation: Any, slot: int, value: int, gas: int, schedule: None) -> int:
    """Write storage at the prices that look at what is there now; the gas left."""
    del schedule
    state, address = computation.state, computation.msg.storage_address
    current = state.get_storage(address, slot)
    gas -= GAS_SSET if value and not current else GAS_SRESET
    if gas < 0:
        raise OutOfGas("Out of gas: SSTORE")
    if current and not value:
        computation.refund_gas(REFUND_SCLEAR)
    state.set_storage(address, slot, value)
    return gas


def sstore_net(computation: Any, slot: int, value: int, gas: int, schedule: Any) -> int:
    """Write storage at the prices that look at what the transaction found; the gas left."""
    state, address = computation.state, computation.msg.storage_address
    current = state.get_storage(address, slot)
    original = current if current == value else state.get_storage(address, slot, from_journal=False)
    gas -= _net_cost(schedule, original, current, value)
    if gas < 0:
        raise OutOfGas("Out of gas: SSTORE")
    refund = _net_refund(schedule, original, current, value)
    if refund:
        computation.refund_gas(refund)
    state.set_storage(address, slot, value)
    return gas


def _net_cost(schedule: Any, original: int, current: int, value: int) -> int:
    if current == value or original != current:
        return int(schedule.sload_gas)
    return int(schedule.sstore_reset_gas if original else schedule.sstore_set_gas)


def _net_refund(schedule: Any, original: int, current: int, value: int) -> int:
    if current == value:
        return 0
    clears, refund = schedule.sstore_clears_schedule, 0
    if original and value == 0:
        refund += clears
    if original == current:
        return refund
    if original and current == 0:
        refund -= clears
    if original == value:
        paid = schedule.sstore_reset_gas if original else schedule.sstore_set_gas
        refund += paid - schedule.sload_gas
    return refund


def sstore_sentry(computation: Any, slot: int, value: int, gas: int, schedule: Any) -> int:
    """Write storage, not with a call's stipend alone (EIP-2200); the gas left."""
    if gas <= SSTORE_SENTRY:
        raise OutOfGas("Net-metered SSTORE always fails below 2300 gas, per EIP-2200")
    return sstore_net(computation, slot, value, gas, schedule)


def sstore_access(computation: Any, slot: int, value: int, gas: int, schedule: Any) -> int:
    """Write storage, for less the second time (EIP-2929); the gas left."""
    gas = sstore_sentry(computation, slot, value, gas, schedule)
    state, address = computation.state, computation.msg.storage_address
    if not state.is_storage_warm(address, slot):
        state.mark_storage_warm(address, slot)
        gas -= COLD_SLOAD_COST
        if gas < 0:
            raise OutOfGas("Out of gas: SSTORE")
    return gas
