"""`devchain.rpc.methods.web3`"""

from __future__ import annotations

import sys

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.node import Node, version
from devchain.rpc.methods.web3 import client_version, sha3


class TestClientVersion:
    def test_parts(self, node: Node) -> None:
        """Name, version, hardfork and Python, between slashes."""
        python = f"python{sys.version_info.major}.{sys.version_info.minor}"

        assert client_version(node) == f"devchain/{version()}/vetiver/{python}"

    def test_option(self) -> None:
        """`--client-version` sets another text."""
        assert client_version(Node(Config(client_version="anvil/v1"))) == "anvil/v1"


class TestSha3:
    @pytest.mark.parametrize(
        ("data", "expected"),
        [
            ("0x", "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"),
            (
                "0x68656c6c6f20776f726c64",
                "0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad",
            ),
        ],
        ids=["empty", "hello world"],
    )
    def test_known(self, client: LocalClient, data: str, expected: str) -> None:
        """The hash is Keccak-256, not the standardised SHA3-256."""
        assert client.call("web3_sha3", data) == expected

    def test_length(self, node: Node) -> None:
        """A hash has 32 bytes."""
        assert len(sha3(node, b"\0" * 1_000)) == 32

    @pytest.mark.parametrize("value", ["hello", "0x1", "68", 1, []])
    def test_not_data(self, client: LocalClient, value: object) -> None:
        """Values other than DATA are refused with the parameter's name."""
        with pytest.raises(RpcFailure, match="argument data: want ") as caught:
            client.call("web3_sha3", value)

        assert caught.value.code == -32602
