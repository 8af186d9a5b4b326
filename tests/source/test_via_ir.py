"""Places of failures in code of solc with optimizer and viaIR, whose checks have no place."""

from __future__ import annotations

import lzma
from typing import Any

import orjson
import pytest

from devchain import Node
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.errors import VmError
from tests.source.via_ir.compile import BUILDS, COMPILED, FOLDER

LINES = (FOLDER / "Box.sol").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("call", "arguments", "mark"),
    [
        ("grow", (6,), "grow"),
        ("divide", (0,), "divide"),
        ("pop", (), "pop"),
        ("allocate", (2**250,), "allocate"),
        ("setState", (7,), "setState"),
        ("check", (5,), "check"),
        ("check", (9,), "checkNine"),
        ("read", (7,), "read"),
        ("slice", (5, b"abc"), "slice"),
        ("slice", (0, b"abc"), "sliceAssert"),
        ("either", (4,), "either"),
        ("either", (99,), "eitherReason"),
        ("either", (3,), "either"),
    ],
)
def test_place(call: str, arguments: tuple[Any, ...], mark: str) -> None:
    """The line is right, and near: the map has no place for checks."""
    found = orjson.loads(lzma.decompress(COMPILED.read_bytes()))[BUILDS[0].name]
    node = Node()
    for artifact in parse_artifacts(found):
        node.artifacts.add(artifact)
    box = node.deploy("Box")

    with pytest.raises(VmError) as caught:
        box[call].call(*arguments)

    trace = caught.value.source_trace
    assert trace is not None
    last = trace.frames[-1]
    marked = next(number for number, each in enumerate(LINES, 1) if each.endswith(f": {mark}"))
    assert (last.line, last.is_near) == (marked, True)
