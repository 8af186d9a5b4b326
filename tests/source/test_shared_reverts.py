"""REVERTs that statements share, of which the source map names one that did not fail."""

from __future__ import annotations

import pytest
from eth_hash.auto import keccak

from devchain import Node
from devchain.contracts.abi import Abi
from devchain.contracts.artifacts import Artifact, Code, Source
from devchain.errors import ExecutionReverted
from tests.actions import deploy
from tests.bytecode import assemble

ABI = Abi.from_json(
    [
        {"type": "function", "name": "buy", "inputs": []},
        {"type": "error", "name": "SoldOut", "inputs": []},
        {"type": "error", "name": "WrongPayment", "inputs": []},
    ]
)
TEXT = """contract Shop {
    function buy() external {
        if (stock < 1) revert SoldOut();
        if (msg.value != price) revert WrongPayment();
    }
}
"""


@pytest.mark.parametrize(
    ("text", "reason", "place"),
    [
        (TEXT, "WrongPayment", "near Shop.sol:4"),
        (TEXT, "SoldOut", "near Shop.sol:3"),
    ],
)
def test_other_reason(text: str, reason: str, place: str) -> None:
    """The place is that of the only statement with the reason, or else it is approximate."""
    selector = keccak(f"{reason}()".encode())[:4]
    code = assemble(f"0x{(selector + bytes(28)).hex()} 0 MSTORE 4 0 REVERT")
    shared = "revert WrongPayment()"
    source_map = f"{text.index(shared)}:{len(shared)}:0" + ";" * 5
    artifact = Artifact(
        "Shop",
        ABI,
        source="Shop.sol",
        runtime=Code(code, source_map=source_map),
        sources={0: Source("Shop.sol", text)},
        via_ir=True,
    )
    node = Node()
    node.artifacts.add(artifact)
    shop = node.contract(artifact, deploy(node, code))

    with pytest.raises(ExecutionReverted, match=reason) as caught:
        shop.buy()

    assert caught.value.source_trace is not None
    assert [each.place for each in caught.value.source_trace.frames] == [place]
