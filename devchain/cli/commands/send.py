"""`devchain send`: send a transaction and wait for its receipt (also `devchain accounts send`)."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.chain_views import (
    FAILED,
    Json,
    amounts_in_coins,
    chain_notation,
    failure_reason,
    revert_reason,
    show_receipt,
    status,
    with_hint,
)
from devchain.cli.options import (
    DEFAULT_URL,
    AsJson,
    Url,
    call_data,
    connect,
    first_account,
    parse_address,
    parse_seconds,
    parse_whole,
    quantity,
    wei,
)
from devchain.client.http import Client
from devchain.errors import DevchainError, InvalidInput, RpcFailure

WOULD_FAIL = re.compile(
    "revert|vm exception|gas required exceeds|out of gas|invalid opcode", re.IGNORECASE
)
"""Error messages of eth_estimateGas, on nodes of any kind, for a transaction that would fail.

Their codes differ, and are often the same as for a request that the node rejects.
"""

METHOD_NOT_FOUND = -32601
SIGN_ELSEWHERE = (
    "sign the transaction with a wallet or library that has the key, and send it with "
    "`devchain rpc eth_sendRawTransaction 0x...`"
)

FIRST_POLL, MAX_POLL = 0.05, 1.0

To = Annotated[
    str | None,
    typer.Argument(help="Recipient: 0x and 40 hex digits.", metavar="TO", parser=parse_address),
]
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
    typer.Option(
        "--from",
        help="Sender; default: the node's first account.",
        metavar="ADDRESS",
        parser=parse_address,
    ),
]
Value = Annotated[
    str,
    typer.Option("--value", help="Amount to send: 1.5rbtc, 10gwei, or wei.", metavar="AMOUNT"),
]
Data = Annotated[
    str | None,
    typer.Option("--data", help="Data in hex, or @FILE that contains it.", metavar="HEX"),
]
Create = Annotated[
    bool, typer.Option("--create", help="Create a contract whose init code is --data.")
]
Gas = Annotated[
    str | None,
    typer.Option("--gas", help="Gas limit; default: from eth_estimateGas.", metavar="GAS"),
]
GasPrice = Annotated[
    str | None,
    typer.Option(
        "--gas-price", help="Like 0.06gwei; default: from eth_gasPrice.", metavar="AMOUNT"
    ),
]
Nonce = Annotated[
    int | None,
    typer.Option(
        "--nonce",
        help="Default: the sender's next nonce.",
        parser=parse_whole(),
        metavar="N",
    ),
]
Timeout = Annotated[
    float,
    typer.Option(
        "--timeout",
        help="How long to wait for the receipt.",
        parser=parse_seconds(),
        metavar="SECONDS",
    ),
]
NoWait = Annotated[
    bool, typer.Option("--no-wait", help="Print the transaction hash and do not wait.")
]


class NotMined(DevchainError):
    """The transaction was sent, but not mined within the timeout."""


@dataclass(frozen=True, slots=True)
class AfterSending:
    """What to do after a transaction is sent."""

    wait: bool
    timeout: float
    as_json: bool


def send(
    to: To = None,
    signature: Signature = None,
    arguments: Arguments = None,
    sender: Sender = None,
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

    If the transaction fails, the reason is shown and the exit code is 1.

    Examples:
      devchain send 0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --value 1.5rbtc
      devchain send 0x77045e71a7a2c50903d88e564cd72fab11e82051 'set(uint256)' 42
      devchain send --create --data @contract.hex
    """
    payload = _payload(to, signature, arguments or [], data, create=create)
    request = new_request({} if to is None else {"to": to}, value, payload, gas, gas_price)
    if nonce is not None:
        request["nonce"] = hex(nonce)
    node = connect(url)
    request = {"from": sender or _first_account(node), **request}
    with amounts_in_coins(node):
        request = fill_in_gas(node, request)
        tx_hash = _send(node, request)
    finish(node, tx_hash, request, AfterSending(not no_wait, timeout, as_json))


def _send(node: Client, request: Json) -> str:
    """The hash of the transaction, which the node has signed and sent."""
    try:
        return str(node.call("eth_sendTransaction", request))
    except RpcFailure as failure:
        if failure.code != METHOD_NOT_FOUND:
            raise
        raise InvalidInput(f"this node signs no transactions: {SIGN_ELSEWHERE}") from None


def _payload(
    to: str | None, signature: str | None, arguments: list[str], data: str | None, *, create: bool
) -> str:
    """The transaction's data in hex; options that contradict each other are a usage error."""
    if create == (to is not None):
        raise typer.BadParameter(
            "give a recipient, or create a contract with --create --data, not both"
        )
    if data is not None and signature is not None:
        raise typer.BadParameter("give a signature or --data, not both")
    if signature is not None:
        return call_data(signature, arguments)[0]
    if create and data is None:
        raise typer.BadParameter("--create needs the contract's init code in --data")
    data = data or "0x"
    try:
        text = Path(data[1:]).read_text(encoding="ascii") if data.startswith("@") else data
        return f"0x{bytes.fromhex(text.strip().removeprefix('0x')).hex()}"
    except (OSError, ValueError) as error:
        raise typer.BadParameter(f"{data[:60]} is not data in hex: {error}") from None


def _first_account(node: Client) -> str:
    if account := first_account(node):
        return account
    try:
        has_keys = "personal" in node.call("rpc_modules")
    except (RpcFailure, TypeError):
        has_keys = False
    if has_keys:
        raise InvalidInput("this node has no accounts: create one with `devchain accounts new`")
    raise InvalidInput(f"this node keeps no keys: {SIGN_ELSEWHERE}")


def new_request(
    fields: Json,
    value: str,
    data: str = "0x",
    gas: str | None = None,
    gas_price: str | None = None,
) -> Json:
    """The parameter of eth_sendTransaction, from the given fields and the values of options."""
    request: Json = {**fields, "value": hex(wei(value)), "data": data}
    if gas is not None:
        request["gas"] = quantity(gas)
    if gas_price is not None:
        request["gasPrice"] = hex(wei(gas_price))
    return request


def fill_in_gas(node: Client, request: Json) -> Json:
    """The request with gas price and gas limit; a missing one is requested from the node.

    Raises `InvalidInput` if the transaction would fail, `RpcFailure` if the node rejects it.
    """
    request = {**request, "gasPrice": request.get("gasPrice") or node.call("eth_gasPrice")}
    if "gas" in request:
        return request
    try:
        return {**request, "gas": node.call("eth_estimateGas", request)}
    except RpcFailure as failure:
        _check_key(node, request)
        if not WOULD_FAIL.search(failure.message):
            raise
        reason = with_hint(revert_reason(failure))
        raise InvalidInput(
            f"the transaction would fail: {reason} (--gas sends it anyway)"
        ) from None


def _check_key(node: Client, request: Json) -> None:
    """Raise the node's refusal to sign for a sender that is none of its accounts.

    Nothing is sent. Some nodes send for accounts that they do not list, others cannot tell.
    """
    try:
        accounts = node.call("eth_accounts")
        if not isinstance(accounts, list) or request["from"].lower() in map(str.lower, accounts):
            return
        node.call("eth_signTransaction", {**request, "gas": "0x5208", "nonce": "0x0"})
    except RpcFailure as failure:
        if failure.code != METHOD_NOT_FOUND:
            raise


def finish(node: Client, tx_hash: str, request: Json, after: AfterSending) -> None:
    """Wait for a transaction's receipt and show it; exit code 1 if the transaction failed."""
    if not after.wait:
        output.write_line(tx_hash)
        return
    receipt = _wait_for_receipt(node, tx_hash, after.timeout)
    if after.as_json:
        output.write_json(receipt)
    sent = {**request, "hash": tx_hash, "input": request.get("data", "0x")}
    reason = failure_reason(node, sent, receipt)
    if not after.as_json:
        show_receipt(node, receipt, chain_notation(node, receipt), reason)
    if status(receipt) == FAILED:
        output.write_error(f"the transaction failed: {with_hint(reason or 'unknown')}")
        raise typer.Exit(1)


def _wait_for_receipt(node: Client, tx_hash: str, timeout: float) -> Json:
    """Poll for the receipt; raises `NotMined` after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    pause = FIRST_POLL
    while True:
        receipt = node.call("eth_getTransactionReceipt", tx_hash)
        if receipt is not None:
            return dict(receipt)
        left = deadline - time.monotonic()
        if left <= 0:
            raise NotMined(
                f"{tx_hash} was sent, but not mined within {timeout:g} s: look again with "
                "`devchain inspect tx`, or mine it with `devchain mine`"
            )
        time.sleep(min(pause, left))
        pause = min(pause * 2, MAX_POLL)
