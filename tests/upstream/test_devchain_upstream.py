"""`devchain.upstream` with a devchain node upstream, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from devchain.errors import ForkBlockReorganized, UpstreamBlockUnknown, UpstreamUnauthorized
from devchain.upstream.cache_file import CacheFile
from devchain.upstream.client import Upstream
from devchain.upstream.fork_cache import ForkCache
from devchain.upstream.queries import ForkBlock, data, quantity, upstream_query, word
from tests.accounts import ALICE
from tests.server.live import CONFIG, serving

MAX_BATCH = 20
ALICE_HEX = f"0x{ALICE.hex()}"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A node that takes no batches of more than 20 calls."""
    with serving(replace(CONFIG, max_batch=MAX_BATCH)) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def upstream(url: str) -> Iterator[Upstream]:
    """A client of that node."""
    upstream = Upstream([url], retries=0)
    yield upstream
    upstream.close()


def fork_block(upstream: Upstream) -> ForkBlock:
    """The genesis block."""
    chain_id, block = upstream.read(
        upstream_query("eth_chainId"), upstream_query("eth_getBlockByNumber", "0x0", False)
    )
    return ForkBlock(quantity(chain_id), quantity(block["number"]), data(block["hash"], 32))


class TestNode:
    def test_state(self, upstream: Upstream, tmp_path: Path) -> None:
        """Balances, nonces, code and storage of the node, and again from the file."""
        fork = fork_block(upstream)
        wanted = [
            upstream_query("eth_getBalance", ALICE_HEX, "0x0"),
            upstream_query("eth_getTransactionCount", ALICE_HEX, "0x0"),
            upstream_query("eth_getCode", ALICE_HEX, "0x0"),
            upstream_query("eth_getStorageAt", ALICE_HEX, "0x0", "0x0"),
        ]
        cache = ForkCache(upstream, CacheFile(tmp_path / "forks.sqlite"), fork)
        cache.need(wanted)
        cache.close()

        offline = ForkCache(None, CacheFile(tmp_path / "forks.sqlite"), fork)
        for known in (cache, offline):
            balance, nonce, code, slot = map(known.get, wanted)
            assert quantity(balance) == 10_000 * 10**18
            assert (quantity(nonce), data(code), word(slot)) == (0, b"", 0)
        offline.close()
        assert (upstream.requests, upstream.round_trips) == (6, 2)

    def test_long_batch(self, upstream: Upstream) -> None:
        """A batch that is too long for the node is sent in shorter ones."""
        slots = [
            upstream_query("eth_getStorageAt", ALICE_HEX, hex(each), "0x0") for each in range(45)
        ]

        assert set(map(word, upstream.read(*slots))) == {0}
        assert upstream.providers[0].batch_size <= MAX_BATCH

    def test_unknown_block(self, upstream: Upstream) -> None:
        """The state of a block that the node does not have is an error that says so."""
        with pytest.raises(UpstreamBlockUnknown, match="does not have the balance of"):
            upstream.read(upstream_query("eth_getBalance", ALICE_HEX, "0x100"))

    def test_other_block(self, upstream: Upstream) -> None:
        """A fork from a block that the node has not is noticed at once."""
        cache = ForkCache(upstream, None, fork_block(upstream)._replace(hash=b"\x01" * 32))

        with pytest.raises(ForkBlockReorganized, match="block 0 of http"):
            cache.get(upstream_query("eth_getBalance", ALICE_HEX, "0x0"))

    def test_key(self) -> None:
        """A wrong key in the URL is an error that does not show it."""
        with serving(replace(CONFIG, api_key=("right-key",))) as port:
            base = f"http://127.0.0.1:{port}"
            upstream = Upstream([f"{base}/wrong-key"], retries=0)

            with pytest.raises(UpstreamUnauthorized) as caught:
                upstream.read(upstream_query("eth_chainId"))
            assert "wrong-key" not in str(caught.value)
            upstream.close()
            upstream = Upstream([f"{base}/right-key"], retries=0)
            assert upstream.read(upstream_query("eth_chainId")) == ["0x1f"]
            upstream.close()
