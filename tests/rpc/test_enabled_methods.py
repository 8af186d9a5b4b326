"""`devchain.rpc.enabled_methods`"""

from __future__ import annotations

import re
from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import ConfigError, RpcFailure
from devchain.node import Node
from devchain.rpc.catalog import METHODS
from devchain.rpc.enabled_methods import EnabledMethods

HOSTED = {"hosted": True, "api_key": ("key",)}


def offered(**options: Any) -> set[str]:
    """The names of the methods that a node with those options offers."""
    return {each.name for each in EnabledMethods(Config(**options)).methods()}


def of(*namespaces: str) -> set[str]:
    """Every method of some namespaces."""
    return {name for name in METHODS if name.split("_")[0] in namespaces}


class TestMethods:
    def test_all(self) -> None:
        """Without options everything is open."""
        assert offered() == set(METHODS)

    @pytest.mark.parametrize("given", [("eth", "net"), ("eth,net",), (" eth , net ",)])
    def test_opened(self, given: tuple[str, ...]) -> None:
        """What is named is open and nothing else."""
        assert offered(methods=given) == of("eth", "net")

    def test_one(self) -> None:
        """A method can be opened alone."""
        assert offered(methods=("net", "debug_traceCall")) == of("net") | {"debug_traceCall"}

    def test_closed(self) -> None:
        """What is named is closed and nothing else."""
        actual = offered(no_methods=("personal", "evm_reset"))

        assert actual == set(METHODS) - of("personal") - {"evm_reset"}

    def test_both(self) -> None:
        """What is closed is closed, even if it is opened as well."""
        actual = offered(methods=("net", "eth_chainId"), no_methods=("net_version", "eth"))

        assert actual == of("net") - {"net_version"}

    def test_hosted(self) -> None:
        """The hosted service opens no more than its own."""
        actual = offered(**HOSTED, methods=("evm", "net"))

        assert actual == {"net_version"}

    @pytest.mark.parametrize("option", ["methods", "no_methods"])
    @pytest.mark.parametrize("name", ["db", "eth_", "", "eth_compileSolidity", "ETH"])
    def test_unknown(self, option: str, name: str) -> None:
        """A name that would open or close nothing is refused."""
        config = Config(**{option: (name,)})

        with pytest.raises(ConfigError, match=f"--{option.replace('_', '-')}: no method and no"):
            EnabledMethods(config)

    def test_nearly(self) -> None:
        """A name that is nearly right is put right."""
        with pytest.raises(ConfigError, match="did you mean eth_chainId"):
            EnabledMethods(Config(no_methods=("eth_chainID",)))


class TestNamespaces:
    def test_all(self) -> None:
        """The namespaces are those of the methods, in order of appearance."""
        actual = EnabledMethods(Config()).namespaces()

        assert actual == list(dict.fromkeys(re.split("[_.]", name)[0] for name in METHODS))

    def test_hosted(self) -> None:
        """The hosted service has three."""
        assert EnabledMethods(Config(**HOSTED)).namespaces() == ["eth", "net", "web3"]

    def test_one_method(self) -> None:
        """A namespace is on as long as one of its methods is."""
        assert EnabledMethods(Config(methods=("eth_chainId",))).namespaces() == ["eth"]


class TestOnTheWire:
    @pytest.fixture
    def config(self) -> Config:
        """A node with three namespaces, and of one of them all but a method."""
        return Config(methods=("eth", "rpc", "evm"), no_methods=("evm_reset",), accounts=1)

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("evm_reset", "evm_reset is disabled on this node: start without --no-methods"),
            (
                "net_version",
                "net_version is disabled on this node: start with --methods net_version",
            ),
            ("eth_chainID", "did you mean eth_chainId"),
        ],
    )
    def test_closed(self, client: LocalClient, name: str, reason: str) -> None:
        """A closed method is not found, with the option that opens it."""
        with pytest.raises(RpcFailure, match=reason) as failure:
            client.call(name)

        assert failure.value.code == -32601

    def test_modules(self, client: LocalClient) -> None:
        """`rpc_modules` names what is open."""
        assert list(client.call("rpc_modules")) == ["eth", "evm", "rpc"]

    def test_unknown(self, node: Node) -> None:
        """A node is not served when its options name what there is not."""
        with Node(Config(methods=("nothing",), accounts=1)) as other, pytest.raises(ConfigError):
            LocalClient(other)
