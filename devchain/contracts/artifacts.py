"""Compiled contracts: bytecode with placeholders, ABI, source map, sources; linking and merging.

`artifact_formats` makes them from the JSON of compilers and tools, `artifact_files` from files and
project folders. A library with external functions is deployed by itself, and contracts that use it
have its address in their code, for which compilers leave places:

    73 __$53aea86b7d70b31448b230b20ae141a537$__ 63 ...    PUSH20 of the library src/Lib.sol:Lib
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from eth_hash.auto import keccak

from devchain.contracts.abi import Abi
from devchain.errors import InvalidInput
from devchain.types import ADDRESS_SIZE

NO_BYTECODE = "it has no bytecode, as abstract contracts and interfaces have none"
SOURCE_SUFFIXES = (".sol", ".vy", ".vyi", ".yul")
VYPER_SUFFIXES = (".vy", ".vyi")
COMPILED = (".sol", ".vy")  # suffixes of the sources that devchain compiles
SOURCE_FILE = re.compile(r"(.*\.(?:sol|vy))(?::(\w+))?", re.ASCII)
"""Such a source with the name of a contract: `src/Pair.sol:Token`."""


INTEGRITY = "integrity:"  # prefix of a `digest` that is the integrity hash of vyper

INTEGRITY_HEAD = bytes.fromhex("855820")  # vyper's metadata since 0.4.1: five members, 32 bytes
SIZE_HEAD = bytes.fromhex("84")  # vyper's metadata in 0.3.10 and 0.4.0: CBOR of four members
CBOR_SIZES = {0x18: 1, 0x19: 2, 0x1A: 4}  # bytes of an integer behind its first one
MARGIN = 10**9  # nanoseconds that a source is newer than its artifact if it was changed later
MARK_SIZE = 36  # characters of a name in a mark; older compilers cut it there
HASH_DIGITS = 34

VYPER_IMPORT = re.compile(r"^\s*(?:from|import)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Link:
    """The place of an external library's address, 20 bytes, in code that is not linked.

    `library` is its full name (`src/Lib.sol:Lib`), else what the compiler wrote in the place.
    """

    library: str
    start: int


@dataclass(frozen=True, slots=True)
class Code:
    """Bytecode with placeholders: ranges (start, size) that a linker or constructor fills in.

    `source_map` has an entry for each instruction or, if `maps_bytes`, for each byte. With
    `guesses_immutables` every place where an immutable may be is a placeholder. `links` are the
    placeholders of libraries. `checks` are vyper's names of the checks that fail at an offset.
    """

    template: bytes = b""
    placeholders: tuple[tuple[int, int], ...] = ()
    source_map: str = ""
    links: tuple[Link, ...] = ()
    maps_bytes: bool = False
    guesses_immutables: bool = False
    checks: Mapping[int, str] = field(default_factory=dict, repr=False, compare=False)

    @property
    def is_linked(self) -> bool:
        return not self.links

    def matches(self, code: bytes) -> bool:
        """Whether deployed code is this bytecode, apart from placeholders and metadata."""
        if not self.template or len(code) != len(self.template):
            return False
        return self._masked(code) == self._masked(self.template)

    def is_start_of(self, init_code: bytes) -> bool:
        """Whether init code is this bytecode with arguments of the constructor behind it."""
        return self.matches(init_code[: len(self.template)])

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

    `sources` are those of the compilation by source id; `language` is `Solidity` or `Vyper`.
    `via_ir` (of Vyper: Venom) and `optimized` (True if unknown) decide how far its source map can
    be trusted. `project` is the root folder of its project and `file` the file it was read from,
    both empty if there is none; `modified` is when that file was written, in nanoseconds.
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
    storage_layout: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)
    project: str = field(default="", compare=False)
    file: str = field(default="", compare=False)
    modified: int = field(default=0, compare=False)
    digests: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """The sources that the compiler's metadata names, with their hashes; empty if not known."""

    @property
    def lacks_sources(self) -> bool:
        """Whether it was compiled of more sources than are known, as files of one source show."""
        return len(self.digests) > len(self.sources)

    def is_older(self, modified: int) -> bool:
        """Whether its file was written before a source was, at a time in nanoseconds."""
        return bool(self.modified) and modified > self.modified + MARGIN

    @property
    def deploys_other_code(self) -> bool:
        """Whether its runtime code is not in its creation code, so that other code is deployed."""
        return bool(self.creation.template) and self.runtime.template not in self.creation.template

    @property
    def path(self) -> str:
        """The full name, `contracts/Vault.sol:Vault`; of an unknown source its file."""
        return f"{self.source}:{self.name}" if self.source else self.file or self.name

    def to_json(self) -> dict[str, Any]:
        """Name, ABI and code, in the form of Hardhat's artifacts; without sources and their map."""
        return {
            "contractName": self.name,
            "sourceName": self.source,
            "abi": self.abi.to_json(),
            "bytecode": f"0x{self.creation.template.hex()}",
            "deployedBytecode": f"0x{self.runtime.template.hex()}",
            "linkReferences": link_references(self.creation),
            "deployedLinkReferences": link_references(self.runtime),
        }

    def matches_code(self, code: bytes) -> bool:
        if self.runtime.matches(code):
            return True
        template = self.runtime.template  # Vyper appends immutables to the code
        return self.language == "Vyper" and bool(template) and code.startswith(template)

    def is_same_compilation(self, other: Artifact) -> bool:
        return all(
            one.template == two.template
            for one, two in ((self.creation, other.creation), (self.runtime, other.runtime))
            if one.template and two.template
        )

    def is_equivalent(self, other: Artifact) -> bool:
        """Whether it makes no difference which of both is deployed or called.

        The metadata at the end of the code, a hash of the sources and settings, may differ.
        """
        return (
            _same_apart_from_metadata(self.creation, other.creation)
            and _same_apart_from_metadata(self.runtime, other.runtime)
            and set(self.abi.entries) == set(other.abi.entries)
        )

    def merge(self, other: Artifact) -> Artifact:
        """This artifact with what only the other has, both being of the same compilation."""
        # The ids in a source map are those of its own sources.
        best, rest = (other, self) if other._detail > self._detail else (self, other)
        return replace(
            best,
            name=self.name,
            source=self.source or other.source,
            abi=self.abi if self.abi.entries else other.abi,
            creation=_merge_code(best.creation, rest.creation),
            runtime=_merge_code(best.runtime, rest.runtime),
            storage_layout=best.storage_layout or rest.storage_layout,
            project=self.project or other.project,
            file=self.file or other.file,
            modified=self.modified if self.file else other.modified,
            digests=self.digests or other.digests,
        )

    @property
    def _detail(self) -> tuple[int, int, int]:
        sources = self.sources.values()
        return (
            bool(self.runtime.source_map or self.creation.source_map),
            sum(1 for source in sources if source.text),
            len(sources),
        )


@dataclass(frozen=True, slots=True)
class Source:
    """A source file: path as in the compiler's input, and text if known.

    `digest` is the hash of the text that was compiled, if known: keccak-256 of solc (`0x..`),
    SHA-256 of vyper, or vyper's hash of the text and of all that it imports (`integrity:..`).
    `modified` is when the file was written, in nanoseconds, if the text was read from it and there
    is no digest to compare it with; else 0.
    """

    path: str
    text: str = ""
    digest: str = ""
    modified: int = field(default=0, compare=False)

    def is_text(self, text: str) -> bool | None:
        """Whether that is the text that was compiled; None without a digest of this text alone.

        The integrity hash of a contract that imports others is of all of them.
        """
        if not self.digest:
            return None
        content = text.encode(errors="surrogatepass")
        if self.digest.startswith("0x"):
            return "0x" + keccak(content).hex() == self.digest.lower()
        as_read = content.replace(b"\r\n", b"\n")  # vyper reads files as text
        hashes = {sha256(text_bytes).hexdigest() for text_bytes in (content, as_read)}
        if not self.digest.startswith(INTEGRITY):
            return self.digest.lower() in hashes
        if VYPER_IMPORT.search(text):
            return None
        sums = {sha256(each.encode()).hexdigest() for each in hashes}
        return self.digest.removeprefix(INTEGRITY) in sums


def link_references(code: Code) -> dict[str, dict[str, list[dict[str, int]]]]:
    """The places of libraries: `{"src/Lib.sol": {"Lib": [{"start": 12, "length": 20}]}}`."""
    found: dict[str, dict[str, list[dict[str, int]]]] = {}
    for link in code.links:
        path, _, name = link.library.rpartition(":")
        places = found.setdefault(path, {}).setdefault(name, [])
        places.append({"start": link.start, "length": ADDRESS_SIZE})
    return found


def metadata_range(code: bytes) -> tuple[int, int]:
    """Start and size of the compiler's metadata at the end of code; size 0 if there is none."""
    size = int.from_bytes(code[-2:], "big") + 2
    start = len(code) - size
    is_map = 0 <= start < len(code) and code[start] >> 4 == 0xA  # CBOR: a map of few entries
    return (start, size) if is_map else (len(code), 0)


def integrity_digest(code: bytes) -> str:
    """The `digest` of a source in the creation code that vyper made of it; empty if it has none.

    Vyper appends CBOR: [integrity hash, size of the runtime code, sizes of data sections, size of
    immutables, {"vyper": [0, 4, 3]}], and its size. Vyper before 0.4.1 writes no hash.
    """
    metadata = _vyper_metadata(code)
    start = len(INTEGRITY_HEAD)
    hashed = metadata[start : start + 32]
    return INTEGRITY + hashed.hex() if metadata.startswith(INTEGRITY_HEAD) else ""


def _vyper_metadata(creation: bytes) -> bytes:
    size = int.from_bytes(creation[-2:], "big")
    return creation[-size:] if size else b""


def deployed_code(creation: Code, runtime: Code) -> Code:
    """The code that vyper's creation code deploys: that is not always what it says it is.

    With Venom `deployedBytecode` is generated apart from `bytecode`, and differs in some contracts.
    The one deployed is a part of the creation code, before the metadata, which has its size.
    """
    whole = creation.template
    if not runtime.template or not whole or runtime.template in whole:
        return runtime
    size, end = _deployed_size(whole), len(whole) - int.from_bytes(whole[-2:], "big")
    start = end - size
    if not size or start < 0:
        return runtime
    inside = [
        placeholder
        for placeholder in creation.placeholders
        if start <= placeholder[0] and sum(placeholder) <= end
    ]
    entries = creation.source_map.split(";") if creation.maps_bytes else []
    checks = {offset - start: name for offset, name in creation.checks.items() if offset >= start}
    return replace(
        creation,
        template=whole[start:end],
        placeholders=tuple((first - start, length) for first, length in inside),
        source_map=";".join(entries[start:end]),
        links=(),
        checks=checks,
    )


def _deployed_size(creation: bytes) -> int:
    metadata = _vyper_metadata(creation)
    if metadata.startswith(INTEGRITY_HEAD):
        rest = metadata[len(INTEGRITY_HEAD) + 32 :]
    elif metadata.startswith(SIZE_HEAD):
        rest = metadata[len(SIZE_HEAD) :]
    else:
        return 0
    length = CBOR_SIZES.get(rest[0], 0) if rest else 0
    return int.from_bytes(rest[1 : 1 + length], "big") if length else rest[0] if rest else 0


def _merge_code(best: Code, rest: Code) -> Code:
    if not best.template:
        return replace(rest, source_map="")
    if best.guesses_immutables and rest.template and not rest.guesses_immutables:
        return replace(best, placeholders=rest.placeholders, guesses_immutables=False)
    return best


def _same_apart_from_metadata(one: Code, two: Code) -> bool:
    return one.template == two.template or one.matches(two.template)


# Libraries


def library_hash(full_name: str) -> str:
    """What solc since 0.5 writes for a library in marks: `$`, digits of the name's hash, `$`."""
    return f"${keccak(full_name.encode(errors='surrogatepass')).hex()[:HASH_DIGITS]}$"


def mark_name(name: str) -> str:
    """What older compilers and tools write for a library in marks: its name, if need be cut."""
    return name[:MARK_SIZE].rstrip("_")


def missing_libraries(artifact: Artifact) -> list[str]:
    """The libraries whose addresses a contract has to get, in the order of their places."""
    return list(dict.fromkeys(link.library for link in artifact.creation.links))


def short_names(libraries: Sequence[str]) -> list[str]:
    """Names by which callers may give libraries, as short as they can be: `Lib`."""
    last = [library.rpartition(":")[2] for library in libraries]
    return [
        name if last.count(name) == 1 else full for name, full in zip(last, libraries, strict=True)
    ]


def linked_code(
    artifact: Artifact, libraries: Mapping[str, bytes], option: Callable[[Sequence[str]], str]
) -> bytes:
    """The creation code of a contract with the addresses of its libraries: `Lib`, `Lib.sol:Lib`.

    Raises `InvalidInput` for those that lack, then with `option` of their names as what to give,
    and for those that are not the contract's.
    """
    wanted = missing_libraries(artifact)
    found: dict[str, bytes] = {}
    for name, address in libraries.items():
        meant = [each for each in wanted if _is_meant(name, each)]
        if len(meant) != 1:
            raise InvalidInput(_unclear(artifact, name, meant, wanted))
        if meant[0] in found:
            raise InvalidInput(f"the library {meant[0]} of {artifact.name} was given twice")
        found[meant[0]] = address
    if lacking := [each for each in wanted if each not in found]:
        several = len(lacking) > 1
        raise InvalidInput(
            f"{artifact.name} cannot be deployed without its "
            f"{'libraries' if several else 'library'} {' and '.join(lacking)}: deploy "
            f"{'those' if several else 'that'} first, then give "
            f"{'their addresses' if several else 'its address'}, {option(short_names(lacking))}"
        )
    code = bytearray(artifact.creation.template)
    for link in artifact.creation.links:
        code[link.start : link.start + ADDRESS_SIZE] = found[link.library]
    return bytes(code)


def _is_meant(name: str, library: str) -> bool:
    last, given = library.rpartition(":")[2], name.rpartition(":")[2]
    if library in (name, name.strip("_"), library_hash(name), mark_name(name), mark_name(given)):
        return True
    return f"/{library}".endswith(f"/{name}") if ":" in name else last == given


def _unclear(artifact: Artifact, name: str, meant: Sequence[str], wanted: Sequence[str]) -> str:
    if meant:
        return f"{name} means several libraries of {artifact.name}: give {' or '.join(meant)}"
    if not wanted:
        return f"{artifact.name} needs no library {name}: its code has no place for one"
    return f"{artifact.name} needs no library {name}, but {' and '.join(wanted)}"
