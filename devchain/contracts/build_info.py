"""One compiled contract as its compiler's input and output: the form of Hardhat's build-info.

What `artifact_formats.parse_artifacts` reads, with all that an `Artifact` has:

    {"input": {"language": "Solidity",
               "sources": {"src/Till.sol": {"content": "contract Till { .."}},
               "settings": {"optimizer": {"enabled": false}, "viaIR": false}},
     "output": {"sources": {"src/Till.sol": {"id": 0, "outline": {"statements": [..], ..}}},
                "contracts": {"src/Till.sol": {"Till": {"abi": [..], "evm": {..}}}}}}

Syntax trees are not kept: in their place is the outline that was read of them, under a name of its
own, since no compiler writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

import orjson

from devchain.contracts.artifacts import ADDRESS_SIZE, Artifact, Code, link_references
from devchain.contracts.source_map import source_ids
from devchain.contracts.sources import text_of
from devchain.contracts.syntax_tree import Outline

MAX_OFFSET = 10**12
UNNAMED_SOURCE = {"Solidity": "unknown.sol", "Vyper": "unknown.vy"}
"""The path of a contract's source where that is not known: it says the language."""


def build_info(artifact: Artifact) -> dict[str, Any]:
    """The contract with the sources that its source maps refer to, as far as their text is known.

    Offsets and ids are JSON numbers.
    """
    used = source_ids(artifact.runtime.source_map) | source_ids(artifact.creation.source_map)
    texts = {number: text_of(each) for number, each in artifact.sources.items() if number in used}
    sources = {number: artifact.sources[number] for number, text in texts.items() if text}
    path = artifact.source or UNNAMED_SOURCE.get(artifact.language, artifact.name)
    contract: dict[str, Any] = {
        "abi": artifact.abi.to_json(),
        "evm": {
            "bytecode": _code(artifact.creation),
            "deployedBytecode": _code(artifact.runtime),
        },
    }
    if artifact.storage_layout is not None:
        key = "layout" if artifact.language == "Vyper" else "storageLayout"
        contract[key] = artifact.storage_layout
    return {
        "input": {
            "language": artifact.language,
            "sources": {each.path: {"content": texts[number]} for number, each in sources.items()},
            "settings": {
                "optimizer": {"enabled": artifact.optimized},
                "viaIR": artifact.via_ir,
            },
        },
        "output": {
            "sources": {
                each.path: {"id": number}
                | ({"outline": _written(each.outline)} if each.outline else {})
                for number, each in sources.items()
            },
            "contracts": {path: {artifact.name: contract}},
        },
    }


def _code(code: Code) -> dict[str, Any]:
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


def _written(outline: Outline) -> orjson.Fragment:
    return orjson.Fragment(orjson.dumps(outline))


def read_outline(written: object) -> Outline | None:
    """An outline in the form of `build_info`; None if it is anything else."""
    try:
        outline: Outline = _read(Outline, written)
    except (TypeError, LookupError):
        return None
    return outline


def _read(kind: Any, value: Any) -> Any:
    if isinstance(kind, type) and is_dataclass(kind):
        if not isinstance(value, Mapping):
            raise TypeError(value)
        return kind(**{name: _read(hint, value[name]) for name, hint in _hints(kind).items()})
    if get_origin(kind) is tuple:
        parts = get_args(kind)
        if not isinstance(value, list):
            raise TypeError(value)
        if parts[-1] is Ellipsis:
            return tuple(_read(parts[0], each) for each in value)
        if len(parts) != len(value):
            raise TypeError(value)
        return tuple(map(_read, parts, value))
    if type(value) is not kind or (kind is int and not 0 <= value < MAX_OFFSET):
        raise TypeError(value)
    return value


@cache
def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}
