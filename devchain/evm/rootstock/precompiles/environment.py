"""Environment (RSKIP203): where in the call stack a contract runs."""

from __future__ import annotations

from devchain.evm.rootstock.precompiles.abi import Call, Method, NativeContract


def _depth(call: Call) -> int:
    """1 for a contract that a transaction calls, and for a transaction itself."""
    return max(1, call.computation.msg.depth)


ENVIRONMENT = NativeContract("Environment", (Method("getCallStackDepth() -> uint32", 0, _depth),))
