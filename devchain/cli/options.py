"""Options and arguments that commands share, parsing of their values, and the node's client."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal, localcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from devchain.client import http as client
from devchain.client.http import Call, Client
from devchain.errors import RpcFailure
from devchain.networks import GWEI, RBTC

if TYPE_CHECKING:
    from devchain.cli.contract_calls import Signature

DEFAULT_URL = client.DEFAULT_URL
TAGS = ("latest", "earliest", "pending", "safe", "finalized")
HASH = re.compile("0x[0-9a-fA-F]{64}")
NUMBER = re.compile("0x[0-9a-fA-F]+|[0-9]+")
MAX_UINT256 = 2**256 - 1
MAX_DIGITS = 80
"""A longer number cannot be a 256-bit one, which has at most 78 decimal digits."""
UNITS = {"wei": 1, "gwei": GWEI, "rbtc": RBTC, "ether": RBTC, "eth": RBTC}
AMOUNT = re.compile(r"(0x[0-9a-f]+|[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([a-z]*)")
MAX_AMOUNT_LENGTH = 100
RPC_DECORATOR = re.compile(r"^@rpc\(([^)]*)\)", re.MULTILINE)
METHOD_NAME = re.compile(r'"([\w.]+)"')

Connector = Callable[[str], Client]
_connector: ContextVar[Connector] = ContextVar("connector", default=client.connect)


def _complete_tag(incomplete: str) -> list[str]:
    return [tag for tag in TAGS if tag.startswith(incomplete)]


def complete_method(incomplete: str) -> list[str]:
    """JSON-RPC methods with this prefix, read from source text: importing them takes a second."""
    import devchain.rpc

    files = Path(devchain.rpc.__path__[0], "methods").rglob("*.py")
    decorators = (each for file in files for each in RPC_DECORATOR.findall(file.read_text("utf-8")))
    names = {name for each in decorators for name in METHOD_NAME.findall(each)}
    return sorted(name for name in names if name.startswith(incomplete))


Url = Annotated[
    str,
    typer.Option(
        "--url",
        help="URL of the node, with an API key in its path if the node needs one.",
        envvar="DEVCHAIN_URL",
        metavar="URL",
    ),
]

AsJson = Annotated[bool, typer.Option("--json", help="Print the node's result as JSON, unchanged.")]

AtBlock = Annotated[
    str,
    typer.Option(
        "--block",
        help="Block whose state is read: number, hash, latest, earliest or pending.",
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

AddressOf = Annotated[str, typer.Argument(help="Address: 0x and 40 hex digits.", metavar="ADDRESS")]

TransactionHash = Annotated[
    str, typer.Argument(help="Hash of the transaction: 0x and 64 hex digits.", metavar="HASH")
]


def connect(url: str) -> Client:
    """The client through which a command calls the node."""
    return _connector.get()(url)


@contextmanager
def connecting(connector: Connector) -> Iterator[None]:
    """Use another client in commands: `connecting(lambda url: LocalClient(node))`."""
    token = _connector.set(connector)
    try:
        yield
    finally:
        _connector.reset(token)


def call_available(node: Client, calls: Mapping[str, Call]) -> dict[str, Any]:
    """The results of several calls by name, without those that the node does not support.

    Raises `RpcFailure` if all of them fail.
    """
    results = dict(zip(calls, node.batch(list(calls.values())), strict=True))
    failures = [each for each in results.values() if isinstance(each, RpcFailure)]
    if len(failures) == len(results):
        raise failures[0]
    return {name: each for name, each in results.items() if not isinstance(each, RpcFailure)}


# Values of options; a wrong one is a usage error


def block_reference(text: str) -> str | dict[str, str]:
    """A block as a JSON-RPC parameter: tag, QUANTITY, or object with the hash."""
    if text in TAGS:
        return text
    if HASH.fullmatch(text):
        return {"blockHash": text}
    return quantity(text, "a block is a number, a 32-byte hash, latest, earliest or pending")


def quantity(text: str, expected: str = "expected a number, decimal or 0x hex") -> str:
    """A number as a JSON-RPC QUANTITY."""
    if not NUMBER.fullmatch(text):
        raise typer.BadParameter(f"{text!r}: {expected}")
    value = int(text, 16 if text.startswith("0x") else 10) if len(text) <= MAX_DIGITS else None
    if value is None or value > MAX_UINT256:
        raise typer.BadParameter(f"{text[:MAX_DIGITS]!r}: larger than 256 bits")
    return hex(value)


def wei(text: str) -> int:
    """An amount in wei: `1.5rbtc`, `10gwei`, `21000 wei`, or wei without a unit."""
    match = AMOUNT.fullmatch(text.strip().lower()) if len(text) <= MAX_AMOUNT_LENGTH else None
    unit = UNITS.get(match[2] or "wei") if match else None
    if match and unit:
        with localcontext(prec=2 * MAX_AMOUNT_LENGTH):
            digits = match[1]
            amount = unit * Decimal(int(digits, 16) if digits.startswith("0x") else digits)
            if amount <= MAX_UINT256 and not amount % 1:
                return int(amount)
    raise typer.BadParameter(
        f"{text!r} is not an amount; write it like 1.5rbtc, 10gwei or 21000 (wei)"
    )


def call_data(text: str, arguments: Sequence[str]) -> tuple[str, Signature | None]:
    """Call data in hex, and the signature if it is made from one: `set(uint256)` and arguments."""
    if not text.startswith("0x"):
        from devchain.cli.contract_calls import parse_signature

        signature = parse_signature(text)
        return f"0x{signature.encode_call(arguments).hex()}", signature
    if arguments:
        raise typer.BadParameter("arguments go with a signature, not with data in hex")
    return text, None
