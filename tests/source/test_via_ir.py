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
EXACT, NEAR = False, True


@pytest.mark.parametrize(
    ("call", "arguments", "mark", "kind"),
    [
        ("grow", (6,), "grow", EXACT),
        ("divide", (0,), "divide", EXACT),
        ("pop", (), "pop", EXACT),
        ("allocate", (2**250,), "allocate", EXACT),
        ("setState", (7,), "setState", EXACT),
        ("check", (5,), "check", EXACT),
        ("check", (9,), "checkNine", EXACT),
        ("read", (7,), "read", EXACT),
        ("slice", (5, b"abc"), "slice", EXACT),
        ("slice", (0, b"abc"), "sliceAssert", EXACT),
        ("either", (4,), "either", EXACT),
        ("either", (99,), "eitherReason", EXACT),
        ("either", (3,), "either", NEAR),
    ],
)
def test_place(call: str, arguments: tuple[Any, ...], mark: str, kind: bool) -> None:
    """A `require` whose check passed is not the place; one that is not proven is approximate."""
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
    assert (last.line, last.is_near) == (marked, kind)
