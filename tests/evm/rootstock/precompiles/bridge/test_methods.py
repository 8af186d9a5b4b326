"""`devchain.evm.rootstock.precompiles.bridge.methods`"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from eth_abi.abi import encode

from devchain.evm.rootstock.precompiles.bridge.methods import Event
from tests.evm.rootstock.precompiles.bridge.calls import topic


def test_emit() -> None:
    """Indexed values are topics, the others are data, encoded as Solidity encodes them."""
    found: list[Any] = []
    call: Any = SimpleNamespace(
        computation=SimpleNamespace(add_log_entry=lambda *entry: found.append(entry))
    )
    event = Event("e(address indexed a,string s,int256 n,bytes b,bool indexed c)")

    event.emit(call, b"\1" * 20, "text", -2, b"raw", True)

    assert event.signature == "e(address,string,int256,bytes,bool)"
    address = bytes.fromhex("0000000000000000000000000000000001000006")
    data = encode(["string", "int256", "bytes"], ["text", -2, b"raw"])
    topics = (topic(event.signature), int.from_bytes(b"\1" * 20, "big"), 1)
    assert found == [(address, topics, data)]
