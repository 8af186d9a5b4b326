"""`devchain peg-in`, `peg-out` and `peg status`: bitcoins become RBTC, and RBTC bitcoins."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

import typer

from devchain.cli import output
from devchain.cli.commands.btc import Amount, shown_bitcoins
from devchain.cli.help import Command, new_app
from devchain.cli.options import (
    DEFAULT_URL,
    AsJson,
    Url,
    account_address,
    call_node,
    connect,
    parse_account,
)
from devchain.client.views import number
from devchain.networks import RBTC
from devchain.text import plural

app = new_app("""
    Look at the peg of the chain with the Bitcoin beside it.

    Example:
      devchain peg status
""")
app.callback()(call_node)

Account = Annotated[
    str,
    typer.Argument(
        help="Address, or an account's number.", metavar="ACCOUNT", parser=parse_account
    ),
]


def peg_in(account: Account, amount: Amount, url: Url = DEFAULT_URL) -> None:
    """Turn bitcoins of the node's wallet into RBTC of an account.

    Bitcoins are locked and confirmed, and the Bridge registers them; the node mines what it takes.

    Example:
      devchain peg-in 0 1.5btc
    """
    node = connect(url)
    address = account_address(node, account)
    before = number(node.call("eth_getBalance", address, "latest")) or 0
    done = node.call("devchain_pegIn", address, amount)
    after = number(node.call("eth_getBalance", address, "latest")) or 0
    received = Decimal(after - before) / RBTC
    output.write_field("Bitcoin", f"{shown_bitcoins(amount)} locked by {done['txid']}")
    output.write_field(
        "Rootstock", f"{received:,f} RBTC received in transaction {done['transactionHash']}"
    )


def peg_out(account: Account, amount: Amount, url: Url = DEFAULT_URL) -> None:
    """Turn RBTC of an account into bitcoins of its key.

    The node mines until the federation has paid. Its fee is taken from the amount.

    Example:
      devchain peg-out 0 1.5btc
    """
    node = connect(url)
    done = node.call("devchain_pegOut", account_address(node, account), amount)
    paid = shown_bitcoins(number(done["satoshis"]) or 0)
    output.write_field(
        "Rootstock", f"{shown_bitcoins(amount)} asked in transaction {done['transactionHash']}"
    )
    output.write_field("Bitcoin", f"{paid} paid by {done['txid']}")


@app.command(cls=Command)
def status(url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show the federation and its bitcoins, the Bridge's height, and peg-outs under way.

    Example:
      devchain peg status --json
    """
    found: dict[str, Any] = connect(url).call("devchain_pegStatus")
    if as_json:
        output.write_json(found)
        return
    for federation in found["federations"]:
        size = f"{number(federation['threshold'])} of {number(federation['members'])}"
        owned = shown_bitcoins(number(federation["satoshis"]) or 0)
        output.write_field("Federation", f"{federation['address']} ({size}) has {owned}")
    heights = (number(found["bridgeHeight"]) or 0, number(found["bitcoinHeight"]) or 0)
    output.write_field("Bitcoin", "the Bridge has block {:,} of {:,}".format(*heights))
    for name in ("requests", "confirming", "signing", "sent"):
        output.write_field(name.capitalize(), plural(len(found[name]), "peg-out"))
    output.write_field("Next batch", f"from block {number(found['nextPegoutBlock']) or 0:,} on")
