"""The files of a corpus: one for each sequence, named by the hash of its content.

Campaigns of several processes add to one folder without asking each other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

MAX_FILES = 10_000
MAX_FILE_BYTES = 1_000_000


def name_of(written: bytes) -> str:
    """The name of the file with that content."""
    return f"{sha256(written).hexdigest()[:24]}.json"


class CorpusFolder:
    """A folder that is read and added to; `names` are the files that have been read or written."""

    def __init__(self, path: Path) -> None:
        """Read nothing yet; the folder is made when a file is added."""
        self.path = path
        self.names: set[str] = set()

    def read_new(self) -> Iterator[bytes]:
        """The contents of files that have not been read, as long as there are not too many."""
        if not self.path.is_dir():
            return
        for path in sorted(self.path.glob("*.json"))[:MAX_FILES]:
            if path.name in self.names:
                continue
            self.names.add(path.name)
            try:
                if path.stat().st_size <= MAX_FILE_BYTES:
                    yield path.read_bytes()
            except OSError:  # removed by another process
                continue

    def add(self, written: bytes) -> bool:
        """Write a file; False if it has been read or written before, or is too large."""
        name = name_of(written)
        if name in self.names or len(written) > MAX_FILE_BYTES:
            return False
        self.names.add(name)
        if not (self.path / name).exists():
            self.path.mkdir(parents=True, exist_ok=True)
            # Under another name first: others read the folder at any moment.
            partial = self.path / f"{name}.{os.getpid()}.partial"
            partial.write_bytes(written)
            partial.replace(self.path / name)
        return True
