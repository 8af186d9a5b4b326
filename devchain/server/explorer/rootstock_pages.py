"""The page of what Rootstock alone has: Bridge, payments of REMASC, minimum gas prices."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from devchain.chain.remasc import FEDERATION_SLOT, REWARD_SLOT, read_payment
from devchain.chain.slices import SLOW, Slices
from devchain.client.views import AccountView, Fact
from devchain.contracts.abi import Entry, format_arguments
from devchain.errors import DevchainError, ForkCacheMiss, NotFound
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS as BRIDGE
from devchain.evm.rootstock.precompiles.chain_contracts import REMASC_ADDRESS
from devchain.evm.rootstock.precompiles.powpeg import powpeg_of
from devchain.server.explorer.bitcoin_pages import pegs
from devchain.server.explorer.chain_pages import header_facts, newest_blocks
from devchain.server.explorer.page import Page
from devchain.server.explorer.reader import Reader, hex_of
from devchain.text import SATOSHIS, decimal, gas_price, moment
from devchain.types import Tag, TransactionRequest

MAX_PAYMENTS = 50
MAX_PAYMENT_BLOCKS = 5_000

BEST_HEADER = "getBtcBlockchainBestBlockHeader"
IN_SATOSHIS = {
    "getEstimatedFeesForNextPegOutEvent",
    "getFeePerKb",
    "getLockingCap",
    "getMinimumLockTxValue",
}
IN_WEI = {"getUnionBridgeLockingCap"}
NUMBER_OF_NONE = -1  # what the Bridge returns for a member of a federation that there is not
SECTIONS = {
    "Queue, fees and limits of the peg": r"Peg[oO]ut|FeePerKb|^getLock|MinimumLock",
    "Federation": r"^getFederation|^getActive",
    "Other federations": r"Federation",
    "Bitcoin": r"BtcBlockchain",
    "Union bridge": r"Union|Event",
    "State as RLP": r"",
}
"""Titles, and patterns for names of functions; the first that fits counts."""

FOLDED = frozenset({"Other federations", "Union bridge", "State as RLP"})  # shown by a click


def _entries(reader: Reader) -> list[Entry]:
    if not reader.chain.rules.has_minimum_gas_price:
        raise NotFound(
            f"{reader.node.config.hardfork} is a hardfork of Ethereum: it has no Bridge and no "
            "REMASC"
        )
    artifact = reader.names.artifact(BRIDGE)
    functions = artifact.abi.functions.values() if artifact else ()
    return [function for function in functions if function.is_read_only and not function.inputs]


def rootstock(reader: Reader) -> Slices[Page]:
    """The Bridge as its functions answer, REMASC and its payments, minimum gas prices."""
    entries = _entries(reader)
    yield SLOW
    bridge = _bridge(reader, entries)
    yield SLOW
    prices = [
        (block.number, price, gas_price(price))
        for block in newest_blocks(reader.chain)
        for price in [getattr(block.header, "minimum_gas_price", 0)]
    ]
    state = reader.chain.state_at(Tag.LATEST)
    return Page(
        "rootstock.html",
        "Rootstock",
        {
            "bridge": reader.account(BRIDGE),
            "sections": bridge,
            "pegs": pegs(reader),
            "has_bitcoin": powpeg_of(reader.node.config.effective_chain_id).is_regtest,
            "folded": FOLDED,
            "remasc": reader.account(REMASC_ADDRESS),
            "is_remasc_on": reader.node.config.remasc,
            "kept": [state.storage(REMASC_ADDRESS, at) for at in (REWARD_SLOT, FEDERATION_SLOT)],
            "remasc_balance": state.balance(REMASC_ADDRESS),
            "amount": reader.notation.amount,
            "payments": _payments(reader),
            "searched": min(MAX_PAYMENT_BLOCKS, reader.chain.height),
            "prices": prices,
        },
        raw=[
            ("eth_call", [{"to": hex_of(BRIDGE), "data": hex_of(entry.selector)}, "latest"])
            for entry in entries
        ],
    )


# The Bridge


def _bridge(reader: Reader, entries: Iterable[Entry]) -> list[tuple[str, list[Fact]]]:
    # On a fork the upstream answers; what is not known of it yet is fetched at once, not one after
    # the other.
    answers: dict[str, list[Fact]] = {title: [] for title in SECTIONS}
    missing: list[ForkCacheMiss] = []
    for entry in entries:
        name = entry.name
        section = next(title for title, words in SECTIONS.items() if re.search(words, name))
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.removeprefix("get"))
        label = words.lower().capitalize()
        try:
            answers[section] += _answer(reader, entry, label)
        except ForkCacheMiss as miss:
            missing.append(miss)
        except DevchainError as failure:
            answers[section].append(Fact(label, str(failure)))
    if missing:
        wanted = frozenset[Any]().union(*(miss.wanted for miss in missing))
        raise ForkCacheMiss(missing[0].needed, wanted)
    return [(title, facts) for title, facts in answers.items() if facts]


def _answer(reader: Reader, entry: Entry, label: str) -> list[Fact]:
    output = reader.node.call(TransactionRequest(to=BRIDGE, data=entry.selector))
    values = entry.decode_output(output)
    if values is None or len(values) != 1:
        return [Fact(label, hex_of(output), is_code=True)]
    [value] = values
    if entry.name == BEST_HEADER and isinstance(value, bytes):
        return [Fact(label, hex_of(value), is_code=True), *header_facts(value)]
    if isinstance(value, int):
        return [Fact(label, _number(reader, entry.name, value))]
    if not value:
        return [Fact(label, "none")]
    text = value if isinstance(value, str) else ""
    text = text or format_arguments(entry.outputs, values, reader.names.address)
    return [Fact(label, text, is_code=True)]


def _number(reader: Reader, name: str, value: int) -> str:
    if name in IN_SATOSHIS:
        return f"{decimal(value, SATOSHIS)} BTC"
    if name in IN_WEI:
        return reader.notation.amount(value)
    if value == NUMBER_OF_NONE:
        return "none"
    return f"{value}, {moment(value)}" if name.endswith("CreationTime") else f"{value:,}"


# REMASC


def _payments(reader: Reader) -> list[tuple[int, AccountView, str, str]]:
    # The newest payments, the newest first: in which block, to whom, how much, for which block.
    rows = []
    for mined in reversed(reader.logs_of(REMASC_ADDRESS, MAX_PAYMENT_BLOCKS, MAX_PAYMENTS)):
        if payment := read_payment(mined.log):
            receiver = reader.account(payment.receiver)
            paid = reader.notation.amount(payment.amount)
            rows.append((mined.block.number, receiver, paid, hex_of(payment.block_hash)))
    return rows
