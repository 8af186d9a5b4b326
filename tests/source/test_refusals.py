"""`devchain.source.refusals`: hints on messages that the compiler's checks refuse."""

from __future__ import annotations

from typing import Any

import pytest

from devchain.contracts.abi import Abi
from devchain.contracts.artifacts import Artifact, Code, Source
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


def test_function_of_another(node: Node) -> None:
    """A function that only another contract has is no function of the frame, in its place."""
    pay = {"type": "function", "name": "pay", "inputs": [{"name": "to", "type": "uint256"}]}
    shop = Artifact("Shop", Abi.from_json([pay]))
    node.artifacts.add(shop)
    till = node.contract(Artifact("Till", Abi.from_json([])), deploy(node, assemble("0 0 REVERT")))
    data = shop.abi.functions_named("pay")[0].selector + bytes(32)

    with pytest.raises(ExecutionReverted) as caught:
        node.transact(to=till.address, data=data)

    trace = caught.value.source_trace
    assert trace is not None
    assert trace.hint.endswith("; Shop.pay(uint256) has it")
    assert trace.frames[0].title == f"Till.0x{data[:4].hex()}(0x{bytes(32).hex()})"


BOX = """
contract Box { /* enum State { Fake } */
    enum State { Open, /* or { */ Closed, Gone }
    struct Item { State state; uint8 size; }
}
"""
STATE = {"name": "state", "type": "uint8", "internalType": "enum Box.State"}
SIZE = {"name": "size", "type": "uint8", "internalType": "uint8"}
SET = {"type": "function", "name": "set"}


@pytest.mark.parametrize(
    ("parameter", "argument", "wrong"),
    [
        (STATE, 3, "state = 3"),
        (STATE, 2, ""),
        (SIZE, 9, ""),
        ({**STATE, "name": "", "internalType": "enum Other.Kind"}, 3, ""),
    ],
)
def test_enums(node: Node, parameter: dict[str, Any], argument: object, wrong: str) -> None:
    """An argument beyond the members of its enum, which solc's code refuses without a reason."""
    code = assemble("0 0 REVERT")
    artifact = Artifact(
        "Box",
        Abi.from_json([{**SET, "inputs": [parameter]}]),
        source="Box.sol",
        runtime=Code(code, source_map="0:10:0;;"),
        sources={0: Source("Box.sol", BOX)},
    )
    node.artifacts.add(artifact)
    box = node.contract(artifact, deploy(node, code))

    with pytest.raises(ExecutionReverted) as caught:
        box.set(argument)

    assert caught.value.source_trace is not None
    members = " is no member of enum Box.State, which has Open, Closed, Gone"
    assert caught.value.source_trace.hint == (f"{wrong}{members}" if wrong else "")
