"""Fixtures of all tests: a node with a fixed clock, and a client of it."""

from __future__ import annotations

import gc
import signal
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

# A run under nohup, or in the background of a script, ignores signals; programs that tests start
# would inherit that.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Hypothesis: the same examples on every run, and no deadline on busy machines.
settings.register_profile("devchain", derandomize=True, deadline=None, database=None)
settings.load_profile("devchain")


def pytest_collection_finish() -> None:
    """Leave the 20,000 collected tests out of garbage collections, which took 0.5 s with them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _ample_time_for_traces() -> None:
    """Let places in sources be looked up however busy the machine is."""
    from devchain.node import call_explainer
    from devchain.server import events

    call_explainer.STACK_SECONDS = events.LOCATING_SECONDS = 60.0


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep caches and PID files apart from the user's: errors name what is recorded there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def config() -> Config:
    """Configuration of `node`; test classes override this fixture."""
    return Config(network="test", fixed_clock=GENESIS_TIME)


@pytest.fixture
def node(config: Config) -> Iterator[Node]:
    """A node at genesis; its clock is fixed at `GENESIS_TIME`."""
    with Node(config) as fresh:
        yield fresh


@pytest.fixture
def client(node: Node) -> LocalClient:
    """A JSON-RPC client of `node`, in process."""
    from devchain.client.http import LocalClient

    return LocalClient(node)
