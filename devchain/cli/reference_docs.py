"""Render `docs/cli.md` and `docs/config.md` from the commands and the fields of `Config`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

import typer

from devchain.cli.main import app
from devchain.config import ConfigField, config_fields

if TYPE_CHECKING:
    from typer._click import Command, Context

ANSI = re.compile(r"\x1b\[[0-9;]*m")
PAGE_WIDTH = 88

COMMANDS = """\
# Commands

The `--help` of every command. Generated from the code by `make docs`.
"""

OPTIONS = """\
# Options

Every option of `devchain start` is a field of `Config`, an option of the command, an environment
variable and a key of `devchain.toml` (or of `[tool.devchain]` in `pyproject.toml`; `devchain config
init` writes one). An option overrides its variable, the variable the file, the file the default.
Generated from the code by `make docs`.
"""


def render_commands() -> str:
    """The page of every command with its help."""
    return "\n".join([COMMANDS, *_helps(typer.main.get_command(app), "devchain", None)])


def _helps(command: Command, name: str, parent: Context | None) -> Iterator[str]:
    context = command.context_class(
        command,
        info_name=name,
        parent=parent,
        terminal_width=PAGE_WIDTH,
        max_content_width=PAGE_WIDTH,
    )
    text = ANSI.sub("", command.get_help(context)).strip()
    yield f"## `{context.command_path}`\n\n```text\n{text}\n```\n"
    for inner_name, inner in getattr(command, "commands", {}).items():
        yield from _helps(inner, inner_name, context)


def render_options() -> str:
    """The page of every option by group, with its variable, key and default."""
    groups = groupby(config_fields(), key=lambda each: each.option.group)
    return "\n".join([OPTIONS, *(_group(title, list(rows)) for title, rows in groups)])


def _group(title: str, rows: list[ConfigField]) -> str:
    head = [
        "| option | variable | key | default | description |",
        "| --- | --- | --- | --- | --- |",
    ]
    return "\n".join([f"## {title}\n", *head, *map(_row, rows), ""])


def _row(field: ConfigField) -> str:
    is_switch = isinstance(field.default, bool)
    flag = f"{field.flag} / {field.negative_flag}" if is_switch else field.flag
    shown = str(field.default).lower() if is_switch else field.default
    default = "" if field.default in (None, ()) else f"`{shown}`"
    cells = (f"`{flag}`", f"`{field.env}`", f"`{field.name}`", default, field.option.help)
    return f"| {' | '.join(cells)} |"
