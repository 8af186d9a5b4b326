"""`devchain.server` as a whole: whatever some clients send, others are served"""

from __future__ import annotations

import dataclasses
import json
import sys

import pytest
from hypothesis import HealthCheck, given, settings

from tests.server.fairness import (
    CONFIG,
    LOOP,
    Attack,
    Part,
    Unfair,
    as_json,
    attacks,
    check,
    check_once,
    corpus,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

CPU_SECONDS = 0.3
"""How long the server works for the attackers of an example."""


DISTINCT = (
    "batches-large-many",
    "big-answers",
    "bodies-that-never-end",
    "executions-many",
    "http-pages-many",
    "http-pipelined-behind-a-body",
    "http-small-chunks",
    "ipc-nested",
    "long-answers",
    "mining",
    "subscriptions",
    "websocket-pings-many",
    "websocket-small-messages",
)
"""Attacks of the corpus on different parts of the server; `make fuzz` begins with all of it."""


@pytest.mark.parametrize("name", DISTINCT)
def test_corpus(name: str) -> None:
    """Attacks that once worked."""
    check(corpus()[name], CPU_SECONDS)


@settings(max_examples=2, suppress_health_check=list(HealthCheck))
@given(attacks)
def test_any_attack(found: list[Attack]) -> None:
    """Attacks that Hypothesis draws."""
    check(found, CPU_SECONDS)


class TestModel:
    def test_it_can_fail(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A server whose executions take longer than expected is found to be unfair."""
        longer = dataclasses.replace(CONFIG, request_timeout=1.5)
        monkeypatch.setattr("tests.server.fairness.CONFIG", longer)
        monkeypatch.setattr("tests.server.fairness.EXECUTION_SECONDS", 0.0)
        loops = Attack("ipc", [Part(method="eth_call", params=[LOOP, "latest"], times=20)])

        # On a busy machine an attempt may end before the attack begins.
        with pytest.raises(Unfair, match=r"waited \d+ ms of CPU \(at most \d+\)"):
            all(check_once([loops], 10.0) for _ in range(5))

    def test_it_notices_memory(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A server that keeps all that connections send is found to take too much memory."""
        monkeypatch.setattr("devchain.server.limits.MAX_HELD_BYTES", 2**40)
        monkeypatch.setattr("tests.server.fairness.MEMORY_BYTES", 40 * 2**20)

        with pytest.raises(Unfair, match="memory grew by"):
            check(corpus()["bodies-that-never-end"], 10.0)

    def test_as_json(self) -> None:
        """What is found can be kept."""
        for found in corpus().values():
            assert [Attack.from_json(each) for each in json.loads(as_json(found))] == found
