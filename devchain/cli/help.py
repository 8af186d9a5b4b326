"""The commands as Typer applications, with plain help: options and commands under headings.

Rare ones are `hidden`. The help counts or names them in a line, `--help-all` has them all.
"""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from typer._click import Command as AnyCommand
    from typer._click import Context, HelpFormatter
    from typer._click.shell_completion import CompletionItem

NEGATIVE_NUMBER = re.compile(r"-\d[\d.]*")
FIRST_COLUMN = 26
MAX_WIDTH = 100


class Command(TyperCommand):
    """A command whose help has its options under their `rich_help_panel`."""

    def __init__(self, name: str | None, *, help: str | None = None, **settings: Any) -> None:  # noqa: A002, ANN401  # as Typer passes them
        super().__init__(name, help=_keep_examples(help or ""), **settings)

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse the arguments; a negative number is an argument, not an unknown option."""
        ctx.ignore_unknown_options = any(map(NEGATIVE_NUMBER.fullmatch, args))
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: Context, incomplete: str) -> list[CompletionItem]:
        """Complete rare options, too."""
        _show_all(self)
        return super().shell_complete(ctx, incomplete)

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        _write_panels([], self, ctx, formatter)


class Group(TyperGroup):
    """A command with subcommands, which its help has under their `rich_help_panel`."""

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        rows = []
        for name, command in self.commands.items():
            panel = getattr(command, "rich_help_panel", None) or "Commands"
            summary = (command.help or "").partition("\n\n")[0]
            if not command.hidden:
                rows.append((panel, name, " ".join(summary.split())))
        _write_panels(rows, self, ctx, formatter)


def new_app(summary: str, *, add_completion: bool = False) -> typer.Typer:
    """An application of several commands, each added by `app.command(cls=Command)`."""
    return typer.Typer(
        cls=Group,
        help=_keep_examples(summary),
        no_args_is_help=True,
        add_completion=add_completion,
        context_settings={"help_option_names": ["--help", "-h"], "max_content_width": MAX_WIDTH},
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )


def _show_all(command: AnyCommand) -> None:
    for part in [*command.params, *getattr(command, "commands", {}).values()]:
        part.hidden = False


def _print_all(ctx: typer.Context, is_given: bool) -> None:
    if is_given:
        _show_all(ctx.command)
        typer.echo(ctx.get_help())
        raise typer.Exit


HelpAll = Annotated[
    bool,
    typer.Option(
        "--help-all", callback=_print_all, is_eager=True, hidden=True, help="Show all and exit."
    ),
]


def _keep_examples(text: str) -> str:
    # Click joins the lines of a paragraph unless it begins with \b.
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(
        f"\b\n{paragraph}" if "\n  " in f"\n{paragraph}" else paragraph for paragraph in paragraphs
    )


def _write_panels(
    rows: list[tuple[str, str, str]],
    command: TyperCommand | TyperGroup,
    ctx: Context,
    formatter: HelpFormatter,
) -> None:
    # Commands, then arguments and options: rows of panel, name and text.
    commands = [name for name, one in getattr(command, "commands", {}).items() if one.hidden]
    rare = [one for one in command.params if getattr(one, "hidden", False)]
    count = len(rare) - 1  # without --help-all
    for parameter in command.get_params(ctx):
        if record := parameter.get_help_record(ctx):
            name, text = record
            # Some of the options need no headings.
            panel = (not rare and getattr(parameter, "rich_help_panel", None)) or "Options"
            if parameter.param_type_name == "argument":
                panel, name = "Arguments", name.partition(" <")[0]  # without the Python type
            rows.append((panel, name, text))
    for panel in dict.fromkeys(row[0] for row in rows):
        with formatter.section(panel):
            formatter.write_dl([row[1:] for row in rows if row[0] == panel], FIRST_COLUMN)
    if commands or count > 0:
        more = f"{count} more options: {ctx.command_path} --help-all, or docs/config.md"
        if commands:
            more = f"More commands: {', '.join(sorted(commands))} ({ctx.command_path} --help-all)"
        formatter.write_paragraph()
        formatter.write_text(more)
