"""`devchain.chain.storage.page_sums`"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from devchain.chain.storage.page_sums import PageSums
from devchain.config import Config
from devchain.errors import ConfigError
from devchain.node import Node
from devchain.types import Hash32
from tests.accounts import BOB
from tests.actions import run, send
from tests.conftest import GENESIS_TIME

PAGE = 4096


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """A node with a data dir."""
    return Config(network="test", fixed_clock=GENESIS_TIME, data_dir=str(tmp_path / "data"))


@pytest.fixture
def path(config: Config) -> Path:
    """The file of a closed chain of 150 transactions."""
    with Node(config) as node:
        for value in range(150):
            run(node, BOB, value=value)
    return Path(config.data_dir or "") / "test/chain.sqlite"


def flip(path: Path, position: int, bits: int = 1) -> None:
    """Change a byte of a file."""
    content = bytearray(path.read_bytes())
    content[position] ^= bits
    path.write_bytes(content)


class TestDamage:
    def test_each_page(self, config: Config, path: Path) -> None:
        """One changed bit in any page is found, and the page named; nothing is changed."""
        whole = path.read_bytes()
        draw = Random(7)  # noqa: S311
        for number in range(1, len(whole) // PAGE + 1):
            flip(path, (number - 1) * PAGE + draw.randrange(PAGE), 1 << draw.randrange(8))
            before = path.read_bytes()
            with pytest.raises(
                ConfigError, match=rf"chain.sqlite is damaged.*page {number} is not as written"
            ):
                Node(config)
            assert path.read_bytes() == before
            path.write_bytes(whole)
        with Node(config) as node:
            assert node.chain.height == 150

    def test_several(self, config: Config, path: Path) -> None:
        """The message names the first pages and counts the others."""
        for number in range(7):
            flip(path, number * PAGE + 99)

        with pytest.raises(ConfigError, match="pages 1, 2, 3, 4, 5 and 2 more are not as"):
            Node(config)

    @pytest.mark.parametrize("size", [1, 99, PAGE, 3 * PAGE + 7, -PAGE, -1])
    def test_cut_off(self, config: Config, path: Path, size: int) -> None:
        """A file that has lost its end is refused."""
        path.write_bytes(path.read_bytes()[:size])

        with pytest.raises(ConfigError, match="is damaged"):
            Node(config)

    def test_extended(self, config: Config, path: Path) -> None:
        """So is one that has become longer."""
        path.write_bytes(path.read_bytes() + bytes(PAGE))

        with pytest.raises(ConfigError, match="is damaged"):
            Node(config)

    def test_accepted(self, config: Config, path: Path) -> None:
        """Without the sums the file is opened as it is, and has sums again."""
        with closing(sqlite3.connect(path)) as file, file:
            file.execute("DELETE FROM transactions")
        file.close()
        with pytest.raises(ConfigError, match=r"delete chain.sqlite.sums beside it"):
            Node(config)

        PageSums(path).path.unlink()
        Node(config).close()
        assert PageSums(path).is_known
        assert PageSums(path).damaged_pages() == []

    def test_of_the_sums(self, config: Config, path: Path) -> None:
        """Sums that are damaged themselves are computed anew."""
        flip(PageSums(path).path, 40)
        assert not PageSums(path).is_known

        with Node(config) as node:
            assert node.chain.height == 150
        assert PageSums(path).is_known

    def test_a_file_of_an_early_version(self, config: Config, path: Path) -> None:
        """A file without sums gets them when it is opened."""
        with closing(sqlite3.connect(path)) as file, file:
            file.execute("PRAGMA user_version = 1")
        file.close()
        PageSums(path).path.unlink()

        Node(config).close()
        assert PageSums(path).is_known
        with closing(sqlite3.connect(path)) as file, file:
            assert file.execute("PRAGMA user_version").fetchone() == (2,)
        file.close()


class TestKilled:
    """Whatever a process leaves when it is killed has the pages that it should have."""

    @pytest.fixture
    def node(self, config: Config, monkeypatch: pytest.MonkeyPatch) -> Iterator[Node]:
        """A node that moves its log into the file every few blocks."""
        monkeypatch.setattr("devchain.chain.storage.sqlite_file.CHECKPOINT_BYTES", 60_000)
        with Node(config) as node:
            yield node

    @staticmethod
    def check(node: Node, folder: Path, expected: list[Hash32]) -> None:
        """A node on a copy of the data dir has those transactions."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(node.config.data_dir or "", folder)
        with Node(replace(node.config, data_dir=str(folder))) as copy:
            assert all(copy.chain.receipt(each) for each in expected)

    def test_between_blocks(self, node: Node, tmp_path: Path) -> None:
        """After each block."""
        sent = []
        for value in range(60):
            sent.append(send(node, BOB, value=value))
            self.check(node, tmp_path / "copy", sent)

    def test_within_a_checkpoint(
        self, node: Node, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """When the sums are written, and some of the pages are in the file."""
        sent: list[Hash32] = []
        seen = 0
        add_log = PageSums.add_log

        def interrupted(sums: PageSums) -> None:
            nonlocal seen
            if sums._database != Path(node.config.data_dir or "") / "test/chain.sqlite":
                add_log(sums)  # of a copy
                return
            self.check(node, tmp_path / "copy", sent)
            log = {number: bytes(page) for number, _, page in sums._committed()}
            add_log(sums)
            self.check(node, tmp_path / "copy", sent)
            folder = tmp_path / "half"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(node.config.data_dir or "", folder)
            with (folder / "test/chain.sqlite").open("r+b") as file:
                for number in sorted(log)[::2]:
                    file.seek((number - 1) * PAGE)
                    file.write(log[number])
            with Node(replace(node.config, data_dir=str(folder))) as copy:
                assert all(copy.chain.receipt(each) for each in sent)
            seen += 1

        monkeypatch.setattr(PageSums, "add_log", interrupted)
        for value in range(40):
            run(node, BOB, value=value)
            sent.append(node.chain.head.transactions[0].hash)
        assert seen > 2
        monkeypatch.undo()
