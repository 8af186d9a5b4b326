"""`devchain.rpc.methods.rpc`"""

from __future__ import annotations

import re
from dataclasses import replace

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.node import Node
from devchain.rpc.catalog import METHODS
from devchain.rpc.methods.rpc import modules


class TestModules:
    def test_all(self, client: LocalClient) -> None:
        """Every namespace that is on is named, with its version as text."""
        actual = client.call("rpc_modules")

        assert actual == {re.split("[_.]", name)[0]: "1.0" for name in METHODS}

    def test_hosted(self, config: Config) -> None:
        """The hosted service would name only what it offers."""
        hosted = Node(replace(config, hosted=True, api_key=("key",)))

        assert modules(hosted) == {"eth": "1.0", "net": "1.0", "web3": "1.0"}
