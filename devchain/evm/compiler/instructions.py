"""Instructions of EVM bytecode: decoding, jump destinations, and the operation of each opcode.

What an opcode does is read from the opcode table of the VM class. An entry with a py-evm function
that the compiler knows is an `Operation` with the gas price of the table; any other entry is called
as it is. So one compiler serves every hardfork, and an unknown opcode is slow, never wrong.

    >>> code = bytes.fromhex("6102035b00")  # PUSH2 0x0203 JUMPDEST STOP
    >>> instruction_at(code, 0)
    Instruction(pc=0, opcode=97, push_value=515, next_pc=3)
    >>> jump_destinations(code)
    frozenset({3})
    >>> operation_of(opcodes("berlin")[0x54])  # SLOAD costs by whether the slot is warm
    Operation(name='sload_eip2929', gas=0, parameter=None, forbids_static=False)
    >>> operation_of(opcodes("vetiver")[0xA2])
    Operation(name='log', gas=375, parameter=2, forbids_static=True)
    >>> operation_of(opcodes("vetiver")[0xF1]) is None  # CALL is py-evm's
    True
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from eth.vm import opcode_values as op
from eth.vm.forks.berlin import logic as berlin
from eth.vm.forks.byzantium.opcodes import ensure_no_static
from eth.vm.forks.istanbul import storage as istanbul
from eth.vm.logic import (
    arithmetic,
    block,
    comparison,
    context,
    duplication,
    flow,
    logging,
    memory,
    sha3,
    stack,
    storage,
    swap,
    system,
)
from eth.vm.opcode import _FastOpcode

from devchain.evm import osaka
from devchain.evm.bounded import CheckingJumpdest

STACK_LIMIT = 1_024
"""Words the EVM's stack may have."""

# Decoding

_DESTINATIONS = re.compile(
    b"|".join([rb"\x5b", *(b"[\\x%02x].{0,%d}" % (op.PUSH1 + n, n + 1) for n in range(32))]),
    re.DOTALL,
)
"""A JUMPDEST, or a PUSH together with its data, in which a 0x5b is no JUMPDEST."""


_PUSH1, _PUSH32 = op.PUSH1, op.PUSH32


class Instruction(NamedTuple):
    """One instruction: its offset (`pc`), and the number it pushes if it is a PUSH."""

    pc: int
    opcode: int
    push_value: int
    next_pc: int


def instruction_at(code: bytes, pc: int) -> Instruction:
    """The instruction at an offset; past the end of the code there is a STOP."""
    if pc >= len(code):
        return Instruction(pc, op.STOP, 0, pc)
    opcode = code[pc]
    if not _PUSH1 <= opcode <= _PUSH32:
        return Instruction(pc, opcode, 0, pc + 1)
    end = pc + 2 + opcode - _PUSH1
    data = code[pc + 1 : end].ljust(end - pc - 1, b"\0")
    return Instruction(pc, opcode, int.from_bytes(data), end)


def jump_destinations(code: bytes) -> frozenset[int]:
    """The offsets that jumps may go to: JUMPDESTs that are not data of a PUSH."""
    matches = _DESTINATIONS.finditer(code)
    return frozenset(each.start() for each in matches if code[each.start()] == op.JUMPDEST)


# Operations


@dataclass(frozen=True, slots=True)
class Operation:
    """What an opcode does, by the name of py-evm's function, and its constant gas price.

    `parameter` distinguishes variants: the number of a DUP, the topics of a LOG, the gas
    schedule of an SSTORE.
    """

    name: str
    gas: int
    parameter: Any = None
    forbids_static: bool = False


def _functions(module: Any, names: str) -> dict[Any, str]:
    return {getattr(module, each): each for each in names.split()}


_PLAIN: dict[Any, str] = {
    **_functions(arithmetic, "add addmod sub mod smod mul mulmod div sdiv signextend shl shr sar"),
    **_functions(comparison, "lt gt slt sgt eq iszero and_op or_op xor not_op byte_op"),
    **_functions(block, "coinbase timestamp number difficulty gaslimit basefee mixhash"),
    **_functions(context, "selfbalance origin address caller callvalue calldataload calldatasize"),
    **_functions(context, "calldatacopy chain_id codesize codecopy gasprice"),
    **_functions(context, "returndatasize returndatacopy"),
    **_functions(flow, "stop jump jumpi jumpdest program_counter gas"),
    **_functions(memory, "mstore mstore8 mload msize mcopy"),
    **_functions(sha3, "sha3"),
    **_functions(stack, "pop"),
    **_functions(storage, "sload"),
    **_functions(system, "return_op revert"),
    **_functions(berlin, "sload_eip2929"),
    **_functions(osaka, "count_leading_zeros"),
}
_NUMBERED: dict[Any, tuple[str, int]] = {
    **{getattr(stack, f"push{n}"): ("push", n) for n in range(33)},
    **{getattr(duplication, f"dup{n}"): ("dup", n) for n in range(1, 17)},
    **{getattr(swap, f"swap{n}"): ("swap", n) for n in range(1, 17)},
}
_SSTORE: dict[Any, str] = {
    storage.sstore: "frontier",
    storage.net_sstore: "eip1283",
    istanbul.sstore_eip2200_generic.func: "eip2200",
    berlin.sstore_eip2929_generic.func: "eip2929",
}
"""Variants of SSTORE; all but the first have a gas schedule."""

_STATIC_CHECK = ensure_no_static(lambda _: None).__code__


def operation_of(entry: Any) -> Operation | None:
    """What an entry of an opcode table does, or None if the compiler does not know."""
    if not isinstance(entry, _FastOpcode):
        return None
    function: Any = entry.logic_fn
    forbids_static = getattr(function, "__code__", None) is _STATIC_CHECK
    if forbids_static:
        function = function.__wrapped__
    name, parameter = _name_and_parameter(*_unwrap_partial(function))
    return Operation(name, entry.gas_cost, parameter, forbids_static) if name else None


def _name_and_parameter(
    function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[str, Any]:
    if isinstance(function, CheckingJumpdest):
        return "jumpdest", None
    if function is logging.log_XX:
        return "log", keywords["topic_count"]
    if function is arithmetic.exp.func:
        return "exp", keywords["gas_per_byte"]
    if function in _SSTORE:
        return "sstore", (_SSTORE[function], *(arguments or (None,)))
    return _NUMBERED.get(function, (_PLAIN.get(function, ""), None))


def _unwrap_partial(function: Any) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
    arguments: tuple[Any, ...] = ()
    keywords: dict[str, Any] = {}
    while isinstance(function, partial) or hasattr(function, "func"):
        arguments = (*function.args, *arguments)
        keywords = {**function.keywords, **keywords}
        function = function.func
    return function, arguments, keywords


STACK_EFFECTS: dict[int, tuple[int, int]] = {
    op.EXP: (2, 1),
    op.BALANCE: (1, 1),
    op.SELFBALANCE: (0, 1),
    op.EXTCODESIZE: (1, 1),
    op.EXTCODECOPY: (4, 0),
    op.EXTCODEHASH: (1, 1),
    op.BLOCKHASH: (1, 1),
    op.BASEFEE: (0, 1),
    op.BLOBHASH: (1, 1),
    op.BLOBBASEFEE: (0, 1),
    op.SLOAD: (1, 1),
    op.SSTORE: (2, 0),
    op.TLOAD: (1, 1),
    op.TSTORE: (2, 0),
    op.CREATE: (3, 1),
    op.CREATE2: (4, 1),
    op.CALL: (7, 1),
    op.CALLCODE: (7, 1),
    op.DELEGATECALL: (6, 1),
    op.STATICCALL: (6, 1),
}
"""How many words opcodes that py-evm executes pop and push.

An entry of the table may override this in its `arity`. An opcode without either ends a region.
"""
