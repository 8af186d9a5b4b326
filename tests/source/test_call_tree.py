"""`devchain.source.call_tree`: failures with places, on the contracts of `tests/failures`."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from devchain.errors import VmError
from tests.failures.builds import BUILDS
from tests.failures.cases import CASES
from tests.failures.world import World


@pytest.fixture(scope="module")
def world() -> World:
    """A node with the contracts compiled by Solidity 0.8, without optimizer."""
    return World(next(each for each in BUILDS if each.name == "solc-0.8"))


STATIC_HINT = "state was changed in a static call: the caller's interface declares a view function"


def normal(line: str) -> str:
    """A line without gas and line numbers, which change with every change of the contracts."""
    line = re.sub(r"\[[\d,]+ gas\]", "[gas]", line)
    line = re.sub(r" {2,}(?=(near )?\w+\.sol:)", "  ", line)
    return re.sub(r"\d+(?= │)|(?<=\.sol:)\d+", "N", line)


@pytest.fixture
def tree(world: World, request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """The call tree of the case that the test names."""
    case = next(each for each in CASES if each.name == request.param)
    with world.node.snapshot():
        error = world.run(case)
        assert isinstance(error, VmError)
        lines = (line.partition(" // fails")[0] for line in error.call_tree.splitlines())
        yield [normal(each) for each in lines]


class TestFailures:
    @pytest.mark.parametrize("tree", ["two_contracts"], indirect=True)
    def test_passed_on(self, tree: list[str]) -> None:
        """Each call has its place; reason and source are shown once, where the failure arose."""
        assert tree == [
            "✗ Caller.twoContracts(amount=6) [gas]  Calls.sol:N",
            "└─ ✗ Middle.pass(amount=6) [gas]  Calls.sol:N",
            "   └─ ✗ Target.take(amount=6) [gas]  Calls.sol:N",
            "      └─ ✗ reverted: Target: too much",
            "           N │ function take(uint256 amount) public returns (uint256) {",
            '         > N │     require(amount <= have, "Target: too much");',
            "              │ have = 5",
        ]

    @pytest.mark.parametrize("tree", ["nested_internal"], indirect=True)
    def test_internal_functions(self, tree: list[str]) -> None:
        """Internal functions that were running are below the call, from the outermost in."""
        assert tree == [
            "✗ Structure.outer(amount=10) [gas]  Structure.sol:N",
            "├─ in Structure.middle(amount=10)  Structure.sol:N",
            "├─ in Structure.inner(amount=10)  Structure.sol:N",
            "└─ ✗ reverted: two levels down",
            "     N │ function inner(uint256 amount) private {",
            '   > N │     require(amount < 10, "two levels down");',
        ]

    @pytest.mark.parametrize("tree", ["swallowed"], indirect=True)
    def test_caught(self, tree: list[str]) -> None:
        """A failure that was caught has its place and reason; the source is that of the whole."""
        assert tree == [
            "✗ Caller.swallowed(amount=6) [gas]  Calls.sol:N",
            "├─ ✗ Target.take(amount=6) [gas]  Calls.sol:N",
            "│  └─ ✗ reverted: Target: too much",
            "└─ ✗ reverted: the call failed",
            "     N │ total = ok ? 1 : 2;",
            '   > N │ require(total == 1, "the call failed");',
            "         │ total = 2",
            "         │ ok = false",
        ]

    @pytest.mark.parametrize("tree", ["static_violation"], indirect=True)
    def test_other_failure_of_the_caller(self, tree: list[str]) -> None:
        """A caller that fails in another way than the call has both reasons."""
        assert tree[2:] == [
            "│  └─ ✗ write protection",
            f"│     hint: {STATIC_HINT}",
            "│       N │ function poke() public returns (uint256) {",
            "│     > N │     have += 1;",
            "│          │ have = 5",
            "└─ ✗ out of gas",
        ]

    @pytest.mark.parametrize("tree", ["endless_recursion"], indirect=True)
    def test_recursion(self, tree: list[str]) -> None:
        """Of very many internal functions the first and the last are shown."""
        assert len(tree) < 20
        assert any(each.startswith("├─ ... ") and each.endswith(" more") for each in tree)
