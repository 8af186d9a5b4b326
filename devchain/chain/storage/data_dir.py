"""The data directory of a node (`--data-dir`): a folder for each network, its lock and file."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from devchain.chain.storage.block_encoding import BlockDecoder
from devchain.chain.storage.block_store import BaseBlocks
from devchain.chain.storage.sqlite_block_store import SqliteBlockStore
from devchain.chain.storage.sqlite_file import SqliteFile
from devchain.config import Config
from devchain.errors import ConfigError, StoreFailed
from devchain.evm.rules import Rules
from devchain.networks import canonical
from devchain.state.keccak import keccak
from devchain.state.state_database import FastDatabase
from devchain.types import Hash32

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]

PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
FILE = "chain.sqlite"


class DataDir:
    """The folder of one network in `--data-dir`, locked: an SQLite `file` of blocks and states.

    The node keeps its settings in the same file, its keys beside it. A fork has a folder `FORK`.
    """

    FORK = "fork"  # also the name of the setting that is kept of a fork beside its rules

    def __init__(self, config: Config, data_dir: str) -> None:
        """Lock and open the folder, created if there is none.

        Raises `ConfigError` when it is in use, damaged, or holds a chain of other rules.
        """
        root = Path(data_dir).expanduser()
        self.folder = root / (self.FORK if config.is_fork else config.network)
        if not self.folder.exists() and _has_fork(root / self.FORK / FILE):
            raise ConfigError(
                f"the chain in {root / self.FORK} is a fork: give --fork-url, the URL of a node "
                "of its chain, or --offline, or choose another --data-dir"
            )
        try:
            self.folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
            self._lock = _Lock(self.folder / "lock")
        except OSError as error:
            raise ConfigError(
                f"data-dir {data_dir} cannot be used: {error.strerror or error}"
            ) from error
        try:
            self.file = SqliteFile(self.folder / FILE)
            if not config.is_fork:
                self.check_rules(config)
        except BaseException:
            self._lock.release()
            raise

    def rules(self) -> dict[str, str]:
        return dict(self.file.rows("SELECT name, value FROM settings"))

    def check_rules(self, config: Config, fork: str = "") -> None:
        """Keep a new chain's options; raise `ConfigError` for one that was started with others."""
        wanted = {
            "network": config.network,
            "chain-id": str(config.effective_chain_id),
            "hardfork": canonical(config.hardfork),
            "remasc": "on" if config.remasc else "off",
            "federators": str(config.federators),
            "unlimited-contract-size": "on" if config.unlimited_contract_size else "off",
        }
        if fork:
            wanted[self.FORK] = fork
        rules = self.rules()
        for name, value in wanted.items():
            if name in rules and rules[name] != value:
                self.file.close()
                raise ConfigError(
                    f"the chain in {self.folder} has {name} {rules[name]}, not {value}: "
                    "start with the same options, or choose another --data-dir"
                )
        if not rules:
            with self.file.atomic():
                self.file.write_many("INSERT INTO settings VALUES (?, ?)", wanted.items())

    def open_blocks(
        self, rules: Rules, chain_id: int, states: FastDatabase, base: BaseBlocks | None = None
    ) -> SqliteBlockStore:
        """The blocks in the file, with their states in `states`, after those of a fork's base."""
        return SqliteBlockStore(self.file, states, BlockDecoder(rules, chain_id), base)

    def load_node(self, node_hash: Hash32) -> bytes:
        row = self.file.row("SELECT data FROM nodes WHERE hash = ?", (node_hash,))
        if row is None or keccak(row[0]) != node_hash:
            what = (
                "lacks a part of a state"
                if row is None
                else "has other bytes for a part of a state"
            )
            raise StoreFailed(f"{self.file.path} is damaged: it {what}, 0x{node_hash.hex()}")
        data: bytes = row[0]
        return data

    def save_nodes(self, nodes: dict[Hash32, bytes]) -> None:
        with self.file.atomic():
            self.file.write_many("INSERT OR IGNORE INTO nodes VALUES (?, ?)", nodes.items())

    def close(self) -> None:
        self.file.close()
        self._lock.release()


def _has_fork(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file:
            query = "SELECT 1 FROM settings WHERE name = ?"
            return file.execute(query, (DataDir.FORK,)).fetchone() is not None
    except sqlite3.Error:
        return False


class _Lock:
    """A lock file, held until `release` or until the process ends."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
        try:
            if fcntl is not None:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.pread(self._descriptor, 32, 0).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            raise ConfigError(
                f"{path.parent} is in use by another node (process {owner or 'unknown'}): "
                "stop it, or choose another --data-dir"
            ) from None
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        # Unlock the file; it stays, since another node may be waiting for its lock.
        os.close(self._descriptor)
