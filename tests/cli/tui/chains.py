"""Drawn sequences of mining, reverts and resets on a node."""

from __future__ import annotations

from hypothesis import strategies

from devchain.client.http import LocalClient
from tests.accounts import ALICE_HEX, BOB_HEX

STEPS = strategies.lists(
    strategies.one_of(
        strategies.tuples(strategies.just("mine"), strategies.integers(1, 12)),
        strategies.tuples(strategies.just("send"), strategies.integers(1, 3)),
        strategies.tuples(strategies.just("snapshot"), strategies.just(0)),
        strategies.tuples(strategies.just("revert"), strategies.integers(0, 3)),
        strategies.tuples(strategies.just("reset"), strategies.just(0)),
        strategies.tuples(strategies.just("poll"), strategies.just(0)),
    ),
    max_size=12,
)
"""What happens to a chain; `poll` is for the test to do."""


class ChangingChain:
    """A node on which the steps are done."""

    def __init__(self, client: LocalClient) -> None:
        """Change the node of that client."""
        self._client = client
        self._snapshots: list[str] = []
        self._time = 1_700_000_000

    def do(self, step: str, count: int) -> None:
        """Do one step; a different timestamp makes each block another."""
        if step == "mine":
            self._later()
            self._client.call("hardhat_mine", hex(count))
        elif step == "send":
            for _ in range(count):
                self._later()
                request = {"from": ALICE_HEX, "to": BOB_HEX, "value": hex(count)}
                self._client.call("eth_sendTransaction", request)
        elif step == "snapshot":
            self._snapshots.append(self._client.call("evm_snapshot"))
        elif step == "revert" and self._snapshots:
            kept = max(0, len(self._snapshots) - 1 - count)
            self._client.call("evm_revert", self._snapshots[kept])
            self._snapshots = self._snapshots[:kept]
        elif step == "reset":
            self._client.call("hardhat_reset")
            self._snapshots = []

    def _later(self) -> None:
        self._time += 60
        self._client.call("evm_setNextBlockTimestamp", hex(self._time))

    def hashes(self) -> list[str]:
        """The hashes of all blocks, from genesis on."""
        height = int(self._client.call("eth_blockNumber"), 16)
        return [
            self._client.call("eth_getBlockByNumber", hex(each), False)["hash"]
            for each in range(height + 1)
        ]
