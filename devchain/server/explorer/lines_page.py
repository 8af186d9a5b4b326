"""The page of the lines that a transaction ran, with their gas beside the source."""

from __future__ import annotations

from devchain.errors import TransactionNotFound
from devchain.node import Node
from devchain.server.explorer.page import Page, Query
from devchain.server.explorer.sources import covered_files
from devchain.server.explorer.transaction_pages import find, raw_when_mined
from devchain.server.explorer.values import Reader, how_to_add_artifacts

RAW = raw_when_mined("devchain_profileTransaction")
MAX_FILES = 20


def lines(node: Node, query: Query, tx_hash: str) -> Page:
    """The lines of the source that a mined transaction ran, by executing it once more."""
    reader = Reader(node)
    tx, mined = find(node, tx_hash)
    recorder = node.explainer.new_gas_recorder()
    if mined is None or not recorder.record_transaction(node.chain, tx.hash):
        raise TransactionNotFound("a transaction runs lines once it is mined")
    row = reader.transaction(tx, *mined)
    files = covered_files(recorder)
    return Page(
        "lines.html",
        f"Lines of {row.short}",
        {
            "tx": row,
            "files": files[:MAX_FILES],
            "advice": "" if files else how_to_add_artifacts(node),
            "hidden": max(0, len(files) - MAX_FILES),
            "live_hash": row.block_hash,
        },
        raw=RAW(node, query, tx_hash),
        section="transactions",
    )
