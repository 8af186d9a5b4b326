"""`devchain.rpc.methods.eth.client`"""

from __future__ import annotations

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.node import Node
from devchain.rpc.methods.eth.client import (
    accounts,
    chain_id,
)
from tests.accounts import ALICE


class TestChainId:
    @pytest.mark.parametrize(
        ("network", "expected"),
        [("main", "0x1e"), ("test", "0x1f"), ("dev", "0x20"), ("local", "0x21")],
    )
    def test_networks(self, network: str, expected: str) -> None:
        """Each network has its chain id."""
        assert LocalClient(Node(Config(network=network))).call("eth_chainId") == expected

    def test_option(self) -> None:
        """`--chain-id` replaces it."""
        assert chain_id(Node(Config(chain_id=1337))) == 1337


class TestAccounts:
    def test_locked(self, node: Node) -> None:
        """A locked account is still listed."""
        node.accounts.lock(ALICE)

        assert accounts(node)[0] == ALICE
