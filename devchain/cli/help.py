"""Plain-text `--help`: options and commands under headings, examples kept as written.

Typer groups options (`rich_help_panel`) only when it renders with Rich, which makes `--help`
several times slower and draws boxes; its plain help ignores the groups. Both join the lines of
examples and take a negative number for an option. For that, and nothing else, the classes here
override public formatting methods of Typer's commands.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from devchain.cli.output import has_colors

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter, Parameter

Rows = dict[str, list[tuple[str, str]]]

MAX_FIRST_COLUMN = 26
ARGUMENTS = "Arguments"
OPTIONS = "Options"
NEGATIVE_NUMBER = re.compile(r"-\d[\d.]*")
COMMANDS = "Commands"


class Command(TyperCommand):
    """A command whose help groups its options under headings."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse the arguments; a negative number is an argument, not an unknown option."""
        ctx.ignore_unknown_options = any(NEGATIVE_NUMBER.fullmatch(each) for each in args)
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        """The arguments of the usage line; Typer writes required ones in braces, we without."""
        return [each.strip("{}") for each in super().collect_usage_pieces(ctx)]

    def format_help_text(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002  # Typer passes it
        """Write the docstring."""
        _write_docstring(formatter, self.help or "")

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write arguments and options."""
        _write_sections(formatter, _options(self.get_params(ctx)))


class Group(TyperGroup):
    """A command with subcommands, grouped under headings."""

    def format_help_text(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002  # Typer passes it
        """Write the docstring."""
        _write_docstring(formatter, self.help or "")

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the commands, then the options."""
        rows: Rows = {}
        for name in self.list_commands(ctx):
            command = self.commands[name]
            heading = getattr(command, "rich_help_panel", None)
            summary = (command.help or "").strip().split("\n\n")[0].replace("\n", " ")
            rows.setdefault(str(heading) if heading else COMMANDS, []).append((name, summary))
        _write_sections(formatter, rows)
        _write_sections(formatter, _options(self.get_params(ctx)))


def new_app(summary: str) -> typer.Typer:
    """A Typer application with this help, in plain text and without Typer's tracebacks."""
    return typer.Typer(
        help=summary,
        cls=Group,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )


def _options(params: Iterable[Parameter]) -> Rows:
    """The names and help texts of parameters, by heading; ungrouped options come last."""
    rows: Rows = {ARGUMENTS: []}
    ungrouped: list[tuple[str, str]] = []
    for param in params:
        if isinstance(param, TyperOption):
            heading = param.rich_help_panel
            row = (_option_names(param), _help_text(param))
            (rows.setdefault(str(heading), []) if heading else ungrouped).append(row)
        elif isinstance(param, TyperArgument):
            name = f"{param.metavar or param.name}{'...' * (param.nargs != 1)}"
            rows[ARGUMENTS].append((name, _help_text(param)))
    return {**rows, OPTIONS: ungrouped}


def _option_names(option: TyperOption) -> str:
    names = [", ".join(option.opts), *option.secondary_opts]
    if len(names) == 1 and not option.is_flag:
        return f"{names[0]} {option.metavar or option.bare_type().upper()}"
    return " / ".join(names)


def _help_text(param: TyperOption | TyperArgument) -> str:
    """The help text, with the default value and the environment variable in brackets."""
    extra = []
    shown = param.show_default
    is_flag = isinstance(param, TyperOption) and param.is_flag
    if isinstance(shown, str):
        extra.append(f"default: {shown}")
    elif shown and not is_flag and param.default not in (None, (), ""):
        default = param.default
        extra.append(
            f"default: {default:g}" if isinstance(default, float) else f"default: {default}"
        )
    if (
        isinstance(param.envvar, str) and not param.rich_help_panel
    ):  # grouped options explain variables once, above
        extra.append(f"env: {param.envvar}")
    return f"{param.help or ''} [{'; '.join(extra)}]" if extra else param.help or ""


def _write_sections(formatter: HelpFormatter, rows: Rows) -> None:
    longest = max((len(first) for entries in rows.values() for first, _ in entries), default=0)
    column = min(longest, MAX_FIRST_COLUMN)
    for heading, entries in rows.items():
        if entries:
            with formatter.section(_heading(heading)):
                formatter.write_dl([(first.ljust(column), text) for first, text in entries], column)


def _write_docstring(formatter: HelpFormatter, text: str) -> None:
    """Write paragraphs, rewrapped except for those with indented lines, which are examples."""
    for paragraph in text.strip().split("\n\n"):
        formatter.write_paragraph()
        first, *rest = paragraph.split("\n")
        if any(line.startswith(" ") for line in rest):
            formatter.write("\n".join([_heading(first), *rest]) + "\n")
        else:
            text = " ".join(paragraph.split())
            formatter.write(textwrap.fill(text, formatter.width, break_on_hyphens=False) + "\n")


def _heading(text: str) -> str:
    return typer.style(text, bold=True) if has_colors(sys.stdout) else text
