"""A snapshot of a chain as rows of a screen: header, accounts, mempool, blocks, transactions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from devchain.cli.output import BAD, FAINT, GOOD, NAME, TITLE, Piece
from devchain.cli.watch.watcher import (
    Snapshot,
    WatchedAccount,
    WatchedBlock,
    WatchedTransaction,
)
from devchain.client.views import FAILED, Notation, network_name
from devchain.text import age, gas_price, percent, plural

WIDE = 60
"""Columns from which rows have what is not needed to understand them."""

MAX_TEXT = 500
"""Characters of a part of a row: more do not fit on any terminal."""

CUSTOM_ERROR = "custom error "
"""What narrow screens leave out before the name of an error."""

CHANGED, TAKEN_BACK, WAITING = "yellow", "red", "yellow"
MARKS = {"ok": ("✓", GOOD), FAILED: ("✗", BAD), "pending": ("…", WAITING)}

HEX = re.compile(r"0x([0-9a-fA-F]{4})[0-9a-fA-F]{32,56}([0-9a-fA-F]{4})(?![0-9a-fA-F])")
"""An address or a hash, which rows have shortened; the page of a transaction has all of it."""

ACCOUNT_COLUMNS = len(" 0 0xf39F…2266  ") + 2
"""What an account's row has beside amounts and nonce."""

LEVELS = "▁▂▃▄▅▆▇█"
LEVEL_BLOCKS = 12
"""Blocks of the line of bars for gas."""

FEW = 2
"""So many empty blocks in succession have rows of their own; more share one."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a row stands for: a `block`, `tx` or `account`, with its hash or address."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the screen; `right` is at its end, where it is kept when `left` is cut."""

    left: Sequence[Piece] = ()
    right: Sequence[Piece] = ()
    target: Target | None = None


def short(text: str) -> str:
    """A text with its addresses and hashes shortened: `0xf39F…2266`."""
    return HEX.sub(r"0x\1…\2", text)


def header_rows(snapshot: Snapshot, url: str, state: Piece, width: int, now: int) -> list[Row]:
    """Which chain it is, its newest block, gas, and mempool."""
    chain_id = snapshot.notation.chain_id
    name = network_name(chain_id) or f"chain {chain_id}"
    title: list[Piece] = [("devchain watch", TITLE)]
    if snapshot.client:
        title.append(f" · {name}")
    if width >= WIDE or not snapshot.client:
        title.append((f" · {url}", FAINT))
    rows = [Row(title, [state])]
    if snapshot.is_waiting:
        rows.append(Row([(f"waiting for node at {url}", WAITING)]))
    if snapshot.problem:
        rows.append(Row([(snapshot.problem, TAKEN_BACK)]))
    head = snapshot.head
    if head is None:
        return rows
    left: list[Piece] = [
        "Block ",
        (f"{head.number:,}", TITLE),
        (f" · {age(head.timestamp, now)}", FAINT),
        " · gas ",
    ]
    if width >= WIDE:
        left += [(levels(snapshot), "green"), " "]
        left.append((f"{head.gas_used:,} of {head.gas_limit:,} ", ""))
    left.append((percent(head.gas_used, head.gas_limit), FAINT if width >= WIDE else ""))
    parts = []
    if snapshot.gas_price is not None:
        parts.append(f"Gas price {gas_price(snapshot.gas_price)}")
    pool = snapshot.mempool
    if pool.pending is not None:
        counts = [f"{pool.pending:,} pending"]
        counts += [f"{pool.queued:,} queued"] if pool.queued else []
        parts.append(f"mempool {', '.join(counts)}")
    return [*rows, Row(left), Row([" · ".join(parts)])] if parts else [*rows, Row(left)]


def levels(snapshot: Snapshot) -> str:
    """The gas of the newest blocks as bars beside the largest of them, the newest last."""
    blocks = [each.block for each in snapshot.blocks if each.taken_back_at is None]
    used = [each.gas_used for each in reversed(blocks[:LEVEL_BLOCKS])]
    most = max(used, default=0)
    return "".join(LEVELS[-(-each * (len(LEVELS) - 1) // most) if most else 0] for each in used)


def account_rows(snapshot: Snapshot, limit: int, width: int) -> list[Row]:
    """The accounts: balance, nonce, and the last change of the balance."""
    accounts = snapshot.accounts[:limit]
    amounts = [
        "" if each.balance is None else snapshot.notation.amount(each.balance) for each in accounts
    ]
    aligned = max(map(len, amounts), default=0)
    rows = []
    for each, amount in zip(accounts, amounts, strict=True):
        number = "" if each.index is None else str(each.index)
        left: list[Piece] = [
            (f"{number:>2} ", FAINT),
            (short(each.address), NAME),
            f"  {amount:>{aligned}}",
        ]
        change = _change(each, snapshot.notation)
        nonce = "" if each.nonce is None else f"  nonce {each.nonce:,}"
        if ACCOUNT_COLUMNS + aligned + len(nonce) + len(change) <= width:
            left.append((nonce, FAINT))
        right = [(change, CHANGED)] if change else []
        rows.append(Row(left, right, Target("account", each.address)))
    return rows


def _change(account: WatchedAccount, notation: Notation) -> str:
    if not account.change:
        return ""
    sign = "+" if account.change > 0 else "-"
    return f"{sign}{notation.amount(abs(account.change))}"


def pool_rows(snapshot: Snapshot, limit: int, width: int) -> list[Row]:
    """The first transactions that wait in the mempool."""
    pool = snapshot.mempool
    rows = [
        row
        for each in pool.transactions[:limit]
        for row in transaction_rows(each, snapshot.notation, width)
    ]
    hidden = (pool.pending or 0) + (pool.queued or 0) - len(rows)
    if rows and hidden > 0:
        rows.append(Row([(f"  … {plural(hidden, 'more transaction')}", FAINT)]))
    return rows


def block_rows(snapshot: Snapshot, width: int, now: int) -> Iterator[Row]:
    """The blocks with their transactions, the newest first.

    Runs of empty blocks, and of blocks taken back, are one row; so are blocks that were not read.
    """
    above: WatchedBlock | None = None
    for run in _runs(snapshot.blocks):
        is_taken_back = run[0].taken_back_at is not None
        if above is not None and not is_taken_back:
            yield from _gap(above, run[0])
        if len(run) > FEW:
            yield _range_row(run, now)
        else:
            for each in run:
                yield from _block(each, snapshot, width, now)
        above = above if is_taken_back else run[-1]


def _runs(blocks: Sequence[WatchedBlock]) -> Iterator[list[WatchedBlock]]:
    run: list[WatchedBlock] = []
    for each in blocks:
        if run and not _can_share(run[-1], each):
            yield run
            run = []
        run.append(each)
    if run:
        yield run


def _can_share(above: WatchedBlock, below: WatchedBlock) -> bool:
    if above.taken_back_at is not None or below.taken_back_at is not None:
        return above.taken_back_at is not None and below.taken_back_at is not None
    is_next = above.block.number == below.block.number + 1
    return is_next and not above.count and not below.count


def _gap(above: WatchedBlock, below: WatchedBlock) -> Iterator[Row]:
    missing = above.block.number - below.block.number - 1
    if missing > 0:
        yield Row([(f"  … {plural(missing, 'more block')}", FAINT)])


def _range_row(run: Sequence[WatchedBlock], now: int) -> Row:
    newest, oldest = run[0].block, run[-1].block
    numbers = f"{oldest.number:,} to {newest.number:,}"
    if run[0].taken_back_at is not None:
        return Row([(f"Blocks {numbers} taken back", TAKEN_BACK)])
    left: list[Piece] = [
        (f"Blocks {numbers}", TITLE),
        (f" · {age(newest.timestamp, now)} · empty", FAINT),
    ]
    return Row(left, target=Target("block", newest.hash))


def _block(each: WatchedBlock, snapshot: Snapshot, width: int, now: int) -> Iterator[Row]:
    block = each.block
    target = Target("block", block.hash)
    if each.taken_back_at is not None:
        what = f"Block {block.number:,} taken back"
        txs = f" · {plural(each.count, 'transaction')}" if each.count else ""
        yield Row([(what + txs, TAKEN_BACK)], [(short(block.hash), FAINT)])
        return
    left: list[Piece] = [
        (f"Block {block.number:,}", TITLE),
        (f" · {age(block.timestamp, now)}", FAINT),
    ]
    if each.count:
        left.append(f" · {plural(each.count, 'transaction')}")
    else:
        left.append((" · empty", FAINT))
    used = f"{block.gas_used:,} gas" if each.count else ""
    right: list[Piece] = [(short(block.hash), FAINT)] if width >= WIDE else []
    if used and width >= WIDE:
        left.append((f" · {used} · {percent(block.gas_used, block.gas_limit)}", FAINT))
    yield Row(left, right, target)
    for tx in each.transactions:
        yield from transaction_rows(tx, snapshot.notation, width)
    if hidden := each.count - len(each.transactions):
        yield Row([(f"  … {plural(hidden, 'more transaction')}", FAINT)])


def transaction_rows(tx: WatchedTransaction, notation: Notation, width: int) -> Iterator[Row]:
    """What a transaction called or sent, and if it failed why."""
    mark, style = MARKS.get(tx.status, ("·", FAINT))
    left: list[Piece] = [(f"  {mark} ", style)]
    what = short(tx.called)
    if width >= WIDE or not what:
        left += [(short(tx.sender), NAME), " "]
    left.append(("→ ", FAINT))
    if what:
        left.append(what)
        if tx.created is not None:
            left.append((f" {short(tx.created)}", NAME))
    else:
        left += _recipient(tx)
    if tx.value:
        left.append((f"  {notation.amount(tx.value)}", CHANGED))
    target = Target("tx", tx.hash)
    used = f"nonce {tx.nonce:,}" if tx.gas_used is None else f"{tx.gas_used:,}"
    right: list[Piece] = [(used, FAINT)] if width >= WIDE else []
    yield Row(left, right, target)
    if tx.reason:
        reason = short(tx.reason)
        if width < WIDE:
            reason = reason.removeprefix(CUSTOM_ERROR)
        yield Row([(f"    {reason}", "red")], [(tx.place, FAINT)] if tx.place else [])


def _recipient(tx: WatchedTransaction) -> Iterator[Piece]:
    if tx.to is None:
        yield "a new contract" if tx.created is None else "new contract "
        if tx.created is not None:
            yield short(tx.created), NAME
        return
    yield short(tx.to), NAME
    if tx.contract:
        yield f" ({tx.contract})"
    if len(tx.selector) > len("0x"):
        yield f" {tx.selector}", FAINT
