"""Execution errors that Ethereum does not have."""

from __future__ import annotations

from eth.exceptions import VMError


class CodeTooLarge(VMError):
    """The code of a new contract is larger than 24,576 bytes."""


class InitCodeTooLarge(VMError):
    """The init code of a new contract is larger than 49,152 bytes (RSKIP438)."""


class PrecompileFailed(VMError):
    """A precompiled contract rejected its input; the calling contract gets unused gas back."""

    burns_gas = False


class PrecompileUnsupported(VMError):
    """The real node's precompiled contract accepts a call that devchain's does not implement.

    Unlike a rejection, this fails a transaction.
    """

    burns_gas = False
