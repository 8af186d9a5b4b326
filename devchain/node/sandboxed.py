"""`sandbox(node)`: a node's transactions and calls run on one open state, without blocks.

The node asks `NodeCore.open_sandbox` where it would mine a block or read the newest state. `chain`
and JSON-RPC methods still show the blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from devchain.chain.sandbox import Sandbox
from devchain.errors import InvalidInput
from devchain.node.core import NodeCore
from devchain.types import ZERO_ADDRESS, ZERO_HASH, TransactionRequest


def transact(node: NodeCore, opened: Sandbox, request: TransactionRequest) -> tuple[Any, Any]:
    """Run a transaction of a node in its sandbox, as `Node.transact` mines it.

    The block and the receipt have what `Mined` reads, and zeros for hashes.
    """
    block = SimpleNamespace(number=opened.number, timestamp=opened.timestamp, hash=ZERO_HASH)
    outcome = opened.transact(request)
    if outcome.failure:
        raise node.explainer.explain_error(outcome.failure.to_error(), lambda: None)
    return block, SimpleNamespace(
        transaction=SimpleNamespace(sender=request.sender or ZERO_ADDRESS, hash=ZERO_HASH),
        succeeded=True,
        gas_used=outcome.gas_used,
        logs=outcome.logs,
        contract_address=outcome.created,
        first_log_index=0,
    )


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
