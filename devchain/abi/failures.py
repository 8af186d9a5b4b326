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
    error.args = (named(str(error), payload, registry), *error.args[1:])
    return error


def named(text: str, payload: bytes, registry: Registry) -> str:
    """What is said of a failure, a custom error by its name and values where an ABI knows it."""
    known = registry.error(payload)
    return text.replace(custom_error(payload), f"custom error {known}") if known else text
