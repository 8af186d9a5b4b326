"""`devchain.rpc.methods.eth.client`"""

from __future__ import annotations

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.node import Node
from devchain.rpc.methods.eth.client import (
    accounts,
    block_number,
    chain_id,
    protocol_version,
    syncing,
)
from devchain.types import Address
from tests.accounts import ADDRESSES, ALICE, ALICE_HEX

COW = Address(bytes.fromhex("cd2a3d9f938e13cd947ec05abc7fe734df8dd826"))


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


class TestBlockNumber:
    def test_genesis(self, node: Node) -> None:
        """A chain starts at zero."""
        assert block_number(node) == 0

    def test_on_the_wire(self, client: LocalClient) -> None:
        """The newest block's number is a QUANTITY."""
        client.call("evm_mine", {"blocks": 16})

        assert client.call("eth_blockNumber") == "0x10"


class TestAccounts:
    def test_funded(self, node: Node) -> None:
        """The ten accounts Hardhat and anvil users know are there."""
        assert accounts(node) == list(ADDRESSES)

    def test_locked(self, node: Node) -> None:
        """A locked account is still listed."""
        node.accounts.lock(ALICE)

        assert accounts(node)[0] == ALICE

    def test_local(self) -> None:
        """The local network's cows come after them."""
        actual = accounts(Node(Config(network="local", accounts=1)))

        assert (actual[:2], len(actual)) == ([ALICE, COW], 11)

    def test_on_the_wire(self, client: LocalClient) -> None:
        """Addresses leave in lower case."""
        assert client.call("eth_accounts")[0] == ALICE_HEX

    def test_hosted(self) -> None:
        """The hosted service has no keys."""
        assert accounts(Node(Config(hosted=True, api_key=("key",)))) == []


class TestProtocolVersion:
    def test_version(self, node: Node) -> None:
        """The version is the real node's."""
        assert protocol_version(node) == 0x3E


class TestSyncing:
    def test_never(self, node: Node) -> None:
        """A node without peers never synchronizes."""
        assert syncing(node) is False
