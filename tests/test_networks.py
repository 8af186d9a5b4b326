"""`devchain.networks`"""

from __future__ import annotations

import pytest

from devchain.networks import ACTIVATIONS, NEWEST, ROOTSTOCK, hardfork_at

MAIN, TEST = 30, 31


class TestHardforkAt:
    """`hardfork_at`: the upgrade of a block, from the heights in the Rootstock node's sources."""

    @pytest.mark.parametrize(
        ("chain_id", "number", "hardfork"),
        [
            (MAIN, 1_590_999, "orchid060"),
            (MAIN, 1_591_000, "wasabi"),
            (MAIN, 6_223_700, "arrowhead"),
            (MAIN, 8_804_199, "reed"),
            (MAIN, 8_804_200, "vetiver"),
            (TEST, 0, "wasabi"),
            (TEST, 503_999, "wasabi"),
            (TEST, 7_139_599, "reed"),
            (TEST, 7_139_600, "reed810"),
            (TEST, 10**9, "vetiver"),
        ],
    )
    def test_follows_the_height(self, chain_id: int, number: int, hardfork: str) -> None:
        """An upgrade holds from its activation height to the block before the next one's."""
        assert hardfork_at(chain_id, number) == hardfork

    def test_oldest_upgrade_before_its_height(self) -> None:
        """There are no rules older than Orchid's."""
        assert hardfork_at(MAIN, 0) == "orchid"

    @pytest.mark.parametrize("chain_id", [1, 32, 33, 31_337])
    def test_unknown_chain(self, chain_id: int) -> None:
        """The rules of other chains are the configured ones."""
        assert hardfork_at(chain_id, 10**6) is None

    @pytest.mark.parametrize("heights", ACTIVATIONS.values())
    def test_heights_grow_with_the_upgrades(self, heights: dict[str, int]) -> None:
        """The names are Rootstock's upgrades in order; heights never fall."""
        assert list(heights) == [name for name in ROOTSTOCK if name in heights]
        assert list(heights.values()) == sorted(heights.values())
        assert {ROOTSTOCK[0], NEWEST} <= heights.keys()
