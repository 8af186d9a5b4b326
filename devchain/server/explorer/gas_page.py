"""The page of where a transaction used its gas: a flame graph, functions, lines and storage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from devchain.contracts.gas_profile import GasNode, line_place
from devchain.errors import TransactionNotFound
from devchain.node import Node
from devchain.server.explorer.page import Page, Query
from devchain.server.explorer.transaction_pages import find, raw_when_mined
from devchain.server.explorer.values import Reader, long_text, one_line
from devchain.text import percent

MAX_ROWS = 100
MAX_BOXES = 600
MIN_SHARE = 0.002
"""The narrowest box of the graph, as a share of its width."""

RAW = raw_when_mined("devchain_profileTransaction")
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


def gas(node: Node, query: Query, tx_hash: str) -> Page:
    """Where a mined transaction used its gas, by executing it once more."""
    reader = Reader(node)
    tx, mined = find(node, tx_hash)
    profile = node.explainer.gas_profile(tx.hash) if mined else None
    if mined is None or profile is None:
        raise TransactionNotFound("a transaction uses gas once it is mined")
    row = reader.transaction(tx, *mined)
    boxes = list(flame(profile.stacks))
    return Page(
        "gas.html",
        f"Gas of {row.short}",
        {
            "tx": row,
            "used": profile.gas_used,
            "refunds": profile.refunds,
            "gross": profile.gross,
            "boxes": boxes,
            "size": (WIDTH, ROW * (1 + max((each.y for each in boxes), default=0) // ROW)),
            "row": ROW,
            "functions": [
                (one_line(each.name), each.calls or "–", each.total, each.gas)
                for each in profile.functions()[:MAX_ROWS]
            ],
            "lines": [
                (
                    one_line(line_place(key)),
                    each.gas,
                    percent(each.gas, profile.gross),
                    one_line(each.text.strip()),
                )
                for key, each in profile.sorted_lines()[:MAX_ROWS]
            ],
            "storage": [
                (one_line(f"{contract}.{variable}"), use.reads, use.writes, use.gas, use.cold_gas)
                for (contract, variable), use in profile.sorted_storage()[:MAX_ROWS]
            ],
            "live_hash": row.block_hash,
        },
        raw=RAW(node, query, tx_hash),
        section="transactions",
    )


def flame(root: GasNode) -> Iterator[Box]:
    """The boxes of a flame graph, each as wide as its gas, below the one that called it."""
    whole = max(root.total, 1)
    pending: list[tuple[GasNode, float, int]] = [(root, 0.0, 0)]
    count = 0
    while pending and count < MAX_BOXES:
        node, x, depth = pending.pop()
        total = node.total
        width = WIDTH * total / whole
        name = long_text(node.name or "all")
        fits = int((width - 8) / CHARACTER)
        label = name if len(name) <= fits else f"{name[: fits - 1]}…" if fits > 3 else ""
        color = 0 if not depth else 1 + sum(name.partition(".")[0].encode()) % 6
        yield Box(x, depth * ROW, width, name, label, total, percent(total, whole), color)
        count += 1
        for each in sorted(node.children.values(), key=lambda child: -child.total):
            if each.total >= whole * MIN_SHARE:
                pending.append((each, x, depth + 1))
            x += WIDTH * each.total / whole
