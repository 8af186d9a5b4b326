"""Hints of checked arithmetic: the operands of what failed, with every compiler and pipeline."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from devchain import Config, Node
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.errors import VmError
from tests.failures.builds import Build
from tests.failures.compile import compiler_input
from tests.source.compiled import BUILDS as ALL
from tests.source.compiled import FOLDERS, compiled

BUILDS = ALL["checked"]
HIGHEST = 2**256 - 1

FAILURES: tuple[tuple[str, tuple[Any, ...], str], ...] = (
    ("addSmall", (6,), "overflow: 250 + 6 does not fit uint8"),
    ("multiplySmall", (2,), "overflow: 250 × 2 does not fit uint8"),
    ("subtractSmall", (251,), "underflow: 250 - 251 is below zero"),
    ("addLow", (-29,), "underflow: -100 + (-29) does not fit int8"),
    ("multiplyLow", (-2,), "overflow: -100 × (-2) does not fit int8"),
    ("multiplyLow", (-128,), "overflow: -100 × (-128) does not fit int8"),
    ("multiplyLow", (2,), "underflow: -100 × 2 does not fit int8"),
    ("addMid", (2**128 - 1,), f"overflow: {2**128 - 1:,} + 5 does not fit uint128"),
    ("square", (2**128,), f"overflow: {2**128:,} × {2**128:,} does not fit uint256"),
    ("item", (2,), "index 3, but the length is 3"),
    ("item", (HIGHEST,), f"overflow: {HIGHEST:,} + 1 does not fit uint256"),
)
SOLIDITY: tuple[tuple[str, tuple[Any, ...], str], ...] = (
    ("item", (255,), "overflow: 255 + 1 does not fit uint8"),
    ("incrementSmall", (255,), "overflow: 255 + 1 does not fit uint8"),
    ("cast", (2**63 - 1, 1), f"overflow: {2**63 - 1:,} + 1 does not fit int64"),
    ("nested", (16, 3), "underflow: 15 - 16 is below zero"),
    ("nested", (1, HIGHEST), f"overflow: 5 × {HIGHEST:,} does not fit uint256"),
    ("wrapped", (9, -8_388_606), "overflow: 8,388,607 - (-8,388,606) does not fit int24"),
)
VYPER: tuple[tuple[str, tuple[Any, ...], str], ...] = (
    ("square", (2**128,), f"overflow: {2**128:,} × {2**128:,} does not fit the type"),
    ("product", (2**159, 2**159), f"overflow: {2**159:,} × {2**159:,} does not fit the type"),
    ("product", (2**80, 2**80), f"overflow: {2**80:,} × {2**80:,} does not fit uint160"),
    ("item", (2,), "out of bounds: index 3, but the length is 3"),
)
"""Functions, arguments and hints; those of a language replace those of both with the same call."""


def calls(build: Build) -> list[tuple[str, tuple[int, ...], str]]:
    """The failures that a build has, each with its hint."""
    if (
        build.name == "solc-0.8.10-ir"
    ):  # which has left nothing of the sum in the block of the check
        return [each for each in calls_of(build) if each[:2] != ("item", (255,))]
    return calls_of(build)


def calls_of(build: Build) -> list[tuple[str, tuple[int, ...], str]]:
    """The failures of a language."""
    own = SOLIDITY if build.language == "Solidity" else VYPER
    own_calls = {each[:2] for each in own}
    abi = artifact(build).abi
    found = [*own, *(each for each in FAILURES if each[:2] not in own_calls)]
    is_item = {"item"} if build.language == "Solidity" else set()
    return [
        each
        for each in found
        if abi.functions_named(each[0]) and not (each[0] in is_item and each[1] == (HIGHEST,))
    ]


@cache
def artifact(build: Build) -> Any:
    """The contract of a build."""
    [found] = parse_artifacts(compiled("checked")[build.name])
    return found


@cache
def deployed(build: Build) -> Any:
    """The contract of a build on a node of its own."""
    node = Node(Config(accounts=1, request_timeout=0, execution_timeout=0))
    node.artifacts.add(artifact(build))
    return node.deploy(artifact(build).name)


def turned(hint: str) -> str:
    """The hint with the operands in the other order, which compilers may compute in."""
    head, _, rest = hint.partition(": ")
    sign = next((each for each in (" + ", " × ") if each in rest), None)
    if sign is None:
        return hint
    one, _, behind = rest.partition(sign)
    two, _, tail = behind.partition(" does")
    one, two = (f"({two})" if two.startswith("-") else two), one
    first = one.strip("()")
    second = f"({two})" if two.startswith("-") else two
    return f"{head}: {first}{sign}{second} does{tail}"


CELLS = [
    pytest.param(build, *each, id=f"{build}-{each[0]}-{number}")
    for build in BUILDS
    for number, each in enumerate(calls(build))
]


@pytest.mark.parametrize(("build", "function", "arguments", "hint"), CELLS)
def test_hint(build: Build, function: str, arguments: tuple[int, ...], hint: str) -> None:
    """The hint names the operands, as numbers of their type, and what they do not fit."""
    with pytest.raises(VmError) as caught:
        getattr(deployed(build), function)(*arguments)
    found = caught.value.source_trace.hint

    assert found in {hint, turned(hint)}


@pytest.mark.parametrize(
    ("function", "arguments"),
    [("power", (3, 200)), ("power", (2, 8)), ("negateLow", (-128,)), ("divideLow", (-1,))],
)
@pytest.mark.parametrize("build", [each for each in BUILDS if each.language == "Solidity"], ids=str)
def test_without_operands(build: Build, function: str, arguments: tuple[int, ...]) -> None:
    """Of powers, which multiplications compute, negations and quotients no operands are named."""
    with pytest.raises(VmError) as caught:
        getattr(deployed(build), function)(*arguments)

    assert not caught.value.source_trace.hint


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_compiled_from_these_contracts(build: Build) -> None:
    """What is in `compiled.json.xz` is what `compile.py` would compile."""
    assert compiled("checked")[build.name]["input"] == compiler_input(build, FOLDERS / "checked")
