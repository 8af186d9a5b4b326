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


def block_hash(engine: str, to: Address | None, code: bytes, data: bytes, value: int) -> Hash32:
    """The hash of the block of a transaction to that code or address, or of a creation."""
    with Node(Config(engine=engine, fixed_clock=1_700_000_000, accounts=2)) as node:
        recipient = deploy(node, code) if to is None and code else to
        node.send(
            TransactionRequest(
                sender=ALICE, to=recipient, data=data, value=value, gas=200_000, gas_price=PRICE
            )
        )
        return node.chain.head.hash


class TestTransactions:
    @pytest.mark.parametrize("value", [0, 5])
    @pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
    def test_call(self, program: str, value: int) -> None:
        """Refunds, fees and deletions are the reference executor's: the block hash is equal."""
        code = assemble(program)

        engines = ("fast", "reference")

        fast, reference = (block_hash(each, None, code, b"", value) for each in engines)

        assert fast == reference

    @pytest.mark.parametrize("init_code", [b"", b"\x60\x01\x60\x00\xf3", b"\xfe"], ids=bytes.hex)
    def test_creation(self, init_code: bytes) -> None:
        """The block hash is equal for creations."""
        engines = ("fast", "reference")

        fast, reference = (block_hash(each, None, b"", init_code, 0) for each in engines)

        assert fast == reference

    def test_precompile(self) -> None:
        """The block hash is equal for a transaction that a precompiled contract rejects."""
        bridge = Address(bytes.fromhex("0000000000000000000000000000000001000006"))
        engines = ("fast", "reference")

        fast, reference = (
            block_hash(each, bridge, b"", b"\x01\x02\x03\x04", 1) for each in engines
        )

        assert fast == reference
