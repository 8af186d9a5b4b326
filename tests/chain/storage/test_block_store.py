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
    """The part of a transaction that a block store reads."""

    hash: Hash32


@dataclass(frozen=True)
class Receipt:
    """The part of a receipt that a block store reads, with a log."""

    transaction: Tx
    logs: tuple[Log, ...]
    first_log_index: int = 0
    index: int = 0


@dataclass(frozen=True)
class Block:
    """The part of a block that a block store reads, with one transaction."""

    number: int
    hash: Hash32
    receipts: tuple[Receipt, ...]
    state: None = None

    @property
    def transactions(self) -> tuple[Tx, ...]:
        """Its transaction."""
        return tuple(each.transaction for each in self.receipts)


def block(number: int, serial: int) -> Any:  # used as a `Block` of the chain
    """A block with a hash of its own."""
    name = Hash32(serial.to_bytes(32, "big"))
    return Block(number, name, (Receipt(Tx(name), (Log(EMITTER, (name,), b""),)),))


def check(store: MemoryBlockStore, blocks: list[Block], every: list[Block]) -> None:
    """Check that every lookup of a store finds those blocks and no others."""
    size = len(blocks)
    seen = store.blocks
    assert (len(seen), list(seen)) == (size, blocks)
    assert [seen[number] for number in range(-size, size)] == blocks + blocks
    for height in range(size + 1):
        assert list(seen[height:]) == blocks[height:]
    assert list(seen[::-2]) == blocks[::-2]
    assert [store.find(each.hash) for each in blocks] == blocks
    for outside in (size, -size - 1):
        with pytest.raises(IndexError):
            seen[outside]
    for each in every:
        found = each if each in blocks else None
        mined = store.receipt(each.transactions[0].hash)
        assert store.find(each.hash) == found
        assert (mined[0] if mined else None) == found
    found = store.search(LogQuery(1, size, addresses=frozenset({EMITTER})))
    logs = [log for log in found if log is not None]
    assert [each.block for each in logs] == blocks[1:]


STEPS = some.lists(
    some.tuples(
        some.sampled_from(["append", "truncate", "copy"]), some.integers(0, 9), some.integers(0, 9)
    ),
    max_size=40,
)


@given(steps=STEPS)
@settings(max_examples=60, deadline=None)
def test_copies_are_independent(steps: list[tuple[str, int, int]]) -> None:
    """Copies, and copies of copies, are appended to and truncated independently."""
    serial = count()
    genesis = block(0, next(serial))
    every = [genesis]
    first = MemoryBlockStore()
    first.append(genesis)
    pairs: list[tuple[MemoryBlockStore, list[Any]]] = [(first, [genesis])]
    for step, which, amount in steps:
        store, blocks = pairs[which % len(pairs)]
        if step == "append":
            every.append(block(len(blocks), next(serial)))
            store.append(every[-1])
            blocks.append(every[-1])
        elif step == "truncate":
            height = max(len(blocks) - 1 - amount, 0)
            store.truncate(height)
            del blocks[height + 1 :]
        else:
            pairs.append((store.copy(), list(blocks)))
    for store, blocks in pairs:
        check(store, blocks, every)
