"""Search: the page that a block, hash, address, name, selector or topic names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from devchain.chain.slices import SLOW, Slices
from devchain.contracts.abi import Abi, Entry
from devchain.node import Node
from devchain.server.explorer.page import Page
from devchain.server.explorer.reader import Reader, bytes_of, hex_of
from devchain.types import SELECTOR_SIZE, WORD_SIZE, ZERO_ADDRESS, Address, BlockHash, Hash32

MAX_FOUND = 50
MAX_NAMED = 2_000  # newest contracts whose names are looked at
MAX_TOKENS = 100

Match = tuple[str, str, str]  # kind, text, and page of what was found, empty for none


def search(reader: Reader) -> Slices[Page]:
    """The page of what was asked for, or a list of what fits."""
    text = reader.query.text("q")
    if path := _exact(reader.node, text):
        return Page("", "", location=path)
    found = (yield from _matching(reader, text)) if text else []
    places = [path for kind, _, path in found if kind in {"contract", "account", "token"}]
    if len(places) == 1 and (len(found) == 1 or found[0][1].lower().startswith(f"{text.lower()} ")):
        return Page("", "", location=places[0])
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
    is_bitcoin = node.bitcoin_component.checkpoint() and node.bitcoin.find(value)
    return f"/btc/tx/{value.hex()}" if is_bitcoin else ""


def _matching(reader: Reader, text: str) -> Slices[list[Match]]:
    value, node, wanted = bytes_of(text), reader.node, text.lower()
    if own := re.fullmatch(r"account (\d{1,4})", wanted):
        addresses, index = list(reader.own_accounts), int(own[1])
        if index < len(addresses):
            return [("account", text, f"/address/{hex_of(addresses[index])}")]
    contracts = yield from reader.known_contracts(MAX_NAMED)
    found = [each for each in _in_abis(reader, contracts) if value and each[1] == value]
    matches = [match for _, _, match in found]
    if re.fullmatch("0x[0-9a-f]{2,39}", wanted):
        return [*matches, *(yield from _starting_with(reader, wanted))][:MAX_FOUND]
    if len(value) in (SELECTOR_SIZE, WORD_SIZE):
        return matches[:MAX_FOUND]
    named = [(address, reader.account(address).name) for address in contracts]
    precompiled = {address: name for name, address in node.chain.rules.precompile_names().items()}
    named += precompiled.items()
    matches = [
        ("contract", f"{name} at {reader.account(address).address}", _page(address))
        for address, name in named
        if wanted in name.lower()
    ]
    yield SLOW
    known = yield from reader.index()
    for address in known.tokens(MAX_TOKENS):
        token = reader.token(address)
        if token and wanted in f"{token.name}\n{token.symbol}".lower():
            named_at = f"{token.label} at {reader.account(address).address}"
            matches.append(("token", named_at, f"{_page(address)}/token"))
    matches += [
        match for entry, _, match in _in_abis(reader, contracts) if wanted in entry.name.lower()
    ]
    deployed = {name for _, name in named}
    matches += [
        ("artifact", f"{name}, not deployed here", "")
        for name in node.artifacts.names()
        if wanted in name.lower() and name not in deployed
    ]
    return list(dict.fromkeys(matches))[:MAX_FOUND]


def _starting_with(reader: Reader, text: str) -> Slices[list[Match]]:
    # Accounts by the first digits of their addresses, of which there may be an odd number.
    index = yield from reader.index()
    touched = index.starting_with(bytes_of(text[: len(text) // 2 * 2]), MAX_FOUND)
    views = [reader.account(each) for each in dict.fromkeys([*reader.own_accounts, *touched])]
    return [
        ("account", view.named, f"/address/{view.address}")
        for view in views
        if view.address.lower().startswith(text)
    ]


def _in_abis(reader: Reader, contracts: list[Address]) -> Iterator[tuple[Entry, bytes, Match]]:
    # Functions, events and errors of all artifacts: entry, selector or topic, and where it is used.
    node = reader.node
    pages: dict[str, Address] = {}
    for address in contracts:
        pages.setdefault(reader.account(address).name, address)
    abis: list[tuple[str, Abi, Address | None]] = [
        (artifact.name, artifact.abi, pages.get(artifact.name)) for artifact in node.artifacts
    ]
    abis += [
        (artifact.name, artifact.abi, address)
        for address in node.chain.rules.precompiled_abis()
        if (artifact := reader.names.artifact(address))
    ]
    for name, abi, where in abis:
        kinds = (("function", abi.functions), ("event", abi.events), ("error", abi.errors))
        for kind, entries in kinds:
            for key, entry in entries.items():
                path = ""
                if where:
                    tabs = {"function": f"call#f{key.hex()}", "event": "events", "error": "source"}
                    path = f"{_page(where)}/{tabs[kind]}"
                yield entry, key, (kind, f"{name}.{entry.signature}", path)


def _page(address: Address) -> str:
    return f"/address/{hex_of(address)}"
