"""`devchain inspect logs`: logs of a range of blocks, and with --follow new logs as they come."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Generator
from contextlib import closing, suppress
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.chain_views import log_rows, reader_of
from devchain.cli.options import (
    DEFAULT_URL,
    TAGS,
    AsJson,
    Url,
    block_reference,
    connect,
    parse_address,
    parse_hash,
    parse_seconds,
    parse_whole,
)
from devchain.client.http import Client
from devchain.client.views import Json, number
from devchain.errors import BlockNotFound, ConnectionFailed, DevchainError, RpcFailure

BETWEEN_TOPICS = re.compile(r",(?![^(]*\))")
"""The commas outside parentheses: `0x11,Transfer(address,uint256)` has one."""
ANY_TOPIC = ("", "null", "*")
MIN_INTERVAL, MAX_INTERVAL = 0.1, 60.0
GET_LATEST = ("eth_getBlockByNumber", "latest", False)

DEFAULT_COUNT = 20
FIRST_WINDOW, WINDOW_GROWTH, MAX_SEARCHES = 1_000, 10, 12
"""Blocks of the first search for the newest logs, the growth of the next, and their number."""

From = Annotated[
    str | None,
    typer.Option("--from", help="First block; with it, all logs from there on.", metavar="BLOCK"),
]
To = Annotated[
    str | None, typer.Option("--to", help="Last block; default: latest.", metavar="BLOCK")
]
Count = Annotated[
    int | None,
    typer.Option(
        "--count",
        help=f"Only the newest N logs; default without --from: {DEFAULT_COUNT}.",
        parser=parse_whole(1),
        metavar="N",
    ),
]
Addresses = Annotated[
    list[str] | None,
    typer.Option(
        "--address",
        help="Only logs of this contract; repeatable.",
        parser=parse_address,
        metavar="ADDRESS",
    ),
]
Topics = Annotated[
    list[str] | None,
    typer.Option(
        "--topic",
        help="Only logs with this topic: the first --topic is the first topic of the log, a hash "
        "or an event like 'Transfer(address,address,uint256)'; commas separate alternatives, "
        "* is any.",
        metavar="TOPIC",
    ),
]
Follow = Annotated[
    bool, typer.Option("--follow", "-f", help="Show new logs as they come, until Ctrl-C.")
]
Interval = Annotated[
    float,
    typer.Option(
        "--interval",
        help="Seconds between polls with --follow.",
        parser=parse_seconds(MIN_INTERVAL, MAX_INTERVAL),
        metavar="SECONDS",
    ),
]


def logs(
    first: From = None,
    last: To = None,
    count: Count = None,
    addresses: Addresses = None,
    topics: Topics = None,
    follow: Follow = False,
    interval: Interval = 1.0,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Show the newest logs of the chain, or all in a range of blocks; the newest come last.

    A devchain node writes the events of contracts in its --artifacts with names and values.

    Examples:
      devchain inspect logs
      devchain inspect logs --from 0 --address $CONTRACT
      devchain inspect logs --address $CONTRACT --follow
    """
    query = _filter(first, last, addresses or [], topics or [])
    node = connect(url)
    if follow:
        _show_new_logs(node, query, interval, as_json=as_json)
        return
    _check_range(node, query)
    if "fromBlock" in query or "blockHash" in query:
        shown = node.call("eth_getLogs", query)
        note = "no logs"
        if count is not None and len(shown) > count:
            shown, note = shown[-count:], f"these are the newest {count:,} of {len(shown):,} logs"
    else:
        shown, note = newest_logs(node, query, count or DEFAULT_COUNT)
    if as_json:
        output.write_json(shown)
        return
    _show_logs(node, shown)
    if note != "no logs" or not shown:
        output.write_note(note)


def newest_logs(node: Client, query: Json, count: int) -> tuple[list[Json], str]:
    """The newest logs up to `toBlock`, oldest first, and a note on what was left out.

    Searches back from there in growing ranges of blocks, in smaller ones if the node refuses.
    """
    found: list[Json] = []
    end = _height(node, query.get("toBlock", "latest"))
    last, window = end, FIRST_WINDOW
    for _ in range(MAX_SEARCHES):
        first = max(last - window + 1, 0)
        try:
            part = node.call(
                "eth_getLogs", {**query, "fromBlock": hex(first), "toBlock": hex(last)}
            )
        except RpcFailure:
            if window == 1:
                raise
            window = max(window // WINDOW_GROWTH, 1)
            continue
        found = [*part, *found]
        last, window = first - 1, window * WINDOW_GROWTH
        if last < 0 or len(found) >= count:
            break
    if len(found) > count or (found and last >= 0):
        note = f"these are the newest {min(count, len(found)):,} logs; --count N shows more"
        return found[-count:], note
    if last >= 0:
        return found, f"no logs in blocks {last + 1:,} to {end:,}: --from looks further back"
    return found, "no logs"


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
    if block in TAGS:
        answer = node.call("eth_getBlockByNumber", block, False) or {}
        height = number(answer.get("number"))
        return (number(node.call("eth_blockNumber")) or 0) if height is None else height
    return number(block) or 0


def _show_new_logs(node: Client, query: Json, interval: float, *, as_json: bool) -> None:
    with closing(follow_logs(node, query, interval)) as polls:
        for new_logs in polls:
            if as_json:
                for log in new_logs:
                    output.write_line(json.dumps(log))
            else:
                _show_logs(node, new_logs)
            sys.stdout.flush()


def _filter(first: str | None, last: str | None, addresses: list[str], topics: list[str]) -> Json:
    query: Json = {}
    for name, text in (("fromBlock", first), ("toBlock", last)):
        if text is not None:
            reference = block_reference(text)
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
        return parse_hash(text)
    from eth_hash.auto import keccak

    from devchain.cli.contract_calls import parse_signature

    return f"0x{keccak(parse_signature(text).signature.encode()).hex()}"


def _show_logs(node: Client, logs: list[Json]) -> None:
    for log in reader_of(node).logs(logs):
        removed = ["removed by a revert"] if log.is_removed else []
        output.write_title(f"Log {log.index:,}", f"block {log.block or 0:,}", *removed)
        output.write_field("Transaction", log.transaction)
        output.write_fields(log_rows(log))
        output.write_blank_line()


def follow_logs(node: Client, query: Json, interval: float) -> Generator[list[Json]]:
    """Existing logs from `fromBlock` on, then the new logs of each poll, without end.

    Continues after the node was restarted or reset; then all logs of the new chain are new.
    """
    follower = LogFollower(node, query)
    yield follower.install()
    try:
        while True:
            yield follower.poll()
            time.sleep(interval)
    finally:
        follower.uninstall()


class LogFollower:
    """A log filter on a node, installed again when the node has lost it.

    A filter is lost when it expires, or when the node is restarted or reset. The latest block seen
    decides how to go on: if the node still has it, the logs of later blocks are new; if not, the
    chain is another one and all its logs are new.
    """

    def __init__(self, node: Client, query: Json) -> None:
        """Follow the logs that match the query; `install` installs the filter."""
        self._node = node
        self._query = query
        self._seen: list[Json] = []  # after eth_getFilterLogs some nodes return these as changes
        self._latest: Json | None = None
        self._is_disconnected = False

    def install(self) -> list[Json]:
        """Install the filter; the existing logs if the query has `fromBlock`."""
        self._filter = self._node.call("eth_newFilter", self._query)
        if "fromBlock" in self._query:
            self._seen = self._node.call("eth_getFilterLogs", self._filter)
        return self._seen

    def poll(self) -> list[Json]:
        """The logs since the last poll; none while the node does not answer."""
        try:
            latest, logs = self._poll_filter()
        except ConnectionFailed as failure:
            if not self._is_disconnected:
                output.write_note((f"waiting: {failure}", output.FAINT))
            self._is_disconnected = True
            return []
        self._is_disconnected = False
        if isinstance(latest, dict):
            self._latest = latest
        return logs

    def uninstall(self) -> None:
        """Remove the filter."""
        with suppress(DevchainError):
            self._node.call("eth_uninstallFilter", self._filter)

    def _poll_filter(self) -> tuple[object, list[Json]]:
        # The block first: logs mined between the two calls are then later than the block.
        latest, logs = self._node.batch([GET_LATEST, ("eth_getFilterChanges", self._filter)])
        if not isinstance(logs, RpcFailure):
            seen, self._seen = self._seen, []
            return latest, [log for log in logs if log not in seen]
        new_filter = self._node.call("eth_newFilter", {**self._query, **self._unseen_blocks()})
        latest, logs = self._node.batch([GET_LATEST, ("eth_getFilterLogs", new_filter)])
        if isinstance(logs, RpcFailure):
            raise logs
        self._filter, self._seen = new_filter, logs
        return latest, logs

    def _unseen_blocks(self) -> Json:
        height = number((self._latest or {}).get("number"))
        if self._latest is None or height is None or "blockHash" in self._query:
            return {}
        block = self._node.call("eth_getBlockByNumber", hex(height), False)
        if block is not None and block.get("hash") == self._latest.get("hash"):
            return {"fromBlock": hex(height + 1)}
        output.write_note(("the chain was reset: following the new one", output.FAINT))
        first = self._query.get("fromBlock")
        return {"fromBlock": "0x0" if number(first) is None else first}
