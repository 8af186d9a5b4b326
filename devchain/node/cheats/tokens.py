"""Giving tokens away: where a token contract keeps a number is found by watching it answer."""

from __future__ import annotations

from collections.abc import Iterator

from eth_hash.auto import keccak

from devchain.chain.calls import call_block
from devchain.errors import InvalidInput, VmError
from devchain.node.cheats.node import AnyNode
from devchain.node.cheats.state import set_storage
from devchain.tracing.options import TraceOptions
from devchain.tracing.replay import trace_call
from devchain.tracing.trace import Session
from devchain.types import Address, StateOverride, Tag, TransactionRequest

BALANCE_OF, ALLOWANCE = (
    keccak(signature)[:4] for signature in (b"balanceOf(address)", b"allowance(address,address)")
)
WORD = 32
Slot = tuple[Address, int]


def deal(node: AnyNode, token: Address, owner: Address, amount: int) -> None:
    """Make an ERC-20 token say that the owner has that amount.

    Raises `InvalidInput` if no single slot decides what `balanceOf` answers.
    """
    _force(node, token, BALANCE_OF + _word(owner), amount)


def allow(node: AnyNode, token: Address, owner: Address, spender: Address, amount: int) -> None:
    """Make an ERC-20 token say that the spender may take that amount from the owner.

    Raises `InvalidInput` if no single slot decides what `allowance` answers.
    """
    _force(node, token, ALLOWANCE + _word(owner) + _word(spender), amount)


def _force(node: AnyNode, token: Address, data: bytes, answer: int) -> None:
    """Find the slot with which the token gives that answer, and write it."""
    request = TransactionRequest(to=token, data=data)
    for address, slot in _slots_read(node, request):
        override = {address: StateOverride(state_diff={slot: answer})}
        if _answer(node, request, override) == answer:
            set_storage(node, address, slot, answer)
            return
    msg = (
        f"0x{token.hex()} keeps this number in no slot of its own: "
        "no token, or one that calculates it; write its storage with anvil_setStorageAt"
    )
    raise InvalidInput(msg)


def _slots_read(node: AnyNode, request: TransactionRequest) -> Iterator[Slot]:
    """The slots a call reads, those read last first: they are the more particular ones."""
    head = node.chain.head
    under = call_block(node.chain, node.chain.header_of(head))
    session = Session(TraceOptions(tracer="prestateTracer", include_empty=True))
    try:
        trace = trace_call(node.chain, under, _with_gas(request, head.gas_limit), {}, session)
    except VmError:
        return
    accounts = trace.accounts if isinstance(trace.accounts, dict) else {}
    for address, account in reversed(accounts.items()):
        for slot in reversed(account.storage):
            yield address, slot


def _answer(
    node: AnyNode, request: TransactionRequest, override: dict[Address, StateOverride]
) -> int | None:
    try:
        return int.from_bytes(node.call(request, Tag.LATEST, override)[:WORD], "big")
    except VmError:
        return None


def _with_gas(request: TransactionRequest, gas: int) -> TransactionRequest:
    return TransactionRequest(to=request.to, data=request.data, gas=gas)


def _word(address: Address) -> bytes:
    return address.rjust(WORD, b"\0")
