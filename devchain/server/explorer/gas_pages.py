"""Pages of where a transaction used its gas: a flame graph with tables; sources, lines that ran."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache

from markupsafe import Markup, escape

from devchain.chain.block import Receipt
from devchain.contracts.code_map import SourceFile
from devchain.contracts.source_parser import pieces
from devchain.node import Node
from devchain.server.explorer.page import Page
from devchain.server.explorer.reader import ADD_ARTIFACTS, Reader, still_mined
from devchain.server.explorer.transaction_pages import page_of
from devchain.source.gas import GasNode, gas_profile, line_place
from devchain.text import percent, printable
from devchain.tracing.gas_recorder import GasRecorder

MAX_FILES = 20
MAX_ROWS = 100
MAX_BOXES = 600
MIN_SHARE = 0.002  # the narrowest box of the graph, as a share of its width
WIDTH, ROW = 1_000, 20
PROFILE = "devchain_profileTransaction"
MAX_SOURCE = 200_000  # characters of a source that is highlighted; a longer one is shown plain
WHOLE_FILE, AROUND = 300, 8  # lines of a file; of a longer one, around lines that ran


def gas(reader: Reader, tx_hash: str) -> Page:
    """Where a mined transaction used its gas, by executing it once more."""
    tx, receipt = reader.find_mined(tx_hash)
    values = {} if reader.query.is_json else _gas_values(reader.node, receipt)
    return page_of("gas.html", "Gas of", tx, values, (PROFILE, [tx.hash]))


def _gas_values(node: Node, receipt: Receipt) -> dict[str, object]:
    profile = still_mined(node.explainer.gas_profile(receipt.transaction.hash))
    boxes = list(flame(profile.stacks))
    return {
        "used": profile.gas_used,
        "refunds": profile.refunds,
        "boxes": boxes,
        "graph_height": ROW * (1 + max(depth for _, _, depth, _ in boxes)),
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


def lines(reader: Reader, tx_hash: str) -> Page:
    """The lines of the source that a mined transaction ran, by executing it once more."""
    tx, receipt = reader.find_mined(tx_hash)
    values: dict[str, object] = {}
    if not reader.query.is_json:
        recorder = reader.node.explainer.gas_record(receipt.transaction.hash)
        values = {**_covered_files(still_mined(recorder)), "advice": ADD_ARTIFACTS}
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


# Sources

Line = tuple[int, str, int | None, bool]  # number, text, gas of what ran, whether it has code


def _covered_files(recorder: GasRecorder) -> dict[str, object]:
    # The files with lines that ran, the most gas first.
    profile = gas_profile(recorder)
    gas: dict[str, dict[int, int]] = defaultdict(dict)
    for (path, number, _), line in profile.lines.items():
        if number:
            gas[path][number] = gas[path].get(number, 0) + line.gas
    files: dict[str, tuple[SourceFile, set[int]]] = {}
    for code_map in recorder.code_maps():
        for path, (file, lines) in code_map.lines.items():
            files.setdefault(path, (file, set()))[1].update(lines)
    known = sorted(gas.keys() & files, key=lambda path: (-sum(gas[path].values()), path))
    shown = [(path, *_covered(*files[path], gas[path])) for path in known[:MAX_FILES]]
    return {"files": shown, "hidden": max(0, len(known) - MAX_FILES), "gross": profile.gross}


def _covered(
    file: SourceFile, with_code: set[int], gas: dict[int, int]
) -> tuple[list[Line], int, int, int]:
    # Lines, of a long file those around lines that ran; how many ran, how many have code; gas.
    texts = highlighted(file.text, "Vyper" if file.is_vyper else "Solidity")
    near = {line + distance for line in gas for distance in range(-AROUND, AROUND + 1)}
    lines = [
        (number, text, gas.get(number), number in with_code)
        for number, text in enumerate(texts, 1)
        if len(texts) <= WHOLE_FILE or number in near
    ]
    return lines, len(gas.keys() & with_code), len(with_code), sum(gas.values())


@lru_cache(maxsize=16)
def highlighted(content: str, language: str) -> Sequence[str]:
    """The lines of a source as HTML with what is invisible escaped; plain ones of a long source."""
    # As compilers count lines; printable escapes what else could break one.
    lines = content.removesuffix("\n").split("\n")
    if len(content) > MAX_SOURCE:
        return lines
    text = "\n".join(printable(line.removesuffix("\r").expandtabs(4)) for line in lines)
    written = []
    for piece, kind in pieces(text, is_vyper=language == "Vyper"):
        escaped = str(escape(piece))
        if kind:
            start, end = f'<span class="hl-{kind}">', "</span>"
            escaped = start + escaped.replace("\n", f"{end}\n{start}") + end
        written.append(escaped)
    return [Markup(line) for line in "".join(written).split("\n")]  # noqa: S704  # it is escaped
