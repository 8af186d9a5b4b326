"""Sequences of steps of a campaign: drawn, changed, and made as short as they fail.

Values come from the `Dictionary` of the targets, which grows by what calls return, log and store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from devchain.contracts.abi import Param
from devchain.contracts.value_types import Kind, scaled
from devchain.testing.dictionary import dictionary_of, may_be_address
from devchain.testing.machine import MachineRun, Step
from devchain.types import AddressBytes

NEW_SEQUENCES = 0.2  # the part of sequences that is drawn anew, while there are others to change
MAX_ITEMS = 4
MAX_LENGTH = 64
SENDERS = 0.4  # the part of addresses that are senders: contracts compare with callers
RARE = 0.1  # the part of numbers that are large constants of the code or values of storage
MAX_POOL = 2_000
SUCCEEDED = 0.4  # the part of steps that are changed copies of successful calls of a function

LIMITS = (1, 2, 10, 100, 10**4, 10**9)  # of all numbers of a sequence, tried to shrink it
Sequences = Sequence[Sequence[Step]]


class SequenceGenerator:
    """Draws sequences of at most so many steps, which are changed ones of others if there are."""

    def __init__(self, random: Random, run: MachineRun, steps: int) -> None:
        self._random, self._run, self._steps = random, run, steps
        self._known = dictionary_of(list(run.machine.targets))
        self._senders = [AddressBytes(sender) for sender in run.senders]
        self._names = list(run.actions)
        self._pools: dict[str, list[Any]] = {}
        self._seen: list[int] = []
        self._seen_addresses: dict[AddressBytes, None] = {}
        self.succeeded: dict[str, list[Step]] = {}  # by action: calls of which copies are changed

    def add_words(self, words: Iterable[int]) -> None:
        """Draw these words too from now on, as numbers or addresses, until there are many."""
        for word in words:
            if may_be_address(word):
                if len(self._seen_addresses) < MAX_POOL:
                    self._seen_addresses[AddressBytes(word.to_bytes(20))] = None
            elif len(self._seen) < MAX_POOL:
                self._seen.append(word)

    def sequence(self, kept: Sequences) -> list[Step]:
        random = self._random
        if not kept or random.random() < NEW_SEQUENCES:
            return [self._step() for _ in range(random.randint(1, self._steps))]
        sequence = list(random.choice(kept))
        for _ in range(random.choice((1, 1, 2, 4))):
            self._change(sequence, kept)
        return sequence[: self._steps] or [self._step()]

    def _change(self, sequence: list[Step], kept: Sequences) -> None:
        random, way = self._random, self._random.random()
        place = random.randrange(len(sequence)) if sequence else 0
        if way < 0.35 or not sequence:
            sequence.extend(self._step() for _ in range(random.randint(1, 4)))
        elif way < 0.65:
            sequence[place] = self._changed(sequence[place])
        elif way < 0.75:
            sequence.insert(place, self._step())
        elif way < 0.83:
            del sequence[place]
        elif way < 0.90:
            sequence.insert(place, random.choice(sequence))
        else:
            other = random.choice(kept)
            sequence[place:] = other[random.randrange(len(other)) :]

    def _step(self) -> Step:
        random, machine = self._random, self._run.machine
        action = self._run.actions[random.choice(self._names)]
        if action.name in self.succeeded and random.random() < SUCCEEDED:
            return self._changed(random.choice(self.succeeded[action.name]))
        seconds = blocks = value = 0
        if random.random() < 0.15:
            seconds = self._integer("seconds", 0, machine.max_seconds)
            blocks = random.choice((1, 1, 2, 100))
        if action.is_payable and random.random() < 0.9:
            value = self._integer("value", 0, machine.max_value)
        arguments = tuple(self._draw(param) for param in action.entry.inputs)
        sender = random.randrange(len(self._senders))
        return Step(action.name, arguments, sender, value, seconds, blocks)

    def _changed(self, step: Step) -> Step:
        random, action = self._random, self._run.actions[step.action]
        params = action.entry.inputs
        ways = ["sender", *["value"] * action.is_payable, *["arguments"] * (2 * bool(params))]
        match random.choice(ways):
            case "sender":
                return replace(step, sender=random.randrange(len(self._senders)))
            case "value":
                most = self._run.machine.max_value
                return replace(step, value=self._integer("value", 0, most))
            case _:
                return replace(step, arguments=self._with_changed(params, step.arguments))

    # Values

    def _draw(self, param: Param) -> Any:  # noqa: PLR0911  # one a kind
        kind, random = param.value_type, self._random
        match kind.kind:
            case Kind.ARRAY | Kind.LIST:
                count = kind.size or random.randint(0, MAX_ITEMS)
                return [self._draw(param.element) for _ in range(count)]
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
                size = kind.size
                word = random.choice(self._pool(param.kind, lambda: self._known.words(size)))
                return word if random.random() < 0.5 else random.randbytes(size)
            case Kind.NUMBER:
                number = self._integer(param.kind, *kind.bounds)
                is_integer = param.is_decimal or not kind.places
                return number if is_integer else scaled(number, kind.places)
        return tuple(self._draw(component) for component in param.components)

    def _address(self) -> AddressBytes:
        random, way = self._random, self._random.random()
        if way < SENDERS:
            return random.choice(self._senders)
        if way < 0.7 and self._known.own:
            return random.choice(self._known.own)
        if way < 0.8 and self._seen_addresses:
            return random.choice(list(self._seen_addresses))
        if way < 0.95:
            return random.choice(self._known.addresses)
        return AddressBytes(random.randbytes(20))

    def _pool(self, name: str, values: Callable[[], list[Any]]) -> list[Any]:
        if name not in self._pools:
            self._pools[name] = values()
        return self._pools[name]

    def _integer(self, pool: str, low: int, high: int) -> int:
        # Known, above all if hard to guess, seen on the chain, of any size in bits.
        random = self._random
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

    def _near(self, param: Param, value: Any) -> Any:
        # A value near another one, or any other.
        random = self._random
        if isinstance(value, bool) or random.random() < 0.5:
            return self._draw(param)
        if isinstance(value, int):
            low, high = param.value_type.bounds
            step = random.choice((1, -1, value, -(value // 2), 1 << random.randint(0, 64)))
            return min(max(value + step, low), high)
        if isinstance(value, list) and value:
            return list(self._with_changed([param.element] * len(value), value))
        if isinstance(value, tuple):
            return self._with_changed(param.components, value)
        return self._draw(param)

    def _with_changed(self, params: Sequence[Param], values: Sequence[Any]) -> tuple[Any, ...]:
        place = self._random.randrange(len(values))
        changed = self._near(params[place], values[place])
        return (*values[:place], changed, *values[place + 1 :])


# Shrinking

Fails = Callable[[Sequence[Step]], bool]


def shrink(sequence: Sequence[Step], fails: Fails) -> list[Step]:
    shrunk, before = list(sequence), None
    while shrunk != before:
        before = shrunk
        shrunk = _without_items(shrunk, fails)
        limited = ([_limited(step, limit) for step in shrunk] for limit in LIMITS)
        shrunk = next(
            (candidate for candidate in limited if candidate != shrunk and fails(candidate)), shrunk
        )
        for place in range(len(shrunk)):
            shrunk = _with_smaller_step(shrunk, place, fails)
    return shrunk


def _without_items(items: list[Any], fails: Callable[[list[Any]], bool]) -> list[Any]:
    size = (len(items) + 1) // 2
    while size:
        start = 0
        while start + size <= len(items):
            candidate = items[:start] + items[start + size :]
            if fails(candidate):
                items = candidate
            else:
                start += size
        size //= 2
    return items


def _limited(step: Step, limit: int) -> Step:
    arguments = _with_limit(step.arguments, limit)
    return replace(step, arguments=arguments, value=min(step.value, limit), seconds=0, blocks=0)


def _with_limit(value: Any, limit: int) -> Any:
    if isinstance(value, list | tuple):
        items = [_with_limit(item, limit) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, int) and not isinstance(value, bool):
        return max(-limit, min(value, limit))
    return value


def _with_smaller_step(sequence: list[Step], place: int, fails: Fails) -> list[Step]:
    step = sequence[place]

    def changed(values: tuple[Any, ...]) -> list[Step]:
        seconds, blocks, sender, value, *arguments = values
        smaller = Step(step.action, tuple(arguments), sender, value, seconds, blocks)
        return [*sequence[:place], smaller, *sequence[place + 1 :]]

    values = (step.seconds, step.blocks, step.sender, step.value, *step.arguments)
    return changed(smallest(values, lambda values: fails(changed(values))))


def smallest(value: Any, fails: Callable[[Any], bool]) -> Any:
    """A failing value that is as small as can be found, with each part of it; addresses stay."""
    if isinstance(value, list | tuple):
        return _smallest_parts(value, fails)
    if isinstance(value, bool):
        return value and not fails(False)  # noqa: FBT003  # the value itself
    if isinstance(value, int):
        sign = -1 if value < 0 else 1
        return sign * _least(abs(value), lambda size: fails(sign * size))
    if isinstance(value, bytes | str) and not isinstance(value, AddressBytes):
        return value[: _least(len(value), lambda length: fails(value[:length]))]
    return value


def _smallest_parts(value: Any, fails: Callable[[Any], bool]) -> Any:
    kind, items = (list, list(value)) if isinstance(value, list) else (tuple, list(value))
    if kind is list:
        items = _without_items(items, fails)
    for place in range(len(items)):

        def item_fails(item: Any, place: int = place) -> bool:
            return fails(kind([*items[:place], item, *items[place + 1 :]]))

        items[place] = smallest(items[place], item_fails)
    return kind(items)


def _least(number: int, fails: Callable[[int], bool]) -> int:
    if number == 0 or fails(0):
        return 0
    passing, failing = 0, number
    while failing - passing > 1:
        middle = (passing + failing) // 2
        if fails(middle):
            failing = middle
        else:
            passing = middle
    return failing
