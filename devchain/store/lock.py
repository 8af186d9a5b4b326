"""One node to a directory: a lock that ends with the process, however it ends."""

from __future__ import annotations

import os
from pathlib import Path

from devchain.errors import ConfigError

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
