"""`devchain.cli.commands.config`"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from devchain.cli.config_options import resolve_options
from devchain.config import Config, config_fields
from devchain.presets import PRESETS
from tests.cli.conftest import Result, Runner


@pytest.fixture(autouse=True)
def empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in an empty directory, without environment variables."""
    monkeypatch.chdir(tmp_path)
    for each in config_fields():
        monkeypatch.delenv(each.env, raising=False)


class TestInit:
    def test_defaults(self, devchain: Runner) -> None:
        """The file has every option, with its default."""
        assert devchain("config", "init") == Result(0, "Wrote devchain.toml.\n", "")

        text = Path("devchain.toml").read_text(encoding="utf-8")
        assert [each.name for each in config_fields() if f"{each.name} = " not in text] == []
        assert resolve_options({}, None).configs() == [Config()]

    def test_uncommented(self, devchain: Runner) -> None:
        """Every default in the file is valid TOML and equals the one in force."""
        devchain("config", "init")
        file = Path("devchain.toml")
        lines = file.read_text(encoding="utf-8").splitlines()
        known = {f"# {each.name} = ": each for each in config_fields() if each.default is not None}
        defaults = [line[2:] for line in lines if line.startswith(tuple(known))]
        file.write_text("\n".join(defaults), encoding="utf-8")

        assert len(defaults) == len(known)
        assert resolve_options({}, None).configs() == [Config()]

    @pytest.mark.parametrize("like", PRESETS)
    def test_preset(self, devchain: Runner, like: str) -> None:
        """The file leaves a preset's defaults in force."""
        devchain("config", "init")

        assert resolve_options({"like": (like, "option")}, None).configs() == [Config(like=like)]

    def test_existing(self, devchain: Runner) -> None:
        """An existing file is kept, unless --force is given."""
        file = Path("devchain.toml")
        file.write_text("port = 1\n", encoding="utf-8")

        assert devchain("config", "init").code == 1
        assert file.read_text(encoding="utf-8") == "port = 1\n"
        assert devchain("config", "init", "--force").code == 0
        assert file.read_text(encoding="utf-8") != "port = 1\n"

    def test_unwritable(self, devchain: Runner) -> None:
        """A path that cannot be written is an error."""
        result = devchain("config", "init", "nowhere/devchain.toml")

        assert result.err.startswith("error: nowhere/devchain.toml: cannot be written")


class TestShow:
    def test_round_trip(self, devchain: Runner) -> None:
        """The output, saved as a file, gives the same options."""
        arguments = ["--network", "main", "--network", "test", "--block-time", "2", "--no-mining"]
        Path("other.toml").write_text(devchain("config", "show", *arguments).out, encoding="utf-8")
        again = resolve_options({}, Path("other.toml")).configs()

        assert [each.network for each in again] == ["main", "test"]
        assert (again[0].block_time, again[0].mining) == (2.0, False)

    def test_origin(self, devchain: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
        """--origin shows the origin of each value."""
        Path("devchain.toml").write_text("quiet = true\n", encoding="utf-8")
        monkeypatch.setenv("DEVCHAIN_PORT", "5")
        lines = devchain("config", "show", "--origin", "--host", "::1").out.splitlines()

        found = {line.split()[0]: line.rsplit("# ", 1)[1] for line in lines if line[0] != "#"}
        assert (found["quiet"], found["port"]) == ("devchain.toml", "env")
        assert (found["host"], found["balance"]) == ("option", "default")

    def test_secrets(self, devchain: Runner) -> None:
        """API keys and a custom mnemonic are shown only with --reveal."""
        arguments = ["config", "show", "--api-key", "hush", "--mnemonic", "hush hush"]

        assert "hush" not in devchain(*arguments).out
        revealed = tomllib.loads(devchain(*arguments, "--reveal").out)
        assert (revealed["api_key"], revealed["mnemonic"]) == (["hush"], "hush hush")

    def test_wrong(self, devchain: Runner) -> None:
        """Invalid options are an error here too."""
        assert devchain("config", "show", "--accounts", "-1").code == 1
