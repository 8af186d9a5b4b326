"""`devchain.chain.difficulty`"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devchain.chain.difficulty import (
    DIFFICULTY_RULES,
    DifficultyRule,
    difficulty_rule,
    next_difficulty,
    next_gas_limit,
    next_gas_limit_by_use,
    next_minimum_gas_price,
)

RULE = DifficultyRule(divisor=50, minimum=1000, target_time=14, reset_after=600)
rules = st.sampled_from(list(DIFFICULTY_RULES.values()))


class TestDifficultyRule:
    @pytest.mark.parametrize(
        ("network", "newest", "first"),
        [
            ("main", (400, 7 * 10**15), (50, 7 * 10**15)),
            ("test", (400, 550_000_000), (50, 131_072)),
            ("dev", (400, 131_072), (50, 131_072)),
            ("local", (2048, 1), (2048, 1)),
        ],
    )
    def test_networks(self, network: str, newest: tuple[int, int], first: tuple[int, int]) -> None:
        """Divisor and minimum of each network, now and before the upgrades that changed them."""
        now = difficulty_rule(network)
        then = difficulty_rule(network, rskip156=False, rskip290=False)

        assert (now.divisor, now.minimum) == newest
        assert (then.divisor, then.minimum) == first

    def test_one_upgrade_at_a_time(self) -> None:
        """Each upgrade changes its own figure."""
        rule = difficulty_rule("test", rskip290=False)

        assert (rule.divisor, rule.minimum) == (400, 131_072)

    def test_reset(self) -> None:
        """Only the main network has given up the reset after ten minutes."""
        resets = {name: rule.reset_after for name, rule in DIFFICULTY_RULES.items()}

        assert resets == {"main": None, "test": 600, "dev": 600, "local": 600}


class TestNextDifficulty:
    @pytest.mark.parametrize(
        ("elapsed", "uncles", "difficulty"),
        [
            (0, 0, 10_200),
            (13, 0, 10_200),
            (14, 0, 10_000),
            (15, 0, 9_800),
            (27, 1, 10_200),
            (28, 1, 10_000),
            (29, 1, 9_800),
            (599, 0, 9_800),
            (600, 0, 1_000),
            (-1, 0, 10_000),
        ],
    )
    def test_by_time(self, elapsed: int, uncles: int, difficulty: int) -> None:
        """A block too soon raises it, one too late lowers it, each uncle allows the time again."""
        assert next_difficulty(RULE, 10_000, elapsed, uncles) == difficulty

    @pytest.mark.parametrize(
        ("parent", "elapsed", "difficulty"),
        [(1_010, 15, 1_000), (0, 0, 1_000), (0, 14, 0), (500, 15, 1_000), (999, 1, 1_018)],
    )
    def test_minimum(self, parent: int, elapsed: int, difficulty: int) -> None:
        """A step never ends below the minimum; without a step there is nothing to lift."""
        assert next_difficulty(RULE, parent, elapsed) == difficulty

    @given(st.integers(-10, 10**9), st.integers(0, 10))
    def test_local_stays_one(self, elapsed: int, uncles: int) -> None:
        """On a local chain it is 1 whatever the block times."""
        assert next_difficulty(DIFFICULTY_RULES["local"], 1, elapsed, uncles) == 1

    def test_main_never_resets(self) -> None:
        """On the main network an hour without a block is one step like any other."""
        parent = 8 * 10**18

        assert next_difficulty(DIFFICULTY_RULES["main"], parent, 3600) == parent - parent // 400

    @given(rules, st.integers(1, 10**30), st.integers(0, 10**6), st.integers(0, 10))
    def test_bounded(self, rule: DifficultyRule, more: int, elapsed: int, uncles: int) -> None:
        """It is never below the minimum and never above one step up."""
        parent = rule.minimum + more

        found = next_difficulty(rule, parent, elapsed, uncles)

        assert rule.minimum <= found <= parent + parent // rule.divisor


class TestNextGasLimit:
    def test_local_network(self) -> None:
        """The real local node falls from 10,000,000 to its 7,500,000 in 295 blocks."""
        limits = [10_000_000]
        while limits[-1] != 7_500_000:
            limits.append(next_gas_limit(limits[-1], 7_500_000))

        assert limits[1:4] == [9_990_235, 9_980_479, 9_970_733]
        assert len(limits) - 1 == 295

    @pytest.mark.parametrize(
        ("parent", "wanted", "limit"),
        [
            (6_800_000, 6_800_000, 6_800_000),
            (3_000_000, 6_800_000, 3_002_929),
            (3_000_000, 3_000_001, 3_000_001),
            (3_000_002, 3_000_001, 3_000_001),
            (3_000_001, 2_999_999, 3_000_000),
            (13_600_000, 6_800_000, 13_586_719),
        ],
    )
    def test_steps(self, parent: int, wanted: int, limit: int) -> None:
        """A step is a 1024th of the parent's limit and ends at the one wanted."""
        assert next_gas_limit(parent, wanted) == limit

    def test_least(self) -> None:
        """A chain may allow lower limits than the networks do."""
        assert next_gas_limit(2_000_000, 1_000_000, least=0) == 1_998_047

    @given(st.integers(1024, 10**9), st.integers(3_000_000, 10**9))
    def test_arrives_and_stays(self, parent: int, wanted: int) -> None:
        """Each step comes nearer, and what was wanted stays."""
        found = next_gas_limit(parent, wanted)

        assert abs(wanted - found) < abs(wanted - parent) or found == wanted
        assert abs(found - parent) <= parent // 1024
        assert next_gas_limit(wanted, wanted) == wanted


class TestNextGasLimitByUse:
    @pytest.mark.parametrize(
        ("parent", "used", "least", "limit"),
        [
            (3_021_000, 0, 3_000_000, 3_018_050),
            (3_000_000, 0, 3_000_000, 3_000_000),
            (3_500_000, 3_000_000, 0, 3_500_977),
            (3_500_000, 3_500_000, 0, 3_501_709),
            (6_800_000, 6_800_000, 0, 6_800_000),
            (1_000_000, 1_000_000, 3_000_000, 1_000_000),
            (9_000_000, 9_000_000, 3_000_000, 9_000_000),
        ],
        ids=["idle", "least", "busy", "full", "ceiling", "far below", "far above"],
    )
    def test_votes(self, parent: int, used: int, least: int, limit: int) -> None:
        """It follows the gas used; a parent out of bounds is left as it is."""
        assert next_gas_limit_by_use(parent, used, 6_800_000, least=least) == limit

    @given(st.integers(3_000_000, 6_800_000), st.integers(0, 100))
    def test_two_thirds(self, parent: int, percent: int) -> None:
        """At two thirds used it stays within a rounding error."""
        found = next_gas_limit_by_use(parent, parent * 2 // 3, 6_800_000)

        assert abs(found - parent) <= 1
        used = parent * percent // 100
        assert abs(next_gas_limit_by_use(parent, used, 6_800_000) - parent) <= parent // 1024


class TestNextMinimumGasPrice:
    @pytest.mark.parametrize(
        ("parent", "wanted", "price"),
        [
            (1000, 2000, 1010),
            (1000, 900, 990),
            (1000, 995, 995),
            (1000, 1000, 1000),
            (0, 1000, 1),
            (1, 0, 0),
            (0, 0, 0),
            (99, 200, 100),
            (199, 300, 200),
            (200, 300, 202),
        ],
    )
    def test_steps(self, parent: int, wanted: int, price: int) -> None:
        """One percent at most, but always a wei if one is wanted."""
        assert next_minimum_gas_price(parent, wanted) == price

    @given(st.integers(0, 10**12), st.integers(0, 10**12))
    def test_between(self, parent: int, wanted: int) -> None:
        """It lies between where it was and where it is wanted, and moves unless it is there."""
        found = next_minimum_gas_price(parent, wanted)

        assert min(parent, wanted) <= found <= max(parent, wanted)
        assert found != parent or parent == wanted
