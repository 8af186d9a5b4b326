"""What an opcode of a VM class does, recognised by the py-evm function behind it.

The compiler asks the VM class's own table: an entry whose function it knows is compiled with the
table's gas price; any other runs as it is. So one compiler serves every hardfork.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

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

from devchain.evm.bounded_vm import Pace


@dataclass(frozen=True, slots=True)
class Operation:
    """An opcode the compiler knows: its name, price and what else sets its variant apart."""

    name: str
    gas: int
    parameter: Any = None
    no_static: bool = False


def _named(module: Any, names: str) -> dict[Any, str]:
    return {getattr(module, each): each for each in names.split()}


_SIMPLE: dict[Any, str] = {
    **_named(arithmetic, "add addmod sub mod smod mul mulmod div sdiv signextend shl shr sar"),
    **_named(comparison, "lt gt slt sgt eq iszero and_op or_op xor not_op byte_op"),
    **_named(block, "coinbase timestamp number difficulty gaslimit basefee mixhash"),
    **_named(context, "selfbalance origin address caller callvalue calldataload calldatasize"),
    **_named(context, "calldatacopy chain_id codesize codecopy gasprice"),
    **_named(context, "returndatasize returndatacopy"),
    **_named(flow, "stop jump jumpi jumpdest program_counter gas"),
    **_named(memory, "mstore mstore8 mload msize mcopy"),
    **_named(sha3, "sha3"),
    **_named(stack, "pop"),
    **_named(storage, "sload"),
    **_named(system, "return_op revert"),
    **_named(berlin, "sload_eip2929"),
}
_NUMBERED: dict[Any, tuple[str, int]] = {
    **{getattr(stack, f"push{n}"): ("push", n) for n in range(33)},
    **{getattr(duplication, f"dup{n}"): ("dup", n) for n in range(1, 17)},
    **{getattr(swap, f"swap{n}"): ("swap", n) for n in range(1, 17)},
}
_STORES: dict[Any, str] = {
    storage.sstore: "plain",
    storage.net_sstore: "net",
    istanbul.sstore_eip2200_generic.func: "sentry",
    berlin.sstore_eip2929_generic.func: "access",
}
"""The kinds of SSTORE, all but the first with a gas schedule."""

_STATIC_CHECK = ensure_no_static(lambda _: None).__code__


def recognise(function: Any) -> Operation | None:
    """What an entry of an opcode table does, or None if the compiler does not know."""
    if not isinstance(function, _FastOpcode):
        return None
    logic: Any = function.logic_fn
    no_static = getattr(logic, "__code__", None) is _STATIC_CHECK
    if no_static:
        logic = logic.__wrapped__
    name, parameter = _identify(*_unwrapped(logic))
    return Operation(name, function.gas_cost, parameter, no_static) if name else None


def _identify(function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[str, Any]:
    if isinstance(function, Pace):
        return "jumpdest", None
    if function is logging.log_XX:
        return "log", named["topic_count"]
    if function is arithmetic.exp.func:
        return "exp", named["gas_per_byte"]
    if function in _STORES:
        return "sstore", (_STORES[function], *(arguments or (None,)))
    return _NUMBERED.get(function, (_SIMPLE.get(function, ""), None))


def _unwrapped(function: Any) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
    """The plain function inside partial applications, with what they apply it to."""
    arguments: tuple[Any, ...] = ()
    named: dict[str, Any] = {}
    while isinstance(function, partial) or hasattr(function, "func"):
        arguments = (*function.args, *arguments)
        named = {**function.keywords, **named}
        function = function.func
    return function, arguments, named


ARITY: dict[int, tuple[int, int]] = {
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
"""What opcodes that run as they are take from the stack and leave on it.

An entry of the table may say otherwise in its `arity`; one of which nothing is known ends what is
compiled together.
"""
