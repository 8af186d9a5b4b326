"""Fixtures of the JSON-RPC tests."""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.rpc.scalar_decoders import DecodeContext


@pytest.fixture
def context() -> DecodeContext:
    """The settings that decoders see of a node with default options."""
    return DecodeContext.from_config(Config(network="test"))
