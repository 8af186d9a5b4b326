"""Random values of ABI types for campaigns: drawn and changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any

from devchain.contracts.abi import Param
from devchain.contracts.value_types import Kind, scaled
from devchain.testing.dictionary import Dictionary, may_be_address
from devchain.types import AddressBytes

MAX_ITEMS = 4
MAX_LENGTH = 64
FUNCTION_SIZE = 24
"""Bytes of a `function`: an address and a selector."""
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
        self._seen: list[int] = []
        self._seen_addresses: dict[AddressBytes, None] = {}

    def add_words(self, words: Iterable[int]) -> None:
        """Draw these words too from now on, as numbers or addresses, until there are many."""
        for word in words:
            if may_be_address(word):
                if len(self._seen_addresses) < MAX_POOL:
                    self._seen_addresses[AddressBytes(word.to_bytes(20))] = None
            elif len(self._seen) < MAX_POOL:
                self._seen.append(word)

    def draw(self, param: Param) -> Any:  # noqa: PLR0911  # one a kind
        """A value of the type."""
        kind, random = param.value_type, self.random
        match kind.kind:
            case Kind.ARRAY | Kind.LIST:
                count = kind.size or random.randint(0, MAX_ITEMS)
                return [self.draw(param.element) for _ in range(count)]
            case Kind.ADDRESS:
                return self._address()
            case Kind.BOOL:
                return random.random() < 0.5
            case Kind.STRING:
                length = random.choice((0, 1, 5, 31, 32, 33))
                return "".join(chr(random.randint(32, 126)) for _ in range(length))
            case Kind.BYTES:
                drawn = random.randbytes(random.randint(0, MAX_LENGTH))
                return random.choice((b"", *self._known.selectors, drawn))
            case Kind.FIXED_BYTES | Kind.FUNCTION:
                size = kind.size or FUNCTION_SIZE
                word: bytes = random.choice(self._pool(param.kind, lambda: self._known.words(size)))
                return word if random.random() < 0.5 else random.randbytes(size)
            case Kind.NUMBER:
                number = self.integer(param.kind, *kind.bounds)
                return (
                    number if param.is_decimal or not kind.places else scaled(number, kind.places)
                )
        return tuple(self.draw(component) for component in param.components)

    def _address(self) -> AddressBytes:
        random, way = self.random, self.random.random()
        if way < SENDERS:
            return random.choice(self._senders)
        if way < 0.5:
            return random.choice(self._known.addresses[:FEW])
        if way < 0.6 and self._seen_addresses:
            return random.choice(list(self._seen_addresses))
        return (
            random.choice(self._known.addresses)
            if way < 0.95
            else AddressBytes(random.randbytes(20))
        )

    def _pool(self, name: str, values: Callable[[], list[Any]]) -> list[Any]:
        if name not in self._pools:
            self._pools[name] = values()
        return self._pools[name]

    def integer(self, pool: str, low: int, high: int) -> int:
        """An integer: known, above all if hard to guess, seen on the chain, of any size in bits."""
        random = self.random
        known = self._pool(pool, lambda: self._known.integers(low, high))
        is_amount = pool in {"value", "seconds"}
        rare = [] if is_amount else self._pool(f"{pool}, rare", lambda: self._known.rare(low, high))
        way = random.random()
        if way < RARE and rare:
            return int(random.choice(rare))
        if way < 0.45:
            return int(random.choice(known))
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
            low, high = param.value_type.bounds
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
