"""The Bridge precompile: the two-way peg with Bitcoin, on a chain without a federation's nodes.

It starts as the real node's Bridge starts: with the genesis federation, one Bitcoin block and no
bitcoins. Requests for peg-outs, and settings that authorized accounts change, are kept in the
Bridge's storage (`storage`). A call that would need later Bitcoin blocks, or that only the
federation makes, fails with the reason; any other call has the real node's answer, logs and gas.

On a fork of the real node's chain, methods that read are answered by the upstream at the fork
block, since the real node stores otherwise. Methods that write have the answers that depend on
nothing stored, such as that to a sender without a vote; they fail with the reason where they would
change the Bridge.

Each module has the methods of one subject, with their ABI, gas and upgrades in a table at its end:
`local` methods can be called by `eth_call` only, `reading` methods also in transactions, `writing`
methods not by STATICCALL.
"""

from __future__ import annotations

from devchain.evm.rootstock.precompiles.bridge import (
    bitcoin_chain,
    federation,
    pegs,
    settings,
    union,
)
from devchain.evm.rootstock.precompiles.bridge.methods import EVENTS, answer_of_upstream
from devchain.evm.rootstock.precompiles.native_contract import (
    Call,
    Method,
    NativeContract,
    PrecompileFailed,
)

GAS_PER_BYTE = 2


def _check(call: Call, method: Method) -> None:
    if not call.since("arrowhead"):
        return
    if call.is_delegated:
        raise PrecompileFailed(f"Bridge.{method.name} is not for CALLCODE or DELEGATECALL")
    if call.computation.msg.is_static and not method.accepts_static:
        raise PrecompileFailed(f"Bridge.{method.name} is not for STATICCALL")


BRIDGE = NativeContract(
    "Bridge",
    (
        *federation.METHODS,
        *bitcoin_chain.METHODS,
        *pegs.METHODS,
        *settings.METHODS,
        *union.METHODS,
    ),
    gas_per_byte=GAS_PER_BYTE,
    unknown_gas=pegs.RELEASE_GAS,
    default="releaseBtc()",
    check=_check,
    answer_of_fork=answer_of_upstream,
    events=EVENTS,
)
