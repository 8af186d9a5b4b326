"""What a block's header takes over from its parent's: difficulty, gas limit, minimum gas price."""

from __future__ import annotations

from dataclasses import dataclass, replace

GAS_LIMIT_DIVISOR = 1024
LEAST_GAS_LIMIT = 3_000_000


@dataclass(frozen=True, slots=True)
class DifficultyRule:
    """How a network's difficulty follows its block times.

    A block sooner than `target_time` seconds after its parent raises the difficulty by its
    `divisor`-th part, a later one lowers it, never below `minimum`. A gap of `reset_after`
    seconds brings it down to the minimum at once; None if none does (RSKIP97).
    """

    divisor: int
    minimum: int
    target_time: int
    reset_after: int | None


DIFFICULTY_RULES = {
    "main": DifficultyRule(400, 7 * 10**15, target_time=14, reset_after=None),
    "test": DifficultyRule(400, 550_000_000, target_time=14, reset_after=600),
    "dev": DifficultyRule(400, 131_072, target_time=14, reset_after=600),
    "local": DifficultyRule(2048, 1, target_time=10, reset_after=600),
}
"""The networks' rules as of the newest upgrade."""

_FIRST_DIVISOR = 50
_FIRST_TEST_MINIMUM = 131_072


def difficulty_rule(
    network: str, *, rskip156: bool = True, rskip290: bool = True
) -> DifficultyRule:
    """The rule of a network, with or without the upgrades that changed it.

    RSKIP156 (Papyrus) made steps smaller everywhere but on local networks; RSKIP290 (Hop) raised
    the test network's minimum.
    """
    rule = DIFFICULTY_RULES[network]
    if not rskip156 and network != "local":
        rule = replace(rule, divisor=_FIRST_DIVISOR)
    if not rskip290 and network == "test":
        rule = replace(rule, minimum=_FIRST_TEST_MINIMUM)
    return rule


def next_difficulty(rule: DifficultyRule, parent: int, elapsed: int, uncles: int = 0) -> int:
    """The difficulty of a block `elapsed` seconds after its parent, with that many uncles."""
    if rule.reset_after is not None and elapsed >= rule.reset_after:
        return rule.minimum
    due = (1 + uncles) * rule.target_time
    if elapsed == due or elapsed < 0:
        return parent
    step = parent // rule.divisor
    return max(rule.minimum, parent + step if elapsed < due else parent - step)


def next_gas_limit(parent: int, wanted: int, *, least: int = LEAST_GAS_LIMIT) -> int:
    """The gas limit of a block: one step from its parent's towards the one wanted.

    A step is the 1024th part of the parent's limit; below `least` it does not go on purpose.
    """
    return _towards(max(wanted, least), parent, parent // GAS_LIMIT_DIVISOR)


def next_gas_limit_by_use(
    parent: int, used: int, wanted: int, *, least: int = LEAST_GAS_LIMIT
) -> int:
    """The gas limit where the one wanted is a ceiling, not a goal.

    It rises if the parent used more than two thirds of its gas, and falls otherwise.
    """
    step = parent // GAS_LIMIT_DIVISOR
    voted = parent - step + used * 3 // 2 // GAS_LIMIT_DIVISOR
    limit = min(max(voted, least), max(wanted, least))
    return limit if abs(limit - parent) <= step else parent


def next_minimum_gas_price(parent: int, wanted: int) -> int:
    """The minimum gas price of a block, in wei: its parent's, moved towards the one wanted.

    It moves by at most one percent, but may always move by one wei (RSKIP09).
    """
    return _towards(wanted, parent, parent // 100 or 1)


def _towards(wanted: int, current: int, step: int) -> int:
    return min(max(wanted, current - step), current + step)
