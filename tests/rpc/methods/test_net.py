"""`devchain.rpc.methods.net`"""

from __future__ import annotations

import pytest

from devchain.config import Config
from devchain.node import Node
from devchain.rpc.methods.net import version


class TestVersion:
    @pytest.mark.parametrize(
        ("network", "expected"), [("main", "30"), ("test", "31"), ("dev", "32"), ("local", "33")]
    )
    def test_networks(self, network: str, expected: str) -> None:
        """Each network has its id, as decimal text."""
        assert version(Node(Config(network=network))) == expected
