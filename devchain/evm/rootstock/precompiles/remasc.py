"""REMASC, which shares out the fees: only the last transaction of a block may set it to work."""

from __future__ import annotations

import rlp
from rlp.codec import length_prefix

from devchain.evm.rootstock.precompiles.abi import Call, Method, NativeContract, NativeContractError
from devchain.types import Address

ADDRESS = Address(bytes.fromhex("0000000000000000000000000000000001000008"))

LIST = 0xC0
"""What the RLP of a list starts from."""

_REWARDS, _BURNED, _BROKEN_RULE = (
    int.from_bytes(name, "big")
    for name in (b"rewardBalance", b"burnedBalance", b"brokenSelectionRule")
)


def _process_fees(call: Call) -> None:
    del call
    raise NativeContractError("REMASC works in the last transaction of a block only")


def _state(call: Call) -> bytes:
    """Balances of rewards and burned fees; the list is of siblings, which are stored no more."""
    rewards, burned, broken = (
        call.computation.state.get_storage(ADDRESS, slot)
        for slot in (_REWARDS, _BURNED, _BROKEN_RULE)
    )
    payload = rlp.encode(rewards) + rlp.encode(burned) + rlp.encode([]) + bytes([broken != 0])
    return bytes(length_prefix(len(payload), LIST) + payload)


_CONTRACT = NativeContract(
    "REMASC",
    (
        Method("processMinersFees()", 0, _process_fees),
        Method("getStateForDebugging() -> bytes", 0, _state),
    ),
    default="processMinersFees",
)


def remasc(call: Call) -> None:
    """Refuse fee processing and anything longer than a selector; tell the state."""
    if len(call.payload) not in {0, 4}:
        raise NativeContractError("REMASC takes no arguments")
    _CONTRACT(call)
