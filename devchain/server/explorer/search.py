"""Search: the page that a block, hash, address, name, selector or topic names."""

from __future__ import annotations

import re

from devchain.node import Node
from devchain.server.explorer.page import Page
from devchain.server.explorer.reader import Reader, bytes_of, hex_of
from devchain.types import SELECTOR_SIZE, WORD_SIZE, ZERO_ADDRESS, Address, BlockHash, Hash32, Tag

MAX_FOUND = 50


Match = tuple[str, str, str]  # kind, text, and page of what was found, empty for none


def search(reader: Reader) -> Page:
    """The page of what was asked for, or a list of what fits."""
    text = reader.query.text("q")
    if path := _exact(reader.node, text):
        return Page("", "", location=path)
    found = _matching(reader, text) if text else []
    if len(found) == 1 and (path := found[0][2]):
        return Page("", "", location=path)
    status = 200 if found or not text else 404
    return Page("search.html", "Search", {"found": found, "text": text}, status=status)


def _exact(node: Node, text: str) -> str:
    # The page of what the text names exactly.
    digits = text.replace(",", "").replace("_", "")
    if digits.isascii() and digits.isdigit() and len(digits) < 20:
        return f"/block/{int(digits)}"
    if text.lower() in {"latest", "earliest"}:
        return f"/block/{text.lower()}"
    value = bytes_of(text)
    if len(value) == len(ZERO_ADDRESS):
        return f"/address/{hex_of(value)}"
    if len(value) == WORD_SIZE:
        wanted = Hash32(value)
        if node.chain.find_block(BlockHash(wanted)):
            return f"/block/{hex_of(wanted)}"
        if node.chain.receipt(wanted) or node.mempool.find(wanted):
            return f"/tx/{hex_of(wanted)}"
    return ""


def _matching(reader: Reader, text: str) -> list[Match]:
    value, node, wanted = bytes_of(text), reader.node, text.lower()
    if len(value) in (SELECTOR_SIZE, WORD_SIZE):
        return _in_artifacts(node, value)
    if own := re.fullmatch(r"account (\d{1,4})", wanted):
        addresses, index = list(reader.own_accounts), int(own[1])
        if index < len(addresses):
            return [("account", text, f"/address/{hex_of(addresses[index])}")]
    contracts = map(reader.account, known_contracts(node))
    matches = [
        ("contract", f"{view.name} at {view.address}", f"/address/{view.address.lower()}")
        for view in contracts
        if wanted in view.name.lower()
    ]
    if not matches:
        names = [name for name in node.artifacts.names() if wanted in name.lower()]
        matches = [("artifact", f"{name}, not deployed here", "") for name in names]
    return matches[:MAX_FOUND]


def _in_artifacts(node: Node, key: bytes) -> list[Match]:
    # What has a selector, or the topic of an event.
    matches: dict[str, Match] = {}
    for artifact in node.artifacts:
        kinds = {"function": artifact.abi.functions, "error": artifact.abi.errors}
        if len(key) == WORD_SIZE:
            kinds = {"event": artifact.abi.events}
        for kind, entries in kinds.items():
            if entry := entries.get(key):
                signature = f"{artifact.name}.{entry.signature}"
                matches[signature] = (kind, signature, "")
    return list(matches.values())[:MAX_FOUND]


def known_contracts(node: Node, limit: int = 1_000) -> list[Address]:
    chain = node.chain
    first = max(chain.first + (node.fork is not None), chain.height - limit + 1)
    code = chain.state_at(Tag.LATEST).code
    return [
        receipt.contract_address
        for number in range(chain.height, first - 1, -1)
        for receipt in reversed(chain.block(number).receipts)
        if receipt.succeeded and receipt.contract_address and code(receipt.contract_address)
    ]
