"""What users are shown of a fork, and the errors of a fork that cannot begin."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from devchain.client.http import connect
from devchain.errors import ConfigError, DevchainError
from devchain.node import Node
from devchain.server.serve import serve_in_thread
from tests.fork.upstreams import fork_of

KEY = "0123456789SECRET"


@pytest.fixture
def upstream() -> Iterator[Node]:
    """A node to fork, at block 5."""
    with Node(fixed_clock=1_700_000_000) as node:
        node.mine(5)
        yield node


def test_the_status_has_no_key_and_counts_what_was_read(tmp_path: Path) -> None:
    """`devchain_getFork` names the upstream by its host; a second fork finds all in the cache."""
    cache = str(tmp_path / "forks.sqlite")
    with Node(fixed_clock=1_700_000_000, api_key=(KEY,)) as node, serve_in_thread(node) as url:
        first = Node(fork_url=f"{url}/{KEY}", fork_cache=cache)
        with first as fork:
            found = connect(fork).call("devchain_getFork")
        assert found["url"] == url
        assert KEY not in str(found)
        assert (found["blockNumber"], found["newestBlock"], found["cacheHits"]) == (0, 0, 0)
        assert (found["upstreamRequests"], found["upstreamRoundTrips"]) == (4, 2)
    with Node(offline=True, fork_cache=cache) as fork:
        found = connect(fork).call("devchain_getFork")
        assert (found["url"], found["newestBlock"], found["upstreamRequests"]) == (None, None, 0)
        assert found["cacheHits"] > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fork_url": "node.example"}, "write it like http"),
        ({"fork_url": "http://127.0.0.1:1"}, "cannot be reached"),
        ({"offline": True}, "needs --fork-cache"),
        ({"fork_block_number": 7}, "--fork-block-number needs --fork-url"),
        ({"fork_url": "http://127.0.0.1:1", "timeout": 0}, "timeout 0.0 is out of range"),
        ({"fork_url": "http://a.example", "retries": -1}, "retries -1 is out of range"),
        ({"fork_url": ("http://a.example@1", "http://b.example@2")}, "different blocks"),
    ],
)
def test_a_fork_that_cannot_begin_is_one_sentence(options: dict[str, object], message: str) -> None:
    """The error says what is wrong with the URL or the options."""
    with pytest.raises(DevchainError, match=message):
        Node(**{"retries": 0, **options})


def test_offline_without_the_file_leaves_no_file(tmp_path: Path) -> None:
    """The error names the file and what records it."""
    file = tmp_path / "forks.sqlite"
    with pytest.raises(ConfigError, match=r"there is no fork cache .*\.sqlite: record one"):
        Node(offline=True, fork_cache=str(file))
    assert not file.exists()


def test_metadata_and_node_info_name_the_fork(upstream: Node) -> None:
    """As Hardhat and anvil name it; a chain of its own has nothing there."""
    fork, _ = fork_of(upstream, fork_block_number=3)
    client = connect(fork)
    assert client.call("hardhat_metadata")["forkedNetwork"] == {
        "chainId": 33,
        "forkBlockNumber": 3,
        "forkBlockHash": f"0x{upstream.chain.block(3).hash.hex()}",
    }
    assert client.call("anvil_nodeInfo")["forkConfig"] == {
        "forkUrl": "http://upstream.example",
        "forkBlockNumber": 3,
        "forkRetryBackoff": 1000,
    }
    assert "forkedNetwork" not in connect(upstream).call("hardhat_metadata")
