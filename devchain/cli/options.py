"""Options and arguments that commands share, and the client they reach the node with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Annotated, Any

import typer

from devchain.client import http as client
from devchain.client.http import Call, Client
from devchain.errors import RpcFailure

DEFAULT_URL = client.DEFAULT_URL
TAGS = ("latest", "earliest", "pending", "safe", "finalized")
HASH = re.compile("0x[0-9a-fA-F]{64}")
NUMBER = re.compile("0x[0-9a-fA-F]+|[0-9]+")
LARGEST = 2**256 - 1
LONGEST_NUMBER = 80

Connector = Callable[[str], Client]
_connector: ContextVar[Connector] = ContextVar("connector", default=client.connect)


def _complete_tag(incomplete: str) -> list[str]:
    return [tag for tag in TAGS if tag.startswith(incomplete)]


Url = Annotated[
    str,
    typer.Option(
        "--url",
        help="Where the node is; an API key goes into the path.",
        envvar="DEVCHAIN_URL",
        metavar="URL",
    ),
]

AsJson = Annotated[
    bool, typer.Option("--json", help="Print the node's answer as JSON, values unchanged.")
]

AtBlock = Annotated[
    str,
    typer.Option(
        "--block",
        help="The block to look at: number, hash, latest, earliest or pending.",
        metavar="BLOCK",
        autocompletion=_complete_tag,
    ),
]

Block = Annotated[
    str,
    typer.Argument(
        help="Number, hash, latest, earliest or pending.",
        metavar="BLOCK",
        autocompletion=_complete_tag,
    ),
]

AddressOf = Annotated[
    str, typer.Argument(help="20 bytes: 0x and 40 hex digits.", metavar="ADDRESS")
]

TransactionHash = Annotated[
    str, typer.Argument(help="Hash of the transaction: 0x and 64 hex digits.", metavar="HASH")
]


def connect(url: str) -> Client:
    """The client a command calls the node with."""
    return _connector.get()(url)


@contextmanager
def connecting(connector: Connector) -> Iterator[None]:
    """Let commands reach their node another way: `connecting(lambda url: LocalClient(node))`."""
    token = _connector.set(connector)
    try:
        yield
    finally:
        _connector.reset(token)


def block_reference(text: str) -> str | dict[str, str]:
    """What to send for a block a person named; a wrong name is a usage error."""
    if text in TAGS:
        return text
    if HASH.fullmatch(text):
        return {"blockHash": text}
    return quantity(text, "a block is a number, a 32-byte hash, latest, earliest or pending")


def quantity(text: str, wanted: str = "want a number, decimal or 0x hex") -> str:
    """A number a person wrote, as a QUANTITY; anything else is a usage error."""
    if not NUMBER.fullmatch(text):
        msg = f"{text!r}: {wanted}"
        raise typer.BadParameter(msg)
    value = int(text, 16 if text.startswith("0x") else 10) if len(text) <= LONGEST_NUMBER else None
    if value is None or value > LARGEST:
        msg = f"{text[:LONGEST_NUMBER]!r}: larger than 256 bits hold"
        raise typer.BadParameter(msg)
    return hex(value)


def gather(node: Client, calls: Mapping[str, Call]) -> dict[str, Any]:
    """The results of several calls by name; those the node refuses are left out.

    Raises `RpcFailure` if it refuses all.
    """
    named = dict(zip(calls, node.batch(list(calls.values())), strict=True))
    failures = [each for each in named.values() if isinstance(each, RpcFailure)]
    if len(failures) == len(named):
        raise failures[0]
    return {name: each for name, each in named.items() if not isinstance(each, RpcFailure)}
