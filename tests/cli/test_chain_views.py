"""`devchain.cli.chain_views`"""

from __future__ import annotations

import pytest

from devchain.cli.chain_views import revert_reason
from devchain.errors import RpcFailure
from tests.bytecode import error_payload, panic_payload

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
