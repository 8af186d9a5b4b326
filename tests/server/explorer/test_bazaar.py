"""The explorer on a chain with tokens, a factory, clones and a proxy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from eth_hash.auto import keccak

from devchain.client.http import LocalClient
from devchain.node import Node
from devchain.server.app import create_app
from devchain.server.explorer import chain_pages
from devchain.server.explorer.contract_pages import with_call_data
from devchain.types import Hash32
from tests.server.explorer import bazaar
from tests.server.explorer.bazaar import Bazaar
from tests.server.explorer.conftest import CONFIG, Get, unlinked, visit

OPENED = f"0x{keccak(b'Opened(address,uint8)').hex()}"
NODE_CONFIG = replace(CONFIG, accounts=10)


@pytest.fixture(scope="module")
def shared_node() -> Iterator[Node]:
    """A node with that chain, which tests only read."""
    with Node(NODE_CONFIG) as made:
        yield made


@pytest.fixture(scope="module")
def made(shared_node: Node) -> Bazaar:
    """What is on the chain."""
    return bazaar.fill(LocalClient(shared_node).call)


@pytest.fixture
def read(shared_node: Node, made: Bazaar) -> Get:
    """Ask for a page below `/explorer` of that node."""
    app = create_app({"test": shared_node}, NODE_CONFIG)

    def ask(path: str = "", **more: Any) -> str:
        page = visit(app, f"/explorer{path}", **more)
        assert page.status in {200, 303}, page.text
        return page.text or page.headers["Location"]

    return ask


class TestContracts:
    def test_all_are_listed(self, made: Bazaar, read: Get) -> None:
        """Those that a contract created, clones, and old ones too, with their creators."""
        page = read("/contracts").lower()

        assert all(address in page for address in made.contracts.values())
        assert page.count("<bdi>shop<") == 5
        assert ">shop clone<" in page
        assert ">factory<" in page

    def test_creator(self, made: Bazaar, read: Get) -> None:
        """The creator of a contract is the contract that created it, not the sender."""
        page = read(f"/address/{made.contracts['shop 3']}")

        assert f'href="/explorer/address/{made.contracts["factory"]}"' in page.lower()
        assert "called by" in page

    def test_created_in_order(self, made: Bazaar, read: Get) -> None:
        """A factory's page numbers what it created, the first one first."""
        page = read(f"/address/{made.contracts['factory']}").lower()
        places = [page.index(made.contracts[f"shop {number}"]) for number in (1, 2, 3, 4)]

        assert places == sorted(places)
        assert places[-1] < page.index(made.contracts["clone"])

    def test_transactions_before_empty_blocks(self, made: Bazaar, read: Get) -> None:
        """The newest transactions are shown however many empty blocks follow."""
        assert "× 15</a>" in read()
        assert read("/txs?unfold=1").count("<tr data-block") == 50

    def test_equal_transactions(self, made: Bazaar, read: Get) -> None:
        """Equal transactions that follow one another are one row, which can be unfolded."""
        page = read("/txs")

        assert page.count("<tr data-block") < 6
        assert '<a class="tag" href="/explorer/txs?unfold=1">× 15, show all</a>' in page

    def test_equal_calls(self, made: Bazaar, read: Get) -> None:
        """Equal calls and events are one row, too; the gas of the calls is added up."""
        path = f"/tx/{made.hashes['ring']}"
        overview, calls = read(path), read(f"{path}/calls")

        assert "× 40, show all" in overview
        assert overview.count('<article class="event">') == 1
        assert calls.count("Stall</a>.bell()") == 1
        assert "× 40, show all" in calls
        assert "gas in all" in calls
        assert read(f"{path}?unfold=1").count('<article class="event">') == 40
        assert read(f"{path}/calls?unfold=1").count("Stall</a>.bell()") == 40
        assert "× 40, show all" in read(f"/address/{made.contracts['stall']}/events")

    def test_older_transactions(self, made: Bazaar, read: Get) -> None:
        """Each transaction is on one page, down to the first."""
        seen: list[str] = []
        path = "/txs?"
        while path:
            page = read(f"{path}&unfold=1")
            seen += [line.split("/tx/")[1][:66] for line in page.split("<tr data-block")[1:]]
            _, _, rest = page.partition('rel="next"')
            before = page.rpartition(' rel="next"')[0]
            path = before.rpartition('href="/explorer')[2].rstrip('"').replace("&amp;", "&")
            path = path if rest else ""

        assert len(seen) == len(set(seen)) == len(made.hashes) + 150
        assert seen[-1] == made.hashes["deploy coin"]


class TestSearch:
    @pytest.mark.parametrize("name", ["Shop", "shop"])
    def test_name(self, made: Bazaar, read: Get, name: str) -> None:
        """A name lists all contracts of that name."""
        page = read(f"/search?q={name}").lower()

        assert all(made.contracts[f"shop {number}"] in page for number in (1, 2, 3, 4))
        assert made.contracts["clone"] in page

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("Bridge", "0x0000000000000000000000000000000001000006"),
            ("bzr", "Bazaar"),
            ("opened", "Shop.Opened(address,uint8)"),
            ("lastcall", "Shop.lastCall()"),
        ],
    )
    def test_other_names(self, made: Bazaar, read: Get, text: str, found: str) -> None:
        """Precompiled contracts, tokens, events and functions are found by name."""
        wanted = made.contracts["coin"] if found == "Bazaar" else found

        assert wanted.lower() in read(f"/search?q={text}").lower()

    @pytest.mark.parametrize("text", ["BZR.transfer", "bazaar coin.transfer(to)"])
    def test_function_of_a_token(self, made: Bazaar, read: Get, text: str) -> None:
        """A function of a token without artifact leads to its form and to calls of it."""
        coin, page = made.contracts["coin"], read(f"/search?q={text}").lower()

        assert f'href="/explorer/address/{coin}/call#fa9059cbb"' in page
        assert f"/explorer/txs?selector=0xa9059cbb&amp;to={coin}" in page
        assert "bzr.transfer(address,uint256)" in page

    @pytest.mark.parametrize("text", ["Opened", "Shop.Opened(by=account 1)", OPENED])
    def test_event(self, made: Bazaar, read: Get, text: str) -> None:
        """An event leads to all logs of its topic, whichever contract emitted them."""
        assert f'href="/explorer/events?topic={OPENED}"' in read(f"/search?q={text}")

        page = read(f"/events?topic={OPENED}").lower()

        emitters = [made.contracts[name] for name in ("clone", "proxy", "shop 2")]
        assert all(f'href="/explorer/address/{each}"' in page for each in emitters)
        assert made.contracts["stall"] not in page
        assert page.count('<article class="event">') == 3

    def test_event_of_one_contract(self, made: Bazaar, read: Get) -> None:
        """The page of a contract's events has those of a topic, too, and leads to all."""
        page = read(f"/address/{made.contracts['proxy']}/events?topic={OPENED}")

        assert page.count('<article class="event">') == 1
        assert f'href="/explorer/events?topic={OPENED}"' in page
        assert "No such events" in read(f"/events?topic=0x{'12' * 32}")

    def test_function_behind_proxies(self, made: Bazaar, read: Get) -> None:
        """A function leads to the proxies that run it, then to their implementation."""
        page = read("/search?q=Shop.open(to=Door.Open)").lower()
        places = [
            page.index(f'href="/explorer/address/{made.contracts[name]}/call#f')
            for name in ("proxy", "shop 1")
        ]

        assert places == sorted(places)
        assert f'href="/explorer/address/{made.contracts["clone"]}/call#f' in page

    def test_calls_of_function(self, made: Bazaar, read: Get) -> None:
        """A function leads to the transactions that call it, whichever contract they go to."""
        path = "/txs?selector=0x56f6a897"
        assert f'href="/explorer{path}"' in read("/search?q=Shop.open")

        page, of_clone = read(path), read(f"{path}&to={made.contracts['clone']}")

        assert "open(uint8)" in page
        assert {each for each in made.hashes if made.hashes[each] in page} == {
            "open clone",
            "open proxy",
        }
        assert {each for each in made.hashes if made.hashes[each] in of_clone} == {"open clone"}
        clone_path = f"{path}&amp;to={made.contracts['clone']}"
        assert clone_path in read(f"/address/{made.contracts['clone']}/call").lower()

    def test_failures_with_error(self, made: Bazaar, read: Get) -> None:
        """An error leads to the transactions that failed with it."""
        selector = keccak(b"ERC20InsufficientBalance(address,uint256,uint256)")[:4].hex()
        page = read(f"/txs?selector=0x{selector}")

        assert {each for each in made.hashes if made.hashes[each] in page} == {"coin failed"}
        assert f'href="/explorer/txs?selector=0x{selector}"' in read("/search?q=ERC20Insuff")
        unknown = 'href="/explorer/txs?selector=0x6a627842"'
        assert unknown in read("/search?q=0x6a627842")  # mint(address)
        assert "No such transactions." in read("/txs?selector=0x12121212")

    def test_pages_of_calls(self, made: Bazaar, read: Get, monkeypatch: pytest.MonkeyPatch) -> None:
        """Old calls are found, too, page by page, without those of other functions."""
        monkeypatch.setattr(chain_pages, "PAGE_ROWS", 1)
        path, seen = "/txs?selector=0x40c10f19", list[str]()
        while path:
            page = read(f"{path}&unfold=1")
            seen += [line.split("/tx/")[1][:66] for line in page.split("<tr data-block")[1:]]
            older = re.search(r'href="/explorer([^"]*)" rel="next"', page)
            path = older[1].replace("&amp;", "&") if older else ""

        names = ("mint again 2", "mint again 1", "mint hostile", "mint")
        assert seen == [made.hashes[name] for name in names]

    @pytest.mark.parametrize("view", ["", "/call"])
    def test_implementation(self, made: Bazaar, read: Get, view: str) -> None:
        """The page of an implementation names the proxies that run it."""
        page = read(f"/address/{made.contracts['shop 1']}{view}").lower()

        assert "its code is run by" in page
        assert f'href="/explorer/address/{made.contracts["proxy"]}{view}"' in page

    def test_token_id(self, made: Bazaar, read: Get) -> None:
        """A piece is found as pages write it."""
        assert read("/search?q=ART+%233").lower() == (
            f"/explorer/address/{made.contracts['art']}/token"
        )

    def test_prefix(self, made: Bazaar, read: Get) -> None:
        """The first digits of an address find it, an odd number of them too."""
        assert made.contracts["coin"] in read(f"/search?q={made.contracts['coin'][:9]}").lower()


class TestForms:
    def test_enum(self, made: Bazaar, read: Get) -> None:
        """A member of an enum is written by name; the form lists them."""
        path = f"/address/{made.contracts['proxy']}/call"
        assert 'placeholder="Door.Closed, Door.Open"' in read(path)

    @pytest.mark.parametrize("text", ["Closed", "Door.Closed", "0"])
    def test_enum_argument(self, shared_node: Node, made: Bazaar, text: str) -> None:
        """It is the member's number that is sent."""
        form = {"to": made.contracts["proxy"], "f": "open(uint8)", "a0": text}

        assert with_call_data(shared_node, form)["data"] == f"0x56f6a897{'0' * 64}"

    def test_address(self, made: Bazaar, read: Get) -> None:
        """The form to send takes accounts as pages write them; other text is no verdict."""
        coin = made.contracts["coin"]
        simulated = read(f"/send?simulate=1&from=account+4&to={coin}&data=0x18160ddd")
        wrong = read("/send?simulate=1&from=account+4&to=Proxy")

        assert "It would succeed" in simulated
        assert "to: an address is 0x and 40 hex digits, or account 3" in wrong
        assert "It would fail" not in wrong
        assert "Send it" not in wrong

    def test_mapping(self, made: Bazaar, read: Get) -> None:
        """A mapping is read by its keys, an account by its name; without them it says so."""
        path = f"/address/{made.contracts['clone']}/storage?variable="

        assert "[3]</bdi>" in unlinked(read(f"{path}orders[account+2][3]"))
        assert "orders is a mapping: write its keys, orders[address][uint256]" in read(
            f"{path}orders"
        )

    def test_getter_that_costs_much(self, made: Bazaar, read: Get) -> None:
        """A getter that could not be read is listed, too."""
        page = read(f"/address/{made.contracts['stall']}")

        assert "fails, or needs more gas than this page gives" in page
        assert "<bdi>sign</bdi>" in page


class TestInnerTransfers:
    def test_list(self, made: Bazaar, read: Get) -> None:
        """All transfers inside calls are on one page, with both parties and the transaction."""
        page = read("/transfers")

        assert "0.01 RBTC" in page
        assert made.hashes["order"] in page
        assert 'href="/explorer/transfers"' in read("/txs")


class TestTokens:
    def test_form(self, made: Bazaar, read: Get) -> None:
        """The forms of a token say its unit, take accounts as pages write them, and simulate."""
        path = f"/address/{made.contracts['coin']}/call"
        page = read(path)

        assert "1 BZR is 1,000,000" in page.replace("<i></i>", ",")
        assert page.index("Simulate</button>") < page.index("Send transfer</button>")
        called = read(f"{path}?f=balanceOf(address)&a0=account+3")
        assert "12343178900" in re.sub(r"<[^>]*>|,", "", called)

    def test_event_of_other_standard(self, made: Bazaar, read: Get) -> None:
        """An event that artifacts have in another form is read as the standard has it."""
        page = read(f"/tx/{made.hashes['art moved']}")

        assert "Transfer(from=" in page
        assert "log(0x" not in page

    def test_transaction(self, made: Bazaar, read: Get) -> None:
        """A transfer has the symbol and decimals of the token."""
        assert "12,345.6789 BZR" in read(f"/tx/{made.hashes['mint']}")
        assert "minted" in read(f"/tx/{made.hashes['mint']}")
        assert "ART #3" in read(f"/tx/{made.hashes['art moved']}")
        assert "30 × ERC-1155 #7" in read(f"/tx/{made.hashes['items']}")
        assert "12,345.6789 BZR" in read(f"/address/{made.accounts[3]}")
        assert "12,345.6789 BZR" in read("/block/5")

    def test_holdings(self, made: Bazaar, read: Get) -> None:
        """An account's page has what it owns, also after an earlier block."""
        path = f"/address/{made.accounts[3]}"
        now, then = read(path), read(f"{path}?block={made.before}")

        assert "12,343.1789 BZR" in now
        assert 'num"><bdi>ART #1' in now
        assert 'num"><bdi>ART #3' not in now
        assert "30 × ERC-1155 #7" in now
        assert 'num"><bdi>ART #3' in then
        assert 'num"><bdi>30 ×' not in then

    def test_page(self, made: Bazaar, read: Get) -> None:
        """A token's page has supply, holders with shares, and transfers."""
        page = read(f"/address/{made.contracts['coin']}/token")

        assert "ERC-20" in page
        assert "12,345.678977 BZR" in page
        assert "&gt; 99.9 %" in page
        assert "&lt; 0.1 %" in page
        assert made.hashes["coin moved"] in page

    def test_list(self, made: Bazaar, read: Get) -> None:
        """Tokens are listed with kind, symbol, transfers and supply, the most used first."""
        page = read("/tokens")
        rows = page.partition("<tbody>")[2].split("<tr>")[1:]
        coin = next(row for row in rows if made.contracts["coin"] in row.lower())

        assert [re.findall(r'<td class="num">(\d+)', row) for row in rows] == [
            ["4"],
            ["3"],
            ["3"],
            ["1"],
        ]
        assert ">Art</bdi>" in rows[0]
        assert ">ERC-721<" in rows[0]
        assert ">ERC-1155<" in rows[-1]
        assert "12,345.678977 BZR" in coin
        assert 'href="/explorer/tokens" aria-current="page"' in page
        assert '<span class="tag">ERC-721</span>' in read("/contracts")

    def test_token_without_transfer(self) -> None:
        """A token that moved nothing yet is listed, too."""
        with Node(NODE_CONFIG) as node:
            code = bazaar.compiled()["output"]["contracts"][bazaar.SOURCE]["Art"]["evm"]["bytecode"]
            sent = LocalClient(node).call
            sender = f"0x{node.accounts.addresses()[0].hex()}"
            request = {"from": sender, "gas": hex(6_000_000), "data": f"0x{code['object']}"}
            sent("eth_sendTransaction", request)
            app = create_app({"test": node}, NODE_CONFIG)

            assert '<td class="num">0</td>' in visit(app, "/explorer/tokens").text

    def test_transfers(self, made: Bazaar, read: Get) -> None:
        """A transfer has its block, its transaction and who sent that."""
        page = read(f"/address/{made.contracts['coin']}/token").partition("<h2>Transfers")[2]
        row = next(row for row in page.split("<tr ") if made.hashes["run"] in row)

        assert "minted" in row
        assert "Shop clone.run(" in row
        assert ">account 2</bdi>" in row

    def test_collection(self, made: Bazaar, read: Get) -> None:
        """Pieces have their owners, and an image only if it is in a data URI."""
        page = read(f"/address/{made.contracts['art']}/token")

        assert page.count("<img class") == 1
        assert 'src="data:image/svg+xml;base64,' in page
        assert "Piece &lt;one&gt;" in page
        assert "example.com" not in page

    def test_hostile_name(self, made: Bazaar, read: Get) -> None:
        """Names of tokens are escaped on every page."""
        hostile = made.contracts["hostile"]
        paths = (
            "/contracts",
            "/tokens",
            "/search?q=a",
            f"/address/{hostile}",
            f"/address/{hostile}/token",
        )
        for path in (*paths, f"/address/{made.accounts[3]}", f"/tx/{made.hashes['mint hostile']}"):
            page = read(path)

            assert "<script>alert" not in page
            assert "&lt;script&gt;" in page
            assert "\u202e" not in page

    def test_inner_transfers(self, made: Bazaar, read: Get) -> None:
        """What a contract sent on is on the transaction's page, and what it created."""
        assert "0.01 RBTC</bdi></b>" in read(f"/tx/{made.hashes['order']}")
        page = read(f"/tx/{made.hashes['make']}").lower()

        assert all(made.contracts[f"shop {number}"] in page for number in (1, 2, 3, 4))

    def test_marks(self, made: Bazaar, read: Get, shared_node: Node) -> None:
        """A transaction in a list says how many inner transfers it has."""
        block = shared_node.chain.receipt(Hash32(bytes.fromhex(made.hashes["order"][2:])))
        assert block
        mark = f'<a href="/explorer/tx/{made.hashes["order"]}#inner">1 inner transfer</a>'

        assert mark in read(f"/block/{block[0].number}")
        assert mark in read(f"/address/{made.accounts[2]}")
        assert mark in read(f"/txs?block={block[0].number + 1}&index=0")
        assert 'id="inner"' in read(f"/tx/{made.hashes['order']}")

    def test_of_account(self, made: Bazaar, read: Get) -> None:
        """An account lists transfers of tokens and inner ones, apart from its transactions."""
        page = read(f"/address/{made.accounts[1]}")
        moved = page.partition("<h2>Transfers")[2].partition("<h2>")[0]
        then = read(f"/address/{made.accounts[1]}?block={made.before}")

        assert "0.01 RBTC</bdi>" in moved
        assert "2.5 BZR" in moved  # of a transaction that is on an older page
        assert made.hashes["coin moved"] not in page.partition("<h2>Transactions")[2]
        assert "0.01 RBTC</bdi>" not in then
        assert "2.5 BZR" in then

    def test_role(self, made: Bazaar, read: Get) -> None:
        """An account without code that got the coin inside was not called."""
        page = read(f"/address/{made.accounts[1]}?block=25")
        row = next(row for row in page.split("<tr ") if f'{made.hashes["order"]}"><code>' in row)

        assert re.search(r'<td class="wide">\s*inner transfer\s*</td>', row)
        assert "was called" not in row


class TestEarlier:
    def test_account(self, made: Bazaar, read: Get) -> None:
        """State after a block is listed with what happened up to it, page by page."""
        path = f"/address/{made.accounts[3]}"
        page = read(f"{path}?block={made.before}")

        assert made.hashes["coin moved"] in page
        assert made.hashes["art moved"] not in page
        assert "← Newer" not in page
        assert "← Newer" in read(f"{path}?block={made.before}&before=7-0")
        assert "← Newer" not in read(f"{path}?block={made.before}&after=7-0")
        assert made.hashes["art moved"] not in read(f"{path}?block={made.before}&after=7-0")

    def test_accounts(self, made: Bazaar, read: Get) -> None:
        """The list of accounts is shown after a block, and leads to one of them there."""
        account = made.accounts[2]
        page = read("/accounts?block=0&account=")

        assert "Balances and nonces after block 0" in page
        assert f'{account}?block=0"><bdi>account 2</bdi></a>' in page.lower()
        assert read(f"/accounts?block=5&account={account}") == (
            f"/explorer/address/{account}?block=5"
        )


class TestLinks:
    def test_arguments(self, made: Bazaar, read: Get) -> None:
        """Addresses in calls and events are links, with names of own accounts."""
        page = read(f"/tx/{made.hashes['open clone']}")

        assert f'<a href="/explorer/address/{made.accounts[1]}">' in page.lower()
        assert "(account 1)" in page

    def test_enum(self, made: Bazaar, read: Get) -> None:
        """A member of an enum has its name in calls, events, changes and storage."""
        path = f"/tx/{made.hashes['open clone']}"

        assert "Shop clone.open(to=Door.Open)" in read(path)
        assert "door=Door.Open)" in read(path)
        assert "Door.Open</bdi>" in read(f"{path}/changes")

    def test_enum_of_a_file(self, made: Bazaar, read: Get) -> None:
        """An enum that is in no contract is found in the sources of what uses it."""
        stall = made.contracts["stall"]

        assert "paint(to=Size.Large" in read(f"/tx/{made.hashes['paint']}")
        assert "Size.Large</bdi>" in read(f"/address/{stall}/storage")
        assert "Size.Large" in read(f"/address/{stall}")

    def test_whole_values(self, made: Bazaar, read: Get) -> None:
        """A value that is too long for its page has a link to all of it."""
        stall, text = f"/address/{made.contracts['stall']}", "Thirty-two characters of a text."
        overview, stored = read(stall), read(f"{stall}/storage")

        assert f'href="/explorer{stall}/call?f=song()">in full'.lower() in overview.lower()
        assert read(f"{stall}/call?f=song()").count(text) >= 299
        link = stored.partition('">in full')[0].rpartition("?")[2]
        assert text * 2 not in stored
        assert read(f"{stall}/storage?{link}").replace("\n", "").count(text) >= 250
        assert read(f"{stall}/storage?variable=sign").count(text) >= 250

    def test_whole_array(self, made: Bazaar, read: Get) -> None:
        """The value of a getter has all items of an array."""
        assert "[700, 701, " in (page := read(f"/address/{made.contracts['stall']}"))
        assert ", 798, 799]" in page

    def test_long_string(self, made: Bazaar, read: Get) -> None:
        """A string that does not fit a slot is whole where it changes."""
        page = read(f"/tx/{made.hashes['open clone']}/changes")

        assert "thirty-one bytes of a short string" in page
        assert "(content)" not in page

    def test_nested_call(self, made: Bazaar, read: Get) -> None:
        """Bytes that encode a known call are decoded."""
        page = read(f"/tx/{made.hashes['run open']}")

        assert "encodes</span> <bdi>open(to=Door.Open)" in page

    def test_whole_arguments_of_a_call(self, made: Bazaar, read: Get) -> None:
        """A call in the tree whose arguments are shortened has them whole."""
        calls = read(f"/tx/{made.hashes['run batch']}/calls")

        assert "Arguments in full" in calls
        assert f"{'ab' * 200}" in calls

    def test_steps_of_a_call(self, made: Bazaar, read: Get) -> None:
        """A call of the tree leads to its first step, a line of the source to where it runs."""
        path = f"/tx/{made.hashes['make']}"
        calls = read(f"{path}/calls")

        assert f'href="/explorer{path}/steps?call=3"' in calls
        assert "depth 2" in read(f"{path}/steps?call=3")
        line = next(
            number
            for number, text in enumerate(bazaar.source().splitlines(), 1)
            if "shops.push(shop)" in text
        )
        stepped = read(f"{path}/steps?line=contracts/Bazaar.sol:{line}")
        assert f"contracts/Bazaar.sol:{line}</bdi></h2>" in stepped


class TestWithoutArtifacts:
    def test_standards(self, made: Bazaar, read: Get) -> None:
        """Calls, events and errors of standards have names without any artifact."""
        moved, failed = (read(f"/tx/{made.hashes[name]}") for name in ("coin moved", "coin failed"))

        assert "transfer(to=" in moved
        assert "Transfer(from=" in moved
        assert "ERC20InsufficientBalance(sender=" in failed

    def test_functions(self, made: Bazaar, read: Get) -> None:
        """A contract without artifact has the functions of standards that are in its code."""
        path = f"/address/{made.contracts['coin']}/call"
        page = read(path)

        assert "<bdi>transfer(address,uint256)</bdi>" in page
        assert "permit(" not in page
        answer = read(f"{path}?f=balanceOf(address)&a0=3")
        assert '<span class="digits">12<i></i>343<i></i>178<i></i>900</span>' in answer

    def test_proxy(self) -> None:
        """So has a proxy those in its implementation, with no artifact at all."""
        with Node(NODE_CONFIG) as node:
            compiled = bazaar.compiled()["output"]["contracts"][bazaar.SOURCE]
            call = LocalClient(node).call
            at = []
            for name in ("Art", "Proxy"):
                data = f"0x{compiled[name]['evm']['bytecode']['object']}"
                data += f"{at[0][2:]:0>64}" if at else ""
                sender = f"0x{node.accounts.addresses()[0].hex()}"
                request = {"from": sender, "gas": hex(6_000_000), "data": data}
                tx_hash = call("eth_sendTransaction", request)
                at.append(call("eth_getTransactionReceipt", tx_hash)["contractAddress"])
            app = create_app({"test": node}, NODE_CONFIG)

            page = visit(app, f"/explorer/address/{at[1]}/call").text
            assert "<bdi>transferFrom(address,address,uint256)</bdi>" in page

    def test_raw_slot(self, made: Bazaar, read: Get) -> None:
        """Slots are read by number, and by keys of a mapping there, without a layout."""
        path = f"/address/{made.contracts['items']}/storage?variable="

        assert f"{'0' * 62}1e</code> = 30" in read(f"{path}0[{made.accounts[3]}][7]")
        assert f"{'0' * 64}</code> = 0" in read(f"{path}3")
        assert "a key is a number" in read(f"{path}3[me]")

    def test_form(self, made: Bazaar, read: Get) -> None:
        """A tab that has nothing offers to add an ABI."""
        page = read(f"/address/{made.contracts['coin']}/source")

        assert 'action="/explorer/do/artifact"' in page
        assert "<textarea" in page


class TestSources:
    def test_own_files(self, made: Bazaar, read: Get) -> None:
        """A contract's source has the files that its code is of."""
        page = read(f"/address/{made.contracts['factory']}/source")

        assert "contract Factory" in unlinked(page).replace("</span>", "").replace(
            '<span class="hl-keyword">', ""
        )
        assert "other file" not in page
