"""`devchain.chain.storage.sqlite_file`"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from devchain.config import Config
from devchain.errors import ConfigError, StoreFailed
from devchain.node import Node
from devchain.types import MineRequest
from tests.accounts import BOB
from tests.actions import deploy, kill, run
from tests.bytecode import COUNTER
from tests.conftest import GENESIS_TIME


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """A node with a data dir."""
    return Config(network="test", fixed_clock=GENESIS_TIME, data_dir=str(tmp_path))


def height_in_file(config: Config) -> int:
    """The number of the newest block that another process sees."""
    with sqlite3.connect(f"{config.data_dir}/test/chain.sqlite") as file:
        found: int = file.execute("SELECT max(number) FROM blocks").fetchone()[0]
    file.close()
    return found


class TestOpening:
    @pytest.mark.parametrize(
        "content", [b"what I wrote last summer" * 100, b"SQLite format 3\0" + b"\1" * 5000]
    )
    def test_foreign_file(self, config: Config, tmp_path: Path, content: bytes) -> None:
        """A file that is not a database is refused by name, and left as it is."""
        path = tmp_path / "test/chain.sqlite"
        path.parent.mkdir()
        path.write_bytes(content)

        with pytest.raises(ConfigError, match=r"chain.sqlite cannot be used as a chain"):
            Node(config)
        assert path.read_bytes() == content

    def test_foreign_database(self, config: Config, tmp_path: Path) -> None:
        """A database of another program is refused, and left as it is."""
        path = tmp_path / "test/chain.sqlite"
        path.parent.mkdir()
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE recipes (name)")
        other.close()
        before = path.read_bytes()

        with pytest.raises(ConfigError, match="a database of another program"):
            Node(config)
        assert path.read_bytes() == before

    def test_other_version(self, config: Config, tmp_path: Path) -> None:
        """A file of another format is refused."""
        Node(config).close()
        with sqlite3.connect(tmp_path / "test/chain.sqlite") as file:
            file.execute("PRAGMA user_version = 7")
        file.close()

        with pytest.raises(ConfigError, match="in format 7, this devchain reads format 1"):
            Node(config)


class TestWriting:
    def test_interrupted(self, config: Config) -> None:
        """An unexpected error rolls the operation back, and later writes are refused."""
        node = Node(config)

        node.chain.block_listeners.append(lambda block: block.number // 0)

        with pytest.raises(ZeroDivisionError):
            node.mine(MineRequest())
        with pytest.raises(StoreFailed, match=r"interrupted by ZeroDivisionError.*start the node"):
            node.miner.mine()
        kill(node)
        with Node(config) as again:
            assert again.chain.height == 0

    def test_several_blocks(self, config: Config) -> None:
        """Blocks mined by one call are written together."""
        node = Node(config)
        seen: list[int] = []
        node.chain.block_listeners.append(lambda block: seen.append(height_in_file(config)))

        node.mine(MineRequest(blocks=3))

        assert seen == [0, 0, 0]
        assert height_in_file(config) == 3
        node.close()

    def test_full_disk(self, config: Config) -> None:
        """A block that cannot be written is not mined; the error names the reason."""
        with Node(config) as node:
            run(node, BOB, value=1)
            assert node._persistence._data_dir
            node._persistence._data_dir.file.write("PRAGMA max_page_count = 1")
            with pytest.raises(StoreFailed, match=r"could not be written .*full"):
                deploy(node, COUNTER * 1_500)
            height = node.chain.height
            kill(node)
        with Node(config) as again:
            assert again.chain.height == height
