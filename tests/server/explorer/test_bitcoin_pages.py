"""`devchain.server.explorer.bitcoin_pages`: the Bitcoin beside the chain, both sides of the peg."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest
from eth_hash.auto import keccak

from devchain.client.http import LocalClient
from devchain.node import Node
from devchain.server.app import create_app
from tests.server.explorer.conftest import CONFIG, Get, visit

BRIDGE = "0x0000000000000000000000000000000001000006"
BATCH_CREATED = f"0x{keccak(b'batch_pegout_created(bytes32,bytes)').hex()}"
LOCAL = replace(CONFIG, network="local")
BTC = 10**8


@pytest.fixture(scope="module")
def pegged() -> Iterator[tuple[Node, dict[str, Any], dict[str, Any]]]:
    """A node with a peg-in and a peg-out, and what `devchain_pegIn` and `devchain_pegOut` say."""
    with Node(LOCAL) as node:
        call, account = LocalClient(node).call, f"0x{node.accounts.addresses()[0].hex()}"
        peg_in = call("devchain_pegIn", account, 15 * BTC // 10)
        yield node, peg_in, call("devchain_pegOut", account, BTC)


@pytest.fixture
def read(pegged: tuple[Node, Any, Any]) -> Get:
    """Ask for a page of that node."""
    app = create_app({"local": pegged[0]}, LOCAL)
    return lambda path: visit(app, f"/explorer{path}").text


def test_peg_in(pegged: tuple[Node, Any, Any], read: Get) -> None:
    """The transaction that locked bitcoins and the one that registered it lead to each other."""
    _, peg_in, peg_out = pegged
    link = f'href="/explorer/btc/tx/{peg_in["txid"]}"'
    registered, locked = read(f"/tx/{peg_in['transactionHash']}"), read(f"/btc/tx/{peg_in['txid']}")

    assert f"<a {link}>0x{peg_in['txid']}</a>" in registered  # in the event
    assert f"<a {link}><code>" in registered
    assert peg_out["txid"] not in registered
    assert f'event</span> pegin_btc <a href="/explorer/tx/{peg_in["transactionHash"]}">' in locked
    assert "1.5 BTC" in locked


def test_peg_out(pegged: tuple[Node, Any, Any], read: Get) -> None:
    """A request and the transaction that paid lead to each other, by batch and signatures."""
    node, peg_in, peg_out = pegged
    requested = read(f"/tx/{peg_out['transactionHash']}")
    paid = read(f"/btc/tx/{peg_out['txid']}")

    assert f'href="/explorer/btc/tx/{peg_out["txid"]}"' in requested
    for event in ("release_request_received", "batch_pegout_created", "pegout_confirmed"):
        assert f"event</span> {event}" in requested
        assert f"event</span> {event}" in paid
    assert paid.count("event</span> add_signature") == 2
    assert f'href="/explorer/btc/tx/{peg_in["txid"]}"' in paid  # whose output it spends
    assert f"{int(peg_out['satoshis'], 16) / BTC} BTC" in paid
    assert f"{node.bitcoin.confirmations(bytes.fromhex(peg_out['txid']))} confirmations" in paid


def test_hash_before_signatures(pegged: tuple[Node, Any, Any], read: Get) -> None:
    """The hash that the Bridge's events have of a peg-out is on its page, and a search finds it."""
    node, _, peg_out = pegged
    [batch] = [
        log
        for log in LocalClient(node).call("eth_getLogs", {"fromBlock": "0x0", "address": BRIDGE})
        if log["topics"][0] == BATCH_CREATED
    ]
    unsigned = batch["topics"][1]

    assert unsigned[2:] != peg_out["txid"]
    assert unsigned in read(f"/btc/tx/{peg_out['txid']}")
    page = visit(create_app({"local": node}, LOCAL), f"/explorer/search?q={unsigned}")
    assert page.headers["Location"] == f"/explorer/btc/tx/{peg_out['txid']}"


def test_events(pegged: tuple[Node, Any, Any], read: Get) -> None:
    """Hashes of both chains in the Bridge's events are links."""
    _, peg_in, peg_out = pegged
    events = read("/address/0x0000000000000000000000000000000001000006/events")

    assert f'btcTxHash=<a href="/explorer/btc/tx/{peg_in["txid"]}">0x' in events
    assert 'releaseRskTxHash=<a href="/explorer/tx/0x' in events
    for event in ("pegout_confirmed", "batch_pegout_created", "pegout_transaction_created"):
        assert f'{event}(btcTxHash=<a href="/explorer/btc/tx/{peg_out["txid"]}">0x' in events


def test_list(pegged: tuple[Node, Any, Any], read: Get) -> None:
    """The Rootstock page lists peg-ins and peg-outs with the transactions of both chains."""
    _, peg_in, peg_out = pegged
    page = read("/rootstock")
    rows = [row.split("</tr>")[0] for row in page.split('id="pegs"')[1].split("<tr>")[2:4]]

    for row, sent, amount in ((rows[0], peg_out, "1 BTC"), (rows[1], peg_in, "1.5 BTC")):
        assert f'href="/explorer/tx/{sent["transactionHash"]}"' in row
        assert f'href="/explorer/btc/tx/{sent["txid"]}"' in row
        assert row.count("/btc/tx/") == 1
        assert f'<td class="num">{amount}</td>' in row
        assert "account 0" in row
    assert "peg-out <code>" in rows[0]
    assert '<td class="unbroken" title="release_btc">signed and sent</td>' in rows[0]
    assert "peg-in <code>" in rows[1]
    assert '<td class="unbroken" title="pegin_btc">registered</td>' in rows[1]


def test_blocks(pegged: tuple[Node, Any, Any], read: Get) -> None:
    """The newest blocks, a block by height or hash with its transactions, and the search."""
    node, peg_in, _ = pegged
    block, _ = node.bitcoin.chain.transactions[bytes.fromhex(peg_in["txid"])]

    assert f'href="/explorer/btc/block/{node.bitcoin.height}"' in read("/btc")
    for place in (block.height, block.hash.hex()):
        page = read(f"/btc/block/{place}")
        assert f'href="/explorer/btc/tx/{peg_in["txid"]}"' in page
        assert "coinbase</span>" in page
    assert "the reward of a block" in read(f"/btc/tx/{block.txids[0].hex()}")
    assert 'href="/explorer/btc"' in read("/rootstock")


def test_search(pegged: tuple[Node, Any, Any]) -> None:
    """The id of a transaction of Bitcoin leads to its page."""
    node, peg_in, _ = pegged
    found = visit(create_app({"local": node}, LOCAL), f"/explorer/search?q={peg_in['txid']}")

    assert found.headers["Location"] == f"/explorer/btc/tx/{peg_in['txid']}"
    for text in ("peg-in", "Peg outs"):
        found = visit(create_app({"local": node}, LOCAL), f"/explorer/search?q={quote(text)}")
        assert found.headers["Location"] == "/explorer/rootstock#pegs"
    found = visit(create_app({"local": node}, LOCAL), "/explorer/search?q=pegout")
    assert found.text.index("/explorer/rootstock#pegs") < found.text.index("pegout_confirmed")


def test_mempool() -> None:
    """What waits in Bitcoin's mempool is listed."""
    with Node(LOCAL) as own:
        txid = own.bitcoin.send(own.bitcoin.new_address(), BTC).hex()
        app = create_app({"local": own}, LOCAL)

        assert f'href="/explorer/btc/tx/{txid}"' in visit(app, "/explorer/btc").text
        assert "in the mempool" in visit(app, f"/explorer/btc/tx/{txid}").text


@pytest.mark.parametrize("path", ["tx/00", f"tx/{'00' * 32}", "tx/me", "block/9999", "block/me"])
def test_unknown(pegged: tuple[Node, Any, Any], path: str) -> None:
    """What Bitcoin does not have is not found."""
    page = visit(create_app({"local": pegged[0]}, LOCAL), f"/explorer/btc/{path}")

    assert page.status == 404


def test_no_bitcoin(get: Get) -> None:
    """Where the Bridge is not on regtest the page says so."""
    page = get("/btc")

    assert page.status == 400
    assert "simulated on regtest" in page.text
