"""Arithmetic, comparison and bitwise opcodes on words at compile time.

Operations on constants are computed when the code is compiled. On other words they become Python
expressions, simplified by what is known about the operands: a result that cannot have more than
256 bits is not reduced, a condition is not turned into 0 or 1 if it is only tested.

    >>> emitted("2 3 MUL")
    return [6], gas - 11
    >>> emitted("0xff AND 0xff AND 256 MUL")  # the second AND changes nothing, MUL cannot overflow
    a1, = stack[base:]
    return [(256 * (255 & a1))], gas - 20
    >>> emitted("LT ISZERO")
    a2, a1, = stack[base:]
    return [(+(not (a1 < a2)))], gas - 6
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from eth.constants import UINT_256_CEILING, UINT_256_MAX

from devchain.evm.compiler import runtime
from devchain.evm.compiler.codegen import (
    Facts,
    Origin,
    Path,
    Range,
    Sum,
    Value,
    condition,
    constant,
    expression,
    reduced,
)
from devchain.evm.compiler.instructions import Operation
from devchain.evm.compiler.runtime import SIGN_BIT


def emit_arithmetic(path: Path, operation: Operation) -> None:
    """Push the result of an operation on the top words: a constant, or an expression."""
    opcode = ARITHMETIC[operation.name]
    operands = [path.pop() for _ in range(opcode.operands)]
    check = _OVERFLOW_CHECKS.get(operation.name)
    checked = check(*operands) if check else None
    if checked is not None:
        path.push(checked)
        return
    if operation.name not in _SUMS:
        operands = [path.reduce(operand) for operand in operands]
    for place in opcode.used_twice:
        operands[place] = path.evaluate(operands[place])
    constants = [operand.constant for operand in operands]
    if None in constants:
        path.push(opcode.expression(*operands))
    else:
        path.push(constant(opcode.compute(*constants)))


_SUMS = frozenset({"add", "sub"})  # the same for operands that were not reduced to 256 bits

# Checks that a sum, difference or product is exact. Solidity writes `z = x + y` and `x > z`,
# `z = x - y` and `z > x`, `z = x * y` and `!x || z / x == y`. Instead the total is compared, and
# where the check has passed it is known to be the word. Each function returns None if its operands
# are no such check.


def _compared(a: Value, b: Value) -> Value | None:
    # The check of a sum or difference: `a > b`.
    if b.origin and b.origin.operation == "add" and a.code in b.origin.operands:
        if not b.total:
            return constant(0)
        fact = _facts(b.total, b.total_range[0], UINT_256_MAX)
        return condition(f"{b.total} > {UINT_256_MAX:#x}", if_false=fact)
    if a.origin and a.origin.operation == "sub" and b.code == a.origin.operands[0]:
        if not a.total:
            return constant(0)
        return condition(f"{a.total} < 0", if_false=_facts(a.total, 0, b.maximum))
    return None


def _divided(a: Value, b: Value) -> Value | None:
    if not a.origin or a.origin.operation != "mul" or not b.is_simple:
        return None
    one, other = a.origin.operands
    if b.code not in {one, other}:
        return None
    operands = (other, one) if b.code == one else (one, other)
    operation = "exact quotient" if b.minimum else "quotient"
    return replace(_div(a, b), origin=Origin(operation, operands, a.total))


def _equal_quotient(a: Value, b: Value) -> Value | None:
    """The check of a product: that the quotient is the other factor.

    >>> emitted("DUP2 DUP2 MUL DUP2 ISZERO DUP2 DUP4 SWAP1 DIV DUP5 EQ OR ISZERO 99 JUMPI")
    a2, a1, = stack[base:]
    t1 = a1 * a2
    if not (not (t1 <= 0xff...ff)):
     return leave(stack, base, [a2, a1, t1], meter, gas - 56, 16)
    gas -= 56
    raise jump_error(code, 99)
    """
    for one, other in ((a, b), (b, a)):
        found = other.origin
        if found is None or one.code != found.operands[0]:
            continue
        if found.operation == "exact quotient":
            return _is_word(found.total)
        if found.operation == "quotient":
            return replace(_eq(one, other), origin=replace(found, operation="equal quotient"))
    return None


def _zero_or_equal_quotient(a: Value, b: Value) -> Value | None:
    for one, other in ((a, b), (b, a)):
        found = other.origin
        is_check = found is not None and found.operation == "equal quotient"
        if found and is_check and one.flag == f"(not {found.operands[1]})":
            return _is_word(found.total)
    return None


def _is_word(total: str) -> Value:
    # The condition that a product has no more than 256 bits; "" is one that never has more.
    if not total:
        return constant(1)
    return condition(f"{total} <= {UINT_256_MAX:#x}", _facts(total, 0, UINT_256_MAX))


def _facts(name: str, low: int, high: int) -> Facts:
    return ((name, low, high),) if name.isidentifier() else ()


_OVERFLOW_CHECKS: dict[str, Callable[..., Value | None]] = {
    "gt": _compared,
    "lt": lambda a, b: _compared(b, a),
    "div": _divided,
    "eq": _equal_quotient,
    "or": _zero_or_equal_quotient,
}


# Expressions. Each function takes the operands, the top of the stack first, of which one at least
# is no constant, and uses an operand once, unless `used_twice` in ARITHMETIC lists it.


def _add(a: Value, b: Value) -> Value:
    """ADD; compilers write `x - 1` as `x + 2**256 - 1`.

    >>> emitted(f"{2**256 - 1} ADD 7 ADD")
    a1, = stack[base:]
    return [(a1 + 6 & 0xff...ff)], gas - 12
    """
    for one, other in ((a, b), (b, a)):
        if one.constant is None:
            continue
        if one.constant >= SIGN_BIT:
            return _sub(other, constant(UINT_256_CEILING - one.constant))
        if one.constant == 0:
            return other
    low = a.addend_range[0] + b.addend_range[0]
    high = a.addend_range[1] + b.addend_range[1]
    total = a.sum.plus(b.sum) if a.sum else None
    return _total("add", (a, b), (low, high), total)


def _sub(a: Value, b: Value) -> Value:
    # `&` makes Python's negative numbers two's complement.
    if b.constant == 0:
        return a
    low = a.addend_range[0] - b.addend_range[1]
    high = a.addend_range[1] - b.addend_range[0]
    total = a.sum.plus(b.sum, -1) if a.sum else None
    return _total("sub", (a, b), (low, high), total)


def _total(operation: str, operands: tuple[Value, Value], found: Range, total: Sum | None) -> Value:
    # A check for overflow is about operands that are reduced themselves.
    one, other = operands
    code = f"{one.addend} {'+' if operation == 'add' else '-'} {other.addend}"
    if total is not None and len(total.terms) == 1 and total.terms[0][1] == 1:
        name, number = total.terms[0][0], total.constant
        code = f"{name} + {number}" if number > 0 else f"{name} - {-number}" if number else name
    has_totals = one.total or other.total
    origin = None if has_totals else Origin(operation, (one.code, other.code))
    return reduced(code, found, total, origin)


def _mul(a: Value, b: Value) -> Value:
    if 1 in (a.constant, b.constant):
        return b if a.constant == 1 else a
    if 0 in (a.constant, b.constant):
        return constant(0)
    return _product(f"{a.code} * {b.code}", a, b)


def _product(code: str, a: Value, b: Value) -> Value:
    total = None
    for one, other in ((a, b), (b, a)):
        if one.constant is not None and other.sum is not None and not other.total:
            total = Sum().plus(other.sum, one.constant)
    found = a.minimum * b.minimum, a.maximum * b.maximum
    return reduced(code, found, total, Origin("mul", (a.code, b.code)))


def _div(a: Value, b: Value) -> Value:
    if b.constant == 0:
        return constant(0)
    if b.constant == 1:
        return a
    if not b.minimum:
        return Value(f"({a.code} // {b.code} if {b.code} else 0)", range=(0, a.maximum))
    found = a.minimum // b.maximum, a.maximum // b.minimum
    return Value(f"({a.code} // {b.code})", range=found)


def _mod(a: Value, b: Value) -> Value:
    if b.constant in {0, 1}:
        return constant(0)
    if a.maximum < b.minimum:
        return a
    found = 0, min(a.maximum, b.maximum)
    if not b.minimum:
        return Value(f"({a.code} % {b.code} if {b.code} else 0)", range=found)
    return Value(f"({a.code} % {b.code})", range=(0, min(a.maximum, b.maximum - 1)))


def _and(a: Value, b: Value) -> Value:
    for one, other in ((a, b), (b, a)):
        is_mask = one.constant is not None and one.constant & (one.constant + 1) == 0
        if is_mask and other.bits <= one.bits:
            return other  # it has no bits that the mask could clear
    if a.flag and b.flag:
        return condition(f"{a.flag} and {b.flag}", if_true=a.if_true + b.if_true)
    return Value(f"({a.code} & {b.code})", range=(0, min(a.maximum, b.maximum)))


def _or(a: Value, b: Value) -> Value:
    if 0 in (a.constant, b.constant):
        return b if a.constant == 0 else a
    if a.flag and b.flag:
        return condition(f"{a.flag} or {b.flag}", if_false=a.if_false + b.if_false)
    return expression(f"({a.code} | {b.code})", max(a.bits, b.bits))


def _not(a: Value) -> Value:
    found = UINT_256_MAX - a.maximum, UINT_256_MAX - a.minimum
    return Value(f"({a.code} ^ {UINT_256_MAX:#x})", range=found)


def _shl(shift: Value, a: Value) -> Value:
    if shift.constant is None:
        return Value(f"({a.code} << {shift.code} & {UINT_256_MAX:#x} if {shift.code} < 256 else 0)")
    if shift.constant >= 256:
        return constant(0)
    if shift.constant == 0:
        return a
    return _product(f"{a.code} << {shift.code}", a, constant(1 << shift.constant))


def _shr(shift: Value, a: Value) -> Value:
    if shift.constant is None:
        return Value(
            f"({a.code} >> {shift.code} if {shift.code} < 256 else 0)", range=(0, a.maximum)
        )
    if shift.constant == 0:
        return a
    if shift.constant >= a.bits:
        return constant(0)
    found = a.minimum >> shift.constant, a.maximum >> shift.constant
    return Value(f"({a.code} >> {shift.code})", range=found)


def _byte(place: Value, a: Value) -> Value:
    if place.constant is None:
        return expression(f"byte({place.code}, {a.code})", 8)
    if place.constant >= 32:
        return constant(0)
    return expression(f"({a.code} >> {248 - 8 * place.constant} & 255)", 8)


def _lt(a: Value, b: Value) -> Value:
    """LT; a counter that is below something can be incremented without overflow.

    >>> emitted("DUP2 DUP2 LT ISZERO 99 JUMPI 1 ADD")
    a2, a1, = stack[base:]
    if (not (a1 < a2)):
     gas -= 25
     raise jump_error(code, 99)
    return [a2, (a1 + 1)], gas - 31
    """
    if a.maximum < b.minimum:
        return constant(1)
    if a.minimum >= b.maximum:
        return constant(0)
    return condition(
        f"{a.code} < {b.code}",
        _at_most(a, b.maximum - 1) + _at_least(b, a.minimum + 1),
        _at_least(a, b.minimum) + _at_most(b, a.maximum),
    )


def _gt(a: Value, b: Value) -> Value:
    if a.minimum > b.maximum:
        return constant(1)
    if a.maximum <= b.minimum:
        return constant(0)
    return condition(
        f"{a.code} > {b.code}",
        _at_least(a, b.minimum + 1) + _at_most(b, a.maximum - 1),
        _at_most(a, b.maximum) + _at_least(b, a.minimum),
    )


def _at_most(a: Value, limit: int) -> Facts:
    return ((a.code, 0, limit),) if a.is_variable and not a.flag else ()


def _at_least(a: Value, limit: int) -> Facts:
    return ((a.code, limit, UINT_256_MAX),) if a.is_variable and not a.flag else ()


def _slt(a: Value, b: Value) -> Value:
    # With the sign bit flipped, signed numbers compare as unsigned ones do.
    return condition(f"{_sign_flipped(a)} < {_sign_flipped(b)}")


def _sign_flipped(a: Value) -> str:
    return hex(a.constant ^ SIGN_BIT) if a.constant is not None else f"({a.code} ^ {SIGN_BIT:#x})"


def _eq(a: Value, b: Value) -> Value:
    for one, other in ((a, b), (b, a)):
        if one.constant == 0:
            return _iszero(other)
        if one.maximum < other.minimum:
            return constant(0)
    low, high = max(a.minimum, b.minimum), min(a.maximum, b.maximum)
    return condition(
        f"{a.code} == {b.code}",
        _at_least(a, low) + _at_most(a, high) + _at_least(b, low) + _at_most(b, high),
        _not_equal(a, b.constant) + _not_equal(b, a.constant),
    )


def _not_equal(a: Value, number: int | None) -> Facts:
    if number == a.maximum:
        return _at_most(a, number - 1)
    return _at_least(a, number + 1) if number == a.minimum else ()


def _iszero(a: Value) -> Value:
    if a.minimum:
        return constant(0)
    if a.flag:
        return condition(f"not {a.flag}", a.if_false, a.if_true)
    return condition(f"not {a.code}", _at_most(a, 0), _at_least(a, 1))


def _call(function: str) -> Callable[..., Value]:

    def call(*operands: Value) -> Value:
        return Value(f"{function}({', '.join(operand.code for operand in operands)})")

    return call


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
    "and": Arithmetic(2, _and, lambda a, b: a & b),
    "or": Arithmetic(2, _or, lambda a, b: a | b),
    "xor": Arithmetic(
        2,
        lambda a, b: expression(f"({a.code} ^ {b.code})", max(a.bits, b.bits)),
        lambda a, b: a ^ b,
    ),
    "not": Arithmetic(1, _not, lambda a: a ^ UINT_256_MAX),
    "shl": Arithmetic(
        2, _shl, lambda s, a: a << s & UINT_256_MAX if s < 256 else 0, used_twice=(0,)
    ),
    "shr": Arithmetic(2, _shr, lambda s, a: a >> s if s < 256 else 0, used_twice=(0,)),
    "sar": Arithmetic(2, _call("sar"), runtime.sar),
    "byte": Arithmetic(2, _byte, runtime.byte),
    "lt": Arithmetic(2, _lt, lambda a, b: +(a < b)),
    "gt": Arithmetic(2, _gt, lambda a, b: +(a > b)),
    "slt": Arithmetic(2, _slt, lambda a, b: +(a ^ SIGN_BIT < b ^ SIGN_BIT)),
    "sgt": Arithmetic(2, lambda a, b: _slt(b, a), lambda a, b: +(a ^ SIGN_BIT > b ^ SIGN_BIT)),
    "eq": Arithmetic(2, _eq, lambda a, b: +(a == b)),
    "iszero": Arithmetic(1, _iszero, lambda a: +(not a)),
    "clz": Arithmetic(
        1, lambda a: expression(f"(256 - {a.code}.bit_length())", 9), lambda a: 256 - a.bit_length()
    ),
}
"""Opcodes without effects, by the names of py-evm's functions."""
