"""`devchain inspect tx`: one transaction, what became of it, and why."""

from __future__ import annotations

from devchain.cli import output
from devchain.cli.options import DEFAULT_URL, AsJson, TransactionHash, Url, connect
from devchain.cli.views import (
    failure_reason,
    find_transaction,
    notation,
    show_calls,
    show_logs,
    status,
    status_piece,
    timestamp_of,
    transaction_rows,
)


def tx(tx_hash: TransactionHash, url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show a transaction with its receipt, logs, calls and, if it failed, the reason.

    A devchain node gives contracts and functions the names its --artifacts tell it.

    Example:
      devchain inspect tx 0x5c50…e060
    """
    node = connect(url)
    found, receipt = find_transaction(node, tx_hash)
    if as_json:
        output.show_json({"transaction": found, "receipt": receipt})
        return
    written = notation(node)
    output.write(("Transaction", output.TITLE), " ", status_piece(status(receipt)))
    why = failure_reason(node, found, receipt)
    if why is not None:
        output.field("Reason", (why, output.BAD))
    timestamp = timestamp_of(node, receipt)
    output.fields(transaction_rows(found, receipt, written, timestamp))
    show_logs((receipt or {}).get("logs") or [], written)
    if receipt is not None:
        show_calls(node, tx_hash)
