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
    """The names of the methods that those options enable."""
    return set(EnabledMethods(Config(**options)).by_name)


def of(*namespaces: str) -> set[str]:
    """All methods of some namespaces."""
    return {name for name in METHODS if name.split("_")[0] in namespaces}


class TestMethods:
    def test_all(self) -> None:
        """By default all methods are enabled."""
        assert offered() == set(METHODS)

    @pytest.mark.parametrize("given", [("eth", "net"), ("eth,net",), (" eth , net ",)])
    def test_opened(self, given: tuple[str, ...]) -> None:
        """`--methods` enables only the named namespaces."""
        assert offered(methods=given) == of("eth", "net")

    def test_one(self) -> None:
        """`--methods` enables a single method."""
        assert offered(methods=("net", "debug_traceCall")) == of("net") | {"debug_traceCall"}

    def test_closed(self) -> None:
        """`--no-methods` disables only the named methods."""
        actual = offered(no_methods=("personal", "evm_reset"))

        assert actual == set(METHODS) - of("personal") - {"evm_reset"}

    def test_both(self) -> None:
        """`--no-methods` takes precedence over `--methods`."""
        actual = offered(methods=("net", "eth_chainId"), no_methods=("net_version", "eth"))

        assert actual == of("net") - {"net_version"}

    def test_hosted(self) -> None:
        """`--methods` enables nothing that the hosted service does not have."""
        actual = offered(**HOSTED, methods=("evm", "net"))

        assert actual == {"net_version"}

    @pytest.mark.parametrize("option", ["methods", "no_methods"])
    @pytest.mark.parametrize("name", ["db", "eth_", "", "eth_compileSolidity", "ETH"])
    def test_unknown(self, option: str, name: str) -> None:
        """A name that matches no method is a configuration error."""
        config = Config(**{option: (name,)})

        with pytest.raises(ConfigError, match=f"--{option.replace('_', '-')}: no method and no"):
            EnabledMethods(config)

    def test_nearly(self) -> None:
        """The message suggests a similar name."""
        with pytest.raises(ConfigError, match="did you mean eth_chainId"):
            EnabledMethods(Config(no_methods=("eth_chainID",)))


class TestNamespaces:
    def test_all(self) -> None:
        """The namespaces are those of the methods, in the order of the catalog."""
        actual = EnabledMethods(Config()).namespaces()

        assert actual == list(dict.fromkeys(re.split("[_.]", name)[0] for name in METHODS))

    def test_hosted(self) -> None:
        """The hosted service has three namespaces."""
        assert EnabledMethods(Config(**HOSTED)).namespaces() == ["eth", "net", "web3"]

    def test_one_method(self) -> None:
        """A namespace is listed if one of its methods is enabled."""
        assert EnabledMethods(Config(methods=("eth_chainId",))).namespaces() == ["eth"]


class TestOnTheWire:
    @pytest.fixture
    def config(self) -> Config:
        """A node with three namespaces, one of them without one method."""
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
        """A disabled method is not found; the message names the option that enables it."""
        with pytest.raises(RpcFailure, match=reason) as failure:
            client.call(name)

        assert failure.value.code == -32601

    def test_modules(self, client: LocalClient) -> None:
        """`rpc_modules` lists the namespaces with enabled methods."""
        assert list(client.call("rpc_modules")) == ["eth", "rpc", "evm"]

    def test_unknown(self, node: Node) -> None:
        """A dispatcher refuses options with unknown names."""
        with Node(Config(methods=("nothing",), accounts=1)) as other, pytest.raises(ConfigError):
            LocalClient(other)
