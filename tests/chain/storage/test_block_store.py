"""`devchain.chain.storage.block_store`"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from devchain.chain.block import Log
from devchain.chain.storage.block_store import MemoryBlockStore
from devchain.types import Address, Hash32, LogQuery

EMITTER = Address(bytes(20))


@dataclass(frozen=True)
class Tx:
    """As much of a transaction as is looked at."""

    hash: Hash32


@dataclass(frozen=True)
class Receipt:
    """One with a log."""

    transaction: Tx
    logs: tuple[Log, ...]
    first_log_index: int = 0


@dataclass(frozen=True)
class Block:
    """A block with one transaction."""

    number: int
    hash: Hash32
    receipts: tuple[Receipt, ...]

    @property
    def transactions(self) -> tuple[Tx, ...]:
        """What is in it."""
        return tuple(each.transaction for each in self.receipts)


def made(number: int, serial: int) -> Any:  # stands in for a block
    """A block like no other."""
    name = Hash32(serial.to_bytes(32, "big"))
    return Block(number, name, (Receipt(Tx(name), (Log(EMITTER, (name,), b""),)),))


def check(store: MemoryBlockStore, blocks: list[Block], every: list[Block]) -> None:
    """Whatever can be asked of a store is as those blocks have it."""
    size = len(blocks)
    seen = store.blocks
    assert (len(seen), len(store.by_hash), list(seen)) == (size, size, blocks)
    assert [seen[number] for number in range(-size, size)] == blocks + blocks
    for height in range(size + 1):
        assert list(seen[height:]) == blocks[height:]
    assert list(seen[::-2]) == blocks[::-2]
    assert list(store.by_hash) == [each.hash for each in blocks]
    for outside in (size, -size - 1):
        with pytest.raises(IndexError):
            seen[outside]
    for each in every:
        found = each if each in blocks else None
        mined = store.receipt(each.transactions[0].hash)
        assert store.by_hash.get(each.hash) == found
        assert (mined[0] if mined else None) == found
    logs = store.logs(LogQuery(1, size, addresses=frozenset({EMITTER})))
    assert [each.block for each in logs] == blocks[1:]


STEPS = some.lists(
    some.tuples(
        some.sampled_from(["append", "truncate", "copy"]), some.integers(0, 9), some.integers(0, 9)
    ),
    max_size=40,
)


@given(steps=STEPS)
@settings(max_examples=60, deadline=None)
def test_copies_never_see_each_other(steps: list[tuple[str, int, int]]) -> None:
    """Copies, and copies of copies, grow and shrink each by itself, as plain lists would."""
    serial = count()
    genesis = made(0, next(serial))
    every = [genesis]
    first = MemoryBlockStore()
    first.append(genesis)
    pairs: list[tuple[MemoryBlockStore, list[Any]]] = [(first, [genesis])]
    for step, which, much in steps:
        store, blocks = pairs[which % len(pairs)]
        if step == "append":
            every.append(made(len(blocks), next(serial)))
            store.append(every[-1])
            blocks.append(every[-1])
        elif step == "truncate":
            height = max(len(blocks) - 1 - much, 0)
            store.truncate(height)
            del blocks[height + 1 :]
        else:
            pairs.append((store.copy(), list(blocks)))
    for store, blocks in pairs:
        check(store, blocks, every)


def test_many_copies_in_a_row() -> None:
    """A thousand copies, each a block longer, are found through few layers."""
    store = MemoryBlockStore()
    for number in range(1_000):
        store.append(made(number, number))
        store = store.copy()

    assert len(list(store.blocks.layers())) < 15  # so looking up stays cheap
    assert store.by_hash[Hash32((7).to_bytes(32, "big"))] == made(7, 7)
