"""The SQLite file of a chain: its tables, its format number, and atomic writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from devchain.errors import ConfigError, DevchainError, StoreFailed

APPLICATION_ID = 0x64657663
"""`devc`: marks the file as devchain's in SQLite's own header."""
VERSION = 1

TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE blocks (number INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, body BLOB NOT NULL);
CREATE TABLE transactions (
    hash BLOB NOT NULL, block INTEGER NOT NULL, PRIMARY KEY (hash, block)
) WITHOUT ROWID;
CREATE TABLE log_words (
    word BLOB NOT NULL, place INTEGER NOT NULL, block INTEGER NOT NULL,
    PRIMARY KEY (word, place, block)
) WITHOUT ROWID;
CREATE TABLE nodes (hash BLOB PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE edits (block INTEGER PRIMARY KEY, root BLOB NOT NULL);
CREATE TABLE pool (hash BLOB PRIMARY KEY, sender BLOB NOT NULL, raw BLOB NOT NULL);
CREATE TABLE snapshots (id INTEGER PRIMARY KEY, memory TEXT NOT NULL);
"""
"""
- `facts`: the rules of the chain, and the node's settings (`memory`), as JSON.
- `transactions`: the blocks that contain a transaction.
- `log_words`: the blocks with logs of an address (place 0), with a word as their first to fourth
  topic (1 to 4), or with any log at all (the empty word). Rows of this table and of `transactions`
  stay when a block is removed, so readers check them against the block.
- `nodes`: trie nodes of every state, and contract code, by hash.
- `edits`: the root of the state that replaces the one a block left, after it was edited.
- `pool`, `snapshots`: the mempool and the node's snapshots, these as JSON.
"""

BUSY_SECONDS = 5.0
CACHE_KIBIBYTES = 32 * 1024
CHECKPOINT_PAGES = 4_000
"""Pages of 4 KiB that the write-ahead log may grow to before it is moved into the file."""


class SqliteFile:
    """One connection to the file; writes within `atomic` are committed together or not at all.

    The write-ahead log is not synced with each transaction: a killed process loses nothing that it
    has written, since the operating system has it; a power failure may lose the last transactions,
    and never damages the file.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, created if there is none.

        Raises `ConfigError` for one that is damaged or of another program, and leaves it as it is.
        """
        self._path = path
        self._depth = 0
        self._failure: str | None = None
        try:
            self._connection = sqlite3.connect(
                path, BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._prepare()
        except (sqlite3.Error, StoreFailed) as error:
            raise ConfigError(self._unusable(str(error))) from error

    def _prepare(self) -> None:
        is_new = not self.rows("SELECT 1 FROM sqlite_master LIMIT 1")
        application, version = self._pragma("application_id"), self._pragma("user_version")
        is_unmarked = is_new and (application, version) == (0, 0)
        if (application, version) != (APPLICATION_ID, VERSION) and not is_unmarked:
            self._connection.close()
            raise ConfigError(
                self._unusable(
                    f"it is in format {version}, this devchain reads format {VERSION}"
                    if application == APPLICATION_ID
                    else "it is a database of another program"
                )
            )
        for setting in (
            "journal_mode = WAL",
            "synchronous = NORMAL",
            f"wal_autocheckpoint = {CHECKPOINT_PAGES}",
            f"cache_size = -{CACHE_KIBIBYTES}",
            "trusted_schema = OFF",
        ):
            self._connection.execute(f"PRAGMA {setting}")
        if is_new:
            with self.atomic():
                for statement in filter(str.strip, TABLES.split(";")):
                    self.write(statement)
                self.write(f"PRAGMA application_id = {APPLICATION_ID}")
                self.write(f"PRAGMA user_version = {VERSION}")

    def _pragma(self, name: str) -> int:
        return int(self.rows(f"PRAGMA {name}")[0][0])

    def _unusable(self, reason: str) -> str:
        return f"{self._path} cannot be used as a chain: {reason}. Nothing in it was changed"

    # Reading

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query; raises `StoreFailed` when the file cannot be read."""
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise StoreFailed(f"{self._path} cannot be read: {error}") from error

    def row(self, query: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        """The first row of a query, or None."""
        found = self.rows(query, values)
        return found[0] if found else None

    # Writing

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """Commit everything written inside when the outermost of these blocks ends.

        A `DevchainError` is a refusal, and what was written before it is committed: the components
        in memory keep it as well. After any other error nothing of it is, and every later write
        fails, because components and file may differ from then on. Raises `StoreFailed`.
        """
        if self._depth == 0:
            self.write("BEGIN IMMEDIATE")
        self._depth += 1
        try:
            yield
        except DevchainError:
            self._leave()
            raise
        except BaseException as error:
            self._fail(f"interrupted by {type(error).__name__}")
            self._depth -= 1
            raise
        else:
            self._leave()

    def _leave(self) -> None:
        self._depth -= 1
        if self._depth == 0 and self._failure is None:
            self.write("COMMIT")

    def write(self, statement: str, values: Sequence[Any] = ()) -> None:
        """Write; in a transaction of its own unless within `atomic`. Raises `StoreFailed`."""
        self._check()
        try:
            self._connection.execute(statement, values)
        except sqlite3.Error as error:
            raise self._fail(str(error)) from error

    def write_many(self, statement: str, rows: Collection[Sequence[Any]]) -> None:
        """Write many rows, within `atomic`; raises `StoreFailed`."""
        if not rows:
            return
        self._check()
        try:
            self._connection.executemany(statement, rows)
        except sqlite3.Error as error:
            raise self._fail(str(error)) from error

    def _check(self) -> None:
        if self._failure is not None:
            raise StoreFailed(self._failure)

    def _fail(self, reason: str) -> StoreFailed:
        """Roll back, and refuse every later write; the error to raise."""
        if self._failure is None:
            self._failure = (
                f"{self._path} could not be written ({reason}): the chain on disk ends before "
                "this; free some space if the disk is full, and start the node again"
            )
            if self._connection.in_transaction:
                self._connection.rollback()
        return StoreFailed(self._failure)

    def close(self) -> None:
        """Move the write-ahead log into the file, and close it."""
        self._connection.close()
