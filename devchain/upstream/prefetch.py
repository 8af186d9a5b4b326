"""Values that a function of a contract reads one after the other, fetched together next time.

What a call needs next is often in an answer: an oracle's storage names a pair, the pair's a token.
Speculative execution finds what can be known before an answer is there; what it finds later is
kept in the cache file, under the code and the function selector of the called contract:

    first fork      code of the oracle, then its slot, then the pair's code, its slot, the token's
    another block   code of the oracle, then all the others together

Wrong or old entries cost requests, never a wrong answer: values are read of the block in question.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import orjson
from eth_hash.auto import keccak

from devchain.errors import ForkCacheMiss
from devchain.upstream.fork_cache import MISSING, ForkCache
from devchain.upstream.queries import BLOCK_PARAMETER, UpstreamQuery, upstream_query

MOST_VALUES = 40
"""Queries kept for a function: with those found at once they are one batch, as a rule."""
MOST_CALLS = 64
"""Calls whose queries are noted at a time."""

METHODS = frozenset(
    {"eth_getBalance", "eth_getTransactionCount", "eth_getCode", "eth_getStorageAt"}
)
RECEIVER = ""
"""Stands for the contract that was called: others may have its code."""
PARAMETER = re.compile("0x[0-9a-f]{1,64}")


class Function(NamedTuple):
    """A function of a contract: the hash of its code, and the selector."""

    code_hash: bytes
    selector: bytes


class Prefetch:
    """What calls of functions need in the course of an execution, in one thread.

    `found` collects the queries whose answers were read while queries are noted: of those that
    were asked, some were guesses. It is None while nothing is noted.
    """

    def __init__(self, cache: ForkCache) -> None:
        """Keep what is needed in the file of that cache, if there is one and it is not offline."""
        self._cache = cache
        self._noted: dict[tuple[str, Function], set[UpstreamQuery]] = {}
        self.found: set[UpstreamQuery] | None = None

    def with_hints(self, receiver: bytes, data: bytes, missing: ForkCacheMiss) -> ForkCacheMiss:
        """What to fetch for a call: what is missing, and what it needed another time."""
        key = self._key(receiver, data)
        if key is None:
            return missing
        noted = self._noted.get(key)
        if noted is not None:
            noted |= missing.wanted
            return missing
        if len(self._noted) >= MOST_CALLS:
            self._noted.clear()
        self._noted[key] = set()
        if self.found is None:
            self.found = set()
        address, function = key
        learned = [self._query(address, entry) for entry in self._entries(function)]
        return ForkCacheMiss(missing.needed, {*missing.wanted, *filter(None, learned)})

    def end(self, receiver: bytes, data: bytes) -> None:
        """Keep what a call has needed after what is found at once."""
        key = self._key(receiver, data)
        noted = self._noted.pop(key, None) if key else None
        if key and noted and self.found and self._cache.file:
            address, function = key
            new = [self._entry(address, each) for each in sorted(noted & self.found)]
            kept = [each for each in new if each]
            if kept:
                kept += [entry for entry in self._entries(function) if entry not in kept]
                text = orjson.dumps(kept[:MOST_VALUES]).decode()
                self._cache.file.save_learned(self._cache.fork.chain_id, *function, text)
        if not self._noted:
            self.found = None

    def _key(self, receiver: bytes, data: bytes) -> tuple[str, Function] | None:
        if self._cache.file is None or self._cache.upstream is None:
            return None
        address = f"0x{receiver.hex()}"
        code = self._cache.find(upstream_query("eth_getCode", address, self._block))
        if code is MISSING or code == "0x":
            return None
        return address, Function(keccak(bytes.fromhex(code[2:])), data[:4])

    @property
    def _block(self) -> str:
        return hex(self._cache.fork.number)

    def _entries(self, function: Function) -> list[list[str]]:
        assert self._cache.file  # noqa: S101  # there is a key
        text = self._cache.file.learned(self._cache.fork.chain_id, *function)
        try:
            entries: Any = orjson.loads(text or "[]")
        except ValueError:
            return []
        is_list = isinstance(entries, list) and all(isinstance(entry, list) for entry in entries)
        return entries[:MOST_VALUES] if is_list else []

    def _entry(self, address: str, wanted: UpstreamQuery) -> list[str] | None:
        if wanted.method not in METHODS:
            return None
        *values, block = wanted.values
        if block != self._block:
            return None
        return [wanted.method, *(RECEIVER if value == address else value for value in values)]

    def _query(self, address: str, entry: list[str]) -> UpstreamQuery | None:
        method, *values = [str(each) for each in entry] or [""]
        if method not in METHODS or len(values) != BLOCK_PARAMETER[method]:
            return None
        filled = [address if value == RECEIVER else value for value in values]
        if len(filled[0]) != len(address) or not all(map(PARAMETER.fullmatch, filled)):
            return None
        return upstream_query(method, *filled, self._block)
