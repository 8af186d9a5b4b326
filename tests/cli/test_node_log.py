"""`devchain.cli.node_log`"""

from __future__ import annotations

import io
import json
import logging
import re
import sys
from dataclasses import replace
from typing import Any

import pytest

from devchain.cli.node_log import JsonLog, LoggingHandler, Terminal, TextLog
from devchain.client.views import BlockView, Notation, TransactionView
from devchain.server.events import (
    BlockMined,
    RequestRefused,
    RequestServed,
    TransactionMined,
    TransactionQueued,
)
from devchain.text import WATCH
from devchain.types import Address, Hash32
from tests.cli.scripted import Terminal as TerminalStream

ALICE = Address(bytes.fromhex("f39fd6e51aad88f6f4ce6ab8827279cfffb92266"))
BOB = Address(bytes.fromhex("70997970c51812dc3a010c7d01b50e0d17dc79c8"))

PIPE = Terminal(colors=False, can_rewrite=False)
PLAIN_TERMINAL = Terminal(colors=False, can_rewrite=True, columns=80)
COLOR_TERMINAL = Terminal(colors=True, can_rewrite=True, columns=80)

POLL = RequestServed("test", "eth_blockNumber", 0.000_12)
CHAIN_ID = replace(POLL, method="eth_chainId")
FAILED = RequestServed("test", "eth_call", 0.0032, -32015, "execution reverted: nope")
NOTATION = Notation(31)
EMPTY = BlockMined(
    "test",
    BlockView.of(
        {
            "number": 4,
            "hash": b"\x04" * 32,
            "timestamp": 1_700_000_000,
            "gasUsed": 0,
            "gasLimit": 6_800_000,
        },
        NOTATION,
    ),
)
TRANSFER = TransactionMined(
    "test",
    TransactionView.of(
        {"hash": b"\x8d" * 32, "from": ALICE, "to": BOB, "value": 15 * 10**17, "gas": 90_000},
        {"status": 1, "blockNumber": 5, "gasUsed": 21_000},
        NOTATION,
    ),
)
QUEUED = TransactionQueued("test", Hash32(b"\x8d" * 32), ALICE, 5, 1)


def mined(**changes: Any) -> TransactionMined:
    """The mined transfer with other members of its view."""
    return replace(TRANSFER, transaction=replace(TRANSFER.transaction, **changes))


CREATION = mined(to=None, created=NOTATION.account(BOB), value=0)
FAILURE = mined(value=0, status="failed", reason="nope")


class ClosedPipe(io.StringIO):
    """A closed pipe."""

    def write(self, text: str, /) -> int:
        """Raise as a closed pipe does."""
        raise BrokenPipeError(text)


def logged_text(*events: object, terminal: Terminal = PIPE, names_networks: bool = False) -> str:
    """The text log of some events."""
    stream = io.StringIO()
    log = TextLog(stream, terminal, names_networks=names_networks)
    for event in events:
        log(event)  # type: ignore[arg-type]  # any event will do
    log.close()
    return stream.getvalue()


def empty(number: int) -> BlockMined:
    """An empty block."""
    return replace(EMPTY, block=replace(EMPTY.block, number=number))


def words(text: str) -> list[str]:
    """The lines of a log, with single spaces."""
    return [" ".join(each.split()) for each in text.splitlines()]


def logged_json(*events: object) -> list[dict[str, object]]:
    """The lines of a JSON log of some events, decoded."""
    stream = io.StringIO()
    log = JsonLog(stream, lambda: 1_700_000_000)
    for event in events:
        log(event)  # type: ignore[arg-type]  # any event will do
    log.close()
    return [json.loads(line) for line in stream.getvalue().splitlines()]


class TestRequests:
    def test_names(self) -> None:
        """What devchain's commands ask for names is in the text only where it fails."""
        naming = replace(POLL, method="devchain_nameContracts")

        assert logged_text(naming) == ""
        assert "eth_blockNumber (2×)" in logged_text(POLL, naming, POLL)
        assert "devchain_nameContracts" in logged_text(replace(naming, code=-32602))

    def test_polls(self) -> None:
        """The polls of `devchain watch` are not in the text; the JSON lines have them."""
        polled = replace(POLL, via=WATCH)

        assert logged_text(polled, replace(polled, code=-32601, message="no")) == ""
        assert "eth_blockNumber (2×)" in logged_text(POLL, polled, POLL)
        assert logged_json(polled)[0]["via"] == "devchain watch"

    def test_console(self) -> None:
        """console.log output of a call follows its line, which is never collapsed."""
        printing = replace(POLL, method="eth_call", printed=("peeked",))

        lines = logged_text(printing, printing).splitlines()

        assert [line.split() for line in lines[1::2]] == [["Console", "peeked"]] * 2

    def test_failure(self) -> None:
        """A failed call has code and message on the same line."""
        assert logged_text(FAILED) == (
            "eth_call                                3.2 ms  -32015 execution reverted: nope\n"
        )

    def test_long_failure(self) -> None:
        """On a narrow terminal the error is wrapped below its line."""
        failed = replace(FAILED, message="execution reverted: " + "insufficient balance " * 5)

        lines = logged_text(failed, terminal=PLAIN_TERMINAL).splitlines()

        assert len(lines) == 3
        assert all(len(line) <= 80 for line in lines)
        assert lines[1].startswith("  -32015 execution reverted: insufficient")

    def test_colors(self) -> None:
        """Success is green, failure red."""
        assert "\x1b[32meth_blockNumber\x1b[0m" in logged_text(POLL, terminal=COLOR_TERMINAL)
        assert "\x1b[31meth_call\x1b[0m" in logged_text(FAILED, terminal=COLOR_TERMINAL)

    def test_refused(self) -> None:
        """A request rejected before JSON-RPC has its HTTP status."""
        refused = RequestRefused(403, "host 'evil.example' is not allowed")

        assert logged_text(refused) == "HTTP 403 host 'evil.example' is not allowed\n"
        narrow = replace(PLAIN_TERMINAL, columns=30)
        assert logged_text(refused, terminal=narrow).splitlines() == [
            "HTTP 403 host 'evil.example'",
            "  is not allowed",
        ]


class TestCollapsing:
    def test_pipe(self) -> None:
        """Without a terminal the count is written when another call follows."""
        assert logged_text(POLL, POLL, POLL, FAILED).splitlines()[:2] == [
            "eth_blockNumber                         0.1 ms",
            "eth_blockNumber (3×)                    0.1 ms",
        ]

    def test_terminal(self) -> None:
        """On a terminal the last line shows a run as it grows."""
        assert logged_text(POLL, POLL, FAILED, terminal=PLAIN_TERMINAL) == (
            "\r\x1b[Keth_blockNumber                         0.1 ms"
            "\r\x1b[Keth_blockNumber (2×)                    0.1 ms"
            "\r\x1b[Keth_blockNumber (2×)                    0.1 ms\n"
            "eth_call                                3.2 ms  -32015 execution reverted: nope\n"
        )

    @pytest.mark.parametrize(
        ("columns", "status"),
        [
            (80, "eth_blockNumber (2×) 0.1 ms · Blocks 4 to 5 mined, empty"),
            (60, "Blocks 4 to 5 mined, empty"),
        ],
    )
    def test_both_runs(self, columns: int, status: str) -> None:
        """On a terminal the last line has both runs, or the blocks alone if it is narrow."""
        terminal = replace(PLAIN_TERMINAL, columns=columns)
        events = [POLL, empty(4), POLL, empty(5), CHAIN_ID, TRANSFER]
        written = logged_text(*events, terminal=terminal).split("\r\x1b[K")

        assert [words(text) for text in written[4:6]] == [[status], ["eth_blockNumber (2×) 0.1 ms"]]
        assert words(written[-1])[:3] == [
            "Blocks 4 to 5 mined, empty",
            "eth_chainId 0.1 ms",
            "Mined block 5, gas 21,000 of 90,000",
        ]

    def test_other_networks(self) -> None:
        """Calls to different networks are not collapsed."""
        assert "×" not in logged_text(POLL, replace(POLL, network="main"), names_networks=True)

    def test_empty_blocks(self) -> None:
        """Successive empty blocks are collapsed to one line with the first and the last number."""
        blocks = [empty(number) for number in (4, 5, 6)]

        assert logged_text(*blocks).splitlines() == [
            "Block 4 mined, empty",
            "Blocks 4 to 6 mined, empty",
        ]

    def test_polled_blocks(self) -> None:
        """Empty blocks between requests are collapsed, and so are the requests."""
        events = [each for number in range(4, 8) for each in (empty(number), POLL, CHAIN_ID)]

        assert words(logged_text(*events, *(empty(number) for number in (8, 9)), TRANSFER)) == [
            "Block 4 mined, empty",
            *["eth_blockNumber 0.1 ms", "eth_chainId 0.1 ms"] * 4,
            "Blocks 4 to 9 mined, empty",
            *words(logged_text(TRANSFER)),
        ]

    @pytest.mark.parametrize("flag", ["mines", "reverts"])
    def test_before_what_changes_the_chain(self, flag: str) -> None:
        """Counts are written before a request that mines or takes off blocks."""
        request = RequestServed("test", "evm_revert", 0.001, **{flag: True})  # type: ignore[arg-type]

        assert words(logged_text(empty(4), empty(5), request)) == [
            "Block 4 mined, empty",
            "Blocks 4 to 5 mined, empty",
            "evm_revert 1.0 ms",
        ]

    def test_interval_block(self) -> None:
        """A block of the interval has a line above its transactions, that of a request has not."""
        block = replace(EMPTY, block=replace(empty(5).block, transactions=["0x"]))
        sent = RequestServed("test", "eth_sendTransaction", 0.005, mines=True)

        assert words(logged_text(POLL, block, TRANSFER))[:3] == [
            "eth_blockNumber 0.1 ms",
            "Block 5 mined, 1 transaction",
            "Mined block 5, gas 21,000 of 90,000",
        ]
        assert words(logged_text(sent, block, TRANSFER))[:2] == [
            "eth_sendTransaction 5.0 ms",
            "Mined block 5, gas 21,000 of 90,000",
        ]

    def test_reverted_blocks(self) -> None:
        """A block whose number does not follow begins another run."""
        numbers = (4, 5, 3, 4)

        assert words(logged_text(*map(empty, numbers))) == [
            "Block 4 mined, empty",
            "Blocks 4 to 5 mined, empty",
            "Block 3 mined, empty",
            "Blocks 3 to 4 mined, empty",
        ]


class TestTransactions:
    def test_queued(self) -> None:
        """A transaction behind a nonce gap is logged with its nonce and the next one."""
        assert logged_text(QUEUED) == (
            f"  Queued   nonce 5, the next is 1\n  Hash     0x{'8d' * 32}\n"
        )
        [entry] = logged_json(QUEUED)
        assert (entry["event"], entry["nonce"], entry["nextNonce"]) == ("queued", 5, 1)
        assert (entry["hash"], entry["from"]) == (f"0x{'8d' * 32}", f"0x{ALICE.hex()}")

    def test_transfer(self) -> None:
        """A transaction is logged as aligned lines with EIP-55 addresses."""
        assert logged_text(TRANSFER) == (
            "  Mined    block 5, gas 21,000 of 90,000\n"
            f"  Hash     0x{'8d' * 32}\n"
            "  From     0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266\n"
            "  To       0x70997970C51812dc3A010C7d01b50e0d17dc79C8\n"
            "  Value    1.5 RBTC\n"
        )

    def test_creation(self) -> None:
        """A contract creation shows the address of the contract."""
        text = logged_text(CREATION)

        assert "  Created  0x70997970C51812dc3A010C7d01b50e0d17dc79C8\n" in text
        assert "Value" not in text

    def test_failure(self) -> None:
        """A failed transaction has its reason, in red."""
        assert logged_text(FAILURE).endswith("  Failed   nope\n")
        assert "\x1b[31mnope" in logged_text(FAILURE, terminal=COLOR_TERMINAL)

    def test_places(self) -> None:
        """Below a failure are its hint and its places, the innermost first."""
        found = {"places": ("a.sol:17 in A.f()", "b.sol:4 in B.g()"), "hint": "no code \x1b[2J"}
        shown = [
            "  Hint     no code \\x1b[2J",
            "  At       a.sol:17 in A.f()",
            "           b.sol:4 in B.g()",
        ]

        for event in (FAILURE, FAILED):
            assert logged_text(replace(event, **found)).splitlines()[-3:] == shown

    def test_hint_of_creation(self) -> None:
        """A transaction that succeeded can have a hint."""
        assert logged_text(replace(mined(), hint="odd")).endswith("  Hint     odd\n")

    def test_names(self) -> None:
        """What was called and each event have a line."""
        text = logged_text(replace(mined(called="Token.pay()"), emitted=("A.B(1)", "... 2 more")))

        assert text.endswith(
            "  Called   Token.pay()\n  Value    1.5 RBTC\n"
            "  Event    A.B(1)\n  Event    ... 2 more\n"
        )

    @pytest.mark.parametrize("columns", [40, 80, 120])
    def test_wrapped(self, columns: int) -> None:
        """On a terminal lines are wrapped below their beginning; no address or hash is broken."""
        address = "0x" + BOB.hex()
        event = replace(
            mined(
                called=f"Token.transfer(to={address}, value=5000000000000000000, memo={address})",
                status="failed",
                reason=f"custom error NotEnough(who={address}, wanted=1, has=0)",
            ),
            emitted=(f"Token.Transfer(from={address}, to={address} (Vault), value=1)",) * 2,
            printed=("words " * 30,),
        )
        lines = logged_text(
            event, FAILED, terminal=replace(PLAIN_TERMINAL, columns=columns)
        ).splitlines()

        whole = [each for each in lines if "Hash" not in each]
        # A label and an address are wider than 40 columns.
        assert max(map(len, whole)) <= max(columns, 11 + len(address) + 1)
        assert sum(each.count(address) for each in lines) == 7
        assert [each for each in lines if "0x8d" in each] == [f"  Hash     0x{'8d' * 32}"]
        inner = lines[1 : lines.index(next(each for each in lines if "eth_call" in each))]
        if columns > 40:
            assert all(re.match("  [A-Z][a-z]+ +|           [^ ]", each) for each in inner)

    def test_resized(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The width is the terminal's of the moment."""
        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setenv("COLUMNS", "100")
        stream = TerminalStream()
        log = TextLog(stream)
        called = mined(called="Token.transfer(" + "argument, " * 6 + ")")
        log(called)
        wide = stream.getvalue().count("\n")
        monkeypatch.setenv("COLUMNS", "50")
        log(called)

        assert stream.getvalue().count("\n") - wide > wide


class TestLogging:
    @pytest.mark.parametrize("kind", ["text", "json"])
    def test_traceback(self, kind: str) -> None:
        """A traceback of Python's logging goes to the log, after collapsed lines."""
        stream = io.StringIO()
        log = TextLog(stream, PIPE) if kind == "text" else JsonLog(stream, lambda: 0)
        log(POLL)
        log(POLL)

        try:
            raise ZeroDivisionError("boom\x1b[2J")
        except ZeroDivisionError:
            record = {"msg": "incident %s", "args": ("abc",), "exc_info": sys.exc_info()}
            LoggingHandler(log).emit(logging.makeLogRecord(record))

        text = stream.getvalue()
        assert "incident abc" in text
        assert "ZeroDivisionError: boom" in text
        assert "\x1b" not in text
        assert text.index("eth_blockNumber") < text.index("incident")


class TestTerminal:
    def test_pipe(self) -> None:
        """A pipe has no colors and no rewritten lines."""
        assert Terminal.of(io.StringIO()) == PIPE

    @pytest.mark.parametrize(
        ("environ", "colors", "rewrites"),
        [
            ({"TERM": "xterm"}, True, True),
            ({"TERM": "xterm", "NO_COLOR": "1"}, False, True),
            ({"TERM": "dumb"}, False, False),
        ],
    )
    def test_terminal(
        self,
        monkeypatch: pytest.MonkeyPatch,
        environ: dict[str, str],
        *,
        colors: bool,
        rewrites: bool,
    ) -> None:
        """A terminal has both, unless NO_COLOR or TERM=dumb is set."""
        for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
            monkeypatch.delenv(name, raising=False)
        for name, value in environ.items():
            monkeypatch.setenv(name, value)

        found = Terminal.of(TerminalStream())

        assert (found.colors, found.can_rewrite) == (colors, rewrites)

    def test_closed_pipe(self) -> None:
        """A closed pipe does not stop the log."""
        log = TextLog(ClosedPipe(), PIPE)

        log(POLL)
        log.write_error("x")


class TestJsonLog:
    def test_no_collapsing(self) -> None:
        """Every request has a line of its own."""
        line = {
            "time": "2023-11-14T22:13:20Z",
            "event": "request",
            "network": "test",
            "method": "eth_blockNumber",
            "ms": 0.12,
        }
        assert logged_json(POLL, POLL) == [line, line]

    def test_members(self) -> None:
        """A request has transport, console output and error, if there are any."""
        printed, failed = logged_json(replace(POLL, printed=("peeked",), via="ipc"), FAILED)

        assert (printed["via"], printed["console"]) == ("ipc", ["peeked"])
        assert not {"via", "console"} & failed.keys()
        assert failed["error"] == {"code": -32015, "message": "execution reverted: nope"}

    def test_refused(self) -> None:
        """A rejected request has its HTTP status."""
        [entry] = logged_json(RequestRefused(403, "no"))

        assert (entry["event"], entry["status"], entry["message"]) == ("refused", 403, "no")

    def test_mined(self) -> None:
        """Blocks and transactions have hashes and addresses as in JSON-RPC results."""
        block, tx, creation = logged_json(EMPTY, FAILURE, CREATION)

        assert (block["event"], block["number"], block["hash"]) == ("block", 4, "0x" + "04" * 32)
        assert (tx["event"], tx["from"], tx["to"]) == (
            "transaction",
            "0x" + ALICE.hex(),
            "0x" + BOB.hex(),
        )
        assert (tx["succeeded"], tx["failure"]) == (False, "nope")
        assert tx["events"] == []
        assert "places" not in tx
        assert (creation["to"], creation["contractAddress"]) == (None, "0x" + BOB.hex())

    def test_places(self) -> None:
        """A failure has hint and places where they are known."""
        for event in (FAILURE, FAILED):
            [entry] = logged_json(replace(event, places=("a.sol:17 in A.f()",), hint="none"))
            assert (entry["hint"], entry["places"]) == ("none", ["a.sol:17 in A.f()"])
