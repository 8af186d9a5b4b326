"""`devchain.contracts.artifact_formats.build_info`"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson
import pytest

from devchain.contracts.artifact_formats import build_info, parse_artifacts, read_outline
from devchain.contracts.artifacts import Artifact
from devchain.contracts.source_map import source_ids
from tests.failures.builds import BUILDS, Build
from tests.values import artifacts_of

DEPLOYABLE = [pytest.param(each, id=each.name) for each in BUILDS]


def sent(artifact: Artifact) -> Artifact:
    """The artifact as another node reads it."""
    written = orjson.loads(orjson.dumps(build_info(artifact)))
    [found] = parse_artifacts(written, outlined=True)
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
    """What is read of it is the artifact: code, maps, checks, sources with outlines, layout."""
    for artifact in artifacts_of(build):
        found, expected = comparable(sent(artifact)), comparable(artifact)

        assert found == replace(
            expected,
            sources={number: replace(each, digest="") for number, each in expected.sources.items()},
        )
        assert found.storage_layout == expected.storage_layout
        assert found.creation.checks == expected.creation.checks
        assert found.runtime.checks == expected.runtime.checks
        if expected.runtime.source_map:
            assert all(each.outline for each in found.sources.values())


def test_name_alone() -> None:
    """An artifact without code and sources keeps its name and ABI."""
    [artifact] = parse_artifacts({"contractName": "Car", "abi": [{"type": "fallback"}]})

    found = sent(artifact)

    assert (found.name, found.abi, found.sources) == ("Car", artifact.abi, {})


class TestReadOutline:
    """Outlines come from anywhere: what is none is not read."""

    def written(self) -> dict[str, Any]:
        artifact = next(each for each in artifacts_of(BUILDS[4]) if each.name == "Values")
        return orjson.loads(  # type: ignore[no-any-return]  # it is an object
            orjson.dumps(next(each.outline for each in artifact.sources.values() if each.outline))
        )

    def test_as_written(self) -> None:
        """As it was written it is read."""
        assert read_outline(self.written()) is not None

    @pytest.mark.parametrize(
        ("path", "value"),
        [
            (("statements",), None),
            (("statements",), {}),
            (("statements", 0), []),
            (("statements", 0, "whole"), [1]),
            (("statements", 0, "whole"), [1, 2, 3]),
            (("statements", 0, "whole", 0), -1),
            (("statements", 0, "whole", 0), 10**15),
            (("statements", 0, "whole", 0), True),
            (("statements", 0, "whole", 0), 1.0),
            (("functions", 0, "name"), 7),
            (("functions", 0, "is_internal"), 1),
        ],
    )
    def test_other_values(self, path: tuple[str | int, ...], value: object) -> None:
        """A part of the wrong kind leaves all of it out."""
        written = part = self.written()
        for each in path[:-1]:
            part = part[each]  # type: ignore[index]  # a path of names and positions
        part[path[-1]] = value  # type: ignore[index]  # the same

        assert read_outline(written) is None

    @pytest.mark.parametrize("value", [None, [], "x", {}, {"statements": []}])
    def test_no_outline(self, value: object) -> None:
        """So is what is no outline at all."""
        assert read_outline(value) is None
