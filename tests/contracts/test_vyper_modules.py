"""`devchain.contracts.vyper_modules`"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from devchain.config import Config
from devchain.contracts.artifact_files import load_artifacts
from devchain.contracts.artifacts import Artifact
from devchain.contracts.vyper_modules import Import, Numbering, imports, reader
from devchain.errors import ExecutionReverted
from devchain.node import Node
from devchain.source.coverage_report import format_table
from devchain.source.hints import UNKNOWN_MODULES, UNKNOWN_SOURCES
from devchain.source.map import CodeMap
from tests.contracts.test_artifact_files import PROJECTS
from tests.testing.covered import report_of

PROJECT = PROJECTS / "vyper_modules"
COMBINED = ("combined-0.4.0.json", "combined-0.4.3.json")
VAULT = {
    0: "contracts/Vault.vy",
    2: "contracts/owned.vy",
    3: "contracts/lib/deep/errors.vy",
    4: "contracts/lib/fees.vy",
    5: "contracts/limits.vy",
}
"""The sources of the vault: 1 is an interface."""

OTHER = {6: "contracts/Other.vy", 5: "contracts/limits.vy"}
SHOWN = {7: "contracts/Shown.vy", 2: "contracts/owned.vy", 3: "contracts/lib/deep/errors.vy"}


def paths(artifact: Artifact) -> dict[int, str]:
    """The paths of an artifact's sources, all of which have a text."""
    assert all(each.text for each in artifact.sources.values())
    return {number: each.path for number, each in artifact.sources.items()}


def load(file: Path) -> dict[str, Artifact]:
    """The artifacts in a file, by name."""
    return {each.name: each for each in load_artifacts(file, detailed=True)}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project, whose files are older than what was compiled of them."""
    copied = shutil.copytree(PROJECT, tmp_path / "project")
    for file in copied.rglob("*"):
        at = 2_000 if file.suffix == ".json" else 1_000
        os.utime(file, (at, at))
    return copied


class TestImports:
    def test_forms(self) -> None:
        """Imports by their level and path; what a comment or text has is none."""
        text = '''
"""
import a
"""
import a
import a.b as c  # import d
from . import d
from .. import e as f
from ..g.h import (
    i
) as j
from k import importer
initializes: a
'''

        assert imports(text) == [
            Import(0, "a"),
            Import(0, "a/b"),
            Import(1, "d"),
            Import(2, "e"),
            Import(2, "g/h/i"),
            Import(0, "k/importer"),
        ]


class TestNumbering:
    def test_not_found(self) -> None:
        """Without a file that is imported the ids of a contract are not known."""
        numbering = Numbering(reader({"a.vy": "import b"}), ["."])

        assert numbering.compile("a.vy") is None

    def test_own_modules(self) -> None:
        """Vyper's own interfaces and modules have no ids."""
        text = "from ethereum.ercs import IERC20\nimport math\nimport b"
        files = {"a.vy": text, "b.vy": "", "ethereum/ercs/IERC20.vyi": ""}

        found = Numbering(reader(files), ["."]).compile("a.vy")

        assert found is not None
        assert {number: each.path for number, each in found.items()} == {0: "a.vy", 1: "b.vy"}

    def test_search_paths(self) -> None:
        """A module is looked for beside the contract first, then in the search paths in turn."""
        files = {"src/a.vy": "import b\nimport c", "lib/b.vy": "", "src/c.vy": "", "lib/c.vy": ""}

        found = Numbering(reader(files), ["lib", "."]).compile("src/a.vy")

        assert found is not None
        assert [each.path for each in found.values()] == ["src/a.vy", "lib/b.vy", "src/c.vy"]


class TestCombinedJson:
    @pytest.mark.parametrize("name", COMBINED)
    def test_sources(self, name: str) -> None:
        """Contracts have the modules that they import, also in modules, by vyper's ids."""
        found = load(PROJECT / name)

        assert {each: paths(artifact) for each, artifact in found.items()} == {
            "Vault": VAULT,
            "Other": OTHER,
            "Shown": SHOWN,
        }

    @pytest.mark.parametrize("name", COMBINED)
    def test_changed(self, project: Path, name: str) -> None:
        """With other lines in a file no id is certain, but those of contracts without it are."""
        file = project / "contracts" / "lib" / "fees.vy"
        file.write_text(f"\n{file.read_text()}")

        found = load(project / name)

        assert not found["Vault"].sources
        assert paths(found["Other"]) == OTHER

    def test_another_order(self, project: Path) -> None:
        """Imports in another order than when it was compiled are noticed."""
        file = project / "contracts" / "Vault.vy"
        lines = file.read_text().split("\n")
        place = lines.index("import owned")
        lines[place], lines[place + 1] = lines[place + 1], lines[place]
        file.write_text("\n".join(lines))

        assert not load(project / COMBINED[1])["Vault"].sources

    @pytest.mark.parametrize("name", ["limits.vy", "owned.vy"])
    def test_missing(self, project: Path, name: str) -> None:
        """Without the file of a module there are no sources, not those of another id."""
        (project / "contracts" / name).unlink()

        found = load(project / COMBINED[1])

        assert not found["Vault"].sources
        assert not found["Other" if name == "limits.vy" else "Shown"].sources

    def test_failure(self) -> None:
        """The place of a failure in a module of a module is found."""
        with Node(Config(artifacts=(str(PROJECT / COMBINED[1]),))) as node:
            vault = node.deploy("Vault", node.funded_accounts[0])
            with pytest.raises(ExecutionReverted, match="not the owner") as caught:
                vault.clear(sender=node.funded_accounts[1])

        trace = caught.value.source_trace
        assert trace is not None
        assert [each.place.rpartition("vyper_modules/")[2] for each in trace.frames] == [
            "contracts/Vault.vy:29",
            "contracts/owned.vy:17",
            "contracts/lib/deep/errors.vy:7",
        ]

    def test_no_places(self, project: Path) -> None:
        """Where the ids are not certain, the report of coverage and failures say so."""
        file = project / "contracts" / "lib" / "fees.vy"
        file.write_text(f"\n{file.read_text()}")
        (project / "selected.json").unlink()  # which has the sources
        config = Config(artifacts=(str(project / COMBINED[1]),), coverage="-")
        with Node(config) as node:
            vault = node.deploy("Vault", node.funded_accounts[0])
            with pytest.raises(ExecutionReverted) as caught:
                vault.put(0)
            report = report_of(node)

        assert caught.value.source_trace is not None
        assert caught.value.source_trace.hint == f"Vault has no places here: {UNKNOWN_SOURCES}"
        assert report.unmeasured == {("Vault", UNKNOWN_SOURCES)}
        assert f"not measured: Vault: {UNKNOWN_SOURCES}" in " ".join(
            each.strip() for each in format_table(report)
        )


class TestStandardJson:
    """Output of the main contracts alone, without `"*"` in `outputSelection`."""

    def write(self, folder: Path, written: Any) -> Path:
        """The JSON in a file of a folder."""
        file = folder / "written.json"
        file.write_text(json.dumps(written))
        return file

    def test_with_input(self) -> None:
        """Modules are those of the input."""
        found = load(PROJECT / "selected.json")

        assert {name: paths(each) for name, each in found.items()} == dict.fromkeys(
            ("Vault", "Other", "Shown"), VAULT | OTHER | SHOWN
        )

    def test_order_of_output(self, tmp_path: Path) -> None:
        """The order of contracts in a file does not matter, since it has their ids."""
        written = json.loads((PROJECT / "selected.json").read_text())
        listed = written["output"]["sources"]
        written["output"]["sources"] = dict(sorted(listed.items(), reverse=True))

        assert paths(load(self.write(tmp_path, written))["Vault"]) == VAULT | OTHER | SHOWN

    def test_output_alone(self, project: Path) -> None:
        """Without the input modules are read from disk."""
        written = json.loads((project / "selected.json").read_text())["output"]

        assert paths(load(self.write(project, written))["Vault"]) == VAULT | OTHER | SHOWN

    def test_changed(self, project: Path) -> None:
        """Without the input the lines of modules that have changed are not measured."""
        written = json.loads((project / "selected.json").read_text())["output"]
        file = project / "contracts" / "limits.vy"
        file.write_text(f"\n{file.read_text()}")
        artifacts = str(self.write(project, written))

        with Node(Config(artifacts=(artifacts,), coverage="-")) as node:
            report = report_of(node)

        assert report.unmeasured == {
            (name, UNKNOWN_MODULES) for name in ("Vault", "Other", "Shown")
        }

    def test_coverage(self) -> None:
        """Lines of modules count."""
        artifacts = str(PROJECT / "selected.json")
        with Node(Config(artifacts=(artifacts,), coverage="-")) as node:
            node.deploy("Other").check(7)
            report = report_of(node)

        assert not report.unmeasured
        assert report.files["contracts/limits.vy"].lines == {7: 1, 8: 3, 9: 3}


def test_names_of_functions() -> None:
    """Internal functions of a module are named after it, in traces as in the source."""
    with Node(Config(artifacts=(str(PROJECT / "selected.json"),))) as node:
        vault = node.deploy("Vault", node.funded_accounts[0])
        with pytest.raises(ExecutionReverted) as caught:
            vault.put(0)

    assert caught.value.source_trace is not None
    titles = [each.title for each in caught.value.source_trace.frames]
    assert titles == ["Vault.put(amount=0)", "limits.check(amount=0)"]


def test_names_of_constructors() -> None:
    """So are constructors, those of the other contracts and modules of a compilation too."""
    artifacts = load_artifacts(PROJECT / "selected.json", detailed=True)
    [vault] = [each for each in artifacts if each.name == "Vault"]
    code_map = CodeMap(vault, vault.creation, creating=True)
    functions = [each for file in code_map.files.values() for each in file.functions.values()]
    places = [code_map.position_of(each) for each in functions if each.own_name == "__init__"]

    assert {each.module for each in places if each} == {"Shown", "Vault", "owned"}
