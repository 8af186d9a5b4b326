"""A fork is as the chain it was made from, but for roots and hashes.

A random scenario runs on a node, which is forked; another then runs on both. Every action ends the
same, and whatever can be read of the two is equal.
"""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from devchain.client.http import connect
from devchain.errors import DevchainError, RpcFailure
from devchain.node import Node, cheats
from tests.accounts import ADDRESSES
from tests.fork.upstreams import fork_of
from tests.scenarios import ACTIONS, Step, run_scenario, scenarios

BEYOND = {"reset", "rollback", "reorg"}
"""Actions that may remove blocks from before the fork."""

after_fork = st.lists(
    st.tuples(st.sampled_from(sorted(set(ACTIONS) - BEYOND)), st.integers(0, 4)), max_size=15
)
HASHES = {
    "hash", "blockHash", "parentHash", "stateRoot", "mixHash", "receiptsRoot", "transactionsRoot",
    "hashForMergedMining", "bitcoinMergedMiningHeader", "bitcoinMergedMiningCoinbaseTransaction",
    "bitcoinMergedMiningMerkleProof", "root",
}  # fmt: skip
"""Members that depend on state roots."""

TRACE = {"tracer": "callTracer"}


@settings(
    max_examples=25,
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
            cheats.set_balance(node, address, balance)
        fork, _ = fork_of(node, fixed_clock=1_700_000_000)
        with fork:
            settle(node, fork)
            first = node.chain.height
            for step in after:
                assert outcome(fork, step) == outcome(node, step), step
            assert readable(fork, first) == readable(node, first)


def settle(node: Node, fork: Node) -> None:
    """Give the fork what is no part of a chain: time, mining mode, keys and prices."""
    fork.clock.restore(node.clock.checkpoint())
    fork.miner.restore(node.miner.checkpoint())
    fork.accounts.restore(node.accounts.checkpoint())
    fork.chain._next_block = node.chain.next_block_overrides
    fork.snapshots.last_id = node.snapshots.last_id


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


def without_hashes(value: Any) -> Any:
    """A JSON value without members that depend on state roots."""
    if isinstance(value, dict):
        return {key: without_hashes(each) for key, each in value.items() if key not in HASHES}
    if isinstance(value, list):
        return [without_hashes(each) for each in value]
    return value
