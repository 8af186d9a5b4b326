"""How executions fail on Rootstock beyond the ways py-evm knows."""

from __future__ import annotations

from eth.exceptions import VMError


class CodeTooLarge(VMError):
    """A contract's code is over the limit of 24,576 bytes."""


class InitCodeTooLarge(VMError):
    """CREATE or CREATE2 was given more than 49,152 bytes of init code."""


class PrecompileFailed(VMError):
    """A precompiled contract refused its input: a calling contract loses what that cost."""

    burns_gas = False
