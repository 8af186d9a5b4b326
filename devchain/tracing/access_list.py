"""`eth_createAccessList`: the accounts and slots that a call touches (EIP-2930)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from devchain.chain.chain import Chain
from devchain.chain.eth_call import CallBlock
from devchain.tracing.options import TraceOptions
from devchain.tracing.replay import trace_call
from devchain.tracing.trace_session import Trace, TraceSession
from devchain.types import Address, StateOverrides, TransactionRequest

MAX_ROUNDS = 8
AccessList = tuple[tuple[Address, tuple[int, ...]], ...]
PRESTATE = TraceOptions(tracer="prestateTracer", include_empty=True)


@dataclass(frozen=True, slots=True)
class AccessListResult:
    """The access list, the gas used with it, and why the call failed, if it did."""

    listed: AccessList
    gas_used: int
    error: str | None


def access_list(
    chain: Chain, block: CallBlock, request: TransactionRequest, overrides: StateOverrides
) -> AccessListResult:
    """The addresses and slots a call touches, without accounts that are warm from the start.

    A listed slot costs other gas, which may change what a call does: it is run again until the
    list stays the same.
    """
    listed: AccessList = request.access_list
    for _ in range(MAX_ROUNDS):
        attempt = request._replace(access_list=listed)
        trace = trace_call(chain, block, attempt, overrides, lambda: TraceSession(PRESTATE))
        touched = _touched(trace, _warm(chain, block, request))
        if touched == listed:
            break
        listed = touched
    return AccessListResult(listed, trace.top.gas_used, trace.top.error)


def _warm(chain: Chain, block: CallBlock, request: TransactionRequest) -> set[bytes]:
    state = chain.open_state(block.header)
    always = {request.sender or bytes(20), request.to or b"", block.header.coinbase}
    return always | set(state.computation_class.get_precompiles())


def _touched(trace: Trace, warm: Iterable[bytes]) -> AccessList:
    accounts = trace.accounts if isinstance(trace.accounts, dict) else {}
    own = trace.top.to
    return tuple(
        (address, tuple(sorted(account.storage)))
        for address, account in sorted(accounts.items())
        if account.storage or (address not in warm and address != own)
    )
