"""The activity log for programs: events of the server as JSON objects."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TextIO

from devchain.cli.activity import LONGEST_METHOD, cut, put
from devchain.server.events import (
    BlockMined,
    Event,
    RequestRefused,
    RequestServed,
    TransactionMined,
)


class JsonLog:
    """One JSON object a line; nothing is folded."""

    def __init__(self, stream: TextIO, now: Callable[[], int]) -> None:
        """Write to a stream; `now` gives the wall clock's Unix time."""
        self._stream = stream
        self._now = now

    def __call__(self, event: Event) -> None:
        """Write one event."""
        self._put(as_json(event))

    def problem(self, text: str) -> None:
        """Write what went wrong inside devchain."""
        self._put({"event": "problem", "message": text})

    def close(self) -> None:
        """Do nothing: nothing is held back."""

    def _put(self, entry: dict[str, object]) -> None:
        time = datetime.fromtimestamp(self._now(), UTC).isoformat().replace("+00:00", "Z")
        put(self._stream, json.dumps({"time": time, **entry}) + "\n")


def as_json(event: Event) -> dict[str, object]:
    """An event as a JSON object; hashes and addresses as the node's answers give them."""
    match event:
        case RequestServed():
            return _request_json(event)
        case RequestRefused():
            return {"event": "refused", "status": event.status, "message": cut(event.message)}
        case BlockMined():
            return _block_json(event)
        case TransactionMined():
            return _transaction_json(event)


def _request_json(event: RequestServed) -> dict[str, object]:
    entry: dict[str, object] = {
        "event": "request",
        "network": event.network,
        "method": cut(event.method, LONGEST_METHOD),
        "ms": round(event.seconds * 1000, 3),
    }
    if event.via:
        entry["via"] = event.via
    if event.printed:
        entry["console"] = [cut(each) for each in event.printed]
    if event.code is not None:
        entry["error"] = {"code": event.code, "message": cut(event.message)}
    return entry


def _block_json(event: BlockMined) -> dict[str, object]:
    return {
        "event": "block",
        "network": event.network,
        "number": event.number,
        "hash": _hex(event.hash),
        "timestamp": event.timestamp,
        "transactions": event.transactions,
        "gasUsed": event.gas_used,
        "gasLimit": event.gas_limit,
    }


def _transaction_json(event: TransactionMined) -> dict[str, object]:
    return {
        "event": "transaction",
        "network": event.network,
        "hash": _hex(event.hash),
        "blockNumber": event.block_number,
        "from": _hex(event.sender),
        "to": _hex(event.to),
        "contractAddress": _hex(event.created),
        "value": hex(event.value),
        "gas": event.gas,
        "gasUsed": event.gas_used,
        "succeeded": event.succeeded,
        "failure": cut(event.failure) if event.failure else None,
        "called": cut(event.called) or None,
        "console": [cut(each) for each in event.printed],
    }


def _hex(value: bytes | None) -> str | None:
    return None if value is None else "0x" + value.hex()
