"""The fork cache: answers of the upstream, in memory and in a file. It asks for missing ones."""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import orjson
from eth_hash.auto import keccak

from devchain.errors import ForkCacheMiss, NotInForkCache, UpstreamFailed, UpstreamRefused
from devchain.upstream.client import Upstream
from devchain.upstream.fork_cache_file import CacheFile
from devchain.upstream.http import in_background
from devchain.upstream.queries import ForkBlock, UpstreamQuery, canonical, quantity, upstream_query

MISSING: Any = object()  # stands for a value that is not known; null is one that is


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


RECENT_BYTES = 16 * 1024 * 1024  # of JSON kept in memory though the file has it
MOST_VALUES = 40  # queries kept for a function: with others they are one batch, as a rule
MOST_CALLS = 64
PREFETCHED = frozenset(
    {"eth_getBalance", "eth_getTransactionCount", "eth_getCode", "eth_getStorageAt"}
)
PARAMS = re.compile(r'\["0x[0-9a-f]{40}",("0x[0-9a-f]{1,64}",)?"0x[0-9a-f]{1,16}"\]')
"""The parameters of these methods: account, slot, block."""
RECEIVER, BLOCK = "RECEIVER", "BLOCK"  # stand for the called contract, and the block


class ForkCache:
    """Answers of the upstream about the chain up to the fork block, and the way to get more.

    One object serves a node and its copies, in any thread. `hits` counts the values found in the
    file. `record_advice` is how to record what is missing offline, in the words of who opened the
    fork. While `deferred` the upstream must not be waited for in this thread: an unknown value
    raises `ForkCacheMiss`, for the caller to fetch what is missing and to begin anew.
    """

    def __init__(self, upstream: Upstream | None, file: CacheFile | None, fork: ForkBlock) -> None:
        """Know what the file has of the chain with that block; without an upstream stay offline."""
        self.upstream = upstream
        self.file = file
        self.fork = fork
        self.record_advice = ""
        self._here = threading.local()
        self.hits = 0
        self._recent: dict[UpstreamQuery, Any] = {}  # that is in the file, too
        self._recent_size = 0
        self._known: dict[UpstreamQuery, Any] = {}  # that is not in the file
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
            value = self._recent.get(query, MISSING)
            if value is MISSING:
                value = self.file.find(self.fork, query, MISSING)
                if value is not MISSING:
                    self._keep_recent(query, value)
                    self.hits += 1
        return value

    def _keep_recent(self, query: UpstreamQuery, value: Any) -> None:
        size = len(value) if isinstance(value, str) else len(canonical(value))
        self._recent_size += size + len(query.params)
        if self._recent_size > RECENT_BYTES:
            self._recent.clear()
            self._recent_size = 0
        self._recent[query] = value

    def get(self, query: UpstreamQuery) -> Any:
        value = self.find(query)
        if value is MISSING:
            self.need((query,))
            value = self.find(query)
        return value

    def need(self, queries: Iterable[UpstreamQuery]) -> None:
        """Make sure that all are known, with one batch for the others; raises as `get` does."""
        missing = [query for query in queries if self.find(query) is MISSING]
        if not missing:
            return
        if self.upstream is None:
            raise self._not_recorded(missing[0])
        if self.deferred:
            raise ForkCacheMiss(missing[0], missing)
        answers = self._ask(missing)
        for query in missing:
            if isinstance(answers[query], UpstreamFailed):
                raise answers[query]

    def fetch(self, missing: ForkCacheMiss) -> None:
        """Ask for what is missing, and wait; raises `UpstreamFailed` for the needed one."""
        if self.upstream is None:
            raise self._not_recorded(missing.needed)
        needed = missing.needed
        wanted = sorted(missing.wanted - {needed})
        answer = self._ask([needed, *wanted])[needed]
        if isinstance(answer, UpstreamFailed):
            raise answer

    def fetch_in_background(self, missing: ForkCacheMiss) -> Future[None]:
        return in_background(lambda: self.fetch(missing))

    def close(self) -> None:
        """Close the file and the connections of the upstream; what is in memory stays known."""
        if self.upstream is not None:
            self.upstream.close()
        if self.file is not None:
            self.file.close()

    def _ask(self, queries: Collection[UpstreamQuery]) -> dict[UpstreamQuery, Any]:
        done: Future[None] = Future()
        with self._lock:
            unknown = [query for query in queries if self.find(query) is MISSING]
            mine = [query for query in unknown if query not in self._under_way]
            others = {self._under_way[query] for query in unknown if query in self._under_way}
            self._under_way |= dict.fromkeys(mine, done)
        try:
            answers = self._ask_now(mine)
        finally:
            with self._lock:
                for query in mine:
                    del self._under_way[query]
            done.set_result(None)
        for other in others:
            other.result()
        # What failed for another thread.
        answers |= self._ask_now(
            [query for query in queries if query not in answers and self.find(query) is MISSING]
        )
        return {query: answers.get(query, self.find(query)) for query in queries}

    def _ask_now(self, queries: Sequence[UpstreamQuery]) -> dict[UpstreamQuery, Any]:
        if self.upstream is None or not queries:
            return {}
        answers = self.upstream.ask(queries)
        values: dict[UpstreamQuery, Any] = {}
        for query, answer in answers.items():
            is_refused = isinstance(answer, UpstreamRefused)
            if is_refused and query.method == "eth_call" and answer.code in FAILED_EXECUTION:
                answers[query] = values[query] = {"error": answer.reason}
            elif not isinstance(answer, UpstreamFailed):
                values[query] = answer
        self.add(values)
        return answers

    def add(self, values: Mapping[UpstreamQuery, Any]) -> None:
        permanent = {
            query: value for query, value in values.items() if self._is_permanent(query, value)
        }
        if self.file is None or not permanent or not self.file.save(self.fork, permanent):
            self._known.update(values)
            return
        for query, value in values.items():
            if query in permanent:
                self._keep_recent(query, value)
            else:
                self._known[query] = value

    def _is_permanent(self, query: UpstreamQuery, value: Any) -> bool:
        # What is found by a hash may be of a later block, and that one may change.
        member = NUMBER_OF_FOUND.get(query.method)
        if member is None or value is None:
            return True
        number = value.get(member)
        return number is not None and quantity(number) <= self.fork.number

    def _not_recorded(self, query: UpstreamQuery) -> NotInForkCache:
        place, cache = "no fork cache is open", ""
        if self.file is not None:
            place = f"it is not in {self.file.path}"
            cache = f" --fork-cache {self.file.path}"
        advice = self.record_advice or (
            "run this once on a node started with "
            f"`devchain start --fork-url URL@{self.fork.number}{cache}`, without --offline; in "
            "Python leave offline out of Node(...)"
        )
        return NotInForkCache(
            f"{query.in_words()} of chain {self.fork.chain_id} is not known ({place}), and the "
            f"upstream is not asked: to record it, {advice}"
        )


class Prefetch:
    """Values that a function of a contract reads one after the other, fetched together next time.

    What a call needs next is often in an answer: an oracle's storage names a pair, the pair's a
    token. What is found so is kept in the cache file, by the code and selector of the contract:

        first fork      code of the oracle, then its slot, the pair's code, its slot, the token's
        another block   code of the oracle, then all the others together

    Wrong entries cost requests, never a wrong answer. `found` collects the queries whose answers
    were read, since others were guesses; None while nothing is noted. One thread uses it.
    """

    def __init__(self, cache: ForkCache) -> None:
        self._cache = cache
        self._noted: dict[tuple[bytes, bytes, bytes], set[UpstreamQuery]] = {}
        self.found: set[UpstreamQuery] | None = None

    def with_hints(self, receiver: bytes, data: bytes, missing: ForkCacheMiss) -> ForkCacheMiss:
        key = self._key(receiver, data)
        if key is None:
            return missing
        if key in self._noted:
            self._noted[key] |= missing.wanted
            return missing
        if len(self._noted) >= MOST_CALLS:
            self._noted.clear()
        self._noted[key] = set()
        if self.found is None:
            self.found = set()
        queries = {
            UpstreamQuery(
                method, params.replace(RECEIVER, receiver.hex()).replace(BLOCK, self._block)
            )
            for method, params in self._entries(key)
        }
        hints = {query for query in queries if PARAMS.fullmatch(query.params)}
        return ForkCacheMiss(missing.needed, {*missing.wanted, *hints})

    def end(self, receiver: bytes, data: bytes) -> None:
        """Keep what a call has needed after what is found at once."""
        key = self._key(receiver, data)
        noted = self._noted.pop(key, None) if key else None
        if key and noted and self.found and self._cache.file:
            suffix = f',"{self._block}"]'
            entries = [
                [
                    query.method,
                    query.params.removesuffix(suffix).replace(receiver.hex(), RECEIVER)
                    + f',"{BLOCK}"]',
                ]
                for query in sorted(noted & self.found)
                if query.method in PREFETCHED and query.params.endswith(suffix)
            ]
            if entries:
                entries += [entry for entry in self._entries(key) if entry not in entries]
                self._cache.file.save_prefetched(
                    self._cache.fork.chain_id, *key[1:], canonical(entries[:MOST_VALUES])
                )
        if not self._noted:
            self.found = None

    def _key(self, receiver: bytes, data: bytes) -> tuple[bytes, bytes, bytes] | None:
        # The contract, the hash of its code, and the selector.
        if self._cache.file is None or self._cache.upstream is None:
            return None
        code = self._cache.find(upstream_query("eth_getCode", f"0x{receiver.hex()}", self._block))
        if code is MISSING or code == "0x":
            return None
        return receiver, keccak(bytes.fromhex(code[2:])), data[:4]

    @property
    def _block(self) -> str:
        return hex(self._cache.fork.number)

    def _entries(self, key: tuple[bytes, bytes, bytes]) -> list[list[str]]:
        # Methods and parameters; the file may have anything.
        assert self._cache.file  # noqa: S101  # there is a key
        text = self._cache.file.prefetched(self._cache.fork.chain_id, *key[1:])
        try:
            return [
                [method, params]
                for method, params in orjson.loads(text or "[]")[:MOST_VALUES]
                if method in PREFETCHED and isinstance(params, str)
            ]
        except (TypeError, ValueError, KeyError):
            return []
