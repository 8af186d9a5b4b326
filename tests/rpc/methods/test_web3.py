"""`devchain.rpc.methods.web3`"""

from __future__ import annotations

import sys

from devchain.config import Config
from devchain.node import Node, version
from devchain.rpc.methods.web3 import client_version


class TestClientVersion:
    def test_parts(self, node: Node) -> None:
        """Name, version, hardfork and Python, between slashes."""
        python = f"python{sys.version_info.major}.{sys.version_info.minor}"

        assert client_version(node) == f"devchain/{version()}/vetiver/{python}"

    def test_option(self) -> None:
        """`--client-version` sets another text."""
        assert client_version(Node(Config(client_version="anvil/v1"))) == "anvil/v1"
