"""`devchain inspect block`, `tx` and `receipt`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from devchain.cli import output
from devchain.cli.commands.btc import shown_bitcoins
from devchain.cli.options import (
    DEFAULT_URL,
    AsJson,
    Block,
    TransactionHash,
    Url,
    block_reference,
    connect,
    transaction_hash,
)
from devchain.cli.output import Row
from devchain.cli.view_rows import (
    account_row,
    fact_row,
    listed_rows,
    reader_of,
    show_calls,
    show_logs,
    show_reason,
    show_receipt,
    status_piece,
    text_row,
    transaction_rows,
)
from devchain.client.views import BlockView, CallView, TransactionView, gas_fact, number, time_fact
from devchain.errors import TransactionNotFound
from devchain.text import plural

BITCOIN_NETWORKS = {30: "mainnet", 31: "testnet"}  # by chain id
BRIDGE = "0x0000000000000000000000000000000001000006"


def block(block: Block = "latest", url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show a block: its header, and each transaction with status, gas and revert reason.

    Examples:
      devchain inspect block latest
      devchain inspect block 12 --json
    """
    reader = reader_of(connect(url))
    answer = reader.block_object(block_reference(block), full=True)
    if as_json:
        output.write_json(answer)
        return
    # anvil gives its pending block number and hash, Hardhat a hash.
    if block == "pending":
        answer = {**answer, "hash": None}
    transactions = answer.get("transactions") or []
    notation = reader.notation(answer)
    view = BlockView.of(answer, notation)
    shown = reader.transactions(transactions, are_pending=view.is_pending)
    name = "Pending block" if view.is_pending else f"Block {view.number:,}"
    output.write_title(name, plural(len(shown), "transaction"))
    output.write_fields(_header_rows(view, reader.time()))
    output.write_blank_line()
    output.write_fields(map(fact_row, view.roots))
    for tx in shown:
        output.write_blank_line()
        _show_transaction(reader.explained(tx))


def _header_rows(block: BlockView, now: int) -> Iterator[Row]:
    yield text_row("Hash", block.hash)
    yield text_row("Parent", block.parent_hash)
    yield fact_row(time_fact(block.timestamp, now))
    yield account_row("Miner", block.miner)
    yield fact_row(gas_fact(block.gas_used, block.gas_limit))
    yield from map(fact_row, block.facts)


def _show_transaction(tx: TransactionView) -> None:
    index = "" if tx.index is None else f"{tx.index:,}"
    output.write_line((f"{index:>3} ", output.TITLE), status_piece(tx.status, 10), tx.hash)
    output.write_fields(listed_rows(tx))
    parts = [tx.value_text if tx.value else "", f"gas {tx.gas_text}"]
    parts.append(f"fee {tx.fee_text}" if tx.fee else "")
    output.write_field("", " · ".join(filter(None, parts)))
    if tx.reason:
        output.write_field("    reason", (tx.reason, output.BAD))


def tx(tx_hash: TransactionHash, url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show a transaction with its receipt, logs, calls and, if it failed, the reason.

    Examples:
      devchain inspect tx latest
      devchain inspect tx 0x5c50...e060
    """
    node = connect(url)
    reader = reader_of(node)
    sent, receipt = reader.transaction_objects(transaction_hash(node, tx_hash))
    if as_json:
        output.write_json({"transaction": sent, "receipt": receipt})
        return
    transaction = reader.transaction(sent, receipt)
    call = reader.explain(transaction)
    output.write_line(("Transaction", output.TITLE), " ", status_piece(transaction.status))
    show_reason(call)
    output.write_fields(transaction_rows(transaction, reader.time()))
    logs = (receipt or {}).get("logs") or []
    if sent.get("to") == BRIDGE:
        payloads = [sent["input"][10:], *(log["data"][2:] for log in logs)]
        network = BITCOIN_NETWORKS.get(number(node.call("eth_chainId")) or 0, "regtest")
        output.write_fields(_bitcoin_rows(map(bytes.fromhex, payloads), network))
    show_logs(reader.logs(logs))
    show_calls(call)


def _bitcoin_rows(payloads: Iterable[bytes], network: str) -> Iterator[Row]:
    # The Bitcoin transactions that are the first values of a call or logs of the Bridge.
    from devchain.bitcoin.signing import address_of
    from devchain.evm.rootstock.precompiles.bitcoin_transaction import BitcoinTransaction
    from devchain.evm.rootstock.precompiles.native_contract import decode

    for payload in payloads:
        with suppress(ValueError):
            transaction = BitcoinTransaction.parse(*decode(("bytes",), payload))
            if transaction.inputs:
                yield text_row("Bitcoin", transaction.txid.hex())
                for out in transaction.outputs:
                    receiver = address_of(out.script, network) or out.script.hex()
                    yield text_row("", f"{shown_bitcoins(out.value)} to {receiver}")


def receipt(tx_hash: TransactionHash, url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show the receipt of a mined transaction: gas, contract created, logs, revert reason.

    Example:
      devchain inspect receipt latest
    """
    node = connect(url)
    reader = reader_of(node)
    sent, receipt = reader.transaction_objects(transaction_hash(node, tx_hash))
    if receipt is None:
        raise TransactionNotFound(f"transaction {tx_hash} is not mined yet, so it has no receipt")
    if as_json:
        output.write_json(receipt)
        return
    transaction = reader.transaction(sent, receipt)
    call = reader.explain(transaction) if transaction.failed else CallView()
    show_receipt(transaction, reader.logs(receipt.get("logs") or []), call)
