"""Source files on disk: their texts, and whether they have changed since they were compiled."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from devchain.contracts.artifacts import Artifact, Source
from devchain.text import printable

MAX_LISTED = 3
"""Changed sources that a notice names."""

INSTALLED = frozenset({"node_modules", "site-packages"})
"""Folders with what npm and pip install."""

PROJECT = "project/"
"""Prefix of the paths of a project's own sources in Hardhat 3."""


def text_of(source: Source) -> str:
    """The text of a source, from the artifact or else from its unchanged file; else empty."""
    text = source.text or read_from_disk(source.path)
    return "" if not source.text and source.is_text(text) is False else text


@dataclass(frozen=True, order=True)
class StaleSource:
    """A source whose file has changed since it was compiled, or, with `newer_than`, may have.

    That is the file of the artifact, which is older, where there is no digest of what was compiled.
    """

    path: str
    newer_than: str = ""


def find_stale(source: Source, artifact: Artifact) -> StaleSource | None:
    """What is known of changes to a source of an artifact since it was compiled; None if nothing.

    Once its text was read, later changes of the file do not matter: that text is what is shown.
    """
    path, modified = printable(display_path(source.path)), source.modified
    if source.is_stale:
        return StaleSource(path)
    if not source.text and (text := read_from_disk(source.path)):
        is_compiled = source.is_text(text)
        if is_compiled is False:
            return StaleSource(path)
        modified = modified_at(display_path(source.path)) if is_compiled is None else 0
    if artifact.is_older(modified):
        return StaleSource(path, printable(display_path(artifact.file)))
    return None


def stale_notice(stale: Collection[StaleSource]) -> str:
    """What to do about sources that have changed, and about those that may have; empty if none."""
    changed = sorted({each.path for each in stale if not each.newer_than})
    newer = sorted({each.path for each in stale if each.newer_than} - {*changed})
    artifacts = {each.newer_than for each in stale if each.path in newer}
    notices = []
    if changed:
        have = "has changed since it was" if len(changed) == 1 else "have changed since they were"
        notices.append(f"{_listed(changed)} {have} compiled: compile again")
    if newer:
        are = "is newer than" if len(newer) == 1 else "are newer than"
        compiled = artifacts.pop() if len(artifacts) == 1 else "their artifacts"
        have = "it has changed" if len(newer) == 1 else "they have changed"
        notices.append(
            f"{_listed(newer)} {are} {compiled}: if {have}, compile again; places may be wrong"
        )
    return "; ".join(notices)


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - MAX_LISTED} more" if len(paths) > MAX_LISTED else ""
    return f"{', '.join(paths[:MAX_LISTED])}{more}"


def modified_at(path: str | Path) -> int:
    try:
        return Path(path).stat().st_mtime_ns
    except (OSError, ValueError):
        return 0


def read_from_disk(path: str) -> str:
    try:
        return Path(display_path(path)).read_bytes().decode()
    except (OSError, ValueError):
        return ""


def display_path(path: str) -> str:
    """A path relative to the working directory if possible, without Hardhat's prefix."""
    short = path.removeprefix(PROJECT)
    try:
        if Path(path).is_absolute():
            return str(Path(path).relative_to(Path.cwd()))
        return short if not Path(path).is_file() and Path(short).is_file() else path
    except (OSError, ValueError):
        return path


def is_dependency(path: str) -> bool:
    """Whether a path is of a dependency installed by Hardhat, Foundry, npm or pip."""
    first, *rest = path.split("/")
    in_folder = first in {"lib", "npm", "hardhat"} or first.startswith("@")
    return (in_folder and bool(rest)) or not INSTALLED.isdisjoint([first, *rest])
