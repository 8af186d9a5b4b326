"""`devchain watch`: the chain of a node, live."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib.util import find_spec
from typing import Annotated
from urllib.parse import urlsplit

import typer

from devchain.cli.chain_views import warn_of_checksums
from devchain.cli.commands.debug import Artifacts
from devchain.cli.options import (
    DEFAULT_URL,
    Url,
    connect,
    parse_account,
    parse_seconds,
    parse_whole,
)
from devchain.cli.output import write_note
from devchain.client.http import HttpClient
from devchain.errors import ConfigError, ConnectionFailed
from devchain.text import WATCH

MAX_COUNT = 10_000
MIN_INTERVAL, MAX_INTERVAL = 0.1, 60.0

Accounts = Annotated[
    list[str] | None,
    typer.Option(
        "--account",
        help="Account to show: address, or number of one of the node's; repeatable. Default: "
        "the node's accounts.",
        parser=parse_account,
        metavar="ADDRESS",
    ),
]
Count = Annotated[
    int,
    typer.Option(
        "--count",
        help="Begin with the newest N blocks; later ones are added as they come.",
        parser=parse_whole(0, MAX_COUNT),
        metavar="N",
    ),
]
Interval = Annotated[
    float,
    typer.Option(
        "--interval",
        help="Seconds between polls of the node.",
        parser=parse_seconds(MIN_INTERVAL, MAX_INTERVAL),
        metavar="SECONDS",
    ),
]
Once = Annotated[bool, typer.Option("--once", help="Print the newest blocks as lines, and end.")]
AsJson = Annotated[
    bool,
    typer.Option("--json", help="Print a JSON object for each block and transaction, one a line."),
]


def watch(
    accounts: Accounts = None,
    count: Count = 20,
    interval: Interval = 0.5,
    artifacts: Artifacts = None,
    once: Once = False,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Watch a chain: blocks, transactions with names and reasons, balances, mempool, gas.

    Works on any node, by polling; contracts have names from a devchain node, or from the project
    in this folder. Blocks taken back by a revert, a reset or a reorganization are marked, then
    removed. A node that stops is waited for. ↑ and ↓ select a row, Enter opens it, d steps through
    a transaction with the sources of --artifacts, q ends. Where the output is no terminal, or
    without `pip install "devchain[tui]"`, each block and transaction is a line.

    Examples:
      devchain watch
      devchain watch --account 0 --account 0x77045e71a7a2c50903d88e564cd72fab11e82051
      devchain watch --url http://127.0.0.1:8545 | grep failed
    """
    if artifacts is not None and not artifacts.exists():
        raise ConfigError(f"there are no artifacts at {artifacts}: no such file or folder")
    node = connect(url)
    if isinstance(node, HttpClient):
        node.headers["User-Agent"] = WATCH
    with suppress(ConnectionFailed):  # the node is waited for
        warn_of_checksums(node, *(accounts or []))
    # Textual draws on stderr.
    has_screen = sys.stdout.isatty() and sys.stderr.isatty()
    is_terminal = has_screen and os.environ.get("TERM") != "dumb"
    if as_json or once or not is_terminal or find_spec("textual") is None:
        from devchain.cli.tui.event_lines import EventLines, follow

        if is_terminal and not (as_json or once):
            write_note('for a screen instead of lines: pip install "devchain[tui]"')
        lines = EventLines(node, count=count, as_json=as_json)
        if once:
            lines.write_new()
        else:
            follow(lines, _shown(url), interval)
        return
    from devchain.cli.tui.watch import run_watch
    from devchain.cli.tui.watcher import Watcher

    watcher = Watcher(node, accounts or (), count=count)
    run_watch(watcher, url, _shown(url), interval, artifacts)


def _shown(url: str) -> str:
    parts = urlsplit(url if "://" in url else f"http://{url}")
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
