"""Records the calls and balances that a test reads, for the program that reproduces its failure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from devchain.errors import VmError
from devchain.types import (
    Address,
    BlockLike,
    BlockOverride,
    Hash32,
    StateLike,
    StateOverrides,
    Tag,
    TransactionRequest,
    address_of,
    block_of,
)

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
    # As in a sandbox the class is replaced: other nodes, and other tests, do without recording.
    plain: type[Node] = type(node)
    reads: list[Read] = []

    class RecordedNode(plain):  # type: ignore[misc,valid-type]  # of the node itself
        def call(
            self,
            request: TransactionRequest,
            block: StateLike = Tag.LATEST,
            overrides: StateOverrides | None = None,
            block_override: BlockOverride | None = None,
        ) -> bytes:
            result: bytes | VmError
            try:
                result = super().call(request, block, overrides, block_override)
            except VmError as error:
                result = error
            if not overrides and not block_override:
                reads.append(Read(self.chain.head.hash, request, block, result))
            if isinstance(result, VmError):
                raise result
            return result

        def balance(self, address: object, block: BlockLike = Tag.LATEST) -> int:
            wei: int = super().balance(address, block)
            request = TransactionRequest(to=Address(address_of(address)))
            reads.append(Read(self.chain.head.hash, request, block_of(block), wei))
            return wei

        def copy(self, *arguments: Any, **named: Any) -> Node:
            copied: Node = super().copy(*arguments, **named)
            copied.__class__ = plain
            return copied

    node.__class__ = RecordedNode
    try:
        yield reads
    finally:
        node.__class__ = plain
