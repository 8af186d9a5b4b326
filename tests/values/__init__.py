"""Contracts that print, and that fail with values to show; `tests.failures.compile` makes them."""

from __future__ import annotations

import lzma
from functools import cache
from pathlib import Path

from devchain import Config, Node
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.contracts.artifacts import Artifact
from tests.failures.builds import Build

COMPILED = Path(__file__).parent / "compiled"


def json_of(build: Build) -> bytes:
    """The standard JSON of a build, input and output."""
    return lzma.decompress((COMPILED / build.file.name).read_bytes())


@cache
def artifacts_of(build: Build) -> tuple[Artifact, ...]:
    """The contracts of a build."""
    import orjson

    return tuple(parse_artifacts(orjson.loads(json_of(build))))


def new_node(build: Build) -> Node:
    """A node that knows the contracts of a build."""
    node = Node(Config(accounts=2))
    for each in artifacts_of(build):
        node.artifacts.add(each)
    return node


def contract_name(build: Build, name: str) -> str:
    """The name of a contract: `Values` in Solidity, `values` in Vyper."""
    return name if build.language == "Solidity" else name.lower()
