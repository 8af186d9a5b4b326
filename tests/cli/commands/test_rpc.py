"""`devchain.cli.commands.rpc`"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devchain.cli.options import complete_method
from tests.accounts import ALICE_HEX
from tests.cli.conftest import Ran, Runner
from tests.cli.scripted import ScriptedClient


class TestRpc:
    def test_result(self, devchain: Runner) -> None:
        """The result is printed as JSON."""
        ran = devchain("rpc", "eth_getBlockByNumber", "0x5", "false")

        assert ran == Ran(0, "null\n", "")

    def test_raw(self, devchain: Runner) -> None:
        """--raw prints a text bare, and everything else as JSON."""
        assert devchain("rpc", "--raw", "net_version").out == "31\n"
        assert devchain("rpc", "-r", "eth_syncing").out == "false\n"

    @pytest.mark.parametrize(
        ("text", "sent"),
        [
            ("latest", "latest"),
            ("0x1", "0x1"),
            ("1", 1),
            ("-1", -1),
            ("true", True),
            ("null", None),
            ('{"a": [1]}', {"a": [1]}),
            ('"1"', "1"),
            ("NaN", "NaN"),
            ("[" * 5_000, "[" * 5_000),
        ],
        ids=lambda value: str(value)[:10],
    )
    def test_params(self, run_on: Callable[..., Ran], text: str, sent: object) -> None:
        """Each parameter is JSON if it parses as JSON, else a string."""
        node = ScriptedClient(x_y=None)
        run_on(node, "rpc", "x_y", text)

        assert node.calls == [("x_y", sent)]

    def test_error(self, devchain: Runner) -> None:
        """An error of the node is told with its code."""
        ran = devchain("rpc", "eth_getBalance", ALICE_HEX, "0x99")

        assert ran.code == 1
        assert ran.err.startswith("error: header not found")
        assert ran.err.endswith(" (code -32000)\n")


class TestCompleteMethod:
    def test_every_method(self) -> None:
        """Completion knows exactly the methods of the catalog."""
        from devchain.rpc.catalog import METHODS

        assert complete_method("") == sorted(METHODS)

    def test_prefix(self) -> None:
        """Only names that begin so are offered."""
        assert complete_method("evm_sn") == ["evm_snapshot"]
