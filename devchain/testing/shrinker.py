"""Makes a failing sequence of a campaign shorter and its values smaller, as long as it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from devchain.testing.machine import Step
from devchain.types import AddressBytes

Fails = Callable[[Sequence[Step]], bool]
NEAR = 100
"""Numbers below it are made smaller by 1 too."""


def shrink(sequence: list[Step], fails: Fails) -> list[Step]:
    """The shortest sequence found that fails."""
    size = -1
    while size != len(sequence):
        size = len(sequence)
        sequence = _without_steps(sequence, fails)
        sequence = _with_smaller_values(sequence, fails)
    for place in range(len(sequence)):
        sequence = _with_bisected(sequence, place, fails)
    return sequence


def _without_steps(sequence: list[Step], fails: Fails) -> list[Step]:
    size = len(sequence) // 2
    while size:
        start = 0
        while start + size < len(sequence):
            candidate = sequence[:start] + sequence[start + size :]
            if fails(candidate):
                sequence = candidate
            else:
                start += size
        size //= 2
    return sequence


def _with_smaller_values(sequence: list[Step], fails: Fails) -> list[Step]:
    for most in (1, 2, 10, 100, 10**4, 10**9):
        candidate = [_clipped(step, most) for step in sequence]
        if candidate != sequence and fails(candidate):
            sequence = candidate
            break
    place = 0
    while place < len(sequence):
        for simpler in _smaller_steps(sequence[place]):
            candidate = [*sequence[:place], simpler, *sequence[place + 1 :]]
            if fails(candidate):
                sequence = candidate
                break
        else:
            place += 1
    return sequence


def _clipped(step: Step, most: int) -> Step:
    arguments = clipped(step.arguments, most)
    return replace(step, arguments=arguments, value=min(step.value, most), seconds=0, blocks=0)


def _smaller_steps(step: Step) -> Iterator[Step]:
    if step.seconds or step.blocks:
        yield replace(step, seconds=0, blocks=0)
        for seconds in smaller(step.seconds):
            yield replace(step, seconds=seconds, blocks=min(step.blocks, 1))
    for sender in range(step.sender):
        yield replace(step, sender=sender)
    for value in smaller(step.value):
        yield replace(step, value=value)
    for arguments in _smaller_parts(step.arguments):
        yield replace(step, arguments=arguments)


def _with_bisected(sequence: list[Step], place: int, fails: Fails) -> list[Step]:
    step = sequence[place]

    def changed(numbers: tuple[Any, ...]) -> list[Step]:
        seconds, value, *arguments = numbers
        changed = replace(step, seconds=seconds, value=value, arguments=tuple(arguments))
        return [*sequence[:place], changed, *sequence[place + 1 :]]

    numbers = (step.seconds, step.value, *step.arguments)
    return changed(bisected(numbers, lambda numbers: fails(changed(numbers))))


# Values


def smaller(value: Any) -> Iterator[Any]:
    """Values simpler than one, the simplest first; some are too short for its type."""
    if isinstance(value, bool):
        yield from [False] * value
    elif isinstance(value, int):
        sign, size = (-1, -value) if value < 0 else (1, value)
        power = 10 ** max(0, len(str(size)) - 1)
        sizes = [0, 1, power, size // power * power, size // 2, size - size // 4]
        sizes += [size - 1] * (size < NEAR)
        yield from (sign * number for number in dict.fromkeys(sizes) if 0 <= number < size)
    elif isinstance(value, bytes | str) and not isinstance(value, AddressBytes):
        lengths = dict.fromkeys((0, len(value) // 2, len(value) - 1))
        yield from (value[:length] for length in lengths if 0 <= length < len(value))
    elif isinstance(value, list):
        yield from (value[:place] + value[place + 1 :] for place in range(len(value)))
        yield from map(list, _smaller_parts(tuple(value)))
    elif isinstance(value, tuple):
        yield from _smaller_parts(value)


def _smaller_parts(values: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    for place, value in enumerate(values):
        for simpler in smaller(value):
            yield (*values[:place], simpler, *values[place + 1 :])


def bisected(value: Any, fails: Callable[[Any], bool]) -> Any:
    """A failing value with each integer in it as near to 0 as it fails, found by bisection.

    Exact where 0 does not fail and all numbers from some limit on do. `fails` is called some
    log2(n) times for an integer n.
    """
    if isinstance(value, list | tuple):
        kind, items = list if isinstance(value, list) else tuple, list(value)
        for place in range(len(items)):

            def item_fails(item: Any, place: int = place) -> bool:
                return fails(kind([*items[:place], item, *items[place + 1 :]]))

            items[place] = bisected(items[place], item_fails)
        return kind(items)
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    sign, passing, failing = -1 if value < 0 else 1, 0, abs(value)
    while failing - passing > 1:
        middle = (passing + failing) // 2
        if fails(sign * middle):
            failing = middle
        else:
            passing = middle
    return sign * failing


def clipped(value: Any, most: int) -> Any:
    """A value with all integers in it of at most that size."""
    if isinstance(value, list | tuple):
        items = [clipped(item, most) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, int) and not isinstance(value, bool):
        return max(-most, min(value, most))
    return value
