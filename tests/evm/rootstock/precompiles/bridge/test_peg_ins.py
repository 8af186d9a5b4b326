"""`devchain.evm.rootstock.precompiles.bridge.peg_ins`"""

from __future__ import annotations

import pytest

from tests.bytecode import word
from tests.evm.rootstock.precompiles.bridge.calls import (
    VALID_ADDRESS,
    arguments,
    call,
    number,
    tree_of_one,
)
from tests.evm.rootstock.precompiles.calling import CALLER, Machine

LOCAL, MINED = Machine(), Machine(local_call=False)

REGISTER = "registerBtcTransaction(bytes,int256,bytes)"
REGISTER_FAST = (
    "registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool)"
)

VERSION_AND_HASH = b"\x6f" + bytes(20)
"""Version and hash of an address on Bitcoin's test networks."""

TRANSACTION = b"transaction"


class TestMinimum:
    def test_minimum(self) -> None:
        """Iris halved the minimum peg-in."""
        assert number(call(LOCAL, "getMinimumLockTxValue()")) == 500_000
        assert number(call(Machine("papyrus"), "getMinimumLockTxValue()")) == 1_000_000


class TestRegister:
    @pytest.mark.parametrize("height", [0, 1, 2**31, -1, 2**255], ids=str)
    def test_unconfirmed(self, height: int) -> None:
        """On regtest no block has enough confirmations: the call succeeds and does nothing."""
        outcome = call(MINED, REGISTER, arguments(TRANSACTION, height, b"no proof"))

        assert (outcome.error, outcome.output, outcome.logs) == (None, b"", ())

    @pytest.mark.parametrize(
        ("transaction", "tree", "failure"),
        [
            (TRANSACTION, b"", "the number of variable length is cut off"),
            (b"other", tree_of_one(TRANSACTION), ""),
            (TRANSACTION, tree_of_one(TRANSACTION), "does not have the bitcoin block of height 9"),
        ],
        ids=["malformed", "other", "proven"],
    )
    def test_old_block(self, transaction: bytes, tree: bytes, failure: str) -> None:
        """Mainnet's bridge starts at a later block: a proof for an earlier one fails."""
        outcome = call(Machine(chain_id=30), REGISTER, arguments(transaction, 9, tree))

        assert failure in str(outcome.error or "")
        assert (outcome.error is None) == (not failure)

    def test_before_iris(self) -> None:
        """Before Iris only federators register transactions."""
        outcome = call(Machine("papyrus"), REGISTER, arguments(TRANSACTION, 0, b""))

        assert "is not a member of the federation" in str(outcome.error)


class TestRegisterFast:
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
