"""`devchain.tracing.paths`: calls of functions in one contract."""

from __future__ import annotations

import pytest

from devchain.tracing.paths import MAX_OPEN, InternalCalls

CALL, INNER, PLAIN, RETURN = 12, 80, 95, 97
"""Offsets of jumps: two that call, one without a mark, one that returns."""


@pytest.fixture
def calls() -> InternalCalls[str]:
    """The calls of a message, with one open at each of the two jumps."""
    found = InternalCalls[str]({CALL: "i", INNER: "i", RETURN: "o"})
    assert [each for each in (CALL, INNER, PLAIN, RETURN) if found.is_call(each)] == [CALL, INNER]
    assert found.enter(CALL, "outer")
    assert found.enter(INNER, "inner")
    return found


def kept(calls: InternalCalls[str]) -> list[str]:
    """What is kept of the open calls."""
    return [each for _, each in calls.open]


class TestLeave:
    @pytest.mark.parametrize("offset", [PLAIN, RETURN])
    def test_innermost(self, calls: InternalCalls[str], offset: int) -> None:
        """A jump behind the innermost call returns from it, marked or not (Vyper marks none)."""
        assert calls.leave(offset, INNER + 1) == "inner"
        assert kept(calls) == ["outer"]

    @pytest.mark.parametrize("offset", [PLAIN, RETURN])
    def test_several(self, calls: InternalCalls[str], offset: int) -> None:
        """A jump behind a call further out returns from all within it."""
        assert calls.leave(offset, CALL + 1) == "outer"
        assert kept(calls) == []

    def test_recursion(self, calls: InternalCalls[str]) -> None:
        """Of calls from one place the innermost ends."""
        calls.enter(INNER, "again")

        assert calls.leave(RETURN, INNER + 1) == "again"
        assert kept(calls) == ["outer", "inner"]

    def test_elsewhere(self, calls: InternalCalls[str]) -> None:
        """A plain jump that goes to no open call's end stays; a marked one returns anyway."""
        assert calls.leave(PLAIN, 40) is None
        assert kept(calls) == ["outer", "inner"]

        assert calls.leave(RETURN, 40) == "inner"
        assert kept(calls) == ["outer"]

    def test_none_open(self) -> None:
        """Without a call there is nothing to return from."""
        assert InternalCalls[str]({RETURN: "o"}).leave(RETURN, 13) is None


def test_limit() -> None:
    """No more calls are followed than the stack of the EVM has words."""
    calls = InternalCalls[int]({CALL: "i"})
    entered = [calls.enter(CALL, each) for each in range(MAX_OPEN + 1)]

    assert entered == [True] * MAX_OPEN + [False]
    assert calls.leave(PLAIN, CALL + 1) == MAX_OPEN - 1


def test_fixed() -> None:
    """A jump to a fixed destination is no return, though code behind a call may be there."""
    found = InternalCalls[str]({CALL: "i"}, {PLAIN})
    found.enter(CALL, "outer")

    assert found.leave(PLAIN, CALL + 1) is None
    assert kept(found) == ["outer"]
