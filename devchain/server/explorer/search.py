"""Search: the page that a block, hash, address, name, selector or topic names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from devchain.chain.slices import SLOW, Slices
from devchain.client.views import AccountView
from devchain.contracts.abi import Entry
from devchain.contracts.standard_abis import standard_entries
from devchain.server.explorer.bitcoin_pages import peg
from devchain.server.explorer.page import Page
from devchain.server.explorer.reader import Reader, bytes_of, hex_of
from devchain.types import SELECTOR_SIZE, WORD_SIZE, ZERO_ADDRESS, Address, BlockHash, Hash32

MAX_FOUND = 50
MAX_NAMED = 2_000  # newest contracts whose names are looked at
MAX_TOKENS = 100

MAX_PLACES = 10  # contracts that are named beside what they have


class Match(NamedTuple):
    """What was found: its page, empty for none, and contracts that have it with their pages."""

    kind: str
    text: str
    path: str = ""
    contracts: tuple[tuple[AccountView, str], ...] = ()


def search(reader: Reader) -> Slices[Page]:
    """The page of what was asked for, or a list of what fits."""
    text = reader.query.text("q")
    if path := _exact(reader, text):
        return Page("", "", location=path)
    found = (yield from _matching(reader, text)) if text else []
    places = [each.path for each in found if each.kind in {"contract", "account", "token", "page"}]
    if len(places) == 1 and (
        len(found) == 1 or found[0].text.lower().startswith(f"{text.lower()} ")
    ):
        return Page("", "", location=places[0])
    status = 200 if found or not text else 404
    return Page("search.html", "Search", {"found": found, "text": text}, status=status)


def _exact(reader: Reader, text: str) -> str:
    # The page of what the text names exactly.
    node = reader.node
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
    # Others may be hashes of peg-outs before they were signed.
    hashes: Mapping[str, str] = peg(reader)["hashes"] if len(value) == WORD_SIZE else {}
    return f"/btc/tx/{value.hex()}" if is_bitcoin else hashes.get(hex_of(value), "")


def _matching(reader: Reader, text: str) -> Slices[list[Match]]:
    value, node, wanted = bytes_of(text), reader.node, text.lower()
    if own := re.fullmatch(r"account ?(\d{1,4})", wanted):
        addresses, index = list(reader.own_accounts), int(own[1])
        if index < len(addresses):
            return [Match("account", text, f"/address/{hex_of(addresses[index])}")]
    contracts = yield from reader.known_contracts(MAX_NAMED)
    named = [(reader.account(address).name, address) for address in contracts]
    named += node.chain.rules.precompile_names().items()
    proxies = yield from reader.proxies()
    is_prefix = re.fullmatch("0x[0-9a-f]{2,39}", wanted)
    if is_prefix or len(value) in (SELECTOR_SIZE, WORD_SIZE):
        found = _in_abis(reader, named, proxies, lambda _, __, key: key == value)
        if len(value) == SELECTOR_SIZE and not found:
            found.append(Match("selector", wanted, _uses("function", value)))
        found += (yield from _starting_with(reader, wanted)) if is_prefix else []
        return found[:MAX_FOUND]
    found = [
        Match(
            "contract",
            f"{name} at {reader.account(address).address}",
            f"/address/{hex_of(address)}",
        )
        for name, address in named
        if wanted in name.lower()
    ]
    if re.fullmatch("peg[- ]?(in|out)?s?", wanted) and node.chain.rules.has_minimum_gas_price:
        found.append(Match("page", "Peg-ins and peg-outs", "/rootstock#pegs"))
    yield SLOW
    token_text = re.sub(r"\s*#\d+$", "", wanted)
    of, _, asked = wanted.partition("(")[0].rpartition(".")  # of `Escrow.release(id=3)`
    for address in (yield from reader.index()).tokens(MAX_TOKENS):
        if (token := reader.token(address)) is None:
            continue
        names, party = f"{token.name}\n{token.symbol}".lower(), reader.account(address)
        page = f"/address/{hex_of(address)}"
        if token_text in names:
            found.append(Match("token", f"{token.label} at {party.address}", f"{page}/token"))
        if of and of in names:
            code = reader.names.code_at(address)
            found += [
                Match(
                    "function",
                    f"{token.label}.{entry.signature}",
                    f"{_uses('function', key)}&to={hex_of(address)}",
                    ((party, f"{page}/call#f{key.hex()}"),),
                )
                for key, (entry, *_) in standard_entries().items()
                if entry.kind == "function" and asked in entry.name.lower() and key in code
            ]
    found += _in_abis(
        *(reader, named, proxies),
        lambda name, entry, _: asked in entry.name.lower() and of in name.lower(),
    )
    deployed = {name for name, _ in named}
    found += [
        Match(f"{entry.kind} of a standard", entry.signature, _uses(entry.kind, key))
        for key, entries in standard_entries().items()
        for entry in entries
        if not of and (asked == entry.name.lower() or (not found and asked in entry.name.lower()))
    ]
    found += [
        Match("artifact", f"{name}, not deployed here")
        for name in node.artifacts.names()
        if wanted in name.lower() and name not in deployed
    ]
    return list(dict.fromkeys(found))[:MAX_FOUND]


def _uses(kind: str, key: bytes) -> str:
    # The page of logs with a topic, or of transactions with the selector of a function or error.
    return f"/events?topic={hex_of(key)}" if kind == "event" else f"/txs?selector={hex_of(key)}"


def _starting_with(reader: Reader, text: str) -> Slices[list[Match]]:
    # Accounts by the first digits of their addresses, of which there may be an odd number.
    index = yield from reader.index()
    touched = index.starting_with(bytes_of(text[: len(text) // 2 * 2]), MAX_FOUND)
    views = [reader.account(each) for each in dict.fromkeys([*reader.own_accounts, *touched])]
    return [
        Match("account", view.named, f"/address/{view.address}")
        for view in views
        if view.address.lower().startswith(text)
    ]


def _in_abis(
    reader: Reader,
    named: Sequence[tuple[str, Address]],
    proxies: Mapping[Address, Sequence[AccountView]],
    fits: Callable[[str, Entry, bytes], bool],
) -> list[Match]:
    # Functions, events and errors that fit a contract's name, the entry, its selector or topic;
    # with contracts that have them, proxies of these first, and those of which there is none last.
    owners: dict[str, list[Address]] = {}
    for name, address in named:
        owners.setdefault(name, []).append(address)
    precompiled = map(reader.names.artifact, reader.chain.rules.precompiled_abis())
    found = []
    for artifact in [*reader.node.artifacts, *filter(None, precompiled)]:
        own = [(each, reader.account(each)) for each in owners.get(artifact.name, ())]
        running = [proxy for address, _ in own for proxy in proxies.get(address, ())]
        parties = [*running, *(party for _, party in own)][:MAX_PLACES]
        abi = artifact.abi
        kinds = (("function", abi.functions), ("event", abi.events), ("error", abi.errors))
        for kind, entries in kinds:
            for key, entry in entries.items():
                if fits(artifact.name, entry, key):
                    path = _uses(kind, key)
                    tab = {"function": f"/call#f{key.hex()}", "event": path, "error": "/source"}
                    places = tuple(
                        (party, f"/address/{party.address}{tab[kind]}") for party in parties
                    )
                    text = f"{artifact.name}.{entry.signature}"
                    found.append(Match(kind, text, path, places))
    return sorted(found, key=lambda match: not match.contracts)
