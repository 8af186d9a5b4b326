"""The page of what a transaction changed: balances, nonces, code, and storage by variable name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from devchain.client.views import AccountView
from devchain.contracts.storage_names import StorageNames
from devchain.errors import TransactionNotFound
from devchain.node.contract_storage import difference_of, storage_names
from devchain.server.explorer.page import Page, RawCall
from devchain.server.explorer.reader import Reader, hex_of
from devchain.server.explorer.transaction_pages import page_of
from devchain.text import plural
from devchain.tracing.prestate_tracer import AccountState, Difference
from devchain.types import Address

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

    party: AccountView
    changes: list[Change]
    note: str = ""


def raw(reader: Reader, tx_hash: str) -> list[RawCall]:  # noqa: ARG001  # as all of them
    """The difference by geth's tracer."""
    options = {"tracer": "prestateTracer", "tracerConfig": {"diffMode": True}}
    return [("debug_traceTransaction", [tx_hash, options])]


def changes(reader: Reader, tx_hash: str) -> Page:
    """What a mined transaction changed, by executing it once more."""
    tx, receipt = reader.find_mined(tx_hash)
    difference = difference_of(reader.node, receipt.transaction.hash)
    if difference is None:
        raise TransactionNotFound("a revert has taken this transaction back")
    accounts = sorted({*difference.before, *difference.after})
    values: dict[str, object] = {
        "accounts": [_changed(reader, difference, account) for account in accounts[:MAX_ACCOUNTS]],
        "hidden": max(len(accounts) - MAX_ACCOUNTS, 0),
    }
    return page_of("changes.html", "Changes by", tx, values, raw(reader, tx.hash))


NOTHING = AccountState(0, 0, b"", None)


def _changed(reader: Reader, difference: Difference, address: Address) -> Changed:
    before = difference.before.get(address, NOTHING)
    after = difference.after.get(address)
    note = ""
    if address not in difference.before:
        note = "new account"
    if after is None:
        after, note = NOTHING, "deleted"
    return Changed(
        reader.account(address),
        [
            *_fields(reader, before, after, is_deleted=note == "deleted"),
            *_storage(reader, difference, address, before, after),
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
        sizes = [plural(len(code or b""), "byte") for code in (before.code, after.code)]
        yield Change("Code", *sizes)


def _storage(
    reader: Reader,
    difference: Difference,
    address: Address,
    before: AccountState,
    after: AccountState,
) -> Iterator[Change]:
    delegates = difference.delegates.get(address, {})
    names = storage_names(
        reader.node, address, difference.preimages, delegates, reader.names.address
    )
    slots = sorted({*before.storage, *after.storage})
    for slot in slots[:MAX_SLOTS]:
        was, now = before.storage.get(slot, 0), after.storage.get(slot, 0)
        yield from slot_changes(names, slot, was, now)
    if len(slots) > MAX_SLOTS:
        yield Change(f"{len(slots) - MAX_SLOTS:,} more slots are in the JSON", "", "")


def slot_changes(names: StorageNames, slot: int, was: int, now: int) -> Iterator[Change]:
    """The variables of a slot that have changed; the slot itself if they are not known."""
    text = hex_of(slot.to_bytes(32))
    before, after = names.describe(slot, was), names.describe(slot, now)
    if not before or len(before) != len(after):
        yield Change("", f"0x{was:x}", f"0x{now:x}", slot=text)
        return
    for (name, old), (_, new) in zip(before, after, strict=True):
        if old != new:
            yield Change(name, old, new, _difference(old, new), text)


def _difference(old: str, new: str) -> str:
    try:
        return f"{int(new) - int(old):+,}"
    except ValueError:
        return ""
