"""The screen of `devchain watch`: what it shows at a size, and what keys do with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rich.text import Text

from devchain.cli.output import BAD, FAINT, GOOD, TITLE, Piece
from devchain.cli.watch.feed import (
    MAX_TEXT,
    WAITING,
    Row,
    Target,
    account_rows,
    block_rows,
    header_rows,
    pool_rows,
    short,
)
from devchain.cli.watch.watcher import Snapshot
from devchain.text import printable, shorten

FEED_KEYS = (("↑↓", "select"), ("Enter", "open"), ("p", "pause"), ("q", "quit"))
PAGE_KEYS = (("↑↓", "scroll"), ("Esc", "back"), ("q", "quit"))
DEBUG_KEY = ("d", "debug")
MIN_BODY = 8
"""Rows for blocks, before accounts and the mempool get any."""

SELECTED = "reverse"
ENCODES_ALL: Callable[[str], str] = str


@dataclass
class Page:
    """Lines about one thing: what `devchain inspect` prints; None while they are being read."""

    target: Target
    lines: Sequence[Text] | None = None
    first: int = 0
    width: int = 0


@dataclass
class Screen:
    """State of the screen: what is selected, the page that is open, whether it is paused.

    `wanted` is the page whose lines are to be read, `debugged` the hash of the transaction to step
    through; who runs the screen sets them back to None.
    """

    url: str
    snapshot: Snapshot = field(default_factory=Snapshot)
    encoded: Callable[[str], str] = ENCODES_ALL
    """What a text becomes on a terminal with another encoding than UTF-8."""

    page: Page | None = None
    wanted: Target | None = None
    debugged: str | None = None
    is_done: bool = False
    is_paused: bool = False
    note: str = ""

    _selected: Target | None = None
    _targets: list[Target] = field(default_factory=list)
    _first: int = 0
    _height: int = 1
    _latest: Snapshot | None = None

    def update(self, snapshot: Snapshot) -> None:
        """Show another state of the chain, unless paused."""
        if self.is_paused:
            self._latest = snapshot
        else:
            self.snapshot = snapshot

    def press(self, key: str) -> None:
        """React to a key: its character, or a name like `up`, `enter`, `escape`."""
        self.note = ""
        if key == "q":
            self.is_done = True
        elif self.page is not None:
            self._press_on_page(self.page, key)
        elif key in ("p", " "):
            self._pause()
        else:
            self._press_on_feed(key)

    def _pause(self) -> None:
        self.is_paused = not self.is_paused
        if not self.is_paused and self._latest is not None:
            self.snapshot, self._latest = self._latest, None

    def _press_on_feed(self, key: str) -> None:
        if key in MOVES:
            self._move(MOVES[key](max(1, self._height - 1)))
        elif key in ("home", "g", "escape", "left"):
            self._selected, self._first = None, 0
        elif key in ("end", "G") and self._targets:
            self._selected = self._targets[-1]
        elif key not in ("enter", "right", "d"):
            return
        elif self._selected is None:
            self.note = "select a row first: ↑ ↓"
        elif key != "d":
            self.page, self.wanted = Page(self._selected), self._selected
        else:
            self._debug(self._selected)

    def _press_on_page(self, page: Page, key: str) -> None:
        last = max(0, len(page.lines or ()) - self._height)
        if key in ("escape", "left", "backspace"):
            self.page = self.wanted = None
        elif key in MOVES:
            page.first += MOVES[key](max(1, self._height - 1))
        elif key in ("home", "g"):
            page.first = 0
        elif key in ("end", "G"):
            page.first = last
        elif key == "d":
            self._debug(page.target)
        page.first = max(0, min(page.first, last))

    def _debug(self, target: Target | None) -> None:
        if target is not None and target.kind == "tx":
            self.debugged = target.name
        else:
            self.note = "only a transaction can be stepped through"

    def _move(self, by: int) -> None:
        if not self._targets:
            return
        if self._selected not in self._targets:
            self._selected = self._targets[0] if by > 0 else None
            if self._selected and self._first_block in self._targets:
                self._selected = self._first_block
            return
        place = self._targets.index(self._selected) + by
        self._selected = self._targets[max(0, min(place, len(self._targets) - 1))]

    @property
    def _first_block(self) -> Target | None:
        blocks = self.snapshot.blocks
        return Target("block", blocks[0].block.hash) if blocks else None

    # Drawing

    def lines(self, width: int, height: int, wall_clock: int) -> list[Text]:
        """The screen, one text for each of its rows, none wider than the screen.

        Ages are relative to the chain's time, else to the wall clock.
        """
        now = wall_clock if self.snapshot.time is None else self.snapshot.time
        footer = self._footer(width)
        if self.page is not None:
            lines = self._page_lines(self.page, width, height - 2)
            title = Row([(_title(self.page.target), TITLE)], [self._state])
            shown = [self._text(title, width), *lines]
        else:
            shown = [self._text(each, width) for each in self._rows(width, height - 1, now)]
        shown = shown[: max(0, height - 1)]
        return [*shown, *[Text()] * (height - 1 - len(shown)), footer][:height]

    @property
    def _state(self) -> Piece:
        if self.snapshot.is_waiting:
            return "waiting", WAITING
        if self.snapshot.problem:
            return "problem", BAD
        return ("paused", WAITING) if self.is_paused else ("live", GOOD)

    def _rows(self, width: int, height: int, now: int) -> list[Row]:
        top = header_rows(self.snapshot, self.url, self._state, width, now)
        left = height - len(top) - MIN_BODY - 1
        accounts = account_rows(self.snapshot, max(0, min(left, max(3, height // 5))), width)
        left -= len(accounts) + 1
        pool = pool_rows(self.snapshot, max(0, min(left, max(3, height // 5))), width)
        for part in (accounts, pool):
            top += [Row(), *part] if part else []
        body = list(block_rows(self.snapshot, width, now))
        if not body and not self.snapshot.is_waiting:
            body = [Row([("no blocks yet", FAINT)])]
        top.append(Row())
        self._height = max(1, height - len(top))
        self._targets = list(
            dict.fromkeys(each.target for each in [*top, *body] if each.target is not None)
        )
        return [*top, *self._visible(body)]

    def _visible(self, body: list[Row]) -> list[Row]:
        places = [index for index, each in enumerate(body) if each.target == self._selected]
        if self._selected is None or not places:
            self._first = 0 if self._selected is None else self._first
        else:
            place = places[0]
            self._first = min(max(self._first, place - self._height + 1), place)
        self._first = max(0, min(self._first, len(body) - self._height))
        return body[self._first : self._first + self._height]

    def _page_lines(self, page: Page, width: int, height: int) -> list[Text]:
        self._height = max(1, height)
        if page.lines is None or page.width != width:
            if page.width != width:
                page.width, self.wanted = width, page.target
            if page.lines is None:
                return [Text("reading …", FAINT)]
        page.first = max(0, min(page.first, len(page.lines) - self._height))
        shown = [each.copy() for each in page.lines[page.first : page.first + self._height]]
        return [self._cut(each, width) for each in shown]

    def _footer(self, width: int) -> Text:
        if self.note:
            return self._text(Row([(short(self.note), WAITING)]), width)
        keys = list(PAGE_KEYS if self.page else FEED_KEYS)
        selected = self.page.target if self.page else self._selected
        if selected is not None and selected.kind == "tx":
            keys.insert(-1, DEBUG_KEY)
        pieces: list[Piece] = []
        for key, what in keys:
            pieces += [(f"{key} ", TITLE), (f"{what}  ", FAINT)]
        position: list[Piece] = []
        if self.page and self.page.lines and len(self.page.lines) > self._height:
            last = min(self.page.first + self._height, len(self.page.lines))
            position = [(f"{last}/{len(self.page.lines)}", FAINT)]
        return self._text(Row(pieces, position), width)

    def _text(self, row: Row, width: int) -> Text:
        right = self._cut(Text.assemble(*map(self._part, row.right)), width * 2 // 3)
        free = width - right.cell_len - (2 if right.cell_len else 0)
        left = self._cut(Text.assemble(*map(self._part, row.left)), max(0, free))
        if right.cell_len:
            left.pad_right(width - right.cell_len - left.cell_len)
            left.append_text(right)
        left.truncate(width)
        if row.target is not None and row.target == self._selected:
            left.pad_right(width - left.cell_len)
            left.stylize(SELECTED)
        return left

    def _cut(self, text: Text, width: int) -> Text:
        if text.cell_len > width:
            mark = self.encoded("…")
            text.truncate(max(0, width - len(mark)))
            text.append(mark[:width])
        return text

    def _part(self, piece: Piece) -> tuple[str, str]:
        text, style = (piece, "") if isinstance(piece, str) else piece
        return self.encoded(printable(shorten(text, MAX_TEXT))), style


MOVES: dict[str, Callable[[int], int]] = {
    "up": lambda _: -1,
    "k": lambda _: -1,
    "down": lambda _: 1,
    "j": lambda _: 1,
    "page up": lambda page: -page,
    "page down": lambda page: page,
}
"""Keys that move, and by how many rows on a screen with pages of so many."""


def _title(target: Target) -> str:
    name = {"tx": "Transaction", "block": "Block", "account": "Account"}[target.kind]
    return f"{name} {short(target.name)}"
