"""The data directory of a node (`--data-dir`): a folder for each network, its lock and file."""

from __future__ import annotations

import os
from pathlib import Path

from devchain.chain.storage.block_encoding import BlockDecoder
from devchain.chain.storage.sqlite_block_store import SqliteBlockStore
from devchain.chain.storage.sqlite_file import SqliteFile
from devchain.config import Config
from devchain.errors import ConfigError, StoreFailed
from devchain.evm.rules import Rules
from devchain.networks import canonical
from devchain.state.state_database import FastDatabase
from devchain.types import Hash32

PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600


class DataDir:
    """The folder of one network in `--data-dir`, locked: an SQLite `file` of blocks and states.

    The node keeps its settings in the same file, and its keys in the folder beside it.
    """

    def __init__(self, config: Config, data_dir: str) -> None:
        """Lock and open the folder, created if there is none.

        Raises `ConfigError` when it is in use, damaged, or holds a chain of other rules.
        """
        self.folder = Path(data_dir).expanduser() / config.network
        try:
            self.folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
            self._lock = _Lock(self.folder / "lock")
        except OSError as error:
            raise ConfigError(
                f"data-dir {data_dir} cannot be used: {error.strerror or error}"
            ) from error
        try:
            self.file = SqliteFile(self.folder / "chain.sqlite")
            self._check_rules(config)
        except BaseException:
            self._lock.release()
            raise

    def _check_rules(self, config: Config) -> None:
        """Raise `ConfigError` for a chain that was started with other options."""
        wanted = {
            "network": config.network,
            "chain-id": str(config.effective_chain_id),
            "hardfork": canonical(config.hardfork),
            "remasc": "on" if config.remasc else "off",
            "unlimited-contract-size": "on" if config.unlimited_contract_size else "off",
        }
        found = dict(self.file.rows("SELECT name, value FROM facts"))
        for name, value in wanted.items():
            if name in found and found[name] != value:
                self.file.close()
                raise ConfigError(
                    f"the chain in {self.folder} has {name} {found[name]}, not {value}: "
                    "start with the same options, or choose another --data-dir"
                )
        if not found:
            self.file.write_many("INSERT INTO facts VALUES (?, ?)", wanted.items())

    def open_stores(self, rules: Rules, chain_id: int) -> tuple[FastDatabase, SqliteBlockStore]:
        """The states and the blocks in the file."""
        states = FastDatabase(self._load_node, self._save_nodes)
        return states, SqliteBlockStore(self.file, states, BlockDecoder(rules, chain_id))

    def _load_node(self, node_hash: Hash32) -> bytes:
        row = self.file.row("SELECT data FROM nodes WHERE hash = ?", (node_hash,))
        if row is None:
            raise StoreFailed(
                f"{self.folder} is damaged: it lacks a part of a state, 0x{node_hash.hex()}"
            )
        data: bytes = row[0]
        return data

    def _save_nodes(self, nodes: dict[Hash32, bytes]) -> None:
        with self.file.atomic():
            self.file.write_many("INSERT OR IGNORE INTO nodes VALUES (?, ?)", nodes.items())

    def close(self) -> None:
        """Close the file and unlock the folder."""
        self.file.close()
        self._lock.release()


class _Lock:
    """A lock file, held until `release` or until the process ends."""

    def __init__(self, path: Path) -> None:
        """Lock the file; raises `ConfigError` when another node has."""
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
        if not _flock(self._descriptor):
            owner = os.pread(self._descriptor, 32, 0).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            raise ConfigError(
                f"{path.parent} is in use by another node (process {owner or 'unknown'}): "
                "stop it, or choose another --data-dir"
            )
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Unlock the file; it stays, since another node may be waiting for its lock."""
        os.close(self._descriptor)


def _flock(descriptor: int) -> bool:
    """Lock a file; False if another process has. Without `fcntl` SQLite's own lock has to do."""
    try:
        import fcntl  # noqa: PLC0415  # Windows has none
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
