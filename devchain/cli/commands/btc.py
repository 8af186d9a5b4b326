"""`devchain btc`: mine, pay and look at the Bitcoin beside the chain."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any

import typer

from devchain.cli import output
from devchain.cli.help import Command, new_app
from devchain.cli.options import DEFAULT_URL, AsJson, Url, call_node, connect, parse_whole
from devchain.client.views import number
from devchain.text import BITCOIN_UNITS, SATOSHIS, decimal, parse_amount, plural

app = new_app("""
    Mine, pay and look at the Bitcoin beside the chain (regtest).

    Amounts are in bitcoins, as 1.5 or 1.5btc, or in satoshis, as 1000sat.

    Examples:
      devchain btc mine 6
      devchain btc send bcrt1q... 1.5btc
""")
app.callback()(call_node)


def parse_bitcoins(text: str) -> int:
    """A parser of amounts of Bitcoin; satoshis."""
    with suppress(ValueError):
        return parse_amount(text, BITCOIN_UNITS)
    raise typer.BadParameter(f"{text[:60]!r} is not an amount: write 1.5btc or 1000sat")


Count = Annotated[int, typer.Argument(help="How many blocks.", metavar="N", parser=parse_whole(1))]
To = Annotated[str | None, typer.Option("--to", help="Address that gets the rewards.")]
Address = Annotated[str, typer.Argument(help="Address on regtest.", metavar="ADDRESS")]
OptionalAddress = Annotated[
    str | None, typer.Argument(help="Address; without it, the wallet.", metavar="ADDRESS")
]
Amount = Annotated[
    int, typer.Argument(help="As 1.5btc or 1000sat.", metavar="AMOUNT", parser=parse_bitcoins)
]
Kind = Annotated[str, typer.Option("--type", help="legacy, p2sh-segwit or bech32.")]
TxId = Annotated[str, typer.Argument(help="64 hex digits.", metavar="TXID")]


@app.command(cls=Command)
def mine(blocks: Count = 1, to: To = None, url: Url = DEFAULT_URL) -> None:
    """Mine blocks and print the hash of the newest.

    Example:
      devchain btc mine 6
    """
    hashes = connect(url).call("devchain_btcMine", blocks, to)
    output.write_line(f"Mined {plural(len(hashes), 'block')}; the newest is {hashes[-1]}.")


@app.command(cls=Command)
def send(address: Address, amount: Amount, url: Url = DEFAULT_URL) -> None:
    """Pay an address from the node's wallet and print the transaction's id.

    Example:
      devchain btc send bcrt1q... 1.5btc
    """
    output.write_line(str(connect(url).call("devchain_btcSend", address, amount)))


@app.command(cls=Command)
def address(kind: Kind = "legacy", url: Url = DEFAULT_URL) -> None:
    """Print a new address of the node's wallet.

    Example:
      devchain btc address --type bech32
    """
    output.write_line(str(connect(url).call("devchain_btcNewAddress", kind)))


@app.command(cls=Command)
def balance(address: OptionalAddress = None, url: Url = DEFAULT_URL) -> None:
    """Print what the wallet can spend, or the confirmed balance of an address.

    Example:
      devchain btc balance
    """
    satoshis = number(connect(url).call("devchain_btcBalance", address)) or 0
    output.write_line(shown_bitcoins(satoshis))


@app.command(cls=Command)
def tx(txid: TxId, url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show a transaction: confirmations, block, outputs.

    Example:
      devchain btc tx TXID --json
    """
    shown: dict[str, Any] = connect(url).call("devchain_btcTransaction", txid)
    if as_json:
        output.write_json(shown)
        return
    output.write_field("Transaction", shown["txid"])
    output.write_field("Confirmations", str(number(shown["confirmations"])))
    if shown["proof"]:
        height = number(shown["proof"]["height"])
        output.write_field("Block", f"{height:,} ({shown['proof']['blockHash']})")
    for out in shown["outputs"]:
        amount = shown_bitcoins(number(out["satoshis"]) or 0)
        output.write_field("Output", f"{amount} to {out['address'] or 'a script without address'}")


def shown_bitcoins(satoshis: int) -> str:
    return f"{decimal(satoshis, SATOSHIS)} BTC"
