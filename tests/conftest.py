"""Fixtures every room shares: a node whose clock stands still, and a client of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from devchain.config import Config
from devchain.node import Node

if TYPE_CHECKING:
    from devchain.client.http import LocalClient

pytest_plugins = ["pytester"]

GENESIS_TIME = 1_700_000_000

# The same examples on every run and however busy the machine is.
settings.register_profile("devchain", derandomize=True, deadline=None, database=None)
settings.load_profile("devchain")


@pytest.fixture
def config() -> Config:
    """How `node` behaves; a test class that wants another node overrides this fixture."""
    return Config(network="test", fixed_clock=GENESIS_TIME)


@pytest.fixture
def node(config: Config) -> Iterator[Node]:
    """A fresh node at genesis; its clock stands still at `GENESIS_TIME`."""
    with Node(config) as fresh:
        yield fresh


@pytest.fixture
def client(node: Node) -> LocalClient:
    """A JSON-RPC client of `node`, in this process."""
    from devchain.client.http import LocalClient

    return LocalClient(node)
