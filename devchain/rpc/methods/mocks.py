"""Methods that answer calls of contracts in place of these, precompiled ones and the Bridge too.

Mocks hold until `devchain_clearMocks`, a revert to a snapshot taken before them, or a reset; data
dirs and dumps have them. A mocked callee uses no gas; the value of the call is transferred. Traces
of a block see the mocks it was mined with.
"""

from __future__ import annotations

from devchain.evm.mocks import Mock
from devchain.node import Node, mocks
from devchain.node.expected_calls import ExpectedCall
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import JsonObject
from devchain.rpc.scalar_decoders import Amount
from devchain.types import Address


@rpc("devchain_mockCall")
def mock_call(
    node: Node, address: Address, data: bytes, returns: bytes, value: Amount | None = None
) -> bool:
    """Let calls of an address whose data starts with `data` return `returns`.

    `data` is a selector, the start of call data, or `0x` for all calls. With `value`, only calls
    that send it are mocked. The mock with the longest data wins. An account without code gets the
    code `00`, since Solidity does not call others.
    """
    mocks.mock_call(node, Mock(address, data, value, returns))
    return True


@rpc("devchain_mockRevert")
def mock_revert(
    node: Node, address: Address, data: bytes, payload: bytes, value: Amount | None = None
) -> bool:
    """Let calls of an address whose data starts with `data` revert with `payload`.

    Parameters are those of `devchain_mockCall`.
    """
    mocks.mock_call(node, Mock(address, data, value, payload, reverts=True))
    return True


@rpc("devchain_clearMocks")
def clear_mocks(node: Node) -> bool:
    """Remove all mocks."""
    mocks.clear_mocks(node)
    return True


@rpc("devchain_expectCall")
def expect_call(
    node: Node,
    address: Address,
    data: bytes,
    value: Amount | None = None,
    count: Amount | None = None,
) -> int:
    """Expect calls of an address in coming blocks, direct or between contracts, and return an id.

    Calls match if their data starts with `data` and, if given, they send `value` wei. `count` is
    their number, by default at least one. Reverted calls and `eth_call` do not count. Snapshots
    include expectations, data dirs do not. Error -32012: there are 1,000 already.
    """
    return node.expected_calls.add(ExpectedCall(address, data, value, count))


@rpc("devchain_checkExpectedCalls", slow=True)
def check_expected_calls(node: Node) -> list[JsonObject]:
    """End all expectations of `devchain_expectCall`, and return those that are not met.

    Each has `id`, `address`, `data`, `value` and `count` as expected, and `found`, the number of
    calls.
    """
    return [
        {
            "id": unmet.id,
            "address": unmet.expected.address,
            "data": unmet.expected.data,
            "value": unmet.expected.value,
            "count": unmet.expected.count,
            "found": found,
        }
        for unmet, found in node.expected_calls.check()
    ]
