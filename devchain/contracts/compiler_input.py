"""What a compiler needs of a source: all that it imports, the versions that it wants, settings.

    Vault.sol       pragma solidity ^0.8.20;  import "@openzeppelin/contracts/access/Ownable.sol";
    remappings.txt  @openzeppelin/=lib/openzeppelin-contracts/

Names of sources are paths from the root of the project. What is not there is looked for in
`node_modules`, or `site-packages`; what is nowhere is left to the compiler, which shows the line.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devchain.contracts.artifact_files import MAX_ANCESTORS, PROJECT_NAMES
from devchain.contracts.artifacts import VYPER_SUFFIXES
from devchain.contracts.sources import MAX_SOURCE_SIZE, MAX_SOURCES_SIZE
from devchain.errors import ConfigError
from devchain.files import read_file, read_toml
from devchain.networks import is_ethereum, is_since

Version = tuple[int, int, int]

REMAPPINGS = "remappings.txt"
ROOTS = PROJECT_NAMES | {REMAPPINGS, "package.json", "node_modules", "pyproject.toml", ".git"}
"""Names of which the folder that paths of sources begin at has one."""

MAX_SOURCES = 5_000
VYPER_OUTPUT = ["abi", "layout", "ast", "evm.bytecode", "evm.deployedBytecode"]
SOLC_OUTPUT = ["abi", "metadata", "storageLayout", "evm.bytecode", "evm.deployedBytecode"]

SOLIDITY_IMPORT = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|\bimport\b[^;"']*(?:"([^"\n]+)"|'([^'\n]+)')""", re.DOTALL
)
SOLIDITY_PRAGMA = re.compile(r"^\s*pragma\s+solidity\s+([^;\n]+);", re.MULTILINE)
SOLIDITY_TEXT = re.compile(
    r"^\s*(?:pragma\s+solidity\b|(?:abstract\s+)?(?:contract|library|interface)\b[^:\n]*\{)",
    re.MULTILINE,
)
SOLIDITY_CONTRACT = re.compile(r"(?:^|[;}])\s*contract\s+(\w+)", re.MULTILINE)  # not abstract
VYPER_IMPORT = re.compile(
    r"^(?:from[ \t]+(\.*)([\w.]*)[ \t]+)?import[ \t]+(\([^)]*\)|[^\n#]+)", re.MULTILINE | re.ASCII
)
VYPER_EVM = re.compile(r"^#\s*pragma\s+evm-version\b", re.MULTILINE)
COMPARISON = re.compile(
    r"(>=|<=|>|<|=|\^|~)?\s*v?(\d{1,4})(?:\.(\d{1,4}|[xX*]))?(?:\.(\d{1,4}|[xX*]))?"
)
RANGE = re.compile(r"([\w.]+)\s+-\s+([\w.]+)")
EVM_SINCE: Mapping[str, Version] = {
    "cancun": (0, 8, 24),
    "shanghai": (0, 8, 20),
    "london": (0, 8, 7),
    "istanbul": (0, 5, 14),
    "byzantium": (0, 4, 21),
}
"""The EVM versions that sources are compiled for, the newest first, with the first solc of each."""

ROOTSTOCK_EVM = {"lovell": "cancun", "arrowhead": "shanghai", "papyrus": "istanbul"}
"""The EVM version with the opcodes of Rootstock since an upgrade, the newest first."""


@dataclass(frozen=True)
class Unit:
    """A source to be compiled: root of its project, its name, all texts by name, remappings."""

    root: Path
    name: str
    texts: Mapping[str, str]
    remappings: tuple[str, ...] = ()

    @property
    def is_vyper(self) -> bool:
        return self.name.endswith(VYPER_SUFFIXES)

    @property
    def pragmas(self) -> tuple[str, ...]:
        """The versions of solc that its sources want, each once."""
        found = (SOLIDITY_PRAGMA.findall(text) for text in self.texts.values())
        return tuple(dict.fromkeys(each.strip() for pragmas in found for each in pragmas))


def root_of(file: Path) -> Path:
    """The folder that names of sources begin at: of the project, else the working directory."""
    near = file.resolve().parents[:MAX_ANCESTORS]
    roots = (each for each in near if any((each / name).exists() for name in ROOTS))
    return next(roots, Path.cwd() if Path.cwd() in near else near[0])


def read_unit(root: Path, name: str, text: str | None = None) -> Unit:
    """A source, by its name or given as text, with all that it imports.

    Raises `ConfigError` for one that cannot be read, and for too many or too large ones.
    """
    is_vyper = name.endswith(VYPER_SUFFIXES)
    remappings = () if is_vyper else tuple(_remappings(root))
    packages = [Path(each) for each in sys.path if each.endswith("site-packages")]
    modules = [each / "node_modules" for each in (root, *root.parents)]

    def find(wanted: str) -> Path | None:
        bases = (root, *(packages if is_vyper else modules))
        return next((base / wanted for base in bases if (base / wanted).is_file()), None)

    texts: dict[str, str] = {}
    waiting, size = [name], 0
    while waiting:
        wanted = waiting.pop()
        if wanted in texts:
            continue
        is_given = text is not None and wanted == name
        content = str(text) if is_given else _read(find(wanted) or root / wanted, wanted)
        texts[wanted] = content
        size += len(content)
        if size > MAX_SOURCES_SIZE or len(texts) > MAX_SOURCES:
            raise ConfigError(f"{name} imports too many sources, or too large ones")
        of_solidity = _solidity_imports(wanted, content, remappings)
        imports = _vyper_imports(name, wanted, content) if is_vyper else of_solidity
        for names in imports:
            waiting += [each for each in names if each in texts or find(each)][:1]
    return Unit(root, name, texts, remappings)


def _read(file: Path, name: str) -> str:
    try:
        return read_file(file, MAX_SOURCE_SIZE).decode()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ConfigError(f"{name} cannot be read: {reason}") from None


# Solidity


def _solidity_imports(
    importing: str, text: str, remappings: Sequence[str]
) -> Iterator[Sequence[str]]:
    for match in SOLIDITY_IMPORT.finditer(text):
        path = match[1] or match[2]
        if path and path.startswith(("./", "../")):
            yield (posixpath.normpath(posixpath.join(posixpath.dirname(importing), path)),)
        elif path:
            yield (_remapped(importing, path, remappings),)


def _remapped(importing: str, path: str, remappings: Sequence[str]) -> str:
    # As solc chooses: the longest context, then the longest prefix, of equal ones the last.
    best, found = (-1, -1), path
    for remapping in remappings:
        before, _, target = remapping.partition("=")
        context, colon, prefix = before.rpartition(":")
        length = len(context), len(prefix)
        fits = path.startswith(prefix) and (not colon or importing.startswith(context))
        if fits and length >= best:
            best, found = length, target + path.removeprefix(prefix)
    return found


def _remappings(root: Path) -> Iterator[str]:
    written: list[Any] = []
    with suppress(OSError, ValueError, AttributeError):
        default = read_toml(root / "foundry.toml").get("profile", {}).get("default", {})
        written += default.get("remappings", [])
    with suppress(OSError, ValueError):
        written += read_file(root / REMAPPINGS, MAX_SOURCE_SIZE).decode().splitlines()
    yield from (line for each in written if "=" in (line := str(each).strip()) and line[0] != "#")


def is_accepted(version: Version, pragma: str) -> bool:
    """Whether a version is one of those that a pragma names: `^0.8.20`, `>=0.7 <0.9 || 0.6.x`."""
    return any(
        all(_meets(version, *part) for part in COMPARISON.findall(RANGE.sub(r">=\1 <=\2", each)))
        for each in pragma.split("||")
    )


def _meets(version: Version, operator: str, *written: str) -> bool:
    numbers = [int(number) for number in written if number.isdigit()]
    first: Version = (*numbers, 0, 0)[:3]  # type: ignore[assignment]  # three of at least three
    at = len(numbers) - 1  # a part that is not written may be any
    if operator == "^":
        at = next((place for place, number in enumerate(numbers) if number), at)
    elif operator == "~":
        at = min(at, 1)
    end = (*numbers[:at], numbers[at] + 1)
    results = {
        ">=": version >= first,
        ">": version >= end,
        "<": version < first,
        "<=": version < end,
    }
    return results.get(operator, first <= version < end)


# Vyper


def _vyper_imports(top: str, importing: str, text: str) -> Iterator[Sequence[str]]:
    for match in VYPER_IMPORT.finditer(text):
        dots, module, names = match[1] or "", match[2] or "", match[3].strip("() ")
        if dots:
            folders = [posixpath.join(posixpath.dirname(importing), *[".."] * (len(dots) - 1))]
        else:
            folders = [posixpath.dirname(top), ""]
        for name in names.split(","):
            dotted = f"{module}.{name.split()[0]}" if name.split() else module
            path = dotted.strip(".").replace(".", "/")
            whole = [posixpath.normpath(posixpath.join(folder, path)) for folder in folders]
            yield [each + suffix for suffix in VYPER_SUFFIXES for each in whole]


# Settings


def evm_version(hardfork: str) -> str:
    """The EVM version that has all opcodes of a hardfork, and no others."""
    if is_ethereum(hardfork):
        known = (each for each in EVM_SINCE if is_since(hardfork, each))
    else:
        known = (evm for first, evm in ROOTSTOCK_EVM.items() if is_since(hardfork, first))
    return next(known, "byzantium")


def standard_json(
    unit: Unit, evm: str, solc: Version | None, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """The compiler's input, with all outputs that places, coverage and storage need.

    `evm` is the newest EVM version to compile for. A solc that does not know it compiles for an
    older one by itself, as a source of Vyper that chooses one does.
    """
    output: dict[str, Any] = {"*": {"*": SOLC_OUTPUT, "": ["ast"]}}
    is_known = solc is not None and solc >= EVM_SINCE[evm]
    if unit.is_vyper:
        output = {name: ["ast"] for name in unit.texts} | {unit.name: VYPER_OUTPUT}
        is_known = not any(map(VYPER_EVM.search, unit.texts.values()))
        evm = evm if evm in {"cancun", "shanghai"} else "london"
    given = {"evmVersion": evm} if is_known else {}
    mapped = {"remappings": unit.remappings} if unit.remappings else {}
    return {
        "language": "Vyper" if unit.is_vyper else "Solidity",
        "sources": {name: {"content": text} for name, text in unit.texts.items()},
        "settings": {**given, **mapped, "outputSelection": output, **settings},
    }
