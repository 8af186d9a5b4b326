"""Opcodes with effects, or that read what may change, written out as Python."""

from __future__ import annotations

from collections.abc import Callable

from devchain.evm.compiler.opcodes import Operation
from devchain.evm.compiler.path import Path
from devchain.evm.compiler.values import Value, constant
from devchain.evm.compiler.words import WORD

ENVIRONMENT: dict[str, tuple[str, int]] = {
    "origin": ("from_bytes(c.transaction_context.origin)", 160),
    "address": ("from_bytes(this)", 160),
    "caller": ("from_bytes(c.msg.sender)", 160),
    "callvalue": ("c.msg.value", 256),
    "calldatasize": ("len(data)", 64),
    "codesize": ("len(c.code)", 64),
    "gasprice": ("c.transaction_context.gas_price", 256),
    "chain_id": ("state.execution_context.chain_id", 256),
    "coinbase": ("from_bytes(state.coinbase)", 160),
    "timestamp": ("state.timestamp", 256),
    "number": ("state.block_number", 256),
    "difficulty": ("state.difficulty", 256),
    "mixhash": ("from_bytes(state.mix_hash)", 256),
    "gaslimit": ("state.gas_limit", 256),
    "basefee": ("state.base_fee", 256),
}
"""What stays the same as long as a message runs: the expression and its bits."""

CHANGING: dict[str, tuple[str, int]] = {
    "msize": ("size", 64),
    "returndatasize": ("len(c.return_data)", 64),
    "selfbalance": ("state.get_balance(this)", 256),
}
"""What is read at once, because it may be another a moment later."""


def _mload(path: Path, operation: Operation) -> None:
    path.spend(operation.gas)
    path.push(path.load(path.pop_simple()))


def _mstore(path: Path, operation: Operation) -> None:
    path.spend(operation.gas)
    path.store(path.pop_simple(), path.pop())


def _mstore8(path: Path, operation: Operation) -> None:
    path.spend(operation.gas)
    offset, value = path.pop_simple(), path.pop()
    path.reach(offset, 1)
    path.line(f"mem[{offset.code}] = {value.code} & 255")
    path.forget_memory()


def _slice(offset: Value, size: int) -> str:
    if offset.constant is None:
        return f"mem[{offset.code}:{offset.code} + {size}]"
    return f"mem[{offset.constant}:{offset.constant + size}]"


def _range(path: Path) -> tuple[Value, Value]:
    """Two operands that say where in memory something is; the memory reaches to its end."""
    offset, size = path.pop_simple(), path.pop_simple()
    if size.constant is not None:
        if size.constant:
            path.reach(offset, size.constant)
    else:
        end = f"{offset.code} + {size.code}"
        path.line(f"if {size.code} and {end} > size: gas = grow(mem, {end}, gas); size = len(mem)")
    return offset, size


def _sha3(path: Path, operation: Operation) -> None:
    path.spend(operation.gas)
    offset, size = _range(path)
    if size.constant is not None:
        path.spend(6 * ((size.constant + 31) // 32))
        where = _slice(offset, size.constant)
    else:
        _charge(path, f"6 * ({size.code} + 31 >> 5)")
        where = f"mem[{offset.code}:{offset.code} + {size.code}]"
    path.push(path.assign(f"from_bytes(keccak_256({where}).digest())"))


def _charge(path: Path, price: str) -> None:
    """Charge a price that is known only now."""
    path.line(f"gas -= {price}")
    path.line("if gas < 0: raise out_of_gas()")


def _exp(path: Path, operation: Operation) -> None:
    path.spend(operation.gas)
    base, exponent = path.pop(), path.pop_simple()
    per_byte = operation.parameter
    if exponent.constant is not None:
        path.spend(per_byte * ((exponent.constant.bit_length() + 7) // 8))
        if base.constant is not None:
            path.push(constant(pow(base.constant, exponent.constant, WORD)))
            return
    else:
        _charge(path, f"{per_byte} * ({exponent.code}.bit_length() + 7 >> 3)")
    path.push(path.assign(f"pow({base.code}, {exponent.code}, {WORD:#x})"))


def _calldataload(path: Path, operation: Operation) -> None:
    path.spend(operation.gas)
    start = path.pop_simple()
    end = start.constant + 32 if start.constant is not None else f"{start.code} + 32"
    path.push(Value(f"from_bytes(data[{start.code}:{end}].ljust(32, ZERO))"))


def _copying(source: str) -> Callable[[Path, Operation], None]:
    def emit(path: Path, operation: Operation) -> None:
        path.spend(operation.gas)
        to, start, size = (path.pop().code for _ in range(3))
        path.line(f"gas = copy(mem, {to}, {source}, {start}, {size}, gas); size = len(mem)")
        path.forget_memory()

    return emit


def _mcopy(path: Path, operation: Operation) -> None:
    path.spend(operation.gas)
    to, start, size = (path.pop().code for _ in range(3))
    path.line(f"gas = copy_within(mem, {to}, {start}, {size}, gas); size = len(mem)")
    path.forget_memory()


def _returndatacopy(path: Path, operation: Operation) -> None:
    path.spend(operation.gas)
    path.settle()
    operands = ", ".join(["c.return_data", *(path.pop().code for _ in range(3))])
    path.line(f"gas = copy_returned(mem, gas, {operands}); size = len(mem)")
    path.forget_memory()


def _log(path: Path, operation: Operation) -> None:
    path.spend(operation.gas)
    path.settle()
    if operation.no_static:
        path.line("refuse_static(c)")
    start, size = path.pop().code, path.pop().code
    topics = "".join(f"{path.pop().code}, " for _ in range(operation.parameter))
    path.line(f"gas = log(c, mem, {start}, {size}, gas, ({topics})); size = len(mem)")


def _sload(path: Path, operation: Operation) -> None:
    path.spend(operation.gas)
    slot = path.pop().code
    path.push(path.assign(f"state.get_storage(this, {slot})"))


def _sload_access(path: Path, operation: Operation) -> None:
    path.spend(operation.gas)
    slot, fresh = path.pop().code, path.source.fresh()
    path.line(f"{fresh}, gas = sload_access(c, {slot}, gas)")
    path.push(Value(fresh, is_name=True))


def _sstore(path: Path, operation: Operation) -> None:
    path.spend(operation.gas)
    path.settle()
    if operation.no_static:
        path.line("refuse_static(c)")
    kind, schedule = operation.parameter
    slot, value = path.pop().code, path.pop().code
    bound = path.source.bind(schedule)
    path.line(f"gas = sstore_{kind}(c, {slot}, {value}, gas, {bound})")


def _gas(path: Path, operation: Operation) -> None:
    path.spend(operation.gas)
    path.settle()
    path.push(path.assign("gas"))  # a message can have more than 64 bits of it


def _return(path: Path, operation: Operation) -> None:
    _output(path, operation)
    path.line("return HALTED")


def _revert(path: Path, operation: Operation) -> None:
    _output(path, operation)
    path.line("raise Revert(c.output)")


def _output(path: Path, operation: Operation) -> None:
    path.spend(operation.gas)
    offset, size = _range(path)
    path.line(f"c.output = bytes(mem[{offset.code}:{offset.code} + {size.code}])")
    path.line("meter.gas_remaining = gas")


def _stop(path: Path, operation: Operation) -> None:
    path.spend(operation.gas)
    path.line("meter.gas_remaining = gas")
    path.line("return HALTED")


def _reading(expression: str, bits: int) -> Callable[[Path, Operation], None]:
    def emit(path: Path, operation: Operation) -> None:
        path.spend(operation.gas)
        path.push(Value(expression, bits=bits))

    return emit


def _reading_now(expression: str, bits: int) -> Callable[[Path, Operation], None]:
    def emit(path: Path, operation: Operation) -> None:
        path.spend(operation.gas)
        path.push(path.assign(expression, bits))

    return emit


INLINE: dict[str, Callable[[Path, Operation], None]] = {
    **{key: _reading(*what) for key, what in ENVIRONMENT.items()},
    **{key: _reading_now(*what) for key, what in CHANGING.items()},
    "mload": _mload,
    "mstore": _mstore,
    "mstore8": _mstore8,
    "mcopy": _mcopy,
    "sha3": _sha3,
    "exp": _exp,
    "calldataload": _calldataload,
    "calldatacopy": _copying("data"),
    "codecopy": _copying("code"),
    "returndatacopy": _returndatacopy,
    "log": _log,
    "sload": _sload,
    "sload_eip2929": _sload_access,
    "sstore": _sstore,
    "gas": _gas,
}

ENDINGS: dict[str, Callable[[Path, Operation], None]] = {
    "stop": _stop,
    "return_op": _return,
    "revert": _revert,
}
"""Opcodes after which nothing runs."""
