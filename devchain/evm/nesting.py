"""Messages that nest as deep as the EVM lets them, on every CPython.

CPython 3.12 lets no more than some hundred calls out of C be at work inside one another, and
counts among them calls of objects that have a `__call__`, and what `sum` and `sorted` take from
generators. Functions and methods it calls without counting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from eth.vm.computation import BaseComputation
from eth.vm.opcode import Opcode

from devchain.types import Address


def nestable(table: Mapping[int, Any]) -> dict[int, Any]:
    """That opcode table with its calls and creations as methods."""
    return {
        opcode: each.__call__ if isinstance(each, Opcode) else each
        for opcode, each in table.items()
    }


def opcode_behind(function: Any) -> Any:
    """The object that an entry of a table is, or is the method of."""
    return getattr(function, "__self__", function)


class Nesting(BaseComputation):
    """A computation that goes through those below it one by one, where py-evm has each ask its own.

    It stands in front of py-evm's classes.
    """

    def kept(self, *, creations: bool = True) -> Iterator[Any]:
        """This computation and those below it, without what failed and what is below that."""
        waiting: list[Any] = [self]
        while waiting:
            each = waiting.pop()
            if not each.is_error:
                yield each
                below = each.children
                waiting += below if creations else [one for one in below if not one.msg.is_create]

    def get_gas_refund(self) -> int:
        """What is refunded, before any limit."""
        refund: int = self.msg.refund + sum(each.own_refund for each in self.kept())
        return refund

    @property
    def own_refund(self) -> int:
        """What its own opcodes have earned."""
        return int(self._gas_meter.gas_refunded)

    def get_raw_log_entries(self) -> Any:
        """The logs in the order in which they were emitted."""
        return tuple(sorted(chain.from_iterable([each._log_entries for each in self.kept()])))  # noqa: SLF001  # its own kind

    def get_accounts_for_deletion(self) -> list[Address]:
        """The accounts that have destroyed themselves."""
        return list({address for each in self.kept() for address in each.accounts_to_delete})

    def get_self_destruct_beneficiaries(self) -> list[Address]:
        """Those to whom what they had was left."""
        return list({address for each in self.kept() for address in each.beneficiaries})
