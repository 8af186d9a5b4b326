"""Pages of where a transaction used its gas: a flame graph with tables, and lines that ran."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from devchain.errors import TransactionNotFound
from devchain.server.explorer.page import Page, RawCall
from devchain.server.explorer.reader import Reader, how_to_add_artifacts
from devchain.server.explorer.sources import covered_files
from devchain.server.explorer.transaction_pages import page_of
from devchain.source.gas import GasNode, line_place
from devchain.text import percent

MAX_FILES = 20
MAX_ROWS = 100
MAX_BOXES = 600
MIN_SHARE = 0.002
"""The narrowest box of the graph, as a share of its width."""

WIDTH, ROW = 1_000, 20
CHARACTER = 6.7
"""Width of a character of the graph's font, for cutting names."""


@dataclass(frozen=True, slots=True)
class Box:
    """A function of the flame graph: its place in the picture, and its name as far as it fits."""

    x: float
    y: int
    width: float
    name: str
    label: str
    gas: int
    share: str
    color: int


def raw(reader: Reader, tx_hash: str) -> list[RawCall]:  # noqa: ARG001  # as all of them
    """The profile."""
    return [("devchain_profileTransaction", [tx_hash])]


def gas(reader: Reader, tx_hash: str) -> Page:
    """Where a mined transaction used its gas, by executing it once more."""
    tx, receipt = reader.find_mined(tx_hash)
    profile = reader.node.explainer.gas_profile(receipt.transaction.hash)
    if profile is None:
        raise TransactionNotFound("a revert has taken this transaction back")
    boxes = list(flame(profile.stacks))
    values: dict[str, object] = {
        "used": profile.gas_used,
        "refunds": profile.refunds,
        "boxes": boxes,
        "size": (WIDTH, ROW + max((box.y for box in boxes), default=0)),
        "row": ROW,
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
    return page_of("gas.html", "Gas of", tx, values, raw(reader, tx.hash))


def lines(reader: Reader, tx_hash: str) -> Page:
    """The lines of the source that a mined transaction ran, by executing it once more."""
    node = reader.node
    tx, receipt = reader.find_mined(tx_hash)
    recorder = node.explainer.new_gas_recorder()
    recorder.record_transaction(node.chain, receipt.transaction.hash)
    files = covered_files(recorder)
    values: dict[str, object] = {
        "files": files[:MAX_FILES],
        "advice": "" if files else how_to_add_artifacts(node),
        "hidden": max(0, len(files) - MAX_FILES),
    }
    return page_of("lines.html", "Lines of", tx, values, raw(reader, tx.hash))


def flame(root: GasNode) -> Iterator[Box]:
    """The boxes of a flame graph, each as wide as its gas, below the one that called it."""
    whole = max(root.total, 1)
    pending: list[tuple[GasNode, float, int]] = [(root, 0.0, 0)]
    count = 0
    while pending and count < MAX_BOXES:
        node, x, depth = pending.pop()
        total = node.total
        width = WIDTH * total / whole
        name = node.name or "all"
        fits = int((width - 8) / CHARACTER)
        label = name if len(name) <= fits else f"{name[: fits - 1]}…" if fits > 3 else ""
        color = 0 if not depth else 1 + sum(name.partition(".")[0].encode()) % 6
        yield Box(x, depth * ROW, width, name, label, total, percent(total, whole), color)
        count += 1
        for child in sorted(node.children.values(), key=lambda child: -child.total):
            if child.total >= whole * MIN_SHARE:
                pending.append((child, x, depth + 1))
            x += WIDTH * child.total / whole
