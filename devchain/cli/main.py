"""The `devchain` application: its commands, and errors as messages and exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.commands import accounts, config, inspect
from devchain.cli.commands.call import call
from devchain.cli.commands.methods import methods
from devchain.cli.commands.mine import mine
from devchain.cli.commands.ps_logs_stop import logs, ps, stop
from devchain.cli.commands.rpc import rpc
from devchain.cli.commands.send import send
from devchain.cli.commands.snapshot import revert, snapshot
from devchain.cli.commands.start import start
from devchain.cli.help import Command, new_app
from devchain.errors import DevchainError, RpcFailure

FAILURE = 1
INTERRUPTED = 130

NODE = "Run a node"
LOOK = "Look at a node"
CHANGE = "Change its chain"

app = new_app("""
    A local Rootstock chain for tests and development.

    Examples:
      devchain start --network test
      devchain inspect block latest
      devchain send 0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --value 1.5rbtc
""")


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


app.command(cls=Command, rich_help_panel=NODE)(start)
app.command(cls=Command, rich_help_panel=NODE)(ps)
app.command(cls=Command, rich_help_panel=NODE)(logs)
app.command(cls=Command, rich_help_panel=NODE)(stop)
app.add_typer(config.app, name="config", rich_help_panel=NODE)
app.command(cls=Command, rich_help_panel=NODE)(methods)
app.add_typer(inspect.app, name="inspect", rich_help_panel=LOOK)
app.command(cls=Command, rich_help_panel=LOOK)(call)
app.command(cls=Command, rich_help_panel=LOOK)(rpc)
app.command(cls=Command, rich_help_panel=CHANGE)(send)
app.add_typer(accounts.app, name="accounts", rich_help_panel=CHANGE)
app.command(cls=Command, rich_help_panel=CHANGE)(mine)
app.command(cls=Command, rich_help_panel=CHANGE)(snapshot)
app.command(cls=Command, rich_help_panel=CHANGE)(revert)


def run() -> None:
    """Run the command in `sys.argv`."""
    sys.exit(main(sys.argv[1:]))


def main(arguments: Sequence[str]) -> int:
    """Run one command; the exit code: 0, 1 for an error, 2 for wrong usage, 130 for Ctrl-C."""
    _open_missing_streams()
    try:
        app(list(arguments), prog_name="devchain")
    except SystemExit as end:
        return _flush(end.code if isinstance(end.code, int) else FAILURE)
    except KeyboardInterrupt:
        return _flush(INTERRUPTED)
    except RpcFailure as failure:
        output.write_error(f"{failure.message} (code {failure.code})")
    except DevchainError as error:
        output.write_error(str(error))
    return FAILURE


def _open_missing_streams() -> None:
    """Open the null device for standard streams that are closed, as in `devchain start >&-`."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # The system assigns the lowest free descriptor, which is that of the closed stream.
            file = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(file, "w" if number else "r", encoding="utf-8"))


def _flush(code: int) -> int:
    """Write what is buffered; the exit code. A closed pipe, as of `| head`, gives no message."""
    if code == INTERRUPTED and sys.stderr.isatty():
        sys.stderr.write("\n")  # the shell prompt goes below the ^C
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    return code
