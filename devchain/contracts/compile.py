"""Compiling sources: one file, a text, or what is stale at the paths of artifacts.

A project is compiled by its own tool, if that is installed. Else each source is compiled with all
that it imports, and the result is kept by the content of the input, in the user's cache folder.
Compilers are solc of py-solc-x, of Foundry or on the path, npm's `solc` with Node.js, and Vyper's
package beside this one. Only `install=True` uses the network.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from importlib import import_module, metadata
from importlib.util import find_spec
from itertools import compress
from pathlib import Path
from threading import get_ident
from typing import Any, TypedDict, Unpack

import orjson

from devchain.contracts import artifact_files, compiler_input
from devchain.contracts.artifact_files import MAX_SEARCHED, PROJECT_NAMES, SKIPPED, Project
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.contracts.artifacts import COMPILED, SOURCE_FILE, SOURCE_SUFFIXES, Artifact
from devchain.contracts.compiler_input import Unit, Version, is_accepted, read_unit
from devchain.contracts.sources import changed_sources_of, find_source, modified_at
from devchain.errors import CompilationFailed, ConfigError, InvalidInput
from devchain.files import cache_folder, read_file, read_toml
from devchain.networks import HARDFORKS, NEWEST, canonical, in_written_case
from devchain.text import known_names, printable, shown_argument

TIMEOUT = 600.0  # seconds that a compiler may take
FOUNDRY_ON_MACOS = "Library/Application Support/svm"
MAX_LINES = 40  # lines of a program's output that an error shows
NUMBER = re.compile(r"(\d{1,4})\.(\d{1,4})\.(\d{1,4})")

RUN_SOLC = """
const solc = require(process.argv[1]);
const compile = solc.compileStandardWrapper || solc.compile; // 0.4 has the former
process.stdout.write(compile(require("fs").readFileSync(0, "utf8")));
"""
RUN_VYPER = "from vyper.cli.vyper_json import _parse_cli_args as main; main()"  # vyper-json's entry
MAX_KEPT = 500  # files in the cache folder; the oldest are removed

Show = Callable[[str], object]  # shows a command before it is run


class CompileOptions(TypedDict, total=False):
    """Hardfork whose opcodes code may have; settings of standard JSON; whether to download solc."""

    hardfork: str
    settings: Mapping[str, Any]
    install: bool


def load(path: str | os.PathLike[str], **options: Unpack[CompileOptions]) -> Artifact:
    """Compile a source file and return its contract, for `node.deploy`: `load("Vault.sol")`.

    If the file has several, the one with the file's name is returned, or the one named behind a
    colon: `Pair.sol:Token`. The tool of a project compiles it if it is installed. With `settings`,
    such as `{"optimizer": {"enabled": True}}`, a compiler does. `install` lets py-solc-x download a
    solc if none here fits. Raises `CompilationFailed` with the compiler's errors.
    """
    options = _checked(options)
    match = SOURCE_FILE.fullmatch(os.fspath(path))
    if match is None:
        raise InvalidInput(f"{printable(str(path))} is no source: give a file, .sol or .vy")
    file, name = Path(match[1]), match[2] or ""
    project = None if options.get("settings") else artifact_files.project_around(file)
    if project and _run_tools(project, lambda line: sys.stderr.write(f"devchain: {line}\n")):
        built = artifact_files.load_artifacts(project.root)
        own = [each for each in built if find_source(each.project, each.source) == file.resolve()]
        if own:
            return _chosen(own, file.name, name)
    unit = unit_of(file)
    return _chosen(compile_unit(unit, **options), unit.name, name)


def loads(text: str, name: str = "", **options: Unpack[CompileOptions]) -> Artifact:
    """Compile the text of a source and return its contract, as `load`.

    It is Solidity if it has its pragma or a contract in braces, else Vyper. `name` chooses one of
    several contracts, and is that of a contract in Vyper. Imports begin at the working directory.
    """
    options = _checked(options)
    if not text.strip() or SOURCE_FILE.fullmatch(text):
        raise InvalidInput(f"{text!r} is no source: give its text, or its path to devchain.load")
    is_solidity = compiler_input.SOLIDITY_TEXT.search(text) is not None
    names = compiler_input.SOLIDITY_CONTRACT.findall(text) if is_solidity else []
    stem = name or (names[0] if len(names) == 1 else "Contract")
    source = f"{stem}{'.sol' if is_solidity else '.vy'}"
    unit = read_unit(Path.cwd(), source, text)
    return _chosen(compile_unit(unit, **options), source, name)


def _checked(options: CompileOptions) -> CompileOptions:
    known = CompileOptions.__annotations__
    if unknown := sorted(options.keys() - known.keys()):
        raise InvalidInput(
            f"there is no option {unknown[0]}: the options are {', '.join(known)}; write those of "
            'the compiler as settings={"optimizer": {"enabled": True}}'
        )
    if not isinstance(settings := options.get("settings") or {}, Mapping):
        raise InvalidInput(f"settings {shown_argument(settings)}: give a dict of standard JSON's")
    hardfork = canonical(in_written_case(options.get("hardfork", NEWEST)))
    if hardfork not in HARDFORKS:
        raise InvalidInput(f"there is no hardfork {hardfork}: {known_names(hardfork, HARDFORKS)}")
    return {**options, "hardfork": hardfork}


def _chosen(compiled: Sequence[Artifact], source: str, name: str) -> Artifact:
    found = [each for each in compiled if f"/{each.source}".endswith(f"/{source}")]
    named = [each for each in found if each.name == (name or Path(source).stem)]
    deployable = [each for each in found if each.creation.template]
    if named or (len(deployable) == 1 and not name):
        return (named or deployable)[-1]
    names = ", ".join(each.name for each in found) or "no contract"
    raise InvalidInput(printable(f'{source} has {names}: choose "{source}:NAME", or name="NAME"'))


# Projects and folders


def compile_stale(
    paths: Iterable[str], hardfork: str = NEWEST, show: Show = lambda _: None
) -> tuple[str, ...]:
    """Compile what is stale at the paths of artifacts; returns these, and sources to load.

    A project's tool is run if a source is newer than all that it has written. Sources in a folder
    that is no project are compiled and kept in the cache. Raises `CompilationFailed`.
    """
    hardfork = _checked({"hardfork": hardfork})["hardfork"]
    found: dict[str, None] = {}
    for path in paths:
        folder = Path(path)
        found[path] = None
        around = artifact_files.project_around(folder) if folder.is_dir() else None
        projects = artifact_files.projects_at(folder) if folder.is_dir() else []
        for project, files in projects:
            if project.tools:
                _run_tools(project, show)
            elif around and _run_tools(around, show):
                found[str(around.root)] = None
            else:
                sources = dict.fromkeys(_compile_folder(folder, hardfork, show))
                if sources and not files and len(projects) == 1:
                    del found[path]  # nothing else is there
                found |= sources
    return tuple(found)


def _compile_folder(folder: Path, hardfork: str, show: Show) -> Iterator[str]:
    units = {each: unit_of(each) for each in _sources(folder) if each.suffix in COMPILED}
    imported = {unit.root / name for unit in units.values() for name in [*unit.texts][1:]}
    missing: dict[Path, CompilerMissing] = {}
    for file, unit in units.items():
        try:
            if unit.is_vyper or file not in imported:  # of Solidity it is compiled with what has it
                compile_unit(unit, show, hardfork=hardfork)
                yield str(file)
        except CompilerMissing as error:
            missing[file] = error
        except CompilationFailed:
            if file not in imported:  # a module need not compile by itself
                raise
    built = artifact_files.load_artifacts(folder, detailed=True) if missing else []
    current = (each for each in built if not any(changed_sources_of(each)))
    fresh = {find_source(each.project, each.source) for each in current}
    for file, why in missing.items():
        if file not in fresh:
            show(f"{units[file].name} was not compiled: {why}")


def _run_tools(project: Project, show: Show) -> bool:
    # Whether a tool of the project is installed, so that what it has written is new.
    root = project.root
    bins = [*(each / "node_modules" / ".bin" for each in (root, *root.parents))]
    searched = [*bins, Path(sys.executable).parent, os.environ.get("PATH", "")]
    path = os.pathsep.join(map(str, searched))
    commands = {tool: tool.command.removeprefix("npx ").split() for tool in project.tools}
    installed = [tool for tool in project.tools if shutil.which(commands[tool][0], path=path)]
    used = [tool for tool in installed if any((root / output).is_dir() for output in tool.outputs)]
    for tool in used or installed[:1]:
        outputs = (file for folder in project.folders for file in folder.rglob("*.json"))
        # Written when a tool has run: it does not write again what has not changed.
        mark = _cache_file(str(root.resolve()).encode(), ".run")
        settings = (root / name for name in (*tool.configs, compiler_input.REMAPPINGS))
        newest = max(map(modified_at, [*_sources(root), *settings]))
        if newest > max(map(modified_at, [mark, *outputs])):
            show(tool.command)
            program = str(shutil.which(commands[tool][0], path=path))
            command = [program, *commands[tool][1:]]
            run_program(command, root, shown=f"`{tool.command}` in {root}")
            _keep(mark, str(root).encode())
    return bool(installed)


def _sources(root: Path) -> Iterator[Path]:
    top, searched = str(root.resolve()), 0
    for folder, folders, names in os.walk(top):
        searched += len(folders) + len(names)
        if searched > MAX_SEARCHED:
            raise ConfigError(f"{root} has more than {MAX_SEARCHED:,} files and folders")
        others = {"pyvenv.cfg", *(PROJECT_NAMES if folder != top else ())}
        if not others.isdisjoint(names):
            folders.clear()
            continue
        folders[:] = sorted(each for each in folders if each not in SKIPPED and each[0] != ".")
        yield from (Path(folder, each) for each in sorted(names) if each.endswith(SOURCE_SUFFIXES))


# One source


def unit_of(file: Path) -> Unit:
    """A source file with all that it imports; raises `ConfigError`."""
    root = compiler_input.root_of(file)
    return read_unit(root, file.resolve().relative_to(root).as_posix())


def compile_unit(
    unit: Unit, show: Show = lambda _: None, **options: Unpack[CompileOptions]
) -> list[Artifact]:
    """The contracts of a source and of all that it imports; raises `CompilationFailed`."""
    written = run_unit(unit, show, **options)
    root, file = str(unit.root), unit.root / unit.name
    place: dict[str, Any] = {"project": root, "file": str(file), "modified": modified_at(file)}
    return [replace(artifact, **place) for artifact in parse_artifacts(written)]


def run_unit(unit: Unit, show: Show = lambda _: None, **options: Unpack[CompileOptions]) -> Any:
    """What a compiler writes of a source, with its input; raises `CompilationFailed`."""
    install = options.get("install", False)
    settings = {**_settings_of(unit), **(options.get("settings") or {})}
    solc = None if unit.is_vyper else find_solc(unit.root, unit.pragmas, install=install)
    compiler = f"solc {solc}" if solc else f"Vyper {vyper_version()}"
    evm = compiler_input.evm_version(options.get("hardfork", NEWEST))
    given = compiler_input.standard_json(unit, evm, solc.version if solc else None, settings)
    kept = _cache_file(orjson.dumps([compiler, str(unit.root), given]), ".json")
    with suppress(OSError, ValueError):
        return orjson.loads(read_file(kept))
    show(f"compiling {unit.name} with {compiler}")
    written = {"input": given, "output": run_compiler(solc, given, unit.root)}
    _raise_errors(unit.name, written["output"])
    _keep(kept, orjson.dumps(written))
    return written


def _settings_of(unit: Unit) -> Mapping[str, Any]:
    file = unit.root / "pyproject.toml"
    if unit.is_vyper or not file.is_file():
        return {}
    try:
        settings = read_toml(file).get("tool", {}).get("devchain", {}).get("solc", {})
    except (OSError, ValueError, AttributeError) as error:
        raise ConfigError(printable(f"{file}: not valid TOML: {error}")) from None
    return _checked({"settings": settings})["settings"]


def _raise_errors(name: str, output: Any) -> None:
    errors = output.get("errors") or () if isinstance(output, dict) else ()
    found = [each for each in errors if each.get("severity") == "error"][:10]
    shown = [str(each.get("formattedMessage") or each.get("message")) for each in found]
    if shown:
        lines = [printable(line.expandtabs()) for line in "\n".join(shown).rstrip().splitlines()]
        raise CompilationFailed("\n".join([f"{name} does not compile", *lines]))


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


# Compilers


class CompilerMissing(CompilationFailed):
    """There is no compiler for a source on this machine."""


@dataclass(frozen=True, slots=True, order=True)
class Solc:
    """A solc: its version and its program, or the folder of npm's package."""

    version: Version
    path: Path
    is_package: bool = False

    def __str__(self) -> str:
        return ".".join(map(str, self.version))


def find_solc(root: Path, pragmas: Sequence[str], *, install: bool = False) -> Solc:
    """The newest solc here that all pragmas accept; raises `CompilerMissing`.

    With `install`, py-solc-x downloads one if there is none.
    """
    known = sorted(_solc_programs(root), reverse=True)
    fits = (all(is_accepted(each.version, pragma) for pragma in pragmas) for each in known)
    if found := next(compress(known, fits), None):
        return found
    if install:
        try:
            import_module("solcx").install_solc_pragma(" ".join(pragmas) or ">=0.8.0")
        except Exception as error:
            text = f"devchain[solidity] (py-solc-x) cannot install solc: {error}"
            raise CompilerMissing(printable(text)) from error
        return find_solc(root, pragmas)
    wanted, shown = " ".join(dict.fromkeys(pragmas)), ", ".join(map(str, known)) or "none"
    text = (
        f"no solc here compiles {wanted or 'sources'} (installed: {shown}): "
        f'run `npm install "solc@{wanted or "latest"}"` in {root}, or '
        '`pip install "devchain[solidity]"` and devchain.load(..., install=True) once'
    )
    raise CompilerMissing(printable(text))


def _version(text: str) -> Version | None:
    match = NUMBER.search(text)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def _solc_programs(root: Path) -> Iterator[Solc]:
    home = Path.home()
    installed = Path(os.environ.get("SOLCX_BINARY_PATH") or home / ".solcx").glob("solc-v*")
    foundry = (home / each for each in (".svm", ".local/share/svm", FOUNDRY_ON_MACOS))
    for program in (*installed, *(each for folder in foundry for each in folder.glob("*/solc-*"))):
        version = _version(program.name)
        if version and os.access(program, os.X_OK) and program.is_file():
            yield Solc(version, program)
    if (found := shutil.which("solc")) and (version := _version_of(found)):
        yield Solc(version, Path(found))
    for folder in (root, *root.parents) if shutil.which("node") else ():
        package = folder / "node_modules" / "solc"
        with suppress(OSError, ValueError, TypeError, KeyError):
            written = orjson.loads(read_file(package / "package.json"))
            if version := _version(written["version"]):
                yield Solc(version, package, is_package=True)


@lru_cache
def _version_of(program: str) -> Version | None:
    with suppress(CompilationFailed):
        return _version(run_program([program, "--version"], Path.cwd(), shown=program).decode())
    return None


def vyper_version() -> str:
    """The version of Vyper's package; raises `CompilerMissing`."""
    if find_spec("vyper") is None:
        raise CompilerMissing('Vyper is missing here: `pip install "devchain[vyper]"`')
    return metadata.version("vyper")


def run_compiler(solc: Solc | None, given: Mapping[str, Any], root: Path) -> Any:
    """What solc, or Vyper without one, writes for a standard JSON input."""
    if solc is None:
        command = [sys.executable, "-P", "-c", RUN_VYPER]
    elif solc.is_package:
        command = ["node", "-e", RUN_SOLC, str(solc.path)]
    else:
        command = [str(solc.path), "--standard-json"]
    shown = f"solc {solc}" if solc else "Vyper"
    output = run_program(command, root, orjson.dumps(given), shown=shown)
    try:
        return orjson.loads(output[output.index(b"{") :])  # npm's 0.4 writes a line before
    except ValueError:
        raise CompilationFailed(f"{shown} wrote no JSON{_last(output)}") from None


def run_program(command: Sequence[str], root: Path, given: bytes = b"", *, shown: str) -> bytes:
    """What a program writes to stdout; raises `CompilationFailed` with its output if it fails."""
    options: dict[str, Any] = {"cwd": root, "env": os.environ | {"NO_COLOR": "1"}, "input": given}
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False, **options)  # noqa: S603  # the user's compiler
    except (OSError, subprocess.SubprocessError) as error:
        raise CompilationFailed(printable(f"{shown} cannot be run: {error}")) from None
    if done.returncode:
        raise CompilationFailed(f"{shown} failed{_last(done.stdout + done.stderr)}")
    return bytes(done.stdout)


def _last(output: bytes) -> str:
    lines = output.decode(errors="replace").strip().splitlines()[-MAX_LINES:]
    return "".join(f"\n{printable(line.expandtabs())}" for line in lines)
