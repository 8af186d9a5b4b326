"""`devchain inspect logs`: logs of a range of blocks, and with --follow new logs as they come."""

from __future__ import annotations

import json
import re
import sys
from typing import Annotated

import typer

from devchain.cli import options, output
from devchain.cli.chain_follower import follow as follow_chain
from devchain.cli.chain_follower import shown_url
from devchain.cli.view_rows import log_rows, reader_of
from devchain.client.http import Client
from devchain.client.views import Json, number
from devchain.errors import BlockNotFound, RpcFailure

BETWEEN_TOPICS = re.compile(r",(?![^(]*\))")
"""The commas outside parentheses: `0x11,Transfer(address,uint256)` has one."""
ANY_TOPIC = ("", "null", "*")
DEFAULT_COUNT, DEFAULT_BLOCKS = 20, 10_000
"""Logs that are shown, and the newest blocks in which they are, without --from."""

From = Annotated[
    str | None, typer.Option("--from", help="First block; all logs since it.", metavar="BLOCK")
]
To = Annotated[
    str | None, typer.Option("--to", help="Last block. Default: latest.", metavar="BLOCK")
]
Count = Annotated[
    int | None,
    typer.Option(
        "--count",
        help=f"Only the newest N. Default without --from: {DEFAULT_COUNT}.",
        parser=options.parse_whole(1),
        metavar="N",
    ),
]
Contracts = Annotated[
    list[str] | None,
    typer.Argument(
        help="Only logs of these contracts.", parser=options.parse_address, metavar="ADDRESS"
    ),
]
Addresses = Annotated[
    list[str] | None,
    typer.Option(
        "--address", help="The same as ADDRESS.", parser=options.parse_address, metavar="ADDRESS"
    ),
]
Topics = Annotated[
    list[str] | None,
    typer.Option(
        "--topic",
        help="Topic of the logs, the first --topic the first one: a hash, or an event like "
        "'Transfer(address,address,uint256)'; commas separate alternatives, * is any.",
        metavar="TOPIC",
    ),
]
Follow = Annotated[bool, typer.Option("--follow", "-f", help="Show new logs, until Ctrl-C.")]


def logs(
    contracts: Contracts = None,
    first: From = None,
    last: To = None,
    count: Count = None,
    addresses: Addresses = None,
    topics: Topics = None,
    follow: Follow = False,
    interval: options.Interval = 1.0,
    url: options.Url = options.DEFAULT_URL,
    as_json: options.AsJson = False,
) -> None:
    """Show the newest logs, or all in a range of blocks; the newest come last.

    Examples:
      devchain inspect logs
      devchain inspect logs $CONTRACT --from 0
      devchain inspect logs $CONTRACT --follow
    """
    query = _filter(first, last, [*(contracts or []), *(addresses or [])], topics or [])
    node = options.connect(url)
    if follow:
        if last is not None or "blockHash" in query:
            raise typer.BadParameter("--follow has no end: it goes with a number in --from alone")
        lines = LogLines(node, query, as_json=as_json)
        follow_chain(lines.write_new, shown_url(url), interval)
    _check_range(node, query)
    where = ""
    if "fromBlock" not in query and "blockHash" not in query:
        count = count or DEFAULT_COUNT
        end = _height(node, query.get("toBlock", "latest"))
        begin = max(end - DEFAULT_BLOCKS + 1, 0)
        query["fromBlock"] = hex(begin)
        where = f" in blocks {begin:,} to {end:,}: --from looks further back" if begin else ""
    found = node.call("eth_getLogs", query)
    shown = found if count is None else found[-count:]
    if as_json:
        output.write_json(shown)
        return
    _show_logs(node, shown)
    if len(shown) < len(found):
        output.write_note(f"these are the newest {len(shown):,} of {len(found):,} logs{where}")
    elif not shown:
        output.write_note(f"no logs{where}")


def _check_range(node: Client, query: Json) -> None:
    if "fromBlock" not in query:
        return
    first = _height(node, query["fromBlock"])
    last = _height(node, query.get("toBlock", "latest"))
    if first <= last:
        return
    if "toBlock" in query:
        raise typer.BadParameter(
            f"the range is reversed: --from is block {first:,}, --to is block {last:,}"
        )
    raise BlockNotFound(f"block {first:,} is not mined yet: the newest is block {last:,}")


def _height(node: Client, block: str) -> int:
    if block in options.TAGS:
        answer = node.call("eth_getBlockByNumber", block, False) or {}
        height = number(answer.get("number"))
        return (number(node.call("eth_blockNumber")) or 0) if height is None else height
    return number(block) or 0


def _filter(first: str | None, last: str | None, addresses: list[str], topics: list[str]) -> Json:
    query: Json = {}
    for name, text in (("fromBlock", first), ("toBlock", last)):
        if text is not None:
            reference = options.block_reference(text)
            query.update(reference if isinstance(reference, dict) else {name: reference})
    if addresses:
        query["address"] = addresses[0] if len(addresses) == 1 else addresses
    if topics:
        query["topics"] = [_topic(topic) for topic in topics]
    return query


def _topic(text: str) -> str | list[str] | None:
    if text in ANY_TOPIC:
        return None
    alternatives = [_hash_or_event(topic) for topic in BETWEEN_TOPICS.split(text)]
    return alternatives[0] if len(alternatives) == 1 else alternatives


def _hash_or_event(text: str) -> str:
    if "(" not in text:
        if text.isidentifier():
            raise typer.BadParameter(
                f"{text!r} is not a topic: give an event's signature with its types, such as "
                f"'{text}(address,uint256)', or 0x and 64 hex digits"
            )
        return options.parse_hash(text)
    from devchain.cli.contract_calls import parse_signature

    return f"0x{parse_signature(text).topic.hex()}"


def _show_logs(node: Client, logs: list[Json]) -> None:
    for log in reader_of(node).logs(logs):
        removed = ["removed by a revert"] if log.is_removed else []
        output.write_title(f"Log {log.index:,}", f"block {log.block or 0:,}", *removed)
        output.write_field("Transaction", log.transaction)
        output.write_fields(log_rows(log))
        output.write_blank_line()


class LogLines:
    """Writes existing logs from `fromBlock` on, then new ones, as a filter of the node has them.

    Logs of blocks that were taken back come again, with `removed`. When the node has dropped the
    filter, as after a restart, another begins with the logs of then.
    """

    def __init__(self, node: Client, query: Json, *, as_json: bool) -> None:
        self._node = node
        self._query = query
        self._as_json = as_json
        self._filter = ""
        self._existing: list[Json] | None = None if "fromBlock" in query else []

    def write_new(self) -> None:
        """Write what is new since the last time."""
        logs = self.read_new()
        if self._as_json:
            sys.stdout.writelines(f"{json.dumps(log)}\n" for log in logs)
        else:
            _show_logs(self._node, logs)
        sys.stdout.flush()

    def read_new(self) -> list[Json]:
        if not self._filter:
            self._filter = str(self._node.call("eth_newFilter", self._query))
        if self._existing is None:
            self._existing = list(self._node.call("eth_getFilterLogs", self._filter))
            return self._existing
        try:
            changes = self._node.call("eth_getFilterChanges", self._filter)
        except RpcFailure:
            self._filter = ""
            raise
        new = [log for log in changes if log not in self._existing]
        self._existing = []
        return new
