"""The fork cache: what the upstream has answered, in memory, in a file, and else asked of it."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import Future
from enum import Enum
from typing import Any, Final

from devchain.errors import ForkCacheMiss, NotInForkCache, UpstreamFailed, UpstreamRefused
from devchain.upstream.cache_file import CacheFile
from devchain.upstream.client import Upstream
from devchain.upstream.queries import ForkBlock, UpstreamQuery, canonical, quantity
from devchain.upstream.threads import in_background


class Missing(Enum):
    """The type of `MISSING`."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING
"""Stands for a value that is not known; null is one that is."""


OPTIONAL = frozenset({"eth_getBlockReceipts", "eth_getLogs"})
"""Methods that callers can do without: a refusal of them is remembered, and raised again."""

FAILED_EXECUTION = frozenset({-32015, 3})
"""Error codes of executions that failed: Rootstock's nodes', and go-ethereum's of a revert.

That a call fails is cached as `{"error": MESSAGE}`.
"""

NUMBER_OF_FOUND = {
    "eth_getBlockByHash": "number",
    "eth_getTransactionByHash": "blockNumber",
    "eth_getTransactionReceipt": "blockNumber",
}
"""Methods that find something by its hash, and the member that has the number of its block."""


RECENT_BYTES = 8 * 1024 * 1024
"""Cached JSON that is kept in memory though the file has it: so much at least, at most twice."""


class RecentValues:
    """The cached values used last of those that are in the file.

    Two dictionaries: what is used goes to the younger; when that is full it becomes the elder, and
    the elder is dropped.
    """

    def __init__(self, limit: int = RECENT_BYTES) -> None:
        """Keep at least so many bytes of JSON."""
        self._limit = limit
        self._younger: dict[UpstreamQuery, Any] = {}
        self._elder: dict[UpstreamQuery, Any] = {}
        self._size = 0

    def find(self, query: UpstreamQuery) -> Any:
        """The answer to a query, or `MISSING`."""
        value = self._younger.get(query, MISSING)
        if value is MISSING:
            value = self._elder.get(query, MISSING)
            if value is not MISSING:
                self.add(query, value)
        return value

    def add(self, query: UpstreamQuery, value: Any) -> None:
        """Keep an answer."""
        size = len(value) if isinstance(value, str) else len(canonical(value))
        self._size += size + len(query.params)
        self._younger[query] = value
        if self._size > self._limit:
            self._younger, self._elder = {}, self._younger
            self._size = 0


class ForkCache:
    """Answers of the upstream about the chain up to the fork block, and the way to get more.

    One object serves a node and its copies. A value is read in the event loop's thread, and may be
    fetched in others.

    `hits` counts the values that were found in the file. `record_advice` is how to record what is
    missing offline, in the words of who opened the fork; else those of the command line.
    `deferred` says that the upstream must not be waited for here: an unknown value then raises
    `ForkCacheMiss`, for the caller to fetch what is missing and to begin anew.
    """

    def __init__(self, upstream: Upstream | None, file: CacheFile | None, fork: ForkBlock) -> None:
        """Know what the file has of the chain with that block; without an upstream stay offline."""
        self.upstream = upstream
        self.file = file
        self.fork = fork
        self.record_advice = ""
        self._here = threading.local()
        self.hits = 0
        self._recent = RecentValues()
        self._known: dict[UpstreamQuery, Any] = {}  # that is not in the file
        self._refused: dict[UpstreamQuery, UpstreamRefused] = {}
        self._lock = threading.Lock()
        self._under_way: dict[UpstreamQuery, Future[None]] = {}
        if upstream is not None:
            upstream.pin(fork)

    @property
    def deferred(self) -> bool:
        """Whether an unknown value raises `ForkCacheMiss` in this thread; False until it is set."""
        return getattr(self._here, "deferred", False)

    @deferred.setter
    def deferred(self, value: bool) -> None:
        self._here.deferred = value

    def find(self, query: UpstreamQuery) -> Any:
        """The cached answer to a query, or `MISSING`; never asks the upstream."""
        value = self._known.get(query, MISSING)
        if value is MISSING and self.file is not None:
            value = self._recent.find(query)
            if value is MISSING:
                value = self.file.find(self.fork, query, MISSING)
                if value is not MISSING:
                    self._recent.add(query, value)
                    self.hits += 1
        return value

    def get(self, query: UpstreamQuery) -> Any:
        """The answer to a query; asks the upstream if it is not cached.

        Raises `ForkCacheMiss` instead while `deferred`, `UpstreamFailed` if there is no answer.
        """
        value = self.find(query)
        if value is MISSING:
            self.need((query,))
            value = self.find(query)
        return value

    def need(self, queries: Iterable[UpstreamQuery]) -> None:
        """Make sure that all of these are known, with one batch for those that are not.

        Raises as `get` does.
        """
        missing = [query for query in queries if self.find(query) is MISSING]
        if not missing:
            return
        for each in missing:
            if each in self._refused:
                raise self._refused[each]
        if self.upstream is None:
            raise self._not_recorded(missing[0])
        if self.deferred:
            raise ForkCacheMiss(missing[0], missing)
        answers = self._ask(missing)
        for each in missing:
            if isinstance(answers[each], UpstreamFailed):
                raise answers[each]

    def fetch(self, missing: ForkCacheMiss) -> None:
        """Ask the upstream for what is missing, and wait for its answer.

        Raises `UpstreamFailed` if there is none to the query that is needed; an error for the
        others is ignored, and so is the refusal of a method of `OPTIONAL`.
        """
        if self.upstream is None:
            raise self._not_recorded(missing.needed)
        needed = missing.needed
        wanted = sorted(missing.wanted - {needed})
        answer = self._ask([needed, *wanted])[needed]
        if isinstance(answer, UpstreamFailed) and needed not in self._refused:
            raise answer

    def fetch_in_background(self, missing: ForkCacheMiss) -> Future[None]:
        """The same in a worker thread; the future raises what `fetch` does."""
        return in_background(lambda: self.fetch(missing))

    def add(self, answers: Mapping[UpstreamQuery, Any]) -> None:
        """Add what was asked before the fork block was known."""
        self._keep(answers)

    def close(self) -> None:
        """Close the file and the connections of the upstream; what is in memory stays known."""
        if self.upstream is not None:
            self.upstream.close()
        if self.file is not None:
            self.file.close()

    def _ask(self, queries: Collection[UpstreamQuery]) -> dict[UpstreamQuery, Any]:
        others: set[Future[None]] = set()
        mine: list[UpstreamQuery] = []
        done: Future[None] = Future()
        with self._lock:
            for each in queries:
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
        failed = [
            query for query in queries if query not in answers and self.find(query) is MISSING
        ]
        answers |= self._ask_now(failed)  # what failed for another thread
        return {query: answers.get(query, self.find(query)) for query in queries}

    def _ask_now(self, queries: Collection[UpstreamQuery]) -> dict[UpstreamQuery, Any]:
        if self.upstream is None or not queries:
            return {}
        answers = {
            each: {"error": answer.reason} if _has_failed(each, answer) else answer
            for each, answer in self.upstream.ask(list(queries)).items()
        }
        values = {
            each: value for each, value in answers.items() if not isinstance(value, UpstreamFailed)
        }
        self._keep(values)
        self._refused |= {
            each: answer
            for each, answer in answers.items()
            if each.method in OPTIONAL and isinstance(answer, UpstreamRefused)
        }
        return answers

    def _is_permanent(self, query: UpstreamQuery, value: Any) -> bool:
        # What is found by a hash may be of a later block, and that one may change.
        member = NUMBER_OF_FOUND.get(query.method)
        if member is None or value is None:
            return True
        number = value.get(member)
        return number is not None and quantity(number) <= self.fork.number

    def _keep(self, values: Mapping[UpstreamQuery, Any]) -> None:
        permanent = {
            value: values[value] for value in values if self._is_permanent(value, values[value])
        }
        if self.file is None or not permanent or not self.file.save(self.fork, permanent):
            self._known.update(values)
            return
        self._known.update({value: values[value] for value in values.keys() - permanent.keys()})
        for each, value in permanent.items():
            self._recent.add(each, value)

    def _not_recorded(self, query: UpstreamQuery) -> NotInForkCache:
        place, cache = "no fork cache is open", ""
        if self.file is not None:
            place = f"it is not in {self.file.path}"
            cache = f" --fork-cache {self.file.path}"
        advice = self.record_advice or (
            "run this once on a node started with "
            f"`devchain start --fork-url URL@{self.fork.number}{cache}`, without --offline"
        )
        return NotInForkCache(
            f"{query.in_words()} of chain {self.fork.chain_id} is not known ({place}), and the "
            f"upstream is not asked: to record it, {advice}"
        )


def _has_failed(query: UpstreamQuery, answer: Any) -> bool:
    return (
        query.method == "eth_call"
        and isinstance(answer, UpstreamRefused)
        and answer.code in FAILED_EXECUTION
    )
