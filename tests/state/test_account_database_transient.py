"""`devchain.state.account_database`, judged by py-evm's transient storage."""

from __future__ import annotations

from itertools import count
from typing import Any

from eth.vm.transient_storage import TransientStorage
from hypothesis import given, settings
from hypothesis import strategies as st

from devchain.state.account_database import TransientSlots
from devchain.types import Address

ADDRESSES = [Address(bytes([number]) * 20) for number in range(2)]
SLOTS = [0, 1, 2**256 - 1]
WRITES = st.tuples(
    st.sampled_from(ADDRESSES), st.sampled_from(SLOTS), st.sampled_from([b"", b"\1", b"x" * 32])
)


def frames(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A call: how it ends, and what it does."""
    return st.tuples(st.sampled_from(["commit", "discard"]), st.lists(inner, max_size=5))


TRANSACTION = st.lists(st.recursive(WRITES, frames, max_leaves=12), max_size=5)


class Twins:
    """The two of them, told the same and asked to agree."""

    def __init__(self) -> None:
        self.pair = (TransientStorage(), TransientSlots())
        # py-evm numbers its own checkpoints from zero on, in the whole process.
        self.checkpoints = count(10**9)

    def play(self, call: Any) -> None:
        """A write, or a call with what it does."""
        if not isinstance(call[1], list):
            for each in self.pair:
                each.set_transient_storage(*call)
            return
        checkpoint, (end, inner) = next(self.checkpoints), call
        for each in self.pair:
            each.record(checkpoint)  # type: ignore[arg-type]  # a number by another name
        for one in inner:
            self.play(one)
        for each in self.pair:
            getattr(each, end)(checkpoint)
        self.compare()

    def compare(self) -> None:
        """Every slot reads the same."""
        for address in ADDRESSES:
            for slot in SLOTS:
                judge, slots = (each.get_transient_storage(address, slot) for each in self.pair)
                assert slots == judge


class TestTransientSlots:
    @settings(max_examples=50)
    @given(st.lists(TRANSACTION, max_size=3))
    def test_agreement(self, transactions: list[Any]) -> None:
        """Calls in calls, failing or not, in one transaction after the other read the same."""
        twins = Twins()

        for transaction in transactions:
            for call in transaction:
                twins.play(call)
            twins.compare()
            for each in twins.pair:
                each.clear()
            twins.compare()

    def test_checkpoint_before_the_transaction(self) -> None:
        """A checkpoint from before the transaction leaves nothing, as if it had never begun."""
        slots = TransientSlots()
        slots.record(1)
        slots.clear()
        slots.set_transient_storage(ADDRESSES[0], 1, b"\1")
        slots.discard(1)

        assert slots.get_transient_storage(ADDRESSES[0], 1) == b""
