"""Artifacts of a project: where its tools write them, reading them, merging those of one contract.

    artifacts/contracts/Vault.sol/Vault.json    name, ABI, code
    artifacts/build-info/4badef5fe4ab08.json    source maps, sources, places of immutables

What is only in build-info costs time (16 MB for 160 contracts) and is of use for coverage alone: it
is read where `detailed` asks for it, or where there are no other files.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import orjson

from devchain.config import Limit
from devchain.contracts.artifact_formats import (
    first_error,
    parse_abi,
    parse_artifacts,
    why_malformed,
)
from devchain.contracts.artifacts import VYPER_SUFFIXES, Artifact, Source, integrity_digest
from devchain.contracts.sources import (
    MAX_SOURCES_SIZE,
    StaleSource,
    find_source,
    modified_at,
    read_source,
    stale_notice,
)
from devchain.errors import ConfigError
from devchain.files import read_file, read_toml
from devchain.text import printable, shorten

MAX_PARSED_SIZE = 2**31  # bytes in memory, about, of the JSON of a file
MAX_DEPTH = 24
MAX_SEARCHED: Annotated[
    int,
    Limit("Contracts", "Files and folders that are searched below a path of `--artifacts`.",
          "The path is refused."),
] = 100_000  # fmt: skip
MAX_ANCESTORS = 12  # how many folders above an artifact the root of its project is looked for
BUILD_INFO = "build-info"
OUTPUT_SUFFIX = ".output.json"  # build-info of Hardhat 3 whose input is in another file

SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})  # folders never searched

SKIPPED_OUTSIDE = frozenset({"cache", "typechain", "typechain-types"})
"""Folders that are not searched outside those to which a tool writes artifacts."""

CONTAINED = (b'"abi"', b'"contractTypes"')  # what every artifact contains: others are not parsed


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that compiles contracts: how its projects are recognised and where it writes.

    `outputs` are folders below the root of a project, `command` compiles; a project without
    configuration file is known by the folder `mark`.
    """

    configs: tuple[str, ...]
    outputs: tuple[str, ...]
    command: str
    mark: str = ""

    def is_of(self, root: Path) -> bool:
        has_mark = bool(self.mark) and (root / self.mark).is_dir()
        return has_mark or any((root / config).is_file() for config in self.configs)


def _configs(name: str, *suffixes: str) -> tuple[str, ...]:
    return tuple(f"{name}.{suffix}" for suffix in suffixes)


TOOLS = (
    Tool(("foundry.toml",), ("out",), "forge build", "out/build-info"),
    Tool(
        _configs("hardhat.config", "ts", "js", "cjs", "mjs", "cts", "mts"),
        ("artifacts",),
        "npx hardhat compile",
        "artifacts/build-info",
    ),
    Tool(
        (*_configs("truffle-config", "js", "cjs"), "truffle.js"),
        ("build/contracts",),
        "truffle compile",
        "build/contracts",
    ),
    Tool(
        _configs("brownie-config", "yaml", "yml", "json"),
        ("build/contracts", "build/interfaces"),
        "brownie compile",
    ),
    Tool(
        _configs("ape-config", "yaml", "yml", "json", "toml"),
        (".build",),
        "ape compile",
        ".build",
    ),
)
PROJECT_NAMES = frozenset(
    {name for tool in TOOLS for name in (*tool.configs, tool.mark.partition("/")[0]) if name}
)
"""Names of which the root folder of a project has at least one."""


def load_artifacts(
    path: Path, *, detailed: bool = False, notices: list[str] | None = None
) -> list[Artifact]:
    """Read the artifacts in a file, in a folder, or of the project whose root folder it is.

    Any other folder is searched for JSON files with artifacts, and for projects; links to folders
    are not followed. `detailed` adds source maps and sources. `notices` gets a line for each file
    that was skipped. A contract (project, source, name) that was compiled in several ways
    has several artifacts, the preferred one last. Raises `ConfigError` for a path that does
    not exist, a file without artifacts and a folder that is too large to search.
    """
    loader = _Loader(detailed, [] if notices is None else notices)
    if not path.exists():
        raise ConfigError(f"there are no artifacts at {path}: no such file or folder")
    if path.is_dir():
        return loader.load_folder(path)
    artifacts = loader.load_file(path)
    if not artifacts:
        content = read_json(path)
        if malformed := why_malformed(content):
            problem = f"a contract that cannot be read: {printable(malformed)}"
        elif error := first_error(content):
            problem = f"no contract but errors of the compiler: {error}"
        else:
            problem = "no contract: want an artifact with an abi"
        raise ConfigError(f"{path} holds {problem}")
    return artifacts


def files_state(path: Path) -> int:
    """A number that changes when `load_artifacts` would read other files, or others' content.

    It is of names, sizes and times of modification. Raises `ConfigError` for a folder that is too
    large to search.
    """
    states = []
    files = [path]
    if path.is_dir():
        files = [file for _, found in projects_at(path) for file in found]
    for file in files:
        with suppress(OSError):
            stat = file.stat()
            states.append((str(file), stat.st_mtime_ns, stat.st_size))
    return hash(tuple(states))


@dataclass(frozen=True, slots=True)
class Project:
    """A project: its root folder, its tools, and the folders with its artifacts."""

    root: Path
    tools: tuple[Tool, ...]
    folders: tuple[Path, ...]
    cache: Path | None = None  # Foundry's list of what it has compiled


def find_project(folder: Path) -> Project | None:
    tools = tuple(tool for tool in TOOLS if tool.is_of(folder))
    if not tools:
        return None
    settings = _read_foundry_toml(folder / "foundry.toml")
    outputs = {
        settings["out"] if output == "out" else output: None
        for tool in tools
        for output in tool.outputs
    }
    return Project(
        folder,
        tools,
        tuple(folder / output for output in outputs if (folder / output).is_dir()),
        folder / settings["cache_path"] / "solidity-files-cache.json",
    )


def _read_foundry_toml(file: Path) -> dict[str, str]:
    settings = {"out": "out", "cache_path": "cache"}
    with suppress(OSError, ValueError, AttributeError):
        profiles = read_toml(file).get("profile", {})
        for name in ("default", os.environ.get("FOUNDRY_PROFILE", "default")):
            written = profiles.get(name, {})
            settings |= {key: written[key] for key in settings if isinstance(written.get(key), str)}
    return settings


def projects_at(folder: Path) -> list[tuple[Project, list[Path]]]:
    """The project of a folder, else that folder and the projects below it, with their files."""
    return _Loader(detailed=False, notices=[]).projects(folder)


def project_around(path: Path) -> Project | None:
    """The project in whose folders a path is; None without one."""
    parents = list(path.absolute().parents)[:MAX_ANCESTORS]
    return next(filter(None, map(find_project, parents)), None)


def _project_of(folder: Path) -> Project | None:
    if project := find_project(folder):
        return project
    around, where = project_around(folder), folder.absolute()
    is_output = around is not None and any(
        where.is_relative_to(output) or output.is_relative_to(where) for output in around.folders
    )
    return replace(around, folders=(folder,)) if around and is_output else None


@dataclass(frozen=True, slots=True)
class _Read:
    """An artifact as one file has it, and what decides which of several is preferred.

    Preferred is the default version and profile (no suffix in Foundry's file name), then the
    newest version, then the file that was written last.
    """

    artifact: Artifact
    rank: tuple[bool, tuple[int, ...], int] = (True, (), 0)


Sources = Mapping[int, Source]


@dataclass(slots=True)
class _Loader:
    """Reads the files below one path."""

    detailed: bool
    notices: list[str]
    searched: int = 0
    top: Path = field(default_factory=Path)
    on_disk: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    """Text and time of modification, by path and digest."""
    read_size: int = 0  # characters of the texts that were read
    complete: dict[int, tuple[Sources, Sources]] = field(default_factory=dict)
    """Sources of a compilation, by the id of what is first, with their texts."""

    def load_file(self, path: Path) -> list[Artifact]:
        content = read_json(path)
        name = path.name.partition(".")[0]
        found = parse_abi(content, name)
        project = project_around(path) or Project(path.absolute().parent, (), ())
        if not found:
            content = _with_compiler_input(path, content)
            found = parse_artifacts(content, name)
        located = [_Read(_located(artifact, path, project)) for artifact in found]
        complete = self._with_foundry_paths(located, project)
        return [self._with_texts(read.artifact, project) for read in complete]

    def load_folder(self, path: Path) -> list[Artifact]:
        projects = self.projects(path)
        found = [
            artifact for project, files in projects for artifact in self._merge(files, project)
        ]
        if not found:
            commands = " or ".join(f"`{tool.command}`" for tool in projects[0][0].tools)
            advice = f"compile first, {commands}, or name the folder that they are written to"
            if not commands:
                sources = (file for kind in ("*.sol", "*.vy") for file in path.glob(kind))
                source = next(sources, None)
                own = f'deploy("{source}") compiles a source, --compile all'
                advice = own if source else "are the contracts compiled?"
            self.notices.append(printable(f"no artifacts in {path}: {advice}"))
        return found

    def projects(self, path: Path) -> list[tuple[Project, list[Path]]]:
        """The project of a folder, else that folder and the projects below it, with their files."""
        self.top = path
        if project := _project_of(path):
            return [(project, self._files(project))]
        below: list[Project] = []
        files = list(self._json_files(path, below))
        found = [(project, self._files(project)) for project in below]
        return [(Project(path, (), (path,)), files), *found]

    def _files(self, project: Project) -> list[Path]:
        return [file for folder in project.folders for file in self._json_files(folder)]

    def _json_files(self, top: Path, projects: list[Project] | None = None) -> Iterator[Path]:
        # Projects below it are added to `projects`, if given, in place of being searched.
        skipped = SKIPPED if projects is None else SKIPPED | SKIPPED_OUTSIDE

        def skip(error: OSError) -> None:
            self.notices.append(printable(f"{error.filename} was skipped: {error.strerror}"))

        for folder, folders, names in os.walk(top, onerror=skip):
            self.searched += len(folders) + len(names)
            if self.searched > MAX_SEARCHED:
                raise ConfigError(
                    f"{self.top} has more than {MAX_SEARCHED:,} files and folders: "
                    "name the folder of its artifacts, such as artifacts or out"
                )
            path = Path(folder)
            depth = len(path.parts) - len(top.parts)
            is_project = projects is not None and not PROJECT_NAMES.isdisjoint((*folders, *names))
            project = find_project(path) if is_project and depth else None
            if project and projects is not None:
                projects.append(project)
            if project or ("pyvenv.cfg" in names and depth):  # or a virtual environment
                folders.clear()
                continue
            is_deep = depth >= MAX_DEPTH
            folders[:] = sorted(
                name
                for name in folders
                if not is_deep and name not in skipped and not name.startswith(".")
            )
            for name in sorted(names):
                is_json = name.endswith(".json") and not name.endswith(".dbg.json")
                if is_json and (path / name).is_file():
                    yield path / name

    # Merging

    def _merge(self, files: Sequence[Path], project: Project) -> list[Artifact]:
        infos = [file for file in files if file.parent.name == BUILD_INFO]
        others = [file for file in files if file.parent.name != BUILD_INFO]
        plain = [read for file in others for read in self._read(file, project)]
        contracts: dict[tuple[str, str], list[_Read]] = defaultdict(list)
        for read in self._with_foundry_paths(plain, project):
            _add(contracts[read.artifact.source, read.artifact.name], read, may_be_new=True)
        with_files = {folder for read in plain for folder in Path(read.artifact.file).parents}
        for info in infos:
            is_extra = info.parent.parent in with_files
            if is_extra and not self.detailed:
                continue
            for read in self._read(info, project):
                key = read.artifact.source, read.artifact.name
                if key in contracts or not is_extra:
                    _add(contracts[key], read, may_be_new=not is_extra)
        return [
            self._with_texts(read.artifact, project)
            for versions in contracts.values()
            for read in sorted(versions, key=lambda read: read.rank)
        ]

    def _read(self, file: Path, project: Project) -> Iterator[_Read]:
        try:
            modified = file.stat().st_mtime_ns
            content = _read_bytes(file)
            if not any(mark in content for mark in CONTAINED):
                return
            written = _with_compiler_input(file, _parse_json(file, content))
        except ConfigError as error:
            self.notices.append(printable(f"skipped: {error}"))
            return
        name, *suffix = file.name.removesuffix(".json").split(".")
        found = parse_artifacts(written, name)
        if not found and isinstance(written, dict) and isinstance(written.get("abi"), list):
            self.notices.append(printable(f"skipped: {file} is not a valid artifact"))
        version = tuple(int(part) for part in suffix if part.isdigit() and len(part) < 9)
        for artifact in found:
            yield _Read(_located(artifact, file, project), (not suffix, version, modified))

    # Foundry: ids of sources, and sources of contracts without metadata (vyper)

    def _with_foundry_paths(self, found: Sequence[_Read], project: Project) -> Iterator[_Read]:
        is_needed = self.detailed or any(not read.artifact.source for read in found)
        listed = _foundry_list(project.cache) if is_needed else {}
        known: dict[str, Source] = {}
        for read in found:
            for path, digest in read.artifact.digests.items():
                known.setdefault(path, Source(path, digest=digest))
        known |= {own.path: own for read in found for own in read.artifact.sources.values()}

        @cache
        def sources_of(info: Path) -> Sources:
            return {number: known.get(path, Source(path)) for number, path in _source_paths(info)}

        for read in found:
            file = Path(read.artifact.file)
            for size in range(min(len(file.parts), MAX_DEPTH), 1, -1):
                source, build = listed.get("/".join(file.parts[-size:]), ("", ""))
                if source:
                    info = file.parents[size - 1] / BUILD_INFO / f"{build}.json"
                    sources = sources_of(info) if self.detailed else {}
                    yield replace(read, artifact=_of_build(read.artifact, source, sources))
                    break
            else:
                yield read

    # Sources from disk

    def _with_texts(self, artifact: Artifact, project: Project) -> Artifact:
        sources = artifact.sources
        if not self.detailed or all(source.text for source in sources.values()):
            return artifact
        if id(sources) not in self.complete:  # the artifacts of a build share them
            complete = {
                number: self._with_text(source, project) for number, source in sources.items()
            }
            self.complete[id(sources)] = sources, complete
        return replace(artifact, sources=self.complete[id(sources)][1])

    def _with_text(self, source: Source, project: Project) -> Source:
        if source.text:
            return source
        key = source.path, source.digest
        if key not in self.on_disk:
            root = str(project.root)
            text = read_source(root, source.path) if self.read_size < MAX_SOURCES_SIZE else ""
            self.read_size += len(text)
            is_compiled = source.is_text(text) if text else None
            if is_compiled is False:
                self.notices.append(stale_notice([StaleSource(printable(source.path))]))
            file = find_source(root, source.path) if text and is_compiled is None else None
            modified = modified_at(file) if file else 0
            self.on_disk[key] = "" if is_compiled is False else text, modified
        text, modified = self.on_disk[key]
        return replace(source, text=text, modified=modified)


def _located(artifact: Artifact, file: Path, project: Project) -> Artifact:
    source, root = artifact.source, project.root.absolute()
    if Path(source).is_absolute() and Path(source).is_relative_to(root):
        source = str(Path(source).relative_to(root))
    return replace(
        artifact, source=source, project=str(root), file=str(file), modified=modified_at(file)
    )


def _add(found: list[_Read], read: _Read, *, may_be_new: bool) -> None:
    for index, known in enumerate(found):
        if known.artifact.is_same_compilation(read.artifact):
            merged = known.artifact.merge(read.artifact)
            found[index] = _Read(merged, max(known.rank, read.rank))
            return
    if may_be_new:
        found.append(read)


def _of_build(artifact: Artifact, source: str, sources: Sources) -> Artifact:
    own = artifact.sources
    is_vyper = source.endswith(VYPER_SUFFIXES)
    found = dict(sources if own.items() <= sources.items() else own)
    digest = integrity_digest(artifact.creation.template) if is_vyper else ""
    for number, known in found.items():
        if known.path == source and not known.digest:
            found[number] = replace(known, digest=digest)
    return replace(
        artifact,
        source=source,
        sources=found,
        language="Vyper" if is_vyper else artifact.language,
        optimized=artifact.optimized and not is_vyper,
    )


def _foundry_list(file: Path | None) -> dict[str, tuple[str, str]]:
    builds: dict[str, tuple[str, str]] = {}
    with suppress(ConfigError, LookupError, TypeError, AttributeError):
        for source, described in read_json(file)["files"].items() if file else ():
            for versions in described["artifacts"].values():
                for profiles in versions.values():
                    for profile in profiles.values():
                        if isinstance(profile, dict):
                            builds[str(profile["path"])] = str(source), str(profile["build_id"])
    return builds


def _source_paths(info: Path) -> list[tuple[int, str]]:
    try:
        paths = read_json(info).get("source_id_to_path") or {}
        return [(int(number), str(path)) for number, path in paths.items()]
    except (ConfigError, ValueError, TypeError, AttributeError):
        return []


def _with_compiler_input(path: Path, written: Any) -> Any:
    file = path.with_name(path.name.removesuffix(OUTPUT_SUFFIX) + ".json")
    if path.name.endswith(OUTPUT_SUFFIX) and isinstance(written, dict) and file.is_file():
        given = read_json(file)
        if isinstance(given, dict):
            keys = ("input", "userSourceNameMap")
            return {key: given[key] for key in keys if key in given} | written
    return written


def read_json(path: Path) -> Any:
    return _parse_json(path, _read_bytes(path))


def _read_bytes(path: Path) -> bytes:
    try:
        return read_file(path)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None


def _parse_json(path: Path, content: bytes) -> Any:
    # A list of Python takes some 60 bytes, an object 200.
    parts = 64 * (content.count(b",") + content.count(b"[")) + 200 * content.count(b"{")
    if parts > MAX_PARSED_SIZE:
        raise ConfigError(f"{path} has too many values to be read: it is no artifact")
    try:
        return orjson.loads(content)
    except ValueError as error:
        beginning = shorten(printable(content[:80].decode(errors="replace")), 80)
        raise ConfigError(f"{path} is not JSON, {beginning!r}: {error}") from None
