"""The Python that each opcode is compiled to, jumps excepted.

An emitter writes one opcode along a `Path`, which has charged its constant gas: it pops its
operands off the symbolic stack, writes lines of Python for what has effects, and pushes the result.
Arithmetic, which writes no lines, is in `arithmetic`; jumps are in `region`. What takes more than a
line is a function of `runtime`. An opcode without emitter is not compiled: py-evm's own function is
called.

    >>> emitted("CALLER CALLVALUE ADD")
    return [(c.msg.value + from_bytes(c.msg.sender) & 0xff...ff)], gas - 7

The examples show the lines below the head of the function, without the check
`if gas < next_check: ...` that follows a charge, and of the return to the interpreter what is
on the stack then and how much gas is left. Stack opcodes write nothing, a word used twice gets a
variable, and an expression that only POP would use is never evaluated:

    >>> emitted("7 SWAP2 NOT DUP1")
    a2, a1, = stack[base:]
    t1 = (a2 ^ 0xff...ff)
    return [7, a1, t1, t1], gas - 12
    >>> emitted("ADD POP")
    a2, a1, = stack[base:]
    return [], gas - 5
"""

from __future__ import annotations

from collections.abc import Callable

from eth.constants import UINT_256_CEILING

from devchain.evm.bounded import BYTES_PER_CHECK
from devchain.evm.compiler.arithmetic import ARITHMETIC, emit_arithmetic
from devchain.evm.compiler.codegen import Path, Value, constant, expression, memory_slice, variable
from devchain.evm.compiler.instructions import LITERALS, Operation

Emitter = Callable[[Path, Operation], object]

UNCHANGING: dict[str, tuple[str, int]] = {
    "origin": ("from_bytes(c.transaction_context.origin)", 160),
    "address": ("from_bytes(this)", 160),
    "caller": ("from_bytes(c.msg.sender)", 160),
    "callvalue": ("c.msg.value", 256),
    "calldatasize": ("len(data)", 64),
    "codesize": ("len(c.code)", 64),
    "gasprice": ("c.transaction_context.gas_price", 256),
    "chainid": ("state.execution_context.chain_id", 256),
    "coinbase": ("from_bytes(state.coinbase)", 160),
    "timestamp": ("state.timestamp", 256),
    "number": ("state.block_number", 256),
    "difficulty": ("state.difficulty", 256),
    "prevrandao": ("from_bytes(state.mix_hash)", 256),
    "gaslimit": ("state.gas_limit", 256),
    "basefee": ("state.base_fee", 256),
}
"""Words that do not change during a message: the expression and its bits."""

CHANGING: dict[str, tuple[str, int]] = {
    "msize": ("size", 64),
    "returndatasize": ("len(c.return_data)", 64),
    "selfbalance": ("state.get_balance(this)", 256),
}
"""Words that may change during a message, so they are read where the opcode is."""


def _push(path: Path, operation: Operation) -> None:
    at, text = path.instruction, path.text
    if at.pc in text.varying:
        path.push(variable(text.name_literal(at.pc), (0, (1 << 8 * operation.parameter) - 1)))
        return
    if at.opcode in LITERALS:
        text.literals[at.pc] = at.push_value
    path.push(constant(at.push_value))


def _read_changing(path: Path, operation: Operation) -> None:
    path.growing = {}
    path.push(path.assign(*CHANGING[operation.name]))


def _gas(path: Path, _: Operation) -> None:
    """GAS: the variable `gas` is exact here, since what follows is charged in a line of its own.

    >>> emitted("7 GAS 8")
    gas -= 5
    t1 = gas
    return [7, t1, 8], gas - 3
    """
    path.settle_gas()
    path.push(path.assign("gas"))  # a message can have more than 64 bits of it


def _calldataload(path: Path, _: Operation) -> None:
    start = path.pop_simple()
    end = start.constant + 32 if start.constant is not None else f"{start.code} + 32"
    path.push(Value(f"from_bytes(data[{start.code}:{end}].ljust(32, ZERO))"))


# Memory


def _mstore8(path: Path, _: Operation) -> None:
    offset, value = path.pop_offset(), path.pop()
    path.expand_memory(offset, 1)
    path.add_line(f"mem[{offset.code}] = {value.code} & 255")
    path.forget_memory()


def _copy(call: str) -> Emitter:
    # CALLDATACOPY, CODECOPY, MCOPY: the operands and the gas left are filled into the call.

    def emit(path: Path, _: Operation) -> None:
        to, start, size = (path.pop().code for _ in range(3))
        written = call.format(to=to, start=start, size=size, gas=path.gas_left())
        path.add_line(f"gas = {written}; size = len(mem)")
        path.forget_memory()

    return emit


def _returndatacopy(path: Path, _: Operation) -> None:
    # Reading past the end fails, so what follows must not be charged before.
    path.settle_gas()
    operands = ", ".join(["c.return_data", *(path.pop().code for _ in range(3))])
    path.add_line(f"gas = copy_return_data(mem, gas, {operands}); size = len(mem)")
    path.forget_memory()


def _pop_range(path: Path) -> tuple[Value, Value]:
    path.require_words(2)
    if path.refined(path.words[-2]).constant:
        offset, size = path.pop_offset(), path.pop()
        path.expand_memory(offset, size.constant or 0)
        return offset, size
    offset, size = path.pop_simple(), path.pop_simple()
    if size.constant is None:
        end = f"{offset.code} + {size.code}"
        left = f"gas - {path.gas}) + {path.gas}" if path.gas else "gas)"
        path.add_line(
            f"if {size.code} and {end} > size: "
            f"gas = expand_memory(mem, {end}, {left}; size = len(mem)"
        )
    return offset, size


# Hashes and powers, with a price by size


def _keccak256(path: Path, _: Operation) -> None:
    offset, size = _pop_range(path)
    if size.constant is not None and size.constant < BYTES_PER_CHECK:
        path.gas += 6 * ((size.constant + 31) // 32)
        data = memory_slice(offset, size.constant)
    else:
        path.charge_computed_gas(f"6 * ({size.code} + 31 >> 5)")
        data = f"mem[{offset.code}:{offset.code} + {size.code}]"
    path.push(path.assign(f"from_bytes(keccak_256({data}).digest())"))


def _exp(path: Path, operation: Operation) -> None:
    base, exponent = path.pop(), path.pop_simple()
    gas_per_byte = operation.parameter
    if exponent.constant is not None:
        path.gas += gas_per_byte * ((exponent.constant.bit_length() + 7) // 8)
        if base.constant is not None:
            path.push(constant(pow(base.constant, exponent.constant, UINT_256_CEILING)))
            return
    else:
        path.charge_computed_gas(f"{gas_per_byte} * ({exponent.code}.bit_length() + 7 >> 3)")
    path.push(path.assign(f"pow({base.code}, {exponent.code}, {UINT_256_CEILING:#x})"))


# Storage and logs


def _sload(path: Path, _: Operation) -> None:
    # Before Berlin, and on Rootstock: one price.
    path.settle_gas()
    path.push(path.assign(f"state.get_storage(this, {path.pop().code})"))


def _sload_warm(path: Path, _: Operation) -> None:
    # Since Berlin.
    slot, name = path.pop().code, path.text.new_variable()
    path.add_line(f"{name}, gas = sload_eip2929(c, {slot}, {path.gas_left()})")
    path.push(variable(name))


def _sstore(path: Path, operation: Operation) -> None:
    """SSTORE, by the gas of the hardfork, here bound as `g0`.

    >>> emitted("1 0 SSTORE")
    gas -= 6
    require_not_static(c)
    gas = sstore_eip2929(c, 0, 1, gas, g0)
    return [], gas
    """
    path.settle_gas()
    if operation.forbids_static:
        path.add_line("require_not_static(c)")
    variant, schedule = operation.parameter
    slot, value = path.pop().code, path.pop().code
    name = path.text.bind_object(schedule)
    path.add_line(f"gas = sstore_{variant}(c, {slot}, {value}, gas, {name})")


def _log(path: Path, operation: Operation) -> None:
    path.settle_gas()
    if operation.forbids_static:
        path.add_line("require_not_static(c)")
    start, size = path.pop().code, path.pop().code
    topics = "".join(f"{path.pop().code}, " for _ in range(operation.parameter))
    path.add_line(f"gas = add_log(c, mem, {start}, {size}, gas, ({topics})); size = len(mem)")


# Halting


def _stop(path: Path, _: Operation) -> None:
    path.settle_gas()
    path.add_line("meter.gas_remaining = gas")
    path.add_line("return HALTED")


def _halt_with_output(end: str) -> Emitter:
    def emit(path: Path, _: Operation) -> None:
        offset, size = _pop_range(path)
        path.settle_gas()
        path.add_line(f"c.output = bytes(mem[{offset.code}:{offset.code} + {size.code}])")
        path.add_line("meter.gas_remaining = gas")
        path.add_line(end)

    return emit


EMITTERS: dict[str, Emitter] = {
    "push": _push,
    "pop": lambda path, _: path.pop(),
    "dup": lambda path, operation: path.duplicate(operation.parameter),
    "swap": lambda path, operation: path.swap(operation.parameter),
    "pc": lambda path, _: path.push(constant(path.instruction.pc)),
    "jumpdest": lambda _path, _: None,
    **dict.fromkeys(ARITHMETIC, emit_arithmetic),
    **dict.fromkeys(UNCHANGING, lambda path, op: path.push(expression(*UNCHANGING[op.name]))),
    **dict.fromkeys(CHANGING, _read_changing),
    "gas": _gas,
    "calldataload": _calldataload,
    "calldatacopy": _copy("copy_to_memory(mem, {to}, data, {start}, {size}, {gas})"),
    "codecopy": _copy("copy_to_memory(mem, {to}, code, {start}, {size}, {gas})"),
    "returndatacopy": _returndatacopy,
    "mload": lambda path, _: path.push(path.load_word(path.pop_offset())),
    "mstore": lambda path, _: path.store_word(path.pop_offset(), path.pop()),
    "mstore8": _mstore8,
    "mcopy": _copy("copy_memory(mem, {to}, {start}, {size}, {gas})"),
    "keccak256": _keccak256,
    "exp": _exp,
    "sload": _sload,
    "sload_warm": _sload_warm,
    "sstore": _sstore,
    "log": _log,
    "stop": _stop,
    "return": _halt_with_output("return HALTED"),
    "revert": _halt_with_output("raise Revert(c.output)"),
}
"""By `Operation.name`."""

GUARDED = frozenset({"mload", "mstore", "mstore8", "keccak256", "return", "revert"})
"""Opcodes before which a path may leave the region, because of the offset in memory."""

HALTING = frozenset({"stop", "return", "revert"})  # opcodes after which no other runs
