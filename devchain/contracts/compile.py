"""Compiling sources: one file, a text, or what is stale at the paths of artifacts.

A project is compiled by its own tool, if that is installed. Else each source is compiled with all
that it imports, and what the compiler wrote is kept in the user's cache folder, by the content of
its input: a file there has the form of Hardhat's build-info.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from threading import get_ident
from typing import Any, TypedDict, Unpack

import orjson

from devchain.contracts.artifact_files import (
    MAX_SEARCHED,
    SKIPPED,
    Project,
    Tool,
    find_project,
    load_artifacts,
    project_around,
    projects_at,
)
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.contracts.artifacts import COMPILED, SOURCE_FILE, SOURCE_SUFFIXES, Artifact
from devchain.contracts.compiler_input import (
    REMAPPINGS,
    SOLIDITY_TEXT,
    Unit,
    evm_version,
    read_unit,
    root_of,
    standard_json,
)
from devchain.contracts.compilers import (
    CompilerMissing,
    find_solc,
    run_compiler,
    run_program,
    vyper_version,
)
from devchain.contracts.sources import find_source, modified_at
from devchain.errors import CompilationFailed, ConfigError, InvalidInput
from devchain.files import cache_folder, read_file
from devchain.networks import NEWEST
from devchain.text import printable

MAX_ERRORS = 10  # that are shown
MAX_KEPT = 500  # files in the cache folder; the oldest are removed

Show = Callable[[str], object]  # shows a command before it is run


def _write(line: str) -> None:
    sys.stderr.write(f"devchain: {line}\n")


class CompileOptions(TypedDict, total=False):
    """Options of `load` and `loads`.

    Code has the opcodes of `hardfork`, by default the newest of Rootstock. `settings` are those of
    the compiler's standard JSON: `{"optimizer": {"enabled": True}}`, for Vyper `{"optimize":
    "gas"}`. With `install` py-solc-x downloads a solc if none here fits.
    """

    hardfork: str
    settings: Mapping[str, Any]
    install: bool


def load(path: str | os.PathLike[str], **options: Unpack[CompileOptions]) -> Artifact:
    """Compile a source file and return its contract, for `node.deploy`: `load("Vault.sol")`.

    Of several contracts it is the one with the file's name, or the one named behind a colon,
    `Pair.sol:Token`. The tool of a project compiles it if it is installed, and there are no
    `settings`. Raises `CompilationFailed` with the compiler's errors, `ConfigError` for a file that
    cannot be read.
    """
    match = SOURCE_FILE.fullmatch(os.fspath(path))
    if match is None:
        raise InvalidInput(f"{printable(str(path))} is no source: give a file, .sol or .vy")
    file, name = Path(match[1]), match[2] or ""
    project = None if options.get("settings") else project_around(file)
    if project and _run_tools(project, _write):
        built = load_artifacts(project.root)
        found = [each for each in built if find_source(each.project, each.source) == file.resolve()]
        if found:
            return _chosen(found, file.name, name)
    unit = _unit_of(file)
    return _chosen(_compile(unit, **options), unit.name, name)


def loads(text: str, name: str = "", **options: Unpack[CompileOptions]) -> Artifact:
    """Compile the text of a source and return its contract, as `load`.

    It is Solidity if it has its pragma or a contract in braces, else Vyper. `name` chooses one of
    several contracts, and is that of a contract in Vyper. Imports begin at the working directory.
    """
    is_solidity = SOLIDITY_TEXT.search(text) is not None
    source = f"{name or 'Contract'}{'.sol' if is_solidity else '.vy'}"
    unit = read_unit(Path.cwd(), source, text)
    return _chosen(_compile(unit, **options), source, name)


def _chosen(compiled: Sequence[Artifact], source: str, name: str) -> Artifact:
    found = [each for each in compiled if f"/{each.source}".endswith(f"/{source}")]
    named = [each for each in found if each.name == (name or Path(source).stem)]
    deployable = [each for each in found if each.creation.template]
    if named or (len(deployable) == 1 and not name):
        return (named or deployable)[-1]
    names = ", ".join(each.name for each in found) or "no contract"
    raise InvalidInput(printable(f'{source} has {names}: say which one, "{source}:NAME"'))


# Projects and folders


def compile_stale(
    paths: Iterable[str], hardfork: str = NEWEST, show: Show = _write
) -> tuple[str, ...]:
    """Compile what is stale at the paths of artifacts; returns these, and sources to load.

    A project's tool is run if a source is newer than all that it has written, after its command
    was shown. Sources in a folder that is no project are compiled, and kept in the cache. Raises
    `CompilationFailed`.
    """
    found: dict[str, None] = {}
    for path in paths:
        folder = Path(path)
        found[path] = None
        around = project_around(folder) if folder.is_dir() else None
        for project in projects_at(folder) if folder.is_dir() else ():
            if project.tools:
                _run_tools(project, show)
            elif around and _run_tools(around, show):
                found[str(around.root)] = None
            else:
                found |= dict.fromkeys(_compile_folder(folder, hardfork, show))
    return tuple(found)


def compile_file(file: Path, hardfork: str) -> list[Artifact]:
    """The contracts of a source file and of all that it imports; raises `CompilationFailed`."""
    return _compile(_unit_of(file), hardfork=hardfork)


def _compile_folder(folder: Path, hardfork: str, show: Show) -> Iterator[str]:
    files = [each for each in _sources(folder, is_plain=True) if each.suffix in COMPILED]
    units = {file: _unit_of(file) for file in files}
    imported = {unit.root / name for unit in units.values() for name in [*unit.texts][1:]}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        # What imports a source of Solidity is compiled with it.
        done = {
            file: pool.submit(_compile, unit, show, hardfork=hardfork)
            for file, unit in units.items()
            if unit.is_vyper or file not in imported
        }
    for file, result in done.items():
        try:
            result.result()
        except CompilerMissing as error:
            show(f"{units[file].name} was not compiled: {error}")
        except CompilationFailed:
            if file not in imported:  # a module need not compile by itself
                raise
        else:
            yield str(file)


def _run_tools(project: Project, show: Show) -> bool:
    # Whether a tool of the project is installed, so that what it has written is new.
    root = project.root
    installed = {tool: found for tool in project.tools if (found := _program(tool, root))}
    used = [tool for tool in installed if any((root / output).is_dir() for output in tool.outputs)]
    for tool in used or [*installed][:1]:
        outputs = (file for folder in project.folders for file in folder.rglob("*.json"))
        # Written when a tool has run: it does not write again what has not changed.
        mark = _cache_file(str(root.resolve()).encode(), ".run")
        sources = [*_sources(root), *(root / name for name in (*tool.configs, REMAPPINGS))]
        if max(map(modified_at, sources)) > max(map(modified_at, [mark, *outputs])):
            show(tool.command)
            command = [installed[tool], *tool.command.removeprefix("npx ").split()[1:]]
            run_program(command, root, shown=f"`{tool.command}` in {root}")
            _keep(mark, str(root).encode())
    return bool(installed)


def _program(tool: Tool, root: Path) -> str | None:
    name = tool.command.removeprefix("npx ").split()[0]
    folders = [each / "node_modules" / ".bin" for each in (root, *root.parents)]
    own = (shutil.which(name, path=folder) for folder in (*folders, Path(sys.executable).parent))
    return next(filter(None, own), None) or shutil.which(name)


def _sources(root: Path, *, is_plain: bool = False) -> Iterator[Path]:
    searched = 0
    for folder, folders, names in os.walk(root.resolve()):
        searched += len(folders) + len(names)
        if searched > MAX_SEARCHED:
            raise ConfigError(f"{root} has more than {MAX_SEARCHED:,} files and folders")
        is_project = is_plain and Path(folder) != root.resolve() and find_project(Path(folder))
        if "pyvenv.cfg" in names or is_project:
            folders.clear()
            continue
        folders[:] = sorted(each for each in folders if each not in SKIPPED and each[0] != ".")
        yield from (Path(folder, each) for each in sorted(names) if each.endswith(SOURCE_SUFFIXES))


# One source


def _unit_of(file: Path) -> Unit:
    root = root_of(file)
    return read_unit(root, file.resolve().relative_to(root).as_posix())


def _compile(
    unit: Unit,
    show: Show = lambda _: None,
    *,
    hardfork: str = NEWEST,
    settings: Mapping[str, Any] | None = None,
    install: bool = False,
) -> list[Artifact]:
    solc = None if unit.is_vyper else find_solc(unit.root, unit.pragmas, install=install)
    compiler = f"solc {solc}" if solc else f"Vyper {vyper_version()}"
    version = solc.version if solc else None
    given = standard_json(unit, evm_version(hardfork), version, settings or {})
    kept = _cache_file(orjson.dumps([compiler, str(unit.root), given]), ".json")
    try:
        written = orjson.loads(read_file(kept))
    except (OSError, ValueError):
        show(f"compiling {unit.name} with {compiler}")
        output = run_compiler(solc, given, unit.root)
        _raise_errors(unit.name, output)
        written = {"input": given, "output": output}
        _keep(kept, orjson.dumps(written))
    file = unit.root / unit.name
    modified = modified_at(file)
    return [
        replace(each, project=str(unit.root), file=str(file), modified=modified)
        for each in parse_artifacts(written)
    ]


def _raise_errors(name: str, output: Any) -> None:
    errors = output.get("errors") if isinstance(output, dict) else None
    shown = [
        str(each.get("formattedMessage") or each.get("message"))
        for each in errors or ()
        if each.get("severity") == "error"
    ]
    if shown:
        lines = "\n".join(shown[:MAX_ERRORS]).rstrip().splitlines()
        text = "\n".join(printable(line.expandtabs()) for line in lines)
        raise CompilationFailed(f"{name} does not compile\n{text}")


def _cache_file(content: bytes, suffix: str) -> Path:
    return cache_folder() / "compiled" / f"{sha256(content).hexdigest()}{suffix}"


def _keep(file: Path, content: bytes) -> None:
    # Another process may read it, or write the same. Without a cache folder it is not kept.
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}-{get_ident()}")
        part.write_bytes(content)
        part.replace(file)
        for old in sorted(file.parent.iterdir(), key=modified_at)[:-MAX_KEPT]:
            old.unlink(missing_ok=True)
