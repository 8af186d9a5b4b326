"""`devchain start`: serve one or more networks until Ctrl-C."""

from __future__ import annotations

import gc
import logging
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from devchain.cli.settings import with_options
from devchain.clock import Clock
from devchain.config import Config
from devchain.errors import ConfigError
from devchain.networks import RBTC

if TYPE_CHECKING:
    # Only for the hints: `devchain --help` must not load the chain or the log.
    from socket import socket

    from devchain.cli.activity import Log
    from devchain.cli.banner import Served
    from devchain.node import Node

Detach = Annotated[
    bool,
    typer.Option(
        "--detach", "-d", help="Run in the background; return as soon as the node answers."
    ),
]
Name = Annotated[
    str | None,
    typer.Option("--name", help="Name in the background; default: NETWORK-PORT.", metavar="NAME"),
]


@with_options
def start(configs: list[Config], detach: Detach = False, name: Name = None) -> None:
    """Start a node and serve JSON-RPC until Ctrl-C, or in the background.

    With several --network the first is served at / and each at /NETWORK.

    Examples:
      devchain start --network test
      devchain start --network main --network test --port 4445
      devchain start --block-time 2 --log-format json
      devchain start --detach --port 0
    """
    if not detach:
        if name is not None:
            msg = "only a node in the background has a name: add --detach"
            raise typer.BadParameter(msg)
        serve_networks(configs, sys.stdout, sys.stderr)
        return
    from devchain.cli.detached import launch

    launch(configs, name)


def serve_networks(configs: Sequence[Config], out: TextIO, err: TextIO) -> None:
    """Serve a node for each configuration: the banner on `out`, the activity log on `err`.

    Returns on SIGINT or SIGTERM. Raises `AddressInUse` or `ConfigError`.
    """
    check_files(configs)
    # The port first: whether it is free should not take a second to learn.
    from devchain.server.serve import bind

    with interruptible(), bind(configs[0].host, configs[0].port) as sock:
        serve_on(sock, configs, out, err)


def check_files(configs: Sequence[Config]) -> None:
    """Raise `ConfigError` when several networks would share a file that holds one."""
    first = configs[0]
    for name in ("init", "load_state", "dump_state"):
        if len(configs) > 1 and getattr(first, name):
            msg = f"--{name.replace('_', '-')} is for one network: give --network once"
            raise ConfigError(msg)


def serve_on(
    sock: socket,
    configs: Sequence[Config],
    out: TextIO,
    err: TextIO,
    on_ready: Callable[[str], None] | None = None,
) -> None:
    """Serve as `serve_networks` does on a socket that listens; `on_ready` gets the URL."""
    from devchain.server.serve import run

    first = configs[0]
    with ExitStack() as stack:
        with _loading():
            nodes = {each.network: stack.enter_context(_node(each)) for each in configs}
        if first.coverage:
            stack.enter_context(_covering(list(nodes.values()), first.coverage, err))
        log = stack.enter_context(_logging(configs, err))

        def greet(url: str) -> None:
            _greet(out, nodes, url)
            if on_ready:
                on_ready(url)

        run(nodes, first, greet, None if first.quiet else log, sock)


@contextmanager
def _loading() -> Iterator[None]:
    """Load what serves without looking for garbage, now or later: all of it stays."""
    gc.disable()
    try:
        from devchain.evm.lazy_imports import defer

        defer()
        import_module("devchain.server.door")
        yield
    finally:
        gc.freeze()
        gc.enable()


def _node(config: Config) -> Node:
    from devchain.node import Node

    return Node(config)


@contextmanager
def _covering(nodes: Sequence[Node], file: str, err: TextIO) -> Iterator[None]:
    """At the end tell which lines ran: a table on `err`, and the file unless it is `-`."""
    from devchain.contracts.coverage import build_report
    from devchain.contracts.coverage_report import check_writable, format_table, write_report

    check_writable(file)
    try:
        yield
    finally:
        made = build_report([each.coverage for each in nodes if each.coverage])
        err.writelines(f"{line}\n" for line in format_table(made))
        write_report(made, file)


def _greet(out: TextIO, nodes: dict[str, Node], url: str) -> None:
    from devchain.cli.banner import announce
    from devchain.node import version

    announce(out, [_served(node) for node in nodes.values()], url, version())


def _served(node: Node) -> Served:
    from devchain.cli.banner import Funded, Served

    balance = node.config.balance * RBTC
    accounts = [Funded(address, balance, key) for address, key in node.accounts.dev_keys()]
    return Served(node.config, accounts)


def _log(configs: Sequence[Config], err: TextIO) -> Log:
    from devchain.cli.activity import JsonLog, TextLog

    if configs[0].log_format == "json":
        return JsonLog(err, Clock().now)
    return TextLog(err, {each.network: each.effective_chain_id for each in configs})


@contextmanager
def _logging(configs: Sequence[Config], err: TextIO) -> Iterator[Log]:
    """The activity log; while it is open warnings and tracebacks go there too."""
    from devchain.cli.activity import ProblemHandler

    log = _log(configs, err)
    handler = ProblemHandler(log)
    logging.getLogger().addHandler(handler)
    try:
        yield log
    finally:
        logging.getLogger().removeHandler(handler)
        log.close()


@contextmanager
def interruptible() -> Iterator[None]:
    """Make SIGINT and SIGTERM end the block quietly, even before the server runs."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        with suppress(KeyboardInterrupt):
            yield
        if sys.stderr.isatty():
            sys.stderr.write("\n")  # the prompt comes below the ^C
    finally:
        signal.signal(signal.SIGTERM, before)
