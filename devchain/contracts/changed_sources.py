"""Sources on disk that have changed since contracts were compiled from them.

Two steps, of which the first is nearly always the last:

- Is a source of the project newer than everything that was compiled? Only times of modification are
  read, some microseconds for each file.
- If so: is the text of a source that a contract depends on another than the compiler's? Its hash is
  in the metadata of the contract's artifact (Foundry, Truffle, solc) or in its creation code
  (vyper), its text in the build-info file of Hardhat. Where neither is known, a source that is
  newer than the artifact may have changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from itertools import chain
from pathlib import Path

from devchain.contracts.artifact_files import find_project
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact
from devchain.contracts.sources import (
    StaleSource,
    changed_sources_of,
    is_dependency,
    modified_at,
    source_modified,
)


def changed_sources(
    artifacts: Iterable[Artifact], known: Iterable[Artifact] | None = None
) -> list[StaleSource]:
    """The sources of `artifacts` that have changed since they were compiled, or may have, sorted.

    `known` are all artifacts of the same projects, whose newest file is the last compilation;
    without them the first step is left out. Dependencies are not in it.
    """

    @cache
    def has_tool(root: str) -> bool:
        return find_project(Path(root)) is not None

    def compilation(artifact: Artifact) -> tuple[str, str]:
        return artifact.project, "" if has_tool(artifact.project) else artifact.file

    located = [artifact for artifact in artifacts if artifact.project and artifact.file]
    together: dict[tuple[str, str], list[Artifact]] = defaultdict(list)
    for each in known or () if located else ():
        if each.project and each.file:
            together[compilation(each)].append(each)

    @cache
    def may_have_changed(root: str, file: str) -> bool:
        return known is None or _has_newer_source(root, together[root, file])

    registry = Registry()
    stale = (each for each in located if may_have_changed(*compilation(each)))
    found = (changed_sources_of(registry.with_details(each)) for each in stale)
    return sorted(set(chain.from_iterable(found)))


def _has_newer_source(root: str, artifacts: list[Artifact]) -> bool:
    compiled = max((modified_at(each) for each in {one.file for one in artifacts}), default=0)
    paths = {source.path for artifact in artifacts for source in artifact.sources.values()}
    paths |= {artifact.source for artifact in artifacts if artifact.source}
    return any(source_modified(root, path) > compiled for path in paths if not is_dependency(path))
