"""Artifacts: what compilers write about a contract, read from the files of the common tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from devchain.contracts.abi import Abi
from devchain.contracts.syntax_tree import Outline, outline
from devchain.errors import ConfigError, InvalidInput

LARGEST_FILE = 256 * 2**20
ADDRESS_SIZE = 20
WORD = 32
APART = ".output.json"
CALL_PROTECTION = bytes([0x73]) + bytes(ADDRESS_SIZE) + bytes([0x30, 0x14])
"""How a library's code begins, which gets its own address when it is deployed."""
PUSHED_ZERO = bytes([0x7F]) + bytes(WORD)
MALFORMED = (InvalidInput, KeyError, TypeError, ValueError, AttributeError)
PLACEHOLDER = "__"
"""How solc marks the place of a library's address in hex."""


@dataclass(frozen=True, slots=True)
class Code:
    """Bytecode with holes: ranges filled in later, by a linker or a constructor.

    `source_map` is the compiler's, empty if it gave none: an entry for each instruction or, if
    `maps_bytes`, for each byte.
    """

    template: bytes = b""
    holes: tuple[tuple[int, int], ...] = ()
    source_map: str = ""
    is_linked: bool = True
    maps_bytes: bool = False

    def matches(self, code: bytes) -> bool:
        """Whether deployed code is this template with its holes filled."""
        if not self.template or len(code) != len(self.template):
            return False
        return self._masked(code) == self._masked(self.template)

    def has_metadata_of(self, code: bytes) -> bool:
        """Whether code that begins like this one has the same metadata: then so are the sources."""
        start, size = metadata_range(self.template)
        return self.template[start : start + size] == code[start : start + size]

    def _masked(self, code: bytes) -> bytes:
        masked = bytearray(code)
        for start, size in (*self.holes, metadata_range(self.template)):
            masked[start : start + size] = bytes(size)
        return bytes(masked)


@dataclass(frozen=True, slots=True)
class Artifact:
    """A contract as it was compiled: name, source, ABI and code.

    `sources` has the texts of its compilation by source id where the file had them; `language` is
    `Solidity` or `Vyper`. Code compiled `via_ir` may run a part of a statement before its turn;
    unless it is known not to be `optimized`, like parts of it may have been made one.
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

    def is_at(self, code: bytes) -> bool:
        """Whether that deployed code is of this contract."""
        if self.runtime.matches(code):
            return True
        template = self.runtime.template  # Vyper puts immutables behind the code
        return self.language == "Vyper" and bool(template) and code.startswith(template)


@dataclass(frozen=True, slots=True)
class Source:
    """One source file: its path as the compiler knew it, its text and its outline if known."""

    path: str
    text: str = ""
    outline: Outline | None = None


def metadata_range(code: bytes) -> tuple[int, int]:
    """Where the compiler's metadata ends the code (start, size); empty if there is none."""
    size = int.from_bytes(code[-2:], "big") + 2
    start = len(code) - size
    is_map = 0 <= start < len(code) and code[start] >> 4 == 0xA  # CBOR: a map of few entries
    return (start, size) if is_map else (len(code), 0)


def load_artifacts(path: Path, *, outlined: bool = False) -> list[Artifact]:
    """The artifacts in a file, or in the JSON files below a folder; raises `ConfigError`.

    Reads what Hardhat (artifacts and build-info), Foundry, solc and vyper (standard JSON) write,
    and any object with an `abi`. In a folder files of other kinds are passed over. Sources get
    their outlines, which takes some time, only if asked for.
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
    written = _json(path)
    given = path.with_name(path.name.removesuffix(APART) + ".json")
    if path.name.endswith(APART) and isinstance(written, dict) and given.is_file():
        compiled = _json(given)  # Hardhat 3 keeps what it gave the compiler in a file of its own
        written = {"input": compiled.get("input") if isinstance(compiled, dict) else None} | written
    yield from parse_artifacts(written, outlined=outlined)


def _json(path: Path) -> Any:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ConfigError(f"{path} is larger than {LARGEST_FILE >> 20} MiB")
        return orjson.loads(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise ConfigError(f"{path} is not JSON: {error}") from None


def parse_artifacts(written: Any, *, outlined: bool = False) -> list[Artifact]:
    """The artifacts in what a tool wrote; none if it is something else."""
    try:
        return list(_found(written, outlined=outlined)) if isinstance(written, dict) else []
    except MALFORMED:
        return []


def _found(written: Mapping[str, Any], *, outlined: bool) -> Iterator[Artifact]:
    output = written.get("output")
    if isinstance(output, dict) and "contracts" in output:  # Hardhat's and Foundry's build-info
        yield from _standard(output, written.get("input"), outlined=outlined)
    elif isinstance(written.get("contracts"), dict):
        yield from _standard(written, None, outlined=outlined)
    elif isinstance(written.get("abi"), list):
        yield from _tried(_single, written, outlined)


def _tried(reader: Any, *given: Any) -> Iterator[Artifact]:
    """What the reader makes of it; nothing if the object only looked like an artifact."""
    try:
        yield reader(*given)
    except MALFORMED:
        return


def _single(written: Mapping[str, Any], outlined: bool) -> Artifact:  # noqa: FBT001  # see _tried
    """An artifact of one contract: Hardhat's, Foundry's, or bare abi and bytecode."""
    creation = written.get("bytecode", "")
    runtime = written.get("deployedBytecode", "")
    target = written.get("metadata")
    settings = target.get("settings", {}) if isinstance(target, dict) else {}
    compiled: Mapping[str, str] = settings.get("compilationTarget", {})
    path, name = next(iter(compiled.items()), ("", ""))
    links = {"linkReferences": written.get("linkReferences", {})}
    deployed = {"linkReferences": written.get("deployedLinkReferences", {})}
    source = str(written.get("sourceName") or path)
    number = written.get("id")  # Foundry's: of the source that the contract is in
    tree = outline(written.get("ast")) if outlined else None
    return Artifact(
        name=str(written.get("contractName") or written.get("name") or name or "Contract"),
        abi=Abi.from_json(written["abi"]),
        source=source,
        creation=_code(creation if isinstance(creation, dict) else links | {"object": creation}),
        runtime=_code(runtime if isinstance(runtime, dict) else deployed | {"object": runtime}),
        sources={number: Source(source, outline=tree)} if isinstance(number, int) else {},
        via_ir=settings.get("viaIR") is True,
        optimized=_is_optimized(settings),
    )


def _standard(output: Mapping[str, Any], given: Any, *, outlined: bool) -> Iterator[Artifact]:
    """The contracts of a compiler's standard JSON output."""
    asked = given if isinstance(given, dict) else {}
    listed = output.get("sources")
    sources = dict(
        _sources(
            listed if isinstance(listed, dict) else {}, asked.get("sources"), outlined=outlined
        )
    )
    settings = asked.get("settings")
    settings = settings if isinstance(settings, dict) else {}
    for path, contracts in output["contracts"].items():
        for name, contract in contracts.items() if isinstance(contracts, dict) else ():
            yield from _tried(_compiled, path, name, contract, sources, settings)


def _sources(
    listed: Mapping[str, Any], texts: Any, *, outlined: bool
) -> Iterator[tuple[int, Source]]:
    for path, described in listed.items():
        given = texts.get(path) if isinstance(texts, dict) else None
        content = given.get("content", "") if isinstance(given, dict) else ""
        if isinstance(described, dict) and isinstance(described.get("id"), int):
            tree = outline(described.get("ast")) if outlined else None
            yield described["id"], Source(str(path), str(content), tree)


def _compiled(
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
        creation=_code(evm.get("bytecode", {})),
        runtime=_code(evm.get("deployedBytecode", {})),
        language="Vyper" if is_vyper else "Solidity",
        sources=sources,
        via_ir=settings.get("viaIR") is True,
        optimized=not is_vyper and _is_optimized(settings),
    )


def _is_optimized(settings: Mapping[str, Any]) -> bool:
    """Whether solc's optimizer was on, or may have been: settings that are missing say nothing."""
    optimizer = settings.get("optimizer", {})
    if not settings or not isinstance(optimizer, dict):
        return True
    return bool(optimizer.get("enabled") or optimizer.get("details"))


def _code(described: Mapping[str, Any]) -> Code:
    digits = str(described.get("object") or "").removeprefix("0x")
    template = _bytes(digits)
    holes = [*_links(described.get("linkReferences")), *_immutables(described, template)]
    if template.startswith(CALL_PROTECTION):
        holes.append((1, ADDRESS_SIZE))
    is_linked = PLACEHOLDER not in digits
    source_map = described.get("sourceMap")
    maps_bytes = isinstance(source_map, dict)  # Vyper's since 0.4, which has more in it
    if isinstance(source_map, dict):
        source_map = source_map.get("pc_pos_map_compressed", "")
    return Code(template, tuple(holes), str(source_map or ""), is_linked, maps_bytes)


def _bytes(digits: str) -> bytes:
    """The bytes of hex in which the places of library addresses may be marked."""
    parts = digits.split(PLACEHOLDER)
    if len(parts) == 1:
        return bytes.fromhex(digits)
    blank = []
    for place in range(0, len(digits), 2):
        pair = digits[place : place + 2]
        blank.append(pair if all(each in "0123456789abcdefABCDEF" for each in pair) else "00")
    return bytes.fromhex("".join(blank))


def _links(references: Any) -> Iterator[tuple[int, int]]:
    for libraries in (references or {}).values():
        for places in libraries.values():
            yield from ((each["start"], each.get("length", ADDRESS_SIZE)) for each in places)


def _immutables(described: Mapping[str, Any], template: bytes) -> Iterator[tuple[int, int]]:
    """Where immutables go; a file that does not say has them as pushes of 32 zero bytes."""
    references = described.get("immutableReferences")
    for places in (references or {}).values():
        yield from ((each["start"], each["length"]) for each in places)
    place = template.find(PUSHED_ZERO) if references is None else -1
    while place >= 0:
        yield place + 1, WORD
        place = template.find(PUSHED_ZERO, place + 1 + WORD)
