"""`devchain.tracing.replay.HardforkDiff`: transactions and calls under two hardforks"""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.errors import ConfigError
from devchain.node import Node
from devchain.tracing.options import TraceOptions
from devchain.tracing.replay import HardforkDiff, Pair
from devchain.types import Address, TransactionRequest
from tests.accounts import ALICE
from tests.actions import deploy, fingerprint, receipt_of, send
from tests.bytecode import LOOP, STORE, assemble, word
from tests.conftest import GENESIS_TIME

NEWER = assemble("PUSH0 PUSH0 PUSH0 MCOPY 1 0 MSTORE 32 0 RETURN")
COUNT = assemble("0 SLOAD 1 ADD DUP1 0 SSTORE 0 MSTORE 32 0 RETURN")
OPTIONS = TraceOptions("callTracer")


@pytest.fixture(params=["fast", "reference"])
def node(request: pytest.FixtureRequest) -> Node:
    """A node of each engine."""
    return Node(Config(network="test", fixed_clock=GENESIS_TIME, engine=request.param))


def pairs_of(node: Node, old: str = "vetiver", new: str = "arrowhead") -> list[Pair]:
    """The transactions of the newest block under two hardforks."""
    return list(HardforkDiff(node.chain, old, new).transactions(node.chain.head, OPTIONS))


class TestTransactions:
    def test_block(self, node: Node) -> None:
        """Each transaction of a block runs on the state that those before it left."""
        count, newer = deploy(node, COUNT), deploy(node, NEWER)
        node.miner.set_automine(on=False)
        sent = [send(node, to, nonce=2 + n) for n, to in enumerate([count, newer, count, count])]
        node.mine()
        before = fingerprint(node)

        pairs = pairs_of(node)

        assert [receipt_of(node, each).succeeded for each in sent] == [True] * 4
        assert [pair.to for pair in pairs] == [count, newer, count, count]
        assert [pair.new.output for pair in pairs] == [word(1), b"", word(2), word(3)]
        assert [pair.old == pair.new for pair in pairs] == [True, False, True, True]
        assert pairs[1].old[:2] == ("", word(1))
        assert pairs[1].new.failure.startswith("invalid opcode: MCOPY is not available")
        assert pairs[1].frames is not None
        assert fingerprint(node) == before

    def test_chosen(self, node: Node) -> None:
        """Those at some indices alone are compared."""
        count = deploy(node, COUNT)
        node.miner.set_automine(on=False)
        for number in range(3):
            send(node, count, nonce=1 + number)
        node.mine()

        diff = HardforkDiff(node.chain, "vetiver", "reed")
        [pair] = diff.transactions(node.chain.head, OPTIONS, {1})

        assert pair.new.output == word(2)

    def test_gas(self, node: Node) -> None:
        """Call data costs more before arrowhead (RSKIP400)."""
        store = deploy(node, STORE)
        send(node, store, b"\xff" * 32)

        [pair] = pairs_of(node, "arrowhead", "fingerroot")

        assert pair.new.gas - pair.old.gas == 32 * (68 - 16)
        assert (pair.new.failure, pair.old.failure) == ("", "")

    def test_refused(self, node: Node) -> None:
        """A transaction whose gas limit is too low under the other rules is refused there."""
        send(node, ALICE, b"\xff" * 32, gas=21_000 + 32 * 16)

        [pair] = pairs_of(node, "arrowhead", "fingerroot")

        assert pair.old.failure == ""
        assert pair.new.failure.startswith("refused: ")
        assert (pair.new.gas, pair.frames) == (0, None)

    def test_edited_state(self, node: Node) -> None:
        """A state that a cheat has edited is the one before the next transaction."""
        count = deploy(node, COUNT)
        node.set_storage(count, 0, 41)
        send(node, count)

        [pair] = pairs_of(node, new="reed")

        assert pair.old.output == pair.new.output == word(42)

    def test_mocks(self, node: Node) -> None:
        """Mocks of a block answer under both."""
        mocked = Address(b"\x77" * 20)
        node.mock_call(mocked, b"\x01\x02\x03\x04", returns=word(9))
        forward = assemble(f"32 0 0 0 0x{mocked.hex()} 9999 STATICCALL POP 32 0 RETURN")
        caller = deploy(node, forward)
        send(node, caller)

        [pair] = pairs_of(node, new="reed")

        assert pair.old == pair.new


class TestCalls:
    def test_call(self, node: Node) -> None:
        """A call has its output and gas under both, and the chain's rules stay in force."""
        newer, loop = deploy(node, NEWER), deploy(node, LOOP)
        rules = node.chain.rules
        diff = HardforkDiff(node.chain, "vetiver", "arrowhead")

        changed = diff.call(*node.call_context(TransactionRequest(to=newer), "latest"))
        same = diff.call(*node.call_context(TransactionRequest(to=loop, data=word(9)), "latest"))

        assert (changed.old.output, changed.new.output) == (word(1), b"")
        assert same.old == same.new
        assert node.chain.rules.hardfork == rules.hardfork
        assert node.call(TransactionRequest(to=newer)) == word(1)


@pytest.mark.parametrize("new", ["prague", "none"])
def test_wrong(node: Node, new: str) -> None:
    """A hardfork of another chain, or an unknown one, is refused."""
    with pytest.raises(ConfigError, match=r"is of another chain|unknown hardfork"):
        HardforkDiff(node.chain, "vetiver", new)
