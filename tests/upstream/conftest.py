"""A node to fork from that answers as a test wants."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.upstream.server import FakeTime, FakeUpstream, serve


@pytest.fixture
def fake() -> Iterator[FakeUpstream]:
    """A node that is served over HTTP."""
    with serve(FakeUpstream()) as served:
        yield served


@pytest.fixture
def other() -> Iterator[FakeUpstream]:
    """Another node of the same chain."""
    with serve(FakeUpstream()) as served:
        yield served


@pytest.fixture
def clock() -> FakeTime:
    """A clock on which pauses take no time."""
    return FakeTime()
