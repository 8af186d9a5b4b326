"""Methods of the Bridge for the union bridge, a contract that borrows RBTC (RSKIP502, RSKIP529).

Its address is the zero address until an authorized account sets another. The main network has none.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from devchain.evm.rootstock.precompiles.bridge import methods, storage
from devchain.evm.rootstock.precompiles.bridge.methods import peg_of, reading, send, writing
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS
from devchain.evm.rootstock.precompiles.native_contract import Call, PrecompileFailed
from devchain.types import ZERO_ADDRESS, Address

INITIAL_LOCKING_CAP = 10**18
CAP_MULTIPLIER = 2
LONGEST_EVENT = 128

CONTRACT = storage.hashed_slot_of("unionBridgeContractAddress")
LOCKING_CAP = storage.hashed_slot_of("unionBridgeLockingCap")
BORROWED = storage.hashed_slot_of("weisTransferredToUnionBridge")
REQUEST_ENABLED = storage.hashed_slot_of("unionBridgeRequestEnabled")
RELEASE_ENABLED = storage.hashed_slot_of("unionBridgeReleaseEnabled")
SUPER_EVENT = storage.hashed_slot_of("superEvent")
BASE_EVENT = storage.hashed_slot_of("baseEvent")

SUCCESS = 0
UNAUTHORIZED = -1
VALUE_INVALID = -2
DISABLED = -3


def _authorized(authority: str, answer: Callable[..., Any]) -> Callable[..., Any]:
    # A method that fails unless the sender is among those authorizers of the network.

    def check(call: Call, *arguments: Any) -> Any:
        if call.sender not in getattr(peg_of(call).authorizers, authority):
            raise PrecompileFailed(f"0x{call.sender.hex()} is not authorized to call this method")
        return answer(call, *arguments)

    return check


# Settings


def _contract(call: Call) -> Address:
    stored = storage.load_rlp(call, CONTRACT)
    return ZERO_ADDRESS if stored is None else Address(storage.to_bytes(stored, len(ZERO_ADDRESS)))


def _set_contract(call: Call, contract: Address) -> int:
    storage.store_rlp(call, CONTRACT, bytes(contract))
    return SUCCESS


def _locking_cap(call: Call) -> int:
    raised = storage.load_number(call, LOCKING_CAP)
    return INITIAL_LOCKING_CAP if raised is None else raised


def _increase_locking_cap(call: Call, cap: int) -> int:
    before = _locking_cap(call)
    if not before < cap <= CAP_MULTIPLIER * before:
        return VALUE_INVALID
    storage.store_number(call, LOCKING_CAP, cap)
    methods.UNION_CAP_INCREASED.emit(call, call.sender, before, cap)
    return SUCCESS


def _is_enabled(call: Call, permission: int) -> bool:
    return storage.load_number(call, permission) != 0


def _set_permissions(call: Call, request: bool, release: bool) -> int:  # noqa: FBT001  # as the method's ABI
    wanted = {REQUEST_ENABLED: request, RELEASE_ENABLED: release}
    if any(_is_enabled(call, permission) != wanted[permission] for permission in wanted):
        _store_permissions(call, call.sender, request=request, release=release)
    return SUCCESS


def _store_permissions(call: Call, sender: Address, *, request: bool, release: bool) -> None:
    storage.store_number(call, REQUEST_ENABLED, int(request))
    storage.store_number(call, RELEASE_ENABLED, int(release))
    methods.UNION_PERMISSIONS_UPDATED.emit(call, sender, request, release)


# Borrowing


def _borrowed(call: Call) -> int:
    return storage.load_number(call, BORROWED) or 0


def _request(call: Call, amount: int) -> int:
    contract, total = _contract(call), _borrowed(call) + amount
    if call.sender != contract:
        return UNAUTHORIZED
    if not _is_enabled(call, REQUEST_ENABLED):
        return DISABLED
    if amount <= 0 or total > _locking_cap(call):
        return VALUE_INVALID
    send(call, contract, amount)
    storage.store_number(call, BORROWED, total)
    methods.UNION_RBTC_REQUESTED.emit(call, contract, amount)
    return SUCCESS


def _release(call: Call) -> int:
    answer = _try_release(call)
    if answer != SUCCESS:
        send(call, call.sender, call.value)
    return answer


def _try_release(call: Call) -> int:
    if call.sender != _contract(call):
        return UNAUTHORIZED
    if not _is_enabled(call, RELEASE_ENABLED):
        return DISABLED
    if not call.value:
        return VALUE_INVALID
    left = _borrowed(call) - call.value
    if left < 0:
        _store_permissions(call, ADDRESS, request=False, release=False)
        return VALUE_INVALID
    storage.store_number(call, BORROWED, left)
    methods.UNION_RBTC_RELEASED.emit(call, call.sender, call.value)
    return SUCCESS


# Events


def _set_event(slot: int) -> Callable[..., None]:
    # Without data the event is cleared.
    def answer(call: Call, data: bytes = b"") -> None:
        if call.sender != _contract(call):
            raise PrecompileFailed(f"0x{call.sender.hex()} is not the union bridge")
        if len(data) > LONGEST_EVENT:
            raise PrecompileFailed(f"an event has up to {LONGEST_EVENT} bytes, not {len(data)}")
        storage.store(call, slot, data)

    return answer


METHODS = (
    reading("getUnionBridgeContractAddress() -> address", 3_000, _contract, 502),
    reading("getUnionBridgeLockingCap() -> uint256", 3_000, _locking_cap, 502),
    reading("getSuperEvent() -> bytes", 3_000, partial(storage.load, slot=SUPER_EVENT), 529),
    reading("getBaseEvent() -> bytes", 3_000, partial(storage.load, slot=BASE_EVENT), 529),
    writing("setUnionBridgeContractAddressForTestnet(address) -> int256", 8_000,
            _authorized("union_address", _set_contract), 502),
    writing("increaseUnionBridgeLockingCap(uint256) -> int256", 8_000,
            _authorized("union_locking_cap", _increase_locking_cap), 502),
    writing("requestUnionBridgeRbtc(uint256) -> int256", 8_000, _request, 502),
    writing("releaseUnionBridgeRbtc() -> int256", 8_000, _release, 502),
    writing("setUnionBridgeTransferPermissions(bool,bool) -> int256", 8_000,
            _authorized("union_permissions", _set_permissions), 502),
    writing("setSuperEvent(bytes)", 8_000, _set_event(SUPER_EVENT), 529),
    writing("clearSuperEvent()", 8_000, _set_event(SUPER_EVENT), 529),
    writing("setBaseEvent(bytes)", 8_000, _set_event(BASE_EVENT), 529),
    writing("clearBaseEvent()", 8_000, _set_event(BASE_EVENT), 529),
)  # fmt: skip
