"""Both engines build the same chain, and the fast one forgets what a revert takes away."""

from __future__ import annotations

import gc
from weakref import ref

import pytest

from devchain.config import Config
from devchain.node import Node
from devchain.types import MineRequest, Tag, TransactionRequest
from tests.accounts import ALICE, BOB, NOBODY
from tests.actions import deploy, fingerprint, run, send
from tests.bytecode import COUNTER, CREATOR, DESTROY, EMIT, FILL, REVERT, init_code, word
from tests.conftest import GENESIS_TIME

RULES = ["frontier", "spuriousdragon", "byzantium", "berlin", "prague", "orchid", "vetiver"]


def story(hardfork: str, engine: str, *, remasc: bool = False) -> Node:
    """A node on which a little of everything has been mined."""
    node = Node(Config(hardfork=hardfork, engine=engine, fixed_clock=GENESIS_TIME, remasc=remasc))
    run(node, BOB, value=5)
    run(node, NOBODY, value=0)
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
        """Whatever the rules: the same hashes, receipts, logs and accounts."""
        fast, reference = (story(hardfork, engine) for engine in ("fast", "reference"))

        assert fingerprint(fast) == fingerprint(reference)

    @pytest.mark.filterwarnings("ignore:SELFDESTRUCT opcode")  # py-evm's advice
    def test_remasc(self) -> None:
        """The same with REMASC's transaction in every block."""
        fast, reference = (
            story("vetiver", engine, remasc=True) for engine in ("fast", "reference")
        )

        assert fingerprint(fast) == fingerprint(reference)


class TestMemory:
    def test_reverted_states_are_forgotten(self) -> None:
        """After a revert nothing holds the states above it; those below are read as before."""
        with Node(Config(engine="fast")) as node:
            run(node, BOB, value=1)
            taken = node.snapshots.take()
            run(node, NOBODY, value=2)
            watch = ref(node.chain.state_at(Tag.LATEST).database.trie(node.chain.head.state_root))

            assert watch() is not None
            node.revert(taken)
            run(node, BOB, value=3)  # the pool reads the head's state, and lets go of the old one
            gc.collect()
            assert watch() is None
            assert node.chain.state_at(1).nonce(ALICE) == 1

    def test_pending_state(self) -> None:
        """The state of the block nobody has mined is read, however often it is built anew."""
        with Node(Config(engine="fast", mining=False)) as node:
            for value in range(1, 4):
                send(node, NOBODY, value=value, nonce=value - 1)
                assert node.chain.state_at(Tag.PENDING).balance(NOBODY) == sum(range(value + 1))

    @pytest.mark.parametrize("engine", ["fast", "reference"])
    def test_edited_states(self, engine: str) -> None:
        """A snapshot keeps the edited state it was taken on, whatever is edited after it."""
        with Node(Config(engine=engine)) as node:
            balances = []
            for amount in (7, 8):
                with node.chain.edit_state() as accounts:
                    accounts.set_balance(NOBODY, amount)
                balances.append((node.snapshots.take(), amount))
            run(node, NOBODY, value=1)
            balances.reverse()
            gc.collect()

            for taken, amount in balances:
                node.revert(taken)
                assert node.chain.state_at(Tag.LATEST).balance(NOBODY) == amount
                assert node.call(TransactionRequest(to=NOBODY)) == b""
