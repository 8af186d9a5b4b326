"""Methods that answer calls of contracts in place of these, precompiled ones and the Bridge too.

Mocks hold for transactions, calls and estimates until `devchain_clearMocks`, a revert to a snapshot
taken before them, or a reset; data dirs and dumps have them. A mocked callee uses no gas; the value
of the call is transferred. Traces of a block see the mocks it was mined with.
"""

from __future__ import annotations

from devchain.evm.mocks import Mock
from devchain.node import Node, mocks
from devchain.rpc.method import rpc
from devchain.rpc.scalar_decoders import Amount
from devchain.types import Address


@rpc("devchain_mockCall")
def mock_call(
    node: Node, address: Address, data: bytes, returns: bytes, value: Amount | None = None
) -> bool:
    """Let calls of an address whose data starts with `data` return `returns`; true.

    `data` is a selector, the start of call data, or `0x` for all calls. With a value, only calls
    that send it. The mock with the longest data is used. An account without code gets the byte
    `00`, since Solidity does not call others.
    """
    mocks.mock_call(node, Mock(address, data, value, returns))
    return True


@rpc("devchain_mockRevert")
def mock_revert(
    node: Node, address: Address, data: bytes, payload: bytes, value: Amount | None = None
) -> bool:
    """Let such calls revert with `payload`, as `devchain_mockCall` lets them return; true."""
    mocks.mock_call(node, Mock(address, data, value, payload, reverts=True))
    return True


@rpc("devchain_clearMocks")
def clear_mocks(node: Node) -> bool:
    """Remove all mocks; true."""
    mocks.clear_mocks(node)
    return True
