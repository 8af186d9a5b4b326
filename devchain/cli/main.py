"""The `devchain` application: its commands, and errors as messages and exit codes."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.help import Command, new_app
from devchain.errors import ConnectionFailed, DevchainError, RpcFailure

FAILURE = 1
INTERRUPTED = 130
OUTPUT_ERRORS = {errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""Errors of writes to a pipe, a file or a terminal."""

FOLDER = "devchain.cli.commands"
NODE, LOOK, CHANGE = "Run a node", "Look at a node", "Change its chain"

COMMANDS = {
    "start": (NODE, "start:start"),
    "ps": (NODE, "ps_logs_stop:ps"),
    "logs": (NODE, "ps_logs_stop:logs"),
    "stop": (NODE, "ps_logs_stop:stop"),
    "methods": (NODE, "methods:methods"),
    "stubs": (NODE, "stubs:stubs"),
    "config": (NODE, "config:app"),
    "fork": (NODE, "fork:app"),
    "inspect": (LOOK, "inspect:app"),
    "call": (LOOK, "call:call"),
    "debug": (LOOK, "debug:debug"),
    "watch": (LOOK, "watch:watch"),
    "rpc": (LOOK, "rpc:rpc"),
    "send": (CHANGE, "send:send"),
    "mine": (CHANGE, "mine:mine"),
    "snapshot": (CHANGE, "mine:snapshot"),
    "revert": (CHANGE, "mine:revert"),
    "accounts": (CHANGE, "accounts:app"),
}
"""The heading of every command in the help, its module and what is there: a function or an app."""


def new_main_app(*arguments: str) -> typer.Typer:
    """The application with the command that the first argument names, else with all commands.

    So that a command imports no module of another one.
    """
    app = new_app(
        """
        A local Rootstock chain for tests and development.

        Examples:
          devchain start --network test
          devchain inspect block latest
          devchain send 0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --value 1.5rbtc
        """,
        add_completion=True,
    )
    app.callback()(_options)
    for name in arguments[:1] if arguments[:1] and arguments[0] in COMMANDS else COMMANDS:
        panel, path = COMMANDS[name]
        module, _, attribute = path.partition(":")
        command = getattr(import_module(f"{FOLDER}.{module}"), attribute)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, rich_help_panel=panel)
        else:
            app.command(name, cls=Command, rich_help_panel=panel)(command)
    return app


def _print_version(is_given: bool) -> None:
    if is_given:
        from importlib import metadata

        output.write_line(metadata.version("devchain"))
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Read the options before a command."""


def main(arguments: Sequence[str]) -> int:
    """Run one command; the exit code: 0, 1 for an error, 2 for wrong usage, 130 for Ctrl-C."""
    _open_missing_streams()
    for stream in (sys.stdout, sys.stderr):
        output.fit_encoding(stream)
    try:
        output.said_topics.clear()
        app = new_main_app(*arguments)
        code = app(list(arguments), prog_name="devchain", standalone_mode=False)
        return _flush(code if isinstance(code, int) else 0)
    except typer.TyperException as wrong_usage:
        return _flush(_show_wrong_usage(wrong_usage))
    except SystemExit as end:
        return _flush(end.code if isinstance(end.code, int) else FAILURE)
    except (KeyboardInterrupt, typer.Abort):
        return _flush(INTERRUPTED)
    except (DevchainError, OSError) as error:
        return _fail(error)


def _show_wrong_usage(error: typer.TyperException) -> int:
    context = getattr(error, "ctx", None)
    message = error.format_message().removeprefix("Invalid value: ")
    if message.startswith("Usage:"):  # a group without a command: its help
        typer.echo(message, err=True)
        return error.exit_code
    if context is not None:
        typer.echo(context.get_usage(), err=True)
        typer.echo(f"Try '{context.command_path} --help' for help.\n", err=True)
    output.write_error(message)
    return error.exit_code


def _fail(error: DevchainError | OSError) -> int:
    match error:
        case RpcFailure():
            output.write_error(f"{error.message} (code {error.code})")
        case output.DetailedError():
            output.write_error(str(error), error.lines)
        case ConnectionFailed():
            output.write_error(f"{error}{_running_elsewhere()}")
        case DevchainError():
            output.write_error(str(error))
        case OSError(filename=None, errno=number) if number in OUTPUT_ERRORS:
            return _end_output(error)
        case _:
            raise error
    return FAILURE


def _running_elsewhere() -> str:
    from devchain.cli.background import running_nodes, state_directory

    try:
        running = running_nodes(state_directory())
    except DevchainError:
        return ""
    if not running:
        return ""
    from devchain.text import printable

    shown = ", ".join(f"{node.name} at {printable(node.url)}" for node in running)
    return f"; running: {shown}"


def _open_missing_streams() -> None:
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # The system assigns the lowest free descriptor, which is that of the closed stream.
            file = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(file, "w" if number else "r", encoding="utf-8"))


def _flush(code: int) -> int:
    if code == INTERRUPTED and sys.stderr.isatty():
        sys.stderr.write("\n")  # the shell prompt goes below the ^C
    try:
        sys.stdout.flush()
    except OSError as error:
        return _end_output(error)
    return code


def _end_output(error: OSError) -> int:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not isinstance(error, BrokenPipeError):
        output.write_error(f"the output could not be written: {error.strerror}")
    return FAILURE
