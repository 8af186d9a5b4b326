"""Isolation: the chain goes back to where it was when a fixture or a test ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

    from devchain.node import Node


@dataclass(frozen=True, slots=True)
class Mark:
    """A fixture of a scope above a test's, and the snapshot taken before it was set up."""

    fixture: pytest.FixtureDef[Any]
    request: pytest.FixtureRequest
    snapshot: int


class Isolation:
    """Snapshots before every fixture and test, and what has to be done anew when one is lost.

    `since` is the height at which the test under way started.
    """

    def __init__(self) -> None:
        """Nothing to isolate yet."""
        self.node: Node | None = None
        self.since = 0
        self._marks: list[Mark] = []
        self._isolated: object = None

    @contextmanager
    def setting_up(
        self, fixture: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Iterator[None]:
        """Set a fixture up; its end takes back what it did."""
        snapshot = self._take()
        # Registered before the fixture's own teardown, so it runs after it.
        fixture.addfinalizer(lambda: self._take_back(snapshot))
        is_of_test = fixture.scope == "function"
        if is_of_test and self._isolated is not request.node:
            self._begin(request.node)
        before = self._tokens(snapshot)
        yield
        if not is_of_test and before != self._now():
            self._marks.append(Mark(fixture, request, snapshot))

    def calling(self, item: pytest.Item) -> None:
        """Begin a test's body; fixtures of its own take back what it does, or else its end."""
        if self._isolated is item:
            return
        self._begin(item)
        snapshot = self._take()
        item.addfinalizer(lambda: self._take_back(snapshot))

    def _begin(self, item: object) -> None:
        self._isolated = item
        node = self.node
        self.since = node.chain.height if node else 0
        if node:
            node.explainer.last_failure = None

    def _take(self) -> int:
        return self.node.snapshots.take() if self.node else 0

    def _tokens(self, snapshot: int) -> object:
        return self.node.snapshots.find(snapshot) if self.node else None

    def _now(self) -> object:
        snapshot = self._take()
        tokens = self._tokens(snapshot)
        if self.node:
            self.node.snapshots.drop(snapshot)
        return tokens

    def _take_back(self, snapshot: int) -> None:
        """Go back to a snapshot; fixtures that were set up after it will be set up again.

        When a test has reverted to before it, or reset the chain, everything is done anew.
        """
        if self.node is None:
            return
        lost = not self.node.revert(snapshot)
        self.node.snapshots.drop(snapshot)
        if lost:
            self.node.reset()
        undone = [each for each in self._marks if lost or each.snapshot >= snapshot]
        self._marks = [each for each in self._marks if each not in undone]
        for each in reversed(undone):
            each.fixture.finish(each.request)  # type: ignore[arg-type]  # the request it was set up by
