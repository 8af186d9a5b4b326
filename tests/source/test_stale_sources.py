"""Failures in contracts of a project: as Foundry compiles, with changed and unknown sources."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from devchain import Node
from devchain.errors import VmError
from tests.contracts.test_artifact_files import PROJECTS
from tests.contracts.test_changed_sources import LATER, edit, vyper_project
from tests.failures.builds import BUILDS
from tests.failures.world import World

HINT = "src/{} has changed since it was compiled: compile again"


def failure(
    tmp_path: Path,
    changed: str = "",
    value: int = 0,
    prepare: Callable[[Path], None] = lambda _: None,
    name: str = "foundry",
) -> VmError:
    """How `Jar.keep` fails when it is not open, the file `changed` being another than compiled."""
    project = shutil.copytree(PROJECTS / name, tmp_path / "project")
    prepare(project)
    if changed:
        file = project / "src" / changed
        file.write_text(f"\n{file.read_text()}")
    node = Node()
    node.artifacts.load(project)
    jar = node.deploy("Jar", 3)
    node.set_storage(jar.address, 0, 0)
    with pytest.raises(VmError) as caught:
        jar.keep(3, value=value)
    return caught.value


def without_cache(project: Path) -> None:
    """Without Foundry's list of the sources of each build."""
    shutil.rmtree(project / "forge-cache")


def without_build_info(project: Path) -> None:
    """Without the build of which it has the ids of sources."""
    shutil.rmtree(project / "compiled" / "build-info")


def test_places(tmp_path: Path) -> None:
    """Functions and modifiers are known."""
    trace = failure(tmp_path).source_trace

    assert trace is not None
    assert [(each.title, each.place) for each in trace.frames] == [
        ("Jar.keep(amount=3)", "src/Jar.sol:14"),
        ("modifier Lid.opened", "src/Lid.sol:8"),
    ]
    assert trace.hint == ""


@pytest.mark.parametrize(
    ("name", "prepare"),
    [
        ("foundry", without_cache),
        ("foundry", without_build_info),
        ("truffle", lambda _: None),
    ],
)
def test_unknown_source(tmp_path: Path, name: str, prepare: Callable[[Path], None]) -> None:
    """Where it failed in a source that is not known the place is approximate, and says why."""
    trace = failure(tmp_path, prepare=prepare, name=name).source_trace

    assert trace is not None
    assert [each.title for each in trace.frames] == ["Jar.keep(amount=3)"]
    assert trace.frames[0].place.startswith("near ")
    assert trace.hint.startswith("Jar was compiled of 2 sources, of which 1 is known: ")


@pytest.mark.parametrize("build", ["solc-0.8", "solc-0.8-optimized", "solc-0.8-ir"])
@pytest.mark.parametrize(
    ("function", "argument"), [("inImportedLibrary", 10), ("inFreeFunction", 1)]
)
def test_function_of_unknown_source(build: str, function: str, argument: int) -> None:
    """A statement that called a function there is not shown as what failed."""
    [found] = [each for each in BUILDS if each.name == build]
    world = World(found)
    whole = world.artifacts["Structure"]
    own = {number: each for number, each in whole.sources.items() if each.path == whole.source}
    names = {each.path: "" for each in whole.sources.values()}
    node = Node()
    library = node.deploy(world.artifacts["Ledger"])
    structure = node.deploy(
        replace(whole, sources=own, digests=names), libraries={"Ledger": library}
    )
    with pytest.raises(VmError) as caught:
        structure[function](argument)
    trace = caught.value.source_trace

    assert trace is not None
    assert trace.frames
    assert trace.frames[-1].is_near
    assert f"Structure was compiled of {len(names)} sources, of which 1 is known" in trace.hint


@pytest.mark.parametrize("file", ["Jar.sol", "Lid.sol"])
def test_changed(tmp_path: Path, file: str) -> None:
    """Where a place is missing since a source has changed, the hint says so."""
    error = failure(tmp_path, file)

    assert error.source_trace is not None
    assert error.source_trace.hint == HINT.format(file)
    assert HINT.format(file) in str(error.call_tree)


def test_beside_another_hint(tmp_path: Path) -> None:
    """It stands beside what else is known."""
    trace = failure(tmp_path, "Jar.sol", value=1).source_trace

    assert trace is not None
    assert trace.hint.startswith("Jar.keep is not payable")
    assert trace.hint.endswith(HINT.format("Jar.sol"))


def test_not_needed(tmp_path: Path) -> None:
    """A change of a source in which nothing is missing is not mentioned."""
    trace = failure(tmp_path, "Lid.sol", value=1).source_trace

    assert trace is not None
    assert "changed" not in trace.hint


class TestVyper:
    """Artifacts of which the source has its text on disk alone."""

    def failure(self, folder: Path) -> VmError:
        """How `store` fails beyond its cap."""
        node = Node()
        node.artifacts.load(folder / "a.json")
        box = node.deploy("a", 3)
        with pytest.raises(VmError) as caught:
            box.store(4)
        return caught.value

    def test_changed(self, tmp_path: Path) -> None:
        """A text that is not the one compiled is not shown."""
        edit(vyper_project(tmp_path, "combined.json") / "a.vy")
        trace = self.failure(tmp_path).source_trace

        assert trace is not None
        assert trace.hint == "a.vy has changed since it was compiled: compile again"
        assert [each.place for each in trace.frames] == [""]

    def test_unchanged(self, tmp_path: Path) -> None:
        """Nothing is said of one that was only touched."""
        file = vyper_project(tmp_path, "combined.json") / "a.vy"
        os.utime(file, (LATER, LATER))
        trace = self.failure(tmp_path).source_trace

        assert trace is not None
        assert (trace.hint, [each.place for each in trace.frames]) == ("", ["a.vy:14"])

    def test_newer(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """One that may have changed is shown, with the hint that places may be wrong."""
        file = vyper_project(tmp_path, "combined.json", hashed=False) / "a.vy"
        monkeypatch.chdir(tmp_path)
        trace = self.failure(tmp_path).source_trace
        assert trace is not None
        assert trace.hint == ""

        os.utime(file, (LATER, LATER))
        error = self.failure(tmp_path)

        newer = "a.vy is newer than a.json: if it has changed, compile again; places may be wrong"
        assert error.source_trace is not None
        assert error.source_trace.hint == newer
        assert [each.place for each in error.source_trace.frames] == ["a.vy:14"]
        assert newer in str(error.call_tree)
