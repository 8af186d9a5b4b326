"""Random values of ABI types for campaigns: drawn and changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any

from devchain.contracts.abi import Param
from devchain.contracts.fixed_point import bounds, scaled
from devchain.testing.dictionary import Dictionary, may_be_address
from devchain.types import AddressBytes

MAX_ITEMS = 4
MAX_LENGTH = 64
FEW = 4
"""Addresses at the start that are drawn more often than the others."""
SENDERS = 0.35
"""The part of addresses that are senders: contracts compare with who called them before."""
RARE = 0.1
"""The part of numbers that are large constants of the code or values of storage."""
MAX_POOL = 2_000


class ValueGenerator:
    """Draws values of ABI types from a dictionary, which grows by what is seen."""

    def __init__(
        self, random: Random, known: Dictionary, senders: Sequence[AddressBytes] = ()
    ) -> None:
        """Draw with that source of randomness; senders are those of the calls."""
        self.random = random
        self._known = known
        self._senders = senders or known.addresses[:FEW]
        self._pools: dict[str, list[Any]] = {}
        self._rare: dict[str, list[int]] = {}
        self._seen: list[int] = []
        self._seen_addresses: dict[AddressBytes, None] = {}
        self._simple: dict[str, Callable[[], Any]] = {
            "address": self._address,
            "bool": lambda: random.random() < 0.5,
            "bytes": lambda: random.choice((b"", *known.selectors, self._bytes(MAX_LENGTH))),
            "function": lambda: self._word("function", 24),
            "string": self._string,
        }

    def add_words(self, words: Iterable[int]) -> None:
        """Draw these words too from now on, as numbers or addresses, until there are many."""
        for word in words:
            if may_be_address(word):
                if len(self._seen_addresses) < MAX_POOL:
                    self._seen_addresses[AddressBytes(word.to_bytes(20))] = None
            elif len(self._seen) < MAX_POOL:
                self._seen.append(word)

    def draw(self, param: Param) -> Any:
        """A value of the type."""
        kind, random = param.kind, self.random
        if kind.endswith("]"):
            size = kind[kind.rindex("[") + 1 : -1]
            element = param.element
            count = int(size) if size else random.randint(0, MAX_ITEMS)
            return [self.draw(element) for _ in range(count)]
        if param.components:
            return tuple(self.draw(component) for component in param.components)
        simple = self._simple.get(kind)
        if simple is not None:
            return simple()
        if kind.startswith("bytes"):
            return self._word(kind, int(kind.removeprefix("bytes")))
        low, high, places = bounds(kind)
        number = self.integer(kind, low, high)
        return number if places is None else scaled(number, places)

    def _string(self) -> str:
        length = self.random.choice((0, 1, 5, 31, 32, 33))
        return "".join(chr(self.random.randint(32, 126)) for _ in range(length))

    def _address(self) -> AddressBytes:
        random, way = self.random, self.random.random()
        if way < SENDERS:
            return random.choice(self._senders)
        if way < 0.5:
            return random.choice(self._known.addresses[:FEW])
        if way < 0.6 and self._seen_addresses:
            return random.choice(list(self._seen_addresses))
        return random.choice(self._known.addresses) if way < 0.95 else AddressBytes(self._bytes(20))

    def _bytes(self, most: int) -> bytes:
        return self.random.randbytes(most if most == 20 else self.random.randint(0, most))

    def _word(self, kind: str, size: int) -> bytes:
        if kind not in self._pools:
            self._pools[kind] = self._known.words(size)
        word: bytes = self.random.choice(self._pools[kind])
        return word if self.random.random() < 0.5 else self.random.randbytes(size)

    def integer(self, pool: str, low: int, high: int) -> int:
        """An integer: known, above all if hard to guess, seen on the chain, of any size in bits."""
        random = self.random
        if pool not in self._pools:
            self._pools[pool] = self._known.integers(low, high)
            is_amount = pool in {"value", "seconds"}
            self._rare[pool] = [] if is_amount else self._known.rare(low, high)
        way = random.random()
        if way < RARE and self._rare[pool]:
            return random.choice(self._rare[pool])
        if way < 0.45:
            return int(random.choice(self._pools[pool]))
        if way < 0.6 and self._seen:
            return min(max(random.choice(self._seen) + random.randint(-1, 1), low), high)
        number = random.getrandbits(random.randint(1, high.bit_length()))
        return max(low, -number) if low < 0 and random.random() < 0.5 else min(number, high)

    def change(self, param: Param, value: Any) -> Any:
        """A value near another one, or any other."""
        random = self.random
        if isinstance(value, bool) or random.random() < 0.5:
            return self.draw(param)
        if isinstance(value, int):
            low, high, _ = bounds(param.kind)
            step = random.choice((1, -1, value, -(value // 2), 1 << random.randint(0, 64)))
            return min(max(value + step, low), high)
        if isinstance(value, list) and value:
            place = random.randrange(len(value))
            return [
                self.change(param.element, each) if index == place else each
                for index, each in enumerate(value)
            ]
        if isinstance(value, tuple):
            place = random.randrange(len(value))
            return tuple(
                self.change(part, each) if index == place else each
                for index, (part, each) in enumerate(zip(param.components, value, strict=True))
            )
        return self.draw(param)
