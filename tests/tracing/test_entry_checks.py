"""`devchain.tracing.entry_checks`: hints on messages that the compiler's checks refuse."""

from __future__ import annotations

from typing import Any

import pytest

from devchain.contracts.abi import Abi
from devchain.contracts.artifacts import Artifact
from devchain.errors import ExecutionReverted
from devchain.node import Node
from tests.actions import deploy
from tests.bytecode import assemble

FALLBACK: dict[str, Any] = {"type": "fallback"}
PAYABLE = {"stateMutability": "payable"}
RECEIVE = {"type": "receive", **PAYABLE}
SELECTOR = "0x01020304"


@pytest.mark.parametrize(
    ("entries", "data", "hint"),
    [
        ([FALLBACK], "0x", "the fallback function of Till is not payable"),
        ([FALLBACK, RECEIVE], SELECTOR, "the fallback function of Till is not payable"),
        ([RECEIVE], SELECTOR, f"Till has no function with the selector {SELECTOR}"),
        ([], "0x", "Till has no receive function: it takes no call without data"),
        ([FALLBACK, RECEIVE], "0x", ""),
        ([{**FALLBACK, **PAYABLE}], SELECTOR, ""),
        ([{**FALLBACK, "payable": True}], SELECTOR, ""),
    ],
)
def test_default_functions(node: Node, entries: list[dict[str, Any]], data: str, hint: str) -> None:
    """A value with a call for no function is refused by what takes it, `receive` or `fallback`."""
    address = deploy(node, assemble("0 0 REVERT"))
    till = node.contract(Artifact("Till", Abi.from_json(entries)), address)

    with pytest.raises(ExecutionReverted) as caught:
        node.transact(to=till.address, data=bytes.fromhex(data[2:]), value=1)

    assert caught.value.source_trace is not None
    assert caught.value.source_trace.hint == hint
