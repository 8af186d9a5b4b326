"""The file of a fork cache: an SQLite database of queries and the upstream's answers as JSON.

It is cache and test fixture in one. Answers are found by the hash of the fork block, never by URL:
so they cannot go stale, and all providers of a chain share them.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple
from weakref import finalize

import orjson

from devchain.errors import ConfigError, StoreFailed, UpstreamFailed
from devchain.files import cache_folder
from devchain.upstream.queries import ForkBlock, UpstreamQuery, canonical, check

APPLICATION_ID = 0x64666B63  # `dfkc`: marks the file as a fork cache in SQLite's own header
VERSION = 2

TABLES = """
CREATE TABLE forks (
    id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE,
    chain_id INTEGER NOT NULL, number INTEGER NOT NULL
);
CREATE TABLE cached_values (
    fork INTEGER NOT NULL, method TEXT NOT NULL, params TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (fork, method, params)
) WITHOUT ROWID;
CREATE TABLE prefetch (
    chain_id INTEGER NOT NULL, code_hash BLOB NOT NULL, selector BLOB NOT NULL,
    queries TEXT NOT NULL, PRIMARY KEY (chain_id, code_hash, selector)
);
"""
"""
- `forks`: the blocks that chains were forked from.
- `cached_values`: queries about the chain up to such a block, and their answers as JSON.
- `prefetch`: the queries that functions of contracts need one after the other, as JSON.
"""
MOST_FUNCTIONS = 10_000  # in the table `prefetch`; the first is dropped for another
BUSY_SECONDS = 10.0
CLOSED = "it is closed"


class RecordedFork(NamedTuple):
    """A fork block of a file, and how many values it has of it."""

    fork: ForkBlock
    values: int


def default_path() -> Path:
    """The file in the user's cache folder; each format has its own."""
    return cache_folder() / f"forks-{VERSION}.sqlite"


class CacheFile:
    """Cached values in a file that several processes and threads may use at a time.

    What is saved is seen by others at once. A file that cannot be written is read; `warn` is
    called, once, when something should have been saved.
    """

    def __init__(self, path: Path, warn: Callable[[str], object] = lambda _: None) -> None:
        """Open or create the file; raises `ConfigError`, and leaves what it refuses as it is."""
        self.path = path
        self._problem: str | None = None
        self._has_warned = False
        self._warn = warn
        self._lock = threading.Lock()
        if path.is_dir():
            raise ConfigError(f"{path} is a folder: give a file as --fork-cache")
        try:
            self._connection = self._open()
        except (sqlite3.Error, OSError) as error:
            raise ConfigError(
                f"{path} cannot be used as a fork cache ({error}): delete it, or give "
                "another --fork-cache. Nothing in it was changed"
            ) from error
        # A node in a test or a session is often dropped without being closed.
        finalize(self, self._connection.close)

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        may_write = os.access(
            self.path, os.W_OK, effective_ids=os.access in os.supports_effective_ids
        )
        if may_write or not self.path.exists():
            connection = self._connect(str(self.path))
            try:
                self._prepare(connection)
            except sqlite3.OperationalError as error:
                connection.close()
                codes = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}
                if error.sqlite_errorcode & 0xFF not in codes or not self.path.exists():
                    raise
            except BaseException:
                connection.close()
                raise
            else:
                return connection
        self._problem = "it is read-only"
        # Needs no files beside it; what another process has in a log there is not seen.
        connection = self._connect(f"{self.path.absolute().as_uri()}?immutable=1")
        try:
            self._check_format(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect(self, database: str) -> sqlite3.Connection:
        return sqlite3.connect(
            database,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            uri=database.startswith("file:"),
        )

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        if _pragma(connection, "schema_version"):
            self._check_format(connection)
        with suppress(sqlite3.OperationalError):  # another process is opening it, or it stays so
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("BEGIN IMMEDIATE")
        if not _pragma(connection, "schema_version"):
            for statement in filter(str.strip, TABLES.split(";")):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
        self._check_format(connection)

    def _check_format(self, connection: sqlite3.Connection) -> None:
        if _pragma(connection, "application_id") != APPLICATION_ID:
            raise ConfigError(
                f"{self.path} is a database of another program: give another --fork-cache"
            )
        version = _pragma(connection, "user_version")
        if version != VERSION:
            raise ConfigError(
                f"{self.path} is in format {version}, this devchain reads format {VERSION}: give "
                "another --fork-cache, or delete the file to fetch its content again"
            )

    @property
    def is_writable(self) -> bool:
        return self._problem is None

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    # Values

    def forks(self) -> list[RecordedFork]:
        rows = self._rows(
            "SELECT chain_id, number, hash, "
            "(SELECT count(*) FROM cached_values WHERE fork = id) AS known "
            "FROM forks WHERE known ORDER BY chain_id, number, hash"
        )
        return [RecordedFork(ForkBlock(*row[:3]), row[3]) for row in rows]

    def find(self, fork: ForkBlock, query: UpstreamQuery, default: Any) -> Any:
        """The answer to a query; `default` if it is not in the file. Raises `StoreFailed`."""
        rows = self._rows(
            "SELECT value FROM cached_values JOIN forks ON fork = id "
            "WHERE hash = ? AND method = ? AND params = ?",
            (fork.hash, *query),
        )
        if not rows:
            return default
        try:
            value = orjson.loads(rows[0][0])
            check(query, value)
        except (orjson.JSONDecodeError, UpstreamFailed) as error:
            raise self._unreadable(f"{query.in_words()} is damaged in it") from error
        return value

    def values(self, fork: ForkBlock) -> Iterator[tuple[UpstreamQuery, str]]:
        """The queries of a fork block and their answers as JSON, sorted; raises `StoreFailed`."""
        rows = self._rows(
            "SELECT method, params, value FROM cached_values JOIN forks ON fork = id "
            "WHERE hash = ? ORDER BY method, params",
            (fork.hash,),
        )
        return ((UpstreamQuery(method, params), value) for method, params, value in rows)

    def save(self, fork: ForkBlock, values: Mapping[UpstreamQuery, Any]) -> bool:
        """Keep answers; where that fails `warn` is called once, and nothing is kept from now on."""
        rows = [(*query, canonical(value), fork.hash) for query, value in values.items()]
        return self._write(
            ("INSERT OR IGNORE INTO forks (chain_id, number, hash) VALUES (?, ?, ?)", [fork]),
            (
                "INSERT OR REPLACE INTO cached_values SELECT id, ?, ?, ? FROM forks WHERE hash = ?",
                rows,
            ),
        )

    def clean(self, fork: ForkBlock) -> bool:
        delete = "DELETE FROM cached_values WHERE fork = (SELECT id FROM forks WHERE hash = ?)"
        is_done = self._write((delete, [(fork.hash,)]))
        with self._lock, suppress(sqlite3.Error):  # another process is reading
            self._connection.execute("VACUUM")
        return is_done

    # What functions need, for `Prefetch`

    def prefetched(self, chain_id: int, code_hash: bytes, selector: bytes) -> str:
        rows = self._rows(
            "SELECT queries FROM prefetch WHERE (chain_id, code_hash, selector) = (?, ?, ?)",
            (chain_id, code_hash, selector),
        )
        return str(rows[0][0]) if rows else ""

    def save_prefetched(
        self, chain_id: int, code_hash: bytes, selector: bytes, queries: str
    ) -> None:
        self._write(
            (
                "INSERT OR REPLACE INTO prefetch VALUES (?, ?, ?, ?)",
                [(chain_id, code_hash, selector, queries)],
            ),
            (
                "DELETE FROM prefetch WHERE rowid <= (SELECT max(rowid) FROM prefetch) - ?",
                [(MOST_FUNCTIONS,)],
            ),
        )

    # SQLite

    def _rows(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._connection.execute(query, values).fetchall()
        except sqlite3.ProgrammingError:  # it is closed
            return []
        except sqlite3.Error as error:
            raise self._unreadable(str(error)) from error

    def _unreadable(self, reason: str) -> StoreFailed:
        return StoreFailed(
            f"the fork cache {self.path} cannot be read ({reason}): delete it, or give another "
            "--fork-cache"
        )

    def _write(self, *statements: tuple[str, Sequence[tuple[Any, ...]]]) -> bool:
        if self._problem is None:
            try:
                with self._lock, self._connection as connection:
                    connection.execute("BEGIN IMMEDIATE")
                    for statement, rows in statements:
                        connection.executemany(statement, rows)
            except sqlite3.ProgrammingError:
                self._problem = CLOSED
            except sqlite3.Error as error:
                self._problem = str(error)
        if self._problem not in {None, CLOSED} and not self._has_warned:
            self._has_warned = True
            self._warn(
                f"the fork cache {self.path} cannot be written ({self._problem}): what is fetched "
                "from the upstream is not kept in it"
            )
        return self._problem is None


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    with closing(connection.execute(f"PRAGMA {name}")) as cursor:
        return int(cursor.fetchone()[0])
