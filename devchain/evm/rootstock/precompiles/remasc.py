"""The REMASC precompile: its debugging state; fees are distributed by `chain`, not by calls.

Fees are processed only in the last transaction of a block, which no call is part of.
"""

from __future__ import annotations

import rlp
from rlp.codec import length_prefix

from devchain.evm.rootstock.exceptions import PrecompileFailed
from devchain.evm.rootstock.precompiles.native_contract import Call, Method, NativeContract
from devchain.types import Address

ADDRESS = Address(bytes.fromhex("0000000000000000000000000000000001000008"))

LIST = 0xC0
"""First byte of the RLP of an empty list."""

_REWARDS, _BURNED, _BROKEN_RULE = (
    int.from_bytes(name, "big")
    for name in (b"rewardBalance", b"burnedBalance", b"brokenSelectionRule")
)


def _process_fees(call: Call) -> None:
    del call
    raise PrecompileFailed("REMASC works in the last transaction of a block only")


def _state(call: Call) -> bytes:
    rewards, burned, broken = (
        call.computation.state.get_storage(ADDRESS, slot)
        for slot in (_REWARDS, _BURNED, _BROKEN_RULE)
    )
    payload = rlp.encode(rewards) + rlp.encode(burned) + rlp.encode([]) + bytes([broken != 0])
    return bytes(length_prefix(len(payload), LIST) + payload)


CONTRACT = NativeContract(
    "REMASC",
    (
        Method("processMinersFees()", 0, _process_fees),
        Method("getStateForDebugging() -> bytes", 0, _state),
    ),
    default="processMinersFees",
)


def remasc(call: Call) -> None:
    """Execute `getStateForDebugging`; reject fee processing and call data with arguments."""
    if len(call.payload) not in {0, 4}:
        raise PrecompileFailed("REMASC takes no arguments")
    CONTRACT(call)
