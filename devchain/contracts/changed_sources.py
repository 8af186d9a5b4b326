"""Sources on disk that have changed since contracts were compiled from them.

Two steps, of which the first is nearly always the last:

- Is a source of the project newer than everything that was compiled? Only times of modification are
  read, some microseconds for each file.
- If so: is the text of a source that a contract depends on another than the compiler's? Its hash is
  in the metadata of the contract's artifact (Foundry, Truffle, solc), its text in the build-info
  file of Hardhat.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from devchain.contracts.artifact_files import BUILD_INFO, Project, read_json
from devchain.contracts.artifact_formats import source_digests
from devchain.contracts.artifacts import Artifact, Source
from devchain.contracts.source_file import PROJECT, is_dependency
from devchain.errors import ConfigError

MAX_BUILDS = 20
"""Build-info files that are looked through for one contract."""


def changed_sources(
    artifacts: Iterable[Artifact], known: Iterable[Artifact] | None = None
) -> list[str]:
    """Paths of sources of `artifacts` whose files have changed since they were compiled, sorted.

    `known` are all artifacts of the same projects: the newest of their files is the last
    compilation. Without them the first step is left out. Sources that are not on disk, those of
    dependencies, and those of which the compiler left neither text nor hash are not in it.
    """
    every = [each for each in known or () if each.project and each.file]
    newer: dict[str, bool] = {}
    found: set[str] = set()
    for artifact in artifacts:
        root = artifact.project
        if not root or not artifact.file:
            continue
        if root not in newer:
            of_project = [each for each in every if each.project == root]
            newer[root] = known is None or _has_newer_source(root, of_project)
        if newer[root]:
            project = Project(Path(root), (), ())
            for source in compiled_sources(artifact):
                if not is_dependency(source.path.removeprefix(PROJECT)):
                    current = project.read_source(source.path)
                    if current and not _is_compiled_text(source, current):
                        found.add(source.path.removeprefix(PROJECT))
    return sorted(found)


def _is_compiled_text(source: Source, text: str) -> bool:
    return text == source.text if source.text else source.is_text(text)


def _has_newer_source(root: str, artifacts: list[Artifact]) -> bool:
    """Whether a source of a project is newer than what was compiled last."""
    compiled = max((_modified(each.file) for each in artifacts), default=0)
    paths = {source.path for each in artifacts for source in each.sources.values()}
    paths |= {each.source for each in artifacts if each.source}
    return any(
        _modified(f"{root}/{each.removeprefix(PROJECT)}") > compiled
        for each in paths
        if not is_dependency(each)
    )


def _modified(path: str) -> int:
    """When a file was modified, in nanoseconds; 0 if there is none."""
    try:
        return Path(path).stat().st_mtime_ns
    except (OSError, ValueError):
        return 0


def compiled_sources(artifact: Artifact) -> list[Source]:
    """The sources a contract was compiled from, with their texts or hashes, as far as known."""
    written: Any = {}
    with suppress(ConfigError):
        written = read_json(Path(artifact.file))
    written = written if isinstance(written, dict) else {}
    if digests := source_digests(written):
        return [Source(path, digest=digest) for path, digest in digests.items()]
    own = [each for each in artifact.sources.values() if each.text or each.digest]
    return own or next(_sources_of_builds(artifact, written), [])


def _sources_of_builds(artifact: Artifact, written: Mapping[str, Any]) -> Iterator[list[Source]]:
    """The sources in Hardhat's build-info files that have the contract with its code."""
    path = str(written.get("inputSourceName") or artifact.source)
    for file in _build_files(Path(artifact.file), written):
        with suppress(ConfigError, LookupError, TypeError, AttributeError):
            build = read_json(file)
            texts = build["input"]["sources"]
            if path not in texts:
                continue
            needed = texts.keys()
            if "output" in build:
                contract = build["output"]["contracts"][path][artifact.name]
                if contract["evm"]["bytecode"]["object"] != written["bytecode"].removeprefix("0x"):
                    continue
                needed = source_digests(contract) or needed
            yield [Source(each, str(texts[each]["content"])) for each in needed]


def _build_files(file: Path, written: Mapping[str, Any]) -> Iterator[Path]:
    """The build-info file that an artifact of Hardhat names; all of its project if none."""
    named = written.get("buildInfoId")
    if not named:
        with suppress(ConfigError, AttributeError):
            named = read_json(file.with_suffix(".dbg.json")).get("buildInfo")
    folder = next(
        (each / BUILD_INFO for each in file.parents if (each / BUILD_INFO).is_dir()), None
    )
    if folder is None:
        return
    if named:
        yield folder / f"{Path(str(named)).name.removesuffix('.json')}.json"
    else:
        every = (each for each in sorted(folder.glob("*.json")) if ".output" not in each.name)
        yield from islice(every, MAX_BUILDS)
