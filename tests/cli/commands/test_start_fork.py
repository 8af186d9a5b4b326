"""`devchain start --fork-url` with an upstream or a file that cannot serve ends with a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from devchain.cli.main import main
from devchain.node import Node
from tests.fork.upstreams import ServedNode
from tests.upstream.server import Reply, serve

KEY = "0123456789SECRET"


@pytest.fixture
def upstream() -> Iterator[ServedNode]:
    """A node at block 5, served over HTTP."""
    with Node() as node:
        node.mine(5)
        with serve(ServedNode(node), f"/v3/{KEY}") as served:
            yield served


def failed(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """What a start says that ends with exit code 1: one line, without the key."""
    assert main(["start", "--port", "0", "--retries", "0", *options]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert KEY not in shown.err
    (line,) = shown.err.splitlines()
    return line


REPLIES = [
    (Reply(401, b'{"error":"no key"}'), "refuses access (HTTP 401): check the key in the URL"),
    (Reply(200, b"<html>"), "answers something that is not JSON-RPC: is it the URL of a node?"),
    (Reply(301, b""), "answers HTTP 301, a redirect: give the URL that it leads to"),
    (Reply(429, b""), "takes no more requests for now (HTTP 429): wait"),
]


class TestUpstream:
    @pytest.mark.parametrize(("reply", "message"), REPLIES)
    def test_that_does_not_answer(
        self, upstream: ServedNode, capsys: pytest.CaptureFixture[str], reply: Reply, message: str
    ) -> None:
        """Access is refused, it is no node, or it is too busy."""
        upstream.faults.append(lambda _: reply)
        assert message in failed(capsys, "--fork-url", upstream.url, "--no-storage-caching")

    @pytest.mark.parametrize(
        ("block", "message"),
        [
            ("99", "does not have block 99: choose an older block"),
            ("-99", "the chain to fork has no block -99: its newest is 5 (--fork-block-number, "),
        ],
    )
    def test_without_the_block(
        self, upstream: ServedNode, capsys: pytest.CaptureFixture[str], block: str, message: str
    ) -> None:
        """The block to fork at is not there."""
        url = f"{upstream.url}@{block}"
        assert message in failed(capsys, "--fork-url", url, "--no-storage-caching")

    def test_that_is_not_there(self, capsys: pytest.CaptureFixture[str]) -> None:
        """No connection."""
        line = failed(capsys, "--fork-url", f"http://127.0.0.1:1/{KEY}", "--no-storage-caching")
        assert line.startswith("error: http://127.0.0.1:1 cannot be reached")
        assert line.endswith(": check the URL")


class TestCache:
    def test_that_is_no_database(
        self, upstream: ServedNode, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        """A file of something else, and a folder."""
        path = tmp_path / "notes.txt"
        path.write_text("hello\n" * 200)
        line = failed(capsys, "--fork-url", upstream.url, "--fork-cache", str(path))
        assert "cannot be used as a fork cache (file is not a database)" in line
        line = failed(capsys, "--fork-url", upstream.url, "--fork-cache", str(tmp_path))
        assert line == f"error: {tmp_path} is a folder: give a file as --fork-cache"
