"""Modules of Vyper: contracts of several sources, in what vyper wrote of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from devchain.config import Config
from devchain.contracts.artifact_files import load_artifacts
from devchain.contracts.artifacts import Artifact
from devchain.contracts.code_map import CodeMap
from devchain.errors import ExecutionReverted
from devchain.node import Node
from devchain.source.coverage_report import format_table
from devchain.source.hints import UNKNOWN_MODULES, UNKNOWN_SOURCES
from tests.contracts.test_artifact_files import PROJECTS
from tests.testing.covered import report_of

PROJECT = PROJECTS / "vyper_modules"
COMBINED = ("combined-0.4.0.json", "combined-0.4.3.json")
MODULES = {
    2: "contracts/owned.vy",
    3: "contracts/lib/deep/errors.vy",
    4: "contracts/lib/fees.vy",
    5: "contracts/limits.vy",
}
"""The modules of the contracts Vault (0), Other (6) and Shown (7): 1 is an interface."""


def load(file: Path) -> dict[str, Artifact]:
    """The artifacts in a file, by name."""
    return {artifact.name: artifact for artifact in load_artifacts(file, detailed=True)}


@pytest.fixture
def listed(tmp_path: Path) -> str:
    """A file with all modules listed, as with `"*"` in `outputSelection`."""
    written = json.loads((PROJECT / "selected.json").read_text())
    written["output"]["sources"] |= {path: {"id": number} for number, path in MODULES.items()}
    file = tmp_path / "listed.json"
    file.write_text(json.dumps(written))
    return str(file)


@pytest.mark.parametrize("name", COMBINED)
def test_combined(name: str) -> None:
    """Combined JSON lists no sources: of contracts with modules none are known."""
    assert not any(artifact.sources for artifact in load(PROJECT / name).values())


@pytest.mark.parametrize(
    ("name", "reason"), [(COMBINED[1], UNKNOWN_SOURCES), ("selected.json", UNKNOWN_MODULES)]
)
def test_not_listed(tmp_path: Path, name: str, reason: str) -> None:
    """Failures and the report of coverage say which setting of vyper is missing."""
    file = tmp_path / name  # without the other files of the project
    file.write_text((PROJECT / name).read_text())
    with Node(Config(artifacts=(str(file),), coverage="-")) as node:
        vault = node.deploy("Vault", node.funded_accounts[0])
        with pytest.raises(ExecutionReverted) as caught:
            vault.put(0)
        report = report_of(node)

    assert caught.value.source_trace is not None
    if reason == UNKNOWN_SOURCES:
        assert caught.value.source_trace.hint == f"Vault has no places here: {reason}"
    assert ("Vault", reason) in report.unmeasured
    assert reason in " ".join(line.strip() for line in format_table(report))


def test_failure(listed: str) -> None:
    """The place of a failure in a module of a module; functions are named after their module."""
    with Node(Config(artifacts=(listed,))) as node:
        vault = node.deploy("Vault", node.funded_accounts[0])
        with pytest.raises(ExecutionReverted, match="not the owner") as caught:
            vault.clear(sender=node.funded_accounts[1])
        with pytest.raises(ExecutionReverted) as refused:
            vault.put(0)

    assert caught.value.source_trace is not None
    assert [frame.place for frame in caught.value.source_trace.frames] == [
        "contracts/Vault.vy:29",
        "contracts/owned.vy:17",
        "contracts/lib/deep/errors.vy:7",
    ]
    assert refused.value.source_trace is not None
    titles = [frame.title for frame in refused.value.source_trace.frames]
    assert titles == ["Vault.put(amount=0)", "limits.check(amount=0)"]


def test_coverage(listed: str) -> None:
    """Lines of modules count."""
    with Node(Config(artifacts=(listed,), coverage="-")) as node:
        node.deploy("Other").check(7)
        report = report_of(node)

    assert not report.unmeasured
    assert report.files["contracts/limits.vy"].lines == {7: 1, 8: 3, 9: 3}


def test_constructors(listed: str) -> None:
    """Constructors have names too, those of the other contracts and modules of a compilation."""
    vault = load(Path(listed))["Vault"]
    code_map = CodeMap(vault, creating=True)
    functions = [each for file in code_map.files.values() for each in file.functions.values()]
    places = [code_map.location_of(each) for each in functions if each.own_name == "__init__"]

    assert {place.module for place in places if place} == {"Shown", "Vault", "owned"}
