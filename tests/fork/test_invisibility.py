"""A fork is as the chain it was made from, but for roots and hashes.

A random scenario runs on a node, which is forked; another then runs on both. Every action ends the
same, and whatever can be read of the two is equal: under every hardfork, with either engine.

A run has a scenario for half of the hardforks, a third of them on the reference engine.
`FORK_SCENARIOS=20` in the environment draws 20 for each hardfork and engine.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from devchain.client.http import connect
from devchain.errors import DevchainError, RpcFailure
from devchain.networks import HARDFORKS
from devchain.node import Node
from tests.accounts import ADDRESSES
from tests.fork.pairs import (
    CLOCK,
    SCENARIOS,
    Pair,
    Requests,
    everything,
    perform,
    prepare,
    settle,
    without_hashes,
)
from tests.fork.upstreams import fork_of
from tests.scenarios import ACTIONS, Step, run_scenario, scenarios

BEYOND = {"reset", "rollback", "reorg"}
"""Actions that may remove blocks from before the fork."""

after_fork = st.lists(
    st.tuples(st.sampled_from(sorted(set(ACTIONS) - BEYOND)), st.integers(0, 4)), max_size=15
)
CASES = [
    (hardfork, engine, seed)
    for place, hardfork in enumerate(HARDFORKS)
    for at, engine in enumerate(("fast", "reference"))
    for seed in range(SCENARIOS or place % (3, 6)[at] == at)
]
TRACE = {"tracer": "callTracer"}


@settings(
    max_examples=12,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(before=scenarios, after=after_fork)
@example(before=[("deploy", 0), ("call", 0)], after=[("call", 0), ("transfer", 1), ("edit", 2)])
def test_a_fork_is_as_its_upstream(before: list[Step], after: list[Step]) -> None:
    """Drawn scenarios before and after the fork."""
    with Node(fixed_clock=1_700_000_000) as node:
        run_scenario(node, before)
        node.mempool.clear()
        node.snapshots.clear()
        for address, balance in node.accounts.balances().items():
            node.set_balance(address, balance)
        fork, _ = fork_of(node, fixed_clock=1_700_000_000)
        with fork:
            settle(node, fork)
            first = node.chain.height
            for step in after:
                assert outcome(fork, step) == outcome(node, step), step
            assert readable(fork, first) == readable(node, first)


@pytest.mark.filterwarnings("ignore:SELFDESTRUCT opcode")  # a warning of py-evm
@pytest.mark.parametrize(("hardfork", "engine", "seed"), CASES)
def test_contracts_do_the_same(hardfork: str, engine: str, seed: int) -> None:
    """Random contracts that call, create and destroy one another, and calls at any block."""
    rng = Random(f"{hardfork} {engine} {seed}")  # noqa: S311  # the same in every run
    options: dict[str, Any] = {"fixed_clock": CLOCK, "hardfork": hardfork, "engine": engine}
    options["request_timeout"] = 600
    requests = Requests(rng, hardfork)
    with Node(**options) as node:
        prepare(node, requests, rng.randint(1, 4))
        first = node.chain.height
        fork, _ = fork_of(node, **options)
        with fork:
            settle(node, fork)
            pair = Pair(node, connect(fork))
            for _ in range(rng.randint(3, 8)):
                if rng.random() < 0.4:
                    perform(pair.check, requests.change())
                else:
                    pair.check(*requests.read(range(first - 2, node.chain.height + 1)))
            for each in everything(pair.theirs, first - 2):
                pair.check(*each)


def outcome(node: Node, step: Step) -> object:
    """The result of an action, or its error."""
    action, number = step
    try:
        result = ACTIONS[action](node, number)
    except (DevchainError, AssertionError) as error:
        return type(error).__name__, str(error)
    return result if isinstance(result, int | bool) else None


def readable(node: Node, first: int) -> dict[str, Any]:
    """What clients can read of every block and account, without hashes."""
    client = connect(node)

    def ask(method: str, *params: object) -> Any:
        try:
            return without_hashes(client.call(method, *params))
        except RpcFailure as failure:
            return failure.code, str(failure)

    blocks = [
        client.call("eth_getBlockByNumber", hex(n), True) for n in range(node.chain.height + 1)
    ]
    hashes = [tx["hash"] for block in blocks for tx in block["transactions"]]
    created = {
        made["contractAddress"]
        for each in hashes
        if (made := client.call("eth_getTransactionReceipt", each))["contractAddress"]
    }
    addresses = sorted(created | {f"0x{each.hex()}" for each in (*ADDRESSES, node.miner.coinbase)})
    heights = [*range(max(0, first - 2), node.chain.height + 1), "latest"]
    tags = [each if isinstance(each, str) else hex(each) for each in heights]
    return {
        "blocks": [without_hashes(block) for block in blocks],
        "receipts": [ask("eth_getTransactionReceipt", each) for each in hashes],
        "traces": [ask("debug_traceTransaction", each, TRACE) for each in hashes],
        "logs": ask("eth_getLogs", {"fromBlock": "0x0"}),
        "accounts": {
            (address, tag): (
                ask("eth_getBalance", address, tag),
                ask("eth_getTransactionCount", address, tag),
                ask("eth_getCode", address, tag),
                [ask("eth_getStorageAt", address, hex(slot), tag) for slot in (0, 3)],
                ask("eth_call", {"to": address, "data": "0x" + "01" * 32}, tag),
            )
            for address in addresses
            for tag in tags
        },
        "pool": ask("txpool_content"),
        "fees": ask("eth_feeHistory", "0x5", "latest", [50]),
    }
