"""Places of failures in code of solc with optimizer and viaIR, whose checks have no place."""

from __future__ import annotations

from typing import Any

import pytest

from devchain import Node
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.errors import VmError
from tests.source.compiled import BUILDS, compiled, marked


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
        ("slice", (0, b"abc"), "sliceAssert"),
        ("either", (4,), "either"),
        ("either", (99,), "eitherReason"),
        ("either", (3,), "either"),
    ],
)
def test_place(call: str, arguments: tuple[Any, ...], mark: str) -> None:
    """The line is right, and near: the map has no place for checks."""
    node = Node()
    for artifact in parse_artifacts(compiled("via_ir")[BUILDS["via_ir"][0].name]):
        node.artifacts.add(artifact)
    box = node.deploy("Box")

    with pytest.raises(VmError) as caught:
        box[call].call(*arguments)

    trace = caught.value.source_trace
    assert trace is not None
    last = trace.frames[-1]
    assert (last.line, last.is_near) == (marked("via_ir", "Box.sol", f": {mark}"), True)
