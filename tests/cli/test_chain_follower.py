"""`devchain.cli.chain_follower`"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from devchain.cli import chain_follower
from devchain.cli.chain_follower import ChainFollower, ChainUpdate
from devchain.client.http import LocalClient
from devchain.client.views import BlockView
from devchain.config import Config
from devchain.errors import InvalidInput, RpcFailure
from devchain.node import Node
from tests.cli.scripted import Script, ScriptedClient
from tests.cli.tui.chains import STEPS, ChangingChain
from tests.conftest import GENESIS_TIME


class Replica:
    """What a reader of the updates knows of the chain."""

    def __init__(self) -> None:
        self.blocks: list[BlockView] = []

    def apply(self, update: ChainUpdate) -> None:
        """Take blocks back from the end, then add some there."""
        for each in reversed(update.removed):
            assert self.blocks.pop() == each
        self.blocks += update.added

    @property
    def hashes(self) -> list[str]:
        """The hashes of the blocks, oldest first."""
        return [each.hash for each in self.blocks]


def follower(client: Any, *, limit: int = 5, skips: bool = False, count: int = 1_000) -> Any:
    """A follower from genesis on."""
    return ChainFollower(client, count=count, limit=limit, skips=skips)


class TestDrawnChains:
    @given(STEPS)
    @settings(max_examples=40)
    def test_every_block(self, steps: list[tuple[str, int]]) -> None:
        """Without skipping a reader of the updates has the chain, block for block."""
        with Node(Config(network="test", fixed_clock=GENESIS_TIME)) as node:
            client = LocalClient(node)
            chain, replica, following = ChangingChain(client), Replica(), follower(client)
            for step, count in [*steps, ("poll", 0)]:
                chain.do(step, count)
                if step == "poll":
                    replica.apply(following.poll())
                    while following.is_behind:
                        replica.apply(following.poll())

                    assert replica.hashes == chain.hashes()

    @given(STEPS)
    @settings(max_examples=40)
    def test_newest_blocks(self, steps: list[tuple[str, int]]) -> None:
        """With skipping it has the head, and only blocks that are in the chain."""
        with Node(Config(network="test", fixed_clock=GENESIS_TIME)) as node:
            client = LocalClient(node)
            chain, replica = ChangingChain(client), Replica()
            following = follower(client, limit=3, skips=True)
            for step, count in [*steps, ("poll", 0)]:
                chain.do(step, count)
                if step == "poll":
                    update = following.poll()
                    replica.apply(update)
                    hashes = chain.hashes()

                    assert len(update.added) <= 3
                    assert replica.hashes[-1] == hashes[-1]
                    assert all(hashes[each.number] == each.hash for each in replica.blocks)
                    assert not following.is_behind


class TestPoll:
    def test_unchanged(self, client: LocalClient) -> None:
        """A poll of an unchanged chain is one call."""
        node = ScriptedClient(eth_getBlockByNumber=client.call("eth_getBlockByNumber", "0x0", True))
        following = follower(node)
        following.poll()
        node.calls.clear()

        assert following.poll() == ChainUpdate()
        assert node.calls == [("eth_getBlockByNumber", "latest", False)]

    def test_next_block(self, client: LocalClient) -> None:
        """A block that follows the last is found by two calls."""
        counting = Counting(client)
        following = follower(counting)
        following.poll()
        client.call("evm_mine")
        counting.count = 0
        update = following.poll()

        assert [each.number for each in update.added] == [1]
        assert counting.count == 2

    def test_none(self, client: LocalClient) -> None:
        """A count of 0 begins after the head."""
        client.call("evm_mine")
        following = follower(client, count=0)
        assert following.poll() == ChainUpdate()
        client.call("evm_mine")

        assert [each.number for each in following.poll().added] == [2]

    def test_deep(self, client: LocalClient, monkeypatch: pytest.MonkeyPatch) -> None:
        """Of a reorganization deeper than what is remembered the remembered blocks go."""
        monkeypatch.setattr(chain_follower, "KEPT", 4)
        snapshot = client.call("evm_snapshot")
        client.call("hardhat_mine", "0x9")
        following = follower(client, limit=100)
        following.poll()
        client.call("evm_revert", snapshot)
        client.call("evm_increaseTime", "0x64")
        client.call("hardhat_mine", "0x9")
        update = following.poll()

        assert [each.number for each in update.removed] == [6, 7, 8, 9]
        assert update.added[-1].number == 9

    def test_changes_meanwhile(self, client: LocalClient) -> None:
        """Blocks of two chains, read while it changes, are not mixed: they are read again."""
        client.call("hardhat_mine", "0x3")
        blocks = [client.call("eth_getBlockByNumber", hex(each), True) for each in range(4)]
        other = {**blocks[2], "hash": "0x" + "22" * 32}
        answers = [blocks[3], blocks[0], blocks[1], other, blocks[3], blocks[3], *blocks]
        update = follower(ScriptedClient(eth_getBlockByNumber=Script(answers))).poll()

        assert [each.hash for each in update.added] == [each["hash"] for each in blocks]

    def test_always_another(self, client: LocalClient) -> None:
        """A node whose blocks never fit together is shown after some attempts."""
        client.call("evm_mine")
        blocks = [client.call("eth_getBlockByNumber", hex(each), True) for each in range(2)]
        odd = {**blocks[1], "parentHash": "0x" + "33" * 32}
        answers = Script([odd, blocks[0], odd] * 3)
        update = follower(ScriptedClient(eth_getBlockByNumber=answers)).poll()

        assert [each.number for each in update.added] == [0, 1]

    @pytest.mark.parametrize("answer", [None, {}, [], {"number": "x", "hash": "0x"}, {"number": 1}])
    def test_no_block(self, answer: object) -> None:
        """What is no block is refused in a sentence."""
        with pytest.raises(InvalidInput, match="which is not a block"):
            follower(ScriptedClient(eth_getBlockByNumber=answer)).poll()

    def test_failure(self, client: LocalClient) -> None:
        """An error that the node answers within a batch is raised; the next poll goes on."""
        client.call("evm_mine")
        head = client.call("eth_getBlockByNumber", "latest", True)
        genesis = client.call("eth_getBlockByNumber", "0x0", True)
        failure = RpcFailure(-32005, "too many requests")
        node = ScriptedClient(
            eth_getBlockByNumber=Script([head, failure, head, head, genesis, head])
        )
        following = follower(node)
        with pytest.raises(RpcFailure, match="too many requests"):
            following.poll()

        assert [each.number for each in following.poll().added] == [0, 1]


class Counting:
    """A client that counts its exchanges with the node."""

    def __init__(self, client: LocalClient) -> None:
        self._client = client
        self.count = 0

    def call(self, *call: Any) -> Any:
        """One call."""
        self.count += 1
        return self._client.call(*call)

    def batch(self, calls: Any) -> Any:
        """Several calls."""
        self.count += bool(calls)
        return self._client.batch(calls)
