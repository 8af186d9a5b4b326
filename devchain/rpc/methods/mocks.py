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


@rpc("devchain_expectCall")
def expect_call(
    node: Node,
    address: Address,
    data: bytes,
    value: Amount | None = None,
    count: Amount | None = None,
) -> int:
    """Expect calls of an address in the blocks to come, directly or between contracts; an id.

    Their data starts with `data`, a selector for example, and they send `value` wei, any unless
    given. `count` is how many there are to be, at least one unless given. Calls that revert do not
    count, nor do calls of `eth_call`. `devchain_checkExpectedCalls` has the outcome. What is
    expected is part of snapshots, and not kept in a data dir. Error -32012 for more than 1,000.
    """
    return node.expected_calls.add(ExpectedCall(address, data, value, count))


@rpc("devchain_checkExpectedCalls", slow=True)
def check_expected_calls(node: Node) -> list[JsonObject]:
    """The expectations of `devchain_expectCall` that are not met; all of them end.

    An empty list says that all are met. Each has its `id`, the `address`, `data`, `value` and
    `count` that were expected (null for any, or at least one), and `found`, how many there were.
    The transactions since the first expectation are executed once more.
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
