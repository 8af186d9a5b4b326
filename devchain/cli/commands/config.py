"""`devchain config`: write a configuration file, or see what is in force."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Annotated

import tomli_w
import typer

from devchain.cli import output
from devchain.cli.help import Command, new_app
from devchain.cli.settings import FILE, Setting, Settings, with_settings
from devchain.config import Field, options
from devchain.errors import ConfigError

HEADER = f"""\
# {FILE}: options of `devchain start`. A command-line option wins over a DEVCHAIN_* variable,
# a variable over this file, this file over the default. The values below are the defaults.
"""
HIDDEN = "set, but secret: --reveal shows it"
VALUE_WIDTH = 40

app = new_app(f"""
    Write a {FILE} for devchain start, or show the options in force.

    Examples:
      devchain config init
      devchain config show --origin
""")

Force = Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")]
FileToWrite = Annotated[Path, typer.Argument(help="File to write.", metavar="FILE")]
Origin = Annotated[bool, typer.Option("--origin", help="Say where each value comes from.")]
Reveal = Annotated[bool, typer.Option("--reveal", help="Show API keys and a mnemonic of your own.")]


@app.command(cls=Command)
def init(file: FileToWrite = Path(FILE), force: Force = False) -> None:
    """Write a devchain.toml that has every option with its default and a comment.

    Example:
      devchain config init
    """
    try:
        with file.open("w" if force else "x", encoding="utf-8") as stream:
            stream.write(template())
    except FileExistsError:
        msg = f"{file} is there already: --force overwrites it"
        raise ConfigError(msg) from None
    except OSError as error:
        msg = f"{file}: cannot be written ({error.strerror})"
        raise ConfigError(msg) from None
    output.write(f"Wrote {file}.")


@app.command(cls=Command)
@with_settings
def show(settings: Settings, origin: Origin = False, reveal: Reveal = False) -> None:
    """Print the options in force, as TOML that devchain.toml can hold.

    Examples:
      devchain config show --origin
      devchain config show --network test --block-time 2 > devchain.toml
    """
    settings.configs()
    for each in settings.values:
        output.write(_line(each, origin=origin, reveal=reveal))


def template() -> str:
    """The text of a configuration file with every default; options without one are comments."""
    parts = [HEADER]
    for group, fields in groupby(options(), lambda each: each.option.group):
        parts.append(f"\n# {group}\n")
        parts += [f"\n# {each.option.help}\n{_assignment(each)}\n" for each in fields]
    return "".join(parts)


def _assignment(field: Field) -> str:
    if field.default is None:
        return f"# {field.name} = {field.option.unit or 'VALUE'}"
    return toml(field.name, field.default)


def _line(setting: Setting, *, origin: bool, reveal: bool) -> str:
    name, value = setting.field.name, setting.value
    if value is None:
        text = f"# {name} is not set"
    elif setting.field.option.secret and value != setting.field.default and not reveal:
        text = f"# {name} is {HIDDEN}"
    else:
        text = toml(name, value)
    return f"{text:<{VALUE_WIDTH}}  # {setting.origin}" if origin else text


def toml(name: str, value: object) -> str:
    """One line of TOML."""
    if isinstance(value, tuple):
        return f"{name} = [{', '.join(toml('', each)[len(' = ') :] for each in value)}]"
    return tomli_w.dumps({name or "_": value}).strip().removeprefix("_" if not name else "")
