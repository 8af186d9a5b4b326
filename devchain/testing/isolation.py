"""Test isolation: what a fixture or a test did to the chain is reverted when it ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from devchain.node import Node
    from devchain.testing.reproducer import Read


class Isolation:
    """Takes a snapshot before every fixture and test, and reverts to it at their end.

    When a revert undoes fixtures of wider scope as well, they are set up again. `start_height` is
    the height at which the test under way started, `example_height` that at which its examples do,
    None without `@given`; `reads` is what the last example has read.
    """

    def __init__(self) -> None:
        self.node: Node | None = None
        self.start_height = 0
        self.example_height: int | None = None
        self.reads: list[Read] = []
        self._fixtures: list[tuple[int, pytest.FixtureDef[Any], pytest.FixtureRequest]] = []
        """Fixtures of a wider scope than a test, with the snapshots taken before."""
        self._isolated_item: object = None

    def end(self) -> None:
        self.node = None
        self._fixtures.clear()
        self._isolated_item = None

    @contextmanager
    def fixture_setup(
        self, fixture: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Iterator[None]:
        """Context in which a fixture is set up; what it does is reverted at its end."""
        snapshot = self._take_snapshot()
        # Registered before the fixture's own teardown, so it runs after it.
        fixture.addfinalizer(lambda: self._revert(snapshot))
        is_of_test = fixture.scope == "function"
        if is_of_test and self._isolated_item is not request.node:
            self._start_item(request.node)
        before = self.node.snapshots.find(snapshot) if self.node else None
        yield
        if not is_of_test and self.node and before != self.node.components.checkpoint():
            self._fixtures.append((snapshot, fixture, request))

    def start_test(self, item: pytest.Item) -> None:
        """Start a test's body; what it does is reverted with its first fixture, or at its end."""
        if self._isolated_item is item:
            return
        self._start_item(item)
        snapshot = self._take_snapshot()
        item.addfinalizer(lambda: self._revert(snapshot))

    def undo_fixtures(self) -> None:
        """End the fixtures of a wider scope that acted on the chain: they are set up again."""
        while self._fixtures:
            _, fixture, request = self._fixtures[-1]
            fixture.finish(request)  # type: ignore[arg-type]  # pytest's hint is its own class
            self._fixtures = [setup for setup in self._fixtures if setup[1] is not fixture]

    def _start_item(self, item: pytest.Item) -> None:
        self._isolated_item = item
        item.addfinalizer(self._end_item)
        node = self.node
        self.start_height = node.chain.height if node else 0
        self.example_height = None
        if node:
            node.explainer.forget_failures()

    def _end_item(self) -> None:
        self._isolated_item = None  # the same test may run again: with a mutant, or as it failed

    def _take_snapshot(self) -> int:
        return self.node.snapshots.take() if self.node else 0

    def _revert(self, snapshot: int) -> None:
        # When a test has reverted to before it, or reset the chain, all fixtures are.
        if self.node is None:
            return
        lost = not self.node.revert(snapshot)
        self.node.snapshots.drop(snapshot)
        if lost:
            from devchain.node.forking import return_to_beginning

            return_to_beginning(self.node)
        undone = [setup for setup in self._fixtures if lost or setup[0] >= snapshot]
        self._fixtures = [setup for setup in self._fixtures if setup not in undone]
        for _, fixture, request in reversed(undone):
            fixture.finish(request)


ISOLATION = pytest.StashKey[Isolation]()
