"""Calls as deep as the EVM allows, on every CPython: py-evm without recursion through C.

CPython 3.12 and later limit how many calls from C into Python can be nested, to some hundreds. They
count objects with a `__call__`, which py-evm's opcodes for calls are, and generators under `sum` or
`sorted`, with which py-evm collects the results of nested calls. Functions and methods are called
without C in between. So call opcodes become bound methods, and results are collected in a loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from eth.vm.computation import BaseComputation
from eth.vm.opcode import Opcode

from devchain.types import Address


def calls_as_methods(table: Mapping[int, Any]) -> dict[int, Any]:
    """An opcode table whose calls and creations are bound methods instead of callable objects."""
    return {
        opcode: entry.__call__ if isinstance(entry, Opcode) else entry
        for opcode, entry in table.items()
    }


def opcode_object(entry: Any) -> Any:
    """The opcode object of a table's entry, which may be a method of it."""
    return getattr(entry, "__self__", entry)


class IterativeComputation(BaseComputation):
    """A computation that collects refunds, logs and deletions of nested calls in a loop.

    It comes before py-evm's class among the bases; py-evm's methods call those of the children.
    """

    def successful_computations(self, *, with_creations: bool = True) -> list[Any]:
        """This computation and those below it, without failed ones and what is below them."""
        found: list[Any] = [] if self.is_error else [self]
        for computation in found:  # which grows meanwhile
            if computation.children:
                found += [
                    child
                    for child in computation.children
                    if not child.is_error and (with_creations or not child.msg.is_create)
                ]
        return found

    def get_gas_refund(self) -> int:
        """The refund of this computation and those below it, before any limit."""
        refunds = [computation.own_refund for computation in self.successful_computations()]
        refund: int = self.msg.refund + sum(refunds)
        return refund

    @property
    def own_refund(self) -> int:
        """The refund of this computation's own opcodes."""
        return int(self._gas_meter.gas_refunded)

    def get_raw_log_entries(self) -> Any:
        """Their logs, in the order in which they were emitted."""
        entries = [
            computation._log_entries  # noqa: SLF001  # of this class
            for computation in self.successful_computations()
        ]
        return tuple(sorted(chain.from_iterable(entries)))

    def get_accounts_for_deletion(self) -> list[Address]:
        """The contracts that destroyed themselves."""
        computations = self.successful_computations()
        return list(
            {address for computation in computations for address in computation.accounts_to_delete}
        )

    def get_self_destruct_beneficiaries(self) -> list[Address]:
        """The accounts that received the balances of destroyed contracts."""
        computations = self.successful_computations()
        return list(
            {address for computation in computations for address in computation.beneficiaries}
        )
