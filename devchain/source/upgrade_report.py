"""What an upgrade changes, by contract and function: statuses, results and gas of calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from devchain.text import plural, printable

if TYPE_CHECKING:
    from devchain.tracing.replay import Pair

COUNTS = ("calls", "changed", "gas", "newGas")
COLUMNS = ("contract and function", "calls", "changed", "gas", "then", "change", "place")
EMPTY: dict[str, Any] = dict.fromkeys((*COUNTS, "otherStatus", "otherResult"), 0)
EMPTY |= dict.fromkeys(("reason", "place", "transaction"), "")

Rows = Mapping[str, Mapping[str, Any]]


class UpgradeReport:
    """Calls under two hardforks, counted by function.

    In a row `gas` and `newGas` are of calls whose status stays; `reason` is why one has another,
    `place` where that is, or the function, `transaction` the hash of the first that changes.
    `otherResult` counts other data or logs.
    """

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Any]] = {}

    def count(self, name: str, pair: Pair, place: str, tx_hash: bytes = b"") -> None:
        _, _, old, new, _ = pair
        row: dict[str, Any] = {**EMPTY, "calls": 1, "place": place}
        if bool(old.failure) != bool(new.failure):
            row |= {"otherStatus": 1, "changed": 1}
            row["reason"] = new.failure or f"no more {old.failure}"
        else:
            row |= {"gas": old.gas, "newGas": new.gas}
            row["otherResult"] = int((old.output, old.logs) != (new.output, new.logs))
            row["changed"] = int(old != new)
        if tx_hash and row["changed"]:
            row["transaction"] = f"0x{tx_hash.hex()}"
        self.add({name: row})

    def add(self, rows: Rows) -> None:
        for name, row in rows.items():
            own = self.rows.setdefault(name, dict(EMPTY))
            if row["reason"] and not own["reason"]:
                own["place"] = row["place"]
            for key, value in row.items():
                own[key] = own[key] or value if isinstance(value, str) else own[key] + value


def change_of(row: Mapping[str, Any]) -> str:
    """How much more gas calls of a function use whose status stays, such as `-5.3 %`."""
    percent = 100 * (row["newGas"] / row["gas"] - 1) if row["gas"] else 0
    return f"{percent:+.1f} %"


def format_report(rows: Rows, old: str, new: str) -> Iterator[str]:
    """A table of the functions that change, and a line about all."""
    changed = sorted((not row["otherStatus"], name) for name, row in rows.items() if row["changed"])
    table = [COLUMNS] if changed else []
    for _, name in changed:
        row = rows[name]
        counts = [f"{row[column]:,}" for column in COUNTS]
        table.append((name, *counts, change_of(row), row["place"]))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for name, *figures, place in table:
        padded = (cell.rjust(width) for cell, width in zip(figures, widths[1:], strict=False))
        yield printable("  ".join([name.ljust(widths[0]), *padded, place]).rstrip())
        row = rows.get(name, EMPTY)
        if row["otherStatus"]:
            yield printable(f"  {row['otherStatus']:,} with another status: {row['reason']}")
        if row["otherResult"]:
            yield f"  {row['otherResult']:,} with another result"
    calls = plural(sum(row["calls"] for row in rows.values()), "call")
    functions = f"{len(changed):,} of {plural(len(rows), 'function')}"
    yield f"{functions} would change from {old} to {new}, in {calls}"
