"""`devchain.upstream.fork_cache`"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from devchain.errors import ForkCacheMiss, NotInForkCache, UpstreamRefused
from devchain.upstream.client import Upstream
from devchain.upstream.fork_cache import MISSING, ForkCache
from devchain.upstream.fork_cache_file import CacheFile
from devchain.upstream.queries import upstream_query
from tests.upstream.server import FORK, Failure, FakeUpstream, Reply

ADDRESS = "0x" + "ab" * 20
BALANCE = upstream_query("eth_getBalance", ADDRESS, "0x64")
CODE = upstream_query("eth_getCode", ADDRESS, "0x64")
NONCE = upstream_query("eth_getTransactionCount", ADDRESS, "0x64")
SLOT = upstream_query("eth_getStorageAt", ADDRESS, "0x7", "0x64")


@pytest.fixture
def cache(fake: FakeUpstream) -> ForkCache:
    """ForkCache of the fake node."""
    return ForkCache(Upstream([fake.url], retries=0), None, FORK)


class TestKnown:
    def test_get(self, cache: ForkCache, fake: FakeUpstream) -> None:
        """A value is asked once."""
        assert cache.find(BALANCE) is MISSING
        assert cache.get(BALANCE) == "0x64"
        assert cache.get(BALANCE) == cache.find(BALANCE) == "0x64"
        assert fake.calls == ["eth_getBlockByNumber", "eth_getBalance"]

    def test_need(self, cache: ForkCache, fake: FakeUpstream) -> None:
        """Several values are asked in one batch, those that are not known."""
        cache.get(BALANCE)
        fake.bodies.clear()

        cache.need([BALANCE, CODE, NONCE])

        assert fake.calls == ["eth_getCode", "eth_getTransactionCount"]
        assert (cache.find(CODE), cache.find(NONCE)) == ("0x6001", "0x1")

    def test_null(self, cache: ForkCache, fake: FakeUpstream) -> None:
        """That there is no transaction of a hash is known, too."""
        fake.results["eth_getTransactionByHash"] = None
        unknown = upstream_query("eth_getTransactionByHash", "0x" + "12" * 32)

        assert cache.get(unknown) is None
        assert cache.find(unknown) is None

    def test_error(self, cache: ForkCache, fake: FakeUpstream) -> None:
        """An error is raised and not remembered."""
        fake.results["eth_getCode"] = Failure(-32603, "not now")

        with pytest.raises(UpstreamRefused, match="not now"):
            cache.need([BALANCE, CODE])
        fake.results["eth_getCode"] = "0x01"
        assert (cache.get(CODE), cache.find(BALANCE)) == ("0x01", "0x64")


class TestMemory:
    def test_with_a_file(
        self, fake: FakeUpstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What the file has is read from it again; it is never asked for again."""
        monkeypatch.setattr("devchain.upstream.fork_cache.RECENT_BYTES", 500)
        file = CacheFile(tmp_path / "forks.sqlite")
        cache = ForkCache(Upstream([fake.url], retries=0), file, FORK)
        slots = [
            upstream_query("eth_getStorageAt", ADDRESS, hex(slot), "0x64") for slot in range(100)
        ]
        cache.need(slots)
        asked = len(fake.calls)

        assert [cache.get(each) for each in slots] == [hex(slot) for slot in range(100)]
        assert len(fake.calls) == asked
        assert cache.hits > 80
        assert (cache._known, len(cache._recent) < 20) == ({}, True)
        cache.close()

    def test_what_is_not_in_the_file(
        self, fake: FakeUpstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It stays in memory: what may change upstream, and all once the file cannot be written."""
        monkeypatch.setattr("devchain.upstream.fork_cache.RECENT_BYTES", 1)
        file = CacheFile(tmp_path / "forks.sqlite")
        cache = ForkCache(Upstream([fake.url], retries=0), file, FORK)
        later = upstream_query("eth_getTransactionByHash", "0x" + "12" * 32)
        fake.results["eth_getTransactionByHash"] = {"blockNumber": hex(FORK.number + 1)}
        assert cache.get(later) == cache.get(later)
        file._problem = "the disk is full"
        assert cache.get(BALANCE) == cache.get(BALANCE) == "0x64"
        assert set(cache._known) == {later, BALANCE}
        assert fake.calls.count("eth_getBalance") == 1
        cache.close()


class TestDeferred:
    def test_missing(self, cache: ForkCache, fake: FakeUpstream) -> None:
        """While it must not wait, an unknown value is an exception that names all to fetch."""
        cache.deferred = True

        with pytest.raises(ForkCacheMiss, match=f"the code of {ADDRESS} at block 100") as caught:
            cache.need([CODE, NONCE])
        assert (caught.value.needed, caught.value.wanted) == (CODE, {CODE, NONCE})
        assert fake.calls == []

        cache.fetch(ForkCacheMiss(CODE, {NONCE, SLOT}))
        assert [cache.get(each) for each in (CODE, NONCE, SLOT)] == ["0x6001", "0x1", "0x7"]
        assert cache.upstream is not None
        assert cache.upstream.round_trips == 1

    def test_in_background(self, cache: ForkCache) -> None:
        """A worker thread fetches what is missing."""
        cache.fetch_in_background(ForkCacheMiss(CODE)).result()

        assert cache.find(CODE) == "0x6001"

    def test_error_of_needed(self, cache: ForkCache, fake: FakeUpstream) -> None:
        """An error for the value that is needed is raised, for the others it is ignored."""
        fake.results["eth_getCode"] = Failure(-32603, "not now")

        cache.fetch(ForkCacheMiss(BALANCE, {CODE}))
        with pytest.raises(UpstreamRefused, match="not now"):
            cache.fetch_in_background(ForkCacheMiss(CODE, {NONCE})).result()
        assert (cache.find(BALANCE), cache.find(NONCE)) == ("0x64", "0x1")

    def test_asked_once(self, cache: ForkCache, fake: FakeUpstream) -> None:
        """Two requests that miss the same values ask for each of them once."""
        begun, go_on = threading.Event(), threading.Event()

        def wait(_: Any) -> Reply | None:
            begun.set()
            go_on.wait(10)
            return None

        fake.faults.append(wait)
        first = cache.fetch_in_background(ForkCacheMiss(CODE, {NONCE}))
        begun.wait(10)
        second = cache.fetch_in_background(ForkCacheMiss(NONCE, {BALANCE}))
        go_on.set()
        first.result(10)
        second.result(10)

        assert sorted(set(fake.calls)) == sorted(
            ["eth_getBalance", "eth_getBlockByNumber", "eth_getCode", "eth_getTransactionCount"]
        )
        assert fake.calls.count("eth_getTransactionCount") == 1


class TestOffline:
    def test_unknown(self) -> None:
        """Without an upstream an unknown value is an error that names it, never zero."""
        cache = ForkCache(None, None, FORK)

        for deferred in (False, True):
            cache.deferred = deferred
            with pytest.raises(NotInForkCache, match=f"storage slot 0x7 of {ADDRESS} at block 100"):
                cache.get(SLOT)
        with pytest.raises(NotInForkCache, match="without --offline"):
            cache.fetch(ForkCacheMiss(SLOT))
