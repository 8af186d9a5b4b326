"""A fork in a data dir: it goes on after a restart, with or without its upstream."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings

from devchain.errors import ConfigError, NotInForkCache, StoreFailed
from devchain.node import Node
from devchain.server.serve import serve_in_thread
from devchain.types import Address, Hash32, LogQuery, Tag
from tests.accounts import ALICE, BOB, CAROL
from tests.actions import deploy, fingerprint, kill, run, send
from tests.bytecode import COUNTER, DESTROY, EMIT, STORE_AT, word
from tests.fork.upstreams import fork_of
from tests.node.test_failing_disk import full
from tests.scenarios import Step, persistent_fingerprint, run_scenario, scenarios


@pytest.fixture
def upstream() -> Iterator[Node]:
    """A node to fork, at block 5."""
    with Node(fixed_clock=1_700_000_000) as node:
        node.mine(2)
        counter = deploy(node, COUNTER)
        run(node, counter)
        send(node, CAROL, value=7)
        yield node


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    """The options of a fork with a data dir."""
    return {"data_dir": str(tmp_path / "data"), "storage_caching": True}


def places(node: Node) -> list[object]:
    """All logs of the chain with their places."""
    found = node.logs(LogQuery(0, node.chain.height))
    return [(each.log, each.block.hash, each.index) for each in found]


def test_it_goes_on_offline(upstream: Node, options: dict[str, Any]) -> None:
    """Blocks, state, edits, settings and snapshots are as they were, without the upstream."""
    store, doomed = deploy(upstream, STORE_AT), deploy(upstream, DESTROY)
    run(upstream, store, word(1) + word(9))
    with fork_of(upstream, **options)[0] as fork:
        first = fork.chain.height
        emit = deploy(fork, EMIT)
        run(fork, emit, word(3) * 3)
        run(fork, store, word(1) + word(0))
        run(fork, doomed, word(0))
        snapshot = fork.snapshots.take()
        fork.set_balance(CAROL, 11)
        fork.set_storage(store, 5, 6)
        head = fork.chain.head
        found = places(fork)
    with Node(offline=True, **options) as fork:
        assert fork.chain.head.hash == head.hash
        assert [each.hash for each in fork.chain.blocks_after(first)][-1] == head.hash
        assert fork.chain.block(first - 1).hash == upstream.chain.block(first - 1).hash
        assert places(fork) == found
        state = fork.chain.state_at(Tag.LATEST)
        assert (state.balance(CAROL), state.balance(ALICE)) == (11, 10_000 * 10**18)
        assert (state.storage(store, 1), state.storage(store, 5)) == (0, 6)
        assert not state.exists(doomed)
        assert fork.chain.state_at(first).storage(store, 1) == 9
        assert fork.revert(snapshot)
        assert fork.chain.state_at(Tag.LATEST).balance(CAROL) == 10_000 * 10**18


def test_another_provider(upstream: Node, options: dict[str, Any]) -> None:
    """The upstream may have gone on, and be another node of its chain: the fork block stays."""
    with fork_of(upstream, **options)[0] as fork:
        run(fork, BOB, value=3, sender=CAROL)
        head = fork.chain.head.hash
    upstream.mine(5)
    with fork_of(upstream, **options)[0] as fork:
        assert fork.fork
        assert (fork.fork.number, fork.chain.head.hash) == (5, head)
        fork.mine()
    for number in (5, -3):  # a number from the newest is that of the first start
        with fork_of(upstream, fork_block_number=number, **options)[0] as fork:
            assert fork.chain.height == 7


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"fork_block_number": 4}, "is a fork of chain 33 at block 5, not at 4: leave the number"),
        ({"hardfork": "iris"}, "has hardfork .*, not iris"),
        ({"chain_id": 99}, "has chain-id 33, not 99"),
    ],
)
def test_another_fork_is_refused(
    upstream: Node, options: dict[str, Any], changed: dict[str, Any], message: str
) -> None:
    """The error says which fork the data dir has; what is in it stays."""
    fork_of(upstream, **options)[0].close()
    with pytest.raises(ConfigError, match=message):
        fork_of(upstream, **options, **changed)
    fork_of(upstream, **options)[0].close()


def test_another_chain_is_refused(upstream: Node, options: dict[str, Any]) -> None:
    """A node whose block of that number is another one is no provider."""
    fork_of(upstream, **options)[0].close()
    with Node(network="test", fixed_clock=1_700_000_001) as other:
        other.mine(9)
        with pytest.raises(ConfigError, match=r"0x[0-9a-f]{64}, which http://upstream\.example"):
            fork_of(other, **options)


def test_no_url(upstream: Node, options: dict[str, Any], tmp_path: Path) -> None:
    """Without the URL no new chain is begun beside the fork, and a chain there was is opened."""
    fork_of(upstream, **options)[0].close()
    with pytest.raises(ConfigError, match="is a fork: give --fork-url"):
        Node(data_dir=options["data_dir"])
    other = str(tmp_path / "other")
    Node(data_dir=other).close()
    fork_of(upstream, data_dir=other, storage_caching=True)[0].close()
    Node(data_dir=other).close()


def test_a_start_that_fails(upstream: Node, options: dict[str, Any]) -> None:
    """What it leaves is no fork; the next start may be of any chain."""
    with pytest.raises(ConfigError, match="there is no fork cache"):
        Node(offline=True, **options)
    fork_of(upstream, fork_block_number=3, **options)[0].close()


def test_the_url_is_not_kept(upstream: Node, options: dict[str, Any]) -> None:
    """No file of the data dir has it."""
    with fork_of(upstream, **options)[0] as fork:
        fork.mine()
        assert b"upstream.example" not in b"".join(
            each.read_bytes() for each in Path(options["data_dir"]).rglob("*") if each.is_file()
        )


def test_the_cache_is_in_the_data_dir_or_where_it_is_wanted(
    upstream: Node, options: dict[str, Any], tmp_path: Path
) -> None:
    """A copied folder is a whole fork; `--fork-cache` keeps its values elsewhere."""
    with fork_of(upstream, **options)[0] as fork:
        assert fork.fork
        assert fork.fork.status().cache == str(tmp_path / "data/fork/fork-cache.sqlite")
    options |= {"data_dir": str(tmp_path / "second"), "fork_cache": str(tmp_path / "forks.sqlite")}
    fork_of(upstream, **options)[0].close()
    assert not (tmp_path / "second/fork/fork-cache.sqlite").exists()
    Node(offline=True, **options).close()


def test_other_accounts(upstream: Node, options: dict[str, Any]) -> None:
    """Balances of the first start stay; a reset funds the accounts of this one."""
    with fork_of(upstream, balance=5, **options)[0] as fork:
        run(fork, BOB, value=1)
        before = fork.chain.state_at(Tag.LATEST).balance(ALICE)
    with Node(offline=True, balance=7, **options) as fork:
        assert fork.chain.state_at(Tag.LATEST).balance(ALICE) == before
        fork.reset()
        assert fork.chain.state_at(Tag.LATEST).balance(ALICE) == 7 * 10**18
    with Node(offline=True, balance=5, **options) as fork:
        assert fork.chain.state_at(Tag.LATEST).balance(ALICE) == 7 * 10**18
        assert fork.chain.height == 5


def test_what_is_unknown_offline_is_an_error(upstream: Node, options: dict[str, Any]) -> None:
    """Never zero."""
    fork_of(upstream, **options)[0].close()
    with Node(offline=True, **options) as fork, pytest.raises(NotInForkCache, match="--fork-url"):
        fork.chain.state_at(Tag.LATEST).balance(Address(b"q" * 20))


@settings(max_examples=10, phases=[Phase.generate])
@given(before=scenarios, middle=scenarios, after=scenarios)
def test_a_restart_changes_nothing(
    before: list[Step], middle: list[Step], after: list[Step]
) -> None:
    """Drawn scenarios: what is persisted is that of a fork in memory, which was not restarted."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Node(fixed_clock=1_700_000_000) as node,
    ):
        run_scenario(node, before)
        options: dict[str, Any] = {"fixed_clock": 1_700_000_000}
        stored = {**options, "data_dir": folder, "storage_caching": True}
        with fork_of(node, **options)[0] as steady:
            with fork_of(node, **stored)[0] as fork:
                run_scenario(fork, middle)
                persistent_fingerprint(fork)  # so that the values of it are recorded
            run_scenario(steady, middle)
            with Node(offline=True, **stored) as fork:
                assert roots(fork) == roots(steady)
                assert persistent_fingerprint(fork) == persistent_fingerprint(steady)
            with fork_of(node, **stored)[0] as fork:
                run_scenario(fork, after)
                run_scenario(steady, after)
                assert roots(fork) == roots(steady)
                assert persistent_fingerprint(fork) == persistent_fingerprint(steady)


def roots(node: Node) -> list[object]:
    """The root of the state after each block of the fork's own."""
    blocks = node.chain.blocks_after(node.chain.first - 1)
    return [(each.hash, node.chain.state_root(each)) for each in blocks]


def test_a_full_disk(upstream: Node, options: dict[str, Any]) -> None:
    """A block that does not fit is not mined; a smaller one is later."""
    with fork_of(upstream, fixed_clock=1_700_000_000, **options)[0] as fork:
        run(fork, BOB, value=1)
        before = fingerprint(fork)
        with full(fork):
            with pytest.raises(StoreFailed, match="could not be written"):
                deploy(fork, COUNTER * 500)
            assert fingerprint(fork) == before
        contract = deploy(fork, COUNTER * 500)
        kill(fork)
    with fork_of(upstream, fixed_clock=1_700_000_000, **options)[0] as fork:
        assert fork.chain.state_at(Tag.LATEST).code(contract) == COUNTER * 500


KILLED = """
import sys
from devchain.node import Node
from devchain.types import TransactionRequest

url, folder = sys.argv[1:]
node = Node(fork_url=url, data_dir=folder)
request = TransactionRequest(*node.accounts.addresses()[:2], value=1)
while True:
    print(node.send(request).hex(), flush=True)
"""


def test_killed_processes(upstream: Node, tmp_path: Path) -> None:
    """Every transaction that a killed node has confirmed is there, also without the upstream."""
    folder = str(tmp_path / "data")
    hashes: list[str] = []
    with serve_in_thread(upstream) as url:
        for count in (1, 20):
            command = [sys.executable, "-c", KILLED, url, folder]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
                assert process.stdout
                hashes += islice(process.stdout, count)
                process.send_signal(signal.SIGKILL)
                hashes += process.stdout.read().split("\n")[:-1]

    with Node(data_dir=folder, offline=True) as fork:
        mined = [fork.chain.receipt(Hash32(bytes.fromhex(each)), own=True) for each in hashes]
        assert None not in mined
        sent = fork.nonce(ALICE, Tag.LATEST) - upstream.nonce(ALICE, Tag.LATEST)
        assert len(hashes) <= sent <= len(hashes) + 2
        assert fork.chain.height == 5 + sent
