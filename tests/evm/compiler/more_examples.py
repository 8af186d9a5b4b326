"""What the compiler writes for single opcodes, as examples that `test_examples` runs."""

from __future__ import annotations

__test__ = {
    "check of a product": """
    >>> emitted("DUP2 DUP2 MUL DUP2 ISZERO DUP2 DUP4 SWAP1 DIV DUP5 EQ OR ISZERO 99 JUMPI")
    a2, a1, = stack[base:]
    t1 = a1 * a2
    if not (not (t1 <= 0xff...ff)):
     return leave(stack, base, [a2, a1, t1], meter, gas - 56, 16)
    gas -= 56
    raise jump_error(code, 99)
    """,
    "ADD of what is a difference": """
    >>> emitted(f"{2**256 - 1} ADD 7 ADD")
    a1, = stack[base:]
    return [(a1 + 6 & 0xff...ff)], gas - 12
    """,
    "LT bounds a counter, so that it can be incremented": """
    >>> emitted("DUP2 DUP2 LT ISZERO 99 JUMPI 1 ADD")
    a2, a1, = stack[base:]
    if (not (a1 < a2)):
     gas -= 25
     raise jump_error(code, 99)
    return [a2, (a1 + 1)], gas - 31
    """,
    "GAS": """
    >>> emitted("7 GAS 8")
    gas -= 5
    t1 = gas
    return [7, t1, 8], gas - 3
    """,
    "SSTORE": """
    >>> emitted("1 0 SSTORE")
    gas -= 6
    require_not_static(c)
    gas = sstore_eip2929(c, 0, 1, gas, g0)
    return [], gas
    """,
    "an opcode of py-evm's": """
    >>> emitted("BALANCE")
    a1, = stack[base:]
    stack[base:] = [a1]
    meter.gas_remaining = gas
    c.code.program_counter = 1
    g0(computation=c)
    gas = meter.gas_remaining; size = len(mem)
    t1 = stack[-1]
    return [t1], gas
    """,
    "JUMPI": """
    >>> emitted("CALLVALUE 5 JUMPI STOP JUMPDEST 7")
    if c.msg.value:
     return leave(stack, base, [7], meter, gas - 19, 8)
    gas -= 15
    meter.gas_remaining = gas
    return HALTED
    """,
}
