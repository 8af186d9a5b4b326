"""`devchain.chain.executor`: both executors build the same blocks."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any
from weakref import ref

import pytest
from eth.constants import EMPTY_SHA256
from eth.vm.forks.prague.constants import DEPOSIT_CONTRACT_ADDRESS, DEPOSIT_EVENT_SIGNATURE_HASH

from devchain.chain.block import Block
from devchain.config import Config
from devchain.networks import ETHEREUM, HARDFORKS
from devchain.node import Node
from devchain.node.cheats import set_code
from devchain.types import Address, MineRequest, Tag, TransactionRequest
from tests.accounts import ALICE, BOB, CAROL, UNFUNDED
from tests.actions import deploy, fingerprint, run, send
from tests.bytecode import COUNTER, CREATOR, DESTROY, EMIT, EMIT_MANY, FILL, REVERT, init_code, word
from tests.conftest import GENESIS_TIME

LONDON = ETHEREUM.index("london")


def both(
    act: Callable[[Node], object], hardfork: str, *, remasc: bool = False
) -> list[list[Block]]:
    """The blocks of both engines after the same calls."""
    chains = []
    for engine in ("fast", "reference"):
        config = Config(engine=engine, hardfork=hardfork, remasc=remasc, fixed_clock=GENESIS_TIME)
        with Node(config) as node:
            act(node)
            chains.append(list(node.chain.blocks_after(-1)))
    return chains


def mixed(node: Node) -> None:
    """Creations, calls, logs, reverts and transfers, several to a block; empty blocks between."""
    price = 10**10
    codes = (EMIT, EMIT_MANY, COUNTER, REVERT, DESTROY)
    created = [run(node, None, init_code(code), gas_price=price) for code in codes]
    emit, many, counter, refuse, destroy = (each.contract_address for each in created)
    node.miner.running = False
    node.mine(MineRequest(blocks=2))
    for turn in range(18):
        sender = (ALICE, BOB, CAROL)[turn % 3]
        send(
            node, emit, word(turn) + word(2) + b"data", gas=200_000, sender=sender, gas_price=price
        )
        send(node, UNFUNDED, value=turn, gas=21_000, sender=sender, gas_price=price)
    node.mine(MineRequest())
    send(node, many, word(5), gas=500_000, gas_price=price)
    send(node, refuse, b"\x01\x02", gas=100_000, sender=BOB, gas_price=price)
    send(node, counter, gas=30_000, sender=CAROL, gas_price=price)
    send(node, destroy, gas=100_000, sender=CAROL, gas_price=price)
    node.mine(MineRequest(blocks=3))


class TestAgreement:
    @pytest.mark.parametrize("hardfork", HARDFORKS)
    def test_empty_blocks(self, hardfork: str) -> None:
        """Blocks without transactions are the same on both engines, rewards and all."""
        fast, reference = both(lambda node: node.mine(MineRequest(blocks=3)), hardfork)

        assert [each.hash for each in fast] == [each.hash for each in reference]
        assert fast == reference

    @pytest.mark.filterwarnings("ignore:SELFDESTRUCT")  # py-evm warns of it under newer rules
    @pytest.mark.parametrize(
        "hardfork", ["orchid", "iris", "vetiver", "homestead", "byzantium", "london", "prague"]
    )
    def test_mixed(self, hardfork: str) -> None:
        """Headers, receipts and sizes agree for blocks of creations, calls, logs and failures."""
        fast, reference = both(mixed, hardfork)

        assert [each.raw_header for each in fast] == [each.raw_header for each in reference]
        assert [each.size for each in fast] == [each.size for each in reference]
        assert [each.receipts for each in fast] == [each.receipts for each in reference]
        assert any(each.bloom for each in fast)

    @pytest.mark.parametrize("hardfork", ["prague", "osaka"])
    def test_deposits(self, hardfork: str) -> None:
        """Logs of the deposit contract are requests (EIP-6110), whose hash is in the header."""
        deposits = Address(DEPOSIT_CONTRACT_ADDRESS)

        def act(node: Node) -> None:
            set_code(node, deposits, EMIT)
            plain = deploy(node, EMIT)
            for emitter in (plain, deposits):
                run(node, emitter, DEPOSIT_EVENT_SIGNATURE_HASH + word(1) + bytes(range(192)) * 3)

        fast, reference = both(act, hardfork)

        assert [each.raw_header for each in fast] == [each.raw_header for each in reference]
        hashes = [each.header.requests_hash for each in fast[-2:]]
        assert hashes[0] == EMPTY_SHA256 != hashes[1]

    def test_remasc(self) -> None:
        """Blocks that end with REMASC's transaction agree, also when it pays."""

        def act(node: Node) -> None:
            mixed(node)
            node.mine(MineRequest(blocks=20))

        fast, reference = both(act, "vetiver", remasc=True)

        assert [each.hash for each in fast] == [each.hash for each in reference]
        assert [each.receipts for each in fast] == [each.receipts for each in reference]
        assert fast[-1].receipts[-1].logs


class TestFreeBlocks:
    @pytest.mark.parametrize(
        ("options", "is_free"),
        [
            ({}, True),
            ({"engine": "reference"}, False),
            ({"remasc": True}, False),
            ({"hardfork": "shanghai"}, True),
            ({"hardfork": "london"}, False),
            ({"hardfork": "cancun"}, False),
        ],
        ids=str,
    )
    def test_empty(self, options: dict[str, Any], *, is_free: bool) -> None:
        """An empty block is free where REMASC, rewards and system calls do not change the state."""
        with Node(Config(**{"engine": "fast", "fixed_clock": GENESIS_TIME, **options})) as node:
            node.mine(MineRequest())

            assert node.chain.head_was_free == is_free

    def test_with_a_transaction(self) -> None:
        """A block with a transaction is not free."""
        with Node(Config(engine="fast", fixed_clock=GENESIS_TIME)) as node:
            send(node, UNFUNDED, value=1)

            assert not node.chain.head_was_free


RULES = ["frontier", "spuriousdragon", "byzantium", "berlin", "prague", "orchid", "vetiver"]


def node_with_blocks(hardfork: str, engine: str, *, remasc: bool = False) -> Node:
    """A node with blocks of transfers, calls, creations, logs, reverts and a self-destruct."""
    node = Node(Config(hardfork=hardfork, engine=engine, fixed_clock=GENESIS_TIME, remasc=remasc))
    run(node, BOB, value=5)
    run(node, UNFUNDED, value=0)
    counter, doomed, filled = (deploy(node, code) for code in (COUNTER, DESTROY, FILL))
    run(node, counter)
    run(node, filled, word(9) + word(1))
    run(node, filled, word(9) + word(0))
    run(node, deploy(node, CREATOR), init_code(COUNTER))
    run(node, deploy(node, EMIT), word(1))
    run(node, deploy(node, REVERT), b"no")
    run(node, doomed, word(int.from_bytes(BOB, "big")), value=3)
    run(node, doomed, value=1)
    node.mine(MineRequest(blocks=2))
    return node


class TestSameChain:
    @pytest.mark.filterwarnings("ignore:SELFDESTRUCT opcode")  # py-evm's advice
    @pytest.mark.parametrize("hardfork", RULES)
    def test_hardforks(self, hardfork: str) -> None:
        """Both executors give the same hashes, receipts, logs and accounts under every hardfork."""
        fast, reference = (node_with_blocks(hardfork, engine) for engine in ("fast", "reference"))

        assert fingerprint(fast) == fingerprint(reference)

    @pytest.mark.filterwarnings("ignore:SELFDESTRUCT opcode")  # py-evm's advice
    def test_remasc(self) -> None:
        """Both executors agree with REMASC's transaction in every block."""
        fast, reference = (
            node_with_blocks("vetiver", engine, remasc=True) for engine in ("fast", "reference")
        )

        assert fingerprint(fast) == fingerprint(reference)


class TestMemory:
    def test_reverted_states_are_forgotten(self) -> None:
        """After a revert the removed states are garbage-collected; older ones can still be read."""
        with Node(Config(engine="fast")) as node:
            run(node, BOB, value=1)
            taken = node.snapshots.take()
            run(node, UNFUNDED, value=2)
            watch = ref(node.chain.state_at(Tag.LATEST).database.trie(node.chain.head.state_root))

            assert watch() is not None
            node.revert(taken)
            run(node, BOB, value=3)  # the mempool drops the old head's state
            gc.collect()
            assert watch() is None
            assert node.chain.state_at(1).nonce(ALICE) == 1

    def test_pending_state(self) -> None:
        """The pending state is read correctly each time the pending block is rebuilt."""
        with Node(Config(engine="fast", mining=False)) as node:
            for value in range(1, 4):
                send(node, UNFUNDED, value=value, nonce=value - 1)
                assert node.chain.state_at(Tag.PENDING).balance(UNFUNDED) == sum(range(value + 1))

    @pytest.mark.parametrize("engine", ["fast", "reference"])
    def test_edited_states(self, engine: str) -> None:
        """A revert restores the edited state of its snapshot, whatever was edited later."""
        with Node(Config(engine=engine)) as node:
            balances = []
            for amount in (7, 8):
                with node.chain.edit_state() as accounts:
                    accounts.set_balance(UNFUNDED, amount)
                balances.append((node.snapshots.take(), amount))
            run(node, UNFUNDED, value=1)
            balances.reverse()
            gc.collect()

            for taken, amount in balances:
                node.revert(taken)
                assert node.chain.state_at(Tag.LATEST).balance(UNFUNDED) == amount
                assert node.call(TransactionRequest(to=UNFUNDED)) == b""
