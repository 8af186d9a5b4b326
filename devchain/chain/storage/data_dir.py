"""The folder in which a chain outlives its process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from devchain.chain.storage.block_encoding import BlockReader
from devchain.chain.storage.block_store import BlockStore
from devchain.chain.storage.sqlite import Database as File
from devchain.chain.storage.sqlite import Lock
from devchain.chain.storage.sqlite_blocks import SqliteBlockStore
from devchain.config import Config
from devchain.errors import ConfigError, StoreFailed
from devchain.evm.rules import Rules
from devchain.networks import canonical
from devchain.state.database import Database, FastDatabase
from devchain.types import Hash32

PRIVATE_FOLDER = 0o700


class Disk:
    """The folder of one network within `--data-dir`: its file, and the lock on it."""

    def __init__(self, config: Config, data_dir: str) -> None:
        """Take the folder, made if there is none.

        Raises `ConfigError` when it is in use, damaged, or of a chain of another kind.
        """
        self.folder = Path(data_dir).expanduser() / config.network
        try:
            self.folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
            self._lock = Lock(self.folder / "lock")
        except OSError as error:
            msg = f"data-dir {data_dir} cannot be used: {error.strerror or error}"
            raise ConfigError(msg) from error
        try:
            self.file = File(self.folder / "chain.sqlite")
            self._check(config)
        except BaseException:
            self._lock.release()
            raise

    def _check(self, config: Config) -> None:
        """Raise `ConfigError` if what the file has follows from other options."""
        wanted = {
            "network": config.network,
            "chain-id": str(config.effective_chain_id),
            "hardfork": canonical(config.hardfork),
            "remasc": "on" if config.remasc else "off",
        }
        found = dict(self.file.rows("SELECT name, value FROM facts"))
        for name, value in wanted.items():
            if name in found and found[name] != value:
                self.file.close()
                msg = (
                    f"the chain in {self.folder} has {name} {found[name]}, not {value}: "
                    "start with the same options, or choose another --data-dir"
                )
                raise ConfigError(msg)
        if not found:
            self.file.write_many("INSERT INTO facts VALUES (?, ?)", wanted.items())

    def open(self, rules: Rules, chain_id: int) -> tuple[Database, BlockStore]:
        """The states and the blocks there."""
        states = FastDatabase(self._node, self._save)
        return states, SqliteBlockStore(self.file, states, BlockReader(rules, chain_id))

    def _node(self, node_hash: Hash32) -> bytes:
        found = self.file.row("SELECT data FROM nodes WHERE hash = ?", (node_hash,))
        if found is None:
            msg = f"{self.folder} is damaged: it lacks a part of a state, 0x{node_hash.hex()}"
            raise StoreFailed(msg)
        data: bytes = found[0]
        return data

    def _save(self, nodes: dict[Hash32, bytes]) -> None:
        with self.file.atomic():
            self.file.write_many("INSERT OR IGNORE INTO nodes VALUES (?, ?)", nodes.items())

    def close(self) -> None:
        """Let go of the folder."""
        self.file.close()
        self._lock.release()


@contextmanager
def open_disk(config: Config) -> Iterator[Disk | None]:
    """The disk of `--data-dir`, if there is to be one; closed when what is done with it fails."""
    if config.data_dir is None:
        yield None
        return
    disk = Disk(config, config.data_dir)
    try:
        yield disk
    except BaseException:
        disk.close()
        raise
