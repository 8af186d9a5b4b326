"""What failures cost: sources are read, and code maps made, only for who asks why.

What an execution has made is freed when it has failed, without the garbage collector.
"""

from __future__ import annotations

import gc
import sys
import traceback
from collections.abc import Iterator
from typing import Any

import pytest

from devchain import Config, Node, connect
from devchain.contracts import artifact_files, sources
from devchain.contracts.artifact_registry import Registry
from devchain.errors import ExecutionReverted, RpcFailure
from devchain.node.call_explainer import CallExplainer
from tests.contracts.till import FILE
from tests.contracts.vault import VAULT

SET_RATE = f"0x34fcf437{3:064x}"
LIMIT = "0xa4d66daf"


@pytest.fixture
def node() -> Iterator[Node]:
    """A node that knows the contracts of a project."""
    with Node(Config(network="test", artifacts=(str(FILE),))) as made:
        yield made


@pytest.fixture
def till(node: Node) -> str:
    """The address of a deployed `Till`, whose owner is the first account."""
    return f"0x{node.deploy('Till').address.hex()}"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was read or made that only explanations need."""
    found: list[str] = []

    def watch(owner: Any, name: str) -> None:
        plain = getattr(owner, name)

        def watched(*arguments: Any, **options: Any) -> Any:
            found.append(name)
            return plain(*arguments, **options)

        monkeypatch.setattr(owner, name, watched)

    watch(Registry, "compiled")
    watch(sources, "text_of")
    watch(artifact_files, "load_artifacts")
    watch(CallExplainer, "transaction_frames")
    watch(CallExplainer, "call_frames")
    return found


def test_nothing_is_read(node: Node, till: str, read: list[str]) -> None:
    """Transactions that pass, and calls, estimates and transactions that fail, read nothing."""
    client = connect(node)
    owner, other = client.call("eth_accounts")[:2]
    asked = {"from": other, "to": till, "data": SET_RATE}

    tx_hash = client.call("eth_sendTransaction", {**asked, "from": owner, "gas": "0x30d40"})
    assert client.call("eth_getTransactionReceipt", tx_hash)["status"] == "0x1"
    client.call("eth_call", {"to": till, "data": LIMIT}, "latest")
    for method in ("eth_call", "eth_estimateGas"):
        with pytest.raises(RpcFailure, match="not the owner"):
            client.call(method, asked, "latest")
    failed = client.call("eth_sendTransaction", {**asked, "gas": "0x30d40"})
    assert client.call("eth_getTransactionReceipt", failed)["status"] == "0x0"

    assert read == []


def printed(error: BaseException) -> str:
    """What Python prints of an error that ends a program."""
    return "".join(traceback.format_exception(error))


class TestNotes:
    """Notes of errors: what Python prints below one that ends a program."""

    def raised(self, node: Node) -> ExecutionReverted:
        """An error of a transaction, caught."""
        other = node.funded_accounts[1]
        with pytest.raises(ExecutionReverted) as raised:
            node.deploy("Till").setRate(3, sender=other)
        return raised.value

    def test_printed(self, node: Node, read: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        """They are found when the error is printed: the places in the source."""
        error = self.raised(node)
        assert read == []
        with monkeypatch.context() as plain:
            plain.delitem(sys.modules, "_pytest")
            text = printed(error)

        assert "not the owner ✋\n  at Till.setRate(to=3)" in text
        assert text.count("not the owner ✋") == 2  # the error, and the source
        assert "transaction_frames" in read

    def test_hint(self, node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
        """The hint comes first; without sources it is alone."""
        with pytest.raises(ExecutionReverted) as raised:
            node.deploy(VAULT, 60).withdraw(value=1)
        with monkeypatch.context() as plain:
            plain.delitem(sys.modules, "_pytest")
            text = printed(raised.value)

        hint = "hint: Vault.withdraw is not payable, and was sent 1 wei"
        assert f"ExecutionReverted: execution reverted\n{hint}\n" in text

    def test_in_pytest(self, node: Node, read: list[str]) -> None:
        """Where pytest reads notes of expected errors nothing is executed; notes can be added."""
        error = self.raised(node)
        with pytest.raises(ExecutionReverted, match=r"not the owner ✋$"):
            raise error
        error.add_note("seen")

        assert printed(error).endswith("seen\n")
        error.__notes__ = ["other"]
        assert printed(error).endswith("other\n")
        assert read == []


def test_explanations_read(node: Node, till: str, read: list[str]) -> None:
    """An explanation reads the sources."""
    client = connect(node)
    other = client.call("eth_accounts")[1]

    explained = client.call("devchain_explainCall", {"from": other, "to": till, "data": SET_RATE})

    assert explained["sourceTrace"]["frames"][-1]["line"] == 27
    assert {"compiled", "call_frames"} <= set(read)


@pytest.mark.parametrize("method", ["eth_call", "eth_estimateGas", "eth_sendTransaction"])
def test_no_cycles(node: Node, till: str, method: str) -> None:
    """A failure leaves no reference cycles, which keep the state until the collector runs."""
    client = connect(node)
    other = client.call("eth_accounts")[1]
    asked = {"from": other, "to": till, "data": SET_RATE, "gas": "0x30d40"}

    def fail() -> None:
        assert client.batch([(method, asked)])

    fail()
    gc.collect()
    gc.disable()
    try:
        fail()
        unreachable = gc.collect()
    finally:
        gc.enable()

    assert unreachable == 0
