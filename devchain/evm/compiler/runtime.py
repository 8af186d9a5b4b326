"""Functions that compiled code calls: parts of opcodes that take more than a line of Python.

`gas` is what is left after every charge up to the next opcode that reads it. A function that
charges more returns what is left then, and raises `OutOfGas` if that is less than 0. In compiled
code: `gas = copy_to_memory(mem, 0, data, 4, 32, gas); size = len(mem)`.
"""

from __future__ import annotations

from typing import Any

from eth.constants import (
    GAS_COPY,
    GAS_LOGDATA,
    GAS_LOGTOPIC,
    GAS_MEMORY,
    GAS_MEMORY_QUADRATIC_DENOMINATOR,
    UINT_256_CEILING,
    UINT_256_MAX,
)
from eth.exceptions import (
    InvalidInstruction,
    InvalidJumpDestination,
    OutOfBoundsRead,
    OutOfGas,
    WriteProtection,
)
from eth.vm.forks.berlin.constants import COLD_SLOAD_COST, WARM_STORAGE_READ_COST

from devchain.evm import deadline, memory_limit
from devchain.evm.bounded import BYTES_PER_CHECK
from devchain.evm.opcodes import Op, SstoreGas

CHECK_EVERY = 200_000  # gas that may be used between two checks of the deadline
SSTORE_SENTRY = 2_300
SIGN_BIT = 2**255
ZEROS = tuple(bytes(words << 5) for words in range(16))  # what memory grows by, in words
MAX_ZEROS = len(ZEROS[-1])
_QUADRATIC_BITS = GAS_MEMORY_QUADRATIC_DENOMINATOR.bit_length() - 1
_MEMORY_GAS = tuple(GAS_MEMORY * words + (words * words >> _QUADRATIC_BITS) for words in range(64))
_FREE_WORDS = memory_limit.FREE_BYTES // 32
_STEP_BITS = memory_limit.STEP_BITS - 5  # of a number of words


# Gas


def check_limits(gas: int) -> int:
    """Check gas and deadline; returns the gas below which compiled code calls this again."""
    if gas < 0:
        raise OutOfGas("Out of gas")
    deadline.check()
    return max(0, gas - CHECK_EVERY)


def leave(stack: list[int], base: int, words: list[int], meter: Any, gas: int, to: int) -> int:
    """Write stack and gas back for the interpreter, which goes on at an offset: it is returned."""
    if gas < 0:
        raise OutOfGas("Out of gas")
    stack[base:] = words
    meter.gas_remaining = gas
    return to


# Memory


def expand_memory(memory: bytearray, end: int, gas: int) -> int:
    """Expand the memory to `end`, in words; the gas left."""
    before, after = len(memory) >> 5, end + 31 >> 5
    added = after - before
    if added <= 0:
        return gas
    if after < len(_MEMORY_GAS):
        gas -= _MEMORY_GAS[after] - _MEMORY_GAS[before]
    else:
        # Shifts take half the time of divisions: a loop may expand the memory in each turn.
        gas -= (
            GAS_MEMORY * added
            + (after * after >> _QUADRATIC_BITS)
            - (before * before >> _QUADRATIC_BITS)
        )
    if gas < 0:
        raise OutOfGas("Out of gas: expanding memory")
    if after > _FREE_WORDS and (after - 1 >> _STEP_BITS) > (before - 1 >> _STEP_BITS):
        memory_limit.expand(before << 5, after << 5)
    memory += ZEROS[added] if added < len(ZEROS) else bytes(added << 5)
    return gas


def copy_to_memory(
    memory: bytearray, to: int, source: bytes | bytearray, start: int, size: int, gas: int
) -> int:
    """CALLDATACOPY, CODECOPY: past the end of the source there are zeros; the gas left."""
    gas -= GAS_COPY * ((size + 31) // 32)
    if gas < 0:
        raise OutOfGas("Out of gas: copying")
    if size:
        gas = expand_memory(memory, to + size, gas)
        if size >= BYTES_PER_CHECK:
            deadline.check()
        memory[to : to + size] = source[start : start + size].ljust(size, b"\0")
    return gas


def copy_memory(memory: bytearray, to: int, start: int, size: int, gas: int) -> int:
    """MCOPY; the gas left."""
    if size:
        gas = expand_memory(memory, start + size, gas)
    return copy_to_memory(memory, to, memory, start, size, gas)


def copy_return_data(
    memory: bytearray, gas: int, source: bytes, to: int, start: int, size: int
) -> int:
    """RETURNDATACOPY: reading past the end of the source is an error; the gas left."""
    if start + size > len(source):
        raise OutOfBoundsRead("Return data length is not sufficient to satisfy request")
    return copy_to_memory(memory, to, source, start, size, gas)


# Logs and storage


def add_log(
    computation: Any, memory: bytearray, start: int, size: int, gas: int, topics: Any
) -> int:
    """LOG0 to LOG4; the gas left."""
    gas -= GAS_LOGDATA * size + GAS_LOGTOPIC * len(topics)
    if gas < 0:
        raise OutOfGas("Out of gas: logging")
    if size:
        gas = expand_memory(memory, start + size, gas)
        if size >= BYTES_PER_CHECK:
            deadline.check()
    data = bytes(memory[start : start + size])
    computation.add_log_entry(computation.msg.storage_address, topics, data)
    return gas


def require_not_static(computation: Any) -> None:
    if computation.msg.is_static:
        raise WriteProtection("Cannot modify state while inside of a STATICCALL context")


def sload_eip2929(computation: Any, slot: int, gas: int) -> tuple[int, int]:
    """SLOAD, cheaper for a warm slot (EIP-2929); the word and the gas left."""
    accounts, address = computation.state._account_db, computation.msg.storage_address  # noqa: SLF001  # py-evm's
    is_warm = accounts.warm_up((address, slot))
    gas -= WARM_STORAGE_READ_COST if is_warm else COLD_SLOAD_COST
    if gas < 0:
        raise OutOfGas("Out of gas: SLOAD")
    return accounts.get_storage(address, slot), gas


def sstore_plain(computation: Any, slot: int, value: int, gas: int, costs: SstoreGas) -> int:
    """SSTORE, priced by the current value; the gas left."""
    state, address = computation.state, computation.msg.storage_address
    current = state.get_storage(address, slot)
    gas -= costs.set if value and not current else costs.reset
    if gas < 0:
        raise OutOfGas("Out of gas: SSTORE")
    if current and not value:
        computation.refund_gas(costs.clear_refund)
    state.set_storage(address, slot, value)
    return gas


def sstore_eip1283(computation: Any, slot: int, value: int, gas: int, schedule: Any) -> int:
    """SSTORE, priced by the current value and that before the transaction; the gas left."""
    accounts, address = computation.state._account_db, computation.msg.storage_address  # noqa: SLF001  # py-evm's
    current, original = accounts.slot_values(address, slot)
    if current == value or original != current:
        gas -= schedule.sload_gas
    else:
        gas -= schedule.sstore_reset_gas if original else schedule.sstore_set_gas
    if gas < 0:
        raise OutOfGas("Out of gas: SSTORE")
    if current != value:
        refund = _eip1283_refund(schedule, original, current, value)
        if refund:
            computation.refund_gas(refund)
        accounts.set_storage(address, slot, value)
    return gas


def _eip1283_refund(schedule: Any, original: int, current: int, value: int) -> int:
    clearing, refund = schedule.sstore_clears_schedule, 0
    if original and value == 0:
        refund += clearing
    if original == current:
        return refund
    if original and current == 0:
        refund -= clearing
    if original == value:
        paid = schedule.sstore_reset_gas if original else schedule.sstore_set_gas
        refund += paid - schedule.sload_gas
    return refund


def sstore_eip2200(computation: Any, slot: int, value: int, gas: int, schedule: Any) -> int:
    """As EIP-1283, but it fails with no more gas than a call's stipend; the gas left."""
    if gas <= SSTORE_SENTRY:
        raise OutOfGas("Net-metered SSTORE always fails below 2300 gas, per EIP-2200")
    computation.gas_at_store = gas  # for `needed_gas`
    return sstore_eip1283(computation, slot, value, gas, schedule)


def sstore_eip2929(computation: Any, slot: int, value: int, gas: int, schedule: Any) -> int:
    """As EIP-2200, cheaper for a warm slot; the gas left."""
    gas = sstore_eip2200(computation, slot, value, gas, schedule)
    accounts, address = computation.state._account_db, computation.msg.storage_address  # noqa: SLF001  # py-evm's
    if not accounts.warm_up((address, slot)):
        gas -= COLD_SLOAD_COST
        if gas < 0:
            raise OutOfGas("Out of gas: SSTORE")
    return gas


# Arithmetic


def _signed(word: int) -> int:
    return word - UINT_256_CEILING if word >= SIGN_BIT else word


def sdiv(a: int, b: int) -> int:
    """Signed division, rounded towards zero; by zero it is 0."""
    if b == 0:
        return 0
    dividend, divisor = _signed(a), _signed(b)
    quotient = abs(dividend) // abs(divisor)
    return (quotient if (dividend < 0) == (divisor < 0) else -quotient) & UINT_256_MAX


def smod(a: int, b: int) -> int:
    """Signed remainder, with the sign of the dividend; by zero it is 0."""
    if b == 0:
        return 0
    dividend = _signed(a)
    remainder = abs(dividend) % abs(_signed(b))
    return (-remainder if dividend < 0 else remainder) & UINT_256_MAX


def addmod(a: int, b: int, modulus: int) -> int:
    """The sum modulo a number; the sum itself is not reduced to 256 bits."""
    return (a + b) % modulus if modulus else 0


def mulmod(a: int, b: int, modulus: int) -> int:
    """The product modulo a number; the product itself is not reduced to 256 bits."""
    return (a * b) % modulus if modulus else 0


def signextend(size: int, word: int) -> int:
    """The lowest `size` + 1 bytes of a word as a signed number."""
    if size > 31:
        return word
    sign = 1 << (size * 8 + 7)
    return word | (UINT_256_CEILING - sign) if word & sign else word & (sign - 1)


def sar(shift: int, word: int) -> int:
    number = _signed(word)
    return number >> min(shift, 256) & UINT_256_MAX


def byte(place: int, word: int) -> int:
    """One byte of a word, the most significant at 0."""
    return word >> (248 - 8 * place) & 255 if place < 32 else 0


# Jumps


def jump_error(code: bytes, to: int) -> Exception:
    """The error to raise for a jump to an offset that is no destination."""
    if to < len(code) and code[to] == Op.JUMPDEST:
        return InvalidInstruction("Jump resulted in invalid instruction")
    return InvalidJumpDestination("Invalid Jump Destination")
