"""What the commands that send transactions share: the request, the wait, the receipt."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING, Annotated

import typer

from devchain.cli import output
from devchain.cli.options import quantity
from devchain.cli.revert_reasons import reason
from devchain.cli.views import FAILED, Json, failure_reason, notation, show_receipt, status
from devchain.client.http import Client
from devchain.errors import DevchainError, InvalidInput, RpcFailure
from devchain.networks import GWEI, RBTC

if TYPE_CHECKING:
    from devchain.cli.contract_calls import Signature

MOST_WEI = 2**256 - 1
WEI_DIGITS = 100
UNITS = {"wei": 1, "gwei": GWEI, "rbtc": RBTC, "ether": RBTC, "eth": RBTC}
AMOUNT = re.compile(r"(0x[0-9a-f]+|[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([a-z]*)")
FAILING = re.compile(
    "revert|vm exception|gas required exceeds|out of gas|invalid opcode", re.IGNORECASE
)
"""What nodes say of a transaction that can be sent, but would fail."""

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0

Gas = Annotated[
    str | None,
    typer.Option("--gas", help="Gas limit; default: what eth_estimateGas says.", metavar="GAS"),
]
GasPrice = Annotated[
    str | None,
    typer.Option("--gas-price", help="Like 0.06gwei; default: eth_gasPrice.", metavar="AMOUNT"),
]
Nonce = Annotated[
    int | None, typer.Option("--nonce", help="Default: the sender's next.", min=0, metavar="N")
]
Timeout = Annotated[
    float,
    typer.Option("--timeout", help="How long to wait for the receipt.", min=0, metavar="SECONDS"),
]
NoWait = Annotated[
    bool, typer.Option("--no-wait", help="Print the transaction's hash and do not wait.")
]


class NotMined(DevchainError):
    """The transaction was sent, but no block had it in time."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What to do once a transaction is sent."""

    wait: bool
    timeout: float
    as_json: bool


def wei(text: str) -> int:
    """An amount a person wrote: `1.5rbtc`, `10gwei`, `21000 wei`, or wei without a unit."""
    match = AMOUNT.fullmatch(text.strip().lower()) if len(text) <= WEI_DIGITS else None
    unit = UNITS.get(match[2] or "wei") if match else None
    if match and unit:
        with localcontext(prec=2 * WEI_DIGITS):
            digits = match[1]
            amount = unit * Decimal(int(digits, 16) if digits.startswith("0x") else digits)
            if amount <= MOST_WEI and not amount % 1:
                return int(amount)
    msg = f"{text!r} is no amount; write it like 1.5rbtc, 10gwei or 21000 (wei)"
    raise typer.BadParameter(msg)


def request_of(
    given: Json,
    value: str,
    data: str = "0x",
    gas: str | None = None,
    gas_price: str | None = None,
) -> Json:
    """A request for a transaction, with amounts as people write them."""
    request: Json = {**given, "value": hex(wei(value)), "data": data}
    if gas is not None:
        request["gas"] = quantity(gas)
    if gas_price is not None:
        request["gasPrice"] = hex(wei(gas_price))
    return request


def call_data(text: str, arguments: Sequence[str]) -> tuple[str, Signature | None]:
    """The data of a call in hex, given so or as a signature with arguments; and the signature."""
    if not text.startswith("0x"):
        from devchain.cli.contract_calls import signature

        called = signature(text)
        return f"0x{called.data(arguments).hex()}", called
    if arguments:
        msg = "arguments go with a signature, not with data in hex"
        raise typer.BadParameter(msg)
    return text, None


def sender(node: Client, given: str | None) -> str:
    """The account to send from: the one named, else the first the node holds."""
    if given is not None:
        return given
    accounts = node.call("eth_accounts")
    if not accounts:
        msg = "this node holds no accounts: make one with `devchain accounts new`"
        raise InvalidInput(msg)
    return str(accounts[0])


def completed(node: Client, request: Json) -> Json:
    """The request with the gas price and the gas it needs, where it does not say them.

    Raises `InvalidInput` if the transaction would fail, `RpcFailure` if it cannot be sent at all.
    """
    price = request.get("gasPrice") or node.call("eth_gasPrice")
    whole = {**request, "gasPrice": price}
    if "gas" in request:
        return whole
    try:
        return {**whole, "gas": node.call("eth_estimateGas", whole)}
    except RpcFailure as failure:
        if not FAILING.search(failure.message):
            raise
        msg = f"the transaction would fail: {reason(failure)} (send it all the same with --gas)"
        raise InvalidInput(msg) from None


def finish(node: Client, tx_hash: str, request: Json, ending: Ending) -> None:
    """Wait for a transaction's receipt and show it; exit code 1 if the transaction failed."""
    if not ending.wait:
        output.write(tx_hash)
        return
    receipt = wait_for_receipt(node, tx_hash, ending.timeout)
    if ending.as_json:
        output.show_json(receipt)
    tx = {**request, "input": request.get("data", "0x")}
    why = failure_reason(node, tx, receipt)
    if not ending.as_json:
        show_receipt(receipt, notation(node), why)
    if status(receipt) == FAILED:
        output.error(f"the transaction failed: {why}")
        raise typer.Exit(1)


def wait_for_receipt(node: Client, tx_hash: str, timeout: float) -> Json:
    """The receipt, asked for again and again; raises `NotMined` after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    pause = FIRST_PAUSE
    while True:
        receipt = node.call("eth_getTransactionReceipt", tx_hash)
        if receipt is not None:
            return dict(receipt)
        left = deadline - time.monotonic()
        if left <= 0:
            msg = (
                f"{tx_hash} is sent, but not mined within {timeout:g} s: "
                "look again with `devchain inspect tx`, or mine with `devchain mine`"
            )
            raise NotMined(msg)
        time.sleep(min(pause, left))
        pause = min(pause * 2, LONGEST_PAUSE)
