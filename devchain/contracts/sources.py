"""Source files on disk: their texts, and whether they have changed since they were compiled."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from devchain.contracts.artifacts import SOURCE_SUFFIXES, Artifact, Source
from devchain.files import read_file
from devchain.text import printable

MAX_LISTED = 3  # changed sources that a notice names
MAX_SOURCE_SIZE = 4 * 2**20
MAX_SOURCES_SIZE = 64 * 2**20  # characters of the sources of an artifact, together

INSTALLED = frozenset({"node_modules", "site-packages"})  # folders with what npm and pip install
PROJECT = "project/"  # prefix of the paths of a project's own sources in Hardhat 3


def text_of(source: Source, artifact: Artifact) -> str:
    """The text of a source, from the artifact or else from its unchanged file; else empty."""
    text = source.text or read_source(artifact.project, source.path)
    is_changed = not source.text and source.is_text(text) is False
    return "" if is_changed or len(text) > MAX_SOURCE_SIZE else text


def texts_of(artifact: Artifact) -> dict[int, str]:
    """The texts of an artifact's sources by their ids, without those that are not known."""
    texts: dict[int, str] = {}
    left = MAX_SOURCES_SIZE
    for number, source in artifact.sources.items():
        if text := text_of(source, artifact):
            left -= len(text)
            if left < 0:
                break
            texts[number] = text
    return texts


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
    file = None if source.text else find_source(artifact.project, source.path)
    if file and (text := _text_in(file)):
        is_compiled = source.is_text(text)
        if is_compiled is False:
            return StaleSource(path)
        modified = modified_at(file) if is_compiled is None else 0
    if artifact.is_older(modified):
        return StaleSource(path, printable(display_path(artifact.file)))
    return None


def source_modified(root: str, path: str) -> int:
    """When a source was written, in nanoseconds; 0 if it is not there."""
    return modified_at(f"{root}/{path.removeprefix(PROJECT)}") or modified_at(display_path(path))


def changed_sources_of(artifact: Artifact) -> Iterator[StaleSource]:
    """The sources of an artifact that have changed since it was compiled, or may have."""
    sources = [Source(path, digest=digest) for path, digest in artifact.digests.items()]
    for source in sources or artifact.sources.values():
        path = source.path
        short = path.removeprefix(PROJECT)
        current = read_source(artifact.project, path)
        if not current or is_dependency(short):
            continue
        is_known = bool(source.text) and not source.modified
        is_compiled = current == source.text if is_known else source.is_text(current)
        shown = printable(display_path(short))
        if is_compiled is False:
            yield StaleSource(shown)
        elif is_compiled is None and artifact.is_older(source_modified(artifact.project, path)):
            yield StaleSource(shown, printable(display_path(artifact.file)))


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


def find_source(root: str, path: str) -> Path | None:
    """The file of a source by its path in the compiler's input; None if there is none.

    It is a regular file with the suffix of a source, in the project with that root, or in the
    working directory if the project is a folder in it: an artifact may name any path.
    """
    with suppress(OSError, ValueError, RuntimeError):  # or a loop of links
        project = Path(root).resolve()
        folders = (project, *(here for here in [Path.cwd()] if here == project.parent))
        for folder, each in product(folders, (path, path.removeprefix(PROJECT))) if root else ():
            file = (folder / each).resolve()
            is_source = file.suffix in SOURCE_SUFFIXES and file.is_relative_to(folder)
            if is_source and file.is_file():
                return file
    return None


def read_source(root: str, path: str) -> str:
    file = find_source(root, path)
    return _text_in(file) if file else ""


def _text_in(file: Path) -> str:
    try:
        return read_file(file, MAX_SOURCE_SIZE).decode()
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
    first, *rest = path.split("/")
    in_folder = first in {"lib", "npm", "hardhat"} or first.startswith("@")
    return (in_folder and bool(rest)) or not INSTALLED.isdisjoint([first, *rest])
