"""`devchain.chain.storage.sqlite_file`"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from devchain.chain.storage import sqlite_file
from devchain.config import Config
from devchain.errors import ConfigError
from devchain.node import Node
from devchain.types import MineRequest
from tests.actions import kill
from tests.conftest import GENESIS_TIME


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """A node with a data dir."""
    return Config(network="test", fixed_clock=GENESIS_TIME, data_dir=str(tmp_path))


def height_in_file(config: Config) -> int:
    """The number of the newest block that another process sees."""
    with closing(sqlite3.connect(f"{config.data_dir}/test/chain.sqlite")) as file, file:
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
        with closing(sqlite3.connect(path)) as other, other:
            other.execute("CREATE TABLE recipes (name)")
        before = path.read_bytes()

        with pytest.raises(ConfigError, match="a database of another program"):
            Node(config)
        assert path.read_bytes() == before

    def test_refused_file_is_closed(
        self, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The connection to a file that is refused is closed at once."""
        opened = []
        connect = sqlite_file._connect
        monkeypatch.setattr(
            sqlite_file, "_connect", lambda path: opened.append(connect(path)) or opened[-1]
        )
        (tmp_path / "test").mkdir()
        (tmp_path / "test/chain.sqlite").write_bytes(b"no database" * 1_000)

        with pytest.raises(ConfigError):
            Node(config)
        (connection,) = opened
        with pytest.raises(sqlite3.ProgrammingError, match="closed database"):
            connection.execute("SELECT 1")

    def test_other_version(self, config: Config, tmp_path: Path) -> None:
        """A file of another format is refused."""
        Node(config).close()
        with closing(sqlite3.connect(tmp_path / "test/chain.sqlite")) as file, file:
            file.execute("PRAGMA user_version = 7")

        with pytest.raises(ConfigError, match="in format 7, this devchain reads format 3"):
            Node(config)

    @pytest.mark.parametrize("size", [1, 99, 4096, 3 * 4096 + 7])
    def test_cut_off(self, config: Config, tmp_path: Path, size: int) -> None:
        """A file that has lost its end is refused, and not changed."""
        Node(config).close()
        path = tmp_path / "test/chain.sqlite"
        path.write_bytes(path.read_bytes()[:size])

        with pytest.raises(ConfigError, match=r"chain.sqlite cannot be used as a chain"):
            Node(config)
        assert path.stat().st_size == size

    def test_empty(self, config: Config, tmp_path: Path) -> None:
        """A file without content is refused, not taken for a new chain."""
        Node(config).close()
        path = tmp_path / "test/chain.sqlite"
        path.write_bytes(b"")

        with pytest.raises(ConfigError, match=r"chain.sqlite is empty.*delete it to start a new"):
            Node(config)
        assert path.read_bytes() == b""

    def test_missing_beside_its_log(self, config: Config, tmp_path: Path) -> None:
        """A log without its file is not the start of a new chain."""
        Node(config).close()
        path = tmp_path / "test/chain.sqlite"
        path.rename(tmp_path / "test/chain.sqlite-wal")

        with pytest.raises(ConfigError, match=r"chain.sqlite is missing, but its log"):
            Node(config)

    def test_killed_while_it_was_made(self, config: Config, tmp_path: Path) -> None:
        """What a process leaves that is killed before the tables are made does not matter."""
        (tmp_path / "test").mkdir()
        for name in ("chain.sqlite.new", "chain.sqlite.new-journal"):
            (tmp_path / "test" / name).write_bytes(b"half")

        with Node(config) as node:
            assert node.chain.height == 0
        with Node(config) as node:
            assert node.chain.height == 0


class TestWriting:
    def test_interrupted(self, config: Config) -> None:
        """An unexpected error rolls the operation back, in memory and in the file."""
        node = Node(config)

        node.chain.block_listeners.append(lambda block: block.number // 0)

        with pytest.raises(ZeroDivisionError):
            node.mine(MineRequest())
        assert node.chain.height == height_in_file(config) == 0
        node.chain.block_listeners.clear()
        node.mine(MineRequest())
        kill(node)
        with Node(config) as again:
            assert again.chain.height == 1

    def test_several_blocks(self, config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
        """Blocks mined by one call, in the time of one turn, are written together."""
        node = Node(config)
        monkeypatch.setattr(node.clock, "monotonic", lambda: 0.0)
        seen: list[int] = []
        node.chain.block_listeners.append(lambda block: seen.append(height_in_file(config)))

        node.mine(MineRequest(blocks=3))

        assert seen == [0, 0, 0]
        assert height_in_file(config) == 3
        node.close()
