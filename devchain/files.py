"""Files of users and of other programs: only regular ones are read, of bounded size and nesting."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path
from stat import S_ISREG
from typing import Any

MAX_FILE_SIZE = 256 * 2**20
PIECE = 2**20
MAX_TOML_SIZE = 2**18
MAX_DOTS = 500  # of a line of TOML: parsing a dotted key takes the square of its parts
MAX_NESTED = 100
BRACKET = re.compile(r"[][{}]")

NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # not on Windows, where no file is a pipe


def cache_folder(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """The folder in the user's cache folder for what can be had again."""
    if platform == "win32":
        root = Path(environ.get("LOCALAPPDATA") or "~/AppData/Local")
    elif platform == "darwin":
        root = Path("~/Library/Caches")
    else:
        root = Path(environ.get("XDG_CACHE_HOME", ""))
        if not root.is_absolute():  # the XDG specification has relative paths ignored
            root = Path("~/.cache")
    return root.expanduser() / "devchain"


def read_file(
    path: str | os.PathLike[str], limit: int = MAX_FILE_SIZE, *, pipes: bool = False
) -> bytes:
    """The content of a regular file of at most so many bytes; raises `OSError`.

    Another file may block, such as a pipe, or have no end, such as `/dev/zero`. With `pipes` the
    user has named the file to be read now, and may interrupt it: `@<(solc ..)`.
    """

    def open_at_once(name: str, flags: int) -> int:
        return os.open(name, flags if pipes else flags | NO_WAIT)

    with open(path, "rb", opener=open_at_once) as file:  # Path has no opener
        status = os.fstat(file.fileno())
        if not (pipes or S_ISREG(status.st_mode)):
            raise OSError(errno.EINVAL, "it is no regular file")
        content, size = bytearray(), status.st_size
        while size <= limit and (piece := file.read(PIECE)):
            content += piece
            size = len(content)
    if size > limit:
        raise OSError(errno.EFBIG, f"it is larger than {limit:,} bytes")
    return bytes(content)


def write_private(path: Path, content: bytes) -> None:
    """Write a file that its owner alone may read, completely or not at all; raises `OSError`."""
    draft = path.with_name(f"draft-{path.name}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
    draft.replace(path)


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The table in a TOML file; raises `OSError`, and `ValueError` for what is no TOML."""
    import tomllib

    content = read_file(path, MAX_TOML_SIZE).decode()
    if any(line.count(".") > MAX_DOTS for line in content.split("\n")):
        raise ValueError("a line has too many dots")
    depths = accumulate(1 if bracket in "[{" else -1 for bracket in BRACKET.findall(content))
    if max(depths, default=0) > MAX_NESTED:
        raise ValueError("it nests too deeply")
    return tomllib.loads(content)
