"""The fields of `Config` as command-line options, `DEVCHAIN_*` variables and `devchain.toml`.

An option wins over its environment variable, that over the file, the file over the default.
"""

from __future__ import annotations

import functools
import inspect
import tomllib
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer

from devchain.config import ENGINES, LOG_FORMATS, Config, Field, options
from devchain.errors import ConfigError
from devchain.networks import HARDFORKS, NETWORKS

FILE = "devchain.toml"
PROJECT_FILE = "pyproject.toml"
CHOICES = {
    "network": tuple(NETWORKS),
    "hardfork": HARDFORKS,
    "engine": ENGINES,
    "log_format": LOG_FORMATS,
}
WANTED = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    tuple: "a list of texts",
}
PLACEHOLDERS = {int: "N", str: "TEXT"}
EVERYWHERE = """

Every option can also be set by a variable (DEVCHAIN_BLOCK_TIME=2 for --block-time 2; lists with
commas) or in devchain.toml, which `devchain config init` writes. An option wins over a variable,
a variable over the file."""

Command = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Setting:
    """One option's value and where it came from: `option`, `env`, the file's name or `default`."""

    field: Field
    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class Settings:
    """Every option as it is in force; `networks` are the networks asked for, in order."""

    networks: tuple[str, ...]
    values: tuple[Setting, ...]

    def configs(self) -> list[Config]:
        """One `Config` for each network, the default network first."""
        common = {each.field.name: each.value for each in self.values}
        return [Config(**{**common, "network": name}) for name in self.networks]


def with_options(function: Callable[..., None]) -> Command:
    """Make a command of a function that takes `configs: list[Config]`, with every option."""
    return _command(function, lambda settings: settings.configs())


def with_settings(function: Callable[..., None]) -> Command:
    """Make a command of a function that takes `settings: Settings`, with every option."""
    return _command(function, lambda settings: settings)


def resolve(
    given: Mapping[str, tuple[Any, str]], file: Path | None, directory: Path | None = None
) -> Settings:
    """The settings made of options and variables (value and origin), the file and the defaults."""
    origin, table = read_file(file, directory or Path.cwd())
    from_file = {name: (value, origin) for name, value in table.items()}
    defaults = {each.name: (each.default, "default") for each in options()}
    found = {**defaults, **from_file, **given}
    networks = _networks(found["network"][0])
    found["network"] = (networks[0] if len(networks) == 1 else networks, found["network"][1])
    return Settings(networks, tuple(Setting(each, *found[each.name]) for each in options()))


def read_file(file: Path | None, directory: Path) -> tuple[str, dict[str, Any]]:
    """The name of the configuration file and the options in it, checked.

    Without `file` it is `devchain.toml` of the directory, else `[tool.devchain]` in its
    `pyproject.toml`, else nothing.
    """
    if file is not None:
        return str(file), _checked(str(file), _table(file))
    for name in (FILE, PROJECT_FILE):
        found = directory / name
        if found.is_file() and (table := _table(found)):
            return name, _checked(name, table)
    return "", {}


def _table(file: Path) -> dict[str, Any]:
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        msg = f"{file}: cannot be read ({error.strerror})"
        raise ConfigError(msg) from None
    except ValueError as error:
        msg = f"{file}: not valid TOML: {error}"
        raise ConfigError(msg) from None
    if file.name != PROJECT_FILE:
        return content
    tool = content.get("tool", {})
    section = tool.get("devchain", {}) if isinstance(tool, dict) else {}
    if not isinstance(section, dict):
        msg = f"{file}: tool.devchain must be a table, written [tool.devchain]"
        raise ConfigError(msg)
    return section


def _checked(file: str, table: dict[str, Any]) -> dict[str, Any]:
    known = {each.name: each for each in options()}
    checked = {}
    for key, value in table.items():
        field = known.get(key.replace("-", "_"))
        if field is None:
            raise ConfigError(_unknown(file, key, list(known)))
        checked[field.name] = _typed(file, key, field, value)
    return checked


def _unknown(file: str, key: str, known: list[str]) -> str:
    close = get_close_matches(key.replace("-", "_"), known, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}?" if close else "`devchain config init` lists them all"
    return f"{file}: unknown option {key!r}; {hint}"


def _typed(file: str, key: str, field: Field, value: object) -> object:
    """The value as the field's type; a text stands for a list of one."""
    kind = _kind(field)
    if kind is tuple or (field.name == "network" and isinstance(value, list)):
        items = [value] if isinstance(value, str) else value
        if isinstance(items, list) and all(isinstance(each, str) for each in items):
            return tuple(items)
    elif kind is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    elif type(value) is kind:
        return value
    msg = f"{file}: {key} must be {WANTED[kind]}, not {value!r}"
    raise ConfigError(msg)


def _networks(value: str | tuple[str, ...]) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(value)
    if not names:
        msg = "the list of networks is empty; name at least one network"
        raise ConfigError(msg)
    return names


def _kind(field: Field) -> type:
    """The field's type without `| None`; `tuple` for any tuple."""
    kinds = [each for each in typing.get_args(field.hint) if isinstance(each, type)] or [field.hint]
    origin = typing.get_origin(field.hint)
    return tuple if origin is tuple else next(each for each in kinds if each is not type(None))


def _command(function: Callable[..., None], adapt: Callable[[Settings], Any]) -> Command:
    """A function Typer reads every option from; it calls `function` with the adapted settings."""
    _, *own = inspect.signature(function, eval_str=True).parameters.values()

    def command(ctx: typer.Context, config: Path | None, **arguments: object) -> None:
        given = _given(ctx, arguments)
        kept = {each.name: arguments[each.name] for each in own}
        function(adapt(resolve(given, config)), **kept)

    listed = [_parameter("ctx", typer.Context), *own, _CONFIG, *map(_option, options())]
    signature = inspect.Signature(
        [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in listed]
    )
    functools.update_wrapper(command, function)
    command.__doc__ = inspect.cleandoc(function.__doc__ or "") + EVERYWHERE
    del command.__wrapped__  # type: ignore[attr-defined]  # Typer would read the hints from there
    command.__signature__ = signature  # type: ignore[attr-defined]  # what inspect looks for
    command.__annotations__ = {each.name: each.annotation for each in listed}
    return command


def _given(ctx: typer.Context, arguments: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
    """What the command line and the environment say, with where it was said."""
    given: dict[str, tuple[Any, str]] = {}
    for field in options():
        source = ctx.get_parameter_source(field.name)
        origin = "env" if source is not None and source.name == "ENVIRONMENT" else "option"
        value = arguments[field.name]
        if value is None:
            continue
        if isinstance(value, list):
            texts = " ".join(value).split(",") if origin == "env" else value
            value = tuple(text.strip() for text in texts)
        given[field.name] = (value, origin)
    return given


def _option(field: Field) -> inspect.Parameter:
    """The Typer option of a field; unset it is None, so that the file is asked next."""
    kind = _kind(field)
    hint = list[str] if kind is tuple or field.name == "network" else kind
    declared = f"{field.flag}/--no-{field.flag[2:]}" if kind is bool else field.flag
    choices = CHOICES.get(field.name, ())
    option = typer.Option(
        declared if "/" not in field.flag else field.flag,
        help=field.option.help,
        rich_help_panel=field.option.group,
        envvar=field.env,
        show_default=_default(field),
        metavar=field.option.unit or "|".join(choices) or PLACEHOLDERS.get(kind),
        autocompletion=(lambda: list(choices)) if choices else None,
    )
    return _parameter(field.name, Annotated[hint | None, option], None)


def _default(field: Field) -> str | bool:
    """The default as the help shows it: nothing where the help or the absence says it."""
    if field.default is None or field.default == ():
        return False
    if isinstance(field.default, bool):
        return "on" if field.default else "off"
    return str(field.default)


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
            help=f"Read options from this file instead of ./{FILE} or ./{PROJECT_FILE}.",
            envvar="DEVCHAIN_CONFIG",
            metavar="FILE",
        ),
    ],
    None,
)
