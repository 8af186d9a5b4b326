"""`devchain accounts`: the keys a node holds, and sending with them."""

from __future__ import annotations

import re
import sys
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.format import number
from devchain.cli.help import Command, new_app
from devchain.cli.options import DEFAULT_URL, AddressOf, AsJson, Url, connect
from devchain.cli.sending import (
    Ending,
    Gas,
    GasPrice,
    NoWait,
    Timeout,
    completed,
    finish,
    request_of,
)
from devchain.cli.views import notation
from devchain.errors import AccountUnavailable, RpcFailure

app = new_app("""
    The node's own accounts: list, make, import, unlock and lock them, send from them.

    A passphrase that is not given as an option is asked for, or read from standard input.

    Examples:
      devchain accounts list
      devchain accounts new --passphrase secret
""")

LOCKED = re.compile("lock|authentication needed", re.IGNORECASE)
"""What nodes say when an account cannot sign: its passphrase is wanted first."""

Passphrase = Annotated[
    str | None,
    typer.Option(
        "--passphrase", help="Opens the key; a funded account's is empty.", metavar="WORDS"
    ),
]
Key = Annotated[
    str | None,
    typer.Argument(help="Private key, 64 hex digits; asked for if it is not given.", metavar="KEY"),
]
Seconds = Annotated[
    int, typer.Option("--for", help="How long; 0 until it is locked.", min=0, metavar="SECONDS")
]
Seed = Annotated[
    str | None,
    typer.Option(
        "--seed", help="Make the key from this text instead of by chance.", metavar="TEXT"
    ),
]


@app.command("list", cls=Command)
def list_accounts(url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """List the node's accounts: balance, nonce, and which of them are locked.

    Example:
      devchain accounts list
    """
    node = connect(url)
    addresses = node.call("eth_accounts")
    if as_json:
        output.show_json(addresses)
        return
    if not addresses:
        output.note("this node holds no accounts")
    balances = node.batch([("eth_getBalance", each, "latest") for each in addresses])
    nonces = node.batch([("eth_getTransactionCount", each, "latest") for each in addresses])
    # No method tells; to sign nothing costs nothing and changes nothing.
    trials = node.batch([("eth_sign", each, "0x") for each in addresses])
    written = notation(node)
    for address, balance, nonce, trial in zip(addresses, balances, nonces, trials, strict=True):
        wei_held = 0 if isinstance(balance, RpcFailure) else number(balance) or 0
        sent = 0 if isinstance(nonce, RpcFailure) else number(nonce) or 0
        line = f" {written.amount(wei_held):>18}  nonce {sent}{_locked(trial)}"
        output.write((written.address(address), output.NAME), line)


def _locked(trial: object) -> str:
    return "  locked" if isinstance(trial, RpcFailure) and LOCKED.search(trial.message) else ""


@app.command(cls=Command)
def new(passphrase: Passphrase = None, seed: Seed = None, url: Url = DEFAULT_URL) -> None:
    """Make an account and print its address.

    Examples:
      devchain accounts new --passphrase secret
      devchain accounts new --seed cow
    """
    node = connect(url)
    if seed is not None:
        made = node.call("personal_newAccountWithSeed", seed)
    else:
        made = node.call("personal_newAccount", _passphrase(passphrase, confirm=True))
    output.write(notation(node).address(made))


@app.command("import", cls=Command)
def import_key(key: Key = None, passphrase: Passphrase = None, url: Url = DEFAULT_URL) -> None:
    """Give a private key to the node, kept under a passphrase, and print its address.

    Example:
      devchain accounts import --passphrase secret < key.txt
    """
    node = connect(url)
    secret = key if key is not None else _ask("Private key")
    phrase = _passphrase(passphrase, confirm=True)
    made = node.call("personal_importRawKey", secret, phrase)
    output.write(notation(node).address(made))


@app.command(cls=Command)
def unlock(
    address: AddressOf,
    seconds: Seconds = 0,
    passphrase: Passphrase = None,
    url: Url = DEFAULT_URL,
) -> None:
    """Let an account sign without its passphrase, for a while or until it is locked.

    Example:
      devchain accounts unlock 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266 --for 600
    """
    phrase = _passphrase(passphrase)
    node = connect(url)
    done = node.call("personal_unlockAccount", address, phrase, hex(seconds))
    name = notation(node).address(address)
    if not done:
        msg = f"the node did not unlock {name}: it does not hold its key"
        raise AccountUnavailable(msg)
    output.write(f"Unlocked {name}{f' for {seconds} s' if seconds else ''}.")


@app.command(cls=Command)
def lock(address: AddressOf, url: Url = DEFAULT_URL) -> None:
    """Stop an account from signing until it is unlocked again.

    Example:
      devchain accounts lock 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266
    """
    node = connect(url)
    was_unlocked = node.call("personal_lockAccount", address)
    name = notation(node).address(address)
    output.write(f"Locked {name}." if was_unlocked else f"{name} was not unlocked.")


@app.command(cls=Command)
def send(
    sender: Annotated[str, typer.Argument(help="Account that pays.", metavar="FROM")],
    receiver: Annotated[str, typer.Argument(help="Account that gets it.", metavar="TO")],
    amount: Annotated[str, typer.Argument(help="Like 1.5rbtc or 10gwei.", metavar="AMOUNT")],
    passphrase: Passphrase = None,
    gas: Gas = None,
    gas_price: GasPrice = None,
    timeout: Timeout = 60.0,
    no_wait: NoWait = False,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Send an amount from an account that is locked: its passphrase opens it this once.

    Example:
      devchain accounts send $SENDER $RECEIVER 1.5rbtc --passphrase secret
    """
    given = {"from": sender, "to": receiver}
    request = request_of(given, value=amount, gas=gas, gas_price=gas_price)
    phrase = _passphrase(passphrase)
    node = connect(url)
    request = completed(node, request)
    tx_hash = node.call("personal_sendTransaction", request, phrase)
    finish(node, tx_hash, request, Ending(not no_wait, timeout, as_json))


def _passphrase(given: str | None, *, confirm: bool = False) -> str:
    """The passphrase given, else typed, else the first line of standard input."""
    return given if given is not None else _ask("Passphrase", confirm=confirm)


def _ask(what: str, *, confirm: bool = False) -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    typed: str = typer.prompt(
        what, default="", show_default=False, hide_input=True, confirmation_prompt=confirm, err=True
    )
    return typed
