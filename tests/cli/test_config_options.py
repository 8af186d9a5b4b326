"""`devchain.cli.config_options`"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import pytest
import typer

from devchain.cli.config_options import ResolvedOptions, resolve_options, with_options
from devchain.cli.help import new_app
from devchain.config import Config, config_fields
from devchain.errors import ConfigError

Parse = Callable[..., list[Config]]


@pytest.fixture
def parse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Parse:
    """Parse a command line in an empty directory without environment variables."""
    monkeypatch.chdir(tmp_path)
    for each in config_fields():
        monkeypatch.delenv(each.env, raising=False)
    app = new_app("")
    found: list[Config] = []

    @app.command()
    @with_options
    def start(resolved: ResolvedOptions) -> None:
        """Start."""
        found.extend(resolved.configs())

    def run(*arguments: str) -> list[Config]:
        found.clear()
        app(list(arguments), standalone_mode=False)
        return found

    return run


def write(text: str, name: str = "devchain.toml") -> None:
    """Write a file in the working directory."""
    Path(name).write_text(text, encoding="utf-8")


class TestWrongValues:
    """Errors say where a wrong value comes from."""

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ('network = "tst"', "devchain.toml: unknown network 'tst'; choose one of"),
            ('network = ["main", "tst"]', "devchain.toml: unknown network 'tst'"),
            ("accounts = -1", "devchain.toml: accounts -1 is out of range"),
            ("[tool.devchain]\nport = 1", r"devchain.toml: unknown table \[tool\]"),
            ("[devchain]\nport = 1", r"devchain.toml: unknown table \[devchain\]: options stand"),
            (
                'block_time = "2s"',
                "devchain.toml: block_time must be a number of seconds, not '2s'",
            ),
        ],
        ids=str,
    )
    def test_file(self, parse: Parse, text: str, message: str) -> None:
        """The file is named."""
        write(text)

        with pytest.raises(ConfigError, match=f"^{message}"):
            parse()

    def test_variable(self, parse: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
        """The variable is named, for switches too."""
        monkeypatch.setenv("DEVCHAIN_NETWORK", "tst")
        with pytest.raises(ConfigError, match=r"^DEVCHAIN_NETWORK: unknown network 'tst'"):
            parse()
        assert parse("--network", "test")[0].network == "test"

    @pytest.mark.parametrize(
        ("text", "wanted"), [("yes", True), ("ON", True), ("0", False), ("false", False)]
    )
    def test_switch(
        self, parse: Parse, monkeypatch: pytest.MonkeyPatch, text: str, wanted: bool
    ) -> None:
        """The variable of a switch is true or false, in any of the usual words."""
        monkeypatch.setenv("DEVCHAIN_QUIET", text)

        assert parse()[0].quiet is wanted

    def test_unknown_variable(
        self, parse: Parse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """A variable that begins as ours and is none is noted."""
        monkeypatch.setenv("DEVCHAIN_BLOCKTIME", "5")
        monkeypatch.setenv("DEVCHAIN_PROT", "5")
        monkeypatch.setenv("DEVCHAIN_ZZZZZZ", "5")
        monkeypatch.setenv("DEVCHAIN_URL", "http://127.0.0.1:1")
        parse()

        assert capsys.readouterr().err == (
            "note: there is a variable DEVCHAIN_BLOCKTIME: did you mean DEVCHAIN_BLOCK_TIME?\n"
            "note: there is a variable DEVCHAIN_PROT: did you mean DEVCHAIN_PORT?\n"
            "note: there is a variable DEVCHAIN_ZZZZZZ, which is not an option\n"
        )

    def test_units_of_wei(self, parse: Parse) -> None:
        """An amount of wei may have a unit, as in other commands."""
        assert parse("--min-gas-price", "0.06gwei")[0].min_gas_price == 60_000_000
        assert parse("--min-gas-price", "1,000")[0].min_gas_price == 1_000
        write('min_gas_price = "0.06gwei"')
        assert parse()[0].min_gas_price == 60_000_000
        write('min_gas_price = "6xyz"')
        with pytest.raises(ConfigError, match="min_gas_price: '6xyz' is not an amount"):
            parse()
        with pytest.raises(typer.BadParameter, match="--min-gas-price: '1xyz' is not an amount"):
            parse("--min-gas-price", "1xyz")


class TestOptions:
    def test_defaults(self, parse: Parse) -> None:
        """Without options every field has its default."""
        assert parse() == [Config()]

    @pytest.mark.parametrize(
        ("arguments", "name", "value"),
        [
            (["--port", "0"], "port", 0),
            (["--block-time", "2"], "block_time", 2.0),
            (["--no-mining"], "mining", False),
            (["--hosted", "--api-key", "k"], "hosted", True),
            (["--api-key", "a,b", "--api-key", "c"], "api_key", ("a,b", "c")),
            (["--coinbase", "0x" + "00" * 20], "coinbase", "0x" + "00" * 20),
        ],
        ids=["int", "float", "no-", "bool", "tuple", "str"],
    )
    def test_each_kind(self, parse: Parse, arguments: list[str], name: str, value: object) -> None:
        """Every type of field has a matching option."""
        [config] = parse(*arguments)

        assert getattr(config, name) == value

    def test_networks(self, parse: Parse) -> None:
        """Each --network gives a configuration, in order; the other options apply to all."""
        configs = parse("--network", "main", "--network", "test", "--port", "1")

        assert [(each.network, each.port) for each in configs] == [("main", 1), ("test", 1)]

    def test_other_parameters(self, parse: Parse) -> None:
        """A command can have parameters besides the options."""
        app = new_app("")
        seen = []

        @app.command()
        @with_options
        def show(settings: ResolvedOptions, wide: Annotated[bool, typer.Option()] = False) -> None:
            seen.append((wide, len(settings.values)))

        app(["--wide"], standalone_mode=False)

        assert seen == [(True, len(config_fields()))]


class TestEnvironment:
    @pytest.mark.parametrize(
        ("variable", "text", "value"),
        [
            ("port", "1234", 1234),
            ("mining", "false", False),
            ("allow_host", "a, b,c", ("a", "b", "c")),
            ("mnemonic", "one two three", "one two three"),
        ],
    )
    def test_each_kind(
        self, parse: Parse, monkeypatch: pytest.MonkeyPatch, variable: str, text: str, value: object
    ) -> None:
        """Every option has a variable; items of lists are separated by commas."""
        monkeypatch.setenv(f"DEVCHAIN_{variable.upper()}", text)
        [config] = parse()

        assert getattr(config, variable) == value

    def test_overrides(self, parse: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
        """An option overrides its variable, the variable the file."""
        write("port = 5\nquiet = true\n")
        monkeypatch.setenv("DEVCHAIN_PORT", "1")

        assert [config.port for config in (*parse(), *parse("--port", "2"))] == [1, 2]


class TestFile:
    def test_devchain_toml(self, parse: Parse) -> None:
        """`devchain.toml` of the working directory is read; `-` and `_` are the same."""
        write('network = "test"\nblock-time = 3\nallow_host = ["a"]\napi_key = "k"\nquiet = true\n')
        [config] = parse()

        assert (config.network, config.block_time, config.quiet) == ("test", 3.0, True)
        assert (config.allow_host, config.api_key) == (("a",), ("k",))

    def test_pyproject(self, parse: Parse) -> None:
        """`[tool.devchain]` of `pyproject.toml` is read where there is no `devchain.toml`."""
        others = "[tool.devchain.solc]\nviaIR = true\n[tool.other]\nport = 6\n"
        write(f"[tool.devchain]\nport = 5\n{others}", "pyproject.toml")
        [config] = parse()

        assert config.port == 5

    def test_other_pyproject(self, parse: Parse) -> None:
        """A `pyproject.toml` without `tool.devchain` is ignored."""
        write('[project]\nname = "x"\n', "pyproject.toml")

        assert parse() == [Config()]

    def test_devchain_toml_first(self, parse: Parse) -> None:
        """If both files exist, only `devchain.toml` is read."""
        write("port = 5\n")
        write("[tool.devchain]\nport = 6\nquiet = true\n", "pyproject.toml")
        [config] = parse()

        assert (config.port, config.quiet) == (5, False)

    def test_named(self, parse: Parse) -> None:
        """--config names another file."""
        write("port = 5\n")
        write("port = 7\n", "other.toml")
        [config] = parse("--config", "other.toml")

        assert config.port == 7

    @pytest.mark.parametrize(
        ("text", "error"),
        [
            ("prot = 1", "devchain.toml: unknown option 'prot'; did you mean port?"),
            ("zzzzzz = 1", "devchain.toml: unknown option 'zzzzzz'; `devchain config init` lists"),
            ('port = "1"', "devchain.toml: port must be a whole number, not '1'"),
            ("allow_host = [1]", r"devchain.toml: allow_host must be a list of strings, not \[1\]"),
            ("network = []", "the list of networks is empty"),
            ("port =", "devchain.toml: not valid TOML"),
        ],
    )
    def test_wrong(self, parse: Parse, text: str, error: str) -> None:
        """An error in a file names the file, the key and the expected value."""
        write(text)

        with pytest.raises(ConfigError, match=error):
            parse()

    def test_missing(self, parse: Parse) -> None:
        """A missing file named by --config is an error."""
        with pytest.raises(ConfigError, match=r"none.toml: cannot be read \(No such file"):
            parse("--config", "none.toml")


class TestOrigin:
    def test_each(self, tmp_path: Path) -> None:
        """Every value has its origin."""
        (tmp_path / "devchain.toml").write_text("port = 5\nquiet = true\n", encoding="utf-8")
        given = {"port": (6, "option"), "hosted": (False, "env")}
        settings = resolve_options(given, None, tmp_path)

        origins = {each.field.name: each.origin for each in settings.values}
        assert origins["port"] == "option"
        assert origins["hosted"] == "env"
        assert origins["quiet"] == "devchain.toml"
        assert origins["host"] == "default"

    def test_preset(self, tmp_path: Path) -> None:
        """What a preset sets is overridden by every other origin, and names the preset."""
        (tmp_path / "devchain.toml").write_text('like = "rskj"\nremasc = false\n', encoding="utf-8")

        resolved = resolve_options({}, None, tmp_path)

        found = {each.field.name: (each.value, each.origin) for each in resolved.values}
        assert found["like"] == ("rskj", "devchain.toml")
        assert found["remasc"] == (False, "devchain.toml")
        assert found["max_batch"] == (50, "preset rskj")
        assert found["port"] == (4444, "default")
        assert resolved.configs() == [Config(like="rskj", remasc=False)]
