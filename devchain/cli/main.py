"""The `devchain` application: its commands, and errors as messages and exit codes."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer

from devchain.cli import output
from devchain.cli.help import Command, HelpAll, new_app
from devchain.errors import CompilationFailed, ConnectionFailed, DevchainError, RpcFailure

FAILURE = 1
INTERRUPTED = 130
OUTPUT_ERRORS = {errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""Errors of writes to a pipe, a file or a terminal."""

COMPLETION = "_DEVCHAIN_COMPLETE"
"""The environment variable with which a shell asks for completions."""

FOLDER = "devchain.cli.commands"
NODE, LOOK, CHANGE = "Run a node", "Look at a node", "Change its chain"

COMMANDS = {
    "start": (NODE, "Start a node and serve JSON-RPC, until Ctrl-C or in the background."),
    "ps": (NODE, "List the nodes that run on this machine."),
    "logs": (NODE, "Print the log of a node in the background, running or stopped."),
    "stop": (NODE, "Stop a node; without a name, the only one that runs."),
    "methods": (NODE, "List the JSON-RPC methods of a node with these options, by chapter."),
    "stubs": (NODE, "Write the types of contracts, for editors and mypy."),
    "config": (NODE, "Write a devchain.toml for devchain start, or show the options in force."),
    "fork": (NODE, "List, show and remove what is cached of the chains that were forked."),
    "inspect": (LOOK, "Show one thing on a node: a block, a transaction, an account, logs."),
    "check": (LOOK, "Find opcodes of contracts that a hardfork lacks."),
    "call": (LOOK, "Call a contract without a transaction and print what it returns."),
    "upgrade-report": (LOOK, "Show what another hardfork changes for a contract."),
    "debug": (LOOK, "Step through a transaction or call, forward and backward."),
    "watch": (LOOK, "Watch new blocks and transactions, with names and reasons."),
    "rpc": (LOOK, "Call a JSON-RPC method and print its result as JSON."),
    "send": (CHANGE, "Send a transaction or create a contract, and show the receipt."),
    "mine": (CHANGE, "Mine blocks and print the number of the newest."),
    "snapshot": (CHANGE, "Take a snapshot of the chain and print its id."),
    "revert": (CHANGE, "Revert the chain to a snapshot, which can be used again."),
    "btc": (CHANGE, "Mine, pay and look at the Bitcoin beside the chain (regtest)."),
    "peg-in": (CHANGE, "Turn bitcoins of the node's wallet into RBTC of an account."),
    "peg-out": (CHANGE, "Turn RBTC of an account into bitcoins of its key."),
    "peg": (LOOK, "Look at the peg of the chain with the Bitcoin beside it."),
    "accounts": (CHANGE, "List, create, import, unlock and lock the node's accounts."),
}
"""The heading of every command in the help, and its summary.

With it the help of all commands imports none of their modules; it takes half the time.
"""

MODULES = {"ps": "ps_logs_stop", "logs": "ps_logs_stop", "stop": "ps_logs_stop"}
MODULES |= {"snapshot": "mine", "revert": "mine", "peg-in": "peg", "peg-out": "peg"}
MODULES |= {"upgrade-report": "check"}
"""The modules of commands that are in one of another name."""

RARE = {"check", "methods", "stubs", "config", "fork", "snapshot", "revert"}
"""Commands that the help only names."""


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
          devchain send 1 --value 1.5rbtc
        """,
        add_completion=True,
    )
    app.callback()(_options)
    named = COMMANDS.keys() & (arguments or ())[:1]
    for name, (panel, summary) in COMMANDS.items():
        # The shell completes rare ones, too.
        is_rare = arguments is not None and name in RARE
        look: dict[str, Any] = {"rich_help_panel": panel, "hidden": is_rare}
        if arguments is not None and not named:
            app.command(name, cls=Command, help=summary, **look)(lambda: None)
        elif arguments is None or name in named:
            module = import_module(f"{FOLDER}.{MODULES.get(name, name)}")
            if command := getattr(module, name.replace("-", "_"), None):
                app.command(name, cls=Command, **look)(command)
            else:
                app.add_typer(module.app, name=name, **look)
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
    help_all: HelpAll = False,
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
        case CompilationFailed():
            first, *lines = str(error).splitlines()
            output.write_error(first, lines)
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
