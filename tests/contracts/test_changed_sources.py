"""`devchain.contracts.changed_sources`"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from devchain.contracts.artifact_files import load_artifacts
from devchain.contracts.artifacts import Artifact
from devchain.contracts.changed_sources import changed_sources
from devchain.contracts.sources import StaleSource
from tests.contracts.test_artifact_files import PROJECTS

HARDHAT = ("hardhat2", "hardhat3")
FOUNDRY = ("foundry", "foundry_build_info")
PAST, NOW, LATER = 1_000, 2_000, 3_000


def built_project(name: str, folder: Path) -> Path:
    """A copy of a project with its sources, everything compiled after they were written."""
    project = shutil.copytree(PROJECTS / name, folder / name)
    for file in (project / "artifacts" / "build-info").glob("*.json"):
        for path, source in (
            json.loads(file.read_text()).get("input", {}).get("sources", {}).items()
        ):
            target = project / path.removeprefix("project/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(source["content"])
    for file in project.rglob("*"):
        at = PAST if file.suffix in {".sol", ".vy"} and file.is_file() else NOW
        os.utime(file, (at, at))
    return project


def found(project: Path, name: str) -> list[str]:
    """What has changed of the contract of that name."""
    known = load_artifacts(project)
    stale = changed_sources([each for each in known if each.name == name], known)
    assert not any(each.newer_than for each in stale)
    return [each.path for each in stale]


def edit(file: Path, text: str = "\n") -> None:
    """Append to a source after the compilation."""
    file.write_text(file.read_text() + text)
    os.utime(file, (LATER, LATER))


def sources(project: Path) -> list[Path]:
    """The Solidity files of a project; folders of artifacts have such names, too."""
    return sorted(each for each in project.rglob("*.sol") if each.is_file())


def source_of(project: Path, name: str) -> str:
    """The path of a source in the project: `src/Jar.sol`."""
    return next(str(each.relative_to(project)) for each in sources(project) if each.name == name)


@pytest.mark.parametrize("name", [*FOUNDRY, *HARDHAT])
class TestProjects:
    """Every form in which tools keep texts or hashes of sources."""

    def test_unchanged(self, tmp_path: Path, name: str) -> None:
        """Nothing is found of what was compiled last, or was only touched since."""
        project = built_project(name, tmp_path)
        assert found(project, "Jar") == []

        for file in sources(project):
            edit(file, "")
        assert found(project, "Jar") == []

    def test_changed(self, tmp_path: Path, name: str) -> None:
        """A source that was edited since is found by the contract in it."""
        project = built_project(name, tmp_path)
        path = source_of(project, "Jar.sol")
        edit(project / path)

        assert found(project, "Jar") == [path]

    def test_imported(self, tmp_path: Path, name: str) -> None:
        """So is one that it imports, which is none of its own."""
        project = built_project(name, tmp_path)
        path = source_of(project, "Lid.sol")
        edit(project / path)

        assert found(project, "Jar") == [path]

    def test_other(self, tmp_path: Path, name: str) -> None:
        """One that it does not depend on is not, where the compiler's metadata is there."""
        project = built_project(name, tmp_path)
        path = source_of(project, "Twin.sol")
        edit(project / path)

        assert found(project, "Jar") == ([path] if name == "hardhat3" else [])

    def test_without_sources(self, tmp_path: Path, name: str) -> None:
        """Nothing is said of sources that are not on disk."""
        project = built_project(name, tmp_path)
        for file in sources(project):
            file.unlink()

        assert found(project, "Jar") == []


def test_nothing_newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is read where no source is newer than the last compilation."""
    known = load_artifacts(built_project("foundry", tmp_path))
    monkeypatch.setattr("devchain.contracts.artifact_files.read_json", None)

    assert changed_sources(known, known) == []


def test_sent_by_a_client() -> None:
    """An artifact without a file has nothing to compare with."""
    one = Artifact("A", load_artifacts(PROJECTS / "foundry")[0].abi, "../../etc/passwd")

    assert changed_sources([one], [one]) == []


def test_damaged(tmp_path: Path) -> None:
    """Build-info that is no JSON, or lists other things than sources, says nothing."""
    project = built_project("hardhat2", tmp_path)
    edit(project / "contracts" / "Jar.sol")
    known = load_artifacts(project)
    (info,) = (project / "artifacts" / "build-info").glob("*.json")

    for text in ("{", "[]", '{"input": 1}', '{"input": {"sources": {"contracts/Jar.sol": 1}}}'):
        info.write_text(text)

        assert changed_sources(known, known) == []


def vyper_project(folder: Path, name: str, *, hashed: bool = True) -> Path:
    """A folder with a source and what vyper made of it: `a.vy` and `a.json`.

    Without its hash (`hashed`) the output is like that of vyper 0.4.0 and before.
    """
    shutil.copyfile(PROJECTS / "vyper" / "Box.vy", folder / "a.vy")
    written = (PROJECTS / "vyper" / name).read_text().replace("Box.vy", "a.vy")
    if not hashed:
        written = written.replace("855820", "845820").replace("source_sha256sum", "unknown")
    (folder / "a.json").write_text(written)
    os.utime(folder / "a.vy", (PAST, PAST))
    os.utime(folder / "a.json", (NOW, NOW))
    return folder


@pytest.mark.parametrize("name", ["standard.json", "combined.json"])
class TestVyper:
    """The output of vyper alone, which has no text of the source."""

    def stale(self, folder: Path) -> list[StaleSource]:
        """What is found when the folder, not that of the process, has the sources."""
        known = load_artifacts(folder / "a.json")
        return changed_sources(known, known)

    @pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["lf", "crlf"])
    def test_unchanged(self, tmp_path: Path, name: str, ends: str) -> None:
        """A source that was only touched is known to be as compiled, with any ends of lines."""
        file = vyper_project(tmp_path, name) / "a.vy"
        file.write_bytes(file.read_bytes().replace(b"\n", ends.encode()))
        os.utime(file, (LATER, LATER))

        assert self.stale(tmp_path) == []

    def test_changed(self, tmp_path: Path, name: str) -> None:
        """One with another text is found by the hash in the creation code."""
        edit(vyper_project(tmp_path, name) / "a.vy")

        assert self.stale(tmp_path) == [StaleSource("a.vy")]

    def test_imports(self, tmp_path: Path, name: str) -> None:
        """The hash of one with imports does not tell: it may have changed.

        A syntax tree has a hash of the source alone.
        """
        edit(vyper_project(tmp_path, name) / "a.vy", "\nimport other\n")

        by_tree = "source_sha256sum" in (tmp_path / "a.json").read_text()
        newer_than = "" if by_tree else str(tmp_path / "a.json")
        assert self.stale(tmp_path) == [StaleSource("a.vy", newer_than)]

    def test_newer(self, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without a hash, one may have changed that is newer than the artifact by over a second."""
        file = vyper_project(tmp_path, name, hashed=False) / "a.vy"
        monkeypatch.chdir(tmp_path)
        assert self.stale(tmp_path) == []

        os.utime(file, (NOW + 1, NOW + 1))
        assert self.stale(tmp_path) == []

        os.utime(file, (NOW + 2, NOW + 2))
        assert self.stale(tmp_path) == [StaleSource("a.vy", "a.json")]

    def test_other_artifacts(self, tmp_path: Path, name: str) -> None:
        """What was compiled later without it, to another file of the folder, changes nothing."""
        edit(vyper_project(tmp_path, name) / "a.vy")
        other = shutil.copyfile(tmp_path / "a.json", tmp_path / "b.json")
        other.write_text(other.read_text().replace("a.vy", "b.vy"))
        os.utime(other, (LATER + 1, LATER + 1))
        known = load_artifacts(tmp_path)

        assert changed_sources(known, known) == [StaleSource("a.vy")]

    def test_working_directory(
        self, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A source is found where traces find it, beside the folder of the artifacts."""
        edit(vyper_project(tmp_path, name) / "a.vy")
        (tmp_path / "build").mkdir()
        (tmp_path / "a.json").rename(tmp_path / "build" / "a.json")
        monkeypatch.chdir(tmp_path)
        known = load_artifacts(tmp_path / "build" / "a.json")

        assert changed_sources(known, known) == [StaleSource("a.vy")]


@pytest.mark.parametrize("is_changed", [False, True], ids=["touched", "changed"])
def test_vyper_of_foundry(tmp_path: Path, *, is_changed: bool) -> None:
    """Of Foundry's artifacts of vyper, which have no metadata, the creation code tells too."""
    project = built_project("foundry", tmp_path)
    edit(project / "src" / "Box.vy", "\n" if is_changed else "")

    assert found(project, "Box") == (["src/Box.vy"] if is_changed else [])
