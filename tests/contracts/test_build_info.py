"""`devchain.contracts.artifact_formats.build_info`"""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest

from devchain.contracts.artifact_formats import build_info, parse_artifacts
from devchain.contracts.artifacts import Artifact
from devchain.contracts.source_map import source_ids
from tests.failures.builds import BUILDS, Build
from tests.values import artifacts_of

DEPLOYABLE = [pytest.param(each, id=each.name) for each in BUILDS]


def sent(artifact: Artifact) -> Artifact:
    """The artifact as another node reads it."""
    written = orjson.loads(orjson.dumps(build_info(artifact)))
    [found] = parse_artifacts(written)
    return found


def comparable(artifact: Artifact) -> Artifact:
    """The artifact with the placeholders of its code in one order, and the sources it needs."""
    codes = {
        name: replace(code, placeholders=tuple(sorted(set(code.placeholders))))
        for name, code in (("creation", artifact.creation), ("runtime", artifact.runtime))
    }
    used = source_ids(artifact.creation.source_map) | source_ids(artifact.runtime.source_map)
    sources = {number: each for number, each in artifact.sources.items() if number in used}
    return replace(artifact, **codes, sources=sources)


@pytest.mark.parametrize("build", DEPLOYABLE)
def test_round_trip(build: Build) -> None:
    """What is read of it is the artifact: code, maps, checks, sources, layout."""
    for artifact in artifacts_of(build):
        found, expected = comparable(sent(artifact)), comparable(artifact)

        assert found == replace(
            expected,
            sources={number: replace(each, digest="") for number, each in expected.sources.items()},
        )
        assert found.storage_layout == expected.storage_layout
        assert found.creation.checks == expected.creation.checks
        assert found.runtime.checks == expected.runtime.checks


def test_name_alone() -> None:
    """An artifact without code and sources keeps its name and ABI."""
    [artifact] = parse_artifacts({"contractName": "Car", "abi": [{"type": "fallback"}]})

    found = sent(artifact)

    assert (found.name, found.abi, found.sources) == ("Car", artifact.abi, {})
