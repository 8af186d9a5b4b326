"""The Bridge precompile: the two-way peg with Bitcoin.

It starts as the real node's: with the genesis federation, one Bitcoin block and no bitcoins. Calls
have the real node's answer, logs and gas. On a fork of the real node's chain, methods that read are
answered by the upstream at the fork block until a call changes the Bridge; from then on all are
executed here.

Each module has a table of methods at its end: `local` ones can be called by `eth_call` only,
`reading` ones also in transactions, `writing` ones not by STATICCALL.
"""

from __future__ import annotations

from devchain.evm.rootstock.precompiles.bridge import (
    bitcoin_chain,
    elections,
    federation,
    flyover,
    peg_ins,
    peg_outs,
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
        *elections.METHODS,
        *bitcoin_chain.METHODS,
        *peg_outs.METHODS,
        *peg_ins.METHODS,
        *flyover.METHODS,
        *settings.METHODS,
        *union.METHODS,
    ),
    gas_per_byte=GAS_PER_BYTE,
    unknown_gas=peg_outs.RELEASE_GAS,
    default="releaseBtc()",
    check=_check,
    answer_of_fork=answer_of_upstream,
    events=EVENTS,
)
