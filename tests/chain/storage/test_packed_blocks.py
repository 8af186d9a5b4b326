"""`devchain.chain.storage.packed_blocks`"""

from __future__ import annotations

import gc
import tracemalloc
from dataclasses import fields, replace
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from devchain import Config, Node, networks
from devchain.chain.block import Block
from devchain.chain.storage.packed_blocks import CHUNK, BlockList, HashIndex, PackedBlocks, column
from devchain.evm.rootstock.header import RootstockHeader
from devchain.evm.rules import header_fields
from devchain.state.state_database import RetainedState
from devchain.types import BlockHash, Hash32

BOB = "0x" + 19 * "00" + "b0"
BYTES_PER_BLOCK = 200
"""Of a block without transactions; as objects it takes 700."""
HARDFORKS = [*networks.ROOTSTOCK[::3], *networks.ETHEREUM[::3], "prague"]


def parts(block: Block) -> list[Any]:
    """All that a block has, also what comparisons leave out."""
    header = [getattr(block.header, name) for name in header_fields(block.header)]
    rest = [getattr(block, each.name) for each in fields(block)]
    return [type(block.header), *header, *rest, block.raw_header, block.merged_mining, block.size]


def block(number: int, parent: Hash32, serial: int, **changes: Any) -> Block:
    """A block of that number with a hash of its own; `serial` decides what else differs."""
    header = RootstockHeader(
        parent_hash=parent,
        block_number=number,
        timestamp=number + serial // 7,
        gas_limit=-serial if serial % 50 == 7 else 6_800_000,
        state_root=bytes(32) if serial % 3 else serial.to_bytes(32, "big"),
        extra_data=bytes(serial % 5),
        paid_fees=2**64 + serial if serial % 11 else 0,
        umm_root=None if serial % 13 else b"",
        fork_data=serial.to_bytes(12, "big"),
    )
    name = Hash32((serial + 1).to_bytes(2, "big") * 16)
    state = RetainedState(Hash32(header.state_root)) if serial % 4 else None
    return replace(Block(header, name, serial, state=state), **changes)


@pytest.mark.parametrize("hardfork", HARDFORKS)
def test_blocks_are_as_they_were(hardfork: str) -> None:
    """Old blocks have every field that they had when they were mined, with and without content."""
    with Node(Config(hardfork=hardfork)) as node:
        mined: list[Block] = []
        node.chain.block_listeners.append(mined.append)
        node.mine(40)
        node.transact(to=BOB, data=b"1")
        node.mine(3 * CHUNK)

        for expected in mined:
            assert parts(node.chain.block(expected.number)) == parts(expected)
            assert parts(node.chain.block(BlockHash(expected.hash))) == parts(expected)


@pytest.mark.parametrize(
    ("hardfork", "limit"),
    [
        (networks.ROOTSTOCK[0], BYTES_PER_BLOCK),
        (networks.ROOTSTOCK[-1], BYTES_PER_BLOCK),
        ("cancun", 1_500),  # two slots in the state of the head, and hashes on their paths
        ("prague", 2_000),
    ],
)
def test_memory_of_empty_blocks(hardfork: str, limit: int) -> None:
    """Blocks without transactions take few bytes each, also while one request mines many."""
    with Node(Config(hardfork=hardfork, request_timeout=0)) as node:
        node.mine(2 * CHUNK)
        tracemalloc.start()
        node.mine(8 * CHUNK)
        peak = tracemalloc.get_traced_memory()[1]
        gc.collect()
        used = tracemalloc.get_traced_memory()[0]
    del node
    gc.collect()
    passing = peak - used
    used -= tracemalloc.get_traced_memory()[0]  # what caches and imports of the process have kept
    tracemalloc.stop()

    # As many blocks as before are objects; the index by hash begins with its buckets.
    assert (used - 150_000) / (8 * CHUNK) < limit
    # Less than the blocks of the request would take as objects.
    assert passing / (8 * CHUNK) < 450


def test_copies_and_reverts_of_packed_blocks() -> None:
    """A copy shares old blocks; reverts into them remove what came after, edits too."""
    with Node(Config()) as node:
        node.mine(20)
        early = node.snapshots.take()
        sent = node.transact(to=BOB, data=b"1").hash
        node.set_balance(BOB, 7)
        node.mine(2 * CHUNK)
        middle = node.chain.head
        snapshot = node.snapshots.take()
        node.mine(3 * CHUNK)

        with node.copy() as copy:
            node.revert(snapshot)
            assert parts(node.chain.head) == parts(middle)
            assert node.chain.receipt(sent)
            node.revert(early)
            assert node.chain.height == 20
            assert node.chain.receipt(sent) is None
            assert node.chain.find_block(middle.number) is None
            assert node.chain.edited_roots() == {}
            node.mine(2 * CHUNK + 20)
            assert copy.chain.height == 21 + 5 * CHUNK
            assert parts(copy.chain.block(middle.number)) == parts(middle)
            assert copy.chain.receipt(sent)
            assert node.chain.block(middle.number).hash != middle.hash


SPECIAL: tuple[dict[str, Any], ...] = ({}, {}, {}, {"sealed": False}, {"transactions": ("tx",)})


@given(
    steps=some.lists(some.tuples(some.integers(0, 700), some.integers(0, 900)), max_size=6),
    special=some.lists(some.sampled_from(SPECIAL), min_size=1, max_size=9),
)
@settings(max_examples=30, deadline=None)
def test_as_a_list(steps: list[tuple[int, int]], special: list[dict[str, Any]]) -> None:
    """A list of blocks does what Python's does, however it grew and shrank."""
    serial = count()
    blocks, expected = BlockList(), list[Block]()
    removed: list[Block] = []
    for appended, kept in steps:
        for _ in range(appended):
            number = next(serial)
            parent = expected[-1].hash if expected else Hash32(bytes(32))
            new = block(len(expected), parent, number, **special[number % len(special)])
            blocks.append(new)
            expected.append(new)
        gone = blocks.truncate(min(kept, len(expected)))
        assert sorted(each.hash for each in gone) == sorted(
            each.hash for each in expected[kept:] if each.transactions
        )
        removed += expected[kept:]
        del expected[kept:]

    size = len(expected)
    assert len(blocks) == size
    assert [each.hash for each in blocks] == [each.hash for each in expected]
    assert all(blocks[each - size] == expected[each] for each in range(size))
    assert blocks[size // 3 : -1] == expected[size // 3 : -1]
    assert blocks[::-2] == expected[::-2]
    assert all(blocks.find(each.hash) == each for each in expected)
    assert all(blocks.find(each.hash) is None for each in removed)
    for outside in (size, -size - 1):
        with pytest.raises(IndexError):
            blocks[outside]


class TestPackedBlocks:
    def test_parents_that_are_not_the_block_before(self) -> None:
        """A parent hash is kept where it is not the hash of the block before."""
        blocks = [block(number, Hash32(bytes([number]) * 32), number) for number in range(9)]

        actual = PackedBlocks(blocks)

        assert [actual[number].parent_hash for number in range(9)] == [
            each.parent_hash for each in blocks
        ]


class TestColumn:
    @pytest.mark.parametrize(
        "values",
        [
            (5, 5, 5),
            (5, 6, 7),
            (7, 5, 3),
            (7, 5, 4),
            (-1, 4, 4),
            (2**64, 1, 1),
            (b"same", b"salt", b"sand"),
            (b"", b"a", b""),
            (b"", None, b""),
            (1, None, 2),
        ],
    )
    def test_has_the_values(self, values: tuple[Any, ...]) -> None:
        """A column has the values that it was made of."""
        actual = column(values)

        assert [actual[index] for index in range(len(values))] == list(values)


class TestHashIndex:
    def test_hashes_that_start_alike(self) -> None:
        """Numbers whose hashes start alike are all candidates, until they are removed."""
        index = HashIndex()
        names = [Hash32(bytes(8) + bytes([each]) * 24) for each in range(3)]
        index.add(names, 7)

        assert list(index.candidates(names[1])) == [7, 8, 9]
        index.remove_last(names[2])
        assert list(index.candidates(names[1])) == [7, 8]
        assert list(index.candidates(Hash32(b"\x01" * 32))) == []
