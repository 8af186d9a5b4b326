"""The lcov file: tried before anything runs, written when all has run."""

from __future__ import annotations

from pathlib import Path

from devchain.coverage.report import Report, lcov
from devchain.errors import ConfigError

NO_FILE = "-"
"""Stands where a file could be named and none is wanted."""


def checked(file: str) -> None:
    """Refuse a file that cannot be written, before the work is done; raises `ConfigError`."""
    if file != NO_FILE:
        _written(file, None)


def write(report: Report, file: str) -> None:
    """Write the report to that file unless it is `-`; raises `ConfigError`."""
    if file != NO_FILE:
        _written(file, lcov(report))


def _written(file: str, text: str | None) -> None:
    path = Path(file)
    try:
        with path.open("a" if text is None else "w", encoding="utf-8") as out:
            out.write(text or "")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no file can have that name"
        msg = f"cannot write the coverage file {file}: {reason}"
        raise ConfigError(msg) from None
