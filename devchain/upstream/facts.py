"""What is known of the chain up to the fork block: in memory, and from the upstream."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable
from concurrent.futures import Future
from enum import Enum
from typing import Any, Final

from devchain.errors import FactNotRecorded, FactsMissing, UpstreamFailed
from devchain.upstream.client import Upstream
from devchain.upstream.fact import Fact, ForkBlock, fact
from devchain.upstream.threads import in_background

__all__ = ["MISSING", "Fact", "Facts", "ForkBlock", "fact"]


class Missing(Enum):
    """The type of `MISSING`."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING
"""Stands for a value that is not known; null is one that is."""


class Facts:
    """What is known of the chain up to the fork block, and the way to learn more.

    One object serves a node and its copies. A fact is read in the event loop's thread, and may be
    fetched in others.

    `deferred` says that the upstream must not be waited for here: an unknown fact then raises
    `FactsMissing`, for the caller to fetch what is missing and to begin anew.
    """

    def __init__(self, upstream: Upstream | None, file: None, fork: ForkBlock) -> None:  # noqa: ARG002  # comes next
        """Know nothing yet of the chain with that block; without an upstream stay offline."""
        self.upstream = upstream
        self.fork = fork
        self.deferred = False
        self.hits = 0
        self._known: dict[Fact, Any] = {}
        self._touched: dict[bytes, set[int]] = {}
        self._lock = threading.Lock()
        self._under_way: dict[Fact, Future[None]] = {}
        if upstream is not None:
            upstream.pin(fork)

    def find(self, fact: Fact) -> Any:
        """The value of a fact, or `MISSING`; never asks the upstream."""
        return self._known.get(fact, MISSING)

    def get(self, fact: Fact) -> Any:
        """The value of a fact; asks the upstream if it is not known.

        Raises `FactsMissing` instead while `deferred`, `UpstreamFailed` if there is no answer.
        """
        value = self._known.get(fact, MISSING)
        if value is MISSING:
            self.need((fact,))
            value = self.find(fact)
        return value

    def need(self, facts: Iterable[Fact]) -> None:
        """Make sure that all of these are known, with one batch for those that are not.

        Raises as `get` does.
        """
        missing = [each for each in facts if self.find(each) is MISSING]
        if not missing:
            return
        if self.upstream is None:
            raise self._not_recorded(missing[0])
        if self.deferred:
            raise FactsMissing(missing[0], missing)
        answers = self._ask(missing)
        for each in missing:
            if isinstance(answers[each], UpstreamFailed):
                raise answers[each]

    def fetch(self, missing: FactsMissing) -> None:
        """Ask the upstream for facts that are missing, and wait for its answer.

        Raises `UpstreamFailed` if there is none to the fact that is needed; an error for the others
        is ignored.
        """
        if self.upstream is None:
            raise self._not_recorded(missing.needed)
        needed = missing.needed
        wanted = sorted(missing.wanted - {needed})
        answer = self._ask([needed, *wanted])[needed]
        if isinstance(answer, UpstreamFailed):
            raise answer

    def fetch_in_background(self, missing: FactsMissing) -> Future[None]:
        """The same in a worker thread; the future raises what `fetch` does."""
        return in_background(lambda: self.fetch(missing))

    def touched(self, key: bytes) -> set[int]:
        """The storage slots that were touched last time under that key: see `touch`."""
        return self._touched.get(key, set())

    def touch(self, key: bytes, slots: Collection[int]) -> None:
        """Remember which slots were touched, for them to be fetched together next time.

        The key is the hash of a contract's code and the selector of the function called.
        """
        self._touched[key] = set(slots)

    def close(self) -> None:
        """Close the connections of the upstream."""
        if self.upstream is not None:
            self.upstream.close()

    def _ask(self, facts: Collection[Fact]) -> dict[Fact, Any]:
        """The values of facts, or errors; those that another thread asks for are waited for."""
        others: set[Future[None]] = set()
        mine: list[Fact] = []
        done: Future[None] = Future()
        with self._lock:
            for each in facts:
                if self.find(each) is not MISSING:
                    continue
                if each in self._under_way:
                    others.add(self._under_way[each])
                else:
                    self._under_way[each] = done
                    mine.append(each)
        try:
            answers = self._ask_now(mine)
        finally:
            with self._lock:
                for each in mine:
                    del self._under_way[each]
            done.set_result(None)
        for other in others:
            other.result()
        failed = [each for each in facts if each not in answers and self.find(each) is MISSING]
        answers |= self._ask_now(failed)  # what failed for another thread
        return {each: answers.get(each, self.find(each)) for each in facts}

    def _ask_now(self, facts: Collection[Fact]) -> dict[Fact, Any]:
        if self.upstream is None or not facts:
            return {}
        answers = self.upstream.ask(list(facts))
        values = {
            each: value for each, value in answers.items() if not isinstance(value, UpstreamFailed)
        }
        self._known.update(values)
        return answers

    def _not_recorded(self, fact: Fact) -> FactNotRecorded:
        return FactNotRecorded(
            f"{fact.in_words()} of chain {self.fork.chain_id} is not recorded, and the upstream is "
            "not asked (--offline): run this once without --offline to record it"
        )
