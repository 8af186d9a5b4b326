"""`devchain.contracts.coverage`, against lines worked out by hand from the story."""

from __future__ import annotations

import pytest

from devchain.errors import ExecutionReverted
from devchain.node import Node
from tests.testing.covered import TILL, counting, story, told

UNUSED = 14  # the body of Shares.third, which nothing calls: no compiler makes code of it


def lines(node: Node, path: str = TILL) -> tuple[set[int], set[int], set[int]]:
    """The lines of a source that ran, those that did not, and those not to be known."""
    found = told(node).files[path].lines
    return (
        {line for line, count in found.items() if count > 0},
        {line for line, count in found.items() if count == 0},
        {line for line, count in found.items() if count < 0},
    )


class TestPlain:
    """Without an optimizer every statement that is compiled can be measured."""

    MISSED = frozenset({27, 55, 68, 72, 82, 114, 126})

    @pytest.mark.parametrize("engine", ["fast", "reference"])
    @pytest.mark.parametrize("hardfork", ["london", "vetiver"])
    def test_lines(self, hardfork: str, engine: str) -> None:
        """What the story runs is hit, what it does not is missed, under all rules."""
        node = counting("till-plain", hardfork, engine)
        story(node)

        hit, missed, unknown = lines(node)

        assert (missed, unknown) == (self.MISSED, {UNUSED})
        assert hit == {
            *(10, 20, 23, 44, 48, 49, 50, 52, 53, 54, 57),
            *(61, 62, 63, 64, 77, 79, 92, 96, 97, 99, 108, 112, 113, 117, 130),
        }

    def test_counts(self) -> None:
        """Lines count how often they ran, inner calls and delegate calls included."""
        node = counting("till-plain")
        story(node)

        found = told(node).files[TILL]

        assert found.lines[50] == 2 + 3 + 100  # the loop's turns
        assert (found.lines[52], found.lines[53], found.lines[54]) == (3, 1, 2)
        assert found.lines[79] == 1  # run by the proxy
        assert found.functions["Till.price"] == (47, 3)
        assert found.functions["Till.wipe"] == (71, 0)
        assert found.functions["Owned.constructor"] == (22, 1)
        assert found.functions["Shares.third"][1] < 0

    def test_nothing_ran(self) -> None:
        """A contract nobody deployed is missed, not left out."""
        hit, missed, _ = lines(counting("till-plain"))

        assert not hit
        assert missed > self.MISSED

    def test_what_is_taken_back_counts(self) -> None:
        """Lines that ran in a snapshot that was reverted, and in a call, ran."""
        node = counting("till-plain")
        with node.snapshot():
            node.deploy("Shop")
            node.deploy("Till").price(11)

        hit, _, _ = lines(node)

        assert hit == {20, 23, 48, 49, 50, 52, 53, 10, 57}

    def test_estimates_count_and_traces_do_not(self) -> None:
        """What a trace runs has run already."""
        node = counting("till-plain")
        till = node.deploy("Till")
        till.price(1)
        before = told(node).files[TILL].lines[48]
        mined = till.setRate(9)
        node.explainer.transaction_frames(mined.hash)

        found = told(node).files[TILL].lines

        assert (before, found[48], found[68]) == (1, 1, 1)


class TestVyper:
    """Vyper tells less of where code is from: what it does not tell is not to be known."""

    def test_lines(self) -> None:
        """A module's lines count too; one that nothing calls has no code."""
        node = counting("jar")
        jar = node.deploy("Jar", 3)
        jar.put(20)
        jar.total(2)

        hit, missed, unknown = lines(node, "Jar.vy")

        assert hit == {13, 18, 19, 20, 34, 35, 36, 38}
        assert missed == {22, 28, 44, 45}
        assert unknown == {12, 37, 39}
        assert lines(node, "lid.vy") == (set(), {7}, {13})

    def test_other_branch(self) -> None:
        """The branch not taken is told from the other, though both name the argument."""
        node = counting("jar")
        node.deploy("Jar", 3).put(2)

        hit, missed, _ = lines(node, "Jar.vy")

        assert hit >= {18, 19, 22, 28}
        assert missed >= {20, 44, 45}
        assert lines(node, "lid.vy")[0] == {7}


def price(node: Node, count: int) -> None:
    """A till's price."""
    node.deploy("Till").price(count)


def refused(node: Node) -> None:
    """A rate set by somebody else than the owner."""
    till = node.deploy("Till")
    with pytest.raises(ExecutionReverted):
        till.setRate(1, sender=node.accounts.addresses()[1])


STORIES = {
    "all": story,
    "deployed": lambda node: node.deploy("Till"),
    "none": lambda node: price(node, 0),
    "few": lambda node: price(node, 2),
    "many": lambda node: price(node, 11),
    "limit": lambda node: node.deploy("Till").limit(),
    "sell": lambda node: node.deploy("Till").sell(3),
    "set": lambda node: node.deploy("Till").setRate(3),
    "refused": refused,
    "wipe": lambda node: node.deploy("Till").wipe(),
    "low": lambda node: node.deploy("Till").low(2),
    "high": lambda node: node.deploy("Till").low(9),
    "first": lambda node: node.deploy("Twins").first(),
    "second": lambda node: node.deploy("Twins").second(),
    "both": lambda node: (node.deploy("Twins").first(), node.deploy("Twins").second()),
}


class TestOptimized:
    """What the optimizer inlines, moves and merges is told where it can be known, not elsewhere."""

    @pytest.mark.parametrize("build", ["till-optimized", "till-ir"])
    @pytest.mark.parametrize("name", STORIES)
    def test_tells_no_lies(self, name: str, build: str) -> None:
        """A line said to have run did so in the plain build too; so for one that did not."""
        plain, node = counting("till-plain"), counting(build)
        STORIES[name](plain)
        STORIES[name](node)

        hit, missed, unknown = lines(node)
        truly_hit, truly_missed, _ = lines(plain)

        assert hit <= truly_hit
        assert missed <= truly_missed
        assert hit | missed | unknown == truly_hit | truly_missed | {UNUSED}

    def test_legacy(self) -> None:
        """Merged: the twins' bodies, what refuses to pay, and the ends of two functions."""
        node = counting("till-optimized")
        story(node)

        _, missed, unknown = lines(node)

        assert missed == {55, 68, 72, 82, 114}
        assert unknown == {UNUSED, 27, 57, 126, 130}
        assert told(node).files[TILL].functions["Till.price"] == (47, 3)

    @pytest.mark.parametrize(("value", "ran"), [(5, -2), (50, 1)], ids=["led elsewhere", "fallen"])
    def test_end_that_another_stands_in_for(self, value: int, ran: int) -> None:
        """A jump to an end that is like another's is led there: that it did not run tells nothing.

        Line 35 ends `tens`; who jumps there runs the end of `twos`, who falls into it does not.
        """
        node = counting("ends", hardfork="cancun")
        node.deploy("Ends").both(value)

        counts = told(node).files["Ends.sol"].lines

        assert counts[35] == ran
        assert counts[29] == 0

    def test_via_ir(self) -> None:
        """Much has no code of its own left; loads before a loop do not count for what is in it."""
        node = counting("till-ir")
        story(node)

        _, missed, unknown = lines(node)

        assert missed == {55, 114}
        assert unknown == {UNUSED, 10, 27, 44, 48, 53, 57, 68, 72, 77, 79, 82, 117, 126, 130}
