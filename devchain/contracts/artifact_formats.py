"""The JSON of compilers and tools, parsed to artifacts.

| written by | form |
| --- | --- |
| solc, vyper | standard JSON output, alone or as `output` beside its `input` (build-info) |
| solc, vyper | combined JSON (`--combined-json`, `-f combined_json`) |
| Hardhat 2 and 3, Foundry, Truffle, Brownie, ape | one contract a file |
| ape | a manifest (EthPM 3) with many contracts |
| others | any object with an `abi`, with or without bytecode |

Everything in them may be hostile: a part of the wrong type leaves its contract out.

`build_info` writes one contract in the form of Hardhat's build-info.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import orjson

from devchain.contracts.abi import ENTRY_KINDS, Abi
from devchain.contracts.artifacts import (
    VYPER_SUFFIXES,
    Artifact,
    Code,
    Link,
    Source,
    deployed_code,
    integrity_digest,
    library_hash,
    link_references,
    mark_name,
)
from devchain.contracts.source_map import map_entries, source_ids
from devchain.contracts.source_parser import vyper_structs
from devchain.contracts.sources import texts_of
from devchain.contracts.storage_names import STRUCTS
from devchain.errors import InvalidInput
from devchain.evm.opcodes import walk
from devchain.text import printable, shorten
from devchain.types import ADDRESS_SIZE, WORD_SIZE

UNNAMED = "Contract"
MAX_MESSAGE = 300  # characters of a compiler's message in an error

CALL_PROTECTION = bytes([0x73]) + bytes(ADDRESS_SIZE) + bytes([0x30, 0x14])
"""Start of a library's code: PUSH20 of its address (filled in when deployed), ADDRESS, EQ."""

PUSHED_ZERO = re.compile(rb"\x7f\0{32}")  # PUSH32 of zero, in which an immutable may be
MALFORMED = (InvalidInput, LookupError, TypeError, ValueError, AttributeError, RecursionError)
HEX_DIGITS = frozenset(string.hexdigits)
MARK = "__"  # how the 40 characters begin that compilers write where the address of a library goes
TRUFFLE_ROOT = re.compile("project:/+")
HARDHAT_ROOT = "project/"  # of the project, in Hardhat 3; Truffle has it in paths of sources
Rename = Callable[[str], str]  # the tool's path by that in the compiler's input


def parse_artifacts(written: Any, name: str = UNNAMED) -> list[Artifact]:
    """The artifacts in decoded JSON of a compiler or tool; an empty list if it has none.

    `name` is that of a contract whose JSON has none.
    """
    if not isinstance(written, dict):
        return []
    try:
        return list(_find_artifacts(written, name))
    except MALFORMED:
        return []


def why_malformed(written: Any) -> str | None:
    """What is wrong with JSON in one of these formats that holds no artifact; None if it is not."""
    if not isinstance(written, dict):
        return None
    try:
        list(_find_artifacts(written, ""))
    except KeyError as error:
        return f"{error} is missing"
    except MALFORMED as error:
        return str(error)
    return None


def first_error(written: Any) -> str:
    """The first error that a compiler wrote in its standard JSON, with its file; empty if none."""
    output = written.get("output", written) if isinstance(written, dict) else None
    errors = output.get("errors") if isinstance(output, dict) else None
    for error in errors if isinstance(errors, list) else ():
        if isinstance(error, dict) and error.get("severity") == "error":
            message = " ".join(str(error.get("message", "")).split())
            location = error.get("sourceLocation")
            file = location.get("file", "") if isinstance(location, dict) else ""
            where = f"{file}: " if file else ""
            text = f"{where}{error.get('type', 'error')}: {message}".removesuffix(": ")
            return printable(shorten(text, MAX_MESSAGE))
    return ""


def parse_abi(written: Any, name: str) -> list[Artifact]:
    """An artifact of a bare ABI, a JSON list; an empty list if it is none."""
    if not isinstance(written, list) or not written:
        return []
    if not all(isinstance(entry, dict) and entry.get("type") in ENTRY_KINDS for entry in written):
        return []
    with suppress(*MALFORMED):
        return [Artifact(name, Abi.from_json(written))]
    return []


def _find_artifacts(written: Mapping[str, Any], name: str) -> Iterator[Artifact]:
    output = written.get("output")
    contracts = written.get("contracts")
    if isinstance(output, dict) and "contracts" in output:  # Hardhat's and Foundry's build-info
        names = _mapping(written.get("userSourceNameMap"))
        given = written.get("input")
        yield from _parse_standard_json(output, given, names)
    elif isinstance(contracts, dict) and any(
        not {"abi", "bin"}.isdisjoint(_mapping(contract)) for contract in contracts.values()
    ):  # not by file
        yield from _parse_solc_combined(written, contracts)
    elif isinstance(contracts, dict):
        yield from _parse_standard_json(written, None, {})
    elif isinstance(written.get("contractTypes"), dict):  # ape's manifest
        yield from _parse_manifest(written)
    elif isinstance(written.get("abi"), (list, str)):
        yield _parse_single(written, name)
    elif isinstance(written.get("version"), str):
        yield from _parse_vyper_combined(written)


# One contract in an object


def _parse_single(written: Mapping[str, Any], name: str) -> Artifact:
    metadata = _metadata(written.get("metadata"))
    settings = _mapping(metadata.get("settings"))
    target = _mapping(settings.get("compilationTarget"))
    target_path, target_name = next(iter(target.items()), ("", ""))
    name = str(written.get("contractName") or written.get("name") or target_name or name)
    tree = written.get("ast")
    found = (
        _mapping(tree).get("absolutePath") or written.get("sourcePath") or written.get("sourceId")
    )
    source = str(written.get("sourceName") or target_path or found or "")
    source = TRUFFLE_ROOT.sub("", source)
    is_vyper = source.endswith(VYPER_SUFFIXES) or written.get("language") == "Vyper"
    text = written.get("source")
    digests = _digests(metadata)
    creation = _single_code(written, "bytecode", "deploymentBytecode")
    runtime = _single_code(written, "deployedBytecode", "runtimeBytecode")
    own = Source(
        source,
        text if isinstance(text, str) else "",
        digests.get(TRUFFLE_ROOT.sub("", target_path) or source)
        or (_own_digest(tree, creation) if is_vyper else ""),
    )
    root = HARDHAT_ROOT if "inputSourceName" in written else ""
    created, deployed = _parse_codes(
        creation, runtime, lambda path: path.removeprefix(root), is_vyper=is_vyper
    )
    source_id = _source_id(written, tree)
    paths = _mapping(written.get("allSourcePaths"))  # Brownie's
    sources = {int(key): Source(str(path)) for key, path in paths.items() if key.isdigit()}
    if source_id is not None and source:
        sources[source_id] = own
    compiler = _mapping(written.get("compiler"))  # Brownie's has the settings
    return Artifact(
        name=name,
        abi=_parse_abi(written["abi"]),
        source=source,
        creation=created,
        runtime=deployed,
        language="Vyper" if is_vyper else "Solidity",
        sources=sources,
        via_ir=_is_via_ir(settings),
        optimized=not is_vyper and _is_optimized(settings or compiler),
        storage_layout=written.get("storageLayout") or None,
        digests=digests,
    )


def _source_id(written: Mapping[str, Any], tree: Any) -> int | None:
    found = written.get("id")
    src = tree.get("src") if isinstance(tree, dict) else None
    if not isinstance(found, int) and isinstance(src, str):
        last = src.rpartition(":")[2]
        found = int(last) if last.isascii() and last.isdigit() and len(last) < 12 else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _single_code(written: Mapping[str, Any], key: str, ethpm_key: str) -> Mapping[str, Any]:
    single_code = written.get(key, "")
    if isinstance(single_code, dict):  # Foundry's
        return single_code
    packaged = _mapping(written.get(ethpm_key)).get("bytecode")
    deployed = "deployed" in key
    return {
        "object": single_code or packaged,
        "linkReferences": written.get("deployedLinkReferences" if deployed else "linkReferences"),
        "immutableReferences": written.get("immutableReferences") if deployed else None,
        "sourceMap": written.get("deployedSourceMap" if deployed else "sourceMap"),
    }


# Many contracts in an object


def _parse_standard_json(
    output: Mapping[str, Any], compiler_input: Any, names: Mapping[str, Any]
) -> Iterator[Artifact]:
    # `names` are Hardhat's own names of the sources, each with the one in the compiler's input.
    given = _mapping(compiler_input)
    contracts = {path: _mapping(found) for path, found in _mapping(output.get("contracts")).items()}
    settings = _mapping(given.get("settings"))
    digests: dict[str, str] = {}
    for path, named in {} if given else contracts.items():
        for contract in map(_mapping, named.values()):
            # The metadata of a contract has the settings and the hashes of its sources.
            metadata = _metadata(contract.get("metadata"))
            settings = settings or _mapping(metadata.get("settings"))
            digests |= _digests(metadata)
            if path.endswith(VYPER_SUFFIXES):
                code = _mapping(_mapping(contract.get("evm")).get("bytecode"))
                digests[path] = _own_digest(None, code)
    compiled, texts = _mapping(output.get("sources")), _mapping(given.get("sources"))
    sources = dict(_parse_sources(compiled, texts, digests))
    structs = _vyper_structs(texts)
    shown = {str(used): own for own, used in names.items()}

    def rename(path: str) -> str:
        return shown.get(path) or path.removeprefix(HARDHAT_ROOT if names else "")

    for path, named in contracts.items():
        is_vyper = path.endswith(VYPER_SUFFIXES)
        for name, contract in named.items():
            with suppress(*MALFORMED):
                evm = contract.get("evm", {})
                codes = evm.get("bytecode", {}), evm.get("deployedBytecode", {})
                creation, runtime = _parse_codes(*codes, rename, is_vyper=is_vyper)
                layout = contract.get("storageLayout") or contract.get("layout") or None
                if layout and structs and STRUCTS not in layout and is_vyper:
                    layout = {**layout, STRUCTS: structs}
                yield Artifact(
                    name=name,
                    abi=_parse_abi(contract["abi"]),
                    source=rename(path),
                    creation=creation,
                    runtime=runtime,
                    language="Vyper" if is_vyper else "Solidity",
                    sources=sources,
                    via_ir=_is_via_ir(settings),
                    optimized=not is_vyper and _is_optimized(settings),
                    storage_layout=layout,
                    digests=_digests(_metadata(contract.get("metadata"))),
                )


def _vyper_structs(texts: Mapping[str, Any]) -> dict[str, Any]:
    # Of those that sources define in several ways it is not known which is meant: they are null.
    found: dict[str, Any] = {}
    for path, given in texts.items():
        if path.endswith(VYPER_SUFFIXES):
            for name, members in vyper_structs(str(_mapping(given).get("content"))).items():
                found[name] = members if found.get(name, members) == members else None
    return found


def _parse_sources(
    compiled: Mapping[str, Any], texts: Mapping[str, Any], digests: Mapping[str, str]
) -> Iterator[tuple[int, Source]]:
    for path, described in compiled.items():
        content = _mapping(texts.get(path)).get("content", "")
        number = described.get("id") if isinstance(described, dict) else None
        if isinstance(number, int):
            tree = described.get("ast")
            digest = "" if content else _own_digest(tree, {}) or digests.get(path, "")
            yield number, Source(str(path), str(content), digest)


def _parse_solc_combined(
    written: Mapping[str, Any], contracts: Mapping[str, Any]
) -> Iterator[Artifact]:
    listed = written.get("sourceList")
    paths = listed if isinstance(listed, list) else []
    metadata = [_metadata(_mapping(contract).get("metadata")) for contract in contracts.values()]
    digests = dict(pair for described in metadata for pair in _digests(described).items())
    sources = {}
    for number, path in enumerate(map(str, paths)):
        sources[number] = Source(path, digest=digests.get(path, ""))
    libraries = {mark: key for key in contracts for mark in (library_hash(key), mark_name(key))}
    for (key, contract), described in zip(contracts.items(), metadata, strict=True):
        path, _, name = key.rpartition(":")
        settings = _mapping(described.get("settings"))
        with suppress(*MALFORMED):
            yield Artifact(
                name=name,
                abi=_parse_abi(contract["abi"]),
                source=path,
                creation=_combined_code(contract, "bin", "srcmap", libraries),
                runtime=_combined_code(contract, "bin-runtime", "srcmap-runtime", libraries),
                sources=sources,
                via_ir=_is_via_ir(settings),
                optimized=_is_optimized(settings),
                storage_layout=_mapping(contract.get("storage-layout")) or None,
            )


def _combined_code(
    contract: Mapping[str, Any], key: str, map_key: str, libraries: Mapping[str, str]
) -> Code:
    code = _parse_code({"object": contract.get(key), "sourceMap": contract.get(map_key)})
    named = (Link(libraries.get(link.library, link.library), link.start) for link in code.links)
    return replace(code, links=tuple(named))


def _parse_vyper_combined(written: Mapping[str, Any]) -> Iterator[Artifact]:
    contracts = [
        (path, contract, *_vyper_maps(contract))
        for path, contract in written.items()
        if path.endswith(VYPER_SUFFIXES) and isinstance(contract, dict)
    ]
    # No sources are listed. Without imports their ids are the order of the contracts.
    used = [source_ids(_map_text(runtime.get("sourceMap"))) for *_, runtime in contracts]
    are_known = used == [{number} for number in range(len(contracts))]
    for number, (path, contract, creation, runtime) in enumerate(contracts):
        with suppress(*MALFORMED):
            created, deployed = _parse_codes(creation, runtime, is_vyper=True)
            own = Source(path, digest=_own_digest(None, creation))
            yield Artifact(
                name=path.rpartition("/")[2].rpartition(".")[0],
                abi=_parse_abi(contract["abi"]),
                source=path,
                creation=created,
                runtime=deployed,
                language="Vyper",
                sources={number: own} if are_known else {},
                optimized=False,
                storage_layout=_mapping(contract.get("layout")) or None,
            )


def _vyper_maps(contract: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    # Vyper before 0.4 writes one map, of the runtime code, with entries for instructions.
    full = contract.get("source_map")
    creation = {"object": contract.get("bytecode")}
    runtime = {"object": contract.get("bytecode_runtime")}
    if "source_map_runtime" in contract:
        creation["sourceMap"], runtime["sourceMap"] = full, contract["source_map_runtime"]
    else:
        runtime["sourceMap"] = _mapping(full).get("pc_pos_map_compressed")
        runtime["sourceMapFull"] = full
    return creation, runtime


def _map_text(source_map: Any) -> str:
    # A source map in solc's form, which vyper since 0.4 has in an object.
    if isinstance(source_map, dict):
        source_map = source_map.get("pc_pos_map_compressed")
    return str(source_map or "")


def _aligned_map(template: bytes, described: Mapping[str, Any]) -> str:
    # Vyper's own map has no entries for what the assembler has added; its full map has the places
    # of all entries with a range.
    source_map, full = described.get("sourceMap"), _mapping(described.get("sourceMapFull"))
    places, jumps = _mapping(full.get("pc_pos_map")), _mapping(full.get("pc_jump_map"))
    if not places or not isinstance(source_map, str):
        return ""
    ranges = [entry for entry in map_entries(source_map) if entry[0] >= 0]
    offsets = sorted(int(place) for place in places if place.isascii() and place.isdigit())
    if len(ranges) != len(offsets):
        return ""
    by_offset = dict(zip(offsets, ranges, strict=True))
    nowhere = (-1, -1, -1, "")
    return ";".join(
        f"{start}:{size}:{source}:{jumps.get(str(offset), '-')}"
        for offset, *_ in walk(template)
        for start, size, source, _ in [by_offset.get(offset, nowhere)]
    )


def _parse_manifest(written: Mapping[str, Any]) -> Iterator[Artifact]:
    texts = _mapping(written.get("sources"))
    for name, contract in written["contractTypes"].items():
        text = _mapping(texts.get(str(_mapping(contract).get("sourceId")))).get("content")
        with suppress(*MALFORMED):
            yield _parse_single({**contract, "source": text}, str(name))


# Parts


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _metadata(written: Any) -> Mapping[str, Any]:
    if isinstance(written, str):
        try:
            written = orjson.loads(written)
        except ValueError:
            return {}
    return _mapping(written)


def _digests(metadata: Mapping[str, Any]) -> dict[str, str]:
    return {
        TRUFFLE_ROOT.sub("", path): digest
        for path, source in _mapping(metadata.get("sources")).items()
        if isinstance(digest := _mapping(source).get("keccak256"), str)
    }


def _own_digest(tree: Any, creation: Mapping[str, Any]) -> str:
    digest = _mapping(tree).get("source_sha256sum")
    if isinstance(digest, str) and digest:
        return digest
    with suppress(ValueError):
        return integrity_digest(bytes.fromhex(str(creation.get("object")).removeprefix("0x")))
    return ""


def _parse_abi(written: Any) -> Abi:
    described = orjson.loads(written) if isinstance(written, str) else written
    if isinstance(described, list):
        described = [entry for entry in described if not _is_internal(entry)]
    return Abi.from_json(described)


def _is_internal(entry: Any) -> bool:
    # A parameter of it has no ABI type: `Ledger.Book storage`, or the name of an enum or a struct.
    inputs = _mapping(entry).get("inputs")
    params = map(_mapping, inputs if isinstance(inputs, list) else ())
    return any(re.search("[ .]", str(param.get("type"))) for param in params)


def _is_via_ir(settings: Mapping[str, Any]) -> bool:
    # Of Vyper that is Venom.
    return settings.get("viaIR") is True or settings.get("experimentalCodegen") is True


def _is_optimized(settings: Mapping[str, Any]) -> bool:
    optimizer = settings.get("optimizer", {})
    if not settings or not isinstance(optimizer, dict):
        return True
    return bool(optimizer.get("enabled") or optimizer.get("details"))


def _parse_codes(
    creation: Mapping[str, Any], runtime: Mapping[str, Any], rename: Rename = str, *, is_vyper: bool
) -> tuple[Code, Code]:
    created, deployed = _parse_code(creation, rename), _parse_code(runtime, rename)
    return created, deployed_code(created, deployed) if is_vyper else deployed


def _parse_code(described: Mapping[str, Any], rename: Rename = str) -> Code:
    digits = str(described.get("object") or "").removeprefix("0x")
    template, marked = _decode_hex(digits)
    references = described.get("immutableReferences")
    named = list(_link_references(described.get("linkReferences"), rename))
    placeholders = [
        *((link.start, ADDRESS_SIZE) for link in marked),
        *((start, size) for _, start, size in named),
    ]
    if references is None:
        placeholders += [(match.start() + 1, WORD_SIZE) for match in PUSHED_ZERO.finditer(template)]
    for ranges in _mapping(references).values():
        placeholders += [(int(place["start"]), int(place["length"])) for place in ranges]
    if template.startswith(CALL_PROTECTION):
        placeholders.append((1, ADDRESS_SIZE))
    if not all(start >= 0 and 0 < size <= len(template) - start for start, size in placeholders):
        raise InvalidInput("a placeholder is not in the code")
    source_map = described.get("sourceMap")
    maps_bytes = isinstance(source_map, dict)  # vyper since 0.4
    return Code(
        template,
        tuple(dict.fromkeys(placeholders)),
        _aligned_map(template, described) or _map_text(source_map),
        _links(template, marked, named),
        maps_bytes,
        guesses_immutables=references is None,
        checks=dict(_checks(described)),
    )


def _checks(described: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    for key in ("sourceMap", "sourceMapFull"):
        for offset, name in _mapping(_mapping(described.get(key)).get("error_map")).items():
            if offset.isascii() and offset.isdigit() and len(offset) < 8 and isinstance(name, str):
                yield int(offset), name


def _links(
    template: bytes, marked: list[Link], named: list[tuple[str, int, int]]
) -> tuple[Link, ...]:
    # Tools leave references in an artifact that they have linked: there the place is not zero.
    found = {link.start: link for link in marked}
    for library, start, size in named:
        if library and size == ADDRESS_SIZE and not any(template[start : start + size]):
            found[start] = Link(library, start)
    return tuple(found[start] for start in sorted(found))


def _decode_hex(digits: str) -> tuple[bytes, list[Link]]:
    # The mark of a library has 40 characters: `__$53aea86b7d70b31448b230b20ae141a537$__`, of older
    # compilers and of tools `__Lib____...`.
    if MARK not in digits:
        try:
            return bytes.fromhex(digits), []
        except ValueError:
            raise ValueError("its bytecode is not pairs of hex digits") from None
    marked = []
    start = digits.find(MARK)
    while start >= 0:
        mark = digits[start : start + 2 * ADDRESS_SIZE]
        if start % 2 or len(mark) < 2 * ADDRESS_SIZE:
            raise ValueError("a library's mark is not where an address may be")
        marked.append(Link(mark[len(MARK) :].rstrip("_"), start // 2))
        start = digits.find(MARK, start + 2 * ADDRESS_SIZE)
    pairs = (digits[start : start + 2] for start in range(0, len(digits), 2))
    plain = bytes.fromhex("".join(pair if set(pair) <= HEX_DIGITS else "00" for pair in pairs))
    code = bytearray(plain)
    for link in marked:
        code[link.start : link.start + ADDRESS_SIZE] = bytes(ADDRESS_SIZE)
    return bytes(code), marked


def _link_references(references: Any, rename: Rename) -> Iterator[tuple[str, int, int]]:
    for path, libraries in _mapping(references).items():
        for name, ranges in libraries.items():
            library = f"{rename(path)}:{name}" if path else name
            for place in ranges:
                yield library, int(place["start"]), int(place.get("length", ADDRESS_SIZE))
    for reference in references if isinstance(references, list) else ():
        library, size = reference.get("name") or "", reference.get("length", ADDRESS_SIZE)
        for start in reference["offsets"]:
            yield str(library), int(start), int(size)


# Writing

UNNAMED_SOURCE = {"Solidity": "unknown.sol", "Vyper": "unknown.vy"}  # paths that are not known


def build_info(artifact: Artifact) -> dict[str, Any]:
    """The contract with the sources that its source maps refer to and whose text is known."""
    used = source_ids(artifact.runtime.source_map) | source_ids(artifact.creation.source_map)
    texts = texts_of(artifact)
    sources = {number: artifact.sources[number] for number in texts if number in used}
    path = artifact.source or UNNAMED_SOURCE.get(artifact.language, artifact.name)
    contract: dict[str, Any] = {
        "abi": artifact.abi.to_json(),
        "evm": {
            "bytecode": _written_code(artifact.creation),
            "deployedBytecode": _written_code(artifact.runtime),
        },
    }
    if artifact.storage_layout is not None:
        key = "layout" if artifact.language == "Vyper" else "storageLayout"
        contract[key] = artifact.storage_layout
    return {
        "input": {
            "language": artifact.language,
            "sources": {each.path: {"content": texts[number]} for number, each in sources.items()},
            "settings": {"optimizer": {"enabled": artifact.optimized}, "viaIR": artifact.via_ir},
        },
        "output": {
            "sources": {each.path: {"id": number} for number, each in sources.items()},
            "contracts": {path: {artifact.name: contract}},
        },
    }


def _written_code(code: Code) -> dict[str, Any]:
    links = {(link.start, ADDRESS_SIZE) for link in code.links}
    references = link_references(code)
    references.setdefault("", {})[""] = [
        {"start": start, "length": size}
        for start, size in code.placeholders
        if (start, size) not in links
    ]
    found: dict[str, Any] = {
        "object": code.template.hex(),
        "linkReferences": references,
        "sourceMap": code.source_map,
    }
    if not code.guesses_immutables:
        found["immutableReferences"] = {}
    checks = {"error_map": {str(offset): name for offset, name in code.checks.items()}}
    if code.maps_bytes:
        found["sourceMap"] = {"pc_pos_map_compressed": code.source_map, **checks}
    elif code.checks:
        found["sourceMapFull"] = checks
    return found
