"""`devchain start`: serve one or more networks until Ctrl-C."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Annotated

import typer

from devchain.cli.config_options import ResolvedOptions, with_options
from devchain.cli.output import write_note
from devchain.cli.serving import check_files, listed, listen, serve_on, until_interrupted
from devchain.errors import ConfigError

SHOWN = {"like", "network", "hardfork", "data_dir", "load_state", "dump_state", "fork_url"}
SHOWN |= {"accounts", "balance", "block_time", "mining", "artifacts", "host", "port", "quiet"}
"""Options that the short help has."""

Detach = Annotated[
    bool, typer.Option("--detach", "-d", help="Run in the background; return when it answers.")
]
Name = Annotated[
    str | None,
    typer.Option(
        "--name", help="Name for ps, logs and stop. Default: NETWORK-PORT.", metavar="NAME"
    ),
]
Compile = Annotated[
    bool, typer.Option("--compile", help="Compile first what is stale at the paths of --artifacts.")
]


@partial(with_options, shown=SHOWN)
def start(
    resolved: ResolvedOptions,
    detach: Detach = False,
    name: Name = None,
    compile_first: Compile = False,
) -> None:
    """Start a node and serve JSON-RPC, until Ctrl-C or in the background.

    Examples:
      devchain start --network test --port 8545
      devchain start --fork-url https://public-node.rsk.co --block-time 2
      devchain start --artifacts . --compile --detach --port 0
    """
    configs = resolved.configs()
    if compile_first:
        from devchain.contracts.compile import compile_stale

        if not configs[0].artifacts:
            raise ConfigError("--compile needs --artifacts, with the path of a project")
        paths = compile_stale(configs[0].artifacts, configs[0].hardfork, write_note)
        configs = [replace(config, artifacts=paths) for config in configs]
    if detach:
        from devchain.cli.daemon import launch

        launch(configs, name)
        return
    check_files(configs)
    with ExitStack() as stack:
        stack.enter_context(until_interrupted())
        # The port first: whether it is free is known before the chain is loaded.
        sock = stack.enter_context(listen(configs[0]))
        file = None
        try:
            file = stack.enter_context(listed(sock, configs, name, detached=False))
        except (ConfigError, OSError):
            if name is not None:  # without it, a node is not listed where there is no folder for it
                raise
        serve_on(sock, configs, sys.stdout, sys.stderr, file)
