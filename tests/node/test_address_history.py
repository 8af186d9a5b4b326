"""`devchain.node.address_history`"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devchain.chain.slices import finish
from devchain.config import Config
from devchain.contracts.token_transfers import TRANSFER
from devchain.errors import ExecutionTimedOut, NodeClosed
from devchain.evm import deadline
from devchain.node import Node, address_history
from devchain.node.address_history import AddressHistory, Role
from devchain.tracing.address_recorder import AddressRecorder
from devchain.tracing.frames import SELFDESTRUCT, Frame
from devchain.tracing.options import TraceOptions
from devchain.tracing.replay import trace_block
from devchain.types import ZERO_ADDRESS, Address
from tests.accounts import ADDRESSES, ALICE, BOB, CAROL
from tests.actions import deploy, kill, run
from tests.bytecode import (
    COUNTER,
    CREATOR,
    DESTROY,
    FORWARD,
    REVERT,
    address_word,
    assemble,
    init_code,
    word,
)
from tests.conftest import GENESIS_TIME
from tests.fork.upstreams import fork_of

TOKEN = assemble(
    "64 CALLDATALOAD 0 MSTORE"
    f" 32 CALLDATALOAD 0 CALLDATALOAD {int.from_bytes(TRANSFER)} 32 0 LOG3 STOP"
)
"""logs a Transfer from the first word to the second of the amount in the third"""

Entry = tuple[tuple[int, int], Role]


def entries(node: Node, address: Address, **options: object) -> list[Entry]:
    """The first page of an account's history: positions and roles."""
    page = node.address_history.page(address, count=1_000, **options)  # type: ignore[arg-type]  # by name
    return [(each.position, each.roles) for each in page.appearances]


def scanned(node: Node) -> dict[Address, list[Entry]]:
    """The history of every account by call traces of every block, newest first."""
    found: dict[Address, list[Entry]] = {}
    for block in reversed(node.chain.blocks_after(0)):
        traces = [*trace_block(node.chain, block, TraceOptions("callTracer"))]
        for trace, receipt in reversed([*zip(traces, block.receipts, strict=True)]):
            tx, roles = receipt.transaction, dict[Address, Role]()
            pairs = [(tx.sender, Role.SENDER), *_roles(trace.top, is_top=True)]
            if tx.to is not None:
                pairs.append((tx.to, Role.RECIPIENT))
            for log in receipt.logs:
                if log.topics and log.topics[0] == TRANSFER:
                    pairs += [(Address(each[12:]), Role.TOKENS) for each in log.topics[1:]]
            for address, role in pairs:
                roles[address] = roles.get(address, Role(0)) | role
            for address, role in roles.items():
                found.setdefault(address, []).append(((block.number, receipt.index), role))
    return found


def _roles(
    frame: Frame, *, is_top: bool = False, is_undone: bool = False
) -> Iterator[tuple[Address, Role]]:
    is_undone = is_undone or frame.failure is not None
    if not is_top:
        yield frame.to, Role.INTERNAL
        if frame.transferred and not is_undone:
            yield from ((frame.sender, Role.COINS), (frame.to, Role.COINS))
    if frame.is_creation and not is_undone:
        yield frame.to, Role.CREATED
    if frame.kind != SELFDESTRUCT:
        for each in frame.calls:
            yield from _roles(each, is_undone=is_undone)


def check(node: Node) -> None:
    """The index of every account is what a scan of the chain finds."""
    expected = scanned(node)
    for address in {*expected, *ADDRESSES, ZERO_ADDRESS}:
        assert entries(node, address) == expected.get(address, [])


class TestPage:
    def test_roles(self, node: Node) -> None:
        """Sender, recipient, created contract, internal message, token transfer."""
        forward, token = deploy(node, FORWARD), deploy(node, TOKEN)
        run(node, forward, address_word(token) + address_word(BOB) + address_word(CAROL) + word(5))

        assert entries(node, ALICE) == [((n, 0), Role.SENDER) for n in (3, 2, 1)]
        assert entries(node, forward) == [((3, 0), Role.RECIPIENT), ((1, 0), Role.CREATED)]
        assert entries(node, token) == [((3, 0), Role.INTERNAL), ((2, 0), Role.CREATED)]
        assert entries(node, BOB) == entries(node, CAROL) == [((3, 0), Role.TOKENS)]

    def test_pages(self, node: Node) -> None:
        """Pages follow one another in both directions, and know their ends."""
        for _ in range(7):
            run(node, BOB)
        history = node.address_history

        first = history.page(BOB, count=3)
        second = history.page(BOB, count=3, before=first.older)
        third = history.page(BOB, count=3, before=second.older)

        pages = [first, second, third]
        numbers = [[each.block.number for each in page.appearances] for page in pages]
        assert numbers == [[7, 6, 5], [4, 3, 2], [1]]
        assert [page.older for page in pages] == [(5, 0), (2, 0), None]
        assert [page.newer for page in pages] == [None, (4, 0), (1, 0)]
        assert history.page(BOB, count=3, after=third.newer) == second
        assert history.page(BOB, count=3, after=second.newer) == first

    @pytest.mark.parametrize("number", [2**39, 2**63, 2**256], ids=["39", "63", "256"])
    def test_huge_positions(self, node: Node, number: int) -> None:
        """Positions beyond any block are beyond every transaction."""
        run(node, BOB)
        history = node.address_history

        assert len(history.page(BOB, before=(number, 0)).appearances) == 1
        assert history.page(BOB, after=(number, 0)).appearances == ()

    def test_some_roles(self, node: Node) -> None:
        """With roles a page has only transactions in which the account has one of them."""
        run(node, BOB)
        run(node, ALICE, sender=BOB)
        run(node, BOB)

        found = entries(node, BOB, roles=Role.SENDER | Role.CREATED)

        assert found == [((2, 0), Role.SENDER)]


class TestSent:
    def test_nonces(self, node: Node) -> None:
        """The receipt of a sender's transaction, by nonce."""
        receipts = [run(node, BOB) for _ in range(3)]

        assert [
            finish(node.address_history.sent_in_slices(ALICE, each)) for each in range(3)
        ] == receipts
        assert finish(node.address_history.sent_in_slices(ALICE, 3)) is None
        assert finish(node.address_history.sent_in_slices(BOB, 0)) is None

    def test_edited_nonce(self, node: Node) -> None:
        """Of nonces that came twice, after an edit, the newest."""
        run(node, BOB)
        node.set_nonce(ALICE, 2**64 - 3)
        high = run(node, BOB)
        with node.chain.edit_state() as accounts:
            accounts.set_nonce(ALICE, 0)
        again = run(node, BOB)

        assert finish(node.address_history.sent_in_slices(ALICE, 0)) == again
        assert finish(node.address_history.sent_in_slices(ALICE, 2**64 - 3)) == high
        assert finish(node.address_history.sent_in_slices(ALICE, 2**64 * 2 - 3)) is None


class TestFollowing:
    def test_blocks_are_replayed_once(self, node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each block is recorded once, however often the history is read."""
        numbers: list[int] = []
        record = AddressRecorder.record_block

        def noted(self: AddressRecorder, chain: object, block: object) -> object:
            numbers.append(block.number)  # type: ignore[attr-defined]  # a block
            return record(self, chain, block)  # type: ignore[arg-type]  # as they came

        monkeypatch.setattr(AddressRecorder, "record_block", noted)
        for _ in range(2):
            run(node, BOB)
            entries(node, BOB)
            entries(node, ALICE)

        assert numbers == [1, 2]

    def test_slices(self, node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
        """A long chain is indexed in slices, between which others may change it."""
        monkeypatch.setattr(address_history, "SECONDS_PER_SLICE", 0)
        node.mine(20)
        snapshot = node.snapshots.take()
        run(node, BOB)
        work = node.address_history.page_in_slices(BOB)
        slices = 0
        while True:
            try:
                next(work)
            except StopIteration as done:
                page = done.value
                break
            slices += 1
            if slices == 1:
                node.revert(snapshot)
                run(node, BOB, value=1)

        assert slices > 1
        assert [each.receipt.transaction.value for each in page.appearances] == [1]

    def test_no_deadline(self, node: Node) -> None:
        """The request that makes the index may take longer than others."""
        loop = deploy(node, assemble("loop: 10000 GAS GT @loop JUMPI STOP"))
        run(node, loop, gas=3_000_000)
        with deadline.within(1e-6, iter(range(10**9)).__next__):
            found = entries(node, loop)

        assert found == [((2, 0), Role.RECIPIENT), ((1, 0), Role.CREATED)]

    def test_deadline_of_a_block(self, node: Node) -> None:
        """A block that takes longer than a request may is an error, which leaves those before."""
        node.mine()
        run(node, deploy(node, FORWARD), address_word(BOB))
        history = AddressHistory(node.chain, seconds=1e-9)
        with pytest.raises(ExecutionTimedOut):
            history.page(BOB)

        assert history._index.height in {None, 1}

    def test_closed(self, node: Node) -> None:
        """A closed node has no history."""
        entries(node, BOB)
        node.close()

        with pytest.raises(NodeClosed):
            node.address_history.page(BOB)

    def test_fork(self) -> None:
        """Over a fork there are only blocks since the fork, and the page says so."""
        with Node(network="test", fixed_clock=GENESIS_TIME) as upstream:
            for _ in range(3):
                run(upstream, BOB)
            fork, _ = fork_of(upstream, fork_block_number=3)
            with fork:
                run(fork, BOB)
                page = fork.address_history.page(BOB)

        assert [each.block.number for each in page.appearances] == [4]
        assert (page.first_block, page.is_complete, page.older) == (4, False, None)


OPERATIONS = ("pay", "create", "destroy", "transfer", "fail", "mine", "read", "edit")
KINDS = ("snapshot", "revert", "reset", "copy", "switch")


class TestAgainstScan:
    """The index is what a scan from scratch finds, after anything that may happen to a chain."""

    @settings(max_examples=20)
    @given(
        st.lists(
            st.tuples(st.sampled_from((*OPERATIONS, *OPERATIONS, *KINDS)), st.integers(0, 3)),
            max_size=25,
        )
    )
    def test_drawn(self, operations: list[tuple[str, int]]) -> None:
        """Whatever is mined, reverted, reset, edited and copied, on each of the copies."""
        codes = (FORWARD, CREATOR, DESTROY, TOKEN, REVERT)
        nodes = [Node(network="test", fixed_clock=GENESIS_TIME)]
        forward, *targets = [deploy(nodes[0], code) for code in codes]
        snapshots: dict[int, list[int]] = {}
        current = 0
        for name, number in operations:
            node = nodes[current]
            taken = snapshots.setdefault(current, [])
            person = ADDRESSES[number]
            if name in OPERATIONS:
                _operate(node, name, person, forward, targets)
            elif name == "snapshot":
                taken.append(node.snapshots.take())
            elif name == "revert" and taken:
                position = number % len(taken)
                node.revert(taken[position])
                del taken[position + 1 :]
            elif name == "reset":
                node.reset()
                taken.clear()
            elif name == "copy" and len(nodes) < 4:
                nodes.append(node.copy())
            elif name == "switch":
                current = number % len(nodes)

        for each in nodes:
            check(each)
            each.close()


def _operate(
    node: Node, name: str, person: Address, forward: Address, targets: list[Address]
) -> None:
    creator, destroy, token, revert = targets
    if name == "pay":
        run(node, person, value=1)
    elif name == "create":
        run(node, forward, address_word(creator) + init_code(COUNTER), value=3)
    elif name == "destroy":
        run(node, forward, address_word(destroy) + address_word(person), value=2)
    elif name == "transfer":
        words = address_word(person) + address_word(ALICE) + word(5)
        run(node, forward, address_word(token) + words)
    elif name == "fail":
        run(node, forward, address_word(revert), value=4)
    elif name == "mine":
        node.mine(2)
    elif name == "edit":
        node.set_balance(person, 10**19)
    else:
        entries(node, person)


class TestDataDir:
    @pytest.fixture
    def config(self, tmp_path: Path) -> Config:
        """A chain on disk."""
        return Config(network="test", fixed_clock=GENESIS_TIME, data_dir=str(tmp_path))

    def test_after_a_kill(self, node: Node) -> None:
        """What the index has is right after the process was killed."""
        run(node, BOB)
        entries(node, BOB)
        snapshot = node.snapshots.take()
        run(node, BOB)
        entries(node, BOB)
        node.revert(snapshot)
        run(node, CAROL)
        kill(node)

        with Node(node.config) as again:
            check(again)

    def test_revert(self, node: Node) -> None:
        """Reverted blocks leave the index on disk too."""
        run(node, BOB)
        snapshot = node.snapshots.take()
        run(node, CAROL)
        entries(node, CAROL)
        node.revert(snapshot)

        assert entries(node, CAROL) == []
        check(node)

    def test_file_without_index(self, node: Node) -> None:
        """The file of a node whose history was never read has none of the tables."""
        run(node, BOB)
        assert node._data_dir is not None
        names = {row[0] for row in node._data_dir.file.rows("SELECT name FROM sqlite_master")}

        assert not any(each.startswith("history") for each in names)
