"""`devchain inspect receipt`: what a mined transaction did."""

from __future__ import annotations

from devchain.cli import output
from devchain.cli.options import DEFAULT_URL, AsJson, TransactionHash, Url, connect
from devchain.cli.views import failure_reason, find_transaction, notation, show_receipt
from devchain.errors import TransactionNotFound


def receipt(tx_hash: TransactionHash, url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show the receipt of a mined transaction: gas, contract created, logs, revert reason.

    Example:
      devchain inspect receipt 0x5c50…e060
    """
    node = connect(url)
    tx, found = find_transaction(node, tx_hash)
    if found is None:
        msg = f"transaction {tx_hash} is not mined yet, so it has no receipt"
        raise TransactionNotFound(msg)
    if as_json:
        output.show_json(found)
        return
    show_receipt(found, notation(node), failure_reason(node, tx, found))
