"""Pages of where a transaction used its gas: a flame graph with tables, and lines that ran."""

from __future__ import annotations

from collections.abc import Iterator

from devchain.server.explorer.page import Page
from devchain.server.explorer.reader import HOW_TO_ADD_ARTIFACTS, Reader, still_mined
from devchain.server.explorer.sources import covered_files
from devchain.server.explorer.transaction_pages import page_of
from devchain.source.gas import GasNode, line_place
from devchain.text import percent

MAX_FILES = 20
MAX_ROWS = 100
MAX_BOXES = 600
MIN_SHARE = 0.002  # the narrowest box of the graph, as a share of its width
WIDTH, ROW = 1_000, 20
PROFILE = "devchain_profileTransaction"


def gas(reader: Reader, tx_hash: str) -> Page:
    """Where a mined transaction used its gas, by executing it once more."""
    tx, receipt = reader.find_mined(tx_hash)
    profile = still_mined(reader.node.explainer.gas_profile(receipt.transaction.hash))
    boxes = list(flame(profile.stacks))
    values: dict[str, object] = {
        "used": profile.gas_used,
        "refunds": profile.refunds,
        "boxes": boxes,
        "height": ROW * (1 + max(depth for _, _, depth, _ in boxes)),
        "row": ROW,
        "gross": max(profile.stacks.total, 1),
        "functions": [
            (function.name, function.calls or "–", function.total, function.gas)
            for function in profile.functions()[:MAX_ROWS]
        ],
        "lines": [
            (line_place(key), line.gas, percent(line.gas, profile.gross), line.text.strip())
            for key, line in profile.sorted_lines()[:MAX_ROWS]
        ],
        "storage": [
            (f"{contract}.{variable}", use.reads, use.writes, use.gas, use.cold_gas)
            for (contract, variable), use in profile.sorted_storage()[:MAX_ROWS]
        ],
    }
    return page_of("gas.html", "Gas of", tx, values, (PROFILE, [tx.hash]))


def lines(reader: Reader, tx_hash: str) -> Page:
    """The lines of the source that a mined transaction ran, by executing it once more."""
    node = reader.node
    tx, receipt = reader.find_mined(tx_hash)
    recorder = node.explainer.new_gas_recorder()
    recorder.record_transaction(node.chain, receipt.transaction.hash)
    files = covered_files(recorder)
    values: dict[str, object] = {
        "files": files[:MAX_FILES],
        "advice": HOW_TO_ADD_ARTIFACTS,
        "hidden": max(0, len(files) - MAX_FILES),
    }
    return page_of("lines.html", "Lines of", tx, values, (PROFILE, [tx.hash]))


def flame(root: GasNode) -> Iterator[tuple[GasNode, float, int, float]]:
    """The boxes of a flame graph: node, left edge, depth, and a width by its gas."""
    whole = max(root.total, 1)
    pending: list[tuple[GasNode, float, int]] = [(root, 0.0, 0)]
    count = 0
    while pending and count < MAX_BOXES:
        node, x, depth = pending.pop()
        yield node, x, depth, WIDTH * node.total / whole
        count += 1
        for child in sorted(node.children.values(), key=lambda child: -child.total):
            if child.total >= whole * MIN_SHARE:
                pending.append((child, x, depth + 1))
            x += WIDTH * child.total / whole
