"""`devchain.node.core`: copies of a node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass, replace
from enum import Enum
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import pytest

from devchain.config import Config
from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.types import LogQuery, MineRequest, TransactionRequest
from tests.accounts import ALICE, BOB, CAROL
from tests.conftest import GENESIS_TIME
from tests.contracts.vault import VAULT, WRITTEN


@pytest.fixture(params=["fast", "reference"])
def config(request: pytest.FixtureRequest) -> Config:
    """A node with either engine."""
    return Config(network="test", fixed_clock=GENESIS_TIME, engine=request.param)


@pytest.fixture
def node(config: Config) -> Any:
    """A node with some blocks, a contract and an edited account."""
    with Node(config) as node:
        vault = node.deploy(VAULT, 100)
        vault.deposit(value=5, sender=BOB)
        node.set_balance(CAROL, 7)
        yield node


def everything(node: Node) -> dict[str, Any]:
    """Everything that can be read of a node."""
    chain = node.chain
    return {
        "blocks": [chain.block(number) for number in range(chain.height + 1)],
        "receipts": [chain.receipt(tx.hash) for tx in chain.head.transactions],
        "root": chain.state_root(chain.head),
        "logs": list(node.logs(LogQuery(0, chain.height))),
        "balances": [node.at().balance(each) for each in (ALICE, BOB, CAROL)],
        "nonces": [node.mempool.pending_nonce(each) for each in (ALICE, BOB)],
        "waiting": node.mempool.transactions(),
        "accounts": (node.accounts.addresses(), node.accounts.checkpoint()),
        "clock": node.clock.checkpoint(),
        "miner": node.miner.checkpoint(),
        "prices": (chain.lowest_gas_price(), chain.max_transaction_gas()),
        "pending": chain.pending(),
        "artifacts": [each.name for each in node.artifacts],
        "logging": node.logging_enabled,
    }


def change_everything(node: Node) -> None:
    """Change every component of a node."""
    node.impersonate(CAROL)
    node.accounts.new_from_seed("more")
    node.set_balance(BOB, 1)
    node.deploy(WRITTEN | {"contractName": "Another"}, 3).deposit(value=1)
    node.time_travel(1_000)
    node.mine(MineRequest(3))
    node.chain.set_next_block(gas_limit=6_000_000, minimum_gas_price=3)
    node.mine(1)
    node.miner.set_automine(on=False)
    node.send(TransactionRequest(sender=ALICE, to=BOB, value=1, gas_price=10))
    node.logging_enabled = False


class TestCopy:
    """`Node.copy`"""

    def test_begins_the_same(self, node: Node) -> None:
        """Everything readable is equal, and so is the next block."""
        copied = node.copy()

        assert everything(copied) == everything(node)
        node.mine(1)
        copied.mine(1)
        assert copied.chain.head.hash == node.chain.head.hash

    def test_sees_nothing_of_the_original(self, node: Node) -> None:
        """Changes to the original do not change the copy."""
        copied = node.copy()
        before = everything(copied)

        change_everything(node)

        assert everything(copied) == before

    def test_the_original_sees_nothing_of_it(self, node: Node) -> None:
        """Changes to a copy, or a copy's copy, do not change the original."""
        before = everything(node)
        copied = node.copy()
        change_everything(copied)
        between = everything(copied)
        third = copied.copy()
        change_everything(third)

        assert everything(node) == before
        assert everything(copied) == between
        assert everything(third) != between

    def test_outlives_a_revert(self, node: Node) -> None:
        """The copy keeps blocks and states that the original has reverted."""
        snapshot = node.snapshots.take()
        node.deploy(VAULT, 1)
        copied = node.copy()
        before = everything(copied)

        node.revert(snapshot)
        node.mine(5)

        assert everything(copied) == before
        assert copied.call_tree(copied.chain.head.transactions[0].hash).startswith(
            "new Vault(secondsLocked=1) at"
        )

    def test_leaves_filters_and_snapshots(self, node: Node) -> None:
        """Filters and snapshots are not copied."""
        node.filters.watch_blocks()
        snapshot = node.snapshots.take()

        copied = node.copy()

        assert copied.filters.watch_blocks() == 1
        assert copied.snapshots.find(snapshot) is None

    def test_derives_no_keys(self, node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
        """Keys are not derived once more, which takes most of a node's start."""
        monkeypatch.setattr("devchain.node.accounts._derive_keys", None)

        assert node.copy().accounts.dev_keys == node.accounts.dev_keys

    def test_on_disk(self, tmp_path: Path) -> None:
        """A chain in a data dir cannot be copied."""
        with (
            Node(Config(data_dir=str(tmp_path))) as node,
            pytest.raises(InvalidInput, match="without a data dir"),
        ):
            node.copy()


class TestShares:
    """What a copy shares with the original."""

    def test_nothing_that_changes(self, config: Config) -> None:
        """Of all mutable objects only the coverage, states and what was read are shared."""
        with Node(replace(config, coverage="-")) as node:
            node.deploy(VAULT, 1)
            other = node.copy()

            found = set(shared(node, other, "node"))

            assert found == {
                "node.coverage",  # what runs in either is in both
                "node.artifacts._details",  # what was read of files
                "node.artifacts._compiled",
                "node.artifacts._code_maps",  # positions in sources, by artifact
                "node.chain.plain_rules",  # of the hardfork, which never change
                "node.chain.database",  # states by their root
            }


def shared(
    one: object, other: object, path: str, seen: set[tuple[int, int]] | None = None
) -> Iterator[str]:
    """The paths of mutable objects that two nodes share, each object once."""
    seen = set() if seen is None else seen
    pair = (id(one), id(other))
    if pair in seen or type(one) is not type(other) or is_immutable(one):
        return
    seen.add(pair)
    if one is other:
        yield path
        return
    if isinstance(one, MethodType) and isinstance(other, MethodType):
        yield from shared(one.__self__, other.__self__, f"{path}.__self__", seen)
    elif type(one).__module__.startswith("devchain."):
        theirs = attributes(other)
        for name, value in attributes(one).items():
            yield from shared(value, theirs.get(name), f"{path}.{name}", seen)


def is_immutable(value: object) -> bool:
    """Whether a value and everything in it is immutable."""
    if isinstance(value, tuple | frozenset):
        return all(map(is_immutable, value))
    if is_dataclass(value) and not isinstance(value, type):
        frozen = type(value).__dataclass_params__.frozen  # type: ignore[attr-defined]
        return frozen and all(map(is_immutable, attributes(value).values()))
    simple = (int, float, str, bytes, Enum, type, type(None), FunctionType, BuiltinFunctionType)
    return isinstance(value, simple)


def attributes(value: object) -> dict[str, object]:
    """The attributes of an object, in slots too."""
    slots = [name for each in type(value).__mro__ for name in getattr(each, "__slots__", ())]
    found = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return found | getattr(value, "__dict__", {})
