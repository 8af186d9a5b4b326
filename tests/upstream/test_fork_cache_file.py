"""`devchain.upstream.fork_cache_file`"""

from __future__ import annotations

import gc
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from devchain.errors import ConfigError, ForkCacheMiss, NotInForkCache, StoreFailed
from devchain.upstream import fork_cache_file
from devchain.upstream.client import Upstream
from devchain.upstream.fork_cache import MISSING, ForkCache
from devchain.upstream.fork_cache_file import CacheFile, RecordedFork
from devchain.upstream.queries import upstream_query
from tests.upstream.server import FORK, FakeUpstream

ADDRESS = "0x" + "ab" * 20
BALANCE = upstream_query("eth_getBalance", ADDRESS, "0x64")
CODE = upstream_query("eth_getCode", ADDRESS, "0x64")
OTHER = FORK._replace(hash=b"\x0e" * 32)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file that does not exist yet, in a folder that does not either."""
    return tmp_path / "cache" / "forks.sqlite"


def recorded(path: Path, fake: FakeUpstream) -> None:
    """A file with a balance and a code."""
    cache = ForkCache(Upstream([fake.url]), CacheFile(path), FORK)
    cache.need([BALANCE, CODE])
    cache.close()


class TestFile:
    def test_kept(self, path: Path, fake: FakeUpstream) -> None:
        """What was fetched once is found in the file, without an upstream."""
        recorded(path, fake)

        cache = ForkCache(None, CacheFile(path), FORK)

        assert (cache.get(BALANCE), cache.get(CODE), cache.get(CODE)) == (
            "0x64",
            "0x6001",
            "0x6001",
        )
        assert cache.hits == 2
        cache.close()
        assert cache.get(CODE) == "0x6001"

    def test_dropped(self, path: Path) -> None:
        """A file that is dropped without being closed is closed then: CPython 3.13 warns else."""
        file = CacheFile(path)
        connection = file._connection

        del file
        gc.collect()

        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")

    def test_by_fork(self, path: Path, fake: FakeUpstream) -> None:
        """The values of one fork block are not those of another, whatever its number."""
        recorded(path, fake)
        file = CacheFile(path)

        assert file.find(OTHER, BALANCE, MISSING) is MISSING
        file.save(OTHER, {BALANCE: "0x7"})
        assert (file.find(OTHER, BALANCE, None), file.find(FORK, BALANCE, None)) == ("0x7", "0x64")
        assert file.forks() == [RecordedFork(OTHER, 1), RecordedFork(FORK, 2)]
        file.close()

    def test_offline(self, path: Path, fake: FakeUpstream) -> None:
        """What is not in the file is named, with the command that records it."""
        recorded(path, fake)
        cache = ForkCache(None, CacheFile(path), FORK)

        with pytest.raises(NotInForkCache) as caught:
            cache.get(upstream_query("eth_getStorageAt", ADDRESS, "0x3", "0x64"))
        cache.close()
        assert str(caught.value) == (
            f"storage slot 0x3 of {ADDRESS} at block 100 of chain 31 is not known (it is not in "
            f"{path}), and the upstream is not asked: to record it, run this once on a node "
            f"started with `devchain start --fork-url URL@100 --fork-cache {path}`, without "
            "--offline; in Python leave offline out of Node(...)"
        )

    @pytest.mark.parametrize(
        ("method", "value", "is_kept"),
        [
            ("eth_getTransactionByHash", None, True),
            ("eth_getTransactionByHash", {"blockNumber": "0x64"}, True),
            ("eth_getTransactionByHash", {"blockNumber": "0x65"}, False),
            ("eth_getTransactionByHash", {"blockNumber": None}, False),
            ("eth_getTransactionReceipt", {"blockNumber": "0x65"}, False),
            ("eth_getBlockByHash", {"number": "0x64", "hash": "0x" + "12" * 32}, True),
            ("eth_getBlockByHash", {"number": "0x65", "hash": "0x" + "12" * 32}, False),
        ],
    )
    def test_found_by_hash(
        self, path: Path, fake: FakeUpstream, method: str, value: Any, is_kept: bool
    ) -> None:
        """What is found by its hash is kept if it is in a block up to the fork block."""
        fake.results[method] = value
        wanted = upstream_query(method, "0x" + "12" * 32)
        cache = ForkCache(Upstream([fake.url]), CacheFile(path), FORK)
        assert cache.get(wanted) == value
        cache.close()

        file = CacheFile(path)
        assert (file.find(FORK, wanted, MISSING) is not MISSING) == is_kept
        file.close()

    def test_from_a_worker(self, path: Path, fake: FakeUpstream) -> None:
        """A worker thread saves what it has fetched."""
        cache = ForkCache(Upstream([fake.url]), CacheFile(path), FORK)
        cache.fetch_in_background(ForkCacheMiss(CODE, {BALANCE})).result(10)
        cache.close()

        file = CacheFile(path)
        assert [each for each, _ in file.values(FORK)] == [BALANCE, CODE]
        file.close()


PROGRAM = """
import sys
from pathlib import Path
from devchain.upstream.fork_cache_file import CacheFile
from devchain.upstream.queries import ForkBlock, upstream_query

fork = ForkBlock(31, 100, bytes(32))
sys.stdin.readline()
file = CacheFile(Path(sys.argv[1]))
for each in range(40):
    file.save(fork, {upstream_query("eth_getStorageAt", sys.argv[2], hex(each), "0x64"): hex(each)})
file.close()
"""


class TestShared:
    def test_seen_by_others(self, path: Path) -> None:
        """What one process saves is found by another that has the file open."""
        first, second = CacheFile(path), CacheFile(path)

        first.save(FORK, {BALANCE: "0x1"})

        assert second.find(FORK, BALANCE, MISSING) == "0x1"
        second.save(FORK, {CODE: "0x"})
        assert first.find(FORK, CODE, MISSING) == "0x"
        first.close()
        second.close()

    def test_at_once(self, path: Path) -> None:
        """Processes that create the file and write to it at the same time lose nothing."""
        names = ["0xaa", "0xbb", "0xcc", "0xdd"]
        running = [
            subprocess.Popen(
                [sys.executable, "-c", PROGRAM, str(path), each], stdin=subprocess.PIPE
            )
            for each in names
        ]
        for each in running:
            each.communicate(b"\n")

        assert [each.returncode for each in running] == [0] * len(names)
        file = CacheFile(path)
        assert [each.values for each in file.forks()] == [40 * len(names)]
        file.close()


class TestReadOnly:
    @pytest.mark.parametrize("is_folder_writable", [True, False])
    def test_read(
        self, read_only_folder: Path, fake: FakeUpstream, is_folder_writable: bool
    ) -> None:
        """A file that cannot be written is read; that nothing is kept is said once."""
        path = read_only_folder / "forks.sqlite"
        recorded(path, fake)
        path.chmod(0o400)
        read_only_folder.chmod(0o700 if is_folder_writable else 0o500)
        warnings: list[str] = []

        cache = ForkCache(Upstream([fake.url]), CacheFile(path, warnings.append), FORK)

        assert cache.get(BALANCE) == "0x64"
        assert cache.get(upstream_query("eth_getBalance", ADDRESS, "0x1")) == "0x64"
        assert cache.get(upstream_query("eth_getBalance", ADDRESS, "0x2")) == "0x64"
        cache.close()
        (warning,) = warnings
        assert warning == (
            f"the fork cache {path} cannot be written (it is read-only): what is fetched from the "
            "upstream is not kept in it"
        )

    def test_folder(self, read_only_folder: Path) -> None:
        """Where no file can be made there is an error."""
        read_only_folder.chmod(0o500)

        with pytest.raises(ConfigError, match="cannot be used as a fork cache"):
            CacheFile(read_only_folder / "forks.sqlite")

    def test_while_open(self, path: Path) -> None:
        """When writing fails later, that is said once, and what was kept is still found."""
        warnings: list[str] = []
        file = CacheFile(path, warnings.append)
        file.save(FORK, {BALANCE: "0x1"})
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute(
                "CREATE TRIGGER full BEFORE INSERT ON cached_values "
                "BEGIN SELECT RAISE(FAIL, 'full'); END"
            )

        file.save(FORK, {CODE: "0x"})
        file.save(FORK, {CODE: "0x"})

        assert file.find(FORK, BALANCE, None) == "0x1"
        assert [each.partition(":")[0] for each in warnings] == [
            f"the fork cache {path} cannot be written (full)"
        ]
        file.close()


class TestUnusable:
    @pytest.mark.parametrize(
        ("statement", "problem"),
        [
            ("PRAGMA user_version = 7", "is in format 7, this devchain reads format 2"),
            ("PRAGMA application_id = 1", "is a database of another program"),
        ],
    )
    def test_format(self, path: Path, statement: str, problem: str) -> None:
        """A file in another format, or of another program, is refused and left as it is."""
        CacheFile(path).close()
        with closing(sqlite3.connect(path)) as other:
            other.execute(statement)
        content = path.read_bytes()

        with pytest.raises(ConfigError, match=problem):
            CacheFile(path)
        assert path.read_bytes() == content

    @pytest.mark.parametrize("content", [b"hello" * 1_000, b"SQLite format 3\0" + b"x" * 5_000])
    def test_damaged(self, path: Path, content: bytes) -> None:
        """What is no database is refused and left as it is."""
        path.parent.mkdir()
        path.write_bytes(content)

        with pytest.raises(ConfigError, match=f"{path} cannot be used as a fork cache .*delete it"):
            CacheFile(path)
        assert path.read_bytes() == content

    def test_folder(self, path: Path) -> None:
        """A folder is no file."""
        path.mkdir(parents=True)

        with pytest.raises(ConfigError, match="is a folder: give a file"):
            CacheFile(path)

    @pytest.mark.parametrize("value", ['"0x', '"64"', "[]"])
    def test_damaged_value(self, path: Path, value: str) -> None:
        """A value that cannot be the answer is an error, not an answer."""
        file = CacheFile(path)
        file.save(FORK, {BALANCE: "0x1"})
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("UPDATE cached_values SET value = ?", (value,))

        with pytest.raises(StoreFailed, match=f"the balance of {ADDRESS} at block 100 is damaged"):
            file.find(FORK, BALANCE, None)
        file.close()

    def test_damaged_pages(self, path: Path, fake: FakeUpstream) -> None:
        """A file whose pages were overwritten is an error when they are read."""
        recorded(path, fake)
        size = path.stat().st_size
        with path.open("r+b") as stream:
            stream.seek(4_096)
            stream.write(b"\xff" * (size - 4_096))

        file = CacheFile(path)
        with pytest.raises(StoreFailed, match=r"cannot be read .*delete it, or give another"):
            file.find(FORK, BALANCE, None)
        file.close()


class TestPrefetched:
    def test_bounded(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Beyond so many functions the first is dropped; one that is saved again is the newest."""
        monkeypatch.setattr(fork_cache_file, "MOST_FUNCTIONS", 3)
        with closing(CacheFile(path)) as file:
            for name in (b"a", b"b", b"c", b"a", b"d"):
                file.save_prefetched(31, name, b"", "[]")

            saved = [file.prefetched(31, name, b"") for name in (b"a", b"b", b"c", b"d")]
            assert saved == ["[]", "", "[]", "[]"]
            assert file.prefetched(30, b"a", b"") == ""
