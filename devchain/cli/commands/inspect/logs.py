"""`devchain inspect logs`: logs of a range of blocks, and with --follow new logs as they come."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.chain_follower import ChainFollower, PatientClient, shown_url
from devchain.cli.chain_follower import follow as follow_chain
from devchain.cli.chain_views import log_rows, reader_of
from devchain.cli.options import (
    DEFAULT_URL,
    TAGS,
    AsJson,
    Interval,
    Url,
    block_reference,
    connect,
    parse_address,
    parse_hash,
    parse_whole,
)
from devchain.client.http import Client
from devchain.client.views import BlockView, Json, number
from devchain.errors import BlockNotFound, RpcFailure

BETWEEN_TOPICS = re.compile(r",(?![^(]*\))")
"""The commas outside parentheses: `0x11,Transfer(address,uint256)` has one."""
ANY_TOPIC = ("", "null", "*")
CHUNK, MAX_REMEMBERED = 100, 1_000
"""Blocks that a poll reads at most; logs that are named if their blocks are taken back."""

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
        if last is not None or "blockHash" in query:
            raise typer.BadParameter("--follow has no end: it goes with a number in --from alone")
        follow_chain(LogLines(node, query, as_json=as_json), shown_url(url), interval)
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
    logs: list[Json] = []
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
        logs = [*part, *logs]
        last, window = first - 1, window * WINDOW_GROWTH
        if last < 0 or len(logs) >= count:
            break
    if len(logs) > count or (logs and last >= 0):
        note = f"these are the newest {min(count, len(logs)):,} logs; --count N shows more"
        return logs[-count:], note
    if last >= 0:
        return logs, f"no logs in blocks {last + 1:,} to {end:,}: --from looks further back"
    return logs, "no logs"


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
    """Writes existing logs from `fromBlock` on, then those of new blocks.

    Logs of blocks that were taken back come again, with `removed`.
    """

    def __init__(self, node: Client, query: Json, *, as_json: bool) -> None:
        self.node = PatientClient(node)
        self._follower = ChainFollower(self.node, count=0, limit=CHUNK, skips=False)
        self._query = query
        self._first = number(query.get("fromBlock")) or 0
        self._as_json = as_json
        self._has_begun = False
        self._shown: list[Json] = []
        self._removed: list[Json] = []
        self._unread: list[BlockView] = []

    def write_new(self) -> None:
        """Write what is new, up to the head of the chain."""
        for logs in self.read_new():
            if self._as_json:
                sys.stdout.writelines(f"{json.dumps(log)}\n" for log in logs)
            else:
                _show_logs(self.node, logs)
            sys.stdout.flush()

    def read_new(self) -> Iterator[list[Json]]:
        """The logs that are new, in parts."""
        while True:
            update = self._follower.poll()
            gone = {block.hash for block in update.removed}
            if not self._has_begun and "fromBlock" in self._query:
                self._shown = self._existing()
                yield self._shown
            self._has_begun = True
            removed = [log for log in self._shown if log.get("blockHash") in gone]
            self._removed += [{**log, "removed": True} for log in removed]
            # They stay unread if the connection fails now: the follower does not repeat them.
            self._unread = [block for block in self._unread if block.hash not in gone]
            self._unread += [block for block in update.added if block.number >= self._first]
            added = _logs_in(self.node, self._query, self._unread)
            kept = [log for log in self._shown if log.get("blockHash") not in gone]
            self._shown = [*kept, *added][-MAX_REMEMBERED:]
            new, self._removed, self._unread = [*self._removed, *added], [], []
            yield new
            if not self._follower.is_behind:
                return

    def _existing(self) -> list[Json]:
        head = self._follower.head
        if head is None or head.number < self._first:
            return []
        logs: list[Json] = self.node.call(
            "eth_getLogs", {**self._query, "toBlock": hex(head.number)}
        )
        return logs


def _logs_in(node: Client, query: Json, blocks: list[BlockView]) -> list[Json]:
    if not blocks:
        return []
    ends = {"fromBlock": hex(blocks[0].number), "toBlock": hex(blocks[-1].number)}
    hashes = {block.hash for block in blocks}  # of others, mined meanwhile, the next poll hears
    return [log for log in node.call("eth_getLogs", query | ends) if log["blockHash"] in hashes]
