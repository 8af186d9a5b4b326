"""A node whose data dir cannot be written for a while: what was refused has not happened"""

from __future__ import annotations

import resource
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import DevchainError, StoreFailed
from devchain.node import Node
from devchain.types import LogQuery
from tests.accounts import ALICE, BOB
from tests.actions import deploy, fingerprint, install_filter, kill, run
from tests.bytecode import COUNTER, EMIT, word
from tests.conftest import GENESIS_TIME
from tests.scenarios import ACTIONS, Step, history, persistent_fingerprint, scenarios


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """A node with a data dir."""
    return Config(network="test", fixed_clock=GENESIS_TIME, data_dir=str(tmp_path / "data"))


class FullDisk:
    """A connection to an SQLite file whose writes fail when there is no space left for them."""

    def __init__(self, connection: sqlite3.Connection, space: int) -> None:
        self._connection = connection
        self.space = space

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, statement: str, *values: Any) -> Any:
        """Run a statement; each but reading and rolling back takes space."""
        if not statement.startswith(("SELECT", "PRAGMA")):
            self._take()
        return self._connection.execute(statement, *values)

    def executemany(self, statement: str, rows: Any) -> Any:
        """Write rows."""
        self._take()
        return self._connection.executemany(statement, rows)

    def _take(self) -> None:
        self.space -= 1
        if self.space < 0:
            raise sqlite3.OperationalError("database or disk is full")


def file_of(node: Node) -> Any:
    """The SQLite file of a node."""
    assert node._persistence._data_dir
    return node._persistence._data_dir.file


@contextmanager
def full(node: Node) -> Iterator[None]:
    """Let the file of a node not grow."""
    file = file_of(node)
    file._connection.execute("PRAGMA max_page_count = 1")
    yield
    file._connection.execute("PRAGMA max_page_count = 1000000")


@contextmanager
def small_files(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def copied(node: Node, folder: Path) -> Node:
    """A node on a copy of what a node's data dir has at present."""
    assert node.config.data_dir
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(node.config.data_dir, folder)
    return Node(replace(node.config, data_dir=str(folder)))


class TestFullDisk:
    def test_by_page_count(self, config: Config) -> None:
        """A block that does not fit is not mined; reads go on, and so do writes that fit later."""
        with Node(config) as node:
            run(node, BOB, value=1)
            before = fingerprint(node)
            with full(node):
                with pytest.raises(
                    StoreFailed, match=r"could not be written .*full.*free some space.*try again"
                ):
                    deploy(node, COUNTER * 1_500)
                node.persist()
                assert fingerprint(node) == before
            deploy(node, COUNTER * 1_500)
            contract = deploy(node, COUNTER)
            height, states = node.chain.height, history(node)
            kill(node)
        with Node(config) as again:
            assert (again.chain.height, history(again)) == (height, states)
            assert again.chain.state_at(height).code(contract)

    def test_by_file_size(self, config: Config) -> None:
        """Errors of the operating system are treated as those of SQLite."""
        with Node(config) as node:
            run(node, BOB, value=1)
            before = fingerprint(node)
            log = Path(config.data_dir or "") / "test/chain.sqlite-wal"
            with small_files(log.stat().st_size + 1_000):
                for _ in range(2):
                    with pytest.raises(StoreFailed, match="could not be written"):
                        deploy(node, COUNTER * 1_500)
                    assert fingerprint(node) == before
                assert node.chain.state_at(0).balance(ALICE) > 0
            sent = run(node, BOB, value=2).transaction.hash
            kill(node)
        with Node(config) as again:
            assert again.chain.receipt(sent)

    def test_requests(self, config: Config) -> None:
        """Over JSON-RPC, writing is refused with an error and reading is not."""
        with Node(config) as node:
            client = LocalClient(node)
            client.call("evm_mine")
            before = client.call("eth_getBlockByNumber", "latest", False)
            for name, params in (
                ("evm_snapshot", []),
                ("evm_increaseTime", [100]),
                ("evm_mine", []),
                ("hardhat_setBalance", ["0x" + "11" * 20, "0x1"]),
                ("hardhat_impersonateAccount", ["0x" + "11" * 20]),
                ("eth_sendTransaction", [{"from": "0x" + ALICE.hex(), "to": "0x" + BOB.hex()}]),
            ):
                file = file_of(node)
                file._connection = FullDisk(file._connection, 0)
                with pytest.raises(DevchainError, match="could not be written"):
                    client.call(name, *params)
                assert client.call("eth_blockNumber") == "0x1"
                assert client.call("eth_getBlockByNumber", "latest", False) == before
                assert client.call("txpool_status") == {"pending": 0, "queued": 0}
                file._connection = file._connection._connection
                client.call(name, *params)
                client.call("evm_revert", client.call("evm_snapshot"))
                node.reset()
                client.call("evm_mine")
                before = client.call("eth_getBlockByNumber", "latest", False)

    def test_filters_of_a_revert_that_failed(self, config: Config) -> None:
        """A filter has the logs of blocks that stayed as often added as removed, and once more."""
        with Node(config) as node:
            emitter = deploy(node, EMIT)
            snapshot = node.snapshots.take()
            node.persist()
            watching = install_filter(node, LogQuery())
            run(node, emitter, word(1) + word(2))
            assert len(node.filters.changes(watching)) == 1
            file = file_of(node)
            file._connection = FullDisk(file._connection, 1)
            with pytest.raises(StoreFailed):
                node.revert(snapshot)
            file._connection = file._connection._connection

            assert node.chain.height == 2
            removed = [each.removed for each in node.filters.changes(watching)]  # type: ignore[union-attr]
            assert removed in ([], [True, False])

    @settings(max_examples=12)
    @given(scenarios, st.lists(st.integers(0, 12), min_size=25, max_size=25), scenarios)
    def test_memory_is_as_the_file(
        self, steps: list[Step], spaces: list[int], more: list[Step]
    ) -> None:
        """After a write has failed anywhere, the node has what its data dir has, and goes on."""
        with TemporaryDirectory() as folder:
            config = Config(network="test", fixed_clock=GENESIS_TIME, data_dir=f"{folder}/data")
            with Node(config) as node:
                file = file_of(node)
                for (action, number), space in zip(steps, spaces, strict=False):
                    file._connection = disk = FullDisk(file._connection, space)
                    with suppress(DevchainError, AssertionError):
                        ACTIONS[action](node, number)
                        node.persist()
                    with suppress(StoreFailed):
                        node.persist()
                    file._connection = disk._connection
                    if disk.space < 0:
                        with copied(node, Path(folder) / "copy") as other:
                            assert persistent_fingerprint(node) == persistent_fingerprint(other)
                for action, number in more:
                    with suppress(DevchainError, AssertionError):
                        ACTIONS[action](node, number)
                    node.persist()
                with copied(node, Path(folder) / "copy") as other:
                    assert persistent_fingerprint(node) == persistent_fingerprint(other)
                    assert history(node) == history(other)


class TestBitcoin:
    @pytest.mark.parametrize("space", range(1, 6))
    def test_not_mined(self, tmp_path: Path, space: int) -> None:
        """Blocks of Bitcoin that could not be written were not mined; later ones are written."""
        config = Config(fixed_clock=GENESIS_TIME, data_dir=str(tmp_path / "data"))
        with Node(config) as node:
            file = file_of(node)
            connection = file._connection
            file._connection = FullDisk(connection, space)
            with suppress(StoreFailed):
                node.bitcoin.mine(3)
                node.persist()
            file._connection = connection
            left = node.bitcoin.height
            node.bitcoin.mine(2)
            node.persist()
            tip = node.bitcoin.chain.tip.hash
        with Node(config) as again:
            assert left in {110, 113}
            assert (again.bitcoin.height, again.bitcoin.chain.tip.hash) == (left + 2, tip)
