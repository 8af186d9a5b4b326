"""The fields of `Config` as command-line options, `DEVCHAIN_*` variables and `devchain.toml`.

An option overrides its environment variable, the variable the file, the file the default, which is
that of the preset that `like` names if it has one.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from devchain.cli.help import HelpAll
from devchain.cli.output import write_note
from devchain.config import (
    ENGINES,
    LOG_FORMATS,
    PREDEPLOYS,
    Config,
    ConfigField,
    Option,
    config_fields,
    preset_defaults,
    unknown_option,
)
from devchain.errors import ConfigError
from devchain.files import read_toml
from devchain.networks import HARDFORKS, NETWORKS
from devchain.presets import PRESETS
from devchain.text import MAX_UINT256, misspelt

CONFIG_FILE = "devchain.toml"
PROJECT_FILE = "pyproject.toml"
CHOICES = {
    "like": tuple(PRESETS),
    "network": tuple(NETWORKS),
    "hardfork": HARDFORKS,
    "engine": ENGINES,
    "log_format": LOG_FORMATS,
    "predeploy": PREDEPLOYS,
}
METAVARS = {int: "N", str: "TEXT"}
PRECEDENCE_HELP = """

An option can also be a variable, like DEVCHAIN_BLOCK_TIME=2, or be in devchain.toml, which
`devchain config init` writes. It overrides the variable, the variable overrides the file."""

OTHER_VARIABLES = ["URL", "CONFIG"]
"""Variables of other options than the fields of `Config`, after `DEVCHAIN_`."""

Command = Callable[..., None]


@dataclass(frozen=True, slots=True)
class OptionValue:
    """The value of an option and its origin: `option`, `env`, a file, `preset NAME`, `default`."""

    field: ConfigField
    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class ResolvedOptions:
    """The value in force of every option, and the names of the networks to serve, in order."""

    networks: tuple[str, ...]
    values: tuple[OptionValue, ...]

    def configs(self) -> list[Config]:
        """One `Config` for each network."""
        common = {option.field.name: option.value for option in self.values}
        try:
            return [Config(**{**common, "network": name}) for name in self.networks]
        except ConfigError as error:
            raise ConfigError(f"{self._source_of(error)}{error}") from None

    def _source_of(self, error: ConfigError) -> str:
        # The variable or file whose value alone gives the same error.
        for option in self.values:
            name, origin = option.field.name, option.origin
            values: Any = self.networks if name == "network" else (option.value,)
            for value in () if origin in {"option", "default"} else values:
                try:
                    Config(**{name: value})
                except ConfigError as same:
                    if str(same) == str(error):
                        return f"{option.field.env if origin == 'env' else origin}: "
        return ""


def resolve_options(
    given: Mapping[str, tuple[Any, str]], file: Path | None, directory: Path | None = None
) -> ResolvedOptions:
    """The options in force, from options and variables (value and origin), file and defaults."""
    origin, table = read_config_file(file, directory or Path.cwd())
    from_file = {name: (value, origin) for name, value in table.items()}
    defaults = {field.name: (field.default, "default") for field in config_fields()}
    like, _ = {**defaults, **from_file, **given}["like"]
    preset = {name: (value, f"preset {like}") for name, value in preset_defaults(like).items()}
    values = {**defaults, **preset, **from_file, **given}
    value, origin = values["network"]
    networks = (value,) if isinstance(value, str) else tuple(value)
    if not networks:
        raise ConfigError("the list of networks is empty; name at least one network")
    values["network"] = (networks[0] if len(networks) == 1 else networks, origin)
    return ResolvedOptions(
        networks, tuple(OptionValue(field, *values[field.name]) for field in config_fields())
    )


def read_config_file(file: Path | None, directory: Path) -> tuple[str, dict[str, Any]]:
    """The name of the configuration file and the options in it, with names and types checked.

    Without `file`: `devchain.toml` in the directory, else `[tool.devchain]` of its
    `pyproject.toml`, else no options.
    """
    if file is not None:
        return str(file), _check_options(str(file), _load_table(file))
    for name in (CONFIG_FILE, PROJECT_FILE):
        path = directory / name
        if path.is_file() and (table := _load_table(path)):
            return name, _check_options(name, table)
    return "", {}


def _load_table(file: Path) -> dict[str, Any]:
    try:
        content = read_toml(file)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise ConfigError(f"{file}: not valid TOML: {error}") from None
    if file.name != PROJECT_FILE:
        return content
    tool = content.get("tool", {})
    section = tool.get("devchain", {}) if isinstance(tool, dict) else {}
    if not isinstance(section, dict):
        raise ConfigError(f"{file}: tool.devchain must be a table, written [tool.devchain]")
    return {name: value for name, value in section.items() if name != "solc"}  # its settings


_NETWORKS = ConfigField("network", tuple[str, ...], (), Option("", ""))


def _check_options(file: str, table: dict[str, Any]) -> dict[str, Any]:
    known = {field.name: field for field in config_fields()}
    checked = {}
    for key, value in table.items():
        field = known.get(key.replace("-", "_"))
        if field is None:
            if isinstance(value, dict):
                raise ConfigError(f"{file}: unknown table [{key}]: options stand without tables")
            known_names = unknown_option(key, list(known), "`devchain config init` lists them all")
            raise ConfigError(f"{file}: {known_names}")
        try:
            if field.option.unit == "WEI" and isinstance(value, str):  # 0.06gwei
                checked[field.name] = _parsed(field, key, value)
            elif field.name == "network" and isinstance(value, list):  # several are served together
                checked[field.name] = _NETWORKS.converted(value, key)
            else:
                checked[field.name] = field.converted(value, key)
        except ConfigError as error:
            raise ConfigError(f"{file}: {error}") from None
        except typer.BadParameter as error:
            raise ConfigError(f"{file}: {error.message}") from None
    return checked


def with_options(function: Callable[..., None], shown: Collection[str] = ()) -> Command:
    """Decorate a command that takes `resolved: ResolvedOptions`: adds an option for every field.

    Its help has those of the fields in `shown`; --help-all has all.
    """
    # Typer reads options from a signature, so the function gets one made of the fields of `Config`.
    _, *own = inspect.signature(function, eval_str=True).parameters.values()

    def command(ctx: typer.Context, config: Path | None, **arguments: object) -> None:
        own_arguments = {parameter.name: arguments[parameter.name] for parameter in own}
        function(resolve_options(_given(ctx, arguments), config), **own_arguments)

    parameters = [
        _parameter("ctx", typer.Context),
        *own,
        _CONFIG,
        *(_typer_option(field, hidden=field.name not in shown) for field in config_fields()),
        _parameter("help_all", HelpAll, default=False),
    ]
    functools.update_wrapper(command, function)
    command.__doc__ = inspect.cleandoc(function.__doc__ or "") + PRECEDENCE_HELP
    del command.__wrapped__  # type: ignore[attr-defined]  # Typer would read the hints from there
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # what inspect looks for
        [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    )
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _given(ctx: typer.Context, arguments: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
    _note_unknown_variables()
    given: dict[str, tuple[Any, str]] = {}
    for field in config_fields():
        source = ctx.get_parameter_source(field.name)
        origin = "env" if source is not None and source.name == "ENVIRONMENT" else "option"
        value = arguments[field.name]
        if isinstance(value, list):
            # Typer splits variables at spaces, we at commas.
            items = " ".join(value).split(",") if origin == "env" else value
            value = tuple(item.strip() for item in items)
        if value is not None:
            source_name = field.env if origin == "env" else field.flag
            given[field.name] = (_parsed(field, source_name, value), origin)
    return given


def _note_unknown_variables() -> None:
    prefix = "DEVCHAIN_"
    known = [field.env.removeprefix(prefix) for field in config_fields()] + OTHER_VARIABLES
    for variable in sorted(os.environ):
        name = variable.removeprefix(prefix)
        if name != variable and name not in known:
            meant = misspelt(name, known)
            hint = f": did you mean {prefix}{meant}?" if meant else ", which is not an option"
            write_note(f"note: there is a variable {variable}{hint}")


def _parsed(field: ConfigField, source: str, value: object) -> object:
    if field.kind not in {int, float} or not isinstance(value, str):
        return value
    from devchain.cli.options import parse_whole, wei

    try:
        if field.option.unit == "WEI":
            return wei(value)
        if field.kind is int:
            return parse_whole(-MAX_UINT256)(value)
        return float(value.replace(",", ""))
    except typer.BadParameter as wrong:
        raise typer.BadParameter(f"{source}: {wrong.message}") from None
    except ValueError:
        of_unit = " of seconds" if field.option.unit == "SECONDS" else ""
        raise typer.BadParameter(f"{source}: {value!r} is not a number{of_unit}") from None


def _typer_option(field: ConfigField, *, hidden: bool) -> inspect.Parameter:
    # The Typer option of a field; its default is None, so that the file and `Config` decide.
    kind = field.kind
    # Numbers are parsed in `_parsed`, whose errors say in plain words what is wrong.
    is_text = kind in {int, float}
    hint = list[str] if kind is tuple or field.name == "network" else str if is_text else kind
    choices = CHOICES.get(field.name, ())
    default = "" if field.default in (None, ()) else f"  [default: {field.default}]"
    if isinstance(field.default, bool):
        default = "  [default: on]" if field.default else "  [default: off]"
    option = typer.Option(
        f"{field.flag}/{field.negative_flag}" if kind is bool else field.flag,
        help=field.option.help + default,
        rich_help_panel=field.option.group,
        hidden=hidden,
        envvar=field.env,
        show_envvar=False,
        metavar=field.option.unit or METAVARS.get(kind),
        autocompletion=(lambda: list(choices)) if choices else None,
    )
    return _parameter(field.name, Annotated[hint | None, option], None)


def _parameter(
    name: str, annotation: object, default: object = inspect.Parameter.empty
) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default
    )


_CONFIG = _parameter(
    "config",
    Annotated[
        Path | None,
        typer.Option(
            "--config",
            help=f"File of options. Default: ./{CONFIG_FILE}, else ./{PROJECT_FILE}.",
            envvar="DEVCHAIN_CONFIG",
            show_envvar=False,
            metavar="FILE",
        ),
    ],
    None,
)
