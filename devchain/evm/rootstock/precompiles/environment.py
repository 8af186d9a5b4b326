"""The Environment precompile (RSKIP203): the depth of the call stack."""

from __future__ import annotations

from devchain.evm.rootstock.precompiles.native_contract import Call, Method, NativeContract


def _depth(call: Call) -> int:
    return max(1, call.computation.msg.depth)


ENVIRONMENT = NativeContract("Environment", (Method("getCallStackDepth() -> uint32", 0, _depth),))
