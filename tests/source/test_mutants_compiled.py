"""Mutants of bytecode do the same as the same changes made in the source and compiled.

`mutated/compiled.json.xz` has what solc 0.8.24 made of `mutated/Gauge.sol`, and the creation code
of each mutant's source, in the order of `find_mutants`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from devchain import Node
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.contracts.artifacts import Artifact
from devchain.errors import VmError
from devchain.evm.mutation import mutating_rules
from devchain.source.mutants import Mutant, find_mutants
from tests.source.compiled import compiled

PLAN: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("move", (0,)),
    ("move", (5,)),
    ("scaled", (0,)),
    ("scaled", (3,)),
    ("scaled", (-2,)),
    ("unchanged", ()),
    ("move", (95,)),
    ("move", (1,)),
    ("move", (-101,)),
    ("move", (-49,)),
    ("scaled", (-3,)),
    ("move", (-1,)),
    ("stop", ()),
    ("stop", ()),
    ("move", (1,)),
)
VIEWS = ("level", "highest", "recorded", "noted", "alarms", "stopped")


@cache
def gauge() -> tuple[Artifact, list[Mutant]]:
    """The contract and its mutants."""
    [artifact] = parse_artifacts(compiled("mutated")["build"])
    return artifact, find_mutants([artifact])


def seen(contract: Any) -> list[Any]:
    """What the calls of the plan answer, log and leave behind."""
    answers: list[Any] = []
    for name, arguments in PLAN:
        try:
            if name in {"scaled", "unchanged"}:
                answers.append(contract[name].call(*arguments))
            else:
                logs = contract[name](*arguments).logs
                answers.append([(list(log.topics), log.data) for log in logs])
        except VmError as error:
            answers.append(str(error).partition("\n")[0])
        answers.append([contract[view].call() for view in VIEWS])
    return answers


def test_recorded() -> None:
    """The recorded mutants are those that are found."""
    written = compiled("mutated")["mutants"]

    assert [mutant.diff[-1] for mutant in gauge()[1]] == [each["text"] for each in written]


def test_without_effect() -> None:
    """An operator whose replacement gives the same result is not replaced."""
    added = [mutant.diff[-1] for mutant in gauge()[1] if mutant.change.kind == "arithmetic"]

    assert not [line for line in added if "(level" in line]


def test_replayed() -> None:
    """Replays run the mutant, too: they find no call that it does not make."""
    artifact, mutants = gauge()
    (without,) = (mutant for mutant in mutants if "this.note" in mutant.diff[-1])
    edits, runtime = without.edits[0], artifact.runtime.template
    with Node() as node:
        rules, mutation = mutating_rules(node.chain.plain_rules)
        node.chain.use_rules(rules)
        mutation.start(lambda code: edits if code == runtime else None)
        contract: Any = node.deploy(artifact)
        with node.expect_call(contract.note, count=0):
            contract.stop()


@pytest.mark.parametrize("number", range(33))
def test_agreement(number: int) -> None:
    """A mutant answers, logs and stores what its compiled source does."""
    artifact, mutants = gauge()
    written = compiled("mutated")
    abi = written["build"]["output"]["contracts"]["Gauge.sol"]["Gauge"]["abi"]
    code = "0x" + written["mutants"][number]["code"]
    expected = seen(Node().deploy({"abi": abi, "bytecode": code}))
    node = Node()
    rules, mutation = mutating_rules(node.chain.plain_rules)
    node.chain.use_rules(rules)
    edits, runtime = mutants[number].edits[0], artifact.runtime.template
    mutation.start(lambda code: edits if code == runtime else None)

    assert seen(node.deploy(artifact)) == expected
