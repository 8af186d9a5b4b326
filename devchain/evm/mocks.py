"""Mocked calls: answers given in place of what a contract, or a precompiled one, would do.

Rules with mocks have a computation class of their own; without mocks it is not there, and nothing
is looked up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from eth.exceptions import Revert
from eth.vm.computation import BaseComputation

from devchain.evm.rules import Rules
from devchain.types import Address


@dataclass(frozen=True, slots=True)
class Mock:
    """The answer to calls of an address whose data starts with `data`, and that send `value` wei.

    Any value if it is None. With `reverts` the call reverts with the answer as its payload.
    """

    address: Address
    data: bytes
    value: int | None
    answer: bytes
    reverts: bool = False


@dataclass(frozen=True, slots=True)
class Mocks:
    """Mocks in force, those that match first in front; a value that never changes."""

    ordered: tuple[Mock, ...] = ()

    def with_mock(self, mock: Mock) -> Mocks:
        """These and another, in place of one for the same calls.

        A mock of longer data comes before one of shorter, one of a value before one of any.
        """
        kept = [
            each
            for each in self.ordered
            if (each.address, each.data, each.value) != (mock.address, mock.data, mock.value)
        ]
        ordered = sorted([mock, *kept], key=lambda each: (-len(each.data), each.value is None))
        return Mocks(tuple(ordered))

    def find(self, address: Address, data: bytes, value: int) -> Mock | None:
        for each in self.ordered:
            if (
                each.address == address
                and data.startswith(each.data)
                and each.value in (None, value)
            ):
                return each
        return None


NO_MOCKS = Mocks()


class MockingComputation(BaseComputation):
    """The base class that `with_mocks` puts before a computation class."""

    mocks: ClassVar[Mocks]

    @classmethod
    def apply_computation(
        cls, state: Any, message: Any, transaction_context: Any, parent_computation: Any = None
    ) -> Any:
        """Run a message, or answer it: value is transferred, and the callee uses no gas."""
        mock = None
        if not message.is_create:
            data = bytes(message.data)
            mock = cls.mocks.find(message.code_address, data, message.value)
        if mock is None:
            return super().apply_computation(
                state, message, transaction_context, parent_computation
            )
        # An account without code, whose precompiled contract does not run.
        message.code, message.is_delegation = b"", True
        computation = super().apply_computation(
            state, message, transaction_context, parent_computation
        )
        computation.output = mock.answer
        if mock.reverts:
            computation.error = Revert(mock.answer)
        return computation


@lru_cache(maxsize=16)
def mocking_class(kind: Any, mocks: Mocks) -> Any:
    """The computation class that answers mocked calls; the class itself without mocks."""
    if not mocks.ordered:
        return kind
    members = {"mocks": mocks, "__module__": __name__}
    if reference := getattr(kind, "reference", None):  # what traces and coverage run
        members["reference"] = mocking_class(reference, mocks)
    return type(kind.__name__, (MockingComputation, kind), members)


def with_mocks(rules: Rules, mocks: Mocks) -> Rules:
    """The same rules with a VM that answers the mocked calls; the rules themselves for none."""
    kind = rules.vm_class.get_state_class().computation_class
    if not mocks.ordered:
        return rules
    return rules.with_state(computation_class=mocking_class(kind, mocks))
