"""Calls of `console.log`, recorded while a transaction or call runs.

Contracts print by calling an address that has no code, so nothing in the chain depends on it. The
fast engine records these calls; traces show them under either engine.
"""

from __future__ import annotations

from contextvars import ContextVar, Token

from devchain.types import Address

CONSOLE = Address(bytes.fromhex("000000000000000000636f6e736f6c652e6c6f67"))
"""The address that Hardhat's console.sol calls: the ASCII of `console.log`."""

MAX_CALLS = 10_000  # calls recorded at a time: a loop that prints must not fill the memory
MAX_BYTES = 4 * 1024 * 1024  # call data recorded at a time


class _Calls(list[bytes]):
    """Recorded calls, and how many bytes of call data they have."""

    size = 0


_calls: ContextVar[_Calls | None] = ContextVar("console", default=None)


class ConsoleCalls:
    """A context manager: the call data of the console calls made inside, in order.

    A class, as every call and transaction makes one: a generator takes four times as long.
    """

    __slots__ = ("_token",)

    def __enter__(self) -> list[bytes]:
        calls = _Calls()
        self._token: Token[_Calls | None] = _calls.set(calls)
        return calls

    def __exit__(self, *_: object) -> None:
        _calls.reset(self._token)


def record_console_call(call_data: bytes) -> None:
    """Add a call to the list of the innermost `ConsoleCalls`, if there is one."""
    calls = _calls.get()
    if calls is None or len(calls) >= MAX_CALLS or calls.size + len(call_data) > MAX_BYTES:
        return
    calls.append(call_data)
    calls.size += len(call_data)
