"""Failures in code of Venom, which gives checks no range: places are near, hints are true."""

from __future__ import annotations

from typing import Any

import pytest

from devchain.errors import ExecutionReverted
from tests.testing.covered import coverage_node

OUT = "out of bounds: index 9, but the length is {}"
FAILURES: dict[str, tuple[str, str, tuple[Any, ...], str]] = {
    "fixed": ("bounds", "element", (9,), OUT.format(4)),
    "of-argument": ("bounds", "of_argument", ([1], 9), OUT.format(1)),
    "declaration": ("bounds", "kept", (9,), OUT.format(4)),
    "condition": ("bounds", "chosen", (9,), OUT.format(4)),
    "raise": ("choices", "note", (40, 2), ""),
}


@pytest.mark.parametrize("name", FAILURES)
def test_place_is_near(name: str) -> None:
    """No statement is shown as the exact place of a check without a range."""
    build, function, arguments, hint = FAILURES[name]
    node = coverage_node(f"{build}-0.4-venom", "vetiver")
    deployed_with = (3, "0x" + "11" * 20) if build == "choices" else ()
    contract = node.deploy(build.capitalize(), *deployed_with)

    with pytest.raises(ExecutionReverted) as raised:
        contract[function](*arguments)

    trace = raised.value.source_trace
    assert trace.frames[-1].place.startswith(f"near {build.capitalize()}.vy:")
    assert trace.hint == hint
