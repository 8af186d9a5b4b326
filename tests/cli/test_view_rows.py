"""`devchain.cli.view_rows`"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from devchain.client.chain_reader import ChainReader
from devchain.client.http import Call, LocalClient
from devchain.client.views import Notation
from devchain.errors import RpcFailure, VmError
from devchain.node import Node
from tests.cli.conftest import Result, Runner
from tests.cli.scripted import ScriptedClient
from tests.contracts.till import FILE, TILL


@pytest.mark.parametrize(
    ("variable", "uses_eip1191"), [(None, False), ("false", False), ("1", True), ("True", True)]
)
def test_eip1191(
    monkeypatch: pytest.MonkeyPatch, variable: str | None, *, uses_eip1191: bool
) -> None:
    """The variable of `--checksum-addresses` changes how addresses are shown."""
    monkeypatch.delenv("DEVCHAIN_CHECKSUM_ADDRESSES", raising=False)
    if variable is not None:
        monkeypatch.setenv("DEVCHAIN_CHECKSUM_ADDRESSES", variable)

    notation = ChainReader(ScriptedClient(eth_chainId="0x1f")).notation()

    assert notation == Notation(31, uses_eip1191)


class TestProject:
    @pytest.fixture
    def project(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A Foundry project in the current folder."""
        (tmp_path / "foundry.toml").write_text("[profile.default]\n")
        (tmp_path / "out").mkdir()
        shutil.copy(FILE, tmp_path / "out")
        monkeypatch.chdir(tmp_path)
        return tmp_path

    @pytest.fixture
    def other_node(self, node: Node) -> OtherNode:
        """A node without devchain's methods, with a sale that worked and one that failed."""
        till = node.deploy(TILL)
        till.sell(2)
        with pytest.raises(VmError):
            till.sell(40)
        return OtherNode(node)

    def test_wrong_artifacts(self, devchain: Runner) -> None:
        """A path that does not exist is refused, also where its sources would not be needed."""
        assert devchain("watch", "--once", "--artifacts", "nowhere") == Result(
            1, "", "error: there are no artifacts at nowhere: no such file or folder\n"
        )

    def test_names(
        self, project: Path, other_node: OtherNode, run_on: Callable[..., Result]
    ) -> None:
        """On other nodes contracts, functions and errors have names from the project here."""
        text = run_on(other_node, "watch", "--once").out

        assert " → new Till() at 0x" in text
        assert " → Till.sell(count=2) · " in text
        assert " · custom error TooMuch(amount=140)\n" in text
        block = run_on(other_node, "inspect", "block").out
        assert "(Till)\n    call      Till.sell(count=40)\n" in block
        assert "    reason    custom error TooMuch(amount=140)\n" in block

    def test_events(
        self, project: Path, other_node: OtherNode, run_on: Callable[..., Result]
    ) -> None:
        """So have events."""
        logs = run_on(other_node, "inspect", "logs").out

        assert "\nEvent         Sold(" in logs

    def test_damaged(
        self, project: Path, other_node: OtherNode, run_on: Callable[..., Result]
    ) -> None:
        """A project that cannot be read is none."""
        (project / "out" / FILE.name).write_text("{")
        result = run_on(other_node, "watch", "--once")

        assert result.code == 0
        assert "Till" not in result.out


class OtherNode:
    """A client of a node that has no method of devchain's own, and no reasons of its own."""

    def __init__(self, node: Node) -> None:
        self._client = LocalClient(node)

    def call(self, method: str, *params: object) -> Any:
        """The result of a call."""
        if method.startswith("devchain_"):
            raise RpcFailure(-32601, "no such method")
        try:
            return self._client.call(method, *params)
        except RpcFailure as failure:
            raise RpcFailure(failure.code, "execution reverted", failure.data) from None

    def batch(self, calls: Sequence[Call]) -> list[Any]:
        """The results of several calls, with errors in their places."""
        results: list[Any] = []
        for method, *params in calls:
            try:
                results.append(self.call(str(method), *params))
            except RpcFailure as failure:
                results.append(failure)
        return results
