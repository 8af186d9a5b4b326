"""What failures cost: sources are read, and code maps made, only for who asks why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from devchain import Config, Node, connect
from devchain.contracts import artifact_files, source_file
from devchain.contracts.artifact_registry import Registry
from devchain.errors import RpcFailure
from devchain.node.call_explainer import CallExplainer
from tests.contracts.till import FILE

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

    watch(Registry, "code_map")
    watch(source_file, "text_of")
    watch(artifact_files, "load_artifacts")
    watch(Node, "call_frames")
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


def test_explanations_read(node: Node, till: str, read: list[str]) -> None:
    """An explanation reads the sources."""
    client = connect(node)
    other = client.call("eth_accounts")[1]

    explained = client.call("devchain_explainCall", {"from": other, "to": till, "data": SET_RATE})

    assert explained["sourceTrace"]["frames"][-1]["line"] == 27
    assert {"code_map", "call_frames"} <= set(read)
