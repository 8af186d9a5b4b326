"""Random scenarios: sequences of actions on a node, for property-based tests of persistence."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hypothesis import strategies as st

from devchain.errors import DevchainError
from devchain.node import Node, cheats
from devchain.tracing.options import TraceOptions
from devchain.tracing.replay import trace_transaction
from devchain.types import MineRequest, Tag
from tests.accounts import ALICE, BOB, CAROL, UNFUNDED
from tests.actions import deploy, fingerprint, send
from tests.bytecode import COUNTER, EMIT, ENVIRONMENT, REVERT, error_payload, word

Step = tuple[str, int]
"""An action by name, and a number that varies it."""

CONTRACTS = (COUNTER, EMIT, REVERT, ENVIRONMENT)


def _call_newest(node: Node, number: int) -> None:
    blocks = reversed(node.chain.blocks_after(-1))
    made = [each.contract_address for block in blocks for each in block.receipts]
    contracts = [each for each in made if each is not None]
    data = word(number) * 3 if number % 2 else error_payload("no")
    send(node, contracts[number % len(contracts)] if contracts else BOB, data)


def _impersonate(node: Node, number: int) -> None:
    node.accounts.impersonate(UNFUNDED)
    node.set_balance(UNFUNDED, 10**18)
    send(node, CAROL, sender=UNFUNDED, value=number)


def _edit(node: Node, number: int) -> None:
    node.set_balance(BOB, number)
    node.set_code(CAROL, COUNTER)
    node.set_storage(CAROL, 0, number)


ACTIONS: dict[str, Callable[[Node, int], Any]] = {
    "transfer": lambda node, number: send(node, BOB, value=number, gas_price=number),
    "deploy": lambda node, number: deploy(node, CONTRACTS[number % len(CONTRACTS)]),
    "call": _call_newest,
    "mine": lambda node, number: node.mine(MineRequest(blocks=number)),
    "stop": lambda node, number: setattr(node.miner, "running", False),
    "start": lambda node, number: node.start_mining(),
    "interval": lambda node, number: node.miner.set_interval(float(number + 1)),
    "queue": lambda node, number: send(node, CAROL, sender=BOB, nonce=number + 2),
    "advance": lambda node, number: node.clock.advance(number),
    "set time": lambda node, number: node.clock.set_next_timestamp(node.clock.now() + number + 1),
    "gas limit": lambda node, number: node.chain.set_next_block(gas_limit=6_000_000 + number),
    "edit": _edit,
    "nonce": lambda node, number: node.set_nonce(CAROL, number),
    "impersonate": _impersonate,
    "snapshot": lambda node, number: node.snapshots.take(),
    "revert": lambda node, number: node.revert(number + 1),
    "rollback": cheats.rollback,
    "reorg": lambda node, number: cheats.reorg(node, number, []),
    "reset": lambda node, number: node.reset(),
}

scenarios = st.lists(st.tuples(st.sampled_from(sorted(ACTIONS)), st.integers(0, 4)), max_size=25)


def run_scenario(node: Node, steps: list[Step]) -> None:
    """Perform the actions; those that the node rejects are skipped."""
    for action, number in steps:
        with suppress(DevchainError, AssertionError):
            ACTIONS[action](node, number)


def persistent_fingerprint(node: Node) -> dict[str, object]:
    """`fingerprint` of what a node persists: without filters, and without the mempool's journal."""
    found = fingerprint(node)
    del found["filters"]
    found["pool"] = (node.mempool.pending(), node.mempool.queued())
    found["snapshots"] = list(node.snapshots.all())
    return found


def history(node: Node) -> list[object]:
    """Balances and proofs at every block, and traces of all transactions."""
    chain = node.chain
    options = TraceOptions(tracer="callTracer")
    states = [chain.state_at(number) for number in range(chain.height + 1)]
    traces = [
        trace_transaction(chain, tx.hash, options)
        for block in chain.blocks_after(-1)
        for tx in block.transactions
    ]
    return [
        [
            (each.balance(address), each.proof(address, [0]))
            for each in states
            for address in (ALICE, CAROL)
        ],
        [each.top if each else None for each in traces],
        chain.state_at(Tag.LATEST).root,
    ]
