"""Sets fields of accounts: overrides of a call's state, genesis accounts, accounts of a dump."""

from __future__ import annotations

from typing import Any

from devchain.types import StateOverrides


def apply_overrides(state: Any, overrides: StateOverrides) -> None:
    """Set the fields that the overrides name, in an open py-evm state or account database."""
    for address, override in overrides.items():
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
    state.lock_changes()
