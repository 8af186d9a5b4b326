"""`devchain.upstream.facts`"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from devchain.errors import FactNotRecorded, FactsMissing, UpstreamRefused
from devchain.upstream.client import Upstream
from devchain.upstream.fact_file import FactFile
from devchain.upstream.facts import MISSING, Facts, RecentFacts, fact
from tests.upstream.server import FORK, Failure, FakeUpstream, Reply

ADDRESS = "0x" + "ab" * 20
BALANCE = fact("eth_getBalance", ADDRESS, "0x64")
CODE = fact("eth_getCode", ADDRESS, "0x64")
NONCE = fact("eth_getTransactionCount", ADDRESS, "0x64")
SLOT = fact("eth_getStorageAt", ADDRESS, "0x7", "0x64")


@pytest.fixture
def facts(fake: FakeUpstream) -> Facts:
    """Facts of the fake node."""
    return Facts(Upstream([fake.url], retries=0), None, FORK)


class TestKnown:
    def test_get(self, facts: Facts, fake: FakeUpstream) -> None:
        """A fact is asked once."""
        assert facts.find(BALANCE) is MISSING
        assert facts.get(BALANCE) == "0x64"
        assert facts.get(BALANCE) == facts.find(BALANCE) == "0x64"
        assert fake.calls == ["eth_getBlockByNumber", "eth_getBalance"]

    def test_need(self, facts: Facts, fake: FakeUpstream) -> None:
        """Several facts are asked in one batch, those that are not known."""
        facts.get(BALANCE)
        fake.bodies.clear()

        facts.need([BALANCE, CODE, NONCE])

        assert fake.calls == ["eth_getCode", "eth_getTransactionCount"]
        assert (facts.find(CODE), facts.find(NONCE)) == ("0x6001", "0x1")

    def test_null(self, facts: Facts, fake: FakeUpstream) -> None:
        """That there is no transaction of a hash is known, too."""
        fake.results["eth_getTransactionByHash"] = None
        unknown = fact("eth_getTransactionByHash", "0x" + "12" * 32)

        assert facts.get(unknown) is None
        assert facts.find(unknown) is None

    def test_error(self, facts: Facts, fake: FakeUpstream) -> None:
        """An error is raised and not remembered."""
        fake.results["eth_getCode"] = Failure(-32603, "not now")

        with pytest.raises(UpstreamRefused, match="not now"):
            facts.need([BALANCE, CODE])
        fake.results["eth_getCode"] = "0x01"
        assert (facts.get(CODE), facts.find(BALANCE)) == ("0x01", "0x64")


class TestMemory:
    def test_recent(self) -> None:
        """What was used last is kept, at most twice as much as is asked for."""
        recent = RecentFacts(limit=2_000)
        facts = [fact("eth_getStorageAt", ADDRESS, hex(slot), "0x64") for slot in range(200)]
        for number, each in enumerate(facts):
            recent.add(each, hex(number))
            assert recent.find(facts[0]) == "0x0"
            assert recent.find(each) == hex(number)
        found = [each for each in facts if recent.find(each) is not MISSING]
        assert 30 < len(found) < 70
        assert facts[1] not in found

    def test_with_a_file(
        self, fake: FakeUpstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What the file has is read from it again; it is never asked for again."""
        monkeypatch.setattr("devchain.upstream.facts.RecentFacts", lambda: RecentFacts(500))
        file = FactFile(tmp_path / "facts.sqlite")
        facts = Facts(Upstream([fake.url], retries=0), file, FORK)
        slots = [fact("eth_getStorageAt", ADDRESS, hex(slot), "0x64") for slot in range(100)]
        facts.need(slots)
        asked = len(fake.calls)

        assert [facts.get(each) for each in slots] == [hex(slot) for slot in range(100)]
        assert len(fake.calls) == asked
        assert facts.hits > 80
        assert facts._known == {}
        facts.close()

    def test_what_is_not_in_the_file(
        self, fake: FakeUpstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It stays in memory: what may change upstream, and all once the file cannot be written."""
        monkeypatch.setattr("devchain.upstream.facts.RecentFacts", lambda: RecentFacts(1))
        file = FactFile(tmp_path / "facts.sqlite")
        facts = Facts(Upstream([fake.url], retries=0), file, FORK)
        later = fact("eth_getTransactionByHash", "0x" + "12" * 32)
        fake.results["eth_getTransactionByHash"] = {"blockNumber": hex(FORK.number + 1)}
        assert facts.get(later) == facts.get(later)
        file._problem = "the disk is full"
        assert facts.get(BALANCE) == facts.get(BALANCE) == "0x64"
        assert set(facts._known) == {later, BALANCE}
        assert fake.calls.count("eth_getBalance") == 1
        facts.close()


class TestDeferred:
    def test_missing(self, facts: Facts, fake: FakeUpstream) -> None:
        """While it must not wait, an unknown fact is an exception that names all to fetch."""
        facts.deferred = True

        with pytest.raises(FactsMissing, match=f"the code of {ADDRESS} at block 100") as caught:
            facts.need([CODE, NONCE])
        assert (caught.value.needed, caught.value.wanted) == (CODE, {CODE, NONCE})
        assert fake.calls == []

        facts.fetch(FactsMissing(CODE, {NONCE, SLOT}))
        assert [facts.get(each) for each in (CODE, NONCE, SLOT)] == ["0x6001", "0x1", "0x7"]
        assert facts.upstream is not None
        assert facts.upstream.round_trips == 1

    def test_in_background(self, facts: Facts) -> None:
        """A worker thread fetches what is missing."""
        facts.fetch_in_background(FactsMissing(CODE)).result()

        assert facts.find(CODE) == "0x6001"

    def test_error_of_needed(self, facts: Facts, fake: FakeUpstream) -> None:
        """An error for the fact that is needed is raised, for the others it is ignored."""
        fake.results["eth_getCode"] = Failure(-32603, "not now")

        facts.fetch(FactsMissing(BALANCE, {CODE}))
        with pytest.raises(UpstreamRefused, match="not now"):
            facts.fetch_in_background(FactsMissing(CODE, {NONCE})).result()
        assert (facts.find(BALANCE), facts.find(NONCE)) == ("0x64", "0x1")

    def test_asked_once(self, facts: Facts, fake: FakeUpstream) -> None:
        """Two requests that miss the same facts ask for each of them once."""
        begun, go_on = threading.Event(), threading.Event()

        def wait(_: Any) -> Reply | None:
            begun.set()
            go_on.wait(10)
            return None

        fake.faults.append(wait)
        first = facts.fetch_in_background(FactsMissing(CODE, {NONCE}))
        begun.wait(10)
        second = facts.fetch_in_background(FactsMissing(NONCE, {BALANCE}))
        go_on.set()
        first.result(10)
        second.result(10)

        assert sorted(set(fake.calls)) == sorted(
            ["eth_getBalance", "eth_getBlockByNumber", "eth_getCode", "eth_getTransactionCount"]
        )
        assert fake.calls.count("eth_getTransactionCount") == 1


class TestOffline:
    def test_unknown(self) -> None:
        """Without an upstream an unknown fact is an error that names it, never zero."""
        facts = Facts(None, None, FORK)

        for deferred in (False, True):
            facts.deferred = deferred
            with pytest.raises(
                FactNotRecorded, match=f"storage slot 0x7 of {ADDRESS} at block 100"
            ):
                facts.get(SLOT)
        with pytest.raises(FactNotRecorded, match="without --offline"):
            facts.fetch(FactsMissing(SLOT))
