"""`devchain.state.state_database`: the states of empty blocks with Ethereum's rules."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from random import Random
from weakref import ref

import pytest

from devchain.chain.block import Block
from devchain.config import Config
from devchain.errors import StoreFailed
from devchain.evm.rules import BEACON_ROOTS_RING, SYSTEM_CONTRACTS
from devchain.node import Node
from devchain.state.state_database import RetainedState
from devchain.state.trie import Trie
from devchain.types import Address, MineRequest
from tests.accounts import ALICE, BOB
from tests.actions import send
from tests.conftest import GENESIS_TIME

ROOTS, HISTORY = (SYSTEM_CONTRACTS[each][0] for each in ("cancun", "prague"))


@pytest.fixture(params=["cancun", "prague", "osaka"])
def node(request: pytest.FixtureRequest) -> Iterator[Node]:
    """A node with a fixed clock."""
    with Node(Config(hardfork=request.param, fixed_clock=GENESIS_TIME)) as node:
        yield node


def state_of(node: Node, number: int) -> RetainedState:
    """What a block keeps of its state."""
    found = node.chain.block(number).state
    assert found
    return found


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
        node.mine(500)
        numbers = list(range(0, node.chain.height + 1, 7))

        assert state_of(node, 5).trie is None
        check(node, numbers)
        check(node, numbers[::-3])

    def test_nodes_are_not_kept(self, node: Node) -> None:
        """The trie of a state is forgotten when the next empty block has come."""
        node.mine(3)
        watch = ref(node.chain.database.trie(node.chain.head.state_root))

        node.mine(2)
        gc.collect()

        assert watch() is None
        check(node, [3])

    def test_between_transactions(self, node: Node) -> None:
        """The states of blocks with transactions, of edits and of the head are kept as tries."""
        for count in (1, 2, 3):
            node.mine(count)
            send(node, BOB, value=1, gas_price=10**10)
            node.mine(count)
            node.set_balance(BOB, 10 * count)
        node.mine(1)

        kept = [state_of(node, each).trie is not None for each in range(node.chain.height + 1)]

        assert kept == [n in {0, 2, 6, 12, 16} for n in range(node.chain.height + 1)]
        check(node, [*range(node.chain.height + 1)])
        assert [node.at(n).nonce(ALICE) for n in (1, 2, 5, 6, 11, 12)] == [0, 1, 1, 2, 2, 3]

    def test_reverts(self, node: Node) -> None:
        """After a revert among empty blocks the chain goes on as that of another node."""
        node.mine(4)
        early = node.snapshots.take()
        node.mine(4)
        late = node.snapshots.take()
        node.mine(600)
        node.revert(late)
        node.mine(2)
        node.revert(early)
        node.mine(MineRequest(blocks=5, interval=3))
        send(node, BOB, value=1, gas_price=10**10)

        config = Config(hardfork=node.config.hardfork, fixed_clock=GENESIS_TIME)
        with Node(config) as other:
            other.mine(4)
            other.mine(MineRequest(blocks=5, interval=3))
            send(other, BOB, value=1, gas_price=10**10)
            assert other.chain.head.hash == node.chain.head.hash
        check(node, [*range(node.chain.height + 1)])

    def test_copies(self, node: Node) -> None:
        """Copies go on from the same empty block, and their states stay apart."""
        node.mine(5)

        with node.copy() as copy:
            copy.mine(MineRequest(blocks=4, interval=2))
            node.mine(4)
            with copy.copy() as second:
                second.mine(3)
                for each in (node, copy, second):
                    check(each, [*range(each.chain.height + 1)])

    def test_proofs(self, node: Node) -> None:
        """Proofs of an old empty block's state are those of the node that has just mined it."""
        proofs = []
        for _ in range(4):
            node.mine(1)
            proofs.append(
                node.chain.head_state().proof(ROOTS, [GENESIS_TIME % BEACON_ROOTS_RING + 1])
            )

        assert [
            node.chain.state_at(n).proof(ROOTS, [proofs[0].slots[0].slot]) for n in range(1, 5)
        ] == proofs

    def test_failed_turn(self, node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
        """After a failed call of `mine` the chain goes on from the state before it."""
        node.mine(7)
        append, failing = node.chain.append_block, node.chain.height + 4

        def fail(block: Block) -> None:
            if block.number == failing:
                raise StoreFailed("the disk is full")
            append(block)

        monkeypatch.setattr(node.chain, "append_block", fail)
        monkeypatch.setattr(node.clock, "monotonic", lambda: 0.0)  # the turn ends by failing alone
        with pytest.raises(StoreFailed):
            node.mine(20)
        monkeypatch.undo()
        node.mine(5)
        send(node, BOB, value=1, gas_price=10**10)
        node.mine(2)

        with Node(Config(hardfork=node.config.hardfork, fixed_clock=GENESIS_TIME)) as other:
            other.mine(12)
            send(other, BOB, value=1, gas_price=10**10)
            other.mine(2)
            assert other.chain.head.hash == node.chain.head.hash
        check(node, [*range(node.chain.height + 1)])


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


@pytest.mark.parametrize("hardfork", ["cancun", "prague", "osaka"])
@pytest.mark.parametrize("seed", range(2))
def test_drawn_chains(hardfork: str, seed: int) -> None:
    """Hashes, roots and slots are those of plain py-evm, whatever comes between empty blocks."""
    fast = drawn_chain("fast", hardfork, seed, steps=80)
    reference = drawn_chain("reference", hardfork, seed, steps=80)

    for step, (one, other) in enumerate(zip(fast, reference, strict=True)):
        assert one == other, step
