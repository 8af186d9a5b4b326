"""`devchain.server.explorer.steps_page`: stepping through transactions in pages."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace

import pytest

from devchain.node import Node
from devchain.server.app import create_app
from devchain.server.explorer import steps_page
from devchain.types import TransactionRequest
from tests.server.explorer.conftest import CONFIG, HOSTILE, Get, Market, unlinked, visit

FOREVER = bytes.fromhex("5b5f5f5f5f5050505060 00 56".replace(" ", ""))
"""A loop that uses all gas."""


def text_of(page: str) -> str:
    """A page without tags, entities and runs of spaces."""
    words = re.sub(r"<[^>]*>", " ", re.sub(r"</?span[^>]*>", "", unlinked(page)))
    return " ".join(html.unescape(words).split())


def here(page: str) -> str:
    """The line of the source at which a page is."""
    row = re.search(r'<tr class="here" aria-current="step">.*?</tr>', page, re.DOTALL)
    return text_of(row[0]).removeprefix("▶ ") if row else ""


def step_of(page: str) -> int:
    """The step of a page."""
    found = re.search(r"<b>Step ([\d,]+)</b>", page)
    assert found
    return int(found[1].replace(",", ""))


def link(page: str, key: str) -> str | None:
    """Where the movement of a key leads; None if it leads to no other step."""
    found = re.search(rf'data-key="{key}" href="/explorer([^"]*)"', page)
    return html.unescape(found[1]) if found else None


def follow(get: Get, page: str, keys: str) -> str:
    """The page after the movements of several keys."""
    for key in keys:
        path = link(page, key)
        assert path, key
        page = get(path).text
    return page


@pytest.fixture
def first(market: Market, get: Get) -> str:
    """The page with the first line of a deposit."""
    return get(f"/tx/{market.hashes['deposit']}/steps").text


class TestMovements:
    def test_first_line(self, first: str) -> None:
        """It begins at the first line of the source, with the function and its arguments."""
        text = text_of(first)

        assert "if (paused) revert Paused();" in here(first)
        assert 'Vault.deposit(amount=100, note="first deposit")' in text
        assert "arguments of Vault.deposit amount 100 note" in text

    def test_lines(self, get: Get, first: str) -> None:
        """`next` goes over a call, `step` into it, `out` back to its caller."""
        call = first
        while "transferFrom" not in here(call):
            call = follow(get, call, "n")

        assert "transferFrom" not in here(follow(get, call, "n"))
        inside = follow(get, call, "s")
        assert "allowance[from][msg.sender] -= value" in here(inside)
        assert "Token.transferFrom(from=" in text_of(inside)
        assert text_of(inside).count("(account 1)") >= 2  # in the call stack and the arguments
        assert "transferFrom" in here(follow(get, inside, "f"))

    def test_ends(self, market: Market, get: Get, first: str) -> None:
        """At the last step nothing leads forward, at step 0 nothing back; others are no steps."""
        path = f"/tx/{market.hashes['deposit']}/steps"
        end, start = follow(get, first, "G"), get(f"{path}?at=0").text

        assert [link(end, each) for each in "snfio"] == [None] * 5
        assert [link(start, each) for each in "SNFIO"] == [None] * 5
        assert step_of(get(f"{path}?at=99999999999").text) == step_of(end)
        assert step_of(get(f"{path}?at=-1").text) == step_of(first)
        assert get(f"{path}?at=1&frame=77&memory=99999999999&from=99999999").status == 200

    def test_failure(self, market: Market, get: Get) -> None:
        """`failure` leads to the line that failed, and says why."""
        path = f"/tx/{market.hashes['no tokens']}/steps"
        page = follow(get, get(path).text, "x")

        assert "allowance[from][msg.sender] -= value" in here(page)
        assert "failed: panic: arithmetic overflow or underflow (0x11)" in text_of(page)
        assert step_of(get(f"{path}?at=failure").text) == step_of(page)

    def test_line_back(self, market: Market, get: Get) -> None:
        """Of a line that ran several times the arrow leads to the last, the number to the first."""
        end = get(f"/tx/{market.hashes['deposit']}/steps?at=99999999").text
        [row] = [
            each for each in re.findall(r"<tr.*?</tr>", end, re.DOTALL) if "ran-before" in each
        ]
        last, first = (
            get(html.unescape(each)).text for each in re.findall(r'href="/explorer([^"]*)"', row)
        )

        assert step_of(first) < step_of(last) < step_of(end)
        for page in (first, last):
            assert text_of(here(page)) in text_of(row)
        assert "ran-before" not in first

    def test_frame(self, market: Market, get: Get) -> None:
        """The caller of a function is looked at from its entry on the call stack."""
        page = follow(get, get(f"/tx/{market.hashes['no tokens']}/steps?at=failure").text, "u")

        assert "token.transferFrom(" in here(page)
        assert "arguments of Vault.deposit amount 5" in text_of(page)
        assert "allowance[from]" in here(follow(get, page, "d"))


class TestValues:
    def test_storage(self, get: Get, first: str) -> None:
        """Storage that was touched has the names of variables, and the values before."""
        text = text_of(follow(get, first, "G"))

        assert re.search(r"storage of Token .*balanceOf\[0x\w{40} \(account 1\)\] ?500 → 400", text)
        assert "storage of Vault owner" in text

    def test_new_values(self, get: Get, first: str) -> None:
        """What has changed since the step before is marked, in storage and on the stack."""
        page = first
        while not re.search(r'<div class="new"><dt><bdi>balanceOf', page):
            page = follow(get, page, "s")

        assert '<li class="new"><code>0x' in page
        assert 'class="new"' not in get(re.sub("&from=.*", "", str(link(page, "S")))).text

    def test_opcodes(self, market: Market, get: Get) -> None:
        """Opcodes have their operands, the stack its words, memory its bytes."""
        page = get(f"/tx/{market.hashes['deposit']}/steps?at=2").text
        text = text_of(page)

        assert "PUSH1 0x80" in text
        assert "MSTORE" in text
        assert "Memory 0 bytes" in text
        last = text_of(follow(get, page, "G"))
        assert re.search(r"Memory \d+ bytes Offset Bytes Text 0000 [0-9a-f]{8}", last)

    def test_hostile(self, market: Market, get: Get) -> None:
        """Text of contracts, such as arguments and memory, is escaped and shortened."""
        for name in ("rename", "long"):
            page = get(f"/tx/{market.hashes[name]}/steps?at=99999").text

            assert "<img" not in page.replace('<img src="/explorer/static', "")
            assert "\u202e" not in page
            assert HOSTILE[:20] not in page
            assert len(page) < 60_000

    def test_json(self, market: Market, get: Get) -> None:
        """Its JSON is the trace up to the last opcode that the page shows."""
        page = get(f"/tx/{market.hashes['deposit']}/steps?at=10&format=json")

        logs = json.loads(page.text)["calls"][0]["result"]["structLogs"]
        assert logs[10]["pc"] > 0
        assert len(logs) == 10 + steps_page.OPCODES_BELOW + 1


class TestBounds:
    def test_long(self) -> None:
        """Of an execution of half a million steps the first are shown, and it says so."""
        config = replace(CONFIG, request_timeout=0)
        with Node(config) as node:
            sender = node.accounts.addresses()[0]
            tx_hash = node.send(TransactionRequest(sender, None, data=FOREVER, gas=1_300_000)).hex()
            app = create_app({"test": node}, config)
            page = visit(app, f"/explorer/tx/0x{tx_hash}/steps?at=99999999").text

        assert step_of(page) == 49_999
        assert "only the first 50,000 steps are shown" in text_of(page)
        assert "failed" in text_of(page)

    def test_without_code(self, market: Market, get: Get) -> None:
        """A transfer has a page that says that there are no steps."""
        page = get(f"/tx/{market.hashes['transfer']}/steps")

        assert page.status == 200
        assert "ran no code: there is nothing to step through" in page.text

    def test_without_source(self, node: Node, get: Get) -> None:
        """Without artifacts one steps through opcodes."""
        sender = node.accounts.addresses()[0]
        tx_hash = node.send(TransactionRequest(sender, None, data=bytes.fromhex("5f5f55"))).hex()
        page = get(f"/tx/0x{tx_hash}/steps").text

        assert "Opcodes can be stepped through" in text_of(page)
        assert step_of(follow(get, page, "s")) == 1

    def test_no_statement(self, market: Market, get: Get) -> None:
        """Where no statement ran it does not say that no source is known."""
        sender = market.node.accounts.addresses()[0]
        call = TransactionRequest(
            sender, bytes(market.vault.address), 100_000, data=bytes.fromhex("12345678")
        )
        page = get(f"/tx/0x{market.node.send(call).hex()}/steps").text

        assert "Code of the compiler in Vault, of no statement." in text_of(page)
        assert "“failure” to where it failed" in text_of(page)
        assert "--artifacts" not in page
        assert "code of the compiler after" not in page

    def test_taken_back(self, market: Market, get: Get) -> None:
        """A transaction that a revert took back has no steps, whatever was shown before."""
        node, snapshot = market.node, market.node.snapshots.take()
        tx_hash = market.token.transfer(node.accounts.addresses()[1], 1).hash.hex()
        before = get(f"/tx/0x{tx_hash}/steps").status
        node.revert(snapshot)

        assert (before, get(f"/tx/0x{tx_hash}/steps").status) == (200, 404)
