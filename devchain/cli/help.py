"""Plain-text `--help`: options and commands under headings, examples kept as written.

Typer groups options (`rich_help_panel`) only when it renders with Rich, which makes `--help`
several times slower and draws boxes; its plain help ignores the groups. Both join the lines of
examples and take a negative number for an option. For that, and nothing else, the classes here
override public formatting methods of Typer's commands.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from devchain.cli import output
from devchain.cli.output import has_colors
from devchain.cli.parameters import WrongVariable, convert_plainly
from devchain.cli.wrapping import wrap

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter, Parameter

Rows = dict[str, list[tuple[str, str]]]

MAX_FIRST_COLUMN = 26
MIN_TYPER_WIDTH = 52
"""Typer writes help at least so wide, unless the width is given."""

ARGUMENTS = "Arguments"
OPTIONS = "Options"
NEGATIVE_NUMBER = re.compile(r"-\d[\d.]*")
COMMANDS = "Commands"


class Command(TyperCommand):
    """A command whose help groups its options under headings."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse the arguments; a negative number is an argument, not an unknown option."""
        convert_plainly(self.get_params(ctx))
        ctx.ignore_unknown_options = any(NEGATIVE_NUMBER.fullmatch(each) for each in args)
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        """The arguments of the usage line; Typer writes required ones in braces, we without."""
        return [re.sub("[{}]", "", each) for each in super().collect_usage_pieces(ctx)]

    def get_help_option_names(self, ctx: Context) -> list[str]:
        """The names of --help, the short one first; Typer's are in the order of a set."""
        return sorted(super().get_help_option_names(ctx), key=len)

    def get_help(self, ctx: Context) -> str:
        """The help in the encoding of stdout; Typer writes UTF-8 where that is ASCII."""
        return output.in_encoding(super().get_help(ctx), sys.stdout)

    def format_help_text(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002  # Typer passes it
        _write_docstring(formatter, self.help or "")

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write arguments and options."""
        _write_sections(formatter, _options(self.get_params(ctx)))


class Group(TyperGroup):
    """A command with subcommands, grouped under headings."""

    def get_help_option_names(self, ctx: Context) -> list[str]:
        """The names of --help, the short one first; Typer's are in the order of a set."""
        return sorted(super().get_help_option_names(ctx), key=len)

    def get_help(self, ctx: Context) -> str:
        """The help in the encoding of stdout; Typer writes UTF-8 where that is ASCII."""
        return output.in_encoding(super().get_help(ctx), sys.stdout)

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        convert_plainly(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def format_help_text(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002  # Typer passes it
        _write_docstring(formatter, self.help or "")

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the commands, then the options."""
        rows: Rows = {}
        for name, heading, summary in self.summaries():
            rows.setdefault(heading, []).append((name, summary))
        _write_sections(formatter, rows)
        _write_sections(formatter, _options(self.get_params(ctx)))

    def summaries(self) -> Iterable[tuple[str, str, str]]:
        """The name of each command, its heading and the first sentence of its help."""
        for name, command in self.commands.items():
            yield name, COMMANDS, first_sentence(command.help or "")


class LazyCommand(NamedTuple):
    """A command whose module is imported when it runs: `module:function`, or `module:app`."""

    path: str
    heading: str
    summary: str

    @property
    def name(self) -> str:
        """The word that runs it."""
        module, _, function = self.path.partition(":")
        return module.rpartition(".")[2] if function == "app" else function

    def load(self) -> TyperCommand | TyperGroup:
        """Import its module and build it."""
        module, _, attribute = self.path.partition(":")
        found = getattr(import_module(module), attribute)
        if not isinstance(found, typer.Typer):
            app = new_app("")
            app.command(cls=Command)(found)
            found = app
        command = cast("TyperCommand | TyperGroup", typer.main.get_command(found))
        command.name = self.name
        return command


class LazyCommands(Mapping[str, TyperCommand | TyperGroup]):
    """Commands by name, each built when it is looked up."""

    def __init__(self, commands: Iterable[LazyCommand]) -> None:
        """Build none of them yet."""
        self._lazy = {each.name: each for each in commands}
        self._built: dict[str, TyperCommand | TyperGroup] = {}

    def __getitem__(self, name: str) -> TyperCommand | TyperGroup:
        if name not in self._built:
            self._built[name] = self._lazy[name].load()
        return self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lazy)

    def __len__(self) -> int:
        return len(self._lazy)


class LazyGroup(Group):
    """A group that builds the commands which are used; its help is made from the list alone."""

    lazy_commands: Sequence[LazyCommand] = ()

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401  # whatever Typer passes
        """Take Typer's settings."""
        super().__init__(**settings)
        self.commands = cast("dict[str, Any]", LazyCommands(self.lazy_commands))

    def list_commands(self, ctx: Context) -> list[str]:  # noqa: ARG002  # Typer passes it
        """The names; Typer's looks up the commands too."""
        return list(self.commands)

    def summaries(self) -> Iterable[tuple[str, str, str]]:
        """The name of each command, its heading and the first sentence of its help."""
        return ((each.name, each.heading, each.summary) for each in self.lazy_commands)


def new_app(summary: str, *, cls: type[Group] = Group, add_completion: bool = False) -> typer.Typer:
    """A Typer application with this help, in plain text and without Typer's tracebacks.

    With `add_completion` it has the options that install completion in a shell.
    """
    return typer.Typer(
        help=summary,
        cls=cls,
        no_args_is_help=True,
        add_completion=add_completion,
        context_settings={"help_option_names": ["--help", "-h"]},
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )


def first_sentence(help_text: str) -> str:
    """The first paragraph of a help text, on one line."""
    return " ".join(help_text.strip().split("\n\n")[0].split())


def help_width() -> int | None:
    """The width of help on a terminal that is narrower than Typer's minimum; else None."""
    columns = shutil.get_terminal_size().columns
    return columns if columns < MIN_TYPER_WIDTH else None


OTHER_NAMES = {
    "--amount": "--value",
    "--sender": "--from",
    "--gas-limit": "--gas",
    "--rpc-url": "--url",
    "--rpc": "--url",
}
"""Options by what other tools call them."""


def show_wrong_usage(error: typer.TyperException) -> int:
    """Write a usage error, with the command's usage, to stderr; the exit code.

    A group without a command is an error whose message is its help.
    """
    context: Context | None = getattr(error, "ctx", None)
    param = getattr(error, "param", None)
    meant = OTHER_NAMES.get(getattr(error, "option_name", ""))
    if meant and context and any(meant in each.opts for each in context.command.params):
        error.possibilities = [meant]  # type: ignore[attr-defined]  # that of unknown options
    text = error.format_message()
    if text.startswith("Usage:"):
        error.show()  # type: ignore[attr-defined]  # only this class of errors has a help as text
        return error.exit_code
    if context is not None:
        output.write_note(context.get_usage())
        output.write_note(f"Try '{context.command_path} --help' for help.")
        output.write_note()
    if isinstance(error, typer.BadParameter) and error.message:
        is_named = isinstance(error, WrongVariable)  # by its message
        name = _param_name(param) if param is not None and not is_named else error.param_hint
        text = f"{name}: {error.message}" if name else error.message
    output.write_error(text)
    return error.exit_code


def _param_name(param: Parameter) -> str:
    return param.opts[0] if isinstance(param, TyperOption) else str(param.metavar or param.name)


def _options(params: Iterable[Parameter]) -> Rows:
    rows: Rows = {ARGUMENTS: []}
    ungrouped: list[tuple[str, str]] = []
    for param in params:
        if isinstance(param, TyperOption):
            if param.hidden:
                continue
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
    column = min(longest, MAX_FIRST_COLUMN, formatter.width // 3)
    for heading, entries in rows.items():
        if entries:
            with formatter.section(_heading(heading)):
                formatter.write_dl([(first.ljust(column), text) for first, text in entries], column)


def _write_docstring(formatter: HelpFormatter, text: str) -> None:
    for paragraph in text.strip().split("\n\n"):
        formatter.write_paragraph()
        first, *rest = paragraph.split("\n")
        if any(line.startswith(" ") for line in rest):
            examples = [line for each in rest for line in _example(each, formatter.width)]
            formatter.write("\n".join([_heading(first), *examples]) + "\n")
        else:
            text = " ".join(paragraph.split())
            formatter.write("\n".join(wrap(text, formatter.width)) + "\n")


def _example(line: str, width: int) -> list[str]:
    indent = line[: len(line) - len(line.lstrip())]
    return wrap(line.strip(), width, indent, indent + "    ")


def _heading(text: str) -> str:
    return typer.style(text, bold=True) if has_colors(sys.stdout) else text
