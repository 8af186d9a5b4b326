"""`sandbox(node)`: a node's transactions and calls run on one open state, without blocks.

The node asks `NodeCore.open_sandbox` where it would mine a block or read the newest state. `chain`
and JSON-RPC methods still show the blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from devchain.chain.sandbox import Sandbox
from devchain.errors import InvalidInput
from devchain.node.core import NodeCore
from devchain.types import ZERO_ADDRESS, ZERO_HASH, Address, Hash32, TransactionRequest


class SandboxTransaction(NamedTuple):
    """The part of a transaction that its receipt names; it is not signed, and has no hash."""

    sender: Address
    hash: Hash32 = ZERO_HASH


class SandboxReceipt(NamedTuple):
    """A receipt of a transaction in a sandbox, with the attributes that `Mined` reads."""

    transaction: SandboxTransaction
    succeeded: bool
    gas_used: int
    logs: tuple[Any, ...]
    contract_address: Address | None
    first_log_index: int = 0


class SandboxBlock(NamedTuple):
    """The number and time of the block that a transaction would have been in; it has no hash."""

    number: int
    timestamp: int
    hash: Hash32 = ZERO_HASH


def transact(
    node: NodeCore, opened: Sandbox, request: TransactionRequest
) -> tuple[SandboxBlock, SandboxReceipt]:
    """Run a transaction of a node in its sandbox, as `Node.transact` mines it."""
    block = SandboxBlock(opened.number, opened.timestamp)
    outcome = opened.transact(request)
    if outcome.failure:
        raise node.explainer.explain_error(outcome.failure.to_error(), lambda: None)
    receipt = SandboxReceipt(
        SandboxTransaction(request.sender or ZERO_ADDRESS),
        succeeded=True,
        gas_used=outcome.gas_used,
        logs=outcome.logs,
        contract_address=outcome.created,
    )
    return block, receipt


@contextmanager
def sandbox(node: NodeCore, opened: Sandbox | None = None) -> Iterator[Sandbox]:
    """Run a node's transactions and calls in the `with` block without blocks, and undo them.

    For fuzzing: a transaction takes a tenth of the time. Each is as in a block of its own, a
    second after the one before; none is signed, so that every account sends. What needs blocks
    raises `InvalidInput`, and so does a node with the reference engine.
    """
    if node.open_sandbox:
        raise InvalidInput("the node is in a sandbox: use snapshot() in it")
    node.open_sandbox = opened or new_sandbox(node)
    try:
        yield node.open_sandbox
    finally:
        node.open_sandbox = None


def new_sandbox(node: NodeCore, rules: Any = None) -> Sandbox:
    timestamp = node.clock.block_time(node.chain.head.timestamp)
    return Sandbox(node.chain, node.miner.coinbase, timestamp, rules)
