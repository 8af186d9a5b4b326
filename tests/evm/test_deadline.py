"""`devchain.evm.deadline`"""

from __future__ import annotations

import threading
from itertools import count, islice

import pytest

from devchain.errors import ExecutionTimedOut
from devchain.evm import deadline
from tests.clocks import Ticks


class TestWithin:
    def test_not_set(self) -> None:
        """Without a deadline nothing is ever too late."""
        deadline.check()

        assert not deadline.expired()

    def test_passes(self) -> None:
        """Once its seconds are gone a check raises, and says how long they were."""
        with deadline.within(2.5, Ticks()):
            deadline.check()
            deadline.check()
            assert deadline.expired()
            with pytest.raises(ExecutionTimedOut, match=r"more than 2\.5 seconds") as caught:
                deadline.check()

        assert caught.value.seconds == 2.5
        deadline.check()

    def test_zero_is_for_ever(self) -> None:
        """A limit of 0 is none, inside another one too: the outer one counts again afterwards."""
        with deadline.within(1, Ticks()):
            with deadline.within(0, Ticks()):
                deadline.check()
                deadline.check()
            with pytest.raises(ExecutionTimedOut):
                deadline.check()

    def test_left_by_an_error(self) -> None:
        """An error inside takes the deadline with it."""
        with pytest.raises(KeyError), deadline.within(1, Ticks()):
            raise KeyError

        assert not deadline.expired()

    def test_other_threads(self) -> None:
        """A node in another thread does not hurry because this one has to."""
        seen: list[bool] = []
        with deadline.within(1, Ticks(step=2)):
            other = threading.Thread(target=lambda: seen.append(deadline.expired()))
            other.start()
            other.join()
            assert deadline.expired()

        assert seen == [False]


class TestChecked:
    def test_all_of_them(self) -> None:
        """Without a deadline the items come as they are."""
        assert list(deadline.checked("abc", every=2)) == ["a", "b", "c"]

    def test_stops(self) -> None:
        """The deadline is looked at before each group of items."""
        items = deadline.checked(count(), every=10)

        with deadline.within(3, Ticks()):
            assert list(islice(items, 20)) == list(range(20))
            with pytest.raises(ExecutionTimedOut):
                next(items)
