"""`devchain.source.follow`: where an execution failed, as source traces have it."""

from __future__ import annotations

import pytest

from tests.failures.builds import BUILDS, Build
from tests.failures.cases import CASES
from tests.failures.lines import answer
from tests.source.executions import debugger_of, execution_of, is_absent, line_of

SAMPLE = (
    "require_many_lines",
    "custom_error",
    "free_function",
    "getter_bounds",
    "unset_function",
    "nonreentrant",
    "modifier_internal",
    "nested_internal",
    "constructor_internal",
    "new_fails",
    "proxy",
    "swallowed",
    "send_bare",
    "short_return",
    "bridge_refuses",
    "fallback_reverts",
    "value_to_nonpayable",
)


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_agreement(build: Build) -> None:
    """The debugger goes where the last function of the source trace is."""
    cases = [each for each in CASES if each.name in SAMPLE and not is_absent(build.name, each.name)]
    found, expected = {}, {}
    for case in cases:
        debugger = debugger_of(build.name, case.name)
        assert debugger.failure()
        found[case.name] = line_of(debugger)
        last = answer(build, case)[1].frames[-1]
        expected[case.name] = f"{last.path}:{last.line}"

    assert found == expected
    assert len(cases) > 9


def test_refused_result() -> None:
    """`require(to.send(..))` fails by itself when the receiver has reverted."""
    execution = execution_of("solc-0.8", "send_bare")
    at = execution.messages.of_step[execution.failure or 0]

    assert at is execution.messages.top
    assert at.children[-1].succeeded is False


def test_notes() -> None:
    """A place before the function that was called is marked as such."""
    debugger = debugger_of("solc-0.8", "value_to_nonpayable")
    debugger.failure()

    assert debugger.execution.location_note(debugger.step).startswith("checks of the compiler")
