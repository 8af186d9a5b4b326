"""The files of a release: version, workflows, action, container image"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml

from devchain.cli.main import main

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
TARGETS = set(
    re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
)
PINNED = re.compile(r"uses: (?:\./\S+|[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)")


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def steps(workflow: Any) -> Iterator[dict[str, Any]]:
    for job in workflow["jobs"].values():
        yield from job.get("steps", ())


class TestVersion:
    def test_one_place(self) -> None:
        """The version is in `pyproject.toml` alone; the package reads its metadata."""
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        written = f'"{project["version"]}"'

        assert metadata.version("devchain") == project["version"]
        assert not [
            path for path in (ROOT / "devchain").rglob("*.py") if written in path.read_text()
        ]

    def test_changelog(self) -> None:
        """The changelog begins with the section that a release renames."""
        text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

        assert re.findall(r"^## \[(.+?)\]", text, re.MULTILINE)[0] == "Unreleased"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
class TestWorkflows:
    def test_make_targets(self, path: Path) -> None:
        """Every `make` target that a workflow calls exists."""
        commands = [step.get("run", "") for step in steps(load(path))]

        assert set(re.findall(r"\bmake ([a-z-]+)", "\n".join(commands))) <= TARGETS

    def test_pins(self, path: Path) -> None:
        """Actions are pinned to a commit, with its version in a comment."""
        used = re.findall(r"uses: .*", path.read_text(encoding="utf-8"))

        assert used
        assert [line for line in used if not PINNED.fullmatch(line)] == []

    def test_permissions(self, path: Path) -> None:
        """A workflow has no permissions, its jobs have; a checkout leaves no token behind."""
        workflow = load(path)

        assert workflow["permissions"] == {}
        assert all("permissions" in job for job in workflow["jobs"].values())
        for step in steps(workflow):
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"] == {"persist-credentials": False}

    def test_no_injection(self, path: Path) -> None:
        """Expressions reach scripts through variables: text of a pull request is no program."""
        assert not [step for step in steps(load(path)) if "${{" in step.get("run", "")]


class TestPublishing:
    def test_only_publisher_has_token(self) -> None:
        """The job that publishes runs the upload alone, in an environment, without a password."""
        job = load(GITHUB / "workflows" / "release.yml")["jobs"]["publish"]

        assert job["permissions"] == {"id-token": "write"}
        assert job["environment"]["name"] == "pypi"
        assert all("run" not in step for step in job["steps"])
        assert "password" not in json.dumps(job)


class TestIssueForms:
    @pytest.mark.parametrize("name", ["bug", "feature"])
    def test_fields(self, name: str) -> None:
        """A form has a name, a description and fields with labels."""
        form = load(GITHUB / "ISSUE_TEMPLATE" / f"{name}.yml")

        assert form["name"]
        assert form["description"]
        assert all("label" in field["attributes"] for field in form["body"] if "id" in field)


class TestAction:
    ACTION = load(ROOT / "setup" / "action.yml")

    def test_inputs(self) -> None:
        """Every input is used, and reaches a script through a variable."""
        variables = json.dumps([step["env"] for step in self.ACTION["runs"]["steps"]])

        assert set(re.findall(r"inputs\.(\w+)", variables)) == self.ACTION["inputs"].keys()
        assert all("${{" not in step["run"] for step in self.ACTION["runs"]["steps"])

    def test_workflow_gives_inputs(self) -> None:
        """The workflow that tests the action gives it inputs that it has."""
        (step,) = [
            step
            for step in steps(load(GITHUB / "workflows" / "test.yml"))
            if step.get("uses") == "./setup"
        ]

        assert step["with"].keys() <= self.ACTION["inputs"].keys()

    def test_starts_node(self, tmp_path: Path) -> None:
        """The last step starts a node in the background and hands on its URL."""
        programs = Path(sys.executable).parent
        variables = {
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "XDG_STATE_HOME": str(tmp_path),
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_ENV": str(tmp_path / "env"),
            "NETWORK": "test",
            "PORT": "0",
            "ARGS": "--accounts 2  --block-time 60",
        }
        script = self.ACTION["runs"]["steps"][-1]["run"]
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]

        subprocess.run(command, env=variables, check=True)

        try:
            (url,) = re.findall(r"^url=(.*)$", (tmp_path / "output").read_text(), re.MULTILINE)
            assert (tmp_path / "env").read_text() == f"DEVCHAIN_URL={url}\n"
            with urllib.request.urlopen(f"{url}/health") as answer:
                assert json.load(answer)["networks"].keys() == {"test"}
        finally:
            stop = [str(programs / "devchain"), "stop", "--all"]
            subprocess.run(stop, env=variables, check=True, capture_output=True)


class TestImage:
    DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    COMPOSE = load(ROOT / "compose.yaml")["services"]

    def instruction(self, name: str) -> str:
        return re.findall(rf"^{name} (.*)$", self.DOCKERFILE, re.MULTILINE)[-1]

    def options(
        self,
        arguments: list[str],
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> dict[str, Any]:
        """What a node in the image would have as its options with those arguments."""
        for assignment in shlex.split(self.instruction("ENV")):
            name, _, value = assignment.partition("=")
            if name.startswith("DEVCHAIN_"):
                monkeypatch.setenv(name, value)
        command, *options = arguments
        assert command == "start"
        assert main(["config", "show", *options]) == 0
        return tomllib.loads(capsys.readouterr().out)

    def test_command(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """The image starts a node that listens outside its container, on the port it names."""
        command = json.loads(self.instruction("CMD"))
        options = self.options(command, monkeypatch, capsys)

        assert json.loads(self.instruction("ENTRYPOINT")) == ["devchain"]
        assert options["host"] == "0.0.0.0"  # noqa: S104  # in a container
        assert str(options["port"]) == self.instruction("EXPOSE")
        assert f"127.0.0.1:{options['port']}/health" in self.instruction("HEALTHCHECK")

    def test_user(self) -> None:
        """It does not run as root."""
        assert self.instruction("USER") == "1000"

    def test_compose(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """The service keeps its chain in the volume, and accepts the name that the test calls."""
        service = self.COMPOSE["devchain"]
        for name, value in service["environment"].items():
            monkeypatch.setenv(name, value)
        options = self.options(service["command"].split(), monkeypatch, capsys)

        assert options["data_dir"].startswith(service["volumes"][0].partition(":")[2])
        assert f"http://{options['allow_host'][0]}:4444" in self.COMPOSE["test"]["entrypoint"]
        assert service["ports"] == ["127.0.0.1:4444:4444"]

    def test_copied(self) -> None:
        """Every file that the Dockerfile copies exists and is sent to Docker."""
        sent = (ROOT / ".dockerignore").read_text(encoding="utf-8")
        copied = re.findall(r"^COPY (?!--)(.*) \S+$", self.DOCKERFILE, re.MULTILINE)

        for name in " ".join(copied).split():
            assert (ROOT / name).exists()
            assert f"!{name}\n" in sent
