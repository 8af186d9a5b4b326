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

COMPLETION = "_DEVCHAIN_COMPLETE"
"""The environment variable with which a shell asks for completions."""

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

SUMMARIES = {
    "start": "Start a node and serve JSON-RPC until Ctrl-C, or in the background.",
    "ps": "List the nodes that run in the background.",
    "logs": "Print the log of a node in the background, running or stopped.",
    "stop": "Stop a node in the background; without a name, the only one that runs.",
    "methods": "List the JSON-RPC methods of a node with these options, by chapter.",
    "stubs": "Write the types of contracts, for editors and mypy.",
    "config": "Write a devchain.toml for devchain start, or show the options in force.",
    "fork": "List, show and remove what is cached of the chains that were forked.",
    "inspect": "Show one thing on a running node: a block, a transaction, an account.",
    "call": "Call a contract without a transaction and print the returned values, one per line.",
    "debug": "Step through a transaction or call, forward and backward.",
    "watch": "Watch a chain: blocks, transactions with names and reasons, balances, mempool, gas.",
    "rpc": "Call a JSON-RPC method and print its result as JSON.",
    "send": "Send a transaction from an account of the node, wait for it, and show its receipt.",
    "mine": "Mine one or several blocks of the pending transactions and print the new head.",
    "snapshot": "Take a snapshot of the chain and print its id.",
    "revert": "Revert the chain to a snapshot; it can be used again, later snapshots are removed.",
    "accounts": "List, create, import, unlock and lock the node's accounts.",
}
"""The help of all commands imports none of their modules; it takes half the time."""


def new_main_app(arguments: Sequence[str] | None = None) -> typer.Typer:
    """The application with all commands, or with what those arguments need.

    That is the command which the first one names, so that it imports no module of another one; if
    none is named, the summaries of all.
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
    named = COMMANDS.keys() & (arguments or ())[:1]
    for name, (panel, path) in COMMANDS.items():
        if arguments is not None and name not in named:
            if not named:
                app.command(name, cls=Command, rich_help_panel=panel, help=SUMMARIES[name])(
                    _do_nothing
                )
            continue
        module, _, attribute = path.partition(":")
        command = getattr(import_module(f"{FOLDER}.{module}"), attribute)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, rich_help_panel=panel)
        else:
            app.command(name, cls=Command, rich_help_panel=panel)(command)
    return app


def _do_nothing() -> None:
    pass


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
        app = new_main_app(None if COMPLETION in os.environ else arguments)
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
