"""`devchain.source.explain`; `tests/failures` has most of its cases."""

from __future__ import annotations

import pytest

from devchain import Node
from devchain.errors import VmError
from devchain.types import TransactionRequest
from tests.accounts import BOB
from tests.bytecode import word
from tests.contracts.till import FILE, TILL


def test_arguments_of_a_fallback() -> None:
    """A fallback function has no arguments of the function that it delegates to."""
    set_rate = TILL.abi.functions_named("setRate")[0]
    with Node(artifacts=(str(FILE),)) as node:
        proxy = node.deploy("Proxy", node.deploy("Till"))
        with pytest.raises(VmError) as caught:
            node.call(TransactionRequest(BOB, proxy.address, data=set_rate.selector + word(3)))
        trace = caught.value.source_trace

    assert trace is not None
    assert [each.title for each in trace.frames] == [
        "Proxy.fallback()",
        "Till.setRate(to=3)",
        "modifier Owned.onlyOwner",
    ]
