"""`devchain inspect tx` and `devchain inspect receipt`."""

from __future__ import annotations

from devchain.cli import output
from devchain.cli.chain_views import (
    FAILED,
    chain_notation,
    describe_calls,
    explain,
    failure_reason,
    find_transaction,
    mined_row,
    show_calls,
    show_logs,
    show_reason,
    show_receipt,
    status,
    status_piece,
    transaction_rows,
)
from devchain.cli.options import DEFAULT_URL, AsJson, TransactionHash, Url, connect
from devchain.errors import TransactionNotFound


def tx(tx_hash: TransactionHash, url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show a transaction with its receipt, logs, calls and, if it failed, the reason.

    A devchain node has the names of contracts and functions in its --artifacts.

    Example:
      devchain inspect tx 0x5c50...e060
    """
    node = connect(url)
    transaction, receipt = find_transaction(node, tx_hash)
    if as_json:
        output.write_json({"transaction": transaction, "receipt": receipt})
        return
    notation = chain_notation(node, transaction, receipt)
    explanation = {} if receipt is None else explain(node, tx_hash)
    [called] = describe_calls(node, [transaction])
    output.write_line(("Transaction", output.TITLE), " ", status_piece(status(receipt)))
    reason = failure_reason(node, transaction, receipt, explanation)
    show_reason(reason, explanation)
    mined = mined_row(node, receipt)
    output.write_fields(transaction_rows(transaction, receipt, notation, mined, called))
    show_logs(node, (receipt or {}).get("logs") or [], notation)
    show_calls(explanation)


def receipt(tx_hash: TransactionHash, url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show the receipt of a mined transaction: gas, contract created, logs, revert reason.

    Example:
      devchain inspect receipt 0x5c50...e060
    """
    node = connect(url)
    transaction, found = find_transaction(node, tx_hash)
    if found is None:
        raise TransactionNotFound(f"transaction {tx_hash} is not mined yet, so it has no receipt")
    if as_json:
        output.write_json(found)
        return
    explanation = explain(node, tx_hash) if status(found) == FAILED else {}
    reason = failure_reason(node, transaction, found, explanation)
    show_receipt(node, found, chain_notation(node, found), reason, explanation)
