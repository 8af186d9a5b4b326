"""Logs as they come: a filter on the node, installed again whenever the node has lost it."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import suppress

from devchain.cli import output
from devchain.cli.format import number
from devchain.cli.views import Json
from devchain.client.http import Client
from devchain.errors import ConnectionFailed, DevchainError, RpcFailure

LATEST = ("eth_getBlockByNumber", "latest", False)


def new_logs(node: Client, wanted: Json, interval: float) -> Generator[list[Json]]:
    """The logs there are from `fromBlock` on, then those that come, for ever.

    A node that is started again or reset is followed on: all logs of a new chain are new.
    """
    follower = Follower(node, wanted)
    yield follower.begin()
    try:
        while True:
            yield follower.look()
            time.sleep(interval)
    finally:
        follower.end()


class Follower:
    """A filter for logs and the newest block seen with it, by which a lost chain is known."""

    def __init__(self, node: Client, wanted: Json) -> None:
        """Follow what that query matches; `begin` installs the filter."""
        self._node = node
        self._wanted = wanted
        self._known: list[Json] = []  # some nodes give them as changes once more
        self._newest: Json | None = None
        self._gone = False

    def begin(self) -> list[Json]:
        """Install the filter; the logs there are, if the query says from where on."""
        self._filter = self._node.call("eth_newFilter", self._wanted)
        if "fromBlock" in self._wanted:
            self._known = self._node.call("eth_getFilterLogs", self._filter)
        return self._known

    def look(self) -> list[Json]:
        """The logs that came since the last look; none while no node answers."""
        try:
            newest, found = self._asked()
        except ConnectionFailed as failure:
            self._say_gone(failure)
            return []
        self._gone = False
        if isinstance(newest, dict):
            self._newest = newest
        return found

    def end(self) -> None:
        """Remove the filter."""
        with suppress(DevchainError):
            self._node.call("eth_uninstallFilter", self._filter)

    def _asked(self) -> tuple[object, list[Json]]:
        """The newest block and what is new; a filter the node has lost is installed anew."""
        # The block first: a log that comes between the two is then not taken for an older one.
        newest, found = self._node.batch([LATEST, ("eth_getFilterChanges", self._filter)])
        if not isinstance(found, RpcFailure):
            known, self._known = self._known, []
            return newest, [each for each in found if each not in known]
        another = self._node.call("eth_newFilter", {**self._wanted, **self._unseen()})
        newest, found = self._node.batch([LATEST, ("eth_getFilterLogs", another)])
        if isinstance(found, RpcFailure):
            raise found
        self._filter, self._known = another, found
        return newest, found

    def _unseen(self) -> Json:
        """Where to go on: after the newest block seen, or at the start of what is another chain."""
        height = number((self._newest or {}).get("number"))
        if self._newest is None or height is None or "blockHash" in self._wanted:
            return {}
        there = self._node.call("eth_getBlockByNumber", hex(height), False)
        if there is not None and there.get("hash") == self._newest.get("hash"):
            return {"fromBlock": hex(height + 1)}
        output.note(("the chain was reset: following the new one", output.FAINT))
        first = self._wanted.get("fromBlock")
        return {"fromBlock": "0x0" if number(first) is None else first}

    def _say_gone(self, failure: ConnectionFailed) -> None:
        if not self._gone:
            output.note((f"waiting: {failure}", output.FAINT))
        self._gone = True
