"""The SQLite file of a chain: its tables, its format number, and atomic writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from weakref import finalize

from devchain.errors import ConfigError, DevchainError, StoreFailed

APPLICATION_ID = 0x64657663  # `devc`: marks the file as devchain's in SQLite's own header
VERSION = 3

TABLES = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
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
- `settings`: the rules of the chain, and the node's settings (`memory`), as JSON.
- `transactions`: the blocks that contain a transaction.
- `log_words`: the blocks with logs of an address (place 0), with a word as their first to fourth
  topic (1 to 4), or with any log at all (the empty word). Rows of this table and of `transactions`
  stay when a block is removed, so readers check them against the block.
- `nodes`: trie nodes of every state, and contract code, by hash.
- `edits`: the root of the state that replaces the one a block left, after it was edited.
- `pool`, `snapshots`: the mempool and the node's snapshots, these as JSON.
"""

MARKS = (f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {VERSION}")

BUSY_SECONDS = 5.0
CACHE_KIBIBYTES = 32 * 1024
CHECKPOINT_PAGES = 4_096  # size of the write-ahead log before it is moved: 16 MiB
READONLY = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN}
DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
FREE_SPACE = "free some space if the disk is full"


class SqliteFile:
    """One connection to the file; writes within `atomic` are committed together or not at all.

    A killed process loses nothing that it has written; a power failure may lose the last
    transactions, and never damages the file. After a write has failed nothing of its transaction is
    in the file, and `on_rollback` are called for the components in memory to return to that.
    """

    transaction = 0
    _depth = 0
    _failure: str | None = None

    def __init__(self, path: Path) -> None:
        """Open or create the file; raises `ConfigError`, and leaves what it refuses as it is."""
        self.on_rollback: list[Callable[[], None]] = []
        self.path = path
        self._log = path.with_name(f"{path.name}-wal")
        try:
            if not path.exists():
                self._create()
            if path.stat().st_size == 0:
                raise ConfigError(
                    f"{path} is empty, so the chain that was in it is lost: restore the file "
                    "from a copy, or delete it to start a new chain"
                )
            self._connection = _connect(path)
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise
        except (sqlite3.Error, OSError, StoreFailed) as error:
            raise ConfigError(self._unusable(str(error))) from error

    def _create(self) -> None:
        # Make the file under another name first, so that it is never there without its tables.
        if self._log.exists():
            raise ConfigError(
                f"{self.path} is missing, but its log {self._log.name} is there: restore the file "
                "from a copy, or delete the log to start a new chain"
            )
        new = self.path.with_name(f"{self.path.name}.new")
        for path in (new, new.with_name(f"{new.name}-journal")):
            path.unlink(missing_ok=True)
        with closing(_connect(new)) as connection:
            statements = ["BEGIN", *TABLES.split(";"), *MARKS, "COMMIT"]
            for statement in filter(str.strip, statements):
                connection.execute(statement)
        new.replace(self.path)

    def _prepare(self) -> None:
        application, version = self._pragma("application_id"), self._pragma("user_version")
        if application != APPLICATION_ID or version != VERSION:
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
            "cell_size_check = ON",
            "trusted_schema = OFF",
        ):
            self._connection.execute(f"PRAGMA {setting}")

    def _pragma(self, name: str) -> int:
        return int(self.rows(f"PRAGMA {name}")[0][0])

    def _unusable(self, reason: str) -> str:
        return f"{self.path} cannot be used as a chain: {reason}. Nothing in it was changed"

    # Reading

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            reason = "it is damaged" if _primary_code(error) in DAMAGED else str(error)
            raise StoreFailed(f"{self.path} cannot be read: {reason}") from error

    def row(self, query: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        rows = self.rows(query, values)
        return rows[0] if rows else None

    # Writing

    @property
    def is_writing(self) -> bool:
        return bool(self._depth)

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """Commit everything written inside when the outermost of these blocks ends.

        What was written before a `DevchainError`, a refusal, is committed: the components in memory
        keep it as well. After any other error they return to what the file has.
        """
        if self._depth:
            yield
            return
        self._recover()
        self.write("BEGIN IMMEDIATE")
        self.transaction += 1
        self._depth = 1
        try:
            yield
        except BaseException as error:
            if not isinstance(error, DevchainError):
                self._fail(f"interrupted by {type(error).__name__}")
            self._end()
            raise
        else:
            self._end()

    def _end(self) -> None:
        try:
            if self._failure is None:
                self.write("COMMIT")
        finally:
            self._depth = 0
            self._recover()

    def _recover(self) -> None:
        if self._failure is None:
            return
        for roll_back in self.on_rollback:
            roll_back()
        self._failure = None

    def write(self, statement: str, values: Sequence[Any] = ()) -> None:
        self._run(self._connection.execute, statement, values)

    def write_many(self, statement: str, rows: Collection[Sequence[Any]]) -> None:
        if rows:
            self._run(self._connection.executemany, statement, rows)

    def _run(self, execute: Callable[[str, Any], object], statement: str, values: Any) -> None:
        if self._failure is not None:
            raise StoreFailed(self._failure)
        try:
            execute(statement, values)
        except sqlite3.Error as error:
            raise self._fail(str(error), _advice(error)) from error

    def _fail(self, reason: str, advice: str = FREE_SPACE) -> StoreFailed:
        if self._failure is None:
            self._failure = (
                f"{self.path} could not be written ({reason}): the change was not kept; {advice}, "
                "and try again"
            )
            if self._connection.in_transaction:
                self._connection.rollback()
        error = StoreFailed(self._failure)
        if not self._depth:
            self._recover()
        return error

    def close(self) -> None:
        with suppress(sqlite3.Error):  # it is closed already, or the disk is full
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()


class SqliteMemory(SqliteFile):
    """The same in memory and without tables, freed with this object."""

    def __init__(self) -> None:
        self.on_rollback = []
        self.path = Path(":memory:")
        self._connection = _connect(self.path)
        finalize(self, self._connection.close)


def _advice(error: sqlite3.Error) -> str:
    is_readonly = _primary_code(error) in READONLY
    return "let this user write to the folder and its files" if is_readonly else FREE_SPACE


def _primary_code(error: sqlite3.Error) -> int:
    code: int = getattr(error, "sqlite_errorcode", 0) & 0xFF  # other bits say more exactly why
    return code


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
