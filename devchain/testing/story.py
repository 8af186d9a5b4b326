"""What happened on the chain in a failing test, as sections of its report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from devchain.errors import VmError
from devchain.types import Hash32

if TYPE_CHECKING:
    import pytest

    from devchain.node import Node
    from devchain.testing.isolation import Isolation

MOST_SHOWN = 20


def sections(
    isolation: Isolation, raised: pytest.ExceptionInfo[BaseException] | None, *, everything: bool
) -> Iterator[tuple[str, str]]:
    """The calls behind the error raised, and those of the test's failed or of all transactions."""
    node = isolation.node
    if node is None:
        return
    yield from _raised(node, raised)
    shown = list(_mined(node, isolation.since, everything=everything))
    for tx_hash, number in shown[:MOST_SHOWN]:
        yield f"devchain: transaction 0x{tx_hash.hex()} in block {number}", node.call_tree(tx_hash)
    if len(shown) > MOST_SHOWN:
        yield "devchain", f"{len(shown) - MOST_SHOWN} more transactions are not shown"


def _raised(
    node: Node, raised: pytest.ExceptionInfo[BaseException] | None
) -> Iterator[tuple[str, str]]:
    error = raised.value if raised else None
    failure = error if isinstance(error, VmError) else node.last_failure
    if failure is not None and failure.call_tree:
        yield "devchain: calls of the failure", f"{failure}\n{failure.call_tree}"


def _mined(node: Node, since: int, *, everything: bool) -> Iterator[tuple[Hash32, int]]:
    for block in node.chain.blocks_after(since):
        for receipt in block.receipts:
            if everything or receipt.failure:
                yield receipt.transaction.hash, block.number
