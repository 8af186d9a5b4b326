"""`devchain watch` on a terminal: accounts, mempool and blocks as lists, and pages about them.

Text from contracts and nodes is escaped and never taken for markup.
"""

from __future__ import annotations

import io
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from contextvars import copy_context
from itertools import groupby
from pathlib import Path
from typing import ClassVar, NamedTuple

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, OptionList, RichLog, Static
from textual.widgets.option_list import Option

from devchain.cli.output import BAD, FAINT, GOOD, NAME, TITLE, Piece
from devchain.cli.tui.watcher import Snapshot, WatchedAccount, WatchedBlock, Watcher
from devchain.cli.view_rows import failure_pieces, transaction_pieces
from devchain.client.views import FAILED, OK, PENDING, TransactionView, network_name, short
from devchain.clock import Clock
from devchain.errors import DevchainError
from devchain.text import age, gas_price, percent, plural, printable, shorten

MAX_TEXT = 500
"""Characters of a part of a row: more do not fit on any terminal."""

MAX_SHARE = 4.0
"""A poll waits for at least so many times as long as the one before took."""

FEW = 2
"""So many empty blocks in succession have rows of their own; more share one."""

CHANGED, TAKEN_BACK, WAITING = "yellow", "red", "yellow"
MARKS = {OK: ("✓ ", GOOD), FAILED: ("✗ ", BAD), PENDING: ("… ", WAITING)}


class Target(NamedTuple):
    """What a row stands for: a `block`, `tx` or `account`, with its hash or address."""

    kind: str
    name: str


class Row(NamedTuple):
    """A row of a list; one without a target cannot be selected."""

    content: Content
    target: Target | None = None


def row(*pieces: Piece, target: Target | None = None) -> Row:
    """A row of texts, escaped, with addresses and hashes shortened."""
    parts = [(piece, "") if isinstance(piece, str) else piece for piece in pieces]
    texts = [(printable(shorten(short(text), MAX_TEXT)), style) for text, style in parts]
    return Row(Content.assemble(*texts), target)


# Rows of a snapshot


def header(snapshot: Snapshot, url: str, *, is_paused: bool, now: int) -> Content:
    """Which chain it is, its newest block, gas, and mempool."""
    state: Piece = ("paused", WAITING) if is_paused else ("live", GOOD)
    if snapshot.is_waiting:
        state = ("waiting for node", WAITING)
    elif snapshot.problem:
        state = (snapshot.problem, BAD)
    chain_id = snapshot.notation.chain_id
    name = f" · {network_name(chain_id) or f'chain {chain_id}'}" if snapshot.client else ""
    rows = [row(("devchain watch", TITLE), " · ", state, f"{name} · {url}")]
    if head := snapshot.head:
        number = (f"{head.number:,}", TITLE)
        when = (f" · {age(head.timestamp, now)}", FAINT)
        gas = f" {head.gas_text} {percent(head.gas_used, head.gas_limit)}"
        rows.append(row("Block ", number, when, " · gas", gas))
        parts = []
        if snapshot.gas_price is not None:
            parts.append(f"Gas price {gas_price(snapshot.gas_price)}")
        if (pool := snapshot.mempool).pending is not None:
            queued = f", {pool.queued:,} queued" if pool.queued else ""
            parts.append(f"mempool {pool.pending:,} pending{queued}")
        rows.append(row(" · ".join(parts)))
    return Content("\n").join([line.content for line in rows])


def account_row(watched: WatchedAccount, snapshot: Snapshot, width: int) -> Row:
    """An account: balance, the last change of it, nonce."""
    account, change = watched.account, watched.change
    number = "" if watched.index is None else str(watched.index)
    sign = "+" if change > 0 else "-"
    changed = f"  {sign}{snapshot.notation.amount(abs(change))}" if change else ""
    return row(
        (f"{number:>2} ", FAINT),
        (account.address, NAME),
        f"  {account.balance_text:>{width}}",
        (changed, CHANGED),
        ("" if account.nonce is None else f"  nonce {account.nonce:,}", FAINT),
        target=Target("account", account.address),
    )


def transaction_row(tx: TransactionView, indent: int = 0) -> Row:
    """What a transaction called or sent, and below it why it failed."""
    pieces = [(" " * indent), MARKS.get(tx.status, ("· ", FAINT)), *transaction_pieces(tx)]
    if tx.gas_used is None:
        pieces.append((f" · nonce {tx.nonce:,}", FAINT))
    lines = [row(*pieces).content]
    if tx.reason:
        lines.append(row(" " * indent, "  ", *failure_pieces(tx)).content)
    return Row(Content("\n").join(lines), Target("tx", tx.hash))


def block_rows(snapshot: Snapshot, now: int) -> Iterator[Row]:
    """The blocks with their transactions, the newest first.

    Runs of empty blocks, and of blocks taken back, are one row; so are blocks that were not read.
    """
    above: WatchedBlock | None = None
    for _, group in groupby(enumerate(snapshot.blocks), _run_of):
        run = [watched for _, watched in group]
        newest, oldest = run[0], run[-1]
        is_gone = newest.taken_back_at is not None
        if not is_gone:
            missing = above.block.number - newest.block.number - 1 if above else 0
            if missing > 0:
                yield row((f"  … {plural(missing, 'more block')}", FAINT))
            above = oldest
        numbers = f"Blocks {oldest.block.number:,} to {newest.block.number:,}"
        if len(run) <= FEW:
            for watched in run:
                yield from _block_rows(watched, now)
        elif is_gone:
            yield row((f"{numbers} taken back", TAKEN_BACK))
        else:
            what = (f" · {age(newest.block.timestamp, now)} · empty", FAINT)
            yield row((numbers, TITLE), what, target=Target("block", newest.block.hash))


def _run_of(numbered: tuple[int, WatchedBlock]) -> tuple[str, int]:
    index, watched = numbered
    if watched.taken_back_at is not None:
        return "taken back", 0
    if watched.block.transactions:
        return "block", index
    return "empty", watched.block.number + index  # the same for blocks in succession


def _block_rows(watched: WatchedBlock, now: int) -> Iterator[Row]:
    block = watched.block
    count = len(block.transactions)
    number = f"Block {block.number:,}"
    what = f" · {plural(count, 'transaction')}" if count else ""
    if watched.taken_back_at is not None:
        yield row((f"{number} taken back{what}", TAKEN_BACK), (f" · {block.hash}", FAINT))
        return
    gas = f" · {block.gas_used:,} gas · {block.gas_share}" if count else " · empty"
    when = (f" · {age(block.timestamp, now)}", FAINT)
    more = (f"{gas} · {block.hash}", FAINT)
    yield row((number, TITLE), when, what, more, target=Target("block", block.hash))
    for tx in watched.transactions:
        yield transaction_row(tx, indent=2)
    if hidden := count - len(watched.transactions):
        yield row((f"  … {plural(hidden, 'more transaction')}", FAINT))


# The program


class Rows(OptionList):
    """Rows of which one may be selected; it stays selected when others come."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "cursor_up", "Select", key_display="↑↓"),
        Binding("down,j", "cursor_down", show=False),
        Binding("home,g,escape", "first", show=False),
        Binding("end,G", "last", show=False),
        Binding("enter,right", "select", "Open", key_display="Enter"),
        Binding("tab", "app.focus_next", "Next list"),
        Binding("d", "app.debug", "Debug"),
        Binding("p,space", "app.pause", "Pause"),
    ]

    def __init__(self, name: str) -> None:
        super().__init__(id=name)
        self.display = False
        self.rows: list[Row] = []

    @property
    def target(self) -> Target | None:
        return None if self.highlighted is None else self.rows[self.highlighted].target

    def show_rows(self, rows: list[Row]) -> None:
        """Show other rows; the list disappears without any."""
        selected, position, before = self.target, self.scroll_offset.y, self.rows
        targets = [shown.target for shown in rows]
        self.rows, self.display = rows, bool(rows)
        if targets == [shown.target for shown in before]:
            for index, (new, old) in enumerate(zip(rows, before, strict=True)):
                if new != old:
                    self.replace_option_prompt_at_index(index, new.content)
            return
        self.set_options(Option(shown.content, disabled=shown.target is None) for shown in rows)
        self.highlighted = targets.index(selected) if selected and selected in targets else None
        if self.highlighted is None:
            self.scroll_to(y=position, animate=False)

    def action_first(self) -> None:
        self.highlighted = None
        self.scroll_home(animate=False)


class Page(Screen[None]):
    """What `devchain inspect` prints of a block, transaction or account."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,left,backspace", "app.pop_screen", "Back"),
        Binding("d", "debug", "Debug"),
    ]

    def __init__(self, target: Target) -> None:
        super().__init__()
        self.target = target

    def compose(self) -> ComposeResult:
        kind = {"tx": "Transaction"}.get(self.target.kind, self.target.kind.capitalize())
        yield Static(Content.styled(f"{kind} {short(self.target.name)}", TITLE))
        yield RichLog(auto_scroll=False)
        yield Footer(show_command_palette=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002  # Textual passes it
        return action != "debug" or self.target.kind == "tx"

    def action_debug(self) -> None:
        self.app.exit(self.target)


def in_thread(task: Callable[[], None]) -> None:
    """Run a task in a thread of its own, for which the end of the program does not wait."""
    threading.Thread(target=copy_context().run, args=(task,), daemon=True).start()


class WatchApp(App[Target]):
    """The program; its result is the transaction to step through, None if the user quits it."""

    CSS = """
    #header { height: auto; max-height: 4; padding: 0 1; }
    OptionList { height: auto; border: none; padding: 0; margin: 0 0 1 0; background: $background;
      text-wrap: nowrap; text-overflow: ellipsis; }
    OptionList:focus { border: none; }
    #accounts, #pool { max-height: 20%; }
    #blocks { height: 1fr; min-height: 6; margin: 0; }
    .-low #accounts, .-low #pool { display: none; }
    Page > Static { padding: 0 1; height: 1; }
    RichLog { background: $background; scrollbar-size-vertical: 0; }
    """
    ENABLE_COMMAND_PALETTE = False
    TITLE = "devchain watch"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-high")]  # noqa: RUF012  # as Textual declares it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "Quit"),
        Binding("ctrl+c", "quit", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", show=False),
    ]

    def __init__(
        self,
        watcher: Watcher,
        url: str,
        shown_url: str,
        interval: float,
        note: str = "",
        run: Callable[[Callable[[], None]], None] = in_thread,
    ) -> None:
        """Watch with polls every `interval` seconds; pages are read from the node at `url`."""
        super().__init__()
        self._watcher, self._snapshot = watcher, watcher.snapshot
        self._url, self._shown_url = url, shown_url
        self._interval, self._note, self._run = interval, note, run
        self._is_paused = False

    def compose(self) -> ComposeResult:
        yield Static(id="header")
        yield Rows("accounts")
        yield Rows("pool")
        yield Rows("blocks")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one("#blocks").focus()
        self.show()
        if self._note:
            self.notify(self._note, severity="warning", timeout=10, markup=False)
        self.set_interval(1.0, self.show)  # ages
        self._run(self.poll)

    def poll(self) -> None:
        """Poll the node, in a thread."""
        started = time.monotonic()
        snapshot = self._watcher.poll()
        self.call_later(self._polled, snapshot, time.monotonic() - started)

    def _polled(self, snapshot: Snapshot, seconds: float) -> None:
        self._snapshot = self._snapshot if self._is_paused else snapshot
        self.show()
        pause = max(self._interval, MAX_SHARE * seconds)
        self.set_timer(pause, lambda: self._run(self.poll))

    def show(self) -> None:
        """Show the snapshot, with ages relative to the chain's time, else to the wall clock."""
        snapshot, base = self._snapshot, self.screen_stack[0]
        if not base.query("#header"):  # the program ends
            return
        now = Clock().now() if snapshot.time is None else snapshot.time
        top = header(snapshot, self._shown_url, is_paused=self._is_paused, now=now)
        base.query_one("#header", Static).update(top)
        width = max((len(account.account.balance_text) for account in snapshot.accounts), default=0)
        accounts = [account_row(account, snapshot, width) for account in snapshot.accounts]
        pool = snapshot.mempool
        waiting = [transaction_row(tx) for tx in pool.transactions]
        hidden = (pool.pending or 0) + (pool.queued or 0) - len(waiting)
        if waiting and hidden > 0:
            waiting.append(row((f"… {plural(hidden, 'more transaction')}", FAINT)))
        blocks = [*block_rows(snapshot, now)] or [row(("no blocks yet", FAINT))]
        for name, rows in (("accounts", accounts), ("pool", waiting), ("blocks", blocks)):
            base.query_one(f"#{name}", Rows).show_rows(rows)

    # Keys

    def action_pause(self) -> None:
        self._is_paused = not self._is_paused
        if not self._is_paused:
            self._snapshot = self._watcher.snapshot
        self.show()

    def action_debug(self) -> None:
        target = self.focused.target if isinstance(self.focused, Rows) else None
        if target is not None and target.kind == "tx":
            self.exit(target)
        else:
            self.notify("select a transaction first: ↑ ↓")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        target = event.option_list.target if isinstance(event.option_list, Rows) else None
        if target is not None:
            page = Page(target)
            self.push_screen(page)
            self._run(lambda: self._read(page))

    def _read(self, page: Page) -> None:
        from devchain.cli.commands.inspect.block_tx_receipt import block, tx
        from devchain.cli.commands.inspect.state import account

        commands: dict[str, Callable[..., None]] = {"tx": tx, "block": block, "account": account}
        stream = _TerminalStream()
        try:
            with redirect_stdout(stream), redirect_stderr(stream):
                commands[page.target.kind](page.target.name, url=self._url)
            lines = [Text.from_ansi(line) for line in stream.getvalue().splitlines()]
        except DevchainError as error:
            lines = [Text(printable(str(error)), BAD)]
        self.call_later(self._show_page, page, lines)

    def _show_page(self, page: Page, lines: Sequence[Text]) -> None:
        for line in lines if self.screen is page else ():
            page.query_one(RichLog).write(line)


class _TerminalStream(io.StringIO):
    # Commands write to it as to a terminal: wrapped, and with colors.
    def isatty(self) -> bool:
        return True


def run_watch(
    watcher: Watcher, url: str, shown_url: str, interval: float, artifacts: Path | None
) -> None:
    """Watch until the user quits; the debugger's sources come from the contracts at `artifacts`."""
    from devchain.cli.commands.debug import debug

    watcher.poll()
    note = ""
    while True:
        app = WatchApp(watcher, url, shown_url, interval, note)

        def end(number: int, _: object, app: WatchApp = app) -> None:
            app.exit(return_code=128 + number)

        before = signal.signal(signal.SIGTERM, end)
        try:
            target = app.run()
        finally:
            signal.signal(signal.SIGTERM, before)
        if app.return_code:
            raise SystemExit(app.return_code)
        if target is None:
            return
        note = ""
        try:
            debug(target.name, artifacts=artifacts, url=url)
        except DevchainError as error:
            note = short(printable(str(error)))
