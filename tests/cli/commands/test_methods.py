"""`devchain.cli.commands.methods`"""

from __future__ import annotations

import json

from devchain.rpc.catalog import METHODS
from tests.cli.conftest import Runner


class TestMethods:
    def test_all(self, devchain: Runner) -> None:
        """Every method is listed with its parameters and what it does."""
        ran = devchain("methods")

        assert ran.code == 0
        for method in METHODS.values():
            assert f"{method.name}({method.signature})\n" in ran.out

    def test_prefix(self, devchain: Runner) -> None:
        """A prefix narrows the list."""
        ran = devchain("methods", "evm_sn")

        assert ran.out == (
            "Chain control\n"
            "evm_snapshot()\n"
            "    Remember everything a caller can see; the snapshot's id, never used twice.\n"
        )

    def test_refused(self, devchain: Runner) -> None:
        """Names of methods that are not answered say why."""
        ran = devchain("methods", "eth_compileSol")

        assert ran.out.startswith(
            "eth_compileSolidity not supported\n    the node has no compilers"
        )

    def test_unknown(self, devchain: Runner) -> None:
        """A prefix of nothing is an error."""
        ran = devchain("methods", "xyz")

        assert (ran.code, ran.out) == (1, "")
        assert "no method begins with 'xyz'" in ran.err

    def test_json(self, devchain: Runner) -> None:
        """--json lists them as an object by name."""
        found = json.loads(devchain("methods", "--json").out)

        assert list(found) == list(METHODS)

    def test_closed(self, devchain: Runner) -> None:
        """What the options close is not listed."""
        found = json.loads(devchain("methods", "--json", "--no-methods", "evm").out)

        assert list(found) == [name for name in METHODS if not name.startswith("evm_")]
