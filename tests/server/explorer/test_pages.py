"""`devchain.server.explorer.pages`: every page on a chain that has something of everything."""

from __future__ import annotations

import html
import json
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from devchain.chain.block import MinedLog
from devchain.chain.slices import finish
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.node import Node
from devchain.server.app import create_app
from devchain.server.explorer import (
    account_pages,
    chain_pages,
    contract_pages,
    gas_pages,
    transaction_pages,
)
from devchain.types import Address, BlockRef, LogQuery, TransactionRequest, checksum
from tests.actions import deploy
from tests.bytecode import ERC1967_SLOT, PROXY
from tests.contracts.till import TILL
from tests.fork.upstreams import fork_of
from tests.server.explorer.conftest import CONFIG, Get, Market, artifacts, unlinked, visit

FILES = Path(__file__).parents[2] / "contracts"
PLAIN_PATHS = (
    "",
    "/",
    "?part=feed",
    "/blocks",
    "/blocks?before=3",
    "/block/0",
    "/block/latest",
    "/txs",
    "/txs?block=4&index=0",
    "/accounts",
    "/accounts?block=1",
    "/contracts",
    "/tokens",
    "/mempool?done=drop",
    "/charts",
    "/control",
    "/rootstock",
    "/search",
)
TRANSACTION_VIEWS = ("", "/calls", "/steps", "/changes", "/gas", "/lines", "/upgrade")
CONTRACT_VIEWS = ("", "/source", "/call", "/storage", "/events", "/code", "/upgrade?hardfork=iris")
# MSTORE the selector of Error(string), its offset, and a length of 1,000,000; REVERT with all of it
LONG_REASON = bytes.fromhex("6308c379a060e01b6000526020600452620f4240602452620f42846000fd")
# LOG0 of 500,000 bytes
LONG_EVENT = bytes.fromhex("6207a1206000a000")
VOID = {"area", "base", "br", "hr", "img", "input", "link", "meta", "source", "wbr"}


class Checker(HTMLParser):
    """Reads a page and notes what is wrong with it."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.links: set[str] = set()
        self.ids: list[str] = []
        self.title = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        self.wrong += [f"{tag} {name}" for name in names if name.startswith("on")]
        self.wrong += [f"{tag} style" for name in names if name == "style"]
        if tag == "script" and "src" not in names:
            self.wrong.append("inline script")
        if tag == "style":
            self.wrong.append("inline style")
        if tag == "a" and names.get("href"):
            self.links.add(str(names["href"]))
        if names.get("id"):
            self.ids.append(str(names["id"]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_data(self, data: str) -> None:
        if self.open[-2:] == ["head", "title"]:
            self.title += data

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"unexpected </{tag}>")


def checked(text: str) -> Checker:
    """A page as it was read."""
    checker = Checker()
    checker.feed(text)
    checker.close()
    return checker


def paths_of(market: Market) -> list[str]:
    """The path of every page about something that was done."""
    hashes = [f"/tx/{each}" for each in market.hashes.values()]
    addresses = [f"0x{bytes(each.address).hex()}" for each in (market.token, market.vault)]
    return [
        *PLAIN_PATHS,
        *(f"{each}{view}" for each in hashes for view in TRANSACTION_VIEWS),
        f"/tx/{market.hashes['no tokens']}/steps?at=failure",
        *(f"/address/{each}{view}" for each in addresses for view in CONTRACT_VIEWS),
        f"/address/{addresses[0]}/call?f=balanceOf(address)&a0={addresses[1]}",
        "/address/0x0000000000000000000000000000000001000006/call",
    ]


HOSTILE_NAME = "\u202e\x1b[2J\u2066\u200b\x07\u3164<script>"


def with_hostile_names(described: Any, key: str = "") -> Any:
    """Artifacts with text that acts on terminals and pages in all names, and in the sources."""
    if isinstance(described, dict):
        is_file = key in {"contracts", "sources"}
        return {
            name + HOSTILE_NAME
            if is_file or (isinstance(value, dict) and "abi" in value)
            else name: with_hostile_names(value, name)
            for name, value in described.items()
        }
    if isinstance(described, list):
        return [with_hostile_names(each) for each in described]
    is_named = key in {"name", "internalType", "label", "content"}
    return described + HOSTILE_NAME if is_named else described


def test_hostile_names(market: Market, get: Get) -> None:
    """Names of contracts, functions, arguments and files cannot act on any page."""
    LocalClient(market.node).call("devchain_addArtifacts", with_hostile_names(artifacts()))
    token = f"0x{bytes(market.token.address).hex()}"
    asked = quote(f"balanceOf{HOSTILE_NAME}(address)")
    paths = [*paths_of(market), f"/address/{token}/call?f={asked}&a0=x", "/search?q=0xa9059cbb"]

    texts = {path: get(path).text for path in paths}

    for path, text in texts.items():
        assert [each for each in text if not (each.isprintable() or each == "\n")] == [], path
        assert "<script>alert" not in text
        assert "\u3164" not in text, path
    assert r"transfer\u202e\x1b[2J" in texts[f"/address/{token}/call"]


class TestEveryPage:
    def test_content(self, market: Market, get: Get) -> None:
        """Every page is well-formed and titled, and its links lead to pages.

        None has a script or style of its own, an id twice, a value of the templates' own, or text
        of a contract that is markup, a control character or a mark of direction.
        """
        links: set[str] = set()
        for path in paths_of(market):
            page = get(path)
            text, read = page.text, checked(page.text)
            links |= read.links

            assert page.status == 200, path
            assert (read.wrong, read.open) == ([], []), path
            assert len(read.ids) == len(set(read.ids)), path
            title = "" if path == "?part=feed" else r"\w[^<>]* · devchain test"
            assert re.fullmatch(title, read.title), path
            assert not re.search("<(Macro|function|bound method)|object at 0x", html.unescape(text))
            assert "<script>alert" not in text, path
            assert "<img src=x" not in text, path
            assert not set("\u202e\u2066\u200b\x1b") & set(text), path
            assert len(text) < 300_000, path
        assert "&lt;script&gt;alert(1)" in get(f"/tx/{market.hashes['rename']}").text

        own = {link for link in links if link.startswith("/explorer") and "#" not in link}
        kinds = {re.sub(r"0x\w+|\d+", "", link): link for link in sorted(own)}.values()
        broken = [link for link in kinds if get(link.removeprefix("/explorer")).status != 200]

        assert len(kinds) > 25
        assert broken == []

    @pytest.mark.parametrize(
        "path", ["/nothing", "/tx/0x12", f"/tx/0x{'12' * 32}", "/block/999", "/address/me"]
    )
    def test_errors(self, get: Get, path: str) -> None:
        """Pages of errors name the network; their JSON is that of JSON-RPC with the same words."""
        page, written = get(path), get(f"{path}?format=json")
        error = json.loads(written.text)["error"] if written.status != 200 else None

        assert page.status in (400, 404)
        if error:
            assert written.status == page.status
            assert html.unescape(error["message"]) in html.unescape(page.text)
        assert re.fullmatch(r"\w[\w ]+ · devchain test", checked(page.text).title)
        assert '<span class="network">test</span>' in page.text

    @pytest.mark.parametrize("code", [LONG_REASON, LONG_EVENT], ids=["reason", "event"])
    def test_long_text(self, node: Node, get: Get, code: bytes) -> None:
        """A reason or an event as long as a block's gas allows leaves every page of usual size."""
        sender = node.accounts.addresses()[0]
        node.set_code(bytes(19) + b"\xaa", code)
        request = TransactionRequest(sender, Address(bytes(19) + b"\xaa"), gas=6_800_000)
        tx_hash = f"/tx/0x{node.send(request).hex()}"

        views = [f"{tx_hash}{view}" for view in TRANSACTION_VIEWS]
        sizes = {path: len(get(path).text) for path in ("", "/txs", "/block/1", *views)}

        assert max(sizes.values()) < 60_000, sizes

    def test_json(self, market: Market, get: Get) -> None:
        """Beside a page are the answers of JSON-RPC that have its content."""
        tx_hash = market.hashes["transfer"]
        page = get(f"/tx/{tx_hash}?format=json")

        [transaction, receipt, *_] = json.loads(page.text)["calls"]

        assert page.headers["Content-Type"] == "application/json"
        assert (transaction["method"], transaction["params"]) == (
            "eth_getTransactionByHash",
            [tx_hash],
        )
        assert transaction["result"]["hash"] == tx_hash
        assert receipt["result"]["status"] == "0x1"

    def test_json_of_every_page(self, market: Market, get: Get) -> None:
        """Every page but that of the search has the same form: an object with its calls."""
        kinds = {re.sub(r"0x\w+|\d+", "", path): path for path in paths_of(market)}
        for path in kinds.values():
            if path in {"/search", "?part=feed"}:
                continue
            page = get(f"{path}{'&' if '?' in path else '?'}format=json")
            assert (page.status, page.headers["Content-Type"]) == (200, "application/json"), path

            found = json.loads(page.text)

            assert list(found) == ["calls"], path
            assert found["calls"], path
            for each in found["calls"]:
                assert list(each) == ["method", "params", "result"], path

    def test_json_without_page(
        self, market: Market, get: Get, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The JSON of a page that replays the transaction does not replay it for the page too."""
        for name in ("transaction_frames", "transaction_source", "gas_profile", "new_gas_recorder"):
            monkeypatch.delattr(type(market.node.explainer), name)
        monkeypatch.delattr(transaction_pages, "difference_of")

        for view in ("calls", "changes", "gas", "lines"):
            assert get(f"/tx/{market.hashes['no tokens']}/{view}?format=json").status == 200

    def test_json_without_method(self) -> None:
        """Where a method is not served, its call has the error instead of a result."""
        config = Config(network="test", like="rskj", fixed_clock=1_700_000_000)
        with Node(config) as node:
            node.transact(TransactionRequest(data=bytes.fromhex("60015ff3"), gas=100_000))
            page = visit(create_app({"test": node}, config), "/explorer/contracts?format=json")

        names, code = json.loads(page.text)["calls"]

        assert names["error"]["code"] == -32601
        assert code["result"] == "0x00"

    def test_json_of_a_refused_batch(self) -> None:
        """More calls than a batch may have are an error, as JSON-RPC has it."""
        config = replace(CONFIG, max_batch=1)
        with Node(config) as node:
            page = visit(create_app({"test": node}, config), "/explorer/control?format=json")

        assert page.status == 400
        assert "batch" in json.loads(page.text)["error"]["message"]

    def test_json_link(self, market: Market, get: Get) -> None:
        """The link to the JSON of a page keeps what the address says after the question mark."""
        path = f"/tx/{market.hashes['deposit']}/steps?at=10"
        page = get(f"{path}&q=%22%3Cb%3E&at=12")

        (link,) = re.findall(r'<a href="/explorer([^"]*)">This page as JSON</a>', page.text)
        found = html.unescape(link)

        assert found == path.replace("10", "12") + "&q=%22%3Cb%3E&format=json"
        assert get(found).text == get(f"{path.replace('10', '12')}&format=json").text
        assert '<a href="/explorer?format=json">' in get("").text


class TestHome:
    def test_newest(self, market: Market, get: Get) -> None:
        """The overview has the newest blocks and transactions, with names."""
        text = get().text

        assert f'href="/explorer/block/{market.node.chain.height}"' in text
        assert "Vault.deposit(amount=100" in text
        assert 'title="0x' in text

    def test_revert(self, market: Market, get: Get) -> None:
        """What a revert has taken back is gone from every page."""
        node = market.node
        snapshot = node.snapshots.take()
        sender = node.accounts.addresses()[0]
        tx_hash = f"0x{node.send(TransactionRequest(sender, sender)).hex()}"
        before = get().text
        node.revert(snapshot)

        assert tx_hash in before
        assert tx_hash not in get().text
        assert "a revert has removed it" in get(f"/tx/{tx_hash}").text


class TestBlocks:
    def test_pages(self, node: Node, get: Get) -> None:
        """Fifty blocks a page; each page leads to the next, down to the genesis block."""
        node.mine(120)
        shown: list[int] = []
        path = "/blocks"
        while path:
            text = get(path).text
            shown += [
                int(each) for each in re.findall(r'strong" href="/explorer/block/(\d+)', text)
            ]
            older = re.search(r'href="/explorer(/blocks\?before=\d+)" rel="next"', text)
            path = older[1] if older else ""

        assert shown == list(range(120, -1, -1))


class TestBlock:
    def test_by_hash(self, market: Market, get: Get) -> None:
        """A block is found by its hash, with all of it and its merged-mining proof."""
        block = market.node.chain.block(3)

        text = get(f"/block/0x{block.hash.hex()}").text

        assert "Block 3" in text
        assert "Minimum price" in text
        assert f"0x{block.header.bitcoin_merged_mining_header.hex()}" in text
        assert f"0x{block.state_root.hex()}" in text

    def test_many_transactions(self, node: Node, get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
        """A page has a bounded number of transactions; the rest is on the next."""
        monkeypatch.setattr(chain_pages, "MAX_ROWS", 40)
        node.miner.set_automine(on=False)
        for sender in node.accounts.addresses()[:4]:
            for _ in range(16):
                node.send(TransactionRequest(sender, sender, gas=21_000))
        node.mine()

        pages = [get(f"/block/1{query}").text for query in ("?unfold=1", "?from=40&unfold=1")]

        assert [each.count("/explorer/tx/0x") for each in pages] == [40, 24]


class TestTransaction:
    def test_call(self, market: Market, get: Get) -> None:
        """The call and its events have names and values; nested calls' events too."""
        text = get(f"/tx/{market.hashes['deposit']}").text

        assert "Vault.deposit(amount=100, note=&#34;first deposit&#34;)" in text
        assert "Deposited(from=" in text
        assert "Transfer(from=" in text
        assert "Success" in text

    def test_failure(self, market: Market, get: Get) -> None:
        """A failure has its reason and the line of the source."""
        text = get(f"/tx/{market.hashes['too much']}").text

        assert "more than was deposited" in text
        assert "contracts/Market.sol:84" in text
        assert "\n&gt; 84 │ require(" in text

    def test_custom_error(self, market: Market, get: Get) -> None:
        """A custom error has its name and arguments, in the list of its block too."""
        tx_hash = market.hashes["custom"]

        for path in (f"/tx/{tx_hash}", "/txs"):
            assert "InsufficientBalance(account=0x" in unlinked(get(path).text)

    def test_pending(self, market: Market, get: Get) -> None:
        """A transaction in the mempool is pending."""
        node = market.node
        node.miner.set_automine(on=False)
        sender = node.accounts.addresses()[0]
        tx_hash = f"0x{node.send(TransactionRequest(sender, sender, value=1)).hex()}"

        assert "Pending" in get(f"/tx/{tx_hash}").text
        assert tx_hash in get("/mempool").text

    def test_own_accounts(self, market: Market, get: Get) -> None:
        """Accounts of the node have their numbers in reasons, places and excerpts of a failure."""
        third = checksum(market.node.accounts.addresses()[2])
        page = unlinked(get(f"/tx/{market.hashes['no tokens']}").text)

        assert f"transferFrom(from={third} (account 2), to=" in page
        assert f"allowance[{third} (account 2)]" in page
        assert "account=0x" in (reason := unlinked(get(f"/tx/{market.hashes['custom']}").text))
        assert f"account={third} (account 2), " in reason


class TestCalls:
    def test_tree(self, market: Market, get: Get) -> None:
        """The tree has calls with values, events in order, and the gas of each."""
        text = get(f"/tx/{market.hashes['deposit']}/calls").text

        assert text.index("Vault.deposit(amount=100") < text.index("Token.transferFrom(from=")
        assert text.index("Transfer(from=") < text.index("Deposited(from=")
        assert "2 calls" in text

    def test_failure(self, market: Market, get: Get) -> None:
        """What reverted is where it happened, with the line of the source."""
        text = get(f"/tx/{market.hashes['no tokens']}/calls").text

        inner = text.index("Token.transferFrom(")
        assert text.index("reverted: panic: arithmetic overflow") > inner
        assert "contracts/Market.sol:34" in text
        assert "allowance[from][msg.sender] -= value" in text

    def test_bounded(self, market: Market, get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
        """Too many calls are counted, and are in the JSON."""
        monkeypatch.setattr(transaction_pages, "MAX_CALLS", 1)
        text = get(f"/tx/{market.hashes['deposit']}/calls").text

        assert "1 call, 1 more are in the" in " ".join(text.split())

    def test_pending(self, market: Market, get: Get) -> None:
        """A transaction that waits has no calls yet."""
        node = market.node
        node.miner.set_automine(on=False)
        sender = node.accounts.addresses()[0]
        tx_hash = f"0x{node.send(TransactionRequest(sender, sender)).hex()}"

        for view in ("calls", "steps", "changes", "gas", "lines"):
            assert get(f"/tx/{tx_hash}/{view}").status == 404


class TestChanges:
    def test_transfer(self, market: Market, get: Get) -> None:
        """A transfer changes two balances and a nonce."""
        text = get(f"/tx/{market.hashes['transfer']}/changes").text

        assert "+3 RBTC" in text
        assert "-3 RBTC" in text
        assert "<bdi>Nonce</bdi>" in text

    def test_storage(self, market: Market, get: Get) -> None:
        """Storage has the names of variables, with keys, and values by their types."""
        text = get(f"/tx/{market.hashes['deposit']}/changes").text
        second = market.node.accounts.addresses()[1]

        assert f"<bdi>balanceOf[{checksum(second)} (account 1)]</bdi>" in unlinked(text)
        assert f"<bdi>deposits[{checksum(second)} (account 1)].amount</bdi>" in unlinked(text)
        assert "<bdi>depositors (length)</bdi>" in text
        assert ">-100<" in text

    def test_creation(self, market: Market, get: Get) -> None:
        """A contract that was created is new, with code."""
        creation = market.node.chain.block(1).transactions[0]

        text = get(f"/tx/0x{creation.hash.hex()}/changes").text

        assert "new account" in text
        assert "<bdi>Code</bdi>" in text


class TestGas:
    def test_tables(self, market: Market, get: Get) -> None:
        """The graph has the functions, the tables their lines and variables."""
        text = get(f"/tx/{market.hashes['deposit']}/gas").text

        assert "<title>Vault.deposit: " in text
        assert "Token._move" in text
        assert "contracts/Market.sol:" in text
        assert "Vault.deposits[" in text

    def test_head(self, market: Market, get: Get) -> None:
        """The newest block is the chain's, and what is no line does not lead to a step."""
        text = get(f"/tx/{market.hashes['deposit']}/gas").text

        assert f'<b id="height">{market.node.chain.height}</b>' in text
        assert "(generated)" in text
        assert "steps?line=contracts" in text
        assert text.count("steps?line=") == text.count("steps?line=contracts/Market.sol")


def marks(text: str) -> dict[str, str]:
    """The text of each line that has code, and its gas, or `not run`."""
    rows = re.findall(r'<tr[^>]* class="(?:ran|missed)">(.*?)</tr>', text, re.DOTALL)
    cells = (re.findall(r"<td.*?</td>", each, re.DOTALL) for each in rows)
    plain = ([html.unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in row] for row in cells)
    return {source: gas for _, gas, source in plain}


class TestLines:
    def test_transaction(self, market: Market, get: Get) -> None:
        """Lines that ran have the gas of the profile, others with code are marked as not run."""
        tx_hash = market.hashes["no tokens"]
        page = get(f"/tx/{tx_hash}/lines").text
        found = marks(page)
        answer = LocalClient(market.node).call("devchain_profileTransaction", tx_hash)
        used: dict[str, int] = defaultdict(int)
        for line in answer["lines"]:
            if line["line"]:
                used[line["text"]] += int(line["gas"], 16)

        assert used
        assert {text: f"{gas:,}" for text, gas in used.items()} == {
            text: gas for text, gas in found.items() if gas != "not run"
        }
        assert found["_move(from, to, value);"] == "not run"  # the line before it failed
        rows = re.findall(r'<tr class="(ran|missed)">', page)
        assert f"{rows.count('ran')} of {len(rows)} lines with code ran" in page

    def test_without_source(self, market: Market, get: Get) -> None:
        """Where no source is known the page says how to give one."""
        page = get(f"/tx/{market.hashes['transfer']}/lines").text

        assert "No source of what ran is known" in page
        assert "--artifacts PATH names the compiled project" in page

    def test_long_file(self, market: Market, get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
        """Of a long file the lines around those that ran are shown, with their numbers."""
        monkeypatch.setattr(gas_pages, "WHOLE_FILE", 10)
        monkeypatch.setattr(gas_pages, "AROUND", 1)
        text = get(f"/tx/{market.hashes['tokens']}/lines").text

        assert '<tr class="apart">' in text
        assert '<td class="num">1</td>' not in text
        assert "function rename" not in text


class TestContract:
    def test_source(self, market: Market, get: Get) -> None:
        """The source is highlighted, each line with its number; the ABI is beside it."""
        text = get(f"/address/0x{bytes(market.token.address).hex()}/source").text

        assert '<span class="hl-' in text
        assert 'id="L84"' in text
        assert "function transfer(address to, uint256 value)" in text

    def test_source_elsewhere(self, market: Market, get: Get, tmp_path: Path) -> None:
        """A source without text is read from its project alone, if it is a regular file."""
        secret = tmp_path / "secret.sol"
        secret.write_text("SECRET")
        project = tmp_path / "project" / "out"
        project.mkdir(parents=True)
        (project / "link.sol").symlink_to(secret)
        (project / "loop.sol").symlink_to("loop.sol")
        os.mkfifo(project / "pipe.sol")
        (project / "zero.sol").symlink_to("/dev/zero")
        (project / "key.txt").write_text("SECRET")
        (project / "own.sol").write_text("contract Own {}")
        paths = [str(secret), "../../secret.sol", "link.sol", "loop.sol", "pipe.sol", "zero.sol"]
        paths += ["/dev/zero", "key.txt", "\0.sol", "own.sol"]
        written = {
            "abi": [],
            "contractName": "Own",
            "sourceName": "own.sol",
            "bytecode": "0x",
            "deployedBytecode": "0x6001",
            "allSourcePaths": {str(number): path for number, path in enumerate(paths)},
        }
        (project / "Own.json").write_text(json.dumps(written))
        market.node.artifacts.load(project)
        LocalClient(market.node).call("hardhat_setCode", "0x" + "12" * 20, "0x6001")

        text = get(f"/address/0x{'12' * 20}/source").text

        assert "contract</span> Own {}" in text
        assert text.count("<details") == 2  # with the ABI
        assert "SECRET" not in text

    def test_long_sources(self, market: Market, get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
        """Sources beyond what a page may have are counted; a long one has no colors."""
        path = f"/address/0x{bytes(market.token.address).hex()}/source"
        gas_pages.highlighted.cache_clear()
        monkeypatch.setattr(gas_pages, "MAX_SOURCE", 10)
        plain = get(path).text
        monkeypatch.setattr(contract_pages, "MAX_SOURCES", 10)
        text = get(path).text
        gas_pages.highlighted.cache_clear()

        assert '<span class="hl-' not in plain
        assert "function transfer(address to, uint256 value)" in plain
        assert "1 source not shown" in text
        assert 'id="L84"' not in text

    def test_many_functions(
        self, market: Market, get: Get, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Functions beyond what a page may have are counted."""
        monkeypatch.setattr(contract_pages, "MAX_ENTRIES", 2)
        path = f"/address/0x{bytes(market.token.address).hex()}"

        forms, source = get(f"{path}/call").text, get(f"{path}/source").text

        assert forms.count('<details class="form"') == 2
        assert re.search(r"\d+ more functions not shown", forms)
        assert re.search(r"ABI, \d+ items, the first 2 of them", source)

    def test_no_artifact(self, node: Node, get: Get) -> None:
        """Without an artifact the pages that need one say how to give one."""
        for view in ("source", "call"):
            page = get(f"/address/0x{'12' * 20}/{view}")
            assert page.status == 404
            assert "there is no contract" in page.text

    def test_storage(self, market: Market, get: Get) -> None:
        """Variables of the layout, and keys of mappings that transactions used, with values."""
        text = get(f"/address/0x{bytes(market.vault.address).hex()}/storage").text
        second = checksum(market.node.accounts.addresses()[1])

        assert "<bdi>owner</bdi>" in text
        assert f"<bdi>deposits[{second} (account 1)].amount</bdi>" in unlinked(text)
        assert '<bdi class="value">101</bdi>' in text
        assert "<bdi>deposits</bdi>" not in text

    def test_highlighted(self) -> None:
        """Types and names have classes of their own."""
        (line,) = gas_pages.highlighted("address publicity;", "Solidity")

        assert 'hl-type">address</span>' in line
        assert 'hl-keyword"' not in line

    def test_events(self, market: Market, get: Get) -> None:
        """Events come newest first, with their transactions."""
        text = get(f"/address/0x{bytes(market.vault.address).hex()}/events").text

        assert text.index(market.hashes["long"]) < text.index(market.hashes["deposit"])

    def test_many_events(self, market: Market, monkeypatch: pytest.MonkeyPatch) -> None:
        """The newest are read backwards, from so few blocks that a slice has a bounded number."""
        node = market.node
        emitter = Address(bytes.fromhex("13" * 20))
        code = f"0x6103e85b60006000a0{'600190038060035700'}"  # LOG0 1,000 times
        LocalClient(node).call("hardhat_setCode", f"0x{emitter.hex()}", code)
        for _ in range(6):
            node.send(TransactionRequest(node.accounts.addresses()[0], emitter, gas=2_000_000))
        node.mine(20)
        read: list[tuple[BlockRef | None, BlockRef | None]] = []
        search = node.chain.logs
        monkeypatch.setattr(contract_pages, "MAX_PART", 1_500)

        def logs(query: LogQuery) -> Iterator[MinedLog]:
            read.append((query.from_block, query.to_block))
            return search(query)

        monkeypatch.setattr(node.chain, "logs", logs)
        height = node.chain.height
        wanted = LogQuery(addresses=frozenset({emitter}))
        slices = contract_pages.newest_logs(node.chain, 0, height, wanted)
        count = sum(1 for _ in iter(lambda: next(slices, None), None))
        shown = finish(contract_pages.newest_logs(node.chain, 0, height, wanted))

        assert [each.index for each in shown] == list(range(999, 949, -1))
        assert {each.block.number for each in shown} == {height - 20}
        assert count == len(read) // 2
        assert read[:2] == [(height, height), (height - 2, height - 1)]
        assert count < 12

    def test_code(self, market: Market, get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
        """Code is shown as opcodes with offsets and operands."""
        path = f"/address/0x{bytes(market.vault.address).hex()}/code"
        text = get(path).text
        monkeypatch.setattr(contract_pages, "MAX_INSTRUCTIONS", 5)

        assert re.search(r'<td class="num">0</td><td>PUSH\d+</td><td>0x[0-9a-f]+</td>', text)
        assert "<td>CALLDATASIZE</td>" in text
        [following] = re.findall(r'code\?from=(\d+)" rel="next"', get(path).text)
        page = get(f"{path}?from={following}").text
        assert page.count("<tr><td") == 5
        assert f'<td class="num">{following}</td>' in page

    def test_code_from(self, market: Market, get: Get) -> None:
        """An offset in an operand is of its instruction; one behind the code shows nothing."""
        code = "60" * 3_000_000 + "6001" + "5b"
        address = "0x" + "12" * 20
        LocalClient(market.node).call("hardhat_setCode", address, f"0x{code}")
        path = f"/address/{address}/code?from="

        assert ">2999998</td><td>PUSH1</td><td>0x60<" in get(f"{path}2999999").text
        assert ">3000002</td><td>JUMPDEST</td>" in get(f"{path}3000001").text
        assert get(f"{path}{2**53 - 1}").text.count("<tr><td") == 0
        assert get(f"{path}{2**63}").status == 400

    def test_read(self, market: Market, get: Get) -> None:
        """A form calls a function that reads, and shows what it returns or refuses."""
        path = f"/address/0x{bytes(market.token.address).hex()}/call?f=balanceOf(address)&a0="
        vault = f"0x{bytes(market.vault.address).hex()}"

        assert "<bdi>101</bdi>" in get(path + vault).text
        assert "is not a value of type address: give 0x and 40 hex digits" in get(path + "me").text

    def test_failure(self, node: Node, get: Get) -> None:
        """A call that fails has its reason, the hint, and the place in the source."""
        till = node.deploy(TILL)
        till.setRate(2**255)
        page = get(f"/address/0x{bytes(till.address).hex()}/call?f=price(uint256)&a0=2")
        text = html.unescape(page.text)

        assert "<bdi>execution reverted: panic: arithmetic overflow" in text
        assert re.search('<p class="hint">overflow: [0-9,+ ]* does not fit uint256</p>', text)
        assert "<bdi>Till.price(count=2)</bdi>" in text
        assert "contracts/Till.sol:50</bdi>" in text
        assert "> 50 │     sum += rate;" in text

    @pytest.mark.parametrize("amount", ["1,000", "0x3e8", "1_000 ", "1000 wei"])
    def test_write(self, market: Market, post: Get, amount: str) -> None:
        """A form sends a transaction of the chosen account."""
        first, second = market.node.accounts.addresses()[:2]
        page = post(
            "/do/call",
            to=f"0x{bytes(market.token.address).hex()}",
            f="transfer(address,uint256)",
            a0=f"0x{second.hex()}",
            a1=amount,
            **{"from": f"0x{first.hex()}"},
        )

        assert page.status == 303
        assert page.headers["Location"].startswith("/explorer/tx/0x")
        assert market.token.balanceOf(second) == 1_500 - 101

    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"f": "nothing()"}, "no such function"),
            ({"a1": "many"}, "is not a value of type uint256: give a whole number"),
            ({"value": "1.5"}, "value must be an amount with its unit: 7 rbtc"),
            ({"value": "7"}, "value must be an amount with its unit: 7 rbtc"),
            ({"from": "0x12"}, "an address is 0x and 40 hex digits"),
        ],
    )
    def test_wrong(self, market: Market, post: Get, fields: dict[str, str], words: str) -> None:
        """What is wrong with a form is said."""
        first = f"0x{market.node.accounts.addresses()[0].hex()}"
        form = {"f": "transfer(address,uint256)", "a0": first, "a1": "1", "from": first}
        token = f"0x{bytes(market.token.address).hex()}"

        assert words in post("/do/call", to=token, **{**form, **fields}).text


class TestProxies:
    """Pages of a contract that delegates its calls to another, which is known."""

    @pytest.fixture
    def proxy(self, market: Market) -> str:
        """A proxy of the token."""
        proxy = deploy(market.node, PROXY)
        implementation = int.from_bytes(bytes(market.token.address))
        market.node.set_storage(proxy, ERC1967_SLOT, implementation)
        return f"0x{proxy.hex()}"

    @staticmethod
    def approve(market: Market, post: Get, proxy: str) -> str:
        """Send a call of the implementation by its form; where that leads."""
        first, second = market.node.accounts.addresses()[:2]
        form = {"a0": f"0x{second.hex()}", "a1": "77", "from": f"0x{first.hex()}"}
        sent = post("/do/call", to=proxy, f="approve(address,uint256)", **form)
        return sent.headers["Location"].removeprefix("/explorer").partition("?")[0]

    def test_read(self, market: Market, get: Get, proxy: str) -> None:
        """Functions of the implementation have forms, and are called at the proxy."""
        second = f"0x{market.node.accounts.addresses()[1].hex()}"
        path = f"/address/{proxy}/call"

        text = get(f"{path}?f=balanceOf(address)&a0={second}").text

        assert '<p class="decoded"><bdi>0</bdi></p>' in text
        assert ">Token</bdi>" in text[text.index("transfer(address,uint256)") :]
        assert "No function" not in text

    def test_own_functions(self, market: Market, get: Get, proxy: str) -> None:
        """The proxy's own functions are not delegated."""
        abi = [{"type": "function", "name": "name", "inputs": [], "outputs": [{"type": "int8"}]}]
        LocalClient(market.node).call(
            "devchain_addArtifacts", {"contractName": "Proxy", "abi": abi}, proxy
        )

        text = get(f"/address/{proxy}/call").text

        assert text.count("<bdi>name()</bdi>") == 1
        assert "<bdi>totalSupply()</bdi>" in text

    def test_write(self, market: Market, get: Get, post: Get, proxy: str) -> None:
        """The transaction goes to the proxy; what it changes has the implementation's names."""
        first, second = market.node.accounts.addresses()[:2]
        name = f"allowance[{checksum(first)} (account 0)][{checksum(second)} (account 1)]"

        transaction = self.approve(market, post, proxy)

        sent = market.node.chain.block(market.node.chain.height).transactions[0]
        assert f"0x{bytes(sent.to or b'').hex()}" == proxy
        assert f"<bdi>{name}</bdi>" in unlinked(get(f"{transaction}/changes").text)
        storage = get(f"/address/{proxy}/storage").text
        assert f"<bdi>{name}</bdi>" in unlinked(storage)
        assert "<bdi>EIP-1967 implementation</bdi>" in storage

    def test_fork(self, market: Market, post: Get, proxy: str) -> None:
        """On a fork what names the implementation is asked of the upstream."""
        self.approve(market, post, proxy)
        fork, _ = fork_of(market.node)
        with fork:
            LocalClient(fork).call("devchain_addArtifacts", artifacts())
            served = create_app({"test": fork}, fork.config)
            views = ("storage", "call?f=totalSupply()")
            pages = [visit(served, f"/explorer/address/{proxy}/{each}") for each in views]

        assert [each.status for each in pages] == [200, 200]
        assert all("Delegates calls to" in each.text for each in pages)
        assert "<bdi>totalSupply</bdi>" in pages[0].text
        assert '<p class="decoded"><bdi>0</bdi></p>' in pages[1].text

    def test_links(self, market: Market, get: Get, proxy: str) -> None:
        """Pages of a proxy link to its implementation, that of the source to its source."""
        implementation = checksum(market.token.address)

        overview, source = (get(f"/address/{proxy}{view}") for view in ("", "/source"))

        assert "Delegates calls to" in overview.text
        assert f'/explorer/address/{implementation}"' in overview.text
        assert source.status == 200
        assert f'/explorer/address/{implementation}/source"' in source.text
        assert "No artifact of this contract itself is known." in source.text
        assert "Delegates calls to" not in get(f"/address/{implementation}").text


class TestControl:
    def test_snapshot_and_revert(self, node: Node, get: Get, post: Get) -> None:
        """A snapshot is taken and reverted to by buttons."""
        post("/do/snapshot")
        node.mine(3)
        assert "Snapshot 1, at block 0" in get("/control").text

        post("/do/revert", snapshot="1")

        assert node.chain.height == 0
        assert "there is no such snapshot" in post("/do/revert", snapshot="7").text

    def test_others(self, node: Node, get: Get, post: Get) -> None:
        """Time, automatic mining, impersonation and reset have buttons, too."""
        before = node.clock.now()
        account = "0x" + "12" * 20
        for path, form in (
            ("time", {"seconds": "5000"}),
            ("automine", {"on": "0"}),
            ("impersonate", {"address": account}),
        ):
            assert post(f"/do/{path}", **form).status == 303

        assert node.chain.head.timestamp >= before + 5000
        assert not node.miner.automatic
        assert account in get("/accounts").text.lower()
        assert post("/do/stop-impersonating", address=account).status == 303
        assert node.accounts.impersonated() == []
        assert post("/do/reset").status == 303
        assert node.chain.height == 0


class TestCharts:
    def test_bars(self, market: Market, get: Get) -> None:
        """A bar for each block, with its value in words."""
        text = get("/charts").text

        assert text.count("<title>Block 3: ") == 3
        assert f"{market.node.chain.block(3).gas_used:,} gas" in text


class TestAddress:
    def test_contract(self, market: Market, get: Get) -> None:
        """A contract has its name, balance, source and transactions."""
        text = get(f"/address/0x{bytes(market.vault.address).hex()}").text

        assert "Contract" in text
        assert "contracts/Market.sol" in text
        assert "Created" in text
        assert market.hashes["deposit"] in text
        assert market.hashes["transfer"] not in text

    def test_pages(self, node: Node, get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
        """Transactions come in pages, the newest first, and the pages lead to each other."""
        monkeypatch.setattr(account_pages, "PAGE_ROWS", 2)
        first, second = node.accounts.addresses()[:2]
        sent = [f"0x{node.send(TransactionRequest(first, second)).hex()}" for _ in range(5)]
        path, shown = f"/address/0x{second.hex()}?unfold=1", list[str]()
        while path:
            text = get(path).text
            shown += re.findall(r'<td><a href="/explorer/tx/(0x\w+)"', text)
            older = re.search(r'href="/explorer(/[^"]+)" rel="next"', text)
            path = older[1].replace("&amp;", "&") if older else ""

        assert shown == sent[::-1]
        assert 'rel="prev"' in text

    def test_own_account(self, node: Node, get: Get) -> None:
        """An account of the node has its number and whether it is locked."""
        account = node.accounts.addresses()[1]
        node.accounts.lock(account)

        text = get(f"/address/0x{account.hex()}").text

        assert "Account 1" in text
        assert "locked" in text


class TestSearch:
    @pytest.mark.parametrize("text", ["3", "3,0", "latest"])
    def test_block(self, market: Market, get: Get, text: str) -> None:
        """A number leads to its block."""
        page = get(f"/search?q={text}")

        assert page.status == 303
        assert page.headers["Location"].startswith("/explorer/block/")

    def test_hashes_and_addresses(self, market: Market, get: Get) -> None:
        """Hashes of blocks and transactions, and addresses, lead to their pages."""
        block = f"0x{market.node.chain.head.hash.hex()}"
        address = f"0x{bytes(market.token.address).hex()}"
        wanted = {
            block: f"/block/{block}",
            market.hashes["deposit"]: f"/tx/{market.hashes['deposit']}",
            address: f"/address/{address}",
            address[2:]: f"/address/{address}",
        }

        for text, path in wanted.items():
            assert get(f"/search?q={text}").headers["Location"] == f"/explorer{path}"

    def test_name(self, market: Market, get: Get) -> None:
        """A name leads to its contract, and so does the number of an account."""
        token = f"0x{bytes(market.token.address).hex()}"

        assert get("/search?q=token").headers["Location"] == f"/explorer/address/{token}"
        account = f"0x{market.node.accounts.addresses()[2].hex()}"
        assert get("/search?q=account+2").headers["Location"] == f"/explorer/address/{account}"

    def test_selector_and_topic(self, market: Market, get: Get) -> None:
        """A selector names functions and errors, a topic events."""
        topic = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

        assert "Token.transfer(address,uint256)" in get("/search?q=0xa9059cbb").text
        assert "Token.Transfer(address,address,uint256)" in get(f"/search?q=0x{topic}").text

    def test_nothing(self, market: Market, get: Get) -> None:
        """What is not found is said with the text, escaped."""
        page = get("/search?q=%3Cscript%3Ealert(9)%3C/script%3E")

        assert page.status == 404
        assert "&lt;script&gt;" in page.text
        assert "<script>alert" not in page.text
