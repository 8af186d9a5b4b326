"""`devchain inspect logs`: what contracts logged, and what they are logging."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.format import Notation, number
from devchain.cli.log_following import new_logs
from devchain.cli.options import DEFAULT_URL, AsJson, Url, block_reference, connect
from devchain.cli.views import Json, log_rows, notation

ANYTHING = ("", "null", "*")
SHORTEST_INTERVAL, LONGEST_INTERVAL = 0.1, 60.0

From = Annotated[
    str | None,
    typer.Option("--from", help="First block; default: the latest.", metavar="BLOCK"),
]
To = Annotated[
    str | None, typer.Option("--to", help="Last block; default: the latest.", metavar="BLOCK")
]
Addresses = Annotated[
    list[str] | None,
    typer.Option("--address", help="Only logs of this contract; repeatable.", metavar="ADDRESS"),
]
Topics = Annotated[
    list[str] | None,
    typer.Option(
        "--topic",
        help="Only logs with this topic, the first --topic in the first place; "
        "commas between alternatives, * for any.",
        metavar="TOPIC",
    ),
]
Follow = Annotated[
    bool, typer.Option("--follow", "-f", help="Go on with new logs as they come, until Ctrl-C.")
]
Interval = Annotated[
    float,
    typer.Option(
        "--interval",
        help="Seconds between two looks with --follow.",
        min=SHORTEST_INTERVAL,
        max=LONGEST_INTERVAL,
        metavar="SECONDS",
    ),
]


def logs(
    first: From = None,
    last: To = None,
    addresses: Addresses = None,
    topics: Topics = None,
    follow: Follow = False,
    interval: Interval = 1.0,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Show the logs of a range of blocks, of the latest block if none is named.

    Examples:
      devchain inspect logs --from 0 --to latest
      devchain inspect logs --address $CONTRACT --follow
    """
    node = connect(url)
    wanted = _query(first, last, addresses or [], topics or [])
    written = notation(node)
    if not follow:
        _show(node.call("eth_getLogs", wanted), written, as_json=as_json)
        return
    with closing(new_logs(node, wanted, interval)) as batches:
        for found in batches:
            _show_new(found, written, as_json=as_json)


def _query(first: str | None, last: str | None, addresses: list[str], topics: list[str]) -> Json:
    """The filter object; a block hash as --from or --to means that block alone."""
    wanted: Json = {}
    for name, text in (("fromBlock", first), ("toBlock", last)):
        if text is not None:
            reference = block_reference(text)
            wanted.update(reference if isinstance(reference, dict) else {name: reference})
    if addresses:
        wanted["address"] = addresses[0] if len(addresses) == 1 else addresses
    if topics:
        wanted["topics"] = [_topic(each) for each in topics]
    return wanted


def _topic(text: str) -> str | list[str] | None:
    choices = text.split(",")
    if text in ANYTHING:
        return None
    return choices[0] if len(choices) == 1 else choices


def _show(found: list[Json], notation: Notation, *, as_json: bool) -> None:
    if as_json:
        output.show_json(found)
        return
    for each in found:
        _show_log(each, notation)
    if not found:
        output.note("no logs")


def _show_new(found: list[Json], notation: Notation, *, as_json: bool) -> None:
    """Show logs as they come; as JSON a line each."""
    for each in found:
        if as_json:
            output.write(json.dumps(each))
        else:
            _show_log(each, notation)
    output.flush()


def _show_log(log: Json, notation: Notation) -> None:
    removed = ["removed by a revert"] if log.get("removed") else []
    output.title(
        f"Log {number(log.get('logIndex'))}", f"block {number(log.get('blockNumber'))}", *removed
    )
    output.field("Transaction", str(log.get("transactionHash")))
    output.fields(log_rows(log, notation))
    output.blank()
