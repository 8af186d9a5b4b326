"""`devchain.chain.storage.sqlite_block_store`"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from devchain.chain.block import MinedLog
from devchain.chain.slices import finish
from devchain.chain.storage.block_store import MAX_INDEXED_VALUES
from devchain.config import Config
from devchain.errors import StoreFailed
from devchain.node import Node, cheats
from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.json_codec import StreamedJson
from devchain.types import BlockHash, Hash32, LogQuery
from tests.accounts import ALICE, BOB
from tests.actions import deploy, install_filter, run
from tests.bytecode import EMIT, EMIT_MANY, word
from tests.conftest import GENESIS_TIME
from tests.scenarios import history, persistent_fingerprint


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """A node with a data dir."""
    return Config(network="test", fixed_clock=GENESIS_TIME, data_dir=str(tmp_path))


class TestSqliteBlockStore:
    def test_more_than_is_cached(self, config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
        """Blocks that have left the cache are read again, with their states and logs."""
        monkeypatch.setattr("devchain.chain.storage.sqlite_block_store.CACHED_BLOCKS", 3)
        plain = replace(config, data_dir=None)
        with Node(config) as node, Node(plain) as steady:
            for each in (node, steady):
                contract = deploy(each, EMIT)
                for number in range(8):
                    run(each, contract, word(number) * 3)

            assert persistent_fingerprint(node) == persistent_fingerprint(steady)
            assert history(node) == history(steady)
            assert [
                node.chain.block(BlockHash(each.hash)).number for each in steady.chain._blocks
            ] == [*range(10)]
            with pytest.raises(IndexError, match="no block 10"):
                node.chain._blocks[10]

    @pytest.mark.parametrize(
        ("damage", "text"),
        [
            ("UPDATE blocks SET body = x'c0' WHERE number = 1", "block 1 cannot be read"),
            ("UPDATE blocks SET hash = zeroblob(32) WHERE number = 1", "block 1 cannot be read"),
            ("DELETE FROM blocks WHERE number = 1", "block 1 cannot be read"),
            ("DELETE FROM nodes", "lacks a part of a state"),
            ("UPDATE nodes SET data = x'00'", "has other bytes for a part of a state"),
        ],
    )
    def test_damage(self, config: Config, tmp_path: Path, damage: str, text: str) -> None:
        """Damage of the file is reported when the damaged part is read."""
        with Node(config) as node:
            run(node, BOB, value=1)
            run(node, BOB, value=1)
        with closing(sqlite3.connect(tmp_path / "test/chain.sqlite")) as file, file:
            file.execute(damage)
        file.close()

        match = f"chain.sqlite is damaged: .*{text}"
        with pytest.raises(StoreFailed, match=match), Node(config) as again:
            again.chain.state_at(1).balance(ALICE)

    def test_changed_bytes(self, config: Config, tmp_path: Path) -> None:
        """Another byte in a header, a transaction or a log is found when the block is read."""
        with Node(config) as node:
            run(node, deploy(node, EMIT), word(7) * 3)
            block = node.chain.block(2)
            node.mine()
        parts = [block.state_root, block.transactions[0].raw, block.receipts[0].logs[0].data]
        for part in parts:
            changed = bytes([part[0] ^ 1]) + part[1:]
            with closing(sqlite3.connect(tmp_path / "test/chain.sqlite")) as file, file:
                (body,) = file.execute("SELECT body FROM blocks WHERE number = 2").fetchone()
                assert part in body
                file.execute(
                    "UPDATE blocks SET body = ? WHERE number = 2", (body.replace(part, changed),)
                )

            with Node(config) as again, pytest.raises(StoreFailed, match="damaged: block 2 cannot"):
                again.chain.block(2)

            with closing(sqlite3.connect(tmp_path / "test/chain.sqlite")) as file, file:
                file.execute("UPDATE blocks SET body = ? WHERE number = 2", (body,))


class TestSearch:
    @pytest.fixture
    def node(self, config: Config) -> Iterator[Node]:
        """A node with 600 logs in each of two blocks."""
        with Node(config) as node:
            emitter = deploy(node, EMIT_MANY)
            for _ in range(2):
                run(node, emitter, word(600), gas=10**6)
            yield node

    def test_slices(self, node: Node) -> None:
        """Others may be served after each block."""
        found = [*node.chain.search(LogQuery(0, 3))]

        assert [log for log in found if log is not None] == [*node.chain.logs(LogQuery(0, 3))]
        assert found.count(None) >= 2
        assert None not in found[:600]

    def test_pending_and_removed(self, node: Node) -> None:
        """Removed logs of blocks in the file are changes of a filter."""
        watching = install_filter(node, LogQuery(0, topics=(frozenset([Hash32(word(1))]),)))
        node.filters.changes(watching)
        cheats.rollback(node, 1)

        changes = node.filters.changes(watching)

        assert [each.removed for each in changes if isinstance(each, MinedLog)] == [True]

    def test_removed_while_sent(self, node: Node) -> None:
        """An answer has the logs that were found, even if their block has been removed."""
        body = b'{"id":1,"method":"eth_getLogs","params":[{"fromBlock":"0x0"}]}'
        answer = finish(Dispatcher(node).serve(body))
        assert isinstance(answer, StreamedJson)
        pieces = answer.pieces
        begun = next(pieces)
        cheats.rollback(node, 1)

        assert len(json.loads(begun + b"".join(pieces))["result"]) == 1_200

    @pytest.mark.parametrize("count", [1, MAX_INDEXED_VALUES + 1])
    def test_many_alternatives(self, node: Node, count: int) -> None:
        """A search takes any number of them."""
        topics = frozenset(Hash32(word(600 + number)) for number in range(count))

        assert len(node.logs(LogQuery(0, topics=(topics,)))) == 2
        assert node.logs(LogQuery(0, topics=(None, topics))) == []
