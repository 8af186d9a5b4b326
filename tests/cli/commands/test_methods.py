"""`devchain.cli.commands.methods`"""

from __future__ import annotations

import json

from devchain.rpc.catalog import METHODS
from tests.cli.conftest import Runner


class TestMethods:
    def test_all(self, devchain: Runner) -> None:
        """Every method is listed with its parameters and its summary."""
        result = devchain("methods")

        assert result.code == 0
        for method in METHODS.values():
            assert f"{method.name}({method.signature})\n" in result.out

    def test_prefix(self, devchain: Runner) -> None:
        """A prefix narrows the list."""
        result = devchain("methods", "evm_sn")

        assert result.out == (
            "Mining, snapshots and time\n"
            "evm_snapshot()\n"
            "    Take a snapshot of the whole node and return its id, which is never reused.\n"
        )

    def test_unsupported(self, devchain: Runner) -> None:
        """Unsupported methods are listed with the reason."""
        result = devchain("methods", "eth_compileSol")

        assert result.out.startswith(
            "eth_compileSolidity not supported\n    the node has no compilers"
        )

    def test_unknown(self, devchain: Runner) -> None:
        """A prefix that no method has is an error."""
        result = devchain("methods", "xyz")

        assert (result.code, result.out) == (1, "")
        assert "no method begins with 'xyz'" in result.err

    def test_disabled(self, devchain: Runner) -> None:
        """Methods disabled by options are not listed."""
        found = json.loads(devchain("methods", "--json", "--no-methods", "evm").out)

        assert list(found) == [name for name in METHODS if not name.startswith("evm_")]


def test_help(devchain: Runner) -> None:
    """The help has the options that decide which methods there are; others work as well."""
    text = devchain("methods", "--help").out

    assert "--no-methods" in text
    assert "--block-time" not in text
    assert "devchain methods --help-all" in text
    assert len(text.splitlines()) < 50
    assert devchain("methods", "--block-time", "2", "net_v").code == 0
