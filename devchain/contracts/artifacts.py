"""Compiler artifacts from Hardhat, Foundry, solc and vyper: ABI, bytecode, source map, sources."""

from __future__ import annotations

import json
import string
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from devchain.contracts.abi import Abi
from devchain.contracts.syntax_tree import Outline, outline
from devchain.errors import ConfigError, InvalidInput

MAX_FILE_SIZE = 256 * 2**20
ADDRESS_SIZE = 20
WORD = 32
OUTPUT_SUFFIX = ".output.json"
"""Suffix of Hardhat 3's build-info files of compiler output; the input is in another file."""

CALL_PROTECTION = bytes([0x73]) + bytes(ADDRESS_SIZE) + bytes([0x30, 0x14])
"""Start of a library's code: PUSH20 of its address (filled in when deployed), ADDRESS, EQ."""

PUSHED_ZERO = bytes([0x7F]) + bytes(WORD)
"""PUSH32 of zero, in which an immutable may be."""

MALFORMED = (InvalidInput, KeyError, TypeError, ValueError, AttributeError)
HEX_DIGITS = frozenset(string.hexdigits)
PLACEHOLDER = "__"
"""What solc writes in place of hex digits where the address of a library goes."""


@dataclass(frozen=True, slots=True)
class Code:
    """Bytecode with placeholders: ranges (start, size) that a linker or constructor fills in.

    `source_map` is empty if the artifact has none; it has an entry for each instruction or, if
    `maps_bytes`, for each byte.
    """

    template: bytes = b""
    placeholders: tuple[tuple[int, int], ...] = ()
    source_map: str = ""
    is_linked: bool = True
    maps_bytes: bool = False

    def matches(self, code: bytes) -> bool:
        """Whether deployed code is this bytecode, apart from placeholders and metadata."""
        if not self.template or len(code) != len(self.template):
            return False
        return self._masked(code) == self._masked(self.template)

    def has_metadata_of(self, code: bytes) -> bool:
        """Whether code that starts like this has the same metadata, hence the same sources."""
        start, size = metadata_range(self.template)
        return self.template[start : start + size] == code[start : start + size]

    def _masked(self, code: bytes) -> bytes:
        masked = bytearray(code)
        for start, size in (*self.placeholders, metadata_range(self.template)):
            masked[start : start + size] = bytes(size)
        return bytes(masked)


@dataclass(frozen=True, slots=True)
class Artifact:
    """A compiled contract: name, path of its source, ABI, creation code and runtime code.

    `sources` are the sources of the compilation by source id; `language` is `Solidity` or `Vyper`.
    `via_ir` and `optimized` are the compiler settings that decide how far its source map can be
    trusted (see `coverage`); `optimized` is True if unknown.
    """

    name: str
    abi: Abi
    source: str = ""
    creation: Code = Code()
    runtime: Code = Code()
    language: str = "Solidity"
    sources: Mapping[int, Source] = field(default_factory=dict, repr=False)
    via_ir: bool = False
    optimized: bool = True

    def matches_code(self, code: bytes) -> bool:
        """Whether deployed code is of this contract."""
        if self.runtime.matches(code):
            return True
        template = self.runtime.template  # Vyper appends immutables to the code
        return self.language == "Vyper" and bool(template) and code.startswith(template)


@dataclass(frozen=True, slots=True)
class Source:
    """A source file: path as in the compiler's input, text if known, outline of its syntax tree."""

    path: str
    text: str = ""
    outline: Outline | None = None


def metadata_range(code: bytes) -> tuple[int, int]:
    """Start and size of the compiler's metadata at the end of code; size 0 if there is none."""
    size = int.from_bytes(code[-2:], "big") + 2
    start = len(code) - size
    is_map = 0 <= start < len(code) and code[start] >> 4 == 0xA  # CBOR: a map of few entries
    return (start, size) if is_map else (len(code), 0)


def load_artifacts(path: Path, *, outlined: bool = False) -> list[Artifact]:
    """Read the artifacts in a file, or in the JSON files below a folder; raises `ConfigError`.

    Reads files of Hardhat (artifacts and build-info), Foundry, solc and vyper (standard JSON), and
    any object with an `abi`. Other files in a folder are skipped. `outlined` adds the outlines of
    the sources, which coverage needs and which take time.
    """
    if not path.exists():
        raise ConfigError(f"there are no artifacts at {path}: no such file or folder")
    if path.is_file():
        found = list(_read_file(path, outlined=outlined))
        if not found:
            raise ConfigError(f"{path} holds no contract: want an artifact with an abi")
        return found
    files = sorted(each for each in path.rglob("*.json") if "node_modules" not in each.parts)
    return [
        artifact
        for each in files
        if each.is_file()
        for artifact in _read_file(each, outlined=outlined)
    ]


def _read_file(path: Path, *, outlined: bool) -> Iterator[Artifact]:
    written = _read_json(path)
    input_path = path.with_name(path.name.removesuffix(OUTPUT_SUFFIX) + ".json")
    if path.name.endswith(OUTPUT_SUFFIX) and isinstance(written, dict) and input_path.is_file():
        compiled = _read_json(input_path)
        written = {"input": compiled.get("input") if isinstance(compiled, dict) else None} | written
    yield from parse_artifacts(written, outlined=outlined)


def _read_json(path: Path) -> Any:
    try:
        if path.stat().st_size > MAX_FILE_SIZE:
            raise ConfigError(f"{path} is larger than {MAX_FILE_SIZE >> 20} MiB")
        return orjson.loads(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise ConfigError(f"{path} is not JSON: {error}") from None


def parse_artifacts(written: Any, *, outlined: bool = False) -> list[Artifact]:
    """The artifacts in decoded JSON of a compiler or tool; an empty list if it has none."""
    if not isinstance(written, dict):
        return []
    try:
        return list(_find_artifacts(written, outlined=outlined))
    except MALFORMED:
        return []


def _find_artifacts(written: Mapping[str, Any], *, outlined: bool) -> Iterator[Artifact]:
    output = written.get("output")
    if isinstance(output, dict) and "contracts" in output:  # Hardhat's and Foundry's build-info
        yield from _parse_standard_json(output, written.get("input"), outlined=outlined)
    elif isinstance(written.get("contracts"), dict):
        yield from _parse_standard_json(written, None, outlined=outlined)
    elif isinstance(written.get("abi"), list):
        yield _parse_single(written, outlined=outlined)


def _parse_single(written: Mapping[str, Any], *, outlined: bool) -> Artifact:
    """Parse an artifact of one contract: Hardhat's, Foundry's, or a bare ABI with bytecode."""
    creation = written.get("bytecode", "")
    runtime = written.get("deployedBytecode", "")
    metadata = written.get("metadata")
    settings = metadata.get("settings", {}) if isinstance(metadata, dict) else {}
    compiled: Mapping[str, str] = settings.get("compilationTarget", {})
    path, name = next(iter(compiled.items()), ("", ""))
    if not isinstance(creation, dict):  # Hardhat's
        creation = {"object": creation, "linkReferences": written.get("linkReferences", {})}
    if not isinstance(runtime, dict):
        links = written.get("deployedLinkReferences", {})
        runtime = {"object": runtime, "linkReferences": links}
    source = str(written.get("sourceName") or path)
    source_id = written.get("id")  # Foundry's
    tree = outline(written.get("ast")) if outlined else None
    return Artifact(
        name=str(written.get("contractName") or written.get("name") or name or "Contract"),
        abi=Abi.from_json(written["abi"]),
        source=source,
        creation=_parse_code(creation),
        runtime=_parse_code(runtime),
        sources={source_id: Source(source, outline=tree)} if isinstance(source_id, int) else {},
        via_ir=settings.get("viaIR") is True,
        optimized=_is_optimized(settings),
    )


def _parse_standard_json(
    output: Mapping[str, Any], compiler_input: Any, *, outlined: bool
) -> Iterator[Artifact]:
    """Parse the contracts of a compiler's standard JSON output."""
    given = compiler_input if isinstance(compiler_input, dict) else {}
    compiled = output.get("sources")
    sources = dict(
        _parse_sources(
            compiled if isinstance(compiled, dict) else {}, given.get("sources"), outlined=outlined
        )
    )
    settings = given.get("settings")
    settings = settings if isinstance(settings, dict) else {}
    for path, contracts in output["contracts"].items():
        for name, contract in contracts.items() if isinstance(contracts, dict) else ():
            with suppress(*MALFORMED):
                yield _parse_contract(path, name, contract, sources, settings)


def _parse_sources(
    compiled: Mapping[str, Any], texts: Any, *, outlined: bool
) -> Iterator[tuple[int, Source]]:
    for path, described in compiled.items():
        given = texts.get(path) if isinstance(texts, dict) else None
        content = given.get("content", "") if isinstance(given, dict) else ""
        if isinstance(described, dict) and isinstance(described.get("id"), int):
            tree = outline(described.get("ast")) if outlined else None
            yield described["id"], Source(str(path), str(content), tree)


def _parse_contract(
    path: str,
    name: str,
    contract: Mapping[str, Any],
    sources: Mapping[int, Source],
    settings: Mapping[str, Any],
) -> Artifact:
    evm = contract.get("evm", {})
    is_vyper = path.endswith((".vy", ".vyi"))
    return Artifact(
        name=name,
        abi=Abi.from_json(contract["abi"]),
        source=path,
        creation=_parse_code(evm.get("bytecode", {})),
        runtime=_parse_code(evm.get("deployedBytecode", {})),
        language="Vyper" if is_vyper else "Solidity",
        sources=sources,
        via_ir=settings.get("viaIR") is True,
        optimized=not is_vyper and _is_optimized(settings),
    )


def _is_optimized(settings: Mapping[str, Any]) -> bool:
    """Whether solc's optimizer was on; True if the settings are missing."""
    optimizer = settings.get("optimizer", {})
    if not settings or not isinstance(optimizer, dict):
        return True
    return bool(optimizer.get("enabled") or optimizer.get("details"))


def _parse_code(described: Mapping[str, Any]) -> Code:
    digits = str(described.get("object") or "").removeprefix("0x")
    template = _decode_hex(digits)
    placeholders = [
        *_library_ranges(described.get("linkReferences")),
        *_immutable_ranges(described, template),
    ]
    if template.startswith(CALL_PROTECTION):
        placeholders.append((1, ADDRESS_SIZE))
    is_linked = PLACEHOLDER not in digits
    source_map = described.get("sourceMap")
    maps_bytes = isinstance(source_map, dict)  # vyper since 0.4
    if isinstance(source_map, dict):
        source_map = source_map.get("pc_pos_map_compressed", "")
    return Code(template, tuple(placeholders), str(source_map or ""), is_linked, maps_bytes)


def _decode_hex(digits: str) -> bytes:
    """Decode hex; digits in which library addresses are marked become zero."""
    parts = digits.split(PLACEHOLDER)
    if len(parts) == 1:
        return bytes.fromhex(digits)
    pairs = (digits[start : start + 2] for start in range(0, len(digits), 2))
    return bytes.fromhex("".join(each if set(each) <= HEX_DIGITS else "00" for each in pairs))


def _library_ranges(references: Any) -> Iterator[tuple[int, int]]:
    for libraries in (references or {}).values():
        for ranges in libraries.values():
            yield from ((each["start"], each.get("length", ADDRESS_SIZE)) for each in ranges)


def _immutable_ranges(described: Mapping[str, Any], template: bytes) -> Iterator[tuple[int, int]]:
    """Ranges of immutables; without references (Hardhat), every PUSH32 of zero may be one."""
    references = described.get("immutableReferences")
    for ranges in (references or {}).values():
        yield from ((each["start"], each["length"]) for each in ranges)
    found = template.find(PUSHED_ZERO) if references is None else -1
    while found >= 0:
        yield found + 1, WORD
        found = template.find(PUSHED_ZERO, found + 1 + WORD)
