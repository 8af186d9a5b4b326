"""`devchain.rpc.catalog`"""

from __future__ import annotations

import inspect
import re
import sys
import types
import typing

import pytest

from devchain.node import Node
from devchain.rpc import catalog
from devchain.rpc.catalog import CHAPTERS, DEPRECATED, METHODS, UNSUPPORTED
from devchain.rpc.subscriptions import Subscriptions

HOSTED = [
    "eth_accounts",
    "eth_blockNumber",
    "eth_call",
    "eth_chainId",
    "eth_config",
    "eth_estimateGas",
    "eth_gasPrice",
    "eth_getBalance",
    "eth_getBlockByHash",
    "eth_getBlockByNumber",
    "eth_getCode",
    "eth_getLogs",
    "eth_getStorageAt",
    "eth_getTransactionByHash",
    "eth_getTransactionCount",
    "eth_getTransactionReceipt",
    "eth_getBlockTransactionCountByHash",
    "eth_getBlockTransactionCountByNumber",
    "eth_getTransactionByBlockHashAndIndex",
    "eth_getTransactionByBlockNumberAndIndex",
    "eth_getUncleCountByBlockHash",
    "eth_getUncleCountByBlockNumber",
    "eth_protocolVersion",
    "eth_sendRawTransaction",
    "net_version",
    "web3_clientVersion",
    "web3_sha3",
]
"""The first table of the specification."""

NO_PENDING = [
    "eth_getUncleCountByBlockNumber",
    "eth_getCode",
    "eth_getBlockByNumber",
    "eth_getTransactionByBlockNumberAndIndex",
    "eth_getUncleByBlockNumberAndIndex",
]
"""Methods for which the specification marks `pending` as not supported."""


class TestEveryMethod:
    def test_name(self) -> None:
        """A wire name is `namespace_camelCase`, except OpenRPC's and some of anvil's."""
        usual = re.compile(r"[a-z][a-z0-9]*_[a-z][a-zA-Z0-9]*(_detailed|_v\d)?")

        assert [name for name in METHODS if not usual.fullmatch(name)] == ["rpc.discover"]

    def test_docstring(self) -> None:
        """A docstring starts with one complete sentence."""
        for name, method in METHODS.items():
            assert re.match(r"[A-Z].*[.]\Z", method.summary), name
            assert len(method.summary) <= 120, name

    def test_hints(self) -> None:
        """All parameters and the result have type hints; the first parameter is the node."""
        for method in METHODS.values():
            hints = typing.get_type_hints(method.function)

            assert list(hints) == [*inspect.signature(method.function).parameters, "return"]
            first = "subscriptions" if method.subscribes else "node"
            assert hints[first] is (Subscriptions if method.subscribes else Node)
            returns = hints["return"]
            expected = typing.get_args(returns)[-1] if method.in_slices else returns
            assert method.returns == expected

    def test_parameters(self) -> None:
        """Their names are words, since messages have them; the optional ones come last."""
        for method in METHODS.values():
            names = [parameter.name for parameter in method.parameters]
            optional = [parameter.is_optional for parameter in method.parameters]

            assert all(re.fullmatch(r"[a-z]{3,}(_[a-z]+)*", name) for name in names)
            assert optional == sorted(optional)


class TestMethods:
    def test_hosted(self) -> None:
        """The hosted methods are exactly those of the specification's first table."""
        actual = [name for name, method in METHODS.items() if method.hosted]

        assert sorted(actual) == sorted(HOSTED)

    def test_hosted_pending(self) -> None:
        """`pending` is refused exactly by the methods that the specification marks."""
        actual = [name for name, method in METHODS.items() if not method.hosted_pending]

        assert sorted(actual) == sorted(NO_PENDING)

    def test_every_function(self) -> None:
        """All marked functions of the chapters are in the catalog, once each."""
        modules = [sys.modules[f"devchain.rpc.methods.{path}"] for path in CHAPTERS.values()]
        marked = [
            name
            for module in modules
            for function in vars(module).values()
            if isinstance(function, types.FunctionType) and hasattr(function, "__rpc__")
            if function.__module__ == module.__name__
            for name in (*function.__rpc__["names"], function.__rpc__.get("by_hash"))
            if name
        ]

        assert marked == list(METHODS)

    def test_order(self) -> None:
        """Methods come in the order of the chapters."""
        actual = list(dict.fromkeys(method.chapter for method in METHODS.values()))

        assert actual == list(CHAPTERS)


class TestTwice:
    def test_defined_twice(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A method defined twice is a TypeError."""
        monkeypatch.setitem(CHAPTERS, "Again", "client")

        with pytest.raises(TypeError, match="eth_chainId is defined twice"):
            catalog._all_methods()


class TestRefused:
    def test_disjoint(self) -> None:
        """A name is either a method, unsupported or deprecated."""
        actual = [*METHODS, *UNSUPPORTED, *DEPRECATED]

        assert len(actual) == len(set(actual))

    def test_of_the_specification(self) -> None:
        """The compilers, Whisper, the database and another chain id are refused with a reason."""
        actual = {name.split("_")[0] for name in (*UNSUPPORTED, *DEPRECATED)}

        assert actual == {"eth", "shh", "db", "anvil"}
        assert (len(UNSUPPORTED), len(DEPRECATED)) == (15, 4)
