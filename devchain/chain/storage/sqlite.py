"""The SQLite file of one chain: opened, checked, and written one transaction at a time."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from devchain.errors import ConfigError, DevchainError, StoreFailed

APPLICATION_ID = 0x64657663
"""`devc`: says in the file's header whose it is."""
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
"""`nodes` has code, and the nodes of every state's tries, by hash; `edits` the roots of states that
were edited after a block. `log_words` says which blocks have logs of an address (place 0), with a
word as their first to fourth topic (1 to 4), or any at all (the empty word). What `transactions`
and `log_words` say of a block is to be looked up in it: when it is taken back they stay."""


PRIVATE_FILE = 0o600


class Lock:
    """A directory taken by this node until `release`, or until its process is gone."""

    def __init__(self, path: Path) -> None:
        """Take the lock; raises `ConfigError` when another node has it."""
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
        if not _locked(self._descriptor):
            owner = os.pread(self._descriptor, 32, 0).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            msg = (
                f"{path.parent} is in use by another node (process {owner or 'unknown'}): "
                "stop it, or choose another --data-dir"
            )
            raise ConfigError(msg)
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Give the directory back; the file stays, since another may be waiting for it."""
        os.close(self._descriptor)


def _locked(descriptor: int) -> bool:
    """Whether the lock could be taken; without `fcntl` SQLite's own lock has to do."""
    try:
        import fcntl  # noqa: PLC0415  # Windows has none
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


BUSY_SECONDS = 5.0
CACHE_KIBIBYTES = 32 * 1024
PAGES_AHEAD = 4_000
"""Pages of 4 KiB that the write-ahead log may grow to before it is moved into the file."""


class Database:
    """One connection; what is written within `atomic` is in the file as a whole or not at all.

    The write-ahead log is not synced with each transaction: a process killed at any moment loses
    none, since the system has them; a computer without power may lose the last, never the file.
    """

    def __init__(self, path: Path) -> None:
        """Open a file, made if there is none.

        Raises `ConfigError` for one that is damaged or not ours, which is left as it is.
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
        found = self._pragma("application_id"), self._pragma("user_version")
        if found != (APPLICATION_ID, VERSION) and not (is_new and found == (0, 0)):
            self._connection.close()
            raise ConfigError(self._unusable(_foreign(*found)))
        for setting in (
            "journal_mode = WAL",
            "synchronous = NORMAL",
            f"wal_autocheckpoint = {PAGES_AHEAD}",
            f"cache_size = -{CACHE_KIBIBYTES}",
            "trusted_schema = OFF",
        ):
            self._connection.execute(f"PRAGMA {setting}")
        if is_new:
            self._make_tables()

    def _make_tables(self) -> None:
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
        """What a query finds; raises `StoreFailed` when the file cannot be read."""
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            msg = f"{self._path} cannot be read: {error}"
            raise StoreFailed(msg) from error

    def row(self, query: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        """The first of what a query finds, or None."""
        found = self.rows(query, values)
        return found[0] if found else None

    # Writing

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """Write all that is written inside at once, when the outermost of these ends.

        What was done before a refusal is written too: the rooms in memory keep it. After anything
        else that goes wrong nothing is, nor is anything later. Raises `StoreFailed`.
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
            self._give_up(f"interrupted by {type(error).__name__}")
            self._depth -= 1
            raise
        else:
            self._leave()

    def _leave(self) -> None:
        self._depth -= 1
        if self._depth == 0 and self._failure is None:
            self.write("COMMIT")

    def write(self, statement: str, values: Sequence[Any] = ()) -> None:
        """Write; in a transaction of its own unless inside `atomic`. Raises `StoreFailed`."""
        self._check()
        try:
            self._connection.execute(statement, values)
        except sqlite3.Error as error:
            raise self._give_up(str(error)) from error

    def write_many(self, statement: str, rows: Collection[Sequence[Any]]) -> None:
        """Write many rows, within `atomic`; raises `StoreFailed`."""
        if not rows:
            return
        self._check()
        try:
            self._connection.executemany(statement, rows)
        except sqlite3.Error as error:
            raise self._give_up(str(error)) from error

    def _check(self) -> None:
        if self._failure is not None:
            raise StoreFailed(self._failure)

    def _give_up(self, reason: str) -> StoreFailed:
        """Take back what is half written; the rooms may be ahead of the file from now on."""
        if self._failure is None:
            self._failure = (
                f"{self._path} could not be written ({reason}): the chain on disk ends before "
                "this; make room if the disk is full, and start the node again"
            )
            if self._connection.in_transaction:
                self._connection.rollback()
        return StoreFailed(self._failure)

    def close(self) -> None:
        """Move the write-ahead log into the file, and close it."""
        self._connection.close()


def _foreign(application: int, version: int) -> str:
    if application == APPLICATION_ID:
        return f"it is in format {version}, this devchain reads format {VERSION}"
    return "it is a database, but no devchain made it"
