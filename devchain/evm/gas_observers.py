"""Whether code can see how much gas it has: then less gas may lead it another way, not only end it.

An execution that cannot see it charges the same with any gas limit that is enough, so that one run
says which limit is.
"""

from __future__ import annotations

import re
from functools import lru_cache

from devchain.evm.opcodes import CALLS, CREATES, ENDS, Op

OBSERVERS = bytes(sorted({Op.GAS, Op.BALANCE, Op.SELFBALANCE} | CALLS | CREATES))
"""GAS; all that begins a message, which gets a part of the gas; BALANCE and SELFBALANCE, since a
sender has paid for its gas limit."""
DELEGATION = bytes.fromhex("ef0100")

_PUSHES = b"|".join(b"\\x%02x.{0,%d}" % (Op.PUSH1 + size, size + 1) for size in range(32))
_MARKS = b"".join(b"\\x%02x" % end for end in [*ENDS, Op.JUMPDEST, *OBSERVERS])
_INSTRUCTIONS = re.compile(_PUSHES + b"|[" + _MARKS + b"]", re.DOTALL)


@lru_cache(maxsize=1_024)
def observes_gas(code: bytes) -> bool:
    """Whether code has an instruction that sees the remaining gas, where it can be reached.

    The data behind a contract is not taken for instructions unless it has a JUMPDEST. SSTORE does
    not count: with little gas left (EIP-2200) it does nothing else than fail.
    """
    is_reached = True
    for match in _INSTRUCTIONS.finditer(code):
        opcode = code[match.start()]
        if opcode == Op.JUMPDEST:
            is_reached = True
        elif opcode in ENDS:
            is_reached = False
        elif is_reached and opcode in OBSERVERS:
            return True
    return code.startswith(DELEGATION)
