"""Logs of the Bridge: events declared as in Solidity, and emitting them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eth_hash.auto import keccak

from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS
from devchain.evm.rootstock.precompiles.native_contract import (
    Call,
    encode,
    encode_all,
    event_parameters,
)


@dataclass(frozen=True)
class Event:
    """An event, declared as `name(type name, type indexed name)`."""

    declaration: str

    @cached_property
    def _parameters(self) -> list[dict[str, Any]]:
        return event_parameters(self.declaration)

    @property
    def signature(self) -> str:
        """Name and parameter types, whose hash is the first topic."""
        kinds = ",".join(each["type"] for each in self._parameters)
        return f"{self.declaration.partition('(')[0]}({kinds})"

    def emit(self, call: Call, *values: Any) -> None:
        """Add a log of the Bridge with those values, in the order of the declaration."""
        indexed, kinds, rest = [], [], []
        for parameter, value in zip(self._parameters, values, strict=True):
            if parameter["indexed"]:
                indexed.append(int.from_bytes(encode(parameter["type"], value), "big"))
            else:
                kinds.append(parameter["type"])
                rest.append(value)
        first = int.from_bytes(keccak(self.signature.encode()), "big")
        call.computation.add_log_entry(ADDRESS, (first, *indexed), encode_all(kinds, rest))


PEGOUT_REJECTED = Event(
    "release_request_rejected(address indexed sender,uint256 amount,int256 reason)"
)
PEGOUT_RECEIVED = Event(
    "release_request_received(address indexed sender,string btcDestinationAddress,uint256 amount)"
)
PEGOUT_RECEIVED_BEFORE_FINGERROOT = Event(
    "release_request_received(address indexed sender,bytes btcDestinationAddress,uint256 amount)"
)
UNION_CAP_INCREASED = Event(
    "union_bridge_locking_cap_increased"
    "(address indexed caller,uint256 previousLockingCap,uint256 newLockingCap)"
)
UNION_RBTC_REQUESTED = Event("union_rbtc_requested(address indexed requester,uint256 amount)")
UNION_RBTC_RELEASED = Event("union_rbtc_released(address indexed receiver,uint256 amount)")
UNION_PERMISSIONS_UPDATED = Event(
    "union_bridge_transfer_permissions_updated"
    "(address indexed caller,bool enablePowPegToUnionBridge,bool enableUnionBridgeToPowPeg)"
)

EVENTS = (
    PEGOUT_REJECTED,
    PEGOUT_RECEIVED,
    PEGOUT_RECEIVED_BEFORE_FINGERROOT,
    UNION_CAP_INCREASED,
    UNION_RBTC_REQUESTED,
    UNION_RBTC_RELEASED,
    UNION_PERMISSIONS_UPDATED,
)
