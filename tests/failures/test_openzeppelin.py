"""The check of source traces against OpenZeppelin's sources: what it finds right and wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from devchain import Config, Node
from tests.failures.openzeppelin import (
    NEAR,
    OFF,
    RIGHT,
    SILENT,
    WRONG,
    Collector,
    Failure,
    Sources,
    verdict,
)

SOURCE = """\
contract Vault {
    function take(uint256 amount)
        external
    {
        _spend{gas: 9}(
            amount // revert Other()
        );
    }
    function _spend(uint256 amount) internal {
        if (amount > have) revert TooMuch(amount);
        require(open, "closed");
        have -= amount;
    }
}
"""
ERROR = "11111111"


def frame(function: str, line: int, *, approximate: bool = False) -> dict[str, Any]:
    """A frame of a trace."""
    place = {
        "path": "Vault.sol",
        "line": line,
        "confidence": "near" if approximate else "exact",
        "note": None,
    }
    return {"contract": "Vault", "function": function, "kind": "function", **place}


def judged(tmp_path: Path, payload: str, *frames: dict[str, Any]) -> str:
    """What the check says of a trace."""
    (tmp_path / "Vault.sol").write_text(SOURCE)
    sources = Sources(tmp_path, {ERROR: "TooMuch", "22222222": "Other"})
    return verdict(sources, Failure("Vault.take", payload, {"frames": list(frames)}))[0]


class TestVerdict:
    """Whether a trace agrees with the sources."""

    @pytest.mark.parametrize(
        ("payload", "line", "expected"),
        [
            (ERROR, 10, RIGHT),
            (ERROR, 12, WRONG),
            ("22222222", 10, WRONG),
            ("4e487b71" + f"{0x11:064x}", 12, RIGHT),
            ("4e487b71" + f"{0x32:064x}", 12, WRONG),
            ("08c379a0" + f"{32:064x}{6:064x}" + b"closed".hex().ljust(64, "0"), 11, RIGHT),
            ("08c379a0" + f"{32:064x}{6:064x}" + b"opened".hex().ljust(64, "0"), 11, WRONG),
            ("", 11, WRONG),
        ],
    )
    def test_innermost(self, tmp_path: Path, payload: str, line: int, expected: str) -> None:
        """The statement at the innermost place fails with that payload."""
        frames = frame("take", 5), frame("_spend", line)

        assert judged(tmp_path, payload, *frames) == expected

    def test_outer(self, tmp_path: Path) -> None:
        """The statement at an outer place calls the function of the next frame."""
        assert judged(tmp_path, ERROR, frame("take", 12), frame("_spend", 10)) == WRONG

    def test_approximate(self, tmp_path: Path) -> None:
        """An approximate place may be elsewhere, the others may not."""
        near = frame("_spend", 10, approximate=True)
        off = frame("_spend", 11, approximate=True)

        assert judged(tmp_path, ERROR, frame("take", 5), near) == NEAR
        assert judged(tmp_path, ERROR, frame("take", 5), off) == OFF
        assert judged(tmp_path, ERROR, frame("take", 12), near) == WRONG

    def test_other_function(self, tmp_path: Path) -> None:
        """The first frame is of the function that was called."""
        assert judged(tmp_path, ERROR, frame("_spend", 10)) == WRONG

    def test_silent(self, tmp_path: Path) -> None:
        """A trace without a place for the failure is silent."""
        assert judged(tmp_path, ERROR, frame("take", 5), frame("_spend", 0)) == SILENT


class TestCollector:
    """What the server between a suite and the node keeps."""

    def test_failures(self) -> None:
        """Each kind of failure is kept once, with its payload; answers are those of the node."""
        server = Collector(Node(Config(like="hardhat")))
        revert = {"data": "0x63111111116000526004601cfd"}
        body = {"jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [revert]}
        batch = orjson.dumps([body, {**body, "method": "eth_estimateGas"}, body])
        try:
            answers = orjson.loads(server.serve(batch))
        finally:
            server.server_close()

        assert [each["error"]["code"] for each in answers] == [3, 3, 3]
        assert [each.payload for each in server.found.values()] == [ERROR]
        assert server.counts["failing requests"] == 3
