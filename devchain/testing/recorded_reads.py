"""Records the calls and balances that a test reads, for the program that reproduces its failure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from devchain.errors import VmError
from devchain.types import Hash32, StateLike, TransactionRequest

if TYPE_CHECKING:
    from devchain.node import Node


class Read(NamedTuple):
    """A call or balance that was read after the block `head`.

    A balance is a request without `data`. `result` is a call's output, a balance in wei, or the
    error that was raised.
    """

    head: Hash32
    request: TransactionRequest
    block: StateLike
    result: bytes | int | VmError


@contextmanager
def recorded_reads(node: Node) -> Iterator[list[Read]]:
    """Add to a list what is read of a node in the `with` block: calls that ran, and balances.

    Calls that name overrides are left out.
    """
    reads: list[Read] = []

    def record(
        request: TransactionRequest, block: StateLike, result: bytes | int | VmError
    ) -> None:
        reads.append(Read(node.chain.head.hash, request, block, result))

    before, node.on_read = node.on_read, record
    try:
        yield reads
    finally:
        node.on_read = before
