"""The call opcodes of compiled code: nearly every call by one function.

py-evm's and Rootstock's opcodes and the methods that they call take more time for a message than
its code does, mostly. A call is plain if it sends no value, its memory is there, and its callee has
code that is its own: what happens then is here in one place. All other calls, and those of classes
that observe messages, are left to the opcode.

    token.balanceOf(bob)                plain
    weth.deposit{value: 1}()            sends value: by the opcode
    ecrecover(hash, v, r, s)            a precompiled contract: by the opcode
    trace or coverage of any of them    by the opcode
"""

from __future__ import annotations

from typing import Any

from eth.constants import STACK_DEPTH_LIMIT
from eth.exceptions import VMError
from eth.vm.forks.berlin.constants import COLD_ACCOUNT_ACCESS_COST, WARM_STORAGE_READ_COST
from eth.vm.forks.berlin.logic import BaseCallEIP2929

from devchain.evm import deadline, memory_limit
from devchain.evm.bounded import opcode_object
from devchain.evm.compiler.frame import FastMessage
from devchain.evm.opcodes import DELEGATION, Op
from devchain.evm.rootstock.opcodes import RootstockCall

_DELEGATION_BYTES = len(DELEGATION) + 20  # the length of the code of an account with another's


class PlainCall:
    """CALL, DELEGATECALL or STATICCALL; `opcode` is the entry of py-evm's table."""

    def __init__(self, number: int, opcode: Any) -> None:
        self.opcode = opcode
        instruction = opcode_object(opcode)
        # Calls without a price of their own cost what the use of the account does (EIP-2929).
        self._gas: int = instruction.gas_cost
        self._keeps_64th = isinstance(instruction, BaseCallEIP2929)
        self._depth_limit = getattr(instruction, "depth_limit", STACK_DEPTH_LIMIT)
        self._delegates = number == Op.DELEGATECALL
        self._is_static = number == Op.STATICCALL
        self._takes_value = getattr(instruction, "takes_value", number == Op.CALL)

    @property
    def arity(self) -> tuple[int, int]:
        """How many words it pops and pushes."""
        return (7 if self._takes_value else 6), 1

    def call(self, computation: Any) -> None:  # noqa: C901, PLR0915  # a call costs time
        """Execute the opcode."""
        kind = computation.__class__
        stack, value = computation._stack.values, 0  # noqa: SLF001  # py-evm's, as those below
        try:
            if self._takes_value:
                out, out_size = stack[-6], stack[-7]
                start, size, value = stack[-4], stack[-5], stack[-3]
            else:
                out, out_size, start, size = stack[-5], stack[-6], stack[-3], stack[-4]
        except IndexError:
            value = 1
        message = computation.msg
        address = b"" if value else stack[-2].to_bytes(32)[12:]
        if (
            value
            or kind is not kind.plain
            or message.depth >= self._depth_limit
            or address in kind._precompiles  # noqa: SLF001
        ):
            self.opcode(computation=computation)
            return
        memory: bytearray = computation._memory._bytes  # noqa: SLF001
        present = len(memory)
        accounts: Any = computation.state._account_db  # noqa: SLF001
        code = accounts.get_code(address)
        meter = computation._gas_meter  # noqa: SLF001
        left, is_warm = meter.gas_remaining - self._gas, True
        if not self._gas:
            is_warm = accounts.is_address_warm(address)
            left -= WARM_STORAGE_READ_COST if is_warm else COLD_ACCOUNT_ACCESS_COST
        if (
            left < 0
            or not code
            or len(code) == _DELEGATION_BYTES
            or (size and start + size > present)
            or (out_size and out + out_size > present)
        ):
            self.opcode(computation=computation)
            return
        if not is_warm:
            accounts.mark_address_warm(address)
        gas = min(stack[-1], left - left // 64 if self._keeps_64th else left)
        meter.gas_remaining = left - gas
        delegates, own = self._delegates, message.storage_address
        called = FastMessage(  # by position, which takes half the time
            gas,
            own if delegates else address,
            message.sender if delegates else own,
            message.value if delegates else 0,
            bytes(memory[start : start + size]),
            code,
            message.depth + 1,
            None,
            address,
            not delegates,
            self._is_static or message.is_static,
        )
        # As `FastComputation.apply_message` and what it calls.
        deadline.check()
        state = computation.state
        snapshot = state.snapshot()
        child = kind(state, called, computation.transaction_context)
        child.contracts_created = computation.contracts_created
        child_meter, stream = child._gas_meter, child.code  # noqa: SLF001
        try:
            program = kind.programs.program(stream._raw_code_bytes)  # noqa: SLF001
            program.run(child, child._stack.values, child_meter, stream.program_counter)  # noqa: SLF001
        except VMError as error:
            child.__exit__(VMError, error, None)
            error.__traceback__ = None
            state.revert(snapshot)
            is_kept = True
            output, stack_word = child.output, 0
        else:
            is_kept = (
                child.children
                or child._log_entries  # noqa: SLF001
                or child_meter.gas_refunded
                or child.accounts_to_delete
                or child.beneficiaries
            )
            output, stack_word = child._output, 1  # noqa: SLF001
        if is_kept:
            child.release()
            computation.add_child_computation(child)
        else:
            memory_limit.release(len(child._memory._bytes))  # noqa: SLF001
            computation.return_data = output
        if out_size and output:
            count = min(out_size, len(output))
            memory[out : out + count] = output[:count]
        meter.gas_remaining += child_meter.gas_remaining
        del stack[-6 if self._takes_value else -5 :]
        stack[-1] = stack_word


def plain_calls(table: dict[int, Any]) -> dict[int, Any]:
    """An opcode table with `PlainCall` where it has calls of Rootstock's or Ethereum's rules."""
    known = RootstockCall | BaseCallEIP2929
    return table | {
        number: PlainCall(number, table[number]).call
        for number in (Op.CALL, Op.DELEGATECALL, Op.STATICCALL)
        if isinstance(opcode_object(table.get(number)), known)
    }
