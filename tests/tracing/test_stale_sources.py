"""Failures in contracts of a project: as Foundry compiles by default, and with changed sources."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from devchain import Node
from devchain.errors import VmError
from tests.contracts.test_artifact_files import PROJECTS
from tests.contracts.test_changed_sources import LATER, edit, vyper_project

HINT = "src/{} has changed since it was compiled: compile again"


def failure(tmp_path: Path, changed: str = "", value: int = 0) -> VmError:
    """How `Jar.keep` fails when it is not open, the file `changed` being another than compiled."""
    project = shutil.copytree(PROJECTS / "foundry", tmp_path / "project")
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


def test_without_syntax_trees(tmp_path: Path) -> None:
    """A default build of Foundry has no syntax trees: functions and modifiers are known."""
    trace = failure(tmp_path).source_trace

    assert trace is not None
    assert [(each.title, each.place) for each in trace.frames] == [
        ("Jar.keep(amount=3)", "src/Jar.sol:14"),
        ("modifier Lid.opened", "src/Lid.sol:8"),
    ]
    assert trace.hint == ""


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
