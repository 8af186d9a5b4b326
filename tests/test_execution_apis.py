"""The conformance tests of the Ethereum execution API, if they are available.

They were recorded on another chain: only what does not depend on the chain is compared.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devchain.node import Node
from devchain.rpc.catalog import METHODS
from devchain.rpc.dispatch import Dispatcher

FOLDER = Path(__file__).parents[2] / "shared/conformance/execution-apis/io"
FILES = sorted(FOLDER.glob("*/*.io"))

ACCEPTED_HERE = {
    "filter-error-future-block-range",  # a future range gives []
    "filter-error-reversed-block-range",  # and so does a reversed one
    "get-storage-invalid-key-too-large",  # leading zeros do not count
}


def exchanges(path: Path) -> list[tuple[bytes, dict[str, Any]]]:
    """The requests of a file with the recorded responses."""
    lines = path.read_text(encoding="utf-8").splitlines()
    sent = [line[3:].encode() for line in lines if line.startswith(">> ")]
    answered = [json.loads(line[3:]) for line in lines if line.startswith("<< ")]
    return list(zip(sent, answered, strict=True))


@pytest.mark.skipif(not FILES, reason="the conformance tests are not available")
class TestRequests:
    @pytest.mark.parametrize(
        "path", FILES, ids=[f"{each.parent.name}/{each.stem}" for each in FILES]
    )
    def test_answered(self, node: Node, path: Path) -> None:
        """Invalid requests are refused, null results are null, the rest is answered."""
        for request, theirs in exchanges(path):
            ours = json.loads(Dispatcher(node).serve_now(request) or b"")
            if path.parent.name not in METHODS:
                assert ours["error"]["code"] == -32601
            elif theirs.get("error", {}).get("code") == -32602:
                assert ("error" in ours) is (path.stem not in ACCEPTED_HERE)
            elif "result" in theirs and theirs["result"] is None:
                assert ours["result"] is None
            else:
                assert ours.get("error", {}).get("code") in {None, -32000, -32010, -32015}
