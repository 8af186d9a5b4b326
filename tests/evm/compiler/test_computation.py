"""`devchain.evm.compiler.computation`"""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.node import Node
from devchain.types import Address, Hash32, TransactionRequest
from tests.accounts import ALICE, BOB
from tests.actions import deploy
from tests.bytecode import assemble

PRICE = 7
PROGRAMS = {
    "nothing": "STOP",
    "refund": "1 0 SSTORE 0 0 SSTORE",
    "destroyed": f"0x{BOB.hex()} SELFDESTRUCT",
    "revert": "0 0 REVERT",
    "invalid": "INVALID",
    "refused by a precompile": "0 0 0 0 0 6 GAS CALL",
}


def sent(engine: str, to: Address | None, code: bytes, data: bytes, value: int) -> Hash32:
    """The hash of the block in which a transaction to that code was paid for and settled."""
    with Node(Config(engine=engine, fixed_clock=1_700_000_000, accounts=2)) as node:
        where = deploy(node, code) if to is None and code else to
        node.send(
            TransactionRequest(
                sender=ALICE, to=where, data=data, value=value, gas=200_000, gas_price=PRICE
            )
        )
        return node.chain.head.hash


class TestSettled:
    @pytest.mark.parametrize("value", [0, 5])
    @pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
    def test_call(self, program: str, value: int) -> None:
        """Refunds, fees and deletions are those of py-evm's executor, to the block's hash."""
        code = assemble(program)

        fast, reference = (sent(each, None, code, b"", value) for each in ("fast", "reference"))

        assert fast == reference

    @pytest.mark.parametrize("init_code", [b"", b"\x60\x01\x60\x00\xf3", b"\xfe"], ids=bytes.hex)
    def test_creation(self, init_code: bytes) -> None:
        """So is what a creation leaves."""
        engines = ("fast", "reference")

        fast, reference = (sent(each, None, b"", init_code, 0) for each in engines)

        assert fast == reference

    def test_precompile(self) -> None:
        """So is the whole gas limit that a transaction refused by a precompiled contract pays."""
        bridge = Address(bytes.fromhex("0000000000000000000000000000000001000006"))
        engines = ("fast", "reference")

        fast, reference = (sent(each, bridge, b"", b"\x01\x02\x03\x04", 1) for each in engines)

        assert fast == reference
