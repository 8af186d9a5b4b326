"""The `devchain` application: its commands, and errors as messages and exit codes."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.help import LazyCommand, LazyGroup, help_width, new_app, show_wrong_usage
from devchain.errors import ConnectionFailed, DevchainError, RpcFailure

FAILURE = 1
INTERRUPTED = 130
OUTPUT_ERRORS = {errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""Of writes to a pipe, a file or a terminal."""
MAX_RUNNING = 5
"""Nodes that a message names."""

NODE = "Run a node"
LOOK = "Look at a node"
CHANGE = "Change its chain"

FOLDER = "devchain.cli.commands"

COMMANDS = (
    LazyCommand(
        f"{FOLDER}.start:start",
        NODE,
        "Start a node and serve JSON-RPC until Ctrl-C, or in the background.",
    ),
    LazyCommand(f"{FOLDER}.ps_logs_stop:ps", NODE, "List the nodes that run in the background."),
    LazyCommand(
        f"{FOLDER}.ps_logs_stop:logs",
        NODE,
        "Print the log of a node in the background, running or stopped.",
    ),
    LazyCommand(
        f"{FOLDER}.ps_logs_stop:stop",
        NODE,
        "Stop a node in the background; without a name, the only one that runs.",
    ),
    LazyCommand(
        f"{FOLDER}.methods:methods",
        NODE,
        "List the JSON-RPC methods of a node with these options, by chapter.",
    ),
    LazyCommand(
        f"{FOLDER}.stubs:stubs",
        NODE,
        "Write the types of contracts, with which editors complete and mypy checks calls of them.",
    ),
    LazyCommand(
        f"{FOLDER}.call:call",
        LOOK,
        "Call a contract without a transaction and print the returned values, one per line.",
    ),
    LazyCommand(
        f"{FOLDER}.debug:debug",
        LOOK,
        "Step through a transaction or call: source lines, calls, opcodes, forward and backward.",
    ),
    LazyCommand(
        f"{FOLDER}.watch:watch",
        LOOK,
        "Watch a chain: blocks, transactions with names and reasons, balances, mempool, gas.",
    ),
    LazyCommand(f"{FOLDER}.rpc:rpc", LOOK, "Call a JSON-RPC method and print its result as JSON."),
    LazyCommand(
        f"{FOLDER}.send:send",
        CHANGE,
        "Send a transaction from an unlocked account, wait until it is mined and show its receipt.",
    ),
    LazyCommand(
        f"{FOLDER}.mine:mine",
        CHANGE,
        "Mine one or several blocks of the pending transactions and print the new head.",
    ),
    LazyCommand(
        f"{FOLDER}.snapshot:snapshot", CHANGE, "Take a snapshot of the chain and print its id."
    ),
    LazyCommand(
        f"{FOLDER}.snapshot:revert",
        CHANGE,
        "Revert the chain to a snapshot; it can be used again, later snapshots are removed.",
    ),
    LazyCommand(
        f"{FOLDER}.config:app",
        NODE,
        "Write a devchain.toml for devchain start, or show the options in force.",
    ),
    LazyCommand(
        f"{FOLDER}.fork:app",
        NODE,
        "List, export, import and remove what is recorded of the chains that were forked.",
    ),
    LazyCommand(
        f"{FOLDER}.inspect:app",
        LOOK,
        "Show one thing on a running node: a block, a transaction, an account.",
    ),
    LazyCommand(
        f"{FOLDER}.accounts:app",
        CHANGE,
        "List, create, import, unlock and lock the node's accounts, and send from them.",
    ),
)
"""Every command, its heading, and the first sentence of its help."""


class MainGroup(LazyGroup):
    """`devchain`, which imports the module of the one command that runs."""

    lazy_commands = COMMANDS


app = new_app(
    """
    A local Rootstock chain for tests and development.

    Examples:
      devchain start --network test
      devchain inspect block latest
      devchain send 0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --value 1.5rbtc
    """,
    cls=MainGroup,
    add_completion=True,
)


def _print_version(is_given: bool) -> None:
    if is_given:
        from importlib import metadata

        output.write_line(metadata.version("devchain"))
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Read the options before a command."""


def run() -> None:
    """Run the command in `sys.argv`."""
    sys.exit(main(sys.argv[1:]))


def main(arguments: Sequence[str]) -> int:
    """Run one command; the exit code: 0, 1 for an error, 2 for wrong usage, 130 for Ctrl-C."""

    def run_app() -> int:
        code = app(
            list(arguments),
            prog_name="devchain",
            standalone_mode=False,
            terminal_width=help_width(),
        )
        return code if isinstance(code, int) else 0

    return guarded(run_app)


def guarded(command: Callable[[], int]) -> int:
    """Run a command and write its errors as messages; the exit code."""
    _open_missing_streams()
    for stream in (sys.stdout, sys.stderr):
        output.fit_encoding(stream)
    try:
        with output.warnings_of_a_command():
            code = command()
        return _flush(code)
    except typer.TyperException as wrong_usage:
        return _flush(show_wrong_usage(wrong_usage))
    except SystemExit as end:
        return _flush(end.code if isinstance(end.code, int) else FAILURE)
    except (KeyboardInterrupt, typer.Abort):
        return _flush(INTERRUPTED)
    except (DevchainError, OSError) as error:
        return _fail(error)


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
    from devchain.cli.pid_files import running_nodes, state_directory

    try:
        running = running_nodes(state_directory())
    except DevchainError:
        return ""
    if not running:
        return ""
    from devchain.text import printable

    shown = ", ".join(f"{each.name} at {printable(each.url)}" for each in running[:MAX_RUNNING])
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
