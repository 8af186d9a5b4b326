"""Compilers on this machine: which there are, and running them on standard JSON.

Of solc those that py-solc-x and Foundry have installed, the one on the path, and npm's package
`solc`, which Node.js runs; of Vyper the package beside this one. Nothing here uses the network but
`install=True`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import orjson

from devchain.contracts.compiler_input import Version, is_accepted
from devchain.errors import CompilationFailed
from devchain.files import read_file
from devchain.text import printable

TIMEOUT = 600.0  # seconds that a compiler may take
FOUNDRY_ON_MACOS = "Library/Application Support/svm"
MAX_LINES = 40  # lines of a program's output that an error shows
NUMBER = re.compile(r"(\d{1,4})\.(\d{1,4})\.(\d{1,4})")
COLORS = re.compile(r"\x1b\[[0-9;]*m")

RUN_SOLC = """
const solc = require(process.argv[1]);
const compile = solc.compileStandardWrapper || solc.compile; // 0.4 has the former
process.stdout.write(compile(require("fs").readFileSync(0, "utf8")));
"""
RUN_VYPER = "from vyper.cli.vyper_json import _parse_cli_args as main; main()"  # vyper-json's entry


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
    known = sorted(_solc_programs(root))
    for each in reversed(known):
        if all(is_accepted(each.version, pragma) for pragma in pragmas):
            return each
    if install:
        _install_solc(pragmas)
        return find_solc(root, pragmas)
    wanted = " ".join(pragmas) or "any version"
    shown = ", ".join(dict.fromkeys(map(str, known))) or "none"
    raise CompilerMissing(
        printable(
            f"no solc here compiles {wanted} (installed: {shown}): "
            f'run `npm install "solc@{pragmas[0] if pragmas else "latest"}"` in {root}, or '
            '`pip install "devchain[solidity]"` and devchain.load(..., install=True) once'
        )
    )


def _install_solc(pragmas: Sequence[str]) -> None:
    try:
        solcx = import_module("solcx")
    except ModuleNotFoundError:
        text = 'installing solc needs py-solc-x: `pip install "devchain[solidity]"`'
        raise CompilerMissing(text) from None
    try:
        solcx.install_solc_pragma(" ".join(pragmas) or ">=0.8.0")
    except Exception as error:
        raise CompilerMissing(printable(f"py-solc-x cannot install solc: {error}")) from error


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
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(  # noqa: S603  # the user's compiler
            [program, "--version"], capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
        return _version(done.stdout)
    return None


def vyper_version() -> str:
    """The version of Vyper's package; raises `CompilerMissing`."""
    try:
        return metadata.version("vyper")
    except metadata.PackageNotFoundError:
        raise CompilerMissing(
            'no Vyper is installed beside devchain: pip install "devchain[vyper]"'
        ) from None


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
    environment = os.environ | {"NO_COLOR": "1", "FORCE_COLOR": "0"}
    try:
        done = subprocess.run(  # noqa: S603  # the user's compiler
            command,
            cwd=root,
            env=environment,
            input=given,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise CompilationFailed(printable(f"{shown} cannot be run: {error}")) from None
    if done.returncode:
        raise CompilationFailed(f"{shown} failed{_last(done.stdout + done.stderr)}")
    return done.stdout


def _last(output: bytes) -> str:
    lines = COLORS.sub("", output.decode(errors="replace")).strip().splitlines()[-MAX_LINES:]
    return "".join(f"\n{printable(line.expandtabs())}" for line in lines)
