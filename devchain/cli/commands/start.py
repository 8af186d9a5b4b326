"""`devchain start`: serve one or more networks until Ctrl-C."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from devchain.cli.config_options import ResolvedOptions, with_options
from devchain.cli.serving import check_files, listen, serve_on, until_interrupted

Detach = Annotated[
    bool,
    typer.Option(
        "--detach", "-d", help="Run in the background; return as soon as the node answers."
    ),
]
Name = Annotated[
    str | None,
    typer.Option(
        "--name", help="Name of a node in the background; default: NETWORK-PORT.", metavar="NAME"
    ),
]


@with_options
def start(resolved: ResolvedOptions, detach: Detach = False, name: Name = None) -> None:
    """Start a node and serve JSON-RPC until Ctrl-C, or in the background.

    With several --network the first is served at / and each at /NETWORK.

    Examples:
      devchain start --network test
      devchain start --network main --network test --port 4445
      devchain start --block-time 2 --log-format json
      devchain start --detach --port 0
    """
    configs = resolved.configs()
    if detach:
        from devchain.cli.daemon import launch

        launch(configs, name)
        return
    if name is not None:
        raise typer.BadParameter("--name is for nodes in the background: add --detach")
    check_files(configs)
    # The port first: whether it is free is known before the chain is loaded, which takes a second.
    with until_interrupted(), listen(configs[0]) as sock:
        serve_on(sock, configs, sys.stdout, sys.stderr)
