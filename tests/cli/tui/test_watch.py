"""`devchain.cli.tui.watch`"""

from __future__ import annotations

import asyncio
import threading
import unicodedata
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, cast

import pytest

pytest.importorskip("textual")

from textual.pilot import Pilot
from textual.widgets import RichLog, Static

from devchain.cli.options import connecting
from devchain.cli.tui.watch import Page, Rows, Target, WatchApp, block_rows, header
from devchain.cli.tui.watcher import Mempool, Snapshot, WatchedAccount, WatchedBlock, Watcher
from devchain.client.http import LocalClient
from devchain.client.views import BlockView, Notation, TransactionView
from devchain.errors import ExecutionReverted
from devchain.node import Node
from devchain.types import checksum
from tests.accounts import ALICE, ALICE_HEX, BOB, BOB_HEX
from tests.cli.test_hostile_text import HARMFUL, HOSTILE
from tests.cli.tui.pictures import DOCS, draw_watch, texts
from tests.conftest import GENESIS_TIME
from tests.contracts.vault import VAULT

URL = "http://127.0.0.1:4444"
NOW = GENESIS_TIME + 5
NOTATION = Notation(33)
STYLES = {"bold", "bold red", "cyan", "dim", "green", "red", "yellow"}
CONTROLS = set(map(chr, [*range(32), *range(127, 160)]))
SIZES = [(80, 24), (10, 3)]


def block(number: int, *transactions: TransactionView, **fields: Any) -> WatchedBlock:
    """A block; its hash is made from its number."""
    members = {
        "number": hex(number),
        "hash": f"0x{number:064x}",
        "parentHash": f"0x{number - 1:064x}",
        "timestamp": hex(GENESIS_TIME),
        "gasUsed": "0x5",
        "gasLimit": "0x64",
        "transactions": [{"hash": tx.hash} for tx in transactions],
    }
    return WatchedBlock(BlockView.of({**members, **fields}, NOTATION), transactions)


def taken_back(number: int) -> WatchedBlock:
    """A block that was taken back."""
    return replace(block(number), taken_back_at=1.0)


def tx(
    number: int = 1, *, receipt: dict[str, Any] | None = None, called: str = "", **fields: Any
) -> TransactionView:
    """A transfer from ALICE to BOB."""
    members = {"hash": f"0x{number:064x}", "from": ALICE_HEX, "to": BOB_HEX, "value": hex(10**18)}
    mined = {"status": "0x1", "gasUsed": "0x5208"} if receipt is None else receipt
    found = {**members, "gas": "0x5208", "blockNumber": "0x1", **fields}
    return TransactionView.of(found, mined, NOTATION, called)


def snapshot(*blocks: WatchedBlock, **fields: Any) -> Snapshot:
    """A chain with these blocks, newest first."""
    head = next((each.block for each in blocks if each.taken_back_at is None), None)
    return Snapshot(notation=NOTATION, client="x", head=head, blocks=blocks, **fields)


def lines(*blocks: WatchedBlock) -> list[str]:
    """The lines about blocks."""
    rows = block_rows(snapshot(*blocks), NOW)
    return [line for row in rows for line in row.content.plain.split("\n")]


class TestBlocks:
    def test_more(self) -> None:
        """Blocks and transactions that were not read are counted."""
        many = block(0, transactions=[{}] * 7)
        shown = lines(block(1_000), block(999), block(998), many)

        assert shown[:2] == ["Blocks 998 to 1,000 · 5 s ago · empty", "  … 997 more blocks"]
        assert shown[-1] == "  … 7 more transactions"

    def test_taken_back(self) -> None:
        """Blocks taken back are marked, above those from which the chain went on."""
        gone = [taken_back(number) for number in (9, 8, 7)]

        assert lines(block(7), *gone, block(6))[1:2] == ["Blocks 7 to 9 taken back"]
        assert lines(gone[0], block(8))[0] == "Block 9 taken back · 0x0000…0009"

    @pytest.mark.parametrize(
        ("found", "line"),
        [
            (tx(input="0x12345678", value="0x0"), "✓ 0xf39F…2266 → 0x7099…79C8 0x12345678 · gas"),
            (tx(called="Vault.take(9)"), "✓ 0xf39F…2266 → Vault.take(9) · 1 RBTC · gas 21,000"),
            (tx(to=None), "✓ 0xf39F…2266 → a new contract · 1 RBTC"),
            (tx(receipt={"status": "0x0"}), "✗ 0xf39F…2266 → 0x7099…79C8 · 1 RBTC"),
            (tx(receipt={"gasUsed": "0x5"}), "· 0xf39F…2266 → 0x7099…79C8 · 1 RBTC · gas 5"),
        ],
        ids=["selector", "call", "creation", "failed", "no status"],
    )
    def test_transactions(self, found: TransactionView, line: str) -> None:
        """What a transaction called or sent, as far as it is known."""
        assert lines(block(1, found))[1].startswith(f"  {line}")


class TestHeader:
    @pytest.mark.parametrize(
        ("fields", "state"),
        [({"is_waiting": True}, "waiting for node"), ({"problem": "too many"}, "too many")],
    )
    def test_state(self, fields: dict[str, Any], state: str) -> None:
        """A node that does not answer, and what is wrong with its answers, are said."""
        text = header(snapshot(**fields), URL, is_paused=False, now=NOW).plain

        assert text.startswith(f"devchain watch · {state} · ")


class Scripted:
    """A watcher with snapshots that the test sets."""

    def __init__(self, shown: Snapshot) -> None:
        self.snapshot = shown

    def poll(self) -> Snapshot:
        """The snapshot."""
        return self.snapshot


def run(
    watcher: Any,
    play: Callable[[WatchApp, Pilot[Target]], Awaitable[None]],
    *,
    size: Any = (80, 24),
) -> Target | None:
    """Run the program on a terminal of that size; returns what it ends with."""

    async def main() -> Target | None:
        app = WatchApp(watcher, URL, URL, 3_600.0, run=lambda task: task())
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await play(app, pilot)
        return app.return_value

    return asyncio.run(main())


def selected(app: WatchApp) -> str:
    """The first line of the selected row; empty if there is none."""
    rows = app.query_one("#blocks", Rows)
    return "" if rows.highlighted is None else rows.rows[rows.highlighted].content.plain


@pytest.fixture
def watcher() -> Scripted:
    """A watcher of two blocks with a transaction each, and an account."""
    blocks = [block(number, tx(number)) for number in (2, 1)]
    account = replace(NOTATION.account(ALICE_HEX), balance=10**18, nonce=3)
    return Scripted(snapshot(*blocks, accounts=(WatchedAccount(account, 0, 5 * 10**17),)))


class TestKeys:
    def test_selection(self, watcher: Scripted) -> None:
        """The arrows select rows, the first is the newest block."""
        moves = {
            "down": "Block 2",
            "j": "  ✓ 0xf39F",
            "down j": "  ✓ 0xf39F",
            "up": "Block 1",
            "end": "  ✓ 0xf39F",
        }

        async def play(app: WatchApp, pilot: Pilot[Target]) -> None:
            assert selected(app) == ""
            for keys, start in moves.items():
                await pilot.press(*keys.split())
                assert selected(app).startswith(start), keys
            await pilot.press("home")
            assert selected(app) == ""

        run(watcher, play)

    def test_selection_stays(self, watcher: Scripted) -> None:
        """What is selected stays so when blocks are mined, until it has gone."""

        async def play(app: WatchApp, pilot: Pilot[Target]) -> None:
            await pilot.press("down")
            newer = [block(number, tx(number)) for number in range(40, 2, -1)]
            watcher.snapshot = snapshot(*newer, *watcher.snapshot.blocks)
            app.poll()
            await pilot.pause()
            rows = app.query_one("#blocks", Rows)
            assert selected(app).startswith("Block 2 ")
            assert rows.scroll_offset.y > 0
            watcher.snapshot = snapshot(block(1))
            app.poll()
            await pilot.pause()

            assert selected(app) == ""

        run(watcher, play)

    def test_accounts(self, watcher: Scripted) -> None:
        """Accounts have balance, last change and nonce, and are reached by Tab."""

        async def play(app: WatchApp, pilot: Pilot[Target]) -> None:
            await pilot.press("tab", "down", "enter")

            [row] = app.screen_stack[0].query_one("#accounts", Rows).rows
            assert row.content.plain == " 0 0xf39F…2266  1 RBTC  +0.5 RBTC  nonce 3"
            assert isinstance(app.screen, Page)
            assert app.screen.target == Target("account", checksum(ALICE))

        run(watcher, play)

    def test_pause(self, watcher: Scripted) -> None:
        """While paused nothing changes; after that the newest state is shown."""

        async def play(app: WatchApp, pilot: Pilot[Target]) -> None:
            def shown() -> str:
                return str(app.query_one("#header", Static).content)

            await pilot.press("p")
            watcher.snapshot = snapshot(block(3))
            app.poll()
            await pilot.pause()
            assert "paused" in shown()
            assert "\nBlock 2 " in shown()
            await pilot.press("p")

            assert "live" in shown()
            assert "\nBlock 3 " in shown()

        run(watcher, play)

    def test_debug(self, watcher: Scripted) -> None:
        """With d a transaction is stepped through, and nothing else."""

        async def play(app: WatchApp, pilot: Pilot[Target]) -> None:
            await pilot.press("d", "down", "d")
            assert app.is_running
            assert app.return_value is None
            await pilot.press("down", "d")

        assert run(watcher, play) == Target("tx", tx(2).hash)

    @pytest.mark.parametrize("keys", [["down", "enter", "q"], ["ctrl+c"]], ids=str)
    def test_quit(self, watcher: Scripted, keys: list[str]) -> None:
        """The q ends the program everywhere."""

        async def play(app: WatchApp, pilot: Pilot[Target]) -> None:
            await pilot.press(*keys)

            assert not app.is_running

        assert run(watcher, play) is None


def test_quit_while_the_node_hangs(watcher: Scripted) -> None:
    """The end of the program does not wait for a poll."""
    answers = threading.Event()
    watcher.poll = lambda: answers.wait() and watcher.snapshot  # type: ignore[method-assign,assign]

    async def main() -> None:
        app = WatchApp(cast("Watcher", watcher), URL, URL, 1.0)
        async with app.run_test() as pilot:
            await pilot.press("q")

    asyncio.run(main())
    answers.set()


def test_pages(node: Node, client: LocalClient) -> None:
    """Enter opens what `devchain inspect` prints, Esc goes back; d steps through a transaction."""
    vault = node.deploy(VAULT, 100)
    with pytest.raises(ExecutionReverted):
        vault.withdraw(sender=BOB)
    watcher = Watcher(client)
    watcher.poll()

    async def play(app: WatchApp, pilot: Pilot[Target]) -> None:
        await pilot.press("down", "down", "enter")
        await pilot.pause()
        text = "\n".join(line.text for line in app.screen.query_one(RichLog).lines)
        assert f"0x{node.chain.head.transactions[0].hash.hex()}" in text
        assert f"NotOwner(caller={checksum(BOB)})" in text
        await pilot.press("escape")
        assert not isinstance(app.screen, Page)
        await pilot.press("enter", "d")

    with connecting(lambda _: client):
        target = run(watcher, play)

    assert target == Target("tx", f"0x{node.chain.head.transactions[0].hash.hex()}")


def test_target_of_a_range() -> None:
    """The row of several empty blocks stands for the newest of them."""
    [row] = block_rows(snapshot(block(3), block(2), block(1)), NOW)

    assert row.target == Target("block", block(3).block.hash)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("filler", ["", "界" * 90 + " " * 300 + "x" * 100_000], ids=len)
def test_hostile_text(size: tuple[int, int], filler: str) -> None:
    """Text of contracts and nodes acts on nothing, and is never taken for markup."""
    text = HOSTILE + filler
    failed = {"status": "0x0", "contractAddress": text}
    named = tx(called=text, hash=text, receipt=failed, **{"from": text, "to": text})
    bad = replace(named, reason=text, place=text)
    account = replace(NOTATION.account(text), balance=2**256, nonce=2**256)
    shown = Snapshot(
        client=text,
        problem=text,
        head=block(1, hash=text, timestamp=hex(10**30)).block,
        blocks=(block(1, bad, tx(to=None, receipt=failed), hash=text), taken_back(0)),
        accounts=(WatchedAccount(account, 0, -(2**256)),),
        mempool=Mempool(2**70, 2**70, (bad,)),
        gas_price=2**256,
    )

    async def play(app: WatchApp, pilot: Pilot[Target]) -> None:
        await pilot.press("down", "down", "down")
        await pilot.pause()
        contents = [row.content for rows in app.query(Rows) for row in rows.rows]
        for content in [*contents, header(shown, text, is_paused=False, now=NOW)]:
            assert not {unicodedata.category(each) for each in content.plain} & HARMFUL - {"Cc"}
            assert set(content.plain) & CONTROLS <= {"\n"}
            assert {str(span.style) for span in content.spans} <= STYLES

    run(Scripted(shown), play, size=size)


def test_picture() -> None:
    """The picture in the docs is what the program draws: `python -m tests.cli.tui.pictures`."""
    written = (DOCS / "watch.svg").read_text(encoding="utf-8")

    assert texts(written) == texts(draw_watch())
