"""`devchain.cli.watch.screen` and `devchain.cli.watch.feed`"""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from rich.text import Text

from devchain.cli.output import ERROR_HANDLER, in_encoding
from devchain.cli.watch.chain_follower import Block
from devchain.cli.watch.feed import Target, levels, short
from devchain.cli.watch.screen import Screen
from devchain.cli.watch.watcher import (
    Mempool,
    Snapshot,
    WatchedAccount,
    WatchedBlock,
    WatchedTransaction,
    Watcher,
)
from devchain.client.http import LocalClient
from devchain.client.views import Notation
from devchain.errors import ExecutionReverted
from devchain.node import Node
from devchain.types import checksum
from tests.accounts import ALICE, BOB
from tests.cli.test_hostile_text import HARMFUL, HOSTILE
from tests.conftest import GENESIS_TIME
from tests.contracts.vault import VAULT

URL = "http://127.0.0.1:4444"
STYLES = {"", "bold", "bold red", "cyan", "dim", "green", "red", "reverse", "yellow"}
SIZES = [(80, 24), (40, 24), (120, 40), (200, 50), (20, 8), (10, 3), (1, 1)]


def block(number: int, count: int = 0, **fields: Any) -> WatchedBlock:
    """A block without transactions that were read; its hash is made from its number."""
    header = Block(number, f"0x{number:064x}", f"0x{number - 1:064x}", GENESIS_TIME, 5, 100, {})
    return WatchedBlock(header, (), count, **fields)


def tx(number: int = 1, **fields: Any) -> WatchedTransaction:
    """A transfer from ALICE to BOB."""
    return replace(
        WatchedTransaction(
            hash=f"0x{number:064x}", sender=checksum(ALICE), to=checksum(BOB), value=10**18,
            selector="0x", status="ok", gas=21_000, gas_used=21_000,
        ),
        **fields,
    )  # fmt: skip


def snapshot(*blocks: WatchedBlock, **fields: Any) -> Snapshot:
    """A chain with these blocks, newest first."""
    head = next((each.block for each in blocks if each.taken_back_at is None), None)
    return Snapshot(notation=Notation(33), client="x", head=head, blocks=blocks, **fields)


def draw(screen: Screen, width: int = 80, height: int = 24) -> list[str]:
    """The lines of the screen, without spaces at their ends."""
    return [each.plain.rstrip() for each in screen.lines(width, height, GENESIS_TIME + 5)]


def body(*blocks: WatchedBlock, **fields: Any) -> list[str]:
    """The lines about blocks."""
    lines = draw(Screen(URL, snapshot(*blocks, **fields)), height=60)
    start = next(index for index, each in enumerate(lines) if not each)
    return [each for each in lines[start:-1] if each]


class TestRealChain:
    @pytest.fixture
    def screen(self, node: Node, client: LocalClient) -> Screen:
        """A screen of a chain with a creation, a deposit and a failure."""
        vault = node.deploy(VAULT, 100)
        vault.deposit(value=5)
        with pytest.raises(ExecutionReverted):
            vault.withdraw(sender=BOB)
        return Screen(URL, Watcher(client).poll())

    def test_wide(self, screen: Screen) -> None:
        """A screen of 80 × 24 has the chain, gas, accounts and what happened with names."""
        lines = draw(screen)
        text = "\n".join(lines)

        assert len(lines) == 24
        assert lines[0] == f"devchain watch · Rootstock test network rules · {URL}       live"
        assert lines[1].startswith("Block 3 · ")
        assert "0xf39F…2266 → Vault.deposit()  5 wei" in text
        assert "✓ 0xf39F…2266 → new Vault(secondsLocked=100) 0x" in text
        assert "✗ 0x7099…79C8 → Vault.withdraw()" in text
        assert "    custom error NotOwner(caller=0x7099…79C8)" in text
        assert lines[-1] == "↑↓ select  Enter open  p pause  q quit"

    def test_narrow(self, screen: Screen) -> None:
        """On 40 columns it has less, and the same events."""
        text = "\n".join(draw(screen, 40))

        assert "\n  ✓ → Vault.deposit()  5 wei\n" in text
        assert "\n  ✗ → Vault.withdraw()\n    NotOwner(caller=0x709…  Vault.sol:27\n" in text

    @pytest.mark.parametrize(("width", "height"), SIZES)
    def test_sizes(self, screen: Screen, width: int, height: int) -> None:
        """The screen has the terminal's rows, and none is wider than the terminal."""
        for keys in ([], ["down", "down"], ["enter"]):
            for key in keys:
                screen.press(key)
            lines = screen.lines(width, height, GENESIS_TIME)

            assert len(lines) == height
            assert max(each.cell_len for each in lines) <= width


class TestBlocks:
    def test_empty_ones_share_a_row(self) -> None:
        """Empty blocks in succession are one row, unless there are few."""
        assert body(block(9), block(8), block(7), block(6, 1), block(5))[:3] == [
            "Blocks 7 to 9 · 5 s ago · empty",
            "Block 6 · 5 s ago · 1 transaction · 5 gas · 5.0 %                    0x0000…0006",
            "  … 1 more transaction",
        ]

    def test_more_blocks(self) -> None:
        """Blocks that were not read are counted, also between empty ones."""
        lines = body(block(1_000), block(999), block(998), block(0))

        assert lines[0] == "Blocks 998 to 1,000 · 5 s ago · empty"
        assert lines[1] == "  … 997 more blocks"
        assert lines[2].startswith("Block 0 · 5 s ago · empty")

    def test_taken_back(self) -> None:
        """Blocks taken back are marked, above those from which the chain went on."""
        gone = [block(each, taken_back_at=1.0) for each in (9, 8, 7)]

        assert body(block(7), *gone, block(6, 1))[:3] == [
            "Block 7 · 5 s ago · empty                                            0x0000…0007",
            "Blocks 7 to 9 taken back",
            "Block 6 · 5 s ago · 1 transaction · 5 gas · 5.0 %                    0x0000…0006",
        ]
        assert body(gone[0], block(8))[0] == (
            "Block 9 taken back                                                   0x0000…0009"
        )

    def test_none(self) -> None:
        """A chain without blocks is said to have none yet."""
        assert "no blocks yet" in draw(Screen(URL))


class TestTransactions:
    @pytest.mark.parametrize(
        ("fields", "line"),
        [
            ({}, "✓ 0xf39F…2266 → 0x7099…79C8  1 RBTC"),
            ({"selector": "0x12345678", "value": 0}, "✓ 0xf39F…2266 → 0x7099…79C8 0x12345678"),
            ({"contract": "Vault", "value": 0}, "✓ 0xf39F…2266 → 0x7099…79C8 (Vault)"),
            ({"to": None, "created": checksum(BOB)}, "→ new contract 0x7099…79C8  1 RBTC"),
            ({"to": None, "status": "failed"}, "✗ 0xf39F…2266 → a new contract  1 RBTC"),
            ({"status": "mined"}, "· 0xf39F…2266 → 0x7099…79C8"),
        ],
        ids=["transfer", "selector", "contract", "creation", "failed creation", "no status"],
    )
    def test_without_names(self, fields: dict[str, Any], line: str) -> None:
        """Without names addresses and the selector are shown."""
        assert line in body(replace(block(1, 1), transactions=(tx(**fields),)))[1]

    def test_reason_and_place(self) -> None:
        """A long reason is cut, and not the place at its end."""
        failed = tx(status="failed", reason="too much " * 40, place="contracts/Till.sol:62")
        line = body(replace(block(1, 1), transactions=(failed,)))[2]

        assert line.startswith("    too much too much")
        assert line.endswith("…  contracts/Till.sol:62")
        assert len(line) == 80

    def test_mempool(self) -> None:
        """Waiting transactions have their nonces, and how many there are more."""
        pool = Mempool(7, 1, (tx(status="pending", gas_used=None, nonce=3),))
        lines = draw(Screen(URL, snapshot(block(1), mempool=pool)))

        assert "mempool 7 pending, 1 queued" in lines
        assert any(each.startswith("  … 0xf39F…2266 → 0x7099…79C8  1 RBTC") for each in lines)
        assert any(each.endswith("nonce 3") for each in lines)
        assert "  … 7 more transactions" in lines


class TestNotes:
    def test_waiting(self) -> None:
        """A node that does not answer is waited for, below the title."""
        lines = draw(Screen(URL, replace(snapshot(block(1)), is_waiting=True)))

        assert lines[0].endswith(" waiting")
        assert lines[1] == f"waiting for node at {URL}"

    def test_problem(self) -> None:
        """What is wrong with its answers is said."""
        lines = draw(Screen(URL, replace(snapshot(block(1)), problem="too many requests")))

        assert lines[0].endswith(" problem")
        assert lines[1] == "too many requests"

    def test_levels(self) -> None:
        """The bars of gas compare the newest blocks, the newest last."""
        blocks = [
            replace(block(number), block=replace(block(number).block, gas_used=used))
            for number, used in ((4, 100), (3, 50), (2, 1), (1, 0))
        ]

        assert levels(snapshot(*blocks)) == "▁▂▅█"


class TestKeys:
    @pytest.fixture
    def screen(self) -> Screen:
        """A screen of two blocks with a transaction each, and an account."""
        blocks = [replace(block(each, 1), transactions=(tx(each),)) for each in (2, 1)]
        accounts = (WatchedAccount(checksum(ALICE), 0, 10**18, 3),)
        screen = Screen(URL, snapshot(*blocks, accounts=accounts))
        draw(screen)
        return screen

    def selected(self, screen: Screen, height: int = 24) -> str:
        """The line that is selected."""
        lines = screen.lines(80, height, GENESIS_TIME)
        found = [each.plain for each in lines if any(s.style == "reverse" for s in each.spans)]
        return found[0] if found else ""

    @pytest.mark.parametrize(
        ("keys", "start"),
        [
            ("", ""),
            ("down", "Block 2"),
            ("down down", "  ✓ 0xf39F"),
            ("down j j", "Block 1"),
            ("down up", " 0 0xf39F"),
            ("down up up", " 0 0xf39F"),
            ("down page-down", "  ✓ 0xf39F"),
            ("end page-up", " 0 0xf39F"),
            ("down home", ""),
            ("up", ""),
        ],
    )
    def test_selection(self, screen: Screen, keys: str, start: str) -> None:
        """The arrows select rows: blocks, transactions, accounts; the first is the newest block."""
        for each in keys.split():
            screen.press(each.replace("-", " "))

        assert self.selected(screen).startswith(start)
        assert bool(self.selected(screen)) == bool(start)

    def test_selection_stays(self, screen: Screen) -> None:
        """What is selected stays so when blocks are mined, and is in sight."""
        screen.press("down")
        newer = [replace(block(each, 1), transactions=(tx(each),)) for each in range(40, 2, -1)]
        screen.update(snapshot(*newer, *screen.snapshot.blocks))

        assert self.selected(screen).startswith("Block 2 ")

    def test_selection_that_is_gone(self, screen: Screen) -> None:
        """When what is selected has gone, the next key selects the newest block."""
        screen.press("down")
        screen.update(snapshot(block(1)))
        assert self.selected(screen) == ""
        screen.press("down")

        assert self.selected(screen).startswith("Block 1 ")

    @pytest.mark.parametrize(
        ("moves", "kind"), [(1, "block"), (2, "tx")], ids=["block", "transaction"]
    )
    def test_open(self, screen: Screen, moves: int, kind: str) -> None:
        """Enter opens the page of what is selected, which can be scrolled; Esc goes back."""
        for each in ["down"] * moves + ["enter"]:
            screen.press(each)
        assert screen.wanted is not None
        assert (screen.wanted.kind, int(screen.wanted.name, 16)) == (kind, 2)
        assert "reading …" in draw(screen)
        assert screen.page is not None
        screen.page.lines = [Text(f"line {each}") for each in range(100)]
        assert draw(screen)[1] == "line 0"
        screen.press("page down")
        assert draw(screen)[1] == "line 21"
        screen.press("end")
        lines = draw(screen)
        assert (lines[-2], lines[-1][-7:]) == ("line 99", "100/100")
        screen.press("escape")

        assert screen.page is None
        assert draw(screen)[-1].startswith("↑↓ select")

    def test_page_on_another_width(self, screen: Screen) -> None:
        """A page is read again when the terminal has another width."""
        for each in ("down", "enter"):
            screen.press(each)
        draw(screen)
        target, screen.wanted = screen.wanted, None
        assert screen.page is not None
        screen.page.lines = [Text("line")]
        draw(screen)
        assert screen.wanted is None
        draw(screen, 60)

        assert screen.wanted == target

    def test_debug(self, screen: Screen) -> None:
        """With d a transaction is stepped through, and nothing else."""
        screen.press("d")
        assert draw(screen)[-1] == "select a row first: ↑ ↓"
        screen.press("down")
        screen.press("d")
        assert draw(screen)[-1] == "only a transaction can be stepped through"
        screen.press("down")
        assert draw(screen)[-1] == "↑↓ select  Enter open  p pause  d debug  q quit"
        screen.press("d")

        assert screen.debugged == tx(2).hash

    def test_pause(self, screen: Screen) -> None:
        """While paused nothing changes; after that the newest state is shown."""
        screen.press("p")
        screen.update(snapshot(block(3)))
        assert draw(screen)[0].endswith("paused")
        assert draw(screen)[1].startswith("Block 2 ")
        screen.press("p")

        assert draw(screen)[0].endswith("live")
        assert draw(screen)[1].startswith("Block 3 ")

    @pytest.mark.parametrize("keys", [["q"], ["down", "enter", "q"]], ids=["feed", "page"])
    def test_quit(self, screen: Screen, keys: list[str]) -> None:
        """The q ends the program everywhere."""
        for each in keys:
            screen.press(each)

        assert screen.is_done


class TestHostileText:
    @pytest.mark.parametrize(("width", "height"), SIZES)
    @pytest.mark.parametrize("filler", ["", "界" * 90, " " * 300, "x" * 100_000], ids=len)
    def test_layout(self, width: int, height: int, filler: str) -> None:
        """Text of contracts and nodes acts on nothing, and breaks no line."""
        text = HOSTILE + filler
        bad = tx(
            hash=text, sender=text, to=text, called=text, contract=text, selector=text,
            status="failed", reason=text, place=text,
        )  # fmt: skip
        worse = [replace(bad, called="", to=to, created=text) for to in (text, None)]
        screen = Screen(
            text,
            Snapshot(
                client=text,
                problem=text,
                head=Block(1, text, text, 10**30, 5, 0, {}),
                blocks=(
                    WatchedBlock(Block(1, text, text, 10**30, 5, 0, {}), (bad, *worse), 3),
                    block(0, taken_back_at=1.0),
                ),
                accounts=(WatchedAccount(text, 0, 2**256, 2**256, -(2**256)),),
                mempool=Mempool(2**70, 2**70, (bad,)),
                gas_price=2**256,
            ),
        )
        for key in ("", "down", "down", "down", "enter"):
            screen.press(key)
            lines = screen.lines(width, height, GENESIS_TIME)

            assert len(lines) == height
            assert max(each.cell_len for each in lines) <= width
            for each in lines:
                assert not {unicodedata.category(one) for one in each.plain} & HARMFUL
                assert {str(span.style) for span in each.spans} <= STYLES

    def test_other_encoding(self) -> None:
        """On a terminal without these characters similar ones keep the layout."""
        stream = io.TextIOWrapper(io.BytesIO(), "ascii", errors=ERROR_HANDLER)
        failed = replace(block(1, 1), transactions=(tx(), tx(status="failed", reason="x" * 99)))
        screen = Screen(URL, snapshot(failed), encoded=lambda text: in_encoding(text, stream))
        text = "\n".join(draw(screen))

        assert text.isascii()
        assert "\\u" not in text
        assert max(map(len, draw(screen))) <= 80
        assert "  v 0xf39F...2266 -> 0x7099...79C8  1 RBTC" in text


def test_short() -> None:
    """Addresses and hashes are shortened wherever they are in a text, other hex is not."""
    text = f"f(to={checksum(BOB)}, id=0x{'12' * 32}, x=0x1234)"

    assert short(text) == "f(to=0x7099…79C8, id=0x1212…1212, x=0x1234)"


def test_target_of_a_range(client: LocalClient) -> None:
    """The row of several empty blocks opens the newest of them."""
    client.call("hardhat_mine", "0x5")
    screen = Screen(URL, Watcher(client).poll())
    draw(screen)
    for each in ("down", "enter"):
        screen.press(each)

    newest: Callable[[], Any] = lambda: client.call("eth_getBlockByNumber", "latest", False)  # noqa: E731
    assert screen.wanted == Target("block", newest()["hash"])


def test_picture() -> None:
    """The picture in the docs is what the program draws: `python -m tests.cli.watch.pictures`."""
    from tests.cli.watch.pictures import PICTURE, draw

    assert PICTURE.read_text(encoding="utf-8") == draw()


def test_age() -> None:
    """Ages are relative to the chain's time, else to the wall clock."""
    assert " · 5 s ago" in "\n".join(body(block(1, 1)))
    assert " · 1 d ago" in "\n".join(body(block(1, 1), time=GENESIS_TIME + 86_400))
