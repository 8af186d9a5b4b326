"""Failures that say what the contract said: text, panic, or custom error by name."""

from __future__ import annotations

from devchain.abi.registry import Registry
from devchain.errors import VmError
from devchain.reverts import custom_error, explain, panic_code


def explained(error: VmError, registry: Registry) -> VmError:
    """The same failure, its payload read; a custom error goes by name where an ABI knows it."""
    payload = error.payload
    error.panic_code = panic_code(payload)
    error.custom_error = registry.error(payload)
    error.reason = "" if error.panic_code is not None else explain(payload)
    if error.custom_error is not None:
        unnamed = custom_error(payload)
        named = f"custom error {error.custom_error}"
        error.args = (str(error).replace(unnamed, named), *error.args[1:])
    return error
