"""`devchain.turns`"""

from __future__ import annotations

import pytest

from devchain.turns import Turns, finish


def count_to(last: int) -> Turns[int]:
    """Count, with a turn for each number."""
    total = 0
    for number in range(last + 1):
        total += number
        yield
    return total


def fail() -> Turns[int]:
    """Fail in the second turn."""
    yield
    raise KeyError("second")


class TestFinish:
    def test_result(self) -> None:
        """The result is that of the generator, after all of its turns."""
        assert finish(count_to(4)) == 10

    def test_error(self) -> None:
        """An error of any turn is raised."""
        with pytest.raises(KeyError, match="second"):
            finish(fail())
