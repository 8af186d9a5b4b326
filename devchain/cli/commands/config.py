"""`devchain config`: write a configuration file, or show the options in force."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Annotated

import tomli_w
import typer

from devchain.cli import output
from devchain.cli.config_options import CONFIG_FILE, OptionValue, ResolvedOptions, with_options
from devchain.cli.help import Command, new_app
from devchain.config import ConfigField, config_fields
from devchain.errors import ConfigError

HEADER = f"""\
# {CONFIG_FILE}: options of `devchain start`. An option on the command line overrides a DEVCHAIN_*
# variable, the variable overrides this file. The defaults are comments: remove the # to set one.
"""
HIDDEN_VALUE = "set, but secret: --reveal shows it"
VALUE_WIDTH = 40

app = new_app(f"""
    Write a {CONFIG_FILE} for devchain start, or show the options in force.

    Examples:
      devchain config init
      devchain config show --origin
""")

Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
FileToWrite = Annotated[Path, typer.Argument(help="File to write.", metavar="FILE")]
Origin = Annotated[bool, typer.Option("--origin", help="Show where each value comes from.")]
Reveal = Annotated[bool, typer.Option("--reveal", help="Show API keys and your own mnemonic.")]


@app.command(cls=Command)
def init(file: FileToWrite = Path(CONFIG_FILE), force: Force = False) -> None:
    """Write a devchain.toml with every option and its default, as comments to edit.

    Example:
      devchain config init
    """
    try:
        with file.open("w" if force else "x", encoding="utf-8") as stream:
            stream.write(template())
    except FileExistsError:
        raise ConfigError(f"{file} exists already: --force overwrites it") from None
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written ({error.strerror})") from None
    output.write_line(f"Wrote {file}.")


@app.command(cls=Command)
@with_options
def show(resolved: ResolvedOptions, origin: Origin = False, reveal: Reveal = False) -> None:
    """Print the options in force as TOML, as in devchain.toml.

    Examples:
      devchain config show --origin
      devchain config show --network test --block-time 2 > devchain.toml
    """
    resolved.configs()  # raises if a value is invalid
    for option in resolved.values:
        output.write_line(_line(option, origin=origin, reveal=reveal))


def template() -> str:
    """A configuration file with every option as a comment.

    A default that was written out would override the one of the preset that `like` names.
    """
    parts = [HEADER]
    for group, fields in groupby(config_fields(), lambda field: field.option.group):
        parts.append(f"\n# {group}\n")
        parts += [f"\n# {field.option.help}\n# {_assignment(field)}\n" for field in fields]
    return "".join(parts)


def _assignment(field: ConfigField) -> str:
    if field.default is None:
        return f"{field.name} = {field.option.unit or 'VALUE'}"
    return toml(field.name, field.default)


def _line(option: OptionValue, *, origin: bool, reveal: bool) -> str:
    name, value = option.field.name, option.value
    if value is None:
        text = f"# {name} is not set"
    elif option.field.option.secret and value != option.field.default and not reveal:
        text = f"# {name} is {HIDDEN_VALUE}"
    else:
        text = toml(name, value)
    return f"{text:<{VALUE_WIDTH}}  # {option.origin}" if origin else text


def toml(name: str, value: object) -> str:
    """One line of TOML."""
    if isinstance(value, tuple):
        return f"{name} = [{', '.join(toml('', item)[len(' = ') :] for item in value)}]"
    return tomli_w.dumps({name or "_": value}).strip().removeprefix("_" if not name else "")
