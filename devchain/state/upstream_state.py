"""The state after a block of the upstream chain, read value by value; and speculative execution.

Each unknown value that a transaction reads would cost a round trip. So it is first executed
speculatively: an unknown value is read as zero or empty, and noted. When it ends, what has been
noted is fetched in one batch, and the result discarded:

    balanceOf(X), everything unknown:   code of the token -> empty: ends at once
                                        fetch the code
                                        slot of X -> 0: returns
                                        fetch the slot
                                        returns 7
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from sha3 import keccak_256  # type: ignore[import-untyped]  # safe-pysha3 has no type hints

from devchain.errors import ForkCacheMiss, UpstreamCallFailed, UpstreamRefused
from devchain.state.rlp import encode_bytes, encode_int, wrap
from devchain.state.trie_database import NO_CODE, Code
from devchain.types import ZERO_ADDRESS, Address, Hash32
from devchain.upstream.fork_cache import MISSING, ForkCache, Prefetch
from devchain.upstream.queries import UpstreamQuery, data, quantity, upstream_query, word

Result = TypeVar("Result")

MAX_UNKNOWN = 200  # values, after which a speculative execution is guesswork and ends
CACHED_SLOTS = 200_000  # as numbers, some 40 MB; more are read from the cache each time
PRECOMPILED = bytes(15)  # how their addresses begin: they have storage without code


GUESSED_OUTPUT = bytes(64)  # of an unknown call: zero, or an empty byte string
EMPTY_SLOT = "0x0"  # what the real node returns for the bytes in a slot without any

REAL_NETWORKS = frozenset({30, 31})  # Rootstock's: any node of theirs is rskj


class Speculation(threading.local):
    """The unknown values of the speculative execution under way in this thread."""

    def __init__(self, cache: ForkCache) -> None:
        self._cache = cache
        self._prefetch = Prefetch(cache)
        self._unknown: dict[UpstreamQuery, None] | None = None

    def get(self, wanted: UpstreamQuery) -> Any:
        """The value of a value; MISSING, and noted, if it is unknown and execution speculative."""
        value = self._cache.find(wanted)
        if value is not MISSING:
            if self._prefetch.found is not None:
                self._prefetch.found.add(wanted)
            return value
        if self._unknown is None:
            return self._cache.get(wanted)
        self._unknown[wanted] = None
        if len(self._unknown) > MAX_UNKNOWN:
            self.check()
        return MISSING

    def find(self, wanted: UpstreamQuery) -> Any:
        return self._cache.find(wanted)

    def need(self, wanted: Iterable[UpstreamQuery]) -> None:
        if self._unknown is None:
            self._cache.need(wanted)

    @property
    def is_of_rskj(self) -> bool:
        """Whether the upstream is the real node, whose precompiled contracts' storage differs."""
        if self._cache.fork.chain_id in REAL_NETWORKS:
            return True
        try:
            name = self.get(upstream_query("web3_clientVersion"))
        except UpstreamRefused:
            return False
        return isinstance(name, str) and name.startswith("RskJ/") and "devchain" not in name

    def check(self) -> None:
        """Raise `ForkCacheMiss` if an unknown value was read: what was computed may be wrong."""
        if self._unknown:
            raise ForkCacheMiss(next(iter(self._unknown)), frozenset(self._unknown))

    @contextmanager
    def execution(self) -> Iterator[None]:
        """Execute speculatively; raises `ForkCacheMiss` alone if anything was unknown."""
        before, self._unknown = self._unknown, {}
        try:
            yield
            self.check()
        except ForkCacheMiss as missing:
            raise ForkCacheMiss(
                next(iter(self._unknown), missing.needed), missing.wanted | set(self._unknown)
            ) from None
        except Exception:
            self.check()
            raise
        finally:
            self._unknown = before

    def complete(
        self, run: Callable[[], Result], receiver: Address | None = None, payload: bytes = b""
    ) -> Result:
        """The result of a function that changes nothing, called until all that it reads is known.

        If it calls that receiver, what another call needed is fetched early. Raises `ForkCacheMiss`
        where values may not be waited for.
        """
        while True:
            try:
                with self.execution():
                    result = run()
            except ForkCacheMiss as missing:
                if self._unknown is not None:
                    raise
                wanted = missing
                if receiver is not None:
                    wanted = self._prefetch.with_hints(receiver, payload, missing)
                if self._cache.deferred:
                    raise wanted from None
                self._cache.fetch(wanted)
            else:
                if self._prefetch.found is not None and receiver is not None:
                    self._prefetch.end(receiver, payload)
                return result


class UpstreamState:
    """The state after one block of the upstream chain."""

    def __init__(
        self,
        speculation: Speculation,
        number: int,
        root: Hash32,
        find_code: Callable[[bytes], Code],
    ) -> None:
        """`record` makes it from another root and balances, in RLP; empty for the block's own."""
        self.root = root
        self.record = b""
        self._speculation = speculation
        self._number = number
        self._block = hex(number)
        self._find_code = find_code
        self._balances: dict[Address, int] = {}
        self._funded: frozenset[Address] = frozenset()
        # No key is known of the zero address, from which calls are sent.
        self._nonces: dict[Address, int] = {ZERO_ADDRESS: 0}
        self._codes: dict[Address, Code] = {ZERO_ADDRESS: NO_CODE}
        self._slots: dict[tuple[Address, int], int] = {}

    def with_balances(self, balances: Mapping[Address, int]) -> UpstreamState:
        """The state with other balances, in wei; its root is the hash of its `record`."""
        if not balances:
            return self
        pairs = (
            wrap(encode_bytes(balance) + encode_int(balances[balance]))
            for balance in sorted(balances)
        )
        record = wrap(encode_bytes(self.root) + wrap(b"".join(pairs)))
        root = Hash32(keccak_256(record).digest())
        changed = UpstreamState(self._speculation, self._number, root, self._find_code)
        changed.record = record
        changed._balances, changed._funded = dict(balances), frozenset(balances)
        changed._nonces, changed._codes, changed._slots = self._nonces, self._codes, self._slots
        return changed

    def balance(self, address: Address) -> int:
        return self._read(self._balances, "eth_getBalance", address, quantity, 0)

    def nonce(self, address: Address) -> int:
        return self._read(self._nonces, "eth_getTransactionCount", address, quantity, 0)

    def code(self, address: Address) -> Code:
        def read(answer: Any) -> Code:
            return self._find_code(data(answer))

        return self._read(self._codes, "eth_getCode", address, read, NO_CODE)

    def _read(
        self,
        known: dict[Address, Result],
        method: str,
        address: Address,
        read: Callable[[Any], Result],
        guess: Result,
    ) -> Result:
        value = known.get(address)
        if value is None:
            answer = self._speculation.get(self._query(method, address))
            if answer is MISSING:
                return guess
            value = known[address] = read(answer)
        return value

    def _query(self, method: str, address: Address, *params: str) -> UpstreamQuery:
        return upstream_query(method, f"0x{address.hex()}", *params, self._block)

    def proof(self, address: Address, slots: Iterable[int]) -> Any:
        """The upstream's answer to eth_getProof; None for an account with another balance here."""
        if address in self._funded:
            return None
        keys = list(map(hex, slots))
        query = upstream_query("eth_getProof", f"0x{address.hex()}", keys, self._block)
        return self._speculation.get(query)

    def exists(self, address: Address) -> bool:
        if self._balances.get(address) or self._nonces.get(address):
            return True
        has_code = self.code(address) is not NO_CODE
        if has_code or address not in self._codes:
            return True
        return bool(self.nonce(address) or self.balance(address))

    def is_unused(self, address: Address) -> bool:
        """Whether nothing has written to the storage of an address, as far as is known.

        One with a nonce may have delegated to a contract (EIP-7702), or lost its init code.
        """
        code = self._codes.get(address)
        if (
            code is None
            and self._speculation.find(self._query("eth_getCode", address)) is not MISSING
        ):
            code = self.code(address)
        if code is not NO_CODE or address.startswith(PRECOMPILED):
            return False
        return self.nonce(address) == 0

    def storage(self, address: Address, slot: int) -> int | None:
        value = self._slots.get((address, slot))
        if value is None:
            answer = self._speculation.get(self._query("eth_getStorageAt", address, hex(slot)))
            if answer is MISSING:
                return None
            if len(self._slots) >= CACHED_SLOTS:
                self._slots.clear()
            value = self._slots[address, slot] = word(answer)
        return value

    @property
    def is_of_rskj(self) -> bool:
        return self._speculation.is_of_rskj

    def call(self, address: Address, payload: bytes) -> bytes:
        """The output of a call of a contract; raises `UpstreamCallFailed`."""
        answer = self._speculation.get(self._call_query(address, payload))
        if answer is MISSING:
            return GUESSED_OUTPUT
        if isinstance(answer, dict):
            raise UpstreamCallFailed(answer["error"])
        return data(answer)

    def storage_bytes(self, address: Address, slot: int) -> bytes:
        """The bytes in a slot of the real node's precompiled contract; raises `UpstreamRefused`."""
        query = self._query("rsk_getStorageBytesAt", address, hex(slot))
        answer = self._speculation.get(query)
        return b"" if answer in {MISSING, EMPTY_SLOT} else data(answer)

    def need_calls(self, address: Address, payloads: Iterable[bytes]) -> None:
        self._speculation.need(self._call_query(address, payload) for payload in payloads)

    def _call_query(self, address: Address, payload: bytes) -> UpstreamQuery:
        request = {"to": f"0x{address.hex()}", "data": f"0x{payload.hex()}"}
        return upstream_query("eth_call", request, self._block)
