"""A node to fork from that answers as a test wants."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

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


NOBODY = 65_534


@pytest.fixture
def read_only_folder() -> Iterator[Path]:
    """A folder to fill, and then to make read-only with `chmod`, by a user whom that binds."""
    folder = Path(tempfile.mkdtemp())
    user = os.geteuid()
    if user == 0:
        os.chown(folder, NOBODY, -1)
        os.seteuid(NOBODY)
    yield folder
    os.seteuid(user)
    folder.chmod(0o700)
    shutil.rmtree(folder)
