"""Render `docs/cli.md` and `docs/config.md` from the commands and the fields of `Config`."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from types import ModuleType
from typing import TYPE_CHECKING, Any, get_type_hints

import typer

from devchain.cli.config_options import PRECEDENCE_HELP
from devchain.cli.main import new_main_app
from devchain.config import ConfigField, Limit, config_fields
from devchain.contracts import artifact_files, artifact_registry
from devchain.networks import ETHEREUM, ROOTSTOCK
from devchain.node import accounts
from devchain.rpc import subscriptions
from devchain.server import limits as server_limits

if TYPE_CHECKING:
    from typer._click import Command, Context

COMMANDS = """\
# Commands

Every command with its options. `start`, `methods` and `config show` also take the options in
[config.md](config.md). This page is made from the code by `make docs`.

These options are the same in several commands:
"""

COMMON = 3
"""An option with one help in as many commands is described once."""

OPTIONS = """\
# Options

The options of `devchain start`. Each has four names: for `--gas-limit` they are the field
`gas_limit` of `Config`, the key `gas_limit` in `devchain.toml` (or in `[tool.devchain]` of
`pyproject.toml`), and the variable `DEVCHAIN_GAS_LIMIT`. The command line overrides the variable,
the variable the file, the file the default. `--like` changes defaults: see
[like.md](like.md#defaults). `devchain config init` writes a file, `devchain config show` prints
the options in force.

Hardforks of Rootstock, oldest first: {rootstock}.
Hardforks of Ethereum: {ethereum}.

A switch such as `--remasc` is turned off with `--no-remasc`. This page is made from the code by
`make docs`.
"""

LIMITS = """\
## Limits

What one client can take from the node, and what happens beyond that. These are options:

| option | beyond it |
| --- | --- |"""

FIXED_LIMITS = """
The others are fixed:

| limit | value | beyond it |
| --- | --- | --- |"""

LIMIT_MODULES = (accounts, artifact_files, artifact_registry, server_limits, subscriptions)
"""Modules with constants that are limits (`devchain.config.Limit`), in the order of the table."""


def render_commands() -> str:
    """The page of every command with its options."""
    pages = list(_commands(typer.main.get_command(new_main_app()), "devchain", None))
    options = Counter(option for context in pages for option in _options(context))
    common = [option for option, count in options.items() if count >= COMMON]
    return "\n".join([COMMANDS, *common, "", *(_command(page, common) for page in pages)])


def _commands(command: Command, name: str, parent: Context | None) -> Iterator[Context]:
    context = command.context_class(command, info_name=name, parent=parent)
    yield context
    for inner_name, inner in getattr(command, "commands", {}).items():
        yield from _commands(inner, inner_name, context)


def _command(context: Context, common: list[str]) -> str:
    command = context.command
    pieces = command.collect_usage_pieces(context)[1:]  # without [OPTIONS]
    own = [option for option in _options(context) if option not in common]
    is_group = bool(getattr(command, "commands", {}))
    usage = f"`{' '.join([context.command_path, *pieces])}`" if pieces and not is_group else ""
    text = "\n\n".join(_paragraphs(command.help or "", context.command_path))
    parts = [f"## {context.command_path}", usage, text, "\n".join(own)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _paragraphs(text: str, command: str) -> Iterator[str]:
    """The paragraphs of a help; those with lines that Click must not join are code.

    What the page of options says is left out, and an example that is the command alone.
    """
    for paragraph in text.split("\n\n"):
        lines = paragraph.removeprefix("\b\n")
        title, _, rest = lines.partition("\n")
        code = textwrap.dedent(rest).strip()
        if lines == paragraph:
            if paragraph.strip() != PRECEDENCE_HELP.strip():
                yield " ".join(paragraph.split())
        elif "\n" in code:
            yield f"{title}\n\n```text\n{code}\n```"
        elif code != command:
            yield f"{title} `{code}`"


def _options(context: Context) -> list[str]:
    """The options and arguments of a command with their help, without those of a node."""
    node = {field.name for field in config_fields()}
    is_node = {"network", "data_dir"} <= {each.name for each in context.command.params}
    rows = []
    for parameter in context.command.params:
        if (is_node and parameter.name in node) or parameter.name in {"help", "help_all"}:
            continue
        parameter.hidden = False
        if record := parameter.get_help_record(context):
            name, text = record
            name = name.partition(" <")[0] if parameter.param_type_name == "argument" else name
            rows.append(f"- `{name}`: {' '.join(text.split())}")
    return rows


def render_options() -> str:
    """The page of every option by group, with its default; then the limits."""
    groups = groupby(config_fields(), key=lambda field: field.option.group)
    tables = (_group(title, list(rows)) for title, rows in groups)
    hardforks = {"rootstock": ", ".join(ROOTSTOCK), "ethereum": ", ".join(ETHEREUM)}
    return "\n".join([OPTIONS.format(**hardforks), *tables, _limits()])


def _group(title: str, rows: list[ConfigField]) -> str:
    head = ["| option | default | |", "| --- | --- | --- |"]
    return "\n".join([f"## {title}\n", *head, *map(_row, rows), ""])


def _limits() -> str:
    options = [
        _cells(f"`{field.flag}`", field.option.beyond)
        for field in config_fields()
        if field.option.beyond
    ]
    fixed = [
        _cells(f"{limit.group}: {limit.help}", _amount(value, limit.unit), limit.beyond)
        for module in LIMIT_MODULES
        for limit, value in _limits_of(module)
    ]
    return "\n".join([LIMITS, *options, FIXED_LIMITS, *fixed, ""])


def _limits_of(module: ModuleType) -> list[tuple[Limit, Any]]:
    hints = get_type_hints(module, include_extras=True)
    return [
        (extra, getattr(module, name))
        for name, hint in hints.items()
        for extra in getattr(hint, "__metadata__", ())
        if isinstance(extra, Limit)
    ]


def _amount(value: float, unit: str) -> str:
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
