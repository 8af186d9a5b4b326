"""`devchain.bitcoin.stored`"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from devchain import Config, Node
from devchain.bitcoin.chain import SATOSHIS
from devchain.errors import InvalidInput, StoreFailed

NOW = 1_700_000_000


def busy(node: Node) -> None:
    """Give a node blocks, a lost one, an unconfirmed transaction and a second wallet."""
    bitcoin = node.bitcoin
    bitcoin.send(bitcoin.new_address("legacy"), SATOSHIS)
    bitcoin.invalidate(bitcoin.mine(3)[1])
    bitcoin.send(bitcoin.new_address(), SATOSHIS)
    bitcoin.create_wallet("watching", has_keys=False).watch(b"\x51")
    node.persist()


class TestDataDir:
    def test_read_back(self, tmp_path: Path) -> None:
        """A node that starts again goes on with the same chain, mempool and wallets."""
        config = Config(fixed_clock=NOW, data_dir=str(tmp_path))
        with Node(config) as node:
            busy(node)
            snapshot = node.snapshots.take()
            node.bitcoin.mine()
            node.persist()
            first = node.bitcoin.checkpoint()

        with Node(config) as node:
            again = node.bitcoin.checkpoint()
            assert again.state == first.state
            hashes = [[block.hash for block in one.blocks] for one in (again, first)]
            assert hashes[0] == hashes[1]
            assert node.revert(snapshot)
            assert len(node.bitcoin.mempool.entries) == 1
            assert node.bitcoin.height == 111

    def test_damaged(self, tmp_path: Path) -> None:
        """A block with other bytes is refused."""
        config = Config(fixed_clock=NOW, data_dir=str(tmp_path))
        with Node(config) as node:
            busy(node)
        with closing(sqlite3.connect(tmp_path / "local" / "chain.sqlite")) as file:
            file.execute(
                "UPDATE bitcoin SET raw = CAST(substr(raw, 1, 90) AS BLOB) WHERE rowid = 5"
            )
            file.commit()

        with pytest.raises(StoreFailed, match="damaged: its blocks of Bitcoin"):
            Node(config)


class TestDump:
    def test_round_trip(self) -> None:
        """A dump has all of Bitcoin, and loading it gives the same dump again."""
        with Node(Config(fixed_clock=NOW)) as node, Node(Config(fixed_clock=NOW)) as other:
            busy(node)
            node.snapshots.take()
            node.bitcoin.mine()

            other.load(node.dump())

            assert other.dump() == node.dump()
            assert other.bitcoin.mine() == node.bitcoin.mine()

    def test_another_mnemonic(self) -> None:
        """A dump has none of the mnemonic's keys: with another one, addresses are watched."""
        words = "abandon " * 11 + "about"
        with Node(Config(fixed_clock=NOW)) as node, Node(Config(mnemonic=words)) as other:
            node.bitcoin.mine()
            other.load(node.dump())

            assert other.bitcoin.balance() == 0
            assert other.bitcoin.height == 111

    def test_damaged(self) -> None:
        """A dump without the blocks that it names is refused."""
        import gzip
        import json

        with Node(Config(fixed_clock=NOW)) as node:
            node.bitcoin.mine()
            value = json.loads(gzip.decompress(node.dump()))
            del value["bitcoin"][7]

            with pytest.raises(InvalidInput, match="the dump is damaged"):
                node.load(gzip.compress(json.dumps(value).encode()))
