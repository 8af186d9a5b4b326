"""Whatever reads a state reads that of either engine."""

from __future__ import annotations

import pytest

from devchain.config import Config
from tests.conftest import GENESIS_TIME


@pytest.fixture(params=["fast", "reference"])
def config(request: pytest.FixtureRequest) -> Config:
    """How `node` behaves, once on each engine."""
    return Config(network="test", fixed_clock=GENESIS_TIME, engine=request.param)
