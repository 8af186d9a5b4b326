"""Options and arguments that commands share, parsing of their values, and the node's client."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Annotated, Any

import typer

from devchain.client import http as client
from devchain.client.http import Client
from devchain.errors import InvalidInput, TransactionNotFound
from devchain.text import MAX_UINT256, WITH_COMMAS, parse_amount, plural

DEFAULT_URL = client.DEFAULT_URL
TAGS = ("latest", "safe", "finalized", "earliest", "pending")
MAX_BLOCK_NUMBER = len("0x") + 16
"""Characters of the largest block number in hex; a longer one is a hash."""

HEX = re.compile("0x[0-9a-fA-F]*")
UNSUPPORTED = frozenset({-32601, -32004})
"""Error codes of methods that a node does not have: JSON-RPC's, and Hardhat's by EIP-1474."""

ACCOUNT_NUMBER = re.compile("[0-9]{1,4}")
NUMBER = re.compile(f"0x[0-9a-fA-F]+|[0-9]+|{WITH_COMMAS}")
NEGATIVE = re.compile("-[0-9]{1,78}")
MAX_DIGITS = 80
"""A longer number cannot be a 256-bit one, which has at most 78 decimal digits."""
REMASC, MAX_BLOCKS = 0x01000008, 1_000
"""The recipient of the transaction that ends a Rootstock block; blocks that are looked through."""
MAX_SHOWN = 60
"""Characters of a wrong value that an error message shows."""

Connector = Callable[[str], Client]
ADVICE = "start one with `devchain start`, or give the URL of another (--url)"


_connector: ContextVar[Connector] = ContextVar(
    "connector", default=lambda url: client.HttpClient(url, advice=ADVICE)
)


# Values of options; a wrong one is a usage error


def block_reference(text: str) -> str | dict[str, str]:
    """A block as a JSON-RPC parameter: tag, QUANTITY, or object with the hash."""
    if text in TAGS:
        return text
    if HEX.fullmatch(text) and len(text) > MAX_BLOCK_NUMBER:
        return {"blockHash": parse_hash(text)}
    return quantity(text, f"a block: give a number, a hash or {', '.join(TAGS[:-1])} or {TAGS[-1]}")


def quantity(text: str, expected: str = "a number, decimal or 0x hex") -> str:
    """A number as a JSON-RPC QUANTITY."""
    if not NUMBER.fullmatch(text):
        raise typer.BadParameter(f"{text[:MAX_SHOWN]!r} is not {expected}")
    digits = text.replace(",", "")
    value = int(digits, 16 if text[:2] == "0x" else 10) if len(digits) <= MAX_DIGITS else None
    if value is None or value > MAX_UINT256:
        raise typer.BadParameter(f"{text[:MAX_SHOWN]!r} is larger than 256 bits")
    return hex(value)


def parse_whole(minimum: int = 0, maximum: int | None = None) -> Callable[[Any], int]:
    """A parser of whole numbers in a range, decimal or 0x hex; commas may group the digits."""

    def parse(value: str | int) -> int:
        if isinstance(value, str) and NEGATIVE.fullmatch(value):
            value = int(value)
        parsed = value if isinstance(value, int) else int(quantity(value, "a whole number"), 16)
        if parsed < minimum or (maximum is not None and parsed > maximum):
            wanted = f"at least {minimum:,}" if maximum is None else f"{minimum:,} to {maximum:,}"
            raise typer.BadParameter(f"{parsed:,} is out of range: give {wanted}")
        return parsed

    return parse


def parse_address(text: str) -> str:
    """A parser of addresses: 0x and 40 hex digits, in any case."""
    if text.isdecimal():
        raise typer.BadParameter(
            f"{text[:MAX_SHOWN]!r} is not an address: give 0x and 40 hex digits; "
            "`devchain accounts list` has the node's"
        )
    return _hex(text, 40, "an address")


def parse_account(text: str) -> str:
    """A parser of addresses, and of numbers of the node's accounts (see `account_address`)."""
    if ACCOUNT_NUMBER.fullmatch(text):
        return text
    if text[:2] != "0x" and not text.isdecimal():
        raise typer.BadParameter(
            f"{text[:MAX_SHOWN]!r} is not an address: give 0x and 40 hex digits, or the number of "
            "one of the node's accounts, from 0 on"
        )
    return parse_address(text)


def account_address(node: Client, text: str) -> str:
    """The address in a value of `parse_account`; raises `InvalidInput` for an unknown number.

    The number is that of the banner and of `eth_accounts`, from 0 on.
    """
    if not ACCOUNT_NUMBER.fullmatch(text):
        return text
    accounts = node.call("eth_accounts")
    if int(text) >= len(accounts):
        have = f"{plural(len(accounts), 'account')}, from 0 on" if accounts else "no accounts"
        raise InvalidInput(f"there is no account {text}: the node has {have}")
    return str(accounts[int(text)])


def parse_transaction(text: str) -> str:
    """A parser of hashes of transactions, and of `latest` (see `transaction_hash`)."""
    return text if text == "latest" else parse_hash(text)


def transaction_hash(node: Client, text: str) -> str:
    """The hash in a value of `TransactionHash`; raises `TransactionNotFound`.

    `latest` is the newest mined transaction that is not REMASC's, which ends each block.
    """
    if text != "latest":
        return text
    height = int(node.call("eth_blockNumber"), 16)
    for block in range(height, max(height - MAX_BLOCKS, -1), -1):
        answer = node.call("eth_getBlockByNumber", hex(block), True) or {}
        for tx in reversed(answer.get("transactions", [])):
            if int(tx.get("to") or "0x0", 16) != REMASC:
                return str(tx["hash"])
    where = f" in the newest {MAX_BLOCKS:,} blocks" if height >= MAX_BLOCKS else ""
    raise TransactionNotFound(f"no transaction is mined{where}: give the hash of another")


def parse_hash(text: str) -> str:
    """A parser of hashes and topics: 0x and 64 hex digits."""
    return _hex(text, 64, "a hash")


def _hex(text: str, digits: int, what: str) -> str:
    count = len(text) - len("0x") if HEX.fullmatch(text) else None
    if count != digits:
        given = "" if count is None else f", not {count}"
        raise typer.BadParameter(
            f"{text[:MAX_SHOWN]!r} is not {what}: give 0x and {digits} hex digits{given}"
        )
    return text


def wei(text: str) -> int:
    """An amount in wei: `1.5rbtc`, `10gwei`, `21000 wei`, or wei without a unit."""
    with suppress(ValueError):
        return parse_amount(text)
    raise typer.BadParameter(
        f"{text!r} is not an amount; write it like 1.5rbtc, 10gwei or 21000 (wei)"
    )


# Options and arguments


def _or_of_group(ctx: typer.Context, parameter: typer.CallbackParam, value: Any) -> Any:  # noqa: ANN401  # of any option
    # `inspect --url URL block`: an option before the command, unless it is after it, too.
    source, parent = ctx.get_parameter_source(parameter.name or ""), ctx.parent
    is_given = source is not None and source.name == "COMMANDLINE"
    return value if is_given or parent is None else parent.params.get(parameter.name, value)


Url = Annotated[
    str,
    typer.Option(
        *("--url", "--rpc-url"),
        help="URL of the node.",
        envvar="DEVCHAIN_URL",
        metavar="URL",
        callback=_or_of_group,
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the node's result as JSON.", callback=_or_of_group)
]
Interval = Annotated[
    float,
    typer.Option("--interval", help="Seconds between polls.", min=0.1, max=60.0, metavar="SECONDS"),
]
BLOCKS = "number, hash, latest, safe, finalized, earliest or pending."
AtBlock = Annotated[str, typer.Option("--block", help=f"Read at: {BLOCKS}", metavar="BLOCK")]
Block = Annotated[str, typer.Argument(help=BLOCKS.capitalize(), metavar="BLOCK")]
ACCOUNT = "Address, or number of one of the node's accounts, from 0 on."
AccountOrAddress = Annotated[
    str, typer.Argument(help=ACCOUNT, metavar="ADDRESS", parser=parse_account)
]
TransactionHash = Annotated[
    str,
    typer.Argument(
        help="Hash, 0x and 64 hex digits, or latest, the newest that is mined.",
        metavar="HASH",
        parser=parse_transaction,
    ),
]
Passphrase = Annotated[
    str | None, typer.Option("--passphrase", help="That of a locked account.", metavar="WORDS")
]


def call_node(url: Url = DEFAULT_URL) -> None:
    """The option of a group that can stand before its command."""


def read_from_node(url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Options of a group that can stand before its command."""


# Clients


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
