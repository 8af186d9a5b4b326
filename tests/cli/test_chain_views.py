"""`devchain.cli.chain_views`"""

from __future__ import annotations

import pytest

from devchain.cli.chain_views import chain_notation, revert_reason
from devchain.cli.format import Notation
from devchain.errors import RpcFailure
from tests.bytecode import error_payload, panic_payload
from tests.cli.scripted import ScriptedClient

OURS = "VM Exception while processing transaction: execution reverted"


@pytest.mark.parametrize(
    ("message", "data", "reason"),
    [
        (OURS, f"0x{error_payload('too much').hex()}", "too much"),
        (OURS, f"0x{panic_payload(0x11).hex()}", "panic: arithmetic overflow or underflow (0x11)"),
        (OURS, "0x12345678", "custom error 0x12345678"),
        (f"{OURS}: Broke(1)", "0x12345678", "Broke(1)"),
        (OURS, "0x", "no reason given"),
        (OURS, None, "no reason given"),
        ("out of gas", "0x", "out of gas"),
        ("x", {"data": f"0x{error_payload('nested').hex()}"}, "nested"),
        ("x", {"message": "x"}, "x"),
        ("x", f"Reverted 0x{error_payload('parity').hex()}", "parity"),
        (OURS, "0x08c379a0ff", "custom error 0x08c379a0"),
        (OURS, "0x08c379a0f", "custom error 0x08c379a0"),
        ("x", "0xnothex", "x"),
        ("x", 7, "x"),
    ],
)
def test_revert_reason(message: str, data: object, reason: str) -> None:
    """The decoded payload comes first, then the node's message."""
    assert revert_reason(RpcFailure(-32015, message, data)) == reason


@pytest.mark.parametrize(
    ("variable", "uses_eip1191"), [(None, False), ("false", False), ("1", True), ("True", True)]
)
def test_eip1191(
    monkeypatch: pytest.MonkeyPatch, variable: str | None, *, uses_eip1191: bool
) -> None:
    """The variable of `--checksum-addresses` changes how addresses are shown."""
    monkeypatch.delenv("DEVCHAIN_CHECKSUM_ADDRESSES", raising=False)
    if variable is not None:
        monkeypatch.setenv("DEVCHAIN_CHECKSUM_ADDRESSES", variable)

    notation = chain_notation(ScriptedClient(eth_chainId="0x1f"))

    assert notation == Notation(31, uses_eip1191)
