"""Arithmetic, comparison and bitwise opcodes on words at compile time.

Operations on constants are computed when the code is compiled. On other words they become Python
expressions, simplified by what is known about the operands: a result that cannot have more than
256 bits is not reduced, a condition is not turned into 0 or 1 if it is only tested.

    >>> emitted("2 3 MUL")
    gas -= 11
    stack[base:] = [6]
    >>> emitted("0xff AND 0xff AND 256 MUL")  # the second AND changes nothing, MUL cannot overflow
    a1, = stack[base:]
    gas -= 20
    stack[base:] = [(256 * (255 & a1))]
    >>> emitted("LT ISZERO")
    a2, a1, = stack[base:]
    gas -= 6
    stack[base:] = [(+(not (a1 < a2)))]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from eth.constants import UINT_256_CEILING, UINT_256_MAX

from devchain.evm.compiler import runtime
from devchain.evm.compiler.codegen import Path, Value, condition, constant
from devchain.evm.compiler.instructions import Operation
from devchain.evm.compiler.runtime import SIGN_BIT


def emit_arithmetic(path: Path, operation: Operation) -> None:
    """Push the result of an operation on the top words: a constant, or an expression."""
    path.charge_gas(operation.gas)
    opcode = ARITHMETIC[operation.name]
    operands = [
        path.pop_simple() if place in opcode.used_twice else path.pop()
        for place in range(opcode.operands)
    ]
    constants = [each.constant for each in operands]
    if None in constants:
        path.push(opcode.expression(*operands))
    else:
        path.push(constant(opcode.compute(*constants)))


# Expressions. Each function takes the operands, the top of the stack first, of which one at least
# is no constant, and uses an operand once, unless `used_twice` in ARITHMETIC lists it.


def _add(a: Value, b: Value) -> Value:
    """ADD; compilers write `x - 1` as `x + 2**256 - 1`.

    >>> emitted(f"{2**256 - 1} ADD 7 ADD")
    a1, = stack[base:]
    gas -= 12
    stack[base:] = [(7 + (a1 - 1) & 0xff...ff)]
    """
    for one, other in ((a, b), (b, a)):
        if one.constant is None:
            continue
        if one.constant >= SIGN_BIT:
            return _sum(f"{other.addend} - {UINT_256_CEILING - one.constant}", 257)
        if one.constant == 0:
            return other
    return _sum(f"{a.addend} + {b.addend}", max(a.bits, b.bits) + 1)


def _sub(a: Value, b: Value) -> Value:
    """SUB; `&` makes Python's negative numbers two's complement.

    >>> emitted("SUB")
    a2, a1, = stack[base:]
    gas -= 3
    stack[base:] = [(a1 - a2 & 0xff...ff)]
    """
    return a if b.constant == 0 else _sum(f"{a.addend} - {b.addend}", 257)


def _sum(code: str, bits: int) -> Value:
    if bits <= 256:
        return Value(f"({code})", bits=bits)
    return Value(f"({code} & {UINT_256_MAX:#x})", total=code)


def _mul(a: Value, b: Value) -> Value:
    if 1 in (a.constant, b.constant):
        return b if a.constant == 1 else a
    return _reduced(f"{a.code} * {b.code}", a.bits + b.bits)


def _reduced(code: str, bits: int) -> Value:
    """The expression modulo 2**256, if it may have more bits."""
    if bits <= 256:
        return Value(f"({code})", bits=bits)
    return Value(f"({code} & {UINT_256_MAX:#x})")


def _div(a: Value, b: Value) -> Value:
    """DIV; a divisor that is known not to be 0 is not tested.

    >>> emitted("CALLER DIV")
    a1, = stack[base:]
    gas -= 7
    stack[base:] = [(from_bytes(c.msg.sender) // a1 if a1 else 0)]
    """
    if b.constant is None:
        return Value(f"({a.code} // {b.code} if {b.code} else 0)", bits=a.bits)
    return Value(f"({a.code} // {b.code})", bits=a.bits) if b.constant else constant(0)


def _mod(a: Value, b: Value) -> Value:
    if b.constant is None:
        return Value(f"({a.code} % {b.code} if {b.code} else 0)", bits=b.bits)
    return Value(f"({a.code} % {b.code})", bits=b.bits) if b.constant else constant(0)


def _and(a: Value, b: Value) -> Value:
    for one, other in ((a, b), (b, a)):
        is_mask = one.constant is not None and one.constant & (one.constant + 1) == 0
        if is_mask and other.bits <= one.bits:
            return other  # it has no bits that the mask could clear
    return Value(f"({a.code} & {b.code})", bits=min(a.bits, b.bits))


def _or(a: Value, b: Value) -> Value:
    if 0 in (a.constant, b.constant):
        return b if a.constant == 0 else a
    if a.flag and b.flag:
        return condition(f"{a.flag} or {b.flag}")
    return Value(f"({a.code} | {b.code})", bits=max(a.bits, b.bits))


def _xor(a: Value, b: Value) -> Value:
    return Value(f"({a.code} ^ {b.code})", bits=max(a.bits, b.bits))


def _not(a: Value) -> Value:
    return Value(f"({a.code} ^ {UINT_256_MAX:#x})")


def _shl(shift: Value, a: Value) -> Value:
    if shift.constant is None:
        return Value(f"({a.code} << {shift.code} & {UINT_256_MAX:#x} if {shift.code} < 256 else 0)")
    if shift.constant >= 256:
        return constant(0)
    return _reduced(f"{a.code} << {shift.code}", a.bits + shift.constant)


def _shr(shift: Value, a: Value) -> Value:
    """SHR; how Solidity reads the selector of a call.

    >>> emitted("0 CALLDATALOAD 224 SHR")
    data = c.msg.data
    gas -= 12
    stack[base:] = [(from_bytes(data[0:32].ljust(32, ZERO)) >> 224)]
    """
    if shift.constant is None:
        return Value(f"({a.code} >> {shift.code} if {shift.code} < 256 else 0)", bits=a.bits)
    if shift.constant >= a.bits:
        return constant(0)
    return Value(f"({a.code} >> {shift.code})", bits=a.bits - shift.constant)


def _byte(place: Value, a: Value) -> Value:
    if place.constant is None:
        return Value(f"byte({place.code}, {a.code})", bits=8)
    if place.constant >= 32:
        return constant(0)
    return Value(f"({a.code} >> {248 - 8 * place.constant} & 255)", bits=8)


def _lt(a: Value, b: Value) -> Value:
    return condition(f"{a.code} < {b.code}")


def _gt(a: Value, b: Value) -> Value:
    return condition(f"{a.code} > {b.code}")


def _slt(a: Value, b: Value) -> Value:
    """SLT; with the sign bit flipped, signed numbers compare as unsigned ones do.

    >>> emitted("SLT")
    a2, a1, = stack[base:]
    gas -= 3
    stack[base:] = [(+((a1 ^ 0x80...00) < (a2 ^ 0x80...00)))]
    """
    return condition(f"{_sign_flipped(a)} < {_sign_flipped(b)}")


def _sgt(a: Value, b: Value) -> Value:
    return condition(f"{_sign_flipped(a)} > {_sign_flipped(b)}")


def _sign_flipped(a: Value) -> str:
    return hex(a.constant ^ SIGN_BIT) if a.constant is not None else f"({a.code} ^ {SIGN_BIT:#x})"


def _eq(a: Value, b: Value) -> Value:
    for one, other in ((a, b), (b, a)):
        if one.constant == 0:
            return _iszero(other)
    return condition(f"{a.code} == {b.code}")


def _iszero(a: Value) -> Value:
    return condition(f"not {a.truth}")


def _count_leading_zeros(a: Value) -> Value:
    """CLZ, of Osaka.

    >>> emitted("CLZ", "osaka")
    a1, = stack[base:]
    gas -= 5
    stack[base:] = [(256 - a1.bit_length())]
    """
    return Value(f"(256 - {a.code}.bit_length())", bits=9)


def _call(function: str) -> Callable[..., Value]:
    """An opcode that is compiled to a call of a function of `runtime`."""

    def expression(*operands: Value) -> Value:
        return Value(f"{function}({', '.join(each.code for each in operands)})")

    return expression


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """An opcode without effects.

    `expression` returns the result for symbolic operands, `compute` for numbers; `used_twice` are
    the indexes of operands that the expression uses twice, which have to be simple.
    """

    operands: int
    expression: Callable[..., Value]
    compute: Callable[..., int]
    used_twice: tuple[int, ...] = ()


ARITHMETIC: dict[str, Arithmetic] = {
    "add": Arithmetic(2, _add, lambda a, b: a + b & UINT_256_MAX),
    "sub": Arithmetic(2, _sub, lambda a, b: a - b & UINT_256_MAX),
    "mul": Arithmetic(2, _mul, lambda a, b: a * b & UINT_256_MAX),
    "div": Arithmetic(2, _div, lambda a, b: a // b if b else 0, used_twice=(1,)),
    "mod": Arithmetic(2, _mod, lambda a, b: a % b if b else 0, used_twice=(1,)),
    "sdiv": Arithmetic(2, _call("sdiv"), runtime.sdiv),
    "smod": Arithmetic(2, _call("smod"), runtime.smod),
    "addmod": Arithmetic(3, _call("addmod"), runtime.addmod),
    "mulmod": Arithmetic(3, _call("mulmod"), runtime.mulmod),
    "signextend": Arithmetic(2, _call("signextend"), runtime.signextend),
    "and_op": Arithmetic(2, _and, lambda a, b: a & b),
    "or_op": Arithmetic(2, _or, lambda a, b: a | b),
    "xor": Arithmetic(2, _xor, lambda a, b: a ^ b),
    "not_op": Arithmetic(1, _not, lambda a: a ^ UINT_256_MAX),
    "shl": Arithmetic(
        2, _shl, lambda s, a: a << s & UINT_256_MAX if s < 256 else 0, used_twice=(0,)
    ),
    "shr": Arithmetic(2, _shr, lambda s, a: a >> s if s < 256 else 0, used_twice=(0,)),
    "sar": Arithmetic(2, _call("sar"), runtime.sar),
    "byte_op": Arithmetic(2, _byte, runtime.byte),
    "lt": Arithmetic(2, _lt, lambda a, b: +(a < b)),
    "gt": Arithmetic(2, _gt, lambda a, b: +(a > b)),
    "slt": Arithmetic(2, _slt, lambda a, b: +(a ^ SIGN_BIT < b ^ SIGN_BIT)),
    "sgt": Arithmetic(2, _sgt, lambda a, b: +(a ^ SIGN_BIT > b ^ SIGN_BIT)),
    "eq": Arithmetic(2, _eq, lambda a, b: +(a == b)),
    "iszero": Arithmetic(1, _iszero, lambda a: +(not a)),
    "count_leading_zeros": Arithmetic(1, _count_leading_zeros, lambda a: 256 - a.bit_length()),
}
"""Opcodes without effects, by the names of py-evm's functions."""
