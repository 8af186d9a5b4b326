"""What the compiler knows of a word on the stack, and how it computes with such words.

A word is a constant, the name of a Python variable, or a Python expression that has not been
evaluated yet, because nobody has needed it. Expressions have no effects and read nothing that
changes, so they may be evaluated late, or never.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from devchain.evm.compiler import words

WORD = 2**256
MASK = WORD - 1
_SIGN = 2**255


@dataclass(frozen=True, slots=True)
class Value:
    """A word of the stack at compile time.

    `code` is its Python expression, `flag` a Python condition that holds when the word is 1 and
    fails when it is 0, `total` what `code` cuts down to a word, if it is a sum: sums of sums are
    cut down once. `bits` is how many bits it has at most.
    """

    code: str
    constant: int | None = None
    is_name: bool = False
    flag: str = ""
    total: str = ""
    bits: int = 256

    @property
    def is_simple(self) -> bool:
        """Whether it costs nothing to mention it twice."""
        return self.is_name or self.constant is not None

    @property
    def addend(self) -> str:
        """Its expression as a part of a sum."""
        return f"({self.total})" if self.total else self.code

    @property
    def truth(self) -> str:
        """A Python condition: the word is not 0."""
        return self.flag or self.code


def constant(number: int) -> Value:
    """A word that is known."""
    code = str(number) if number < 10**6 else hex(number)
    return Value(code, number, bits=number.bit_length())


def name(text: str, bits: int = 256) -> Value:
    """A word in a Python variable."""
    return Value(text, is_name=True, bits=bits)


def named_flag(text: str) -> Value:
    """A word that is 0 or 1, in a Python variable that holds False or True."""
    return Value(f"(+{text})", is_name=True, flag=text, bits=1)


def condition(text: str) -> Value:
    """A word that is 1 if that Python condition holds, else 0."""
    return Value(f"(+({text}))", flag=f"({text})", bits=1)


def _masked(code: str, bits: int) -> Value:
    """An expression that may have more bits than a word."""
    return Value(f"({code})", bits=bits) if bits <= 256 else Value(f"({code} & {MASK:#x})")


# Each takes its operands, the top of the stack first; none of them evaluates an operand twice
# that is not simple, which is why some want `simple` operands (see TWICE).


def _add(a: Value, b: Value) -> Value:
    for one, other in ((a, b), (b, a)):
        if one.constant is None:
            continue
        if one.constant >= _SIGN:  # what compilers write to subtract
            return _sum(f"{other.addend} - {WORD - one.constant}", 257)
        if one.constant == 0:
            return other
    return _sum(f"{a.addend} + {b.addend}", max(a.bits, b.bits) + 1)


def _sub(a: Value, b: Value) -> Value:
    return a if b.constant == 0 else _sum(f"{a.addend} - {b.addend}", 257)


def _sum(code: str, bits: int) -> Value:
    if bits <= 256:
        return Value(f"({code})", bits=bits)
    return Value(f"({code} & {MASK:#x})", total=code)


def _mul(a: Value, b: Value) -> Value:
    if 1 in (a.constant, b.constant):
        return b if a.constant == 1 else a
    return _masked(f"{a.code} * {b.code}", a.bits + b.bits)


def _div(a: Value, b: Value) -> Value:
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
            return other  # it has no bits that the mask could take
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
    return Value(f"({a.code} ^ {MASK:#x})")


def _shl(shift: Value, a: Value) -> Value:
    if shift.constant is None:
        return Value(f"({a.code} << {shift.code} & {MASK:#x} if {shift.code} < 256 else 0)")
    if shift.constant >= 256:
        return constant(0)
    return _masked(f"{a.code} << {shift.code}", a.bits + shift.constant)


def _shr(shift: Value, a: Value) -> Value:
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
    return condition(f"{_signed(a)} < {_signed(b)}")


def _sgt(a: Value, b: Value) -> Value:
    return condition(f"{_signed(a)} > {_signed(b)}")


def _signed(a: Value) -> str:
    """An expression that compares as the word does when its top bit is its sign."""
    return hex(a.constant ^ _SIGN) if a.constant is not None else f"({a.code} ^ {_SIGN:#x})"


def _eq(a: Value, b: Value) -> Value:
    for one, other in ((a, b), (b, a)):
        if one.constant == 0:
            return _iszero(other)
    return condition(f"{a.code} == {b.code}")


def _iszero(a: Value) -> Value:
    return condition(f"not {a.truth}")


def _called(function: str) -> Callable[..., Value]:
    def call(*operands: Value) -> Value:
        return Value(f"{function}({', '.join(each.code for each in operands)})")

    return call


PURE: dict[str, tuple[int, Callable[..., Value], Callable[..., int]]] = {
    "add": (2, _add, lambda a, b: a + b & MASK),
    "sub": (2, _sub, lambda a, b: a - b & MASK),
    "mul": (2, _mul, lambda a, b: a * b & MASK),
    "div": (2, _div, lambda a, b: a // b if b else 0),
    "mod": (2, _mod, lambda a, b: a % b if b else 0),
    "sdiv": (2, _called("sdiv"), words.sdiv),
    "smod": (2, _called("smod"), words.smod),
    "addmod": (3, _called("addmod"), words.addmod),
    "mulmod": (3, _called("mulmod"), words.mulmod),
    "signextend": (2, _called("signextend"), words.signextend),
    "and_op": (2, _and, lambda a, b: a & b),
    "or_op": (2, _or, lambda a, b: a | b),
    "xor": (2, _xor, lambda a, b: a ^ b),
    "not_op": (1, _not, lambda a: a ^ MASK),
    "shl": (2, _shl, lambda s, a: a << s & MASK if s < 256 else 0),
    "shr": (2, _shr, lambda s, a: a >> s if s < 256 else 0),
    "sar": (2, _called("sar"), words.sar),
    "byte_op": (2, _byte, words.byte),
    "lt": (2, _lt, lambda a, b: +(a < b)),
    "gt": (2, _gt, lambda a, b: +(a > b)),
    "slt": (2, _slt, lambda a, b: +(a ^ _SIGN < b ^ _SIGN)),
    "sgt": (2, _sgt, lambda a, b: +(a ^ _SIGN > b ^ _SIGN)),
    "eq": (2, _eq, lambda a, b: +(a == b)),
    "iszero": (1, _iszero, lambda a: +(not a)),
}
"""Operations without effects: how many operands, the expression, the result of constants."""

TWICE: dict[str, tuple[int, ...]] = {"div": (1,), "mod": (1,), "shl": (0,), "shr": (0,)}
"""Operands that an expression mentions twice: these have to be simple."""
