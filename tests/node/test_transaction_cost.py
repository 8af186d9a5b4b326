"""What the operations of a test cost, in calls of Python functions: they do not depend on load.

The limits are about a tenth above what was counted on CPython 3.11 when they were set; later
versions make fewer calls. A change that needs more raises the limit if it is worth that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bench.token_suite import ABI, SUPPLY
from bench.token_suite import TOKEN as COMPILED
from devchain import Config, Node

WARM_UP = 20
"""Operations before the one that is counted: code is compiled and caches are filled."""
TOKEN = {"abi": ABI[:3], "bytecode": COMPILED["bytecode"]}

Operation = Callable[[Node, Any], object]


def transfer(node: Node, token: Any) -> None:
    """Send a transfer of the token and mine it."""
    token.transfer(node.accounts.addresses()[1], 1)


def deploy(node: Node, token: Any) -> None:
    """Deploy the token once more."""
    del token
    node.deploy(TOKEN, SUPPLY)


def read(node: Node, token: Any) -> None:
    """Call a view function."""
    token.balanceOf(node.accounts.addresses()[1])


def mine(node: Node, token: Any) -> None:
    """Mine an empty block."""
    del token
    node.mine()


@pytest.fixture(params=["vetiver", "prague"])
def node(request: pytest.FixtureRequest) -> Iterator[Node]:
    """A node of each kind of chain."""
    with Node(Config(hardfork=request.param, fixed_clock=1_700_000_000)) as made:
        yield made


LIMITS: dict[tuple[str, Operation], int] = {
    ("vetiver", read): 125,
    ("vetiver", transfer): 580,
    ("vetiver", deploy): 830,
    ("vetiver", mine): 130,
    ("prague", read): 170,
    ("prague", transfer): 1_100,
    ("prague", mine): 335,
    ("prague", deploy): 1_350,
}


def calls_of(function: Callable[[], object]) -> int:
    """How many Python functions a call enters; one that C calls counts, too."""
    count = 0

    def profile(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "operation", [read, transfer, deploy, mine], ids=lambda each: each.__name__
)
def test_calls(node: Node, operation: Operation) -> None:
    """An operation makes no more calls than its limit."""
    token = node.deploy(TOKEN, SUPPLY)
    for _ in range(WARM_UP):
        operation(node, token)

    count = calls_of(lambda: operation(node, token))

    assert count <= LIMITS[node.chain.rules.hardfork, operation]
