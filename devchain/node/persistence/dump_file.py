"""Dumps as bytes: gzip around JSON, or JSON as it is; never more than a bounded amount."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from pathlib import Path
from typing import Any

from devchain.chain.genesis import parse
from devchain.errors import ConfigError, InvalidInput, LimitExceeded

GZIP_HEAD = b"\x1f\x8b"
GZIP_WINDOW = 16 + zlib.MAX_WBITS
MAX_DUMP = 512 * 1024 * 1024
"""Bytes a dump may have once it is unpacked."""


def pack(value: dict[str, Any]) -> bytes:
    """The dump as bytes: the same value, the same bytes."""
    return gzip.compress(json.dumps(value, separators=(",", ":")).encode(), mtime=0)


def unpack(packed: bytes) -> dict[str, Any]:
    """The JSON object in those bytes; raises `InvalidInput` or `LimitExceeded`."""
    text = _inflated(packed) if packed.startswith(GZIP_HEAD) else packed
    try:
        value = parse(text)
    except ValueError as error:
        msg = f"not a dump: want JSON, or gzip of it: {str(error)[:100]}"
        raise InvalidInput(msg) from error
    if not isinstance(value, dict):
        msg = f"not a dump: want a JSON object, got a {type(value).__name__}"
        raise InvalidInput(msg)
    return value


def _inflated(packed: bytes) -> bytes:
    inflater = zlib.decompressobj(GZIP_WINDOW)
    try:
        text = inflater.decompress(packed, MAX_DUMP)
    except zlib.error as error:
        msg = f"not a dump: the gzip around it is damaged: {error}"
        raise InvalidInput(msg) from error
    if inflater.unconsumed_tail:
        msg = f"the dump is too large: it has more than {MAX_DUMP // 2**20} MiB unpacked"
        raise LimitExceeded(msg)
    if not inflater.eof:
        msg = "not a dump: the gzip around it ends too early"
        raise InvalidInput(msg)
    return text


def read_file(path: Path) -> bytes:
    """A dump's file, which may be hex as JSON-RPC has it; raises `ConfigError`."""
    try:
        with path.open("rb") as file:
            found = file.read(MAX_DUMP + 1)
        return bytes.fromhex(found[2:].decode()) if found.startswith(b"0x") else found
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror or error}"
        raise ConfigError(msg) from error
    except ValueError as error:
        msg = f"{path} is no dump: it begins like hex, but is none"
        raise ConfigError(msg) from error


def check_place(path: Path) -> None:
    """Raise `ConfigError` when no file can be written there, long before it is to be."""
    folder = path.absolute().parent
    if path.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        msg = f"dump-state {path} cannot be written: name a file in a folder that is there"
        raise ConfigError(msg)


def save(path: Path, dump: bytes) -> None:
    """Write a dump, as a whole or not at all; raises `ConfigError`."""
    draft = path.with_name(f"{path.name}.draft")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(dump)
        draft.replace(path)
    except OSError as error:
        msg = f"dump-state {path} cannot be written: {error.strerror or error}"
        raise ConfigError(msg) from error
