"""What the rules of a hardfork say of opcodes beside their table: prices by content, warm slots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple


class SstoreGas(NamedTuple):
    """The gas of SSTORE by the value that a slot has, without net metering (EIP-1283)."""

    set: int
    """Zero becomes another value."""
    reset: int
    """Any other write."""
    clear_refund: int
    """The refund when a value becomes zero."""


@dataclass(frozen=True, slots=True)
class OpcodeRules:
    """How the compiler has to treat opcodes whose work or price depends on the hardfork.

    `sstore` names the function of `compiler.runtime` that stores, `sstore_gas` is what it is given:
    `SstoreGas`, or py-evm's schedule of net metering.
    """

    sstore: str
    sstore_gas: Any
    exp_byte_gas: int
    """The gas of EXP for each byte of the exponent."""
    has_static_calls: bool = True
    """Whether SSTORE and LOG fail in a static call."""
    has_warm_slots: bool = False
    """Whether SLOAD costs less when the slot was used before (EIP-2929)."""
    has_prev_randao: bool = False
    """Whether 0x44 is PREVRANDAO instead of DIFFICULTY."""
