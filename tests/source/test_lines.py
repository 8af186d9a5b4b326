"""Lines of failures in statements of several lines and in assembly, with every pipeline of solc."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from devchain import Node
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.errors import VmError
from devchain.source.source_trace import Confidence, SourceTrace
from tests.failures.builds import Build
from tests.source.compiled import BUILDS, compiled, marked

CALLS: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("required", (2, 3)),
    ("refused", (1,)),
    ("asserted", (0,)),
    ("called", ()),
    ("words", ()),
    ("opcode", ()),
)


@cache
def lines(build: Build) -> Any:
    """The contract of a build on a node of its own."""
    node = Node()
    for artifact in parse_artifacts(compiled("lines")[build.name]):
        node.artifacts.add(artifact)
    return node.deploy("Lines")


def trace_of(build: Build, name: str, *arguments: int) -> SourceTrace:
    """Where a call failed."""
    with pytest.raises(VmError) as caught:
        lines(build)[name].call(*arguments)
    trace = caught.value.source_trace
    assert trace
    return trace


@pytest.mark.parametrize("build", BUILDS["lines"], ids=str)
@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_line(build: Build, name: str, arguments: tuple[int, ...]) -> None:
    """The line is that of what failed: a panicking operand's, a call's, that of the assembly.

    Of code of optimizer and viaIR all of the statement is near.
    """
    own = [each for each in trace_of(build, name, *arguments).frames if each.contract == "Lines"]

    line = marked("lines", "Lines.sol", f"// {name}")
    [frame] = own
    if build.name == "ir-optimized":
        assert frame.confidence is Confidence.NEAR
        assert frame.line <= line <= frame.end_line
    else:
        assert (frame.line, frame.confidence) == (line, Confidence.EXACT)


def test_all_lines_are_shown() -> None:
    """Of a statement of several lines all are shown."""
    excerpt = trace_of(BUILDS["lines"][0], "refused", 1).excerpt

    assert excerpt == [
        "  23 │ function refused(uint256 a) external pure {",
        "> 24 │     require( // refused",
        "> 25 │         a > 1,",
        '> 26 │         "too much"',
        "> 27 │     );",
    ]


def test_words_are_no_custom_error() -> None:
    """A payload of whole words, as assembly reverts with, has no selector of an error."""
    assert (
        trace_of(BUILDS["lines"][0], "words").reason
        == f"execution reverted: data 0x{bytes(32).hex()}"
    )
