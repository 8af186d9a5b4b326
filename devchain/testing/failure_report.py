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
    failure = _failure(node, raised)
    told = failure.call_tree if failure else ""
    if told:
        yield "devchain: calls of the failure", f"{failure}\n{told}"
    mined = list(_mined(node, isolation.since, everything=everything))
    for tx_hash, number in mined[:MOST_SHOWN]:
        tree = node.call_tree(tx_hash)
        if tree != told:  # what was raised is told already
            yield f"devchain: transaction 0x{tx_hash.hex()} in block {number}", tree
    if len(mined) > MOST_SHOWN:
        yield "devchain", f"{len(mined) - MOST_SHOWN} more transactions are not shown"


def _failure(node: Node, raised: pytest.ExceptionInfo[BaseException] | None) -> VmError | None:
    """The error raised, or what a client made another error of; none behind a plain `assert`."""
    error = raised.value if raised else None
    if isinstance(error, VmError):
        return error
    is_client_s = isinstance(error, Exception) and not isinstance(error, AssertionError)
    return node.last_failure if is_client_s else None


def _mined(node: Node, since: int, *, everything: bool) -> Iterator[tuple[Hash32, int]]:
    for block in node.chain.blocks_after(since):
        for receipt in block.receipts:
            if everything or receipt.failure:
                yield receipt.transaction.hash, block.number
