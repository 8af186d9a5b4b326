"""State overrides: make accounts look different for the length of one call."""

from __future__ import annotations

from typing import Any

from devchain.types import Address, StateOverride, StateOverrides


def apply(state: Any, overrides: StateOverrides) -> None:
    """Change an open py-evm state as the override set says."""
    for address, override in overrides.items():
        _apply_one(state, address, override)
    state.lock_changes()


def _apply_one(state: Any, address: Address, override: StateOverride) -> None:
    if override.balance is not None:
        state.set_balance(address, override.balance)
    if override.nonce is not None:
        state.set_nonce(address, override.nonce)
    if override.code is not None:
        state.set_code(address, override.code)
    if override.state is not None:
        state.delete_storage(address)
    for slot, value in (override.state or override.state_diff or {}).items():
        state.set_storage(address, slot, value)
