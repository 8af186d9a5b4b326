"""Traces to step through: the opcodes that ran, and the code and storage before them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from devchain.types import Address

MAX_STEPS = 100_000
"""Opcodes that are stepped through by default; of a longer execution the first ones."""

ADDRESS_SIZE = 20
DELEGATION = bytes.fromhex("ef0100")
"""The beginning of the code of an account that delegates to a contract (EIP-7702)."""


@dataclass(frozen=True, slots=True)
class Step:
    """An opcode, with the state before it: depth from 1, stack with the top last."""

    op: str
    pc: int
    gas: int
    cost: int
    depth: int
    stack: tuple[int, ...]
    error: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is traced: a transaction, or a call. `to` is None if it creates a contract.

    `created` is the new contract.
    """

    title: str
    sender: Address
    to: Address | None
    data: bytes
    value: int
    created: Address | None = None


class Accounts(Protocol):
    """Code and storage of accounts before the execution, as far as they are known."""

    def code(self, address: Address) -> bytes:
        """The code of an account; empty if it has none, or it is not known."""

    def storage(self, address: Address, slot: int) -> int | None:
        """The value of a storage slot before the execution; None if it is not known."""

    def output(self, to: Address, data: bytes) -> bytes | None:
        """What a precompiled contract returns; None if it is not known."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The steps of a subject; `is_cut` if there are more."""

    subject: Subject
    steps: tuple[Step, ...]
    failed: bool
    output: bytes
    is_cut: bool
    accounts: Accounts


def delegate_of(code: bytes) -> Address | None:
    """The contract whose code an account runs that has that code (EIP-7702); None for its own."""
    if not code.startswith(DELEGATION) or len(code) != len(DELEGATION) + ADDRESS_SIZE:
        return None
    return Address(code[len(DELEGATION) :])
