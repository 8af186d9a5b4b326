"""`devchain accounts`: list, create, import, lock and unlock the accounts of a node."""

from __future__ import annotations

import re
import sys
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.help import Command, new_app
from devchain.cli.options import (
    DEFAULT_URL,
    AccountOrAddress,
    AsJson,
    Passphrase,
    Url,
    account_address,
    call_node,
    connect,
    parse_whole,
)
from devchain.cli.view_rows import reader_of, warn_of_checksums
from devchain.client.views import number
from devchain.errors import AccountUnavailable, InvalidInput, RpcFailure

app = new_app("""
    List, create, import, unlock and lock the node's accounts.

    Without --passphrase a command prompts for it, or reads it from standard input. That of a new
    account is empty only with --passphrase "".

    Examples:
      devchain accounts list
      devchain accounts new --passphrase secret
""")

app.callback()(call_node)

LOCKED = re.compile("lock|authentication needed", re.IGNORECASE)
"""Error messages of nodes for an account that cannot sign without its passphrase."""

Key = Annotated[
    str | None,
    typer.Argument(help="Private key in hex; without it the command prompts.", metavar="KEY"),
]
Seconds = Annotated[
    int,
    typer.Option("--for", help="0 = until it is locked.", parser=parse_whole(), metavar="SECONDS"),
]


@app.command("list", cls=Command)
def list_accounts(url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """List the node's accounts: balance, nonce, and whether they are locked.

    Example:
      devchain accounts list
    """
    node = connect(url)
    addresses = node.call("eth_accounts")
    if as_json:
        output.write_json(addresses)
        return
    if not addresses:
        output.write_note("this node has no accounts")
    balances = node.batch([("eth_getBalance", address, "latest") for address in addresses])
    nonces = node.batch([("eth_getTransactionCount", address, "latest") for address in addresses])
    # No method returns whether an account is locked, but signing empty data fails if it is.
    signatures = node.batch([("eth_sign", address, "0x") for address in addresses])
    notation = reader_of(node).notation()
    amounts = [notation.amount(number(balance) or 0) for balance in balances]
    width = max(map(len, amounts), default=0)
    rows = zip(addresses, amounts, nonces, signatures, strict=True)
    for address, balance, nonce, signature in rows:
        is_locked = isinstance(signature, RpcFailure) and LOCKED.search(signature.message)
        rest = f" {balance:>{width}}  nonce {number(nonce) or 0:,}{'  locked' * bool(is_locked)}"
        output.write_line((notation.address(address), output.NAME), rest)


@app.command(cls=Command)
def new(passphrase: Passphrase = None, url: Url = DEFAULT_URL) -> None:
    """Create an account and print its address.

    Example:
      devchain accounts new --passphrase secret
    """
    node = connect(url)
    address = node.call("personal_newAccount", _read_passphrase(passphrase, confirm=True))
    output.write_line(reader_of(node).notation().address(address))


@app.command("import", cls=Command)
def import_key(key: Key = None, passphrase: Passphrase = None, url: Url = DEFAULT_URL) -> None:
    """Import a private key, encrypted with a passphrase, and print its address.

    Example:
      devchain accounts import --passphrase secret < key.txt
    """
    node = connect(url)
    secret = key if key is not None else _prompt("Private key")
    phrase = _read_passphrase(passphrase, confirm=True)
    known = {str(account).lower() for account in node.call("eth_accounts")}
    address = node.call("personal_importRawKey", secret, phrase)
    output.write_line(reader_of(node).notation().address(address))
    if str(address).lower() in known:
        output.write_note(
            "warning: the node had this account already; its passphrase is now the one given here"
        )


@app.command(cls=Command)
def unlock(
    address: AccountOrAddress,
    seconds: Seconds = 0,
    passphrase: Passphrase = None,
    url: Url = DEFAULT_URL,
) -> None:
    """Unlock an account, so that it signs without its passphrase.

    Example:
      devchain accounts unlock 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266 --for 600
    """
    phrase = _read_passphrase(passphrase)
    node = connect(url)
    address = account_address(node, address)
    warn_of_checksums(node, address)
    is_unlocked = node.call("personal_unlockAccount", address, phrase, hex(seconds))
    name = reader_of(node).notation().address(address)
    if not is_unlocked:
        raise AccountUnavailable(f"the node did not unlock {name}: it does not have its key")
    output.write_line(f"Unlocked {name}{f' for {seconds:,} s' if seconds else ''}.")


@app.command(cls=Command)
def lock(address: AccountOrAddress, url: Url = DEFAULT_URL) -> None:
    """Lock an account, so that it does not sign until it is unlocked.

    Example:
      devchain accounts lock 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266
    """
    node = connect(url)
    address = account_address(node, address)
    warn_of_checksums(node, address)
    was_unlocked = node.call("personal_lockAccount", address)
    name = reader_of(node).notation().address(address)
    output.write_line(f"Locked {name}." if was_unlocked else f"{name} was not unlocked.")


def _read_passphrase(given: str | None, *, confirm: bool = False) -> str:
    # That of a new key, which a prompt has typed twice, is not empty unless the option or the
    # prompt says so: a script may have lost it.
    if given is not None:
        return given
    phrase = _prompt("Passphrase", confirm=confirm)
    if confirm and not phrase and not sys.stdin.isatty():
        raise _missing("passphrase")
    return phrase


def _prompt(label: str, *, confirm: bool = False) -> str:
    if not sys.stdin.isatty():
        line = sys.stdin.readline()
        if not line:
            raise _missing(label.lower())
        return line.rstrip("\r\n")
    typed: str = typer.prompt(
        label,
        default="",
        show_default=False,
        hide_input=True,
        confirmation_prompt=confirm,
        err=True,
    )
    return typed


def _missing(what: str) -> InvalidInput:
    is_key = what == "private key"
    hint = "as KEY" if is_key else 'with --passphrase, an empty one as --passphrase ""'
    return InvalidInput(f"standard input has no {what}: give it there, or {hint}")
