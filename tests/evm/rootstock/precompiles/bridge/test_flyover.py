"""`devchain.evm.rootstock.precompiles.bridge.flyover`"""

from __future__ import annotations

import pytest

from tests.bytecode import word
from tests.evm.rootstock.precompiles.bridge.calls import VALID_ADDRESS, arguments, call, number
from tests.evm.rootstock.precompiles.calling import CALLER, Machine

REGISTER_FAST = (
    "registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool)"
)

VERSION_AND_HASH = b"\x6f" + bytes(20)
"""Version and hash of an address on Bitcoin's test networks."""


class TestAnswers:
    @pytest.mark.parametrize(
        ("upgrade", "refund", "provider", "message", "answer"),
        [
            ("vetiver", b"", VERSION_AND_HASH, {}, -900),
            ("vetiver", VERSION_AND_HASH, b"\5" + bytes(20), {}, -900),
            ("vetiver", VERSION_AND_HASH, VERSION_AND_HASH + b"1", {}, -900),
            ("vetiver", VERSION_AND_HASH, VALID_ADDRESS, {}, -900),
            ("vetiver", VERSION_AND_HASH, VERSION_AND_HASH, {}, -300),
            ("vetiver", VERSION_AND_HASH, b"\xc4" + bytes(20), {"depth": 1}, -303),
            (
                "vetiver",
                VERSION_AND_HASH,
                VERSION_AND_HASH,
                {"depth": 1, "sender": b"\1" * 20},
                -301,
            ),
            ("iris", VERSION_AND_HASH, VERSION_AND_HASH + b"1", {"depth": 1}, -303),
            ("iris", VERSION_AND_HASH, b"\xc4" + bytes(20), {"depth": 1}, -900),
        ],
        ids=[
            "empty",
            "version",
            "long",
            "text",
            "transaction",
            "unconfirmed",
            "sender",
            "long before hop",
            "script before hop",
        ],
    )
    def test_answers(
        self,
        upgrade: str,
        refund: bytes,
        provider: bytes,
        message: dict[str, object],
        answer: int,
    ) -> None:
        """Each reason to refuse has the real node's code."""
        liquidity_bridge = int.from_bytes(CALLER, "big")
        data = arguments(b"tx", 0, b"tree", 1, refund, liquidity_bridge, provider, 1)

        assert number(call(Machine(upgrade), REGISTER_FAST, data, **message)) == answer

    def test_negative_address(self) -> None:
        """As in rskj, an address that reads as a negative number is its shortest form."""
        data = arguments(b"tx", 0, b"tree", 1, VERSION_AND_HASH, -1, VERSION_AND_HASH, 1)
        sender = word(0xFF)[-20:]

        assert number(call(Machine(), REGISTER_FAST, data, depth=1, sender=sender)) == -303
