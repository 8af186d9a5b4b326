"""The page of what a transaction changed: balances, nonces, code, and storage by variable name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from devchain.contracts.storage_names import JointStorageNames
from devchain.errors import TransactionNotFound
from devchain.node import Node
from devchain.node.contract_storage import difference_of, storage_names
from devchain.server.explorer.page import Page, Query
from devchain.server.explorer.transaction_pages import find, raw_when_mined
from devchain.server.explorer.values import Party, Reader, hex_of, long_text
from devchain.text import plural
from devchain.tracing.prestate_tracer import AccountState, Difference
from devchain.types import Address

RAW = raw_when_mined(
    "debug_traceTransaction", {"tracer": "prestateTracer", "tracerConfig": {"diffMode": True}}
)
MAX_ACCOUNTS = 200
MAX_SLOTS = 500
"""What the page shows; the JSON has all of it."""


@dataclass(frozen=True, slots=True)
class Change:
    """A value before and after; `slot` is that of a storage variable, as DATA."""

    name: str
    before: str
    after: str
    difference: str = ""
    slot: str = ""


@dataclass(frozen=True, slots=True)
class Changed:
    """An account and what changed of it."""

    party: Party
    changes: list[Change]
    note: str = ""


def changes(node: Node, query: Query, tx_hash: str) -> Page:
    """What a mined transaction changed, by executing it once more."""
    reader = Reader(node)
    tx, mined = find(node, tx_hash)
    found = difference_of(node, tx.hash) if mined else None
    if mined is None or found is None:
        raise TransactionNotFound("a transaction changes something once it is mined")
    row = reader.transaction(tx, *mined)
    accounts = sorted({*found.before, *found.after})
    shown = [_changed(reader, found, each) for each in accounts[:MAX_ACCOUNTS]]
    return Page(
        "changes.html",
        f"Changes by {row.short}",
        {
            "tx": row,
            "accounts": shown,
            "hidden": max(len(accounts) - MAX_ACCOUNTS, 0),
            "live_hash": row.block_hash,
        },
        raw=RAW(node, query, tx_hash),
        section="transactions",
    )


NOTHING = AccountState(0, 0, b"", None)


def _changed(reader: Reader, found: Difference, address: Address) -> Changed:
    before = found.before.get(address, NOTHING)
    after = found.after.get(address)
    note = ""
    if address not in found.before:
        note = "new account"
    if after is None:
        after, note = NOTHING, "deleted"
    return Changed(
        reader.party(address),
        [
            *_fields(reader, before, after, is_deleted=note == "deleted"),
            *_storage(reader, found, address, before, after),
        ],
        note,
    )


def _fields(
    reader: Reader, before: AccountState, after: AccountState, *, is_deleted: bool
) -> Iterator[Change]:
    if after.balance is not None and after.balance != before.balance:
        had = before.balance or 0
        grown = after.balance - had
        sign = "+" if grown > 0 else "-"
        yield Change(
            "Balance",
            reader.amount(had),
            reader.amount(after.balance),
            f"{sign}{reader.amount(abs(grown))}",
        )
    if after.nonce is not None and after.nonce != before.nonce:
        yield Change("Nonce", f"{before.nonce:,}", f"{after.nonce:,}")
    if after.code is not None and after.code != before.code and (after.code or is_deleted):
        sizes = [plural(len(each or b""), "byte") for each in (before.code, after.code)]
        yield Change("Code", *sizes)


def _storage(
    reader: Reader,
    found: Difference,
    address: Address,
    before: AccountState,
    after: AccountState,
) -> Iterator[Change]:
    delegates = found.delegates.get(address, {})
    names = storage_names(reader.node, address, found.preimages, delegates, reader.names.address)
    slots = sorted({*before.storage, *after.storage})
    for slot in slots[:MAX_SLOTS]:
        was, now = before.storage.get(slot, 0), after.storage.get(slot, 0)
        yield from slot_changes(names, slot, was, now)
    if len(slots) > MAX_SLOTS:
        yield Change(f"{len(slots) - MAX_SLOTS:,} more slots are in the JSON", "", "")


def slot_changes(names: JointStorageNames, slot: int, was: int, now: int) -> Iterator[Change]:
    """The variables of a slot that have changed; the slot itself if they are not known."""
    text = hex_of(slot.to_bytes(32))
    before, after = names.describe(slot, was), names.describe(slot, now)
    if not before or len(before) != len(after):
        yield Change("", _word(was), _word(now), slot=text)
        return
    for (name, old), (_, new) in zip(before, after, strict=True):
        if old != new:
            change = Change(long_text(name), long_text(old), long_text(new), slot=text)
            yield replace(change, difference=_difference(old, new))


def _difference(old: str, new: str) -> str:
    try:
        return f"{int(new) - int(old):+,}"
    except ValueError:
        return ""


def _word(word: int) -> str:
    return f"0x{word:x}"
