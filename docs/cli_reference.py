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
from devchain.presets import PRESETS, Preset
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

Every option of `devchain start` is a field of `Config`, an option of the command, an environment
variable and a key of `devchain.toml` (or of `[tool.devchain]` in `pyproject.toml`; `devchain config
init` writes one). An option overrides its variable, the variable the file, the file the default;
`--like` replaces defaults.
Generated from the code by `make docs`.
"""

LIMITS = """\
## Limits

What one client can take from the node, and what happens beyond it. The same limits hold for HTTP,
WebSocket and IPC where no transport is named, on the hosted service and elsewhere. Those with an
option can be changed.

| group | limit | default | option | beyond it |
| --- | --- | --- | --- | --- |"""

LIMIT_MODULES = (accounts, artifact_files, artifact_registry, server_limits, subscriptions)
"""Modules with constants that are limits (`devchain.config.Limit`), in the order of the table."""


PRESET = """\
## `--like {preset.name}`

The defaults of {preset.title}. What it does besides is in [like.md](like.md).

| key | default |
| --- | --- |"""


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
    """The page of every option by group, with its variable, key and default; then the limits."""
    groups = groupby(config_fields(), key=lambda field: field.option.group)
    tables = (_group(title, list(rows)) for title, rows in groups)
    return "\n".join([OPTIONS, *tables, *map(_preset, PRESETS.values()), _limits()])


def _preset(preset: Preset) -> str:
    rows = [_cells(f"`{name}`", _shown(value)) for name, value in preset.defaults.items()]
    return "\n".join([PRESET.format(preset=preset), *rows, ""])


def _shown(value: object) -> str:
    values = value if isinstance(value, tuple) else (value,)
    return ", ".join(f"`{str(item).lower() if item in {True, False} else item}`" for item in values)


def _group(title: str, rows: list[ConfigField]) -> str:
    head = [
        "| option | variable | key | default | description |",
        "| --- | --- | --- | --- | --- |",
    ]
    return "\n".join([f"## {title}\n", *head, *map(_row, rows), ""])


def _limits() -> str:
    rows = [
        _cells(option.group, option.help, amount, f"`{field.flag}`", option.beyond)
        for field in config_fields()
        if (option := field.option).beyond
        for amount in [_amount(field.default, option.unit.lower())]
    ]
    rows += [
        _cells(limit.group, limit.help, _amount(value, limit.unit), "", limit.beyond)
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
    flag = f"{field.flag} / {field.negative_flag}" if is_switch else field.flag
    shown = str(field.default).lower() if is_switch else field.default
    default = "" if field.default in (None, ()) else f"`{shown}`"
    cells = (f"`{flag}`", f"`{field.env}`", f"`{field.name}`", default, field.option.help)
    return _cells(*cells)
