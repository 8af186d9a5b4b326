"""`devchain.state.state_database`: the states of empty blocks with Ethereum's rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import pytest

from devchain.config import Config
from devchain.evm.rules import BEACON_ROOTS_RING, SYSTEM_CONTRACTS
from devchain.node import Node
from devchain.state.trie import Trie
from devchain.types import Address, MineRequest
from tests.accounts import ALICE, BOB
from tests.actions import send
from tests.conftest import GENESIS_TIME

ROOTS, HISTORY = (SYSTEM_CONTRACTS[each][0] for each in ("cancun", "prague"))


@pytest.fixture(params=["cancun", "osaka"])
def node(request: pytest.FixtureRequest) -> Iterator[Node]:
    """A node with a fixed clock."""
    with Node(Config(hardfork=request.param, fixed_clock=GENESIS_TIME)) as node:
        yield node


def check(node: Node, numbers: list[int]) -> None:
    """Compare root hashes, made of all nodes anew, and slots with the headers of those blocks."""
    for number in numbers:
        block = node.chain.block(number)
        opened = node.chain.database.trie(block.state_root)
        assert Trie(opened.node).root_hash == block.state_root
        state = node.at(number)
        assert state.nonce(ALICE) == state.nonce(ALICE)
        slot = block.timestamp % BEACON_ROOTS_RING
        assert state.storage(ROOTS, slot) == block.timestamp * (number > 0)
        assert state.storage(ROOTS, slot + BEACON_ROOTS_RING) == int.from_bytes(
            block.header.parent_beacon_block_root
        )
        if number and node.chain.rules.hardfork != "cancun":
            written = state.storage(HISTORY, (number - 1) % BEACON_ROOTS_RING)
            assert written == int.from_bytes(block.parent_hash)


class TestChain:
    def test_every_state(self, node: Node) -> None:
        """The state of each of many empty blocks can be opened, in any order."""
        node.mine(100)
        numbers = list(range(0, node.chain.height + 1, 7))

        check(node, numbers)
        check(node, numbers[::-3])


def drawn_chain(engine: str, hardfork: str, seed: int, steps: int) -> Iterator[object]:
    """What a client reads of a chain to which drawn changes are made, after each of them."""
    drawn = Random(seed)  # noqa: S311  # not for cryptography
    contracts = [ROOTS] if hardfork == "cancun" else [ROOTS, HISTORY]
    with Node(Config(engine=engine, hardfork=hardfork, fixed_clock=GENESIS_TIME)) as node:
        code = {each: node.at().code(each) for each in contracts}
        snapshots = [node.snapshots.take()]

        def read_storage() -> Iterator[int]:
            block = node.chain.block(drawn.randrange(node.chain.height + 1))
            index = block.timestamp % BEACON_ROOTS_RING
            for slot in (index, index + BEACON_ROOTS_RING, max(block.number - 1, 0)):
                yield from (node.at(block.number).storage(each, slot) for each in contracts)

        def edit_code(address: Address) -> None:
            node.set_code(address, drawn.choice((b"", b"\0", code[address], code[address])))

        def edit_storage(address: Address) -> None:
            time, number = node.chain.head.timestamp, node.chain.height
            slot = drawn.choice((time % BEACON_ROOTS_RING + drawn.randrange(3), number))
            node.set_storage(address, slot, drawn.choice((0, drawn.getrandbits(256))))

        def revert() -> None:
            chosen = drawn.choice(snapshots)
            del snapshots[snapshots.index(chosen) + 1 :]
            node.revert(chosen)

        changes: list[Callable[[], object]] = [
            lambda: node.mine(drawn.randrange(1, 12)),
            lambda: node.mine(MineRequest(drawn.randrange(1, 9), interval=drawn.randrange(2, 400))),
            lambda: node.mine(MineRequest(3, interval=BEACON_ROOTS_RING - drawn.randrange(2))),
            lambda: node.time_travel(drawn.randrange(1, 3 * BEACON_ROOTS_RING)),
            lambda: send(node, BOB, value=drawn.randrange(9), gas_price=10**10),
            lambda: send(node, drawn.choice(contracts), drawn.randbytes(32), gas_price=10**10),
            lambda: edit_storage(drawn.choice(contracts)),
            lambda: edit_code(drawn.choice(contracts)),
            lambda: snapshots.append(node.snapshots.take()),
            revert,
            lambda: node.chain.pending().state_root,
        ]
        for _ in range(steps):
            drawn.choice(changes)()
            yield node.chain.height, node.chain.head.hash, node.chain.state_root(node.chain.head)
            yield [*read_storage()]
        node.mine(1)
        yield [(each.hash, each.state_root) for each in node.chain.own_blocks()]


@pytest.mark.parametrize(("hardfork", "seed"), [("cancun", 0), ("osaka", 1)])
def test_drawn_chains(hardfork: str, seed: int) -> None:
    """Hashes, roots and slots are those of plain py-evm, whatever comes between empty blocks."""
    fast = drawn_chain("fast", hardfork, seed, steps=80)
    reference = drawn_chain("reference", hardfork, seed, steps=80)

    for step, (one, other) in enumerate(zip(fast, reference, strict=True)):
        assert one == other, step
