"""`devchain inspect gas`: where a transaction used its gas."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.options import (
    DEFAULT_URL,
    UNSUPPORTED,
    AsJson,
    TransactionHash,
    Url,
    connect,
    transaction_hash,
)
from devchain.client.views import Json, number
from devchain.errors import InvalidInput, RpcFailure, TransactionNotFound
from devchain.text import printable, shorten

TOP = 10
MAX_TEXT = 27
"""Characters of a source line that are shown beside its place."""

HASH = re.compile(r"(0x\w{8})\w{52}(\w{4})")
"""A slot's number, which alone would be too long for a row."""

Row = tuple[str, *tuple[output.Piece, ...]]
"""Figures, and what they are of."""

All = Annotated[bool, typer.Option("--all", help=f"Show all rows, not only {TOP}.")]


def gas(
    tx_hash: TransactionHash, show_all: All = False, url: Url = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Show where a transaction used its gas: by function, source line and storage variable.

    It needs a devchain node, which knows functions and lines of the contracts in its --artifacts.
    --json has the numbers of slots whole.

    Example:
      devchain inspect gas latest
    """
    node = connect(url)
    try:
        profile = node.call("devchain_profileTransaction", transaction_hash(node, tx_hash))
    except RpcFailure as failure:
        if failure.code not in UNSUPPORTED:
            raise
        raise InvalidInput(
            "this node makes no gas profiles: they need a devchain, such as a fork of its chain "
            "(`devchain start --fork-url URL`)"
        ) from None
    if profile is None:
        raise TransactionNotFound(f"transaction {tx_hash} is not mined")
    if as_json:
        output.write_json(profile)
        return
    used, refunds = _number(profile, "gasUsed"), _number(profile, "refunds")
    notes = [f"{refunds:,} of refunds are subtracted"] if refunds else []
    output.write_title(f"Gas {used:,}", *notes)
    gross, top = used + refunds, None if show_all else TOP
    _table(
        f"{'gas in all':>12} {'own':>12} {'calls':>6}  function",
        [_function(row) for row in profile.get("functions") or []],
        top,
    )
    _table(
        f"{'gas':>12} {'share':>6}  line",
        [_line(row, gross) for row in profile.get("lines") or []],
        top,
    )
    _table(
        f"{'gas':>12} {'cold':>8} {'reads':>6} {'writes':>6}  storage",
        [_storage(row) for row in profile.get("storage") or []],
        top,
    )


def _table(head: str, rows: Sequence[Row], top: int | None) -> None:
    if not rows:
        return
    output.write_blank_line()
    output.write_line((head, output.FAINT))
    for row in rows[:top]:
        output.write_row(*row)
    if top is not None and len(rows) > top:
        output.write_note(f"{len(rows) - top:,} more: --all shows them")


def _function(row: Json) -> Row:
    calls = _number(row, "calls")
    figures = f"{_number(row, 'total'):>12,} {_number(row, 'gas'):>12,} {calls or '–':>6}  "
    return figures, (str(row.get("name")), output.NAME)


def _line(row: Json, gross: int) -> Row:
    line, note = number(row.get("line")), str(row.get("note") or "")
    place = f"{row.get('path')}:{line}" if line else str(row.get("function") or "")
    used = _number(row, "gas")
    share = f"{100 * used / gross:.1f}%" if gross else ""
    where = f"{place} {note}".strip()
    text = shorten(printable(str(row.get("text") or "")), MAX_TEXT)
    return f"{used:>12,} {share:>6}  ", (f"{where:<30}  ", output.NAME), (text, output.FAINT)


def _storage(row: Json) -> Row:
    figures = [_number(row, name) for name in ("gas", "coldGas", "reads", "writes")]
    used, cold, reads, writes = figures
    variable = HASH.sub(r"\1…\2", str(row.get("variable")))
    name = f"{row.get('contract')}.{variable}", output.NAME
    return f"{used:>12,} {cold:>8,} {reads:>6,} {writes:>6,}  ", name


def _number(row: Json, name: str) -> int:
    return number(row.get(name)) or 0
