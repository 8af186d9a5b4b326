"""`devchain.chain.storage.sqlite_block_store`"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from devchain.config import Config
from devchain.errors import StoreFailed
from devchain.node import Node
from devchain.types import BlockHash
from tests.accounts import ALICE, BOB
from tests.actions import deploy, run
from tests.bytecode import EMIT, word
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
