"""The `devchain` command: puts the commands together and turns refusals into words."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.commands import accounts, config, inspect
from devchain.cli.commands.call import call
from devchain.cli.commands.logs import logs
from devchain.cli.commands.methods import methods
from devchain.cli.commands.mine import mine
from devchain.cli.commands.ps import ps
from devchain.cli.commands.revert import revert
from devchain.cli.commands.rpc import rpc
from devchain.cli.commands.send import send
from devchain.cli.commands.snapshot import snapshot
from devchain.cli.commands.start import start
from devchain.cli.commands.stop import stop
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


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib import metadata

        output.write(metadata.version("devchain"))
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
    """Options before any command."""


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
    """Run one command; its exit code: 0, 1 for a refusal, 2 for wrong usage, 130 for Ctrl-C."""
    _open_streams()
    try:
        app(list(arguments), prog_name="devchain")
    except SystemExit as leaving:
        return _flushed(leaving.code if isinstance(leaving.code, int) else FAILURE)
    except KeyboardInterrupt:
        return _flushed(INTERRUPTED)
    except DevchainError as refusal:
        output.error(_sentence(refusal))
    return FAILURE


def _open_streams() -> None:
    """Put nothing where a standard stream is closed, as in `devchain start >&-`."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # The lowest free descriptor, which is this one.
            file = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(file, "w" if number else "r", encoding="utf-8"))


def _flushed(code: int) -> int:
    """The exit code once all is written; a reader that has gone away is nothing to talk about."""
    if code == INTERRUPTED and sys.stderr.isatty():
        sys.stderr.write("\n")  # the prompt comes below the ^C
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    return code


def _sentence(refusal: DevchainError) -> str:
    if not isinstance(refusal, RpcFailure):
        return str(refusal)
    return f"{refusal.message} (code {refusal.code})"
