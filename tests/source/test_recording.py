"""Recording transactions of a chain to step through them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import pytest

from devchain.chain.slices import finish
from devchain.client.http import LocalClient
from devchain.client.rpc_trace import trace_transaction
from devchain.config import Config
from devchain.errors import InvalidInput
from devchain.evm import deadline
from devchain.node import Node
from devchain.source.follow import Execution
from devchain.source.recording import OPTIONS, CodeAt, record_transaction
from devchain.source.steps import call_stack, storage
from devchain.source.trace import Trace
from devchain.tracing.options import TraceOptions
from devchain.types import Hash32, Tag, TransactionRequest
from tests.source.executions import is_absent, run_case, world
from tests.source.test_failures import SAMPLE

LOOP = bytes.fromhex("5b62 00ffff 5f52 6000 56".replace(" ", ""))
"""JUMPDEST; stores a word, and begins anew, until the gas is used up."""

IDENTITY = bytes.fromhex("6007 5f52 6020 5f 6020 5f 5f 6004 5a f1 50 5b 6010 56".replace(" ", ""))
"""Calls the identity contract with 7, then loops."""


@pytest.fixture
def node() -> Iterator[Node]:
    """A node without blocks."""
    with Node(Config(network="test", fixed_clock=1_700_000_000, accounts=2)) as made:
        yield made


def run(node: Node, code: bytes, gas: int = 2_000_000) -> Hash32:
    """The hash of a transaction that runs some code as init code."""
    sender = node.accounts.addresses()[0]
    return node.send(TransactionRequest(sender, None, data=code, gas=gas))


def limited(steps: int) -> TraceOptions:
    """The options with another number of steps."""
    first, *rest = OPTIONS.parts
    return replace(OPTIONS, parts=(replace(first, limit=steps), *rest))


def code_at(node: Node) -> CodeAt:
    """What gives the code of accounts at the head."""
    return node.chain.state_at(Tag.LATEST).code


def traces() -> int:
    """How many there are in memory."""
    gc.collect()
    return sum(type(each) is Trace for each in gc.get_objects())


def recorded(node: Node, tx_hash: Hash32) -> Execution:
    """A transaction of a node, without a cache."""
    trace = record_transaction(node.chain, tx_hash, code_at(node))
    assert trace
    return Execution(trace, node.artifacts)


class TestRecordTransaction:
    @pytest.mark.parametrize("build", ["solc-0.4", "solc-0.8", "vyper-0.4"])
    def test_is_what_json_rpc_answers(self, build: str) -> None:
        """Steps, outcome, call stacks, storage and memory are those of a trace over JSON-RPC."""
        at = world(build)
        for case in SAMPLE:
            if is_absent(build, case):
                continue
            with at.node.snapshot():
                tx_hash = run_case(build, case)
                one = recorded(at.node, Hash32(bytes.fromhex(tx_hash[2:])))
                two = Execution(trace_transaction(LocalClient(at.node), tx_hash), at.node.artifacts)
                end = one.last

                assert one.steps == two.steps, case
                assert (one.trace.failed, one.trace.output) == (two.trace.failed, two.trace.output)
                assert (one.failure, one.failures) == (two.failure, two.failures), case
                assert call_stack(one, end) == call_stack(two, end), case
                assert storage(one, end) == storage(two, end), case
                assert one.messages.top.memory(end) == two.messages.top.memory(end), case

    def test_long(self, node: Node) -> None:
        """A long execution is cut at the limit, and is not executed further than that."""
        tx_hash = run(node, LOOP)
        clock = count()

        with deadline.within(150, lambda: float(next(clock))):  # a replay of all of it takes 1,500
            trace = record_transaction(node.chain, tx_hash, code_at(node), limited(1_000))

        assert trace
        assert (len(trace.steps), trace.is_cut, trace.failed) == (1_000, True, True)
        assert Execution(trace, node.artifacts).failure is None

    def test_large(self, node: Node) -> None:
        """So is one whose stacks are larger than the limit of words."""
        tx_hash = run(node, LOOP)

        trace = record_transaction(node.chain, tx_hash, code_at(node), max_words=5_000)

        assert trace
        assert trace.is_cut
        assert 400 < len(trace.steps) < 5_000 / 8

    def test_deep(self) -> None:
        """A recursion without end is recorded up to the failure, where the stack is full."""
        at = world("solc-0.4")
        with at.node.snapshot():
            tx_hash = run_case("solc-0.4", "endless_recursion")
            execution = recorded(at.node, Hash32(bytes.fromhex(tx_hash[2:])))

        assert not execution.trace.is_cut
        assert execution.failure == execution.last

    def test_precompiled(self, node: Node) -> None:
        """What precompiled contracts returned is known, in a part of an execution too."""
        trace = record_transaction(node.chain, run(node, IDENTITY), code_at(node), limited(20))

        assert trace
        assert trace.is_cut
        seven = (7).to_bytes(32, "big")
        assert trace.accounts.output(bytes(19) + b"\x04", seven) == seven  # type: ignore[arg-type]

    def test_not_found(self, node: Node) -> None:
        """A transaction that is not mined has no steps."""
        assert record_transaction(node.chain, Hash32(bytes(32)), code_at(node)) is None

    def test_without_code(self, node: Node) -> None:
        """A transfer ran no code."""
        sender, receiver = node.accounts.addresses()
        tx_hash = node.send(TransactionRequest(sender, receiver, value=1))

        with pytest.raises(InvalidInput, match="ran no code"):
            record_transaction(node.chain, tx_hash, code_at(node))

    def test_copies(self, node: Node) -> None:
        """One that copies more than the page keeps is refused in words."""
        # CODECOPY of 300,000 bytes, again and again
        code = bytes.fromhex("5b 620493e0 5f 5f 39 5f 56".replace(" ", ""))
        before = traces()

        for each in (code, code + b"\0"):
            tx_hash = run(node, each, gas=6_500_000)
            with pytest.raises(InvalidInput, match="copies more than 16 MB"):
                finish(node.explainer.execution(tx_hash))

        assert traces() <= before + 1  # no more than the last one is kept


class TestExecution:
    def ask(self, node: Node, tx_hash: Hash32) -> Execution | None:
        """The execution of a transaction, recorded or kept."""
        return finish(node.explainer.execution(tx_hash))

    def test_again(self, node: Node) -> None:
        """One who asks again gets the same."""
        tx_hash = run(node, bytes.fromhex("5f5f55"))

        first = self.ask(node, tx_hash)

        assert first is not None
        assert self.ask(node, tx_hash) is first

    def test_other_block(self, node: Node) -> None:
        """A transaction that a revert took back, and that is mined again, is recorded again."""
        snapshot = node.snapshots.take()
        code = bytes.fromhex("435f55")  # stores the number of its block
        tx_hash = run(node, code)
        raw = node.chain.receipt(tx_hash)[1].transaction.raw  # type: ignore[index]
        first = self.ask(node, tx_hash)
        node.revert(snapshot)
        gone = self.ask(node, tx_hash)
        node.mine(3)
        node.send_raw(raw)
        second = self.ask(node, tx_hash)

        assert gone is None
        assert first
        assert second
        assert [each.steps[2].stack[0] for each in (first, second)] == [1, 4]

    def test_other_block_between_slices(self, node: Node) -> None:
        """One that is mined again between two slices is not kept as it ran before."""
        snapshot, tx_hash = node.snapshots.take(), run(node, bytes.fromhex("435f55"))
        raw = node.chain.receipt(tx_hash)[1].transaction.raw  # type: ignore[index]
        slices = node.explainer.execution(tx_hash)
        next(slices)
        node.revert(snapshot)
        node.mine(3)
        node.send_raw(raw)
        executions = finish(slices), self.ask(node, tx_hash)

        for each in executions:
            assert each
            assert storage(each, each.last)[0][1][0].now == hex(node.chain.height)

    def test_artifacts(self, node: Node) -> None:
        """Artifacts that come later are used."""
        at = world("solc-0.8")
        tx_hash = run(node, bytes.fromhex("5f5f55"))
        first = self.ask(node, tx_hash)
        node.artifacts.add(next(iter(at.node.artifacts)))

        assert self.ask(node, tx_hash) is not first

    def test_bounded(self, node: Node) -> None:
        """The oldest is forgotten."""
        hashes = [run(node, bytes.fromhex(f"5f60{each:02x}55")) for each in range(3)]

        executions = [self.ask(node, each) for each in hashes]

        assert self.ask(node, hashes[1]) is executions[1]
        assert self.ask(node, hashes[0]) is not executions[0]
