"""`devchain send`: a transaction from an account the node holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from devchain.cli.options import DEFAULT_URL, AsJson, Url, connect
from devchain.cli.sending import (
    Ending,
    Gas,
    GasPrice,
    Nonce,
    NoWait,
    Timeout,
    call_data,
    completed,
    finish,
    request_of,
    sender,
)

To = Annotated[str | None, typer.Argument(help="Who gets it: 0x and 40 hex digits.", metavar="TO")]
Signature = Annotated[
    str | None,
    typer.Argument(help="Function to call, like 'set(uint256)'.", metavar="SIGNATURE"),
]
Arguments = Annotated[
    list[str] | None,
    typer.Argument(help="Its arguments; arrays and tuples as JSON arrays.", metavar="ARGS"),
]
Sender = Annotated[
    str | None,
    typer.Option("--from", help="Sender; default: the node's first account.", metavar="ADDRESS"),
]
Value = Annotated[
    str, typer.Option("--value", help="Like 1.5rbtc, 10gwei, or wei.", metavar="AMOUNT")
]
Data = Annotated[
    str | None,
    typer.Option("--data", help="Data in hex, or @FILE that holds it.", metavar="HEX"),
]
Create = Annotated[
    bool, typer.Option("--create", help="Create a contract whose init code is --data.")
]


def send(
    to: To = None,
    signature: Signature = None,
    arguments: Arguments = None,
    sender_address: Sender = None,
    value: Value = "0",
    data: Data = None,
    create: Create = False,
    gas: Gas = None,
    gas_price: GasPrice = None,
    nonce: Nonce = None,
    timeout: Timeout = 60.0,
    no_wait: NoWait = False,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Send a transaction from an unlocked account, wait until it is mined and show its receipt.

    The exit code is 1 if it fails; the reason is shown.

    Examples:
      devchain send 0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --value 1.5rbtc
      devchain send 0x77045e71a7a2c50903d88e564cd72fab11e82051 'set(uint256)' 42
      devchain send --create --data @contract.hex
    """
    payload = _payload(to, signature, arguments or [], data, create=create)
    given = {} if to is None else {"to": to}
    request = request_of(given, value, payload, gas, gas_price)
    if nonce is not None:
        request["nonce"] = hex(nonce)
    node = connect(url)
    request = completed(node, {"from": sender(node, sender_address), **request})
    tx_hash = node.call("eth_sendTransaction", request)
    finish(node, tx_hash, request, Ending(not no_wait, timeout, as_json))


def _payload(
    to: str | None, signature: str | None, arguments: list[str], data: str | None, *, create: bool
) -> str:
    """The transaction's data; options that contradict each other are a usage error."""
    if create == (to is not None):
        msg = "name the receiver, or create a contract with --create --data, not both"
        raise typer.BadParameter(msg)
    if data is not None and signature is not None:
        msg = "give a signature or --data, not both"
        raise typer.BadParameter(msg)
    if signature is not None:
        return call_data(signature, arguments)[0]
    if create and data is None:
        msg = "--create needs the contract's init code in --data"
        raise typer.BadParameter(msg)
    return _hex(data or "0x")


def _hex(data: str) -> str:
    """Data in hex, from the file after @ if it says so; `0x` may be left out."""
    try:
        text = Path(data[1:]).read_text(encoding="ascii") if data.startswith("@") else data
        return f"0x{bytes.fromhex(text.strip().removeprefix('0x')).hex()}"
    except (OSError, ValueError) as error:
        msg = f"{data[:60]} is not data in hex: {error}"
        raise typer.BadParameter(msg) from None
