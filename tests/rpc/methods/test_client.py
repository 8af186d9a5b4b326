"""`devchain.rpc.methods.client`"""

from __future__ import annotations

import sys

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.node import Node, version
from devchain.rpc.methods.client import accounts, chain_id, client_version
from tests.accounts import ALICE


class TestChainId:
    @pytest.mark.parametrize(
        ("network", "expected"), [("main", 30), ("test", 31), ("dev", 32), ("local", 33)]
    )
    def test_networks(self, network: str, expected: int) -> None:
        """Each network has its chain id, which is its network id, as decimal text."""
        client = LocalClient(Node(Config(network=network)))

        assert client.call("eth_chainId") == hex(expected)
        assert client.call("net_version") == str(expected)

    def test_option(self) -> None:
        """`--chain-id` replaces it."""
        assert chain_id(Node(Config(chain_id=1337))) == 1337


def test_accounts(node: Node) -> None:
    """A locked account is still listed."""
    node.accounts.lock(ALICE)

    assert accounts(node)[0] == ALICE


def test_client_version(node: Node) -> None:
    """Name, version, hardfork and Python, between slashes; `--client-version` sets another text."""
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"

    assert client_version(node) == f"devchain/{version()}/vetiver/{python}"
    assert client_version(Node(Config(client_version="anvil/v1"))) == "anvil/v1"
