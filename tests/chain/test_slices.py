"""`devchain.chain.slices`"""

from __future__ import annotations

from concurrent.futures import Future
from threading import Timer

import pytest

from devchain.chain.slices import QUICK, Slices, finish, wait_for


def count_to(last: int) -> Slices[int]:
    """Count, with a slice for each number."""
    total = 0
    for number in range(last + 1):
        total += number
        yield QUICK
    return total


def fail() -> Slices[int]:
    """Fail in the second slice."""
    yield QUICK
    raise KeyError("second")


class TestFinish:
    def test_result(self) -> None:
        """The result is that of the generator, after all of its slices."""
        assert finish(count_to(4)) == 10

    def test_future(self) -> None:
        """A result that another thread will have is waited for."""
        future: Future[int] = Future()
        Timer(0, future.set_result, [7]).start()
        assert finish(wait_for(future)) == 7

    def test_error(self) -> None:
        """An error of any slice is raised."""
        with pytest.raises(KeyError, match="second"):
            finish(fail())
