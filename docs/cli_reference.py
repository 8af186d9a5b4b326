"""Render `docs/cli.md` and `docs/config.md` from the commands and the fields of `Config`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from types import ModuleType
from typing import TYPE_CHECKING, Any, get_type_hints

import typer

from devchain.cli.main import new_main_app
from devchain.config import ConfigField, Limit, config_fields
from devchain.contracts import artifact_files, artifact_registry
from devchain.node import accounts
from devchain.rpc import subscriptions
from devchain.server import limits as server_limits

if TYPE_CHECKING:
    from typer._click import Command, Context

PAGE_WIDTH = 88

COMMANDS = """\
# Commands

The `--help` of every command. Generated from the code by `make docs`.

## Completion

`devchain --install-completion`, run in bash, zsh or fish, sets up completion of commands, options
and their values in that shell; open a new terminal afterwards. `devchain --show-completion` prints
the script instead.
"""

OPTIONS = """\
# Options

The options of `devchain start`. Each has four names: for `--gas-limit` they are the field
`gas_limit` of `Config`, the key `gas_limit` in `devchain.toml` (or in `[tool.devchain]` of
`pyproject.toml`), and the variable `DEVCHAIN_GAS_LIMIT`. The command line overrides the variable,
the variable the file, the file the default. `--like` changes defaults: see
[like.md](like.md#defaults). `devchain config init` writes a file, `devchain config` shows what
holds.

A switch such as `--remasc` is turned off with `--no-remasc`. This page is made from the code by
`make docs`.
"""

LIMITS = """\
## Limits

What one client can take from the node, and what happens beyond that. Options change some limits.

| limit | default | beyond it |
| --- | --- | --- |"""

LIMIT_MODULES = (accounts, artifact_files, artifact_registry, server_limits, subscriptions)
"""Modules with constants that are limits (`devchain.config.Limit`), in the order of the table."""


def render_commands() -> str:
    """The page of every command with its help."""
    command = typer.main.get_command(new_main_app())
    return "\n".join([COMMANDS, *_helps(command, "devchain", None)])


def _helps(command: Command, name: str, parent: Context | None) -> Iterator[str]:
    width = {"terminal_width": PAGE_WIDTH, "max_content_width": PAGE_WIDTH}
    settings = {**width, **command.context_settings}
    context = command.context_class(command, info_name=name, parent=parent, **settings)
    yield f"## `{context.command_path}`\n\n```text\n{command.get_help(context)}\n```\n"
    for inner_name, inner in getattr(command, "commands", {}).items():
        yield from _helps(inner, inner_name, context)


def render_options() -> str:
    """The page of every option by group, with its default; then the limits."""
    groups = groupby(config_fields(), key=lambda field: field.option.group)
    tables = (_group(title, list(rows)) for title, rows in groups)
    return "\n".join([OPTIONS, *tables, _limits()])


def _group(title: str, rows: list[ConfigField]) -> str:
    head = ["| option | default | |", "| --- | --- | --- |"]
    return "\n".join([f"## {title}\n", *head, *map(_row, rows), ""])


def _limits() -> str:
    rows = [
        _cells(f"`{field.flag}`", _amount(field.default, option.unit.lower()), option.beyond)
        for field in config_fields()
        if (option := field.option).beyond
    ]
    rows += [
        _cells(f"{limit.group}: {limit.help}", _amount(value, limit.unit), limit.beyond)
        for module in LIMIT_MODULES
        for limit, value in _limits_of(module)
    ]
    return "\n".join([LIMITS, *rows, ""])


def _limits_of(module: ModuleType) -> list[tuple[Limit, Any]]:
    hints = get_type_hints(module, include_extras=True)
    return [
        (extra, getattr(module, name))
        for name, hint in hints.items()
        for extra in getattr(hint, "__metadata__", ())
        if isinstance(extra, Limit)
    ]


def _amount(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    if value == 1:
        unit = unit.removesuffix("s")
    digits = f"{value:g}" if value % 1 else f"{int(value):,}"
    return f"{digits} {unit}".rstrip()


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _row(field: ConfigField) -> str:
    is_switch = isinstance(field.default, bool)
    flag = field.flag if is_switch or not field.option.unit else f"{field.flag} {field.option.unit}"
    shown = ("on" if field.default else "off") if is_switch else f"`{field.default}`"
    default = "" if field.default in (None, ()) else shown
    return _cells(f"`{flag}`", default, field.option.help)
