"""`devchain inspect tx` and `devchain inspect receipt`."""

from __future__ import annotations

from dataclasses import replace

from devchain.cli import output
from devchain.cli.chain_views import (
    reader_of,
    show_calls,
    show_logs,
    show_reason,
    show_receipt,
    status_piece,
    transaction_rows,
)
from devchain.cli.options import DEFAULT_URL, AsJson, TransactionHash, Url, connect
from devchain.client.views import CallView
from devchain.errors import TransactionNotFound


def tx(tx_hash: TransactionHash, url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show a transaction with its receipt, logs, calls and, if it failed, the reason.

    A devchain node has the names of contracts and functions in its --artifacts.

    Example:
      devchain inspect tx 0x5c50...e060
    """
    reader = reader_of(connect(url))
    sent, receipt = reader.transaction_objects(tx_hash)
    if as_json:
        output.write_json({"transaction": sent, "receipt": receipt})
        return
    call = CallView() if receipt is None else reader.explain(tx_hash)
    transaction = reader.transaction(sent, receipt)
    if transaction.failed:
        call = replace(call, reason=reader.failure_reason(transaction, call))
    output.write_line(("Transaction", output.TITLE), " ", status_piece(transaction.status))
    show_reason(call)
    output.write_fields(transaction_rows(transaction, reader.time()))
    show_logs(reader.logs((receipt or {}).get("logs") or []))
    show_calls(call)


def receipt(tx_hash: TransactionHash, url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show the receipt of a mined transaction: gas, contract created, logs, revert reason.

    Example:
      devchain inspect receipt 0x5c50...e060
    """
    reader = reader_of(connect(url))
    sent, receipt = reader.transaction_objects(tx_hash)
    if receipt is None:
        raise TransactionNotFound(f"transaction {tx_hash} is not mined yet, so it has no receipt")
    if as_json:
        output.write_json(receipt)
        return
    transaction, call = reader.transaction(sent, receipt), CallView()
    if transaction.failed:
        call = reader.explain(tx_hash)
        call = replace(call, reason=reader.failure_reason(transaction, call))
    show_receipt(transaction, reader.logs(receipt.get("logs") or []), call)
