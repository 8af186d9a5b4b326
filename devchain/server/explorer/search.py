"""Search: the page that a block, hash, address, name, selector or topic names."""

from __future__ import annotations

import re
from dataclasses import dataclass

from devchain.node import Node
from devchain.server.explorer.page import Page, Query
from devchain.server.explorer.values import Reader, hex_of, one_line
from devchain.types import SELECTOR_SIZE, WORD_SIZE, ZERO_ADDRESS, Address, BlockHash, Hash32, Tag

HEX = re.compile(r"(?:0x)?([0-9a-fA-F]+)\Z")
MAX_FOUND = 50
MAX_LOGS = 50


@dataclass(frozen=True, slots=True)
class Found:
    """Something that a search has found: what it is, its text, and its page, if it has one."""

    kind: str
    text: str
    path: str = ""


def search(node: Node, query: Query) -> Page:
    """The page of what was asked for, or a list of what fits."""
    text = query.text("q")
    path = _exact(node, text)
    if path:
        return Page("", "", location=path)
    found = _matching(node, text) if text else []
    if len(found) == 1 and found[0].path:
        return Page("", "", location=found[0].path)
    status = 200 if found or not text else 404
    return Page("search.html", "Search", {"found": found, "text": text}, status=status)


def _exact(node: Node, text: str) -> str:
    digits = text.replace(",", "").replace("_", "")
    if digits.isascii() and digits.isdigit() and len(digits) < 20:
        return f"/block/{int(digits)}"
    if text.lower() in {"latest", "earliest"}:
        return f"/block/{text.lower()}"
    match = HEX.match(text)
    value = bytes.fromhex(match[1]) if match and len(match[1]) % 2 == 0 else b""
    if len(value) == len(ZERO_ADDRESS):
        return f"/address/{hex_of(value)}"
    return _by_hash(node, Hash32(value)) if len(value) == WORD_SIZE else ""


def _by_hash(node: Node, wanted: Hash32) -> str:
    if node.chain.find_block(BlockHash(wanted)):
        return f"/block/{hex_of(wanted)}"
    if node.chain.receipt(wanted) or node.mempool.find(wanted):
        return f"/tx/{hex_of(wanted)}"
    return ""


def _matching(node: Node, text: str) -> list[Found]:
    match = HEX.match(text)
    if match and len(match[1]) == 2 * SELECTOR_SIZE:
        return _selector(node, bytes.fromhex(match[1]))
    if match and len(match[1]) == 2 * WORD_SIZE:
        return _topic(node, Hash32(bytes.fromhex(match[1])))
    return _named(node, text)


def _selector(node: Node, selector: bytes) -> list[Found]:
    found = {}
    for artifact in node.artifacts:
        for kind, entries in (
            ("function", artifact.abi.functions),
            ("error", artifact.abi.errors),
        ):
            if entry := entries.get(selector):
                signature = f"{artifact.name}.{entry.signature}"
                found[signature] = Found(kind, one_line(signature))
    return list(found.values())[:MAX_FOUND]


def _topic(node: Node, topic: Hash32) -> list[Found]:
    found = {}
    for artifact in node.artifacts:
        if entry := artifact.abi.events.get(topic):
            signature = f"{artifact.name}.{entry.signature}"
            found[signature] = Found("event", one_line(signature))
    return list(found.values())[:MAX_FOUND]


def _named(node: Node, text: str) -> list[Found]:
    reader = Reader(node)
    wanted = text.lower()
    own = re.fullmatch(r"account (\d{1,4})", wanted)
    if own:
        addresses = list(reader.own_accounts)
        index = int(own[1])
        if index < len(addresses):
            return [Found("account", text, f"/address/{hex_of(addresses[index])}")]
    found = []
    for account in known_contracts(node):
        party = reader.party(account)
        if wanted in party.name.lower():
            at = f"/address/{hex_of(account)}"
            found.append(Found("contract", f"{party.name} at {party.address}", at))
    if not found:
        names = [each for each in node.artifacts.names() if wanted in each.lower()]
        found = [Found("artifact", f"{one_line(each)}, not deployed here") for each in names]
    return found[:MAX_FOUND]


def known_contracts(node: Node, limit: int = 1_000) -> list[Address]:
    """Contracts that the newest blocks created, the newest first."""
    chain = node.chain
    first = max(chain.first + (node.fork is not None), chain.height - limit + 1)
    code = chain.state_at(Tag.LATEST).code
    return [
        receipt.contract_address
        for number in range(chain.height, first - 1, -1)
        for receipt in reversed(chain.block(number).receipts)
        if receipt.succeeded and receipt.contract_address and code(receipt.contract_address)
    ]
