"""Fixtures that run the state tests with both engines."""

from __future__ import annotations

import pytest

from devchain.config import Config
from tests.conftest import GENESIS_TIME


@pytest.fixture(params=["fast", "reference"])
def config(request: pytest.FixtureRequest) -> Config:
    """The configuration of `node`, once for each engine."""
    return Config(network="test", fixed_clock=GENESIS_TIME, engine=request.param)
