"""Declaring methods of the Bridge, and what several of them ask about a call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from devchain.evm.rootstock.exceptions import PrecompileFailed, PrecompileUnsupported
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS
from devchain.evm.rootstock.precompiles.native_contract import Call, Method
from devchain.evm.rootstock.precompiles.powpeg import Powpeg, powpeg_of
from devchain.types import Address

MISSING = -1
"""The answer about a federation, an address or a transaction that the bridge does not have."""

UNAUTHORIZED = -10
"""The answer to a vote of an account that has none."""


def reading(
    declaration: str,
    gas: int | Callable[..., int],
    answer: Any,
    since: str = "orchid",
    until: str | None = None,
) -> Method:
    """A method that changes nothing; `answer` is a function of the call or a constant."""
    return Method(declaration, gas, answer if callable(answer) else lambda *_: answer, since, until)


def local(
    declaration: str, gas: int, answer: Any, since: str = "orchid", until: str | None = None
) -> Method:
    """A method that reads and can be called by `eth_call` only."""
    return replace(reading(declaration, gas, answer, since, until), local_only=True)


def writing(
    declaration: str,
    gas: int | Callable[..., int],
    answer: Callable[..., Any],
    since: str = "orchid",
    until: str | None = None,
) -> Method:
    """A method that may change the bridge, which no static call may call."""
    return Method(declaration, gas, answer, since, until, accepts_static=False)


def peg_of(call: Call) -> Powpeg:
    """The powpeg of the network."""
    return powpeg_of(call.state.execution_context.chain_id)


def powpeg(name: str) -> Callable[[Call], Any]:
    """A method that returns that property of the powpeg."""
    return lambda call: getattr(peg_of(call), name)


def require_federator(call: Call) -> None:
    """Raise `PrecompileFailed` unless the sender is a member of the federation."""
    if call.sender not in peg_of(call).members:
        raise PrecompileFailed(f"0x{call.sender.hex()} is not a member of the federation")


def send(call: Call, receiver: Address, amount: int) -> None:
    """Send wei of the Bridge to an account."""
    if call.state.get_balance(ADDRESS) < amount:
        # The real node's has 21,000,000 RBTC from the start.
        raise PrecompileUnsupported(f"the Bridge has less than {amount} wei")
    call.state.delta_balance(ADDRESS, -amount)
    call.state.delta_balance(receiver, amount)


def unsupported(method: str, what: str) -> PrecompileUnsupported:
    """The failure of a call that the real node executes."""
    return PrecompileUnsupported(f"Bridge.{method}: devchain does not {what}")
