"""`devchain.server.explorer.rootstock_pages`: Bridge, REMASC, gas prices, merged mining."""

from __future__ import annotations

import html
import re
from dataclasses import replace

from devchain.chain.merged_mining import MergedMining
from devchain.chain.remasc import read_payment
from devchain.evm.rootstock.precompiles.bitcoin import double_sha256
from devchain.node import Node
from devchain.server.app import create_app
from devchain.server.explorer.chain_pages import header_facts, merged_mining_facts
from devchain.types import LogQuery, TransactionRequest, checksum
from tests.bytecode import word
from tests.evm.rootstock.precompiles.calling import BRIDGE, address, selector
from tests.fork.test_precompiles import HEIGHT, Rskj
from tests.fork.upstreams import fork_of
from tests.server.explorer.conftest import CONFIG, Get, unlinked, visit

HEIGHT_SIGNATURE = "getBtcBlockchainBestChainHeight()"


def facts(text: str) -> dict[str, str]:
    """The labelled values of a page."""
    found = re.findall(r"<dt>(.*?)</dt><dd>(?:<code>)?(.*?)(?:</code>)?</dd>", text, re.DOTALL)
    return {label: html.unescape(value) for label, value in found}


class TestBridge:
    def test_what_it_answers(self, node: Node, get: Get) -> None:
        """Amounts have units, -1 and empty values are none, the best header has its fields."""
        text = get("/rootstock").text
        found = facts(text)

        assert found["Fee per kb"] == "0.001 BTC"
        assert found["Locking cap"] == "200 BTC"
        assert found["Federation size"] == "4"
        assert found["Federation creation time"] == "1538967, 1970-01-18 19:29:27 UTC"
        assert found["Federation threshold"] == "3"
        assert found["Federation address"] == "2N1N5mdHWmRUfv49f7GnUeFfuyLcBQK7hj2"
        assert found["Retiring federation size"] == "none"
        assert found["Retiring federation address"] == "none"
        assert found["Queued pegouts count"] == "0"
        raw = bytes.fromhex(found["Btc blockchain best block header"].removeprefix("0x"))
        assert found["Bitcoin block"] == double_sha256(raw)[::-1].hex()
        assert "Create federation" not in found

    def test_pegouts(self, node: Node, get: Get) -> None:
        """A peg-out that waits is counted."""
        sender = node.accounts.addresses()[0]
        data = selector("releaseBtc()")
        node.send(TransactionRequest(sender, address(BRIDGE), value=10**18, gas=200_000, data=data))

        assert facts(get("/rootstock").text)["Queued pegouts count"] == "1"

    def test_fork(self) -> None:
        """On a fork the upstream answers; what it refuses is said, and the rest shown."""
        with Node(fixed_clock=1_700_000_000) as upstream:
            upstream.mine(3)
            rskj = Rskj(upstream)
            rskj.outputs[HEIGHT] = word(900_000)
            fork, _ = fork_of(upstream, rskj)
            app = create_app({"regtest": fork}, CONFIG)

            form = f"/explorer/address/0x{BRIDGE:040x}/call?f={HEIGHT_SIGNATURE}"
            called = visit(app, form)
            page = visit(app, "/explorer/rootstock")

        assert page.status == 200
        assert "900000" in unlinked(called.text)
        assert "not known yet" not in called.text
        assert facts(page.text)["Btc blockchain best chain height"] == "900,000"
        assert "the upstream" in page.text

    def test_name_of_the_rootstock_node(self) -> None:
        """The hardfork may have the name that the Rootstock node gives it."""
        with Node(replace(CONFIG, hardfork="lovell700")) as named:
            app = create_app({"test": named}, CONFIG)
            pages = ["rootstock", f"address/0x{BRIDGE:040x}/upgrade?hardfork=reed"]

            assert [visit(app, f"/explorer/{each}").status for each in pages] == [200, 200]

    def test_ethereum(self) -> None:
        """Under Ethereum's rules there is neither the page nor a link to it."""
        with Node(replace(CONFIG, hardfork="prague")) as ethereum:
            app = create_app({"test": ethereum}, CONFIG)
            page = visit(app, "/explorer/rootstock")
            home = visit(app, "/explorer")

        assert page.status == 404
        assert "it has no Bridge" in page.text
        assert "/rootstock" not in home.text


class TestRemasc:
    def test_payments(self) -> None:
        """Its newest payments have receiver, amount and the block whose fees they are."""
        with Node(network="local", remasc=True) as node:
            sender, receiver = node.accounts.addresses()[:2]
            node.send(TransactionRequest(sender, receiver, value=1, gas_price=10**11))
            node.mine(20)
            [*_, newest] = node.chain.logs(LogQuery(1, node.chain.height))
            payment = read_payment(newest.log)
            app = create_app({"local": node}, CONFIG)
            text = visit(app, "/explorer/rootstock").text

        assert facts(text)["Distribution of fees"] == "on"
        assert payment
        assert f'title="{checksum(payment.receiver)}"' in text
        assert f"/block/0x{payment.block_hash.hex()}" in text

    def test_off(self, node: Node, get: Get) -> None:
        """Without it the page says who gets the fees."""
        text = get("/rootstock").text

        assert facts(text)["Distribution of fees"].startswith("off")
        assert "No payment in the newest" in text


class TestMinimumGasPrice:
    def test_chart(self) -> None:
        """A bar for each block, with the price."""
        with Node(replace(CONFIG, min_gas_price=60_000_000)) as node:
            node.mine(2)
            text = visit(create_app({"test": node}, CONFIG), "/explorer/rootstock").text

        assert "<title>Block 2: 0.06 gwei</title>" in text


class TestMergedMining:
    def test_verified(self, node: Node, get: Get) -> None:
        """A block's page has the fields of the bitcoin header, and that its proof holds."""
        node.mine(1)
        merged = node.chain.head.merged_mining
        assert merged
        found = facts(get("/block/1").text)

        assert found["Proof"].startswith("verified")
        assert found["Bitcoin block"] == double_sha256(merged.header)[::-1].hex()
        assert found["Bitcoin block before"] == "00" * 32
        assert found["Bitcoin version, bits, nonce"].startswith("0x20000000, 0x207fffff, ")

    def test_a_proof_that_does_not_hold(self, node: Node) -> None:
        """The page says what is wrong with it."""
        node.mine(1)
        merged = node.chain.head.merged_mining
        assert merged
        bad = MergedMining(merged.header, merged.coinbase, b"\1" * 32)

        found = {
            each.label: each.value
            for each in merged_mining_facts(replace(node.chain.head, proof=bad))
        }

        assert found["Proof"].startswith("not by the rules since RSKIP92: ")
        assert "Merkle" in found["Proof"]


class TestHeaderFacts:
    def test_size(self) -> None:
        """What has not 80 bytes is no header."""
        assert len(header_facts(bytes(80))) == 5
        assert not header_facts(bytes(79))
