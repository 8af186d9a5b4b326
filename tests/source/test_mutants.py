"""`devchain.source.mutants`"""

from __future__ import annotations

import pytest

from devchain.contracts.artifacts import Artifact
from devchain.contracts.compile import loads
from devchain.evm.mutation import mutating_rules
from devchain.node import Node
from devchain.source.mutants import find_mutants
from tests.contracts.vault import VAULT


def added(kind: str) -> list[str]:
    """The lines that the vault's mutants of a kind add."""
    return [
        line[1:].strip()
        for mutant in find_mutants([VAULT])
        for line in mutant.diff
        if mutant.change.kind == kind and line.startswith("+")
    ]


@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        (
            "comparison",
            [
                'require(msg.value >= 0, "nothing to deposit");',
                "if (msg.sender == owner) revert NotOwner(msg.sender);",
                'require(block.timestamp > opensAt, "the vault is still closed");',
            ],
        ),
        ("condition", ["if (!(msg.sender != owner)) revert NotOwner(msg.sender);"]),
        ("constant", ['require(msg.value > 1, "nothing to deposit");']),
        ("arithmetic", ["deposits[msg.sender] -= msg.value;"]),
    ],
)
def test_changes(kind: str, lines: list[str]) -> None:
    """An operator is replaced, a condition negated, a constant increased."""
    assert added(kind) == lines


@pytest.mark.parametrize(
    ("kind", "count"), [("requirement", 2), ("event", 2), ("store", 1), ("call", 1)]
)
def test_removals(kind: str, count: int) -> None:
    """Requirements, events, stores and calls are removed with their statements."""
    mutants = [mutant for mutant in find_mutants([VAULT]) if mutant.change.kind == kind]

    assert len(mutants) == count
    assert all(len(mutant.diff) == 1 and mutant.diff[0][0] == "-" for mutant in mutants)


def test_calls_of_vyper(node: Node) -> None:
    """Calls of internal functions are removed, with those of functions that return a value."""
    text = """
total: public(uint256)

@external
def f(more: uint256):
    self._add(more)
    self._add_twice(more, 3)
    self._add(self._add_twice(more, 5))

@internal
def _add(more: uint256):
    self.total += more

@internal
def _add_twice(more: uint256, other: uint256) -> uint256:
    self.total += more + other
    return other
"""
    artifact = loads(text)
    rules, mutation = mutating_rules(node.chain.plain_rules)
    node.chain.use_rules(rules)
    contract, totals = node.deploy(artifact), []
    calls = [mutant for mutant in find_mutants([artifact]) if mutant.change.kind == "call"]
    for mutant in calls:
        mutation.start(lambda _, edits=mutant.edits[0]: edits)
        with node.snapshot():
            contract.f(100)
            mutation.start(lambda _: None)
            totals.append(contract.total())

    assert [mutant.line for mutant in calls] == [6, 7, 8]
    assert totals == [100 + 3 + 100 + 5 + 5, 100 + 100 + 5 + 5, 100 + 100 + 3 + 100 + 5]


def test_same_code_of_two_contracts() -> None:
    """A change of a source that several contracts have is one mutant of all."""
    alone, both = find_mutants([VAULT]), find_mutants([VAULT, VAULT])

    assert len(both) == len(alone)
    assert all(set(mutant.edits) == {0, 1} for mutant in both)


def test_without_source() -> None:
    """Without a source map there are no mutants."""
    assert find_mutants([Artifact("Vault", VAULT.abi, runtime=VAULT.runtime)]) == []


def test_comment() -> None:
    """A line with a comment that says so has no mutants."""
    text = """
@external
def f(more: uint256):
    assert more > 1  # devchain: no mutants
    assert more > 2
"""
    assert {mutant.line for mutant in find_mutants([loads(text)])} == {5}
