"""`devchain inspect logs`: logs of a range of blocks, and with --follow new logs as they come."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Generator
from contextlib import closing, suppress
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.chain_views import Json, chain_notation, log_rows
from devchain.cli.format import Notation, number
from devchain.cli.options import DEFAULT_URL, AsJson, Url, block_reference, connect
from devchain.client.http import Client
from devchain.errors import ConnectionFailed, DevchainError, RpcFailure

ANY_TOPIC = ("", "null", "*")
MIN_INTERVAL, MAX_INTERVAL = 0.1, 60.0
GET_LATEST = ("eth_getBlockByNumber", "latest", False)

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
        help="Only logs with this topic: the first --topic is the first topic of the log; "
        "commas separate alternatives, * is any.",
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
        min=MIN_INTERVAL,
        max=MAX_INTERVAL,
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
    """Show the logs of a range of blocks; by default, of the latest block.

    Examples:
      devchain inspect logs --from 0 --to latest
      devchain inspect logs --address $CONTRACT --follow
    """
    node = connect(url)
    query = _filter(first, last, addresses or [], topics or [])
    notation = chain_notation(node)
    if follow:
        with closing(follow_logs(node, query, interval)) as polls:
            for new_logs in polls:
                for log in new_logs:
                    if as_json:
                        output.write_line(json.dumps(log))
                    else:
                        _show_log(log, notation)
                sys.stdout.flush()
        return
    found = node.call("eth_getLogs", query)
    if as_json:
        output.write_json(found)
        return
    for log in found:
        _show_log(log, notation)
    if not found:
        output.write_note("no logs")


def _filter(first: str | None, last: str | None, addresses: list[str], topics: list[str]) -> Json:
    """The filter object of eth_getLogs; a block hash as --from or --to selects that block alone."""
    query: Json = {}
    for name, text in (("fromBlock", first), ("toBlock", last)):
        if text is not None:
            reference = block_reference(text)
            query.update(reference if isinstance(reference, dict) else {name: reference})
    if addresses:
        query["address"] = addresses[0] if len(addresses) == 1 else addresses
    if topics:
        query["topics"] = [_topic(each) for each in topics]
    return query


def _topic(text: str) -> str | list[str] | None:
    if text in ANY_TOPIC:
        return None
    alternatives = text.split(",")
    return alternatives[0] if len(alternatives) == 1 else alternatives


def _show_log(log: Json, notation: Notation) -> None:
    removed = ["removed by a revert"] if log.get("removed") else []
    output.write_title(
        f"Log {number(log.get('logIndex'))}", f"block {number(log.get('blockNumber'))}", *removed
    )
    output.write_field("Transaction", str(log.get("transactionHash")))
    output.write_fields(log_rows(log, notation))
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
        """The latest block and the new logs; installs the filter again if the node has lost it."""
        # The block first: logs mined between the two calls are then later than the block.
        latest, logs = self._node.batch([GET_LATEST, ("eth_getFilterChanges", self._filter)])
        if not isinstance(logs, RpcFailure):
            seen, self._seen = self._seen, []
            return latest, [each for each in logs if each not in seen]
        new_filter = self._node.call("eth_newFilter", {**self._query, **self._unseen_blocks()})
        latest, logs = self._node.batch([GET_LATEST, ("eth_getFilterLogs", new_filter)])
        if isinstance(logs, RpcFailure):
            raise logs
        self._filter, self._seen = new_filter, logs
        return latest, logs

    def _unseen_blocks(self) -> Json:
        """`fromBlock` of a new filter: after the latest block seen, or the start of a new chain."""
        height = number((self._latest or {}).get("number"))
        if self._latest is None or height is None or "blockHash" in self._query:
            return {}
        block = self._node.call("eth_getBlockByNumber", hex(height), False)
        if block is not None and block.get("hash") == self._latest.get("hash"):
            return {"fromBlock": hex(height + 1)}
        output.write_note(("the chain was reset: following the new one", output.FAINT))
        first = self._query.get("fromBlock")
        return {"fromBlock": "0x0" if number(first) is None else first}
