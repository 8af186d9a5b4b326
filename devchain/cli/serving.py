"""Serving nodes from the command line, in the foreground or as a daemon: banner, log, coverage."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from devchain.clock import Clock
from devchain.config import Config
from devchain.errors import AddressInUse, ConfigError

if TYPE_CHECKING:
    # Only for the hints: `devchain --help` must not load the chain or the log.
    from socket import socket

    from devchain.cli.background import PidFile
    from devchain.cli.node_log import NodeLog
    from devchain.contracts.artifact_registry import Registry
    from devchain.node import Node


def check_files(configs: Sequence[Config]) -> None:
    """Raise `ConfigError` when several networks would share the file or node of one chain.

    A file of API keys that others can read is named in a note.
    """
    for name in ("init", "load_state", "dump_state", "fork_url", "offline"):
        if len(configs) > 1 and getattr(configs[0], name):
            raise ConfigError(
                f"--{name.replace('_', '-')} is for one network: give --network only once"
            )
    if configs[0].tls_cert:
        from devchain.server.hypercorn_server import check_certificate

        check_certificate(configs[0])
    from devchain.cli.background import GROUP_AND_OTHERS
    from devchain.cli.output import write_note

    keys = configs[0].api_key_file
    if keys and os.name == "posix" and Path(keys).expanduser().stat().st_mode & GROUP_AND_OTHERS:
        write_note(f"Others can read the API keys in {keys}: chmod 600 {keys}")


def listen(config: Config) -> socket:
    """A socket at the configured host and port; an error names the node here that has the port."""
    from devchain.cli.background import running_nodes, state_directory
    from devchain.server.serve import bind

    try:
        return bind(config.host, config.port)
    except AddressInUse as error:
        with suppress(ConfigError):
            for node in running_nodes(state_directory()):
                if node.port == config.port:
                    raise AddressInUse(
                        f"port {node.port} is that of {node.name}, a node that runs "
                        f"(`devchain stop {node.name}` stops it); choose another with --port, or "
                        "--port 0 for a free one"
                    ) from error
        raise


@contextmanager
def listed(
    sock: socket, configs: Sequence[Config], name: str | None, *, detached: bool
) -> Iterator[PidFile]:
    """A PID file for the node on this socket; raises `ConfigError` or `OSError`."""
    from devchain.cli.background import NodeRecord, PidFile, state_directory

    port, networks = sock.getsockname()[1], tuple(config.network for config in configs)
    name = name or f"{networks[0]}-{port}"
    record = NodeRecord(name, os.getpid(), "", port, networks, Clock().now(), detached)
    file = PidFile(state_directory(), record)
    try:
        yield file
    finally:
        file.release()


def serve_on(
    sock: socket,
    configs: Sequence[Config],
    out: TextIO,
    err: TextIO,
    file: PidFile | None,
    on_ready: Callable[[list[str]], None] = lambda _: None,
) -> None:
    """Serve a node for each configuration on a listening socket, until a signal to stop.

    The banner goes to `out`, their log to `err`. When the node answers, the PID file is written
    and `on_ready` is called with warnings about --artifacts. Raises `ConfigError`.
    """
    from devchain.cli.output import write_note
    from devchain.server.serve import run, url_of

    first = configs[0]
    with ExitStack() as stack:
        warnings: list[str] = []
        gc.disable()  # all of it stays alive until the end
        try:
            with _logging_to(_Collector(warnings)):
                import_module("devchain.server.http")
                from devchain.cli.banner import print_banner
                from devchain.node import Node, version

                nodes = {config.network: stack.enter_context(Node(config)) for config in configs}
                bitcoin_sock = stack.enter_context(_listen_for_bitcoin(first, nodes))
        finally:
            gc.freeze()
            gc.enable()
        notices = _artifact_notices(next(iter(nodes.values())).artifacts)
        warnings += [f"warning: --artifacts: {notice}" for notice in notices]
        if first.coverage:
            stack.enter_context(_report_coverage(list(nodes.values()), first.coverage, err))
        log = stack.enter_context(_open_node_log(nodes, err))

        def announce(url: str) -> None:
            bitcoin_url = url_of(bitcoin_sock) if bitcoin_sock else ""
            if file:
                file.write(url, bitcoin_url)
            print_banner(out, list(nodes.values()), url, version(), bitcoin_url)
            for warning in warnings:
                write_note(warning)
            on_ready(warnings)

        run(nodes, first, announce, None if first.quiet else log, sock, bitcoin_sock=bitcoin_sock)


@contextmanager
def _listen_for_bitcoin(config: Config, nodes: Mapping[str, Node]) -> Iterator[socket | None]:
    # The Bitcoin node is made now, so that its first request does not wait for it.
    if not config.bitcoin:
        yield None
        return
    from devchain.server.serve import bind

    with bind(config.host, config.bitcoin_port, "--bitcoin-port") as sock:
        _ = next(iter(nodes.values())).bitcoin
        yield sock


class _Collector(logging.Handler):
    # Keeps warnings; what a start waits for is shown at once instead.
    def __init__(self, warnings: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._warnings = warnings

    def emit(self, record: logging.LogRecord) -> None:
        from devchain.cli.output import write_note

        if getattr(record, "is_progress", False):
            write_note(record.getMessage())
        else:
            self._warnings.append(f"warning: {record.getMessage()}")


@contextmanager
def _logging_to(handler: logging.Handler) -> Iterator[None]:
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)


def _artifact_notices(artifacts: Registry) -> list[str]:
    # Files that were skipped, and sources that have changed since they were compiled.
    if not artifacts:
        return artifacts.notices
    from devchain.contracts.changed_sources import changed_sources
    from devchain.contracts.sources import stale_notice

    changed = stale_notice(changed_sources(artifacts, artifacts))
    return [*artifacts.notices, *([changed] if changed else [])]


@contextmanager
def _report_coverage(nodes: Sequence[Node], file: str, err: TextIO) -> Iterator[None]:
    # At the end print which lines of contracts ran, and write the lcov file unless it is `-`.
    from devchain.source.coverage import build_report
    from devchain.source.coverage_report import check_writable, format_table, write_report

    check_writable(file)
    try:
        yield
    finally:
        measured = [node.coverage for node in nodes if node.coverage]
        coverage = build_report(measured, everything=nodes[0].config.coverage_all)
        write_report(coverage, file)
        with suppress(OSError):  # the terminal is closed
            err.writelines(f"{line}\n" for line in format_table(coverage))


@contextmanager
def _open_node_log(nodes: Mapping[str, Node], err: TextIO) -> Iterator[NodeLog]:
    from devchain.cli.node_log import JsonLog, LoggingHandler, TextLog

    log: NodeLog
    config = next(iter(nodes.values())).config
    if config.log_format == "json":
        log = JsonLog(err, Clock().now)
    else:
        log = TextLog(err, names_networks=len(nodes) > 1)
    with closing(log), _logging_to(LoggingHandler(log)):
        yield log


@contextmanager
def until_interrupted() -> Iterator[None]:
    """End the block quietly on a signal to stop, even before the server handles them."""
    from devchain.server.serve import restore_handlers, stop_signals

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    previous = {number: signal.signal(number, interrupt) for number in stop_signals()}
    try:
        with suppress(KeyboardInterrupt):
            yield
        if sys.stderr.isatty():
            sys.stderr.write("\n")  # the shell prompt goes below the ^C
    finally:
        restore_handlers(previous)
